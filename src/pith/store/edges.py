"""Edges: made once however often, found from both ends, and retired instead of deleted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pith import platform
from pith.domain import knowledge
from pith.domain.edges import Edge, InvariantViolation, NewEdge, check_legal
from pith.store.canonical import as_json
from pith.store.database import Db

_NAMES = (
    "edge_id src_type src_id rel_type dst_type dst_id meta_json created_at valid_from valid_to recorded_at"
    " retired_at event_id"
).split()
COLUMNS = ", ".join(_NAMES)
COLUMNS_OF_G = ", ".join(f"g.{name} AS g_{name}" for name in _NAMES)
LIVE = "retired_at IS NULL"
# What was so at a moment, as far as is known today.
HELD = "valid_from <= :as_of AND (valid_to IS NULL OR valid_to > :as_of)"


def of_row(row: Any, prefix: str = "") -> Edge:
    """The edge of a row."""
    fields = {name: row[prefix + name] for name in _NAMES}
    meta = json.loads(fields.pop("meta_json") or "{}")
    return Edge(meta=meta, **fields)


def values(edge: Edge) -> dict[str, Any]:
    """The columns of an edge."""
    return {
        "edge_id": edge.edge_id,
        "src_type": edge.src_type,
        "src_id": edge.src_id,
        "rel_type": edge.rel_type,
        "dst_type": edge.dst_type,
        "dst_id": edge.dst_id,
        "meta_json": as_json(edge.meta) if edge.meta else "{}",
        "created_at": edge.created_at,
        "valid_from": edge.valid_from,
        "valid_to": edge.valid_to,
        "recorded_at": edge.recorded_at,
        "retired_at": edge.retired_at,
        "event_id": edge.event_id,
    }


def create(db: Db, edge: NewEdge, *, now: str, event_id: str | None = None) -> Edge:
    """Make an edge, or return the one that is live between the same ends.

    Raises IllegalEdge where the source is of a wrong type, InvariantViolation where the task is not blocked.
    """
    known = _live(db, edge.ends)
    if known is not None:
        return known
    _check(db, edge)
    id = knowledge.edge_id(event_id, edge.ends) if event_id else platform.new_id(platform.now_ms())
    made = Edge(
        id, *edge.ends, meta=dict(edge.meta), created_at=now, valid_from=now, recorded_at=now, event_id=event_id
    )
    write_many(db, [made])
    return made


def create_many(db: Db, edges: Iterable[NewEdge], *, now: str, event_id: str | None = None) -> list[Edge]:
    """Make several edges, all or none; those that are live are returned as they are."""
    with _Together(db):
        return [create(db, edge, now=now, event_id=event_id) for edge in edges]


def find_by_id(db: Db, edge_id: str) -> Edge | None:
    """The edge with this id, retired or not."""
    rows = db.execute(f"SELECT {COLUMNS} FROM edges WHERE edge_id = :id", {"id": edge_id})
    return of_row(rows[0]) if rows else None


def find_by_src(db: Db, src_id: str, rel_type: str | None = None, *, as_of: str | None = None) -> list[Edge]:
    """The live edges that start at a thing (or those that held at a time), in the order in which they were made."""
    return _find(db, "src_id", src_id, rel_type, as_of)


def find_by_dst(db: Db, dst_id: str, rel_type: str | None = None, *, as_of: str | None = None) -> list[Edge]:
    """The live edges that end at a thing (or those that held at a time), in the order in which they were made."""
    return _find(db, "dst_id", dst_id, rel_type, as_of)


def delete_by_id(db: Db, edge_id: str, *, now: str) -> bool:
    """Retire an edge; False where it is not live."""
    sql = f"UPDATE edges SET retired_at = :now, valid_to = coalesce(valid_to, :now) WHERE edge_id = :id AND {LIVE}"
    return bool(db.changed(sql, {"id": edge_id, "now": now}))


def delete_by_src(db: Db, src_id: str, rel_type: str, *, now: str) -> int:
    """Retire every edge of one relation that starts at a thing; how many there were."""
    sql = (
        f"UPDATE edges SET retired_at = :now, valid_to = coalesce(valid_to, :now)"
        f" WHERE src_id = :src AND rel_type = :rel AND {LIVE}"
    )
    return db.changed(sql, {"src": src_id, "rel": rel_type, "now": now})


def replace_by_src(
    db: Db, src_id: str, rel_type: str, new_edges: Sequence[NewEdge], *, now: str, event_id: str | None = None
) -> None:
    """Let these be the edges of one relation that start at a thing, all at once; one that stays is left as it is."""
    for edge in new_edges:
        if (edge.src_id, edge.rel_type) != (src_id, rel_type):
            raise ValueError(f"{edge} does not start at {src_id} with {rel_type}")
    wanted = {edge.ends for edge in new_edges}
    with _Together(db):
        for present in find_by_src(db, src_id, rel_type):
            if present.ends not in wanted:
                delete_by_id(db, present.edge_id, now=now)
        create_many(db, new_edges, now=now, event_id=event_id)


def exists(db: Db, src_type: str, src_id: str, rel_type: str, dst_type: str, dst_id: str) -> bool:
    """Whether a live edge connects the two in this way."""
    return _live(db, (src_type, src_id, rel_type, dst_type, dst_id)) is not None


def write_many(db: Db, edges: Iterable[Edge]) -> None:
    """Write edges as they are, over what stood under their ids. Besides `create`, only the projection does that."""
    db.many(
        f"INSERT INTO edges ({COLUMNS}) VALUES (:{', :'.join(_NAMES)}) ON CONFLICT (edge_id) DO UPDATE SET"
        " meta_json = excluded.meta_json, valid_to = excluded.valid_to, retired_at = excluded.retired_at",
        (values(edge) for edge in edges),
    )


# -- Parts ---------------------------------------------------------------------------------------------------


class _Together:
    """A block inside a transaction, or one of its own, of which all or nothing happens."""

    def __init__(self, db: Db) -> None:
        self.db = db

    def __enter__(self) -> None:
        self.db.execute("SAVEPOINT edges_together")

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self.db.execute("ROLLBACK TO edges_together")
        self.db.execute("RELEASE edges_together")


def _find(db: Db, end: str, id: str, rel_type: str | None, as_of: str | None) -> list[Edge]:
    when = HELD if as_of else LIVE
    which = " AND rel_type = :rel" if rel_type else ""
    bound: Mapping[str, Any] = {"id": id, "rel": rel_type, "as_of": as_of}
    rows = db.execute(
        f"SELECT {COLUMNS} FROM edges WHERE {end} = :id{which} AND {when} ORDER BY recorded_at, edge_id", bound
    )
    return [of_row(row) for row in rows]


def _live(db: Db, ends: tuple[str, str, str, str, str]) -> Edge | None:
    names = ("src_type", "src_id", "rel_type", "dst_type", "dst_id")
    where = " AND ".join(f"{name} = :{name}" for name in names)
    rows = db.execute(f"SELECT {COLUMNS} FROM edges WHERE {where} AND {LIVE}", dict(zip(names, ends, strict=True)))
    return of_row(rows[0]) if rows else None


def _check(db: Db, edge: NewEdge) -> None:
    if edge.rel_type not in ("blocked_by", "blocked_by_suggested", "resolves_to"):
        return
    rows = db.execute(
        "SELECT entity_type, json_extract(current_json, '$.status') AS state FROM entities WHERE entity_id = :id",
        {"id": edge.src_id},
    )
    if not rows:
        raise InvariantViolation(f"There is no entity {edge.src_id} for `{edge.rel_type}` to start at.")
    check_legal(edge.src_type, edge.rel_type, edge.dst_type, rows[0]["entity_type"])
    if edge.rel_type == "blocked_by" and rows[0]["state"] != "blocked":
        raise InvariantViolation(f"Task {edge.src_id} is {rows[0]['state']}, so nothing can block it.")
