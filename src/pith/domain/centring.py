"""Which mean is taken off a vector before it is compared: one for texts in Hangul, one for all others.

A multilingual model puts each script into a corner of its own, and all texts of a script close together. Without its
mean a vector says what is particular about its text, and scores mean the same in both scripts.
"""

from __future__ import annotations

HANGUL, OTHER = "hangul", "other"
SCRIPTS = (OTHER, HANGUL)
FITTED_FROM = 32  # vectors, from which their own mean is worth more than none

_LOOKED_AT = 2_000  # characters
_SHARE = 0.3  # of the letters, from which a text counts as Korean: identifiers and commands stand in many


def script(text: str) -> str:
    """Say to which mean a text belongs."""
    letters = hangul = 0
    for character in text[:_LOOKED_AT]:
        if character.isalpha():
            letters += 1
            # Syllables, and the single letters of text in NFD.
            hangul += "\uac00" <= character <= "\ud7a3" or "\u1100" <= character <= "\u11ff"
    return HANGUL if hangul > letters * _SHARE else OTHER


class Means:
    """A numbered mean: for each script what is taken off a vector, as 32-bit floats. Number 0 takes nothing off."""

    __slots__ = ("number", "of")

    def __init__(self, number: int = 0, of: dict[str, bytes] | None = None) -> None:
        self.number, self.of = number, of or {}


def is_due(vectors: int, fitted: int) -> bool:
    """Whether a mean should be fitted again: the first time, and whenever there are twice as many vectors."""
    return vectors >= max(FITTED_FROM, 2 * fitted)
