"""A long text in pieces that a model takes whole: cut between sentences, never within one that fits."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

VERSION = 1  # part of every embedding version: other pieces are other vectors
ROOM = (
    1_200  # of an E5 model's 512 tokens, prose and code in Latin letters take about a third to a half of a token each
)
_WIDE = 2.4  # what a letter of Hangul, Chinese or Japanese takes beside a Latin one
_FIRST_WIDE = "\u1100"

# A run of stops is entered at its beginning only, so that a megabyte of dots takes no longer than one of letters.
_END = re.compile(r"(?:(?<![.!?…。！？])[.!?…。！？]++[\"'”’)\]」』*_]*+(?=\s)|(?<=[。！？])(?![。！？]))\s*|\n\s*")


def pieces(text: str, room: float = ROOM) -> list[str]:
    """The text in pieces of at most `room` Latin letters each (wide ones count more), in order, none of them empty."""
    found: list[str] = []
    held, weight = "", 0.0
    for sentence in _that_fit(text, room):
        heavy = size(sentence)
        if held and weight + heavy > room:
            found.append(held)
            held, weight = "", 0.0
        held, weight = held + sentence, weight + heavy
    return [piece for piece in (each.strip() for each in (*found, held)) if piece]


def sentences(text: str) -> Iterator[str]:
    """The sentences and lines of a text with the space after them; put together they are the text."""
    start = 0
    for end in _END.finditer(text):
        if end.end() > start:
            yield text[start : end.end()]
            start = end.end()
    if start < len(text):
        yield text[start:]


def size(text: str) -> float:
    """How much room a text takes, in Latin letters."""
    if text.isascii():
        return len(text)
    return len(text) + (_WIDE - 1) * sum(letter >= _FIRST_WIDE for letter in text)


def _that_fit(text: str, room: float) -> Iterator[str]:
    for sentence in sentences(text):
        if size(sentence) <= room:
            yield sentence
        else:
            yield from _cut(sentence, room)


def _cut(sentence: str, room: float) -> Iterator[str]:
    """A sentence that is longer than the room, cut between words where there are any."""
    start = 0
    while start < len(sentence):
        end = _reach(sentence, start, room)
        if end < len(sentence):
            end = _between_words(sentence, start, end)
        yield sentence[start:end]
        start = end


def _reach(text: str, start: int, room: float) -> int:
    """Up to where the text from `start` on fits, one letter at least."""
    weight = 0.0
    for at in range(start, len(text)):
        weight += _WIDE if text[at] >= _FIRST_WIDE else 1
        if weight > room and at > start:
            return at
    return len(text)


def _between_words(text: str, start: int, end: int) -> int:
    """The last end of a word in the second half of a piece; else a place that parts no letter from its marks."""
    for at in range(end, start + (end - start) // 2, -1):
        if text[at - 1].isspace():
            return at
    at = end
    while at > start + 1 and unicodedata.combining(text[at]):
        at -= 1
    return at
