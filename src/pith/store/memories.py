"""Consolidated memories: written as the fold makes them, found by words, read, and counted when they are used.

On the hook's path.
"""

from __future__ import annotations

import json

from pith.domain import words
from pith.errors import StoreUnavailable
from pith.store import citations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from pith.domain.memories import Memory
    from pith.store.database import Db

MEMORY = "memory"  # as citations name them

ADD = """
    INSERT INTO consolidated_memories (memory_id, summary, topics, source_events, confidence, created_at, first_at,
                                       last_at, files, branches, summarizer, version)
    VALUES (:memory_id, :summary, :topics, :events, :confidence, :created_at, :first_at, :last_at, :files, :branches,
            :summarizer, :version)
"""
_LISTS = ("topics", "events", "files", "branches")
_TEXTS = ("memory_id", "summary", "confidence", "created_at", "first_at", "last_at", "summarizer", "version")


def add_many(db: Db, memories: Iterable[Memory]) -> None:
    """Write new memories, findable by the words of their summaries and topics, and citable."""
    for memory in memories:
        row = {name: getattr(memory, name) for name in _TEXTS}
        row |= {name: json.dumps(list(getattr(memory, name)), ensure_ascii=False) for name in _LISTS}
        db.execute(ADD, row)
        terms = words.terms(searched(memory.summary, memory.topics))
        db.execute(
            "INSERT INTO memory_words (memory_id, terms) VALUES (:id, :terms)",
            {"id": memory.memory_id, "terms": " ".join(sorted(terms))},
        )
        citations.give(db, MEMORY, memory.memory_id)


def searched(summary: str, topics: Iterable[str]) -> str:
    """What a memory is found by: what it says, without the citations in it, and what it is about."""
    return f"{without_citations(summary)}\n{' '.join(topics)}"


def without_citations(summary: str) -> str:
    """A summary as it is judged by its words."""
    parts = summary.split(" [mem:")
    return parts[0] + "".join(part.partition("]")[2] for part in parts[1:])


def is_consolidated(db: Db, event: str) -> bool:
    """Whether an event went into a memory."""
    return bool(db.execute("SELECT 1 FROM memory_events WHERE event_id = :id", {"id": event}))


def of_events(db: Db, events: Iterable[str]) -> list[str]:
    """The memories that these events went into."""
    found = [db.execute("SELECT memory_id FROM memory_events WHERE event_id = :id", {"id": id}) for id in events]
    return list(dict.fromkeys(row["memory_id"] for rows in found for row in rows))


# -- Searched ------------------------------------------------------------------------------------------------


def any_are_there(db: Db) -> bool:
    """Whether there are memories at all."""
    return bool(db.execute("SELECT 1 FROM memory_words LIMIT 1"))


def total(db: Db) -> int:
    """How many memories there are to choose from, about."""
    return int(db.execute("SELECT coalesce(max(num), 0) FROM memory_words")[0][0])


def frequency(db: Db, term: str) -> int:
    """In how many memories the term occurs."""
    rows = db.execute("SELECT doc FROM memory_vocabulary WHERE term = :term", {"term": term})
    return int(rows[0]["doc"]) if rows else 0


def holding(db: Db, term: str, limit: int) -> list[int]:
    """The newest memories that hold the term, at most `limit` of them."""
    rows = db.execute(
        "SELECT rowid FROM memory_terms WHERE memory_terms MATCH :term ORDER BY rowid DESC LIMIT :limit",
        {"term": f'"{term}"', "limit": limit},
    )
    return [int(row[0]) for row in rows]


# -- Read ----------------------------------------------------------------------------------------------------

_READ = "SELECT w.num, m.* FROM consolidated_memories m JOIN memory_words w ON w.memory_id = m.memory_id"


def read(db: Db, numbers: Iterable[int]) -> list[Any]:
    """These memories, by the numbers under which words find them."""
    listed = ",".join(str(int(number)) for number in numbers)
    return db.execute(f"{_READ} WHERE w.num IN ({listed}) ORDER BY w.num")


def by_id(db: Db, id: str) -> Any | None:
    """One memory."""
    rows = db.execute(f"{_READ} WHERE m.memory_id = :id", {"id": id})
    return rows[0] if rows else None


def latest(db: Db, limit: int, since: str = "") -> list[Any]:
    """The memories whose events are newest, newest first."""
    return db.execute(
        f"{_READ} WHERE m.last_at >= :since ORDER BY m.last_at DESC, m.memory_id LIMIT :limit",
        {"limit": limit, "since": since},
    )


def made_since(db: Db, since: str) -> list[Any]:
    """The memories that were made from then on, the first first."""
    return db.execute(f"{_READ} WHERE m.created_at >= :since ORDER BY m.created_at, m.memory_id", {"since": since})


def count(db: Db) -> int:
    """How many there are."""
    return int(db.execute("SELECT count(*) FROM consolidated_memories")[0][0])


def events_of(db: Db, id: str) -> list[Any]:
    """The events that a memory rests on, in the order of time: seq, id, at, kind."""
    return db.execute(
        "SELECT e.seq, e.id, e.at, e.kind FROM memory_events m JOIN events e ON e.id = m.event_id"
        " WHERE m.memory_id = :id ORDER BY e.at, e.seq",
        {"id": id},
    )


def note_use_of(db: Db, id: str, now: str) -> None:
    """Note that a memory was read; a store that cannot be written just now is read all the same."""
    try:
        db.execute(
            "UPDATE consolidated_memories SET accessed_at = :now, access_count = access_count + 1"
            " WHERE memory_id = :id",
            {"id": id, "now": now},
        )
    except StoreUnavailable:
        pass


def note_use(db: Db, cited: Iterable[str], now: str) -> None:
    """Note which of these citations, whole or shortened, name memories that were told."""
    if not any_are_there(db):
        return
    for one in cited:
        prefix = one.removeprefix("mem:")
        db.execute(
            "UPDATE consolidated_memories SET accessed_at = :now, access_count = access_count + 1 WHERE memory_id IN"
            " (SELECT item_id FROM citations WHERE id >= :low AND id < :high AND item_kind = 'memory')",
            {"now": now, "low": prefix, "high": prefix + "~"},
        )
