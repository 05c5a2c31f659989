"""Find nodes by plain text: the same question gives the same answer in the same order, always.

What stands in a field letter by letter counts first, in the order of preference below. Where nothing does, the words of
the question are looked for in any order, English endings and Korean particles aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pith.domain import words

FIELDS = (
    "id", "title", "candidate_memory", "summary", "node_type", "source_quest", "source_proposal", "tags", "keywords",
)  # fmt: skip

# Each weight is more than all below it together, so that a better kind of match always comes first.
_EXACT, _CANDIDATE, _TYPE, _SOURCE = 800, 400, 200, 100
_PART = {
    "id": 12, "title": 20, "candidate_memory": 16, "summary": 14, "node_type": 6, "source_quest": 8,
    "source_proposal": 8, "tags": 4, "keywords": 3,
}  # fmt: skip
_QUOTES = "\"'“”‘’「」『』«»`"


@dataclass(frozen=True, slots=True)
class Hit:
    """A node that was found: which fields hold what was asked for, and how well."""

    entry: dict[str, Any]
    matches: list[str]
    score: int


def search(entries: Sequence[dict[str, Any]], query: str) -> list[Hit]:
    """The nodes that match, the best first and equal ones in order of their ids."""
    asked = _normal(query).strip()
    found = [hit for entry in entries if (hit := _exact(entry, asked))]
    if not found and (bare := asked.strip(_QUOTES + " ")) and bare != asked:
        found = [hit for entry in entries if (hit := _exact(entry, bare))]
    if not found:
        found = _by_words(entries, query)
    return sorted(found, key=lambda hit: (-hit.score, hit.entry["id"]))


def _normal(text: str) -> str:
    return words.normal(text).casefold()


def _texts(entry: dict[str, Any]) -> dict[str, str]:
    return {name: _normal(value if isinstance(value := entry[name], str) else "\n".join(value)) for name in FIELDS}


def _whole(entry: dict[str, Any]) -> str:
    """Every field that is not made from another one: what is not in here is in none."""
    return "\n".join([entry[name] for name in _SOURCES])


_SOURCES = ("id", "title", "summary", "node_type", "source_quest", "source_proposal")


def _exact(entry: dict[str, Any], asked: str) -> Hit | None:
    if not asked or asked not in _normal(_whole(entry)):
        return None
    texts = _texts(entry)
    matches = [name for name in FIELDS if asked in texts[name]]
    if not matches:
        return None
    score = sum(_PART[name] for name in matches)
    if asked in (texts["id"], texts["title"]):
        score += _EXACT
    if "candidate_memory" in matches:
        score += _CANDIDATE
    if asked == texts["node_type"]:
        score += _TYPE
    if asked in (texts["source_quest"], texts["source_proposal"]):
        score += _SOURCE
    return Hit(entry, matches, score)


def _by_words(entries: Sequence[dict[str, Any]], query: str) -> list[Hit]:
    asked = words.question(query)
    return [hit for entry in entries if (hit := _worded(entry, asked))] if asked else []


def _worded(entry: dict[str, Any], asked: list[words.Word]) -> Hit | None:
    """The node when each word of the question stands in some field of it."""
    whole = _normal(_whole(entry))
    if not all(_may_hold(whole, word) for word in asked):
        return None
    everything = words.terms(whole)
    if not all(_holds(everything, word) for word in asked):
        return None
    terms = {name: words.terms(text) for name, text in _texts(entry).items()}
    matches = [name for name in FIELDS if any(_holds(terms[name], word) for word in asked)]
    return Hit(entry, matches, sum(_PART[name] for name in matches))


def _may_hold(text: str, word: words.Word) -> bool:
    """Whether the letters of a word are there at all; making the terms of thousands of texts takes longer than that.

    An English stem may differ from the words that it stands for in its last two letters, no more.
    """
    return all((part if word.is_cjk else part[: max(1, len(part) - 2)]) in text for part in word.parts)


def _holds(terms: set[str], word: words.Word) -> bool:
    return bool(word.whole and word.whole in terms) or all(part in terms for part in word.parts)
