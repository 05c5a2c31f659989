"""One question to a language model behind an OpenAI-style endpoint, answered with a JSON object.

A call is paid from a daily budget before it is made. An endpoint that fails or stalls raises; one that answers nonsense
gives nothing.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any, Protocol

from pith.adapters import web_call
from pith.adapters.web_address import is_safe_for_a_key, shown, web_address
from pith.domain import tokens
from pith.errors import PithError

LARGEST_ANSWER = 1_000_000  # bytes
TIMEOUT = 20.0  # seconds


class Budget(Protocol):
    """How many tokens may be spent today."""

    def claim(self, wanted: int) -> None:
        """Take tokens before a call; raises a PithError when the day's are used up."""
        ...

    def settle(self, claimed: int, used: int) -> None:
        """Say what a call really took."""
        ...


class Chat:
    """A model at an address; `unavailable` is the error that it raises where it cannot be asked."""

    def __init__(
        self, url: str, model: str, budget: Budget, key: str, timeout: float, unavailable: type[PithError]
    ) -> None:
        parts = web_address(url)
        if parts is None:
            raise unavailable(f"`extract.model.url` is no web address: {shown(url)}")
        if key and not is_safe_for_a_key(parts):
            raise unavailable(f"A key is not sent to {parts.hostname} without encryption; use an https address.")
        self._url = url.rstrip("/") + ("" if url.rstrip("/").endswith("/chat/completions") else "/chat/completions")
        self._model, self._key, self._timeout = model, key, timeout
        self._budget, self._unavailable = budget, unavailable

    def ask(self, instructions: str, text: str, answer_tokens: int) -> Any:
        """The JSON that the model answers with; None where it is none."""
        claimed = tokens.estimate(instructions) + tokens.estimate(text) + answer_tokens
        self._budget.claim(claimed)
        answer = self._sent(instructions, text, answer_tokens)
        used = _used(answer)
        self._budget.settle(claimed, claimed if used is None else used)
        return _content(answer)

    def _sent(self, instructions: str, text: str, answer_tokens: int) -> Any:
        body = {
            "model": self._model,
            "temperature": 0,
            "max_tokens": answer_tokens,
            "response_format": {"type": "json_object"},
            "messages": [{"role": "system", "content": instructions}, {"role": "user", "content": text}],
        }
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        request = urllib.request.Request(self._url, data=data, headers=headers, method="POST")  # noqa: S310 -- see __init__
        try:
            with web_call.opened(request, self._timeout) as response:
                raw = _read(response)
        except urllib.error.HTTPError as error:
            error.close()
            raise self._unavailable(f"The model's address answered {error.code}.") from error
        except (OSError, HTTPException, ValueError) as error:
            raise self._unavailable(f"The model did not answer ({type(error).__name__}).") from error
        try:
            return json.loads(raw) if len(raw) <= LARGEST_ANSWER else None
        except (ValueError, RecursionError):
            return None


def _read(response: Any) -> bytes:
    """An answer as far as it is not too long."""
    raw = b""
    while len(raw) <= LARGEST_ANSWER and (chunk := response.read1(65_536)):
        raw += chunk
    return raw


def _used(answer: Any) -> int | None:
    usage = answer.get("usage") if isinstance(answer, dict) else None
    total = usage.get("total_tokens") if isinstance(usage, dict) else None
    return total if isinstance(total, int) and not isinstance(total, bool) and total >= 0 else None


def _content(answer: Any) -> Any:
    try:
        found = json.loads(answer["choices"][0]["message"]["content"])
        # Halves of a character, which JSON can spell and no database takes, become question marks.
        return json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    except (TypeError, KeyError, IndexError, ValueError, RecursionError):
        return None
