"""Accepted nodes as the store copies them from the repository: found by words, written by a refresh."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from pith.store.database import Db

NODE = "node"  # as citations name them
COPIED = "nodes"  # in `meta`: which state of which work tree the table copies

COLUMNS = (
    "node_id", "kind", "title", "summary", "status", "confidence", "file", "accepted_at", "since", "source_quest",
    "source_proposal", "paths", "state", "reason", "ends_after", "end_reason", "on_files", "terms",
)  # fmt: skip
_INSERT = f"INSERT INTO nodes ({', '.join(COLUMNS)}) VALUES ({', '.join(f':{name}' for name in COLUMNS)})"


# -- Reading -------------------------------------------------------------------------------------------------


def total(db: Db) -> int:
    """How many nodes there are."""
    return int(db.execute("SELECT count(*) FROM nodes")[0][0])


def frequency(db: Db, term: str) -> int:
    """In how many nodes the term occurs."""
    rows = db.execute("SELECT doc FROM node_vocabulary WHERE term = :term", {"term": term})
    return int(rows[0]["doc"]) if rows else 0


def holding(db: Db, term: str, limit: int) -> list[int]:
    """The nodes that hold the term, at most `limit` of them, in the order of their numbers."""
    rows = db.execute(
        "SELECT rowid FROM node_terms WHERE node_terms MATCH :term ORDER BY rowid LIMIT :limit",
        {"term": f'"{term}"', "limit": limit},
    )
    return [int(row[0]) for row in rows]


def read(db: Db, numbers: Iterable[int]) -> list[Any]:
    """These nodes, in order of their ids."""
    listed = ",".join(str(int(number)) for number in numbers)
    return db.execute(f"SELECT * FROM nodes WHERE num IN ({listed}) ORDER BY node_id")


def by_id(db: Db, id: str) -> Any | None:
    """The node of that id, if the table has it."""
    rows = db.execute("SELECT * FROM nodes WHERE node_id = :id", {"id": id})
    return rows[0] if rows else None


def of_kind(db: Db, kind: str, limit: int) -> list[Any]:
    """The nodes of a kind that held when they were copied, the newest first."""
    return db.execute(
        "SELECT * FROM nodes WHERE kind = :kind AND state = 'current' ORDER BY accepted_at DESC, node_id LIMIT :limit",
        {"kind": kind, "limit": limit},
    )


def known(db: Db) -> dict[str, dict[str, Any]]:
    """Every node by id, as `put` was given it."""
    return {row["node_id"]: {name: row[name] for name in COLUMNS} for row in db.execute("SELECT * FROM nodes")}


# -- Writing -------------------------------------------------------------------------------------------------


def put(db: Db, node: Mapping[str, Any]) -> None:
    """Write a node over the one of its id, findable under its terms."""
    remove(db, node["node_id"])
    number = db.insert(_INSERT, node)
    db.execute("INSERT INTO node_terms (rowid, terms) VALUES (:num, :terms)", {"num": number, "terms": node["terms"]})


def remove(db: Db, id: str) -> None:
    """Take a node away, and its full-text row: FTS5 needs the very terms it was added with."""
    for row in db.execute("SELECT num, terms FROM nodes WHERE node_id = :id", {"id": id}):
        db.execute(
            "INSERT INTO node_terms (node_terms, rowid, terms) VALUES ('delete', :num, :terms)",
            {"num": row["num"], "terms": row["terms"]},
        )
        db.execute("DELETE FROM nodes WHERE num = :num", {"num": row["num"]})


def clear(db: Db) -> None:
    """Take all nodes away."""
    db.execute("INSERT INTO node_terms (node_terms) VALUES ('delete-all')")
    db.execute("DELETE FROM nodes")
