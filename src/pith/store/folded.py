"""The rows that a fold of knowledge stands on, looked up when it asks, and written when it has done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields

from pith.domain.edges import Edge
from pith.domain.entities import Entity
from pith.domain.entries import Entry
from pith.domain.fold import Move, Rows
from pith.domain.preferences import Preference
from pith.store import edges, entities, entries, entry_words, memories, preferences
from pith.store.database import Db
from pith.store.knowledge import FOLDED


class Tables:
    """The tables of a store as what has been folded before."""

    def __init__(self, db: Db) -> None:
        self.db = db

    def entity(self, id: str) -> Entity | None:
        return entities.by_id(self.db, id)

    def entity_named(self, key: str) -> str | None:
        found = entities.find_by_canonical_key(self.db, key)
        return found.entity_id if found else None

    def entry(self, id: str) -> Entry | None:
        return entries.by_id(self.db, id)

    def edges_from(self, id: str, relation: str) -> Iterable[Edge]:
        return edges.find_by_src(self.db, id, relation)

    def edges_to(self, id: str, relation: str) -> Iterable[Edge]:
        return edges.find_by_dst(self.db, id, relation)

    def entries_of_node(self, node: str) -> Iterable[str]:
        rows = self.db.execute("SELECT entry_id FROM node_entries WHERE node = :node ORDER BY entry_id", {"node": node})
        return [row["entry_id"] for row in rows]

    def nodes_of_entry(self, entry: str) -> Mapping[str, bool]:
        sql = "SELECT node, certified FROM node_entries WHERE entry_id = :entry ORDER BY node"
        return {row["node"]: bool(row["certified"]) for row in self.db.execute(sql, {"entry": entry})}

    def is_consolidated(self, event: str) -> bool:
        return memories.is_consolidated(self.db, event)

    def preference(self, id: str) -> Preference | None:
        return preferences.by_id(self.db, id)


def write(db: Db, rows: Rows) -> None:
    """Write what a fold has changed: first what others point to, and what goes before what takes its place."""
    # In the order of their ids, which is that of the table: a row then lands on a page that is at hand.
    entities.write_many(db, (rows.entities[id] for id in sorted(rows.changed_entities)))
    entry_words.cite_entities(db, sorted(rows.changed_entities))
    entries.insert_many(db, (entries.values(rows.entries[id]) for id in sorted(rows.new_entries)))
    entry_words.add_many(db, (rows.entries[id] for id in sorted(rows.new_entries)))
    changed = [rows.edges[id] for id in sorted(rows.changed_edges)]
    edges.write_many(db, (edge for edge in changed if not edge.is_live))
    edges.write_many(db, (edge for edge in changed if edge.is_live))
    entities.write_aliases(db, ((key, *alias) for key, alias in rows.aliases.items()))
    _write_moves(db, rows)
    _write_citing(db, rows)
    memories.add_many(db, (rows.memories[id] for id in sorted(rows.memories)))
    preferences.write_many(db, (rows.preferences[id] for id in sorted(rows.preferences)))


def write_anew(db: Db, rows: Rows) -> None:
    """Write a whole fold into empty tables, whose indexes are made when all rows are there: half the time."""
    listed = ", ".join(f"'{table}'" for table in FOLDED)
    indexes = db.execute(
        f"SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN ({listed})"
    )
    for index in indexes:
        db.execute(f"DROP INDEX {index['name']}")
    write(db, rows)
    for index in indexes:
        db.execute(index["sql"])


MOVE = """
    INSERT INTO status_moves (move_id, node_type, node_id, what, from_value, to_value, reason, event_id, ordinal,
                              valid_from, valid_to, recorded_at)
    VALUES (:move_id, :node_type, :node_id, :what, :from_value, :to_value, :reason, :event_id, :ordinal,
            :valid_from, :valid_to, :recorded_at)
"""
_MOVE = tuple(each.name for each in fields(Move))
CLOSE = "UPDATE status_moves SET valid_to = :at WHERE node_id = :node AND what = :what AND valid_to IS NULL"


def _write_moves(db: Db, rows: Rows) -> None:
    first: dict[tuple[str, str], Move] = {}
    for move in rows.moves:
        first.setdefault((move.node_id, move.what), move)
        if move.node_type == "entry" and move.node_id not in rows.new_entries:
            by = rows.entries[move.node_id].superseded_by if move.to_value == "superseded" else None
            entries.move(db, move.node_id, move.what, move.to_value, by)
    db.many(CLOSE, ({"at": move.valid_from, "node": node, "what": what} for (node, what), move in first.items()))
    db.many(MOVE, ({name: getattr(move, name) for name in _MOVE} for move in rows.moves))


def _write_citing(db: Db, rows: Rows) -> None:
    for (node, entry), cited in rows.citing.items():
        if cited is None:
            db.execute(
                "DELETE FROM node_entries WHERE node = :node AND entry_id = :entry", {"node": node, "entry": entry}
            )
        else:
            db.execute(
                "INSERT INTO node_entries (node, entry_id, hash, accepted_at, certified)"
                " VALUES (:node, :entry, :hash, :at, :certified) ON CONFLICT (node, entry_id) DO UPDATE"
                " SET hash = excluded.hash, accepted_at = excluded.accepted_at, certified = excluded.certified",
                {"node": node, "entry": entry, "hash": cited.hash, "at": cited.at, "certified": cited.certified},
            )
