"""Entries: statements as they stand, what proves something about an entity, and what was derived from what."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pith.domain.edges import Edge
from pith.domain.entries import Entry
from pith.store import edges
from pith.store.canonical import as_json
from pith.store.database import Db

_NAMES = (
    "entry_id created_ts entry_type title content_json stage status superseded_by build_id evidence_json"
    " canonical_key created_at branch commit_id event_id"
).split()
COLUMNS = ", ".join(_NAMES)
COLUMNS_OF_N = ", ".join(f"n.{name}" for name in _NAMES)
DEEPEST = 10


def of_row(row: Any) -> Entry:
    """The entry of a row."""
    evidence = json.loads(row["evidence_json"]) if row["evidence_json"] else None
    return Entry(
        entry_id=row["entry_id"],
        created_ts=row["created_ts"],
        entry_type=row["entry_type"],
        title=row["title"],
        content=json.loads(row["content_json"]),
        stage=row["stage"],
        status=row["status"] or "active",
        superseded_by=row["superseded_by"],
        build_id=row["build_id"],
        evidence=None if evidence is None else tuple(evidence),
        canonical_key=row["canonical_key"],
        created_at=row["created_at"],
        branch=row["branch"],
        commit_id=row["commit_id"],
        event_id=row["event_id"],
    )


def values(entry: Entry) -> dict[str, Any]:
    """The columns of an entry."""
    return {
        "entry_id": entry.entry_id,
        "created_ts": entry.created_ts,
        "entry_type": entry.entry_type,
        "title": entry.title,
        "content_json": as_json(entry.content),
        "stage": entry.stage,
        "status": entry.status,
        "superseded_by": entry.superseded_by,
        "build_id": entry.build_id,
        "evidence_json": None if entry.evidence is None else as_json(list(entry.evidence)),
        "canonical_key": entry.canonical_key,
        "created_at": entry.created_at,
        "branch": entry.branch,
        "commit_id": entry.commit_id,
        "event_id": entry.event_id,
    }


def insert_many(db: Db, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write entries; only the projection does that."""
    db.many(f"INSERT INTO entries ({COLUMNS}) VALUES (:{', :'.join(_NAMES)})", rows)


def move(db: Db, entry_id: str, what: str, to: str, superseded_by: str | None) -> None:
    """Move stage or status; the database refuses what is not legal. Only the projection does that."""
    if what not in ("stage", "status"):
        raise ValueError(f"{what} of an entry does not move")
    also = ", superseded_by = :by" if what == "status" else ""
    db.execute(
        f"UPDATE entries SET {what} = :to{also} WHERE entry_id = :id", {"id": entry_id, "to": to, "by": superseded_by}
    )


def by_id(db: Db, entry_id: str) -> Entry | None:
    """The entry with this id."""
    rows = db.execute(f"SELECT {COLUMNS} FROM entries WHERE entry_id = :id", {"id": entry_id})
    return of_row(rows[0]) if rows else None


def matching(db: Db, prefix: str) -> list[str]:
    """Ids of the entries that begin with `prefix`, ten at most."""
    rows = db.execute(
        "SELECT entry_id FROM entries WHERE entry_id >= :p AND entry_id < :p || char(1114111)"
        " ORDER BY entry_id LIMIT 10",
        {"p": prefix},
    )
    return [row["entry_id"] for row in rows]


def listed(
    db: Db,
    *,
    types: Sequence[str] = (),
    stages: Sequence[str] = (),
    statuses: Sequence[str] = (),
    limit: int = 50,
    skip: int = 0,
) -> list[Entry]:
    """Entries of these types, stages and statuses (all where none is named), newest first."""
    parts, bound = ["1"], {"limit": limit, "skip": skip}
    for column, wanted in (("entry_type", types), ("stage", stages), ("status", statuses)):
        if wanted:
            parts.append(f"{column} IN ({', '.join(f':{column}{n}' for n in range(len(wanted)))})")
            bound |= {f"{column}{n}": value for n, value in enumerate(wanted)}  # type: ignore[misc]
    rows = db.execute(
        f"SELECT {COLUMNS} FROM entries WHERE {' AND '.join(parts)}"
        " ORDER BY created_ts DESC, entry_id LIMIT :limit OFFSET :skip",
        bound,
    )
    return [of_row(row) for row in rows]


OF_EVENT = f"""
    SELECT {COLUMNS_OF_N} FROM edges g JOIN entries n ON n.entry_id = g.dst_id
    WHERE g.src_id = :event AND g.rel_type = 'source_of' AND g.dst_type = 'entry' AND g.retired_at IS NULL
    ORDER BY n.created_ts DESC, n.entry_id
"""


def of_event(db: Db, event: str) -> list[Entry]:
    """The entries that rest on an observed event, newest first."""
    return [of_row(row) for row in db.execute(OF_EVENT, {"event": event})]


EVIDENCE = f"""
    SELECT {COLUMNS_OF_N}, {edges.COLUMNS_OF_G}
    FROM edges g JOIN entries n ON n.entry_id = g.src_id
    WHERE g.dst_type = 'entity' AND g.dst_id = :entity AND g.rel_type = 'evidence_of' AND g.src_type = 'entry'
      AND g.retired_at IS NULL
    ORDER BY n.created_ts DESC, n.entry_id
"""


def evidence_for(db: Db, entity: str) -> list[tuple[Entry, Edge]]:
    """The entries that prove something about an entity, each with its edge, newest first."""
    return [(of_row(row), edges.of_row(row, "g_")) for row in db.execute(EVIDENCE, {"entity": entity})]


LINEAGE = """
    WITH RECURSIVE lineage (entry_id, depth) AS (
        SELECT entry_id, 0 FROM entries WHERE entry_id = :start
        UNION  -- not ALL: what is reached twice at a depth goes on once
        SELECT g.{far}, l.depth + 1 FROM lineage l JOIN edges g
        ON g.{near} = l.entry_id AND g.rel_type = 'derived_from' AND g.retired_at IS NULL
        WHERE l.depth < :deepest
    )
    SELECT l.entry_id, min(l.depth) AS depth FROM lineage l JOIN entries n ON n.entry_id = l.entry_id
    WHERE l.entry_id != :start GROUP BY l.entry_id ORDER BY depth, n.created_ts DESC, l.entry_id
"""


def ancestors(db: Db, entry_id: str, deepest: int = DEEPEST) -> list[tuple[str, int]]:
    """What the entry was derived from, and how many steps away; a circle ends."""
    return _lineage(db, entry_id, "src_id", "dst_id", deepest)


def descendants(db: Db, entry_id: str, deepest: int = DEEPEST) -> list[tuple[str, int]]:
    """What was derived from the entry, and how many steps away; a circle ends."""
    return _lineage(db, entry_id, "dst_id", "src_id", deepest)


def _lineage(db: Db, entry_id: str, near: str, far: str, deepest: int) -> list[tuple[str, int]]:
    rows = db.execute(LINEAGE.format(near=near, far=far), {"start": entry_id, "deepest": max(0, min(deepest, DEEPEST))})
    return [(row["entry_id"], row["depth"]) for row in rows]


def counts(db: Db) -> dict[str, int]:
    """How many entries of each type there are."""
    return {row[0]: row[1] for row in db.execute("SELECT entry_type, count(*) FROM entries GROUP BY entry_type")}
