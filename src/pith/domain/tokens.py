"""How many tokens a text costs a model: an estimate that is never under.

Models split text differently and none of their tables is needed here, so each stretch is counted as dearly as the common
ones count it: `docs/explanation/tokens.md` has the comparison that set these numbers.
"""

from __future__ import annotations

import re

_STRETCH = r"[A-Za-z]+|[0-9]+|\s+|[^\x00-\x7f]+|(?s:.)"


def estimate(text: str) -> int:
    """Tokens that the text costs at most: 3 letters or 2 digits each, every mark one, a CJK character one and a half."""
    total = 0
    for stretch in re.findall(_STRETCH, text):
        first, length = stretch[0], len(stretch)
        if first.isascii():
            if first.isalpha():
                total += (length + 2) // 3
            elif first.isdigit():
                total += (length + 1) // 2
            elif first.isspace():
                total += (stretch.count("\n") + 1) if length > 1 or first == "\n" else 0
            else:
                total += 1
        else:
            total += sum(3 if letter < "\U00010000" else 6 for letter in stretch) // 2 + 1
    return total


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
