"""Which entries a node or a proposal cites: the id of each, and the hash of the words that it rested on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_CITATION = re.compile(r"([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})(?:[\s@:#]+([0-9a-fA-F]{8,64}))?")


@dataclass(frozen=True, slots=True)
class Cited:
    """An entry as a shared file names it; without a hash it is cited as it stands."""

    entry: str
    quote_hash: str = ""

    def __str__(self) -> str:
        return f"{self.entry}@{self.quote_hash}" if self.quote_hash else self.entry


def cited(texts: Iterable[str]) -> tuple[Cited, ...]:
    """The entries that `ID` and `ID@HASH` name, each once; what is neither names none."""
    found: dict[str, Cited] = {}
    for text in texts:
        if match := _CITATION.fullmatch(text.strip()):
            found.setdefault(match[1].lower(), Cited(match[1].lower(), (match[2] or "").lower()))
    return tuple(found.values())
