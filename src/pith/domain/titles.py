"""Short forms of what a person wrote: a title, a first sentence, a slug for a file's name."""

from __future__ import annotations

import re
import unicodedata
from hashlib import sha256

TITLE, NODE_TITLE = 72, 80  # characters, as orange-hyper cuts them
SLUG, SLUG_BYTES = 48, 108  # a node's file name holds a slug three prefixes deep, and must stay under 180 bytes

# A sentence ends before a space, so that `v1.2` and `redis.py` end none; CJK full stops need no space after them.
_END = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s|(?<=[。！？])|\n\s*\n")


def one_line(text: str) -> str:
    """The text with every run of white space, line ends of any kind included, as one space."""
    return " ".join(text.split())


def cut(text: str, limit: int = TITLE) -> str:
    """One line of at most `limit` characters, which end in `...` when there were more."""
    line = one_line(text)
    return line if len(line) <= limit else line[: limit - 3] + "..."


def first_sentence(text: str) -> str:
    """The first sentence, on one line; the whole text when it has one only."""
    text = text.strip()
    end = _END.search(text)
    return one_line(text[: end.start()] if end else text) or one_line(text)


def slug(text: str) -> str:
    """The letters and digits of a title in NFC, lower case, joined by hyphens: readable in every script.

    A title without any (`???`, an emoji) gives a few digits of its hash.
    """
    normal = unicodedata.normalize("NFC", text).lower()
    joined = "-".join(re.findall(r"[^\W_]+", normal))
    made = _within(unicodedata.normalize("NFC", joined))
    return made or sha256(normal.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _within(text: str) -> str:
    text = text[:SLUG]
    while len(text.encode("utf-8", "replace")) > SLUG_BYTES:
        text = text[:-1]
    return text.strip("-")


def free(name: str, taken: set[str]) -> str:
    """The name, or the first of `name_2`, `name_3`, ... that is not taken; letter case tells no two apart."""
    used = {each.casefold() for each in taken}
    number = 1
    while (found := name if number == 1 else f"{name}_{number}").casefold() in used:
        number += 1
    return found
