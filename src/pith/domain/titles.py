"""Short forms of what a person wrote: a title, a first sentence, a slug for a file's name."""

from __future__ import annotations

import re
import unicodedata
from hashlib import sha256

from pith.domain.romanize import romanized

TITLE, NODE_TITLE = 72, 80  # characters, as orange-hyper cuts them
SLUG, _HASH = 48, 6

# A sentence ends before a space, so that `v1.2` and `redis.py` end none; CJK full stops need no space after them.
_END = re.compile(r"[.!?][\"'”’)\]]*(?=\s)|[。！？][」』]*|(?=\n\s*\n)")


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
    return one_line(text[: end.end()] if end else text) or one_line(text)


def slug(text: str) -> str:
    """The words of a title in ASCII, joined by hyphens; Hangul and kana are romanized.

    Where letters were lost or rewritten, six digits of the title's hash follow, so that two titles never share a slug.
    """
    normal = unicodedata.normalize("NFC", one_line(text)).lower()
    joined = "-".join(re.findall(r"[a-z0-9]+", romanized(normal).lower()))
    if all(letter.isascii() or not letter.isalnum() for letter in normal) and joined:
        return joined[:SLUG].strip("-")
    digest = sha256(normal.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]
    return f"{joined[: SLUG - _HASH - 1].strip('-')}-{digest}".strip("-")


def free(name: str, taken: set[str]) -> str:
    """The name, or the first of `name_2`, `name_3`, ... that is not taken; letter case tells no two apart."""
    used = {each.casefold() for each in taken}
    number = 1
    while (found := name if number == 1 else f"{name}_{number}").casefold() in used:
        number += 1
    return found
