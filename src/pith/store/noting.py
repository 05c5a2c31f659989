"""Where the words of a note may stand."""

from __future__ import annotations

from typing import Any

from pith.domain import knowledge
from pith.store import events
from pith.store.database import Db

_TEXTS = (
    "SELECT e.id, b.text FROM events e JOIN event_bodies b ON b.seq = e.seq"
    " WHERE e.session IS NOT NULL AND b.forgotten_at IS NULL"
)


def holding(db: Db, quote: str) -> list[Any]:
    """The newest event that holds the words as they are, if any does."""
    return db.execute(f"{_TEXTS} AND instr(b.text, :quote) > 0 ORDER BY e.seq DESC LIMIT 1", {"quote": quote})


def newest(db: Db, limit: int) -> list[Any]:
    """The newest observed events."""
    return db.execute(f"{_TEXTS} ORDER BY e.seq DESC LIMIT :limit", {"limit": limit})


def noted(db: Db, anchor: bytes) -> str:
    """The entry that a command noted when it ran before."""
    seq = events.seen_as(db, anchor)
    row = db.execute("SELECT id FROM events WHERE seq = :seq", {"seq": seq})[0]
    return knowledge.entry_id(row["id"], 0)
