"""A model behind an OpenAI-style endpoint: Ollama, vLLM, a cloud. Off until a person names an address.

What it is sent are the texts of a project, secrets masked; the key goes to that address and nowhere else.
"""

from __future__ import annotations

import json
import math
import time
import urllib.error
import urllib.request
from array import array
from collections.abc import Iterator, Sequence
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

from pith.adapters import web_call
from pith.adapters.web_address import is_safe_for_a_key, shown, web_address
from pith.domain.embedding import EmbedderMissing, Prefixes, plain
from pith.domain.outbox import Permanent, Retryable

NAME = "http"
LARGEST_ANSWER = 32_000_000  # bytes
TEXTS, LETTERS = 50, 100_000  # of one call
LONGEST_WAIT = 3_600.0  # seconds, whatever a provider asks for
_TIMEOUT = 30.0  # seconds of a whole call
_FOR_A_QUESTION = 10.0  # seconds: somebody waits, and words are found without it
_PROBE = "pith"

# What another try may change, a person's included: a key that is put right, a model that is pulled.
_LATER = {401, 402, 403, 404, 407, 408, 409, 421, 425, 429}


class HttpEmbedder:
    """A model at an address; `dimensions` 0 takes what it gives."""

    def __init__(
        self,
        url: str,
        model: str,
        key: str = "",
        *,
        dimensions: int = 0,
        prefixes: Prefixes | None = None,
        timeout: float = _TIMEOUT,
    ) -> None:
        self.model = model
        self._url = _checked(url, model, key)
        self._key, self._timeout = key, timeout
        self._asked_for, self._dimensions = dimensions, dimensions
        self._prefixes = prefixes or Prefixes()

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has; asked once where no setting says it."""
        if not self._dimensions:
            self._ask([_PROBE])
        return self._dimensions

    @property
    def recipe(self) -> str:
        """The prefixes; which revision answers at an address, nobody says."""
        return f"http; {self._prefixes}"

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        """One vector for each text that may be found."""
        return self._embedded([plain(self._prefixes.document + text) for text in texts])

    def embed_question(self, text: str) -> bytes:
        """The vector of what is asked."""
        return self._ask([plain(self._prefixes.question + text)], min(self._timeout, _FOR_A_QUESTION))[0]

    def _embedded(self, texts: Sequence[str]) -> list[bytes]:
        return [vector for portion in _portions(texts) for vector in self._ask(portion)]

    def _ask(self, texts: Sequence[str], seconds: float = 0.0) -> list[bytes]:
        body: dict[str, Any] = {"model": self.model, "input": list(texts), "encoding_format": "float"}
        if self._asked_for:
            body["dimensions"] = self._asked_for
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(  # noqa: S310 -- see _checked
            self._url, data=json.dumps(body).encode("ascii"), headers=headers, method="POST"
        )
        return self._understood(self._sent(request, seconds or self._timeout), len(texts))

    def _sent(self, request: urllib.request.Request, seconds: float) -> bytes:
        try:
            with web_call.opened(request, seconds) as response:
                return _read(response)
        except urllib.error.HTTPError as error:
            with error:
                raise _refused(error) from error
        except (OSError, HTTPException, ValueError) as error:
            raise Retryable(f"The embedder at {_host(self._url)} did not answer ({type(error).__name__}).") from error

    def _understood(self, raw: bytes, count: int) -> list[bytes]:
        try:
            given = json.loads(raw)["data"]
            ordered = sorted(given, key=lambda each: int(each["index"])) if _has_places(given) else given
            lists = [each["embedding"] for each in ordered]
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            raise Retryable(f"The embedder at {_host(self._url)} answered with something else than vectors.") from error
        if len(lists) != count:
            raise Permanent(f"The embedder gave {len(lists)} vectors for {count} texts.")
        return [self._vector(numbers) for numbers in lists]

    def _vector(self, numbers: Any) -> bytes:
        if not isinstance(numbers, list) or not numbers or not all(type(each) in (int, float) for each in numbers):
            raise Permanent("The embedder gave a vector that is no list of numbers.")
        if self._dimensions and len(numbers) != self._dimensions:
            raise Permanent(f"The embedder gave a vector of {len(numbers)} numbers instead of {self._dimensions}.")
        length = _length(numbers)
        if not math.isfinite(length) or length < 1e-9:
            raise Permanent("The embedder gave a vector that is zero or holds a number that is none.")
        self._dimensions = len(numbers)
        return array("f", [number / length for number in numbers]).tobytes()


def _checked(url: str, model: str, key: str) -> str:
    """The address of the embeddings, or a sentence on what is wrong with what was set."""
    parts = web_address(url)
    if parts is None:
        raise EmbedderMissing(
            f"`meaning.http.url` is no web address: {shown(url)!r}.",
            hint="Set it up to `/v1`: `pith config set meaning.http.url http://localhost:11434/v1`.",
        )
    if not model:
        raise EmbedderMissing(
            "`meaning.http.model` names no model.", hint="Set it: `pith config set meaning.http.model bge-m3`."
        )
    if key and not is_safe_for_a_key(parts):
        raise EmbedderMissing(
            f"A key is not sent to {parts.hostname} without encryption.", hint="Use an https address, or no key."
        )
    address = url.rstrip("/")
    return address if address.endswith("/embeddings") else f"{address}/embeddings"


def _length(numbers: list[float]) -> float:
    try:
        return math.hypot(*numbers)
    except OverflowError:  # a whole number that no float can be
        return math.inf


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def _portions(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in calls that are not too large."""
    portion: list[str] = []
    letters = 0
    for text in texts:
        if portion and (len(portion) == TEXTS or letters + len(text) > LETTERS):
            yield portion
            portion, letters = [], 0
        portion.append(text)
        letters += len(text)
    if portion:
        yield portion


def _read(response: Any) -> bytes:
    """The whole answer, as far as it is not too long."""
    read, size = [], 0
    while chunk := response.read1(65_536):
        read.append(chunk)
        size += len(chunk)
        if size > LARGEST_ANSWER:
            raise Permanent(f"The embedder's answer is longer than {LARGEST_ANSWER:,} bytes.")
    return b"".join(read)


def _refused(error: urllib.error.HTTPError) -> Retryable | Permanent:
    if error.code >= 500 or error.code in _LATER:
        hint = "Check its key, its address and its model: `pith config`." if error.code in (401, 403, 404) else None
        wait = _seconds(error.headers.get("Retry-After"))
        return Retryable(f"The embedder answered {error.code}.", retry_after=wait, hint=hint)
    return Permanent(f"The embedder answered {error.code}.")


def _seconds(said: str | None) -> float | None:
    """How long a provider asks to wait, given in seconds or as a date."""
    if not said:
        return None
    try:
        wait = float(said) if said.strip().isdigit() else parsedate_to_datetime(said).timestamp() - time.time()
    except (ValueError, TypeError, OverflowError):
        return None
    return min(max(wait, 0.0), LONGEST_WAIT)


def _has_places(given: Any) -> bool:
    return isinstance(given, list) and all(isinstance(each, dict) and "index" in each for each in given)
