"""How something is said: whether a text asks, who speaks in it, whether it names a time, and whether one is asked for.

None of this is about words that two texts share. On the hook's path, so without regular expressions of its own: a class
of Hangul letters takes 4 ms to compile.
"""

from __future__ import annotations

LONGEST_QUESTION = 400  # characters; a long text that ends in a question says something before it
LONGEST_NAME = 24  # characters of a speaker's name before the colon
MARKS = ".,;:!?\"'()[]"

_TIMES = frozenset(
    "yesterday today tonight tomorrow ago last next since weekend week weeks month months year years monday tuesday"
    " wednesday thursday friday saturday sunday january february march april june july august september october"
    " november december".split()
)
_TIMES_KO = (
    "어제",
    "오늘",
    "내일",
    "그제",
    "모레",
    "지난",
    "다음",
    "이번",
    "작년",
    "올해",
    "내년",
    "요일",
    "주말",
    "달 전",
    "주 전",
)
_UNITS_KO = "년월일시"
_WHEN = ("when", "how long", "how recently", *(f"{a} {b}" for a in ("what", "which") for b in ("time", "day", "date")))
_WHEN += tuple(f"{a} {b}" for a in ("what", "which") for b in ("week", "month", "year"))
_WHEN_KO = (
    "언제",
    "며칠",
    "몇 년",
    "몇 월",
    "몇 일",
    "몇 시",
    "몇 주",
    "몇 달",
    "몇년",
    "몇월",
    "몇시",
    "어느 해",
    "어느 달",
)


def asks(text: str) -> bool:
    """Whether a text is a question, apart from a remark in brackets behind it."""
    if len(text) > LONGEST_QUESTION:
        return False
    said = text.rstrip()
    if said.endswith("]") and "[" in said:
        said = said[: said.rindex("[")].rstrip()
    return said.endswith(("?", "？"))


def speaker(folded: str) -> str:
    """The name before the colon with which a line of a conversation begins, or nothing."""
    name, colon, _ = folded[: LONGEST_NAME + 2].partition(": ")
    return name if colon and "\n" not in name else ""


def asks_when(question: str) -> bool:
    """Whether a question asks for a time."""
    said = " ".join(word.strip(MARKS) for word in question.casefold().split())
    return any(f" {phrase} " in f" {said} " for phrase in _WHEN) or any(phrase in said for phrase in _WHEN_KO)


def has_time(folded: str) -> bool:
    """Whether a text names a day, a month, a year, an hour, or says how long ago something was."""
    said = {word.strip(MARKS) for word in folded.split()}
    if not _TIMES.isdisjoint(said) or any(word in folded for word in _TIMES_KO):
        return True
    return any(_is_figure(word) for word in said if word[:1].isdigit())


def _is_figure(word: str) -> bool:
    """Whether a word that begins with a digit is a year, an hour, or a Korean count of days and the like."""
    return (len(word) == 4 and word.isdigit()) or word[1:2] == ":" or word[2:3] == ":" or word[-1] in _UNITS_KO
