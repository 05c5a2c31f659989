"""What a text changes of another, word by word."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

_WORDS = re.compile(r"\s+|[^\s]+")
LONGEST = 4_000  # words of each: comparing takes the square of them

SAME, GONE, NEW = "same", "gone", "new"


def words(before: str, after: str) -> list[tuple[str, str]]:
    """Pieces of text in order, each `same`, `gone` or `new`."""
    old, new = _WORDS.findall(before)[:LONGEST], _WORDS.findall(after)[:LONGEST]
    pieces: list[tuple[str, str]] = []
    for what, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what == "equal":
            pieces.append((SAME, "".join(old[a:b])))
            continue
        pieces += [(kind, text) for kind, text in ((GONE, "".join(old[a:b])), (NEW, "".join(new[c:d]))) if text]
    return pieces
