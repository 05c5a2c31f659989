"""A model of one's own: a folder with `model.onnx` and `tokenizer.json`, run by onnxruntime. Nothing is fetched.

`pith.json` beside them may say what the model was trained with: `questionPrefix`, `documentPrefix`, `maxTokens`,
`pooling` (`mean` of the tokens, or the `first`).
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from pith.adapters import file_hashes
from pith.domain.embedding import EmbedderMissing, Prefixes, plain
from pith.domain.outbox import Permanent
from pith.errors import PithError

NAME = "onnx"
MODEL_FILE, TOKENIZER_FILE, CONFIG_FILE = "model.onnx", "tokenizer.json", "pith.json"
MEAN, FIRST = "mean", "first"
_TOGETHER = 16  # texts in one run
_PACKAGES = ("numpy", "onnxruntime", "tokenizers")
_CONFIG: dict[str, Any] = {"questionPrefix": "", "documentPrefix": "", "maxTokens": 512, "pooling": MEAN}


def is_installed() -> bool:
    """Whether the packages are there; none is imported for that."""
    return all(find_spec(package) is not None for package in _PACKAGES)


class OnnxEmbedder:
    """The model of a folder in this process, with one thread; loaded when it is first asked."""

    def __init__(self, folder: str, remembered: str) -> None:
        """`remembered` is the file that keeps which models were hashed before."""
        self._folder, self._remembered = os.path.abspath(os.path.expanduser(folder)), remembered
        if not folder or not os.path.isfile(self._path(MODEL_FILE)) or not os.path.isfile(self._path(TOKENIZER_FILE)):
            raise EmbedderMissing(
                f"There is no {MODEL_FILE} with a {TOKENIZER_FILE} in {self._folder if folder else 'a folder'}.",
                hint="Name the folder of an exported model: `pith config set meaning.onnx.folder FOLDER`.",
            )
        self._config = _configured(self._path(CONFIG_FILE))
        self._prefixes = Prefixes(self._config["questionPrefix"], self._config["documentPrefix"])
        self._dimensions = 0
        self._session: Any = None
        self._tokenizer: Any = None
        self._lock = threading.RLock()

    @property
    def model(self) -> str:
        """The folder's name; what is in it is part of the recipe."""
        return os.path.basename(self._folder)

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""
        if not self._dimensions:
            self._dimensions = len(self.embed_question("pith")) // 4
        return self._dimensions

    @property
    def recipe(self) -> str:
        """Hashes of all that is in the folder's files, and what `pith.json` says."""
        digest = hashlib.sha256(json.dumps(self._config, sort_keys=True).encode())
        for name in sorted(os.listdir(self._folder)):
            if name == TOKENIZER_FILE or name.startswith(MODEL_FILE):  # large models keep their weights beside it
                digest.update(f"{name}:{file_hashes.sha256(self._path(name), self._remembered)}".encode())
        return f"onnx sha256:{digest.hexdigest()}; {self._prefixes}"

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        """One vector for each text that may be found."""
        prefixed = [plain(self._prefixes.document + text) for text in texts]
        return [
            vector
            for start in range(0, len(prefixed), _TOGETHER)
            for vector in self._run(prefixed[start : start + _TOGETHER])
        ]

    def embed_question(self, text: str) -> bytes:
        """The vector of what is asked."""
        return self._run([plain(self._prefixes.question + text)])[0]

    def _run(self, texts: Sequence[str]) -> list[bytes]:
        with self._lock:
            self._load()
            try:
                return _vectors(self._session, self._tokenizer.encode_batch(list(texts)), self._config["pooling"])
            except PithError:
                raise
            except Exception as error:  # such as a tokenizer with more words than the model has
                raise Permanent(f"The model in {self._folder} cannot be run ({_first_line(error)}).") from error

    def _load(self) -> None:
        if self._session is not None:
            return
        if not is_installed():
            raise EmbedderMissing(
                "A model of one's own needs onnxruntime and tokenizers, which are not installed.",
                hint="Run `pip install 'pith-memory[onnx]'`.",
            )
        try:
            import onnxruntime
            from tokenizers import Tokenizer

            tokenizer = Tokenizer.from_file(self._path(TOKENIZER_FILE))
            options = onnxruntime.SessionOptions()
            options.log_severity_level = 4  # what goes wrong is raised as well
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            session = onnxruntime.InferenceSession(
                self._path(MODEL_FILE), sess_options=options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # both raise classes of their own for a file that is none
            raise EmbedderMissing(f"The model in {self._folder} cannot be loaded ({_first_line(error)}).") from error
        tokenizer.no_padding()
        tokenizer.enable_truncation(self._config["maxTokens"])
        self._tokenizer, self._session = tokenizer, session

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name)


def _vectors(session: Any, encoded: Sequence[Any], pooling: str) -> list[bytes]:
    """Run the model over texts of unequal length, and pool what it says of their tokens."""
    import numpy as np

    longest = max(1, *(len(each.ids) for each in encoded))
    ids = np.zeros((len(encoded), longest), np.int64)
    mask = np.zeros((len(encoded), longest), np.int64)
    for at, each in enumerate(encoded):
        ids[at, : len(each.ids)] = each.ids
        mask[at, : len(each.ids)] = 1
    offered = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    wanted = {each.name: offered[each.name] for each in session.get_inputs() if each.name in offered}
    if len(wanted) != len(session.get_inputs()):
        raise EmbedderMissing("The model asks for something else than input_ids, attention_mask and token_type_ids.")
    given = np.asarray(session.run(None, wanted)[0], np.float32)
    if given.ndim == 3:
        weights = mask[:, :, np.newaxis].astype(np.float32)
        pooled = given[:, 0] if pooling == FIRST else (given * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)
    else:
        pooled = given
    lengths = np.linalg.norm(pooled, axis=1, keepdims=True)
    if pooled.ndim != 2 or not np.isfinite(lengths).all() or (lengths < 1e-9).any():
        raise Permanent("The model gave a vector that is zero or holds a number that is none.")
    return [vector.astype("<f4").tobytes() for vector in pooled / lengths]


def _configured(path: str) -> dict[str, Any]:
    """What `pith.json` says, over what is usual."""
    try:
        with open(path, encoding="utf-8") as file:
            said = json.load(file)
    except FileNotFoundError:
        said = {}
    except (OSError, ValueError, RecursionError) as error:
        raise EmbedderMissing(f"{path} cannot be read ({_first_line(error)}).") from error
    config = {**_CONFIG, **said} if isinstance(said, dict) else {}
    is_right = (
        set(config) == set(_CONFIG)
        and all(isinstance(config[name], str) for name in ("questionPrefix", "documentPrefix"))
        and type(config["maxTokens"]) is int
        and 8 <= config["maxTokens"] <= 32_768
        and config["pooling"] in (MEAN, FIRST)
    )
    if not is_right:
        raise EmbedderMissing(
            f"{path} is not as it should be.",
            hint="It may hold questionPrefix and documentPrefix, maxTokens (8 to 32,768), pooling (mean or first).",
        )
    return config


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:160]
