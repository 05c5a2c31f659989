"""An answer as the one JSON object that a program gets (requirement G30), the same from every face.

Stored text is data: credentials in it are masked once more, and control characters have no power over a terminal.
"""

from __future__ import annotations

import os
from itertools import chain

from pith.domain import secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

CONTRACT_VERSION = "0.1"
NOTHING = object()

# Direction marks can show text in another order than it is stored; some viewers end a line at U+2028.
_BIDI = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)
CONTROLS = (*range(0x20), *range(0x7F, 0xA0), *_BIDI, 0x2028, 0x2029)
_ESCAPED = {code: f"\\u{code:04x}" for code in CONTROLS if code >= 0x20}


def envelope(
    command: str, data: object = NOTHING, *, ok: bool = True, error: dict[str, str] | None = None
) -> dict[str, object]:
    """What was found, also when that is an error; a failure that found nothing has no data."""
    told: dict[str, object] = {"ok": ok, "contract_version": CONTRACT_VERSION, "command": command}
    if error:
        told["error"] = error
    return told if data is NOTHING else told | {"data": data}


class Written:
    """A part of an answer that `json_text` wrote before: its text is put in its place as it is."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def json_text(value: object) -> str:
    """Write a value as one line of JSON: Korean readable, credentials masked, nothing a terminal obeys."""
    import json

    ready = _Ready()
    clean = value if are_clean(_texts(value)) else _masked(value)
    written = json.dumps(clean, ensure_ascii=False, allow_nan=False, separators=(", ", ": "), default=ready.place)
    return ready.put(written if written.isprintable() else encodable(written.translate(_ESCAPED)))


class _Ready:
    """The texts that are ready, each with a mark for its place that no other text can hold."""

    __slots__ = ("_texts",)

    def __init__(self) -> None:
        self._texts: list[tuple[str, str]] = []

    def place(self, part: object) -> str:
        """The mark of one; for `json.dumps`."""
        if not isinstance(part, Written):
            raise TypeError(f"{type(part).__name__} is nothing that JSON knows")
        self._texts.append((os.urandom(16).hex(), part.text))
        return self._texts[-1][0]

    def put(self, written: str) -> str:
        """The JSON with the texts in their places."""
        for mark, text in self._texts:
            written = written.replace(f'"{mark}"', text)
        return written


def are_clean(texts: Iterable[str]) -> bool:
    """Whether none of many texts holds a credential: one look at all of them instead of thousands of looks."""
    return not secrets.find("\n\n".join(texts))


def _texts(value: object) -> Iterable[str]:
    """Every text in a value, each once: thousands of rows have most of theirs in common."""
    found: dict[str, None] = {}
    level: list[Any] = [value]
    while level:  # whole levels at once: a loop over single values would take longer than the looking itself
        if set(map(type, level)) == {str}:
            found.update(dict.fromkeys(level))
            break
        found.update(dict.fromkeys([one for one in level if isinstance(one, str)]))
        others = [one for one in level if not isinstance(one, str)]
        dicts = [one for one in others if isinstance(one, dict)]
        lists = [one for one in others if isinstance(one, list | tuple)]
        found.update(dict.fromkeys(map(str, dict.fromkeys(chain.from_iterable(dicts)))))
        level = [*chain.from_iterable(map(dict.values, dicts)), *chain.from_iterable(lists)]
    return found


def _masked(value: object) -> object:
    # Before writing, not after: a mask over finished JSON could take a quote with it.
    if isinstance(value, str):
        return secrets.mask(value)[0]
    if isinstance(value, dict):
        return {_masked(str(key)): _masked(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_masked(item) for item in value]
    return value


def encodable(text: str) -> str:
    """Replace halves of surrogate pairs, which no encoding can carry."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
