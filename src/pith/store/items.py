"""What can have a vector, kind by kind: its text with time and session, and lists of what exists."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pith.domain.outbox import ENTRY, EVENT, KINDS, MEMORY, NODE, TASK_TITLE
from pith.store.database import Db


class Item(NamedTuple):
    """An item that has a text. `order` is where it stands among those of its kind, newest last."""

    kind: str
    id: str
    order: str
    text: str
    at: str
    session: str


# Each gives id, ord, title, text, at, session. Events stand in the order of writing, all else in that of its id.
_SELECT = {
    EVENT: """
        SELECT e.id, e.seq AS ord, '' AS title, b.text, e.at, s.id AS session
        FROM events e JOIN event_bodies b ON b.seq = e.seq JOIN sessions s ON s.num = e.session
        WHERE b.forgotten_at IS NULL""",
    ENTRY: """
        SELECT entry_id AS id, entry_id AS ord, title, coalesce(json_extract(content_json, '$.text'), '') AS text,
               created_ts AS at, '' AS session
        FROM entries WHERE 1""",
    TASK_TITLE: """
        SELECT entity_id AS id, entity_id AS ord, '' AS title, title AS text, created_at AS at, '' AS session
        FROM entities WHERE entity_type = 'task'""",
    MEMORY: """
        SELECT memory_id AS id, memory_id AS ord, '' AS title, summary AS text, last_at AS at, '' AS session
        FROM consolidated_memories WHERE 1""",
    NODE: """
        SELECT node_id AS id, node_id AS ord, title, summary AS text, accepted_at AS at, '' AS session
        FROM nodes WHERE 1""",
}
_ORDER = {EVENT: "e.seq", ENTRY: "entry_id", TASK_TITLE: "entity_id", MEMORY: "memory_id", NODE: "node_id"}
_ID = _ORDER | {EVENT: "e.id"}


def read(db: Db, kind: str, ids: Sequence[str]) -> list[Item]:
    """Those of the items that are there and have a text."""
    sql = f"{_SELECT[kind]} AND {_ID[kind]} IN (SELECT value FROM json_each(:ids))"
    return list(_with_text(kind, db.execute(sql, {"ids": json.dumps(list(ids))})))


def each(db: Db, kind: str) -> Iterator[Item]:
    """Every item of a kind that has a text, one at a time."""
    yield from _with_text(kind, db.each(_SELECT[kind]))


def _with_text(kind: str, rows: Any) -> Iterator[Item]:
    for row in rows:
        text = _whole(row["title"], row["text"])
        if text.strip():
            yield Item(kind, row["id"], str(row["ord"]), text, row["at"] or "", row["session"])


def _whole(title: str, text: str) -> str:
    return text if not title or text.startswith(title) else f"{title}\n{text}".strip()


def count_below(db: Db, kind: str, order: str) -> int:
    """How many items there are from a place downwards, those of later kinds included; 0 without a kind."""
    if not kind:
        return 0
    later = sum(_count(db, each, "") for each in KINDS[KINDS.index(kind) + 1 :])
    return _count(db, kind, order) + later


def _count(db: Db, kind: str, order: str) -> int:
    return int(db.execute(f"SELECT count(*) FROM ({_SELECT[kind]}{_under(kind, order)})", {"order": order})[0][0])


def _under(kind: str, order: str) -> str:
    if not order:
        return ""
    return f" AND {_ORDER[kind]} < " + ("CAST(:order AS INTEGER)" if kind == EVENT else ":order")


def below(db: Db, kind: str, order: str, limit: int) -> list[tuple[str, str]]:
    """The next items of a kind downwards from a place in their order ('' is the top): (id, place of each)."""
    rows = db.execute(
        f"SELECT id, ord FROM ({_SELECT[kind]}{_under(kind, order)} ORDER BY {_ORDER[kind]} DESC LIMIT :limit)",
        {"order": order, "limit": limit},
    )
    return [(row["id"], str(row["ord"])) for row in rows]
