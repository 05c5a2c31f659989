"""Consolidated memories, found by the words of a question and told with what they rest on. On the hook's path."""

from __future__ import annotations

import json

from pith.domain import context, ranking
from pith.services import candidates
from pith.store import citations, memories, search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from pith.domain.context import Line
    from pith.domain.ranking import Weighted
    from pith.store.database import Db

HOLDING = 300  # memories looked at for one term
JUDGED = 40  # memories whose summaries are read


class Known:
    """A memory as it is told, and how well it fits a question."""

    __slots__ = (
        "access_count", "accessed_at", "branches", "confidence", "covered", "created_at", "events", "files", "first_at",
        "id", "last_at", "score", "substance", "summarizer", "summary", "sure", "topics", "version",
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

    @property
    def cited(self) -> str:
        return citations.name(memories.MEMORY, self.id)

    @property
    def about(self) -> str:
        """What stands before its text: the days that it tells of, and what it is."""
        first, last = self.first_at[:10], self.last_at[:10]
        days = first if first == last else f"{first}/{last[8:]}"
        where = f" on {', '.join(self.branches)}" if self.branches else ""
        return f"{days} memory of {len(self.events)} events{where}"


def find(db: Db, question: str, most: int, *, stored_already: bool = False) -> list[Known]:
    """The memories that answer a question, best first.

    `stored_already`: the question itself is among the events and makes its words no commoner.
    """
    if not memories.any_are_there(db):
        return []
    total = memories.total(db) + search.total(db) - stored_already
    asked = _weighed(db, question, total, int(stored_already))
    if not asked:
        return []
    gathered = candidates.Gathered(asked)
    for term, _ in gathered.terms:
        gathered.add(term, memories.holding(db, term, HOLDING), whole=True)
    coverage = ranking.Coverage(asked, gathered.bits)
    best = sorted(gathered.events, key=lambda number: (-coverage.weight(gathered.events[number]), -number))[:JUDGED]
    judged = [
        _judged(Known(row), coverage.of(gathered.events[row["num"]]), asked, total) for row in memories.read(db, best)
    ]
    ranked = sorted((one for one in judged if one.score > 0), key=lambda one: (-round(one.score, 9), one.id))
    candidates.settle(ranked)
    return ranked[:most]


def _weighed(db: Db, question: str, total: int, besides: int) -> list[Weighted]:
    """The words of the question, as rare as they are among memories and events together."""

    def count(term: str) -> int:
        return memories.frequency(db, term) + max(0, search.frequency(db, term) - besides)

    return candidates.weighed(question, total, count)


def _judged(known: Known, covered: dict[str, float], asked: list[Weighted], total: int) -> Known:
    one = ranking.Found(0, 0, known.last_at, "note", 1, "")
    one.text = memories.searched(known.summary, known.topics)
    one.folded, one.coverage = one.text.casefold(), covered
    known.score = ranking.own_score(one, asked, 1.0) * (0.8 + 0.3 * known.sure)
    known.covered, known.substance = ranking.covered(one, asked, (), (), total)
    return known


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


def recalled(db: Db, one: Known, least: float) -> dict[str, Any]:
    """A memory as an answer to a question."""
    return {**told(db, one), "confidence": round(one.confidence, 3), "weak": one.confidence < least}


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
