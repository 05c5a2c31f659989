"""Consolidated memories, found by words and by meaning, and told with what they rest on. On the hook's path."""

from __future__ import annotations

import json

from pith.domain import context, ranking
from pith.services import candidates, dates
from pith.store import citations, memories, search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from pith.domain.context import Line
    from pith.domain.ranking import Weighted
    from pith.services.meaning.nearness import Meaning
    from pith.store.database import Db

HOLDING = 300  # memories looked at for one term
JUDGED = 40  # memories whose summaries are read
NEAREST = 10  # memories that join by meaning


class Known:
    """A memory as it is told, and how well it fits a question."""

    __slots__ = (
        "access_count", "accessed_at", "branches", "confidence", "covered", "created_at", "events", "files", "first_at",
        "found", "id", "last_at", "score", "substance", "summarizer", "summary", "sure", "topics", "version",
    )  # fmt: skip

    def __init__(self, row: Any) -> None:
        self.id, self.summary = str(row["memory_id"]), str(row["summary"])
        self.topics: list[str] = json.loads(row["topics"])
        self.files: list[str] = json.loads(row["files"])
        self.branches: list[str] = json.loads(row["branches"])
        self.events: list[str] = json.loads(row["source_events"])
        self.sure = float(row["confidence"])  # how far it may be relied on
        self.first_at, self.last_at, self.created_at = row["first_at"], row["last_at"], row["created_at"]
        self.accessed_at, self.access_count = row["accessed_at"], int(row["access_count"])
        self.summarizer, self.version = row["summarizer"], row["version"]
        self.score = self.confidence = self.covered = self.substance = 0.0  # how well it fits what was asked
        self.found = ranking.Found(int(row["num"]), 0, self.last_at, "note", 1, "")
        self.found.text = memories.searched(self.summary, self.topics)
        self.found.folded = self.found.text.casefold()

    @property
    def cited(self) -> str:
        return citations.name(memories.MEMORY, self.id)

    @property
    def about(self) -> str:
        """What stands before its text: the days that it tells of, and what it is."""
        first, last = dates.local(self.first_at, day_only=True), dates.local(self.last_at, day_only=True)
        days = first if first == last else f"{first}/{last[8:]}"
        where = f" on {', '.join(self.branches)}" if self.branches else ""
        return f"{days} memory of {len(self.events)} events{where}"


def find(
    db: Db, question: str, most: int, *, stored_already: bool = False, meaning: Meaning | None = None
) -> list[Known]:
    """The memories that answer a question, best first: by words, and by meaning where there is one.

    `stored_already`: the question itself is among the events and makes its words no commoner.
    """
    if not memories.any_are_there(db):
        return []
    total = memories.total(db) + search.total(db) - stored_already
    asked = _weighed(db, question, total, int(stored_already))
    near = meaning.memories(question, NEAREST) if meaning else {}
    if not (asked or near):
        return []
    gathered = candidates.Gathered(asked)
    for term, _ in gathered.terms:
        gathered.add(term, memories.holding(db, term, HOLDING), whole=True)
    coverage = ranking.Coverage(asked, gathered.bits)
    best = sorted(gathered.events, key=lambda number: (-coverage.weight(gathered.events[number]), -number))[:JUDGED]
    known = [Known(row) for row in {row["num"]: row for row in (*memories.read(db, best), *_read(db, near))}.values()]
    candidates.judge_stated(known, gathered, coverage, asked, near, total)
    for one in known:
        ranking.weigh(one.found, {"reliability": 0.8 + 0.3 * one.sure})
        one.score = one.found.score
    ranked = sorted((one for one in known if one.score > 0), key=lambda one: (-round(one.score, 9), one.id))
    candidates.settle(ranked, near if meaning and not meaning.failure else None)
    return ranked[:most]


def _read(db: Db, ids: Iterable[str]) -> list[Any]:
    return [row for row in (memories.by_id(db, id) for id in ids) if row is not None]


def _weighed(db: Db, question: str, total: int, besides: int) -> list[Weighted]:
    """The words of the question, as rare as they are among memories and events together."""

    def count(term: str) -> int:
        return memories.frequency(db, term) + max(0, search.frequency(db, term) - besides)

    return candidates.weighed(question, total, count)


def latest(db: Db, most: int, since: str = "") -> list[Known]:
    """The memories whose events are newest."""
    return [Known(row) for row in memories.latest(db, most, since)]


def lines(db: Db, known: Iterable[Known]) -> list[Line]:
    """Memories as lines of a context."""
    return [context.Line(citations.short(db, one.cited), one.about, one.summary) for one in known]


# -- As plain data, for every face ---------------------------------------------------------------------------


def told(db: Db, one: Known) -> dict[str, Any]:
    """A memory as every face tells it."""
    return {
        "citation": f"mem:{citations.short(db, one.cited)}",
        "id": one.id,
        "kind": memories.MEMORY,
        "about": one.about,
        "text": one.summary,
        "topics": one.topics,
        "files": one.files,
        "branches": one.branches,
        "reliability": round(one.sure, 3),
        "first_at": one.first_at,
        "last_at": one.last_at,
        "created_at": one.created_at,
        "accessed_at": one.accessed_at,
        "access_count": one.access_count,
        "summarizer": one.summarizer,
        "events": len(one.events),
    }


def recalled(db: Db, one: Known, least: float, *, explain: bool = False) -> dict[str, Any]:
    """A memory as an answer to a question."""
    parts = {"parts": ranking.explained(one.found)} if explain else {}
    return {**told(db, one), "confidence": round(one.confidence, 3), "weak": one.confidence < least, **parts}


def whole(db: Db, id: str) -> dict[str, Any] | None:
    """Everything about a memory: with the events that it rests on."""
    row = memories.by_id(db, id)
    if row is None:
        return None
    events = [
        {
            "citation": "mem:" + citations.short(db, citations.name(citations.EVENT, each["id"])),
            "id": each["id"],
            "at": each["at"],
            "kind": each["kind"],
        }
        for each in memories.events_of(db, id)
    ]
    return {**told(db, Known(row)), "source_events": events}
