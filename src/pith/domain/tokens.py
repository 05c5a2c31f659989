"""How many tokens a text costs a model: an estimate that is never under.

Models split text differently and none of their tables is needed here, so each stretch is counted as dearly as the
common ones count it: `docs/explanation/tokens.md` has the comparison that set these numbers.
"""

from __future__ import annotations

import re

_STRETCH = r"[A-Za-z0-9]+|\s+|[^\x00-\x7f]+|(?s:.)"
_HUMP = r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+"


def estimate(text: str) -> int:
    """Tokens that the text costs at most: a word one per three letters, a mark one, a CJK character one and a half."""
    return sum(_cost(stretch) for stretch in re.findall(_STRETCH, text))


def _cost(stretch: str) -> int:
    length = len(stretch)
    if not stretch.isascii():
        return sum(3 if letter < "\U00010000" else 8 for letter in stretch) // 2 + 2
    if stretch.isspace():
        return stretch.count("\n") + stretch.count("\t") + (1 if length > 1 else 0)
    if not stretch.isalnum():
        return 1
    if stretch.isalpha() and stretch[1:].islower():
        return _word(stretch)
    humps = re.findall(_HUMP, stretch)
    if len(humps) * 3 > length:  # keys, hashes, base64: no vocabulary has such words
        return length
    return sum(_word(hump) if hump[-1].islower() else (len(hump) + 1) // 2 for hump in humps)


def _word(word: str) -> int:
    """A word one per three letters; an unpronounceable one costs about one a letter and a half."""
    if len(word) > 2 and not set(word) & set("aeiouyAEIOUY"):
        return (len(word) * 2 + 2) // 3
    return (len(word) + 2) // 3


def cut(text: str, budget: int) -> str:
    """The longest beginning of a text that costs at most `budget`, ending at a word, marked with `…` where cut."""
    if estimate(text) <= budget:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate(text[:middle]) + 3 <= budget:
            low = middle
        else:
            high = middle - 1
    kept = text[:low]
    space = max(kept.rfind(" "), kept.rfind("\n"))
    if space > low // 2:
        kept = kept[:space]
    return kept.rstrip() + "…" if kept.strip() else ""
