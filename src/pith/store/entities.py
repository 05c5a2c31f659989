"""Entities: tasks, conditions and artifacts as they stand, found by id, by name, by state."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from pith.domain.entities import Entity
from pith.store.canonical import as_json
from pith.store.database import Db

_NAMES = (
    "entity_id entity_type canonical_key title stage status current_json title_norm search_text created_at updated_at"
).split()
COLUMNS = ", ".join(_NAMES)


def of_row(row: Any) -> Entity:
    """The entity of a row."""
    fields = {name: row[name] for name in _NAMES}
    return Entity(current=json.loads(fields.pop("current_json")), **fields)


def values(entity: Entity) -> dict[str, Any]:
    """The columns of an entity."""
    current = as_json(entity.current)
    return {name: current if name == "current_json" else getattr(entity, name) for name in _NAMES}


def write_many(db: Db, entities: Iterable[Entity]) -> None:
    """Write entities over what stood under their ids; only the projection does that."""
    changing = [name for name in _NAMES if name not in ("entity_id", "entity_type", "created_at")]
    db.many(
        f"INSERT INTO entities ({COLUMNS}) VALUES (:{', :'.join(_NAMES)}) ON CONFLICT (entity_id) DO UPDATE SET "
        + ", ".join(f"{name} = excluded.{name}" for name in changing),
        (values(entity) for entity in entities),
    )


def write_aliases(db: Db, aliases: Iterable[tuple[str, str, str, str]]) -> None:
    """Write other names: key, entity, title, time; only the projection does that."""
    db.many(
        "INSERT INTO entity_aliases (canonical_key, entity_id, title, added_at) VALUES (:key, :entity, :title, :at)"
        " ON CONFLICT (canonical_key) DO UPDATE SET entity_id = excluded.entity_id, title = excluded.title,"
        " added_at = excluded.added_at",
        ({"key": key, "entity": entity, "title": title, "at": at} for key, entity, title, at in aliases),
    )


def by_id(db: Db, entity_id: str) -> Entity | None:
    """The entity with this id."""
    rows = db.execute(f"SELECT {COLUMNS} FROM entities WHERE entity_id = :id", {"id": entity_id})
    return of_row(rows[0]) if rows else None


BY_KEY = f"""
    SELECT {COLUMNS} FROM entities WHERE canonical_key = :key
    UNION ALL
    SELECT {", ".join(f"n.{name}" for name in _NAMES)}
    FROM entity_aliases a JOIN entities n ON n.entity_id = a.entity_id WHERE a.canonical_key = :key
    LIMIT 1
"""


def find_by_canonical_key(db: Db, key: str) -> Entity | None:
    """The entity that is, or once was, called by this key; its present name comes first."""
    rows = db.execute(BY_KEY, {"key": key})
    return of_row(rows[0]) if rows else None


def matching(db: Db, prefix: str, entity_type: str = "") -> list[Entity]:
    """Entities whose id begins with `prefix`, ten at most."""
    rows = db.execute(
        f"SELECT {COLUMNS} FROM entities WHERE entity_id >= :p AND entity_id < :p || char(1114111)"
        " AND (:type = '' OR entity_type = :type) ORDER BY entity_id LIMIT 10",
        {"p": prefix, "type": entity_type},
    )
    return [of_row(row) for row in rows]


def listed(db: Db, entity_type: str, states: Sequence[str] = (), limit: int = -1) -> list[Entity]:
    """Entities of a type in these states (all where none is named), the latest changed first."""
    where, bound = "entity_type = :type", {"type": entity_type, "limit": limit}
    if states:
        where += f" AND json_extract(current_json, '$.status') IN ({', '.join(f':s{n}' for n in range(len(states)))})"
        bound |= {f"s{n}": state for n, state in enumerate(states)}
    rows = db.execute(
        f"SELECT {COLUMNS} FROM entities WHERE {where} ORDER BY updated_at DESC, entity_id LIMIT :limit", bound
    )
    return [of_row(row) for row in rows]


def aliases(db: Db, entity_id: str) -> list[tuple[str, str]]:
    """Other names of an entity: key and title, the oldest first."""
    rows = db.execute(
        "SELECT canonical_key, title FROM entity_aliases WHERE entity_id = :id ORDER BY added_at, canonical_key",
        {"id": entity_id},
    )
    return [(row["canonical_key"], row["title"]) for row in rows]


def effective_blockers(db: Db, task_id: str = "") -> list[Any]:
    """What stands behind a blocked task (or behind each of them) today: rows of v_task_blockers_effective."""
    return db.execute(
        "SELECT * FROM v_task_blockers_effective WHERE :task = '' OR task_id = :task ORDER BY task_id, edge_id",
        {"task": task_id},
    )


UNSOUND = """
    SELECT n.entity_id, n.title, json_extract(n.current_json, '$.status') AS state,
           (SELECT count(*) FROM v_task_blockers_effective v WHERE v.task_id = n.entity_id) AS live
    FROM entities n WHERE n.entity_type = 'task'
      AND ((json_extract(n.current_json, '$.status') = 'blocked') != (live > 0))
"""


def unsound(db: Db) -> list[Any]:
    """Tasks that are blocked by nothing, or not blocked although something live stands in their way; must be none."""
    return db.execute(UNSOUND)


def resolutions(db: Db) -> dict[str, list[str]]:
    """What each condition was found to be."""
    found: dict[str, list[str]] = {}
    sql = "SELECT src_id, dst_id FROM edges WHERE rel_type = 'resolves_to' AND retired_at IS NULL ORDER BY 1, 2"
    for row in db.execute(sql):
        found.setdefault(row["src_id"], []).append(row["dst_id"])
    return found


def moves(db: Db, node_id: str, what: str = "") -> list[Any]:
    """How an entry or entity came to stand where it stands, the first move first."""
    return db.execute(
        "SELECT * FROM status_moves WHERE node_id = :id AND (:what = '' OR what = :what) ORDER BY ordinal",
        {"id": node_id, "what": what},
    )


def state_at(db: Db, node_id: str, what: str, moment: str) -> str | None:
    """What a stage, status or state was at a moment; None where it never moved, so that it is what it is today."""
    rows = moves(db, node_id, what)
    before = [row["to_value"] for row in rows if row["valid_from"] <= moment]
    return str(before[-1]) if before else (str(rows[0]["from_value"]) if rows else None)
