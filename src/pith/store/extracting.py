"""Events that wait for an extractor, and what one has appended for an event."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pith.store import events
from pith.store.database import Db
from pith.store.knowledge import offset

AFTER = """
    SELECT e.seq, e.id, e.kind, e.at, e.origin, s.id AS session, p.branch, p.commit_id, b.text,
           json_extract(b.details, '$.command') AS command
    FROM events e JOIN event_bodies b ON b.seq = e.seq JOIN sessions s ON s.num = e.session
         JOIN places p ON p.num = e.place
    WHERE e.session IS NOT NULL AND b.forgotten_at IS NULL AND e.seq > :after ORDER BY e.seq LIMIT :limit
"""


@dataclass(frozen=True)
class Drawn:
    """What an extractor appended for an event: the change's id and its statements."""

    id: str
    statements: list[dict[str, Any]]


def after(db: Db, seq: int, limit: int) -> list[Any]:
    """Observed events after a sequence number, in the order of writing."""
    return db.execute(AFTER, {"after": seq, "limit": limit})


def waiting(db: Db, projection: str) -> int:
    """How many observed events a projection has not read."""
    rows = db.execute(
        "SELECT count(*) FROM events WHERE session IS NOT NULL AND seq > :after", {"after": offset(db, projection)}
    )
    return int(rows[0][0])


def change_of(db: Db, anchor: bytes) -> Drawn | None:
    """What was appended under the anchor of a build and an event, if it was."""
    seq = events.seen_as(db, anchor)
    if seq is None:
        return None
    row = db.execute(
        "SELECT e.id, b.details FROM events e JOIN event_bodies b ON b.seq = e.seq WHERE e.seq = :seq", {"seq": seq}
    )[0]
    return Drawn(row["id"], json.loads(row["details"])["statements"] if row["details"] else [])


def has_earlier_build(db: Db, event: str, extractor: str) -> bool:
    """Whether the extractor has drawn live entries from the event before."""
    rows = db.execute(
        "SELECT 1 FROM edges g JOIN entries n ON n.entry_id = g.dst_id"
        " WHERE g.src_id = :event AND g.rel_type = 'source_of' AND g.dst_type = 'entry' AND g.retired_at IS NULL"
        " AND json_extract(n.content_json, '$.extractor') = :extractor AND n.status != 'superseded' LIMIT 1",
        {"event": event, "extractor": extractor},
    )
    return bool(rows)
