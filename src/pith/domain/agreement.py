# ruff: noqa: E501 -- tables of words and patterns, a pattern in one line
"""How two statements of one type stand to each other: the same, at odds, or of different things.

At odds are only those of which one says all that the other says but for a number, a negation, or what it puts in the
place of something. Whatever is merely alike stays apart: "kept for 5 years" and "kept for 6 years" are two statements,
of which at most one is right.
"""

from __future__ import annotations

import re
from functools import lru_cache

from pith.domain.entities import normalised
from pith.domain.extraction import PARTICLE

SAME, AT_ODDS, APART = "same", "at_odds", "apart"
_LEAST_SHARED = 2  # words; two short sentences share one by chance
_ALIKE = 0.6

_NUMBER = re.compile(
    r"^[~≈]?\d[\d.,:]*(?:%|[a-z가-힣]{0,4})$|^(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|once|twice|thrice)$"
    r"|^(?:하나|둘|셋|넷|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열)$"
)
_NOT = re.compile(
    r"^(?:not|no|never|none|cannot|without|neither|nor|isn|aren|don|doesn|won|can|didn|wasn)$|^(?:안|못|않\S*|없\S*|말자|말고|금지\S*|아니\S*)$"
)
_IDLE = frozenset(
    "the a an of for to in on at by with from and or is are was were be been will we i they our us it its this that these"
    " those now today only just decided agreed decide chose go going let lets use using keep s t re ve ll from then so have"
    " has do does must should shall always one"
    " 기로 했다 했습니다 하기로 결정했다 결정했습니다 결정 합의했다 하자 한다 합니다 있다 있습니다 된다 됩니다 이다 입니다 이제"
    " 앞으로 우리 쓴다 씁니다 쓰자 쓰기로 사용한다 사용합니다 사용하기로 것으로 지금은 지금".split()
)
_INSTEAD = (
    re.compile(r"\b(?:instead of|rather than|in place of|over|, not|, no longer)\s+(?P<out>[^,.;]+)", re.IGNORECASE),
    re.compile(r"\bno longer (?:use )?(?P<out>[^,.;]+)", re.IGNORECASE),
    re.compile(r"\b(?:replaced?|replacing|drop(?:ped|ping)?|abandon(?:ed|ing)?)\s+(?P<out>[^,.;]+?)(?:\s+(?:with|by|for)\b|$)", re.IGNORECASE),
    re.compile(r"(?:^|[,.] |\s)(?P<out>\S+(?: \S+)?)(?:을|를)? (?:대신|말고|아니라)"),
)  # fmt: skip


def compare(older: str, newer: str, *, decides: bool = False) -> str:
    """SAME, AT_ODDS or APART; of two decisions also AT_ODDS when the newer one replaces what the older one chose."""
    one, other = _said(older), _said(newer)
    if one.words == other.words and one.numbers == other.numbers and one.denies == other.denies:
        return SAME if one.words or one.numbers else APART
    if _speak_of_the_same(one.words, other.words) and (
        one.denies != other.denies or _differ(one.numbers, other.numbers)
    ):
        return AT_ODDS
    if decides and _replaces(other, one):
        return AT_ODDS
    return APART


class _Said:
    def __init__(self, text: str) -> None:
        found = [PARTICLE.sub("", word) for word in normalised(text).split()]
        self.numbers = [word for word in found if _NUMBER.match(word)]
        self.denies = sum(1 for word in found if _NOT.match(word)) % 2 == 1
        self.words = {word for word in found if word not in _IDLE and not _NUMBER.match(word) and not _NOT.match(word)}
        self.ruled_out = [_words(match["out"]) for pattern in _INSTEAD for match in pattern.finditer(text)]


@lru_cache(maxsize=512)
def _said(text: str) -> _Said:
    """A statement read once: a new one is compared with dozens, and they with the next one."""
    return _Said(text)


def _words(text: str) -> set[str]:
    return {PARTICLE.sub("", word) for word in normalised(text).split()} - _IDLE


def _speak_of_the_same(one: set[str], other: set[str]) -> bool:
    shared = one & other
    if len(shared) < _LEAST_SHARED or not (one <= other or other <= one):
        return False
    return len(shared) / len(one | other) >= _ALIKE


def _differ(ones: list[str], others: list[str]) -> bool:
    return bool(ones and others) and len(ones) == len(others) and ones != others


def _replaces(newer: _Said, older: _Said) -> bool:
    """Whether the newer one puts something in the place of what the older one chose, and did not rule out itself."""
    before = set().union(*older.ruled_out) if older.ruled_out else set()
    return any(out and out <= older.words - before for out in newer.ruled_out)
