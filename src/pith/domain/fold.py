"""From changes of knowledge to rows: entries, entities, edges, other names and moves.

The same code folds a few new changes over stored rows and all of them over nothing; `Stored` is where it looks up what
it does not hold itself. A change that refers to what is not there (its words were forgotten) or asks for a move that is
not legal changes nothing: the log is kept, the rows stay sound.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from pith.domain import knowledge
from pith.domain.edges import ENTITY, ENTRY, Edge, NewEdge
from pith.domain.entities import Entity, normalised
from pith.domain.entries import Entry
from pith.domain.knowledge import Change
from pith.domain.memories import Memory
from pith.domain.preferences import Preference


class Stored(Protocol):
    """What has been folded before; every edge that it gives is live."""

    def entity(self, id: str) -> Entity | None: ...
    def entity_named(self, key: str) -> str | None: ...
    def entry(self, id: str) -> Entry | None: ...
    def edges_from(self, id: str, relation: str) -> Iterable[Edge]: ...
    def edges_to(self, id: str, relation: str) -> Iterable[Edge]: ...
    def entries_of_node(self, node: str) -> Iterable[str]: ...
    def nodes_of_entry(self, entry: str) -> Mapping[str, bool]: ...
    def is_consolidated(self, event: str) -> bool: ...
    def preference(self, id: str) -> Preference | None: ...


class Nothing:
    """Nothing has been folded before."""

    def entity(self, id: str) -> Entity | None:  # noqa: ARG002
        return None

    def entity_named(self, key: str) -> str | None:  # noqa: ARG002
        return None

    def entry(self, id: str) -> Entry | None:  # noqa: ARG002
        return None

    def edges_from(self, id: str, relation: str) -> Iterable[Edge]:  # noqa: ARG002
        return ()

    def edges_to(self, id: str, relation: str) -> Iterable[Edge]:  # noqa: ARG002
        return ()

    def entries_of_node(self, node: str) -> Iterable[str]:  # noqa: ARG002
        return ()

    def nodes_of_entry(self, entry: str) -> Mapping[str, bool]:  # noqa: ARG002
        return {}

    def is_consolidated(self, event: str) -> bool:  # noqa: ARG002
        return False

    def preference(self, id: str) -> Preference | None:  # noqa: ARG002
        return None


@dataclass(slots=True)
class Move:
    """A stage, status or state that changed; `valid_to` is when it changed again."""

    move_id: str
    node_type: str
    node_id: str
    what: str
    from_value: str
    to_value: str
    reason: str
    event_id: str
    ordinal: int
    valid_from: str
    recorded_at: str
    valid_to: str | None = None


@dataclass(frozen=True, slots=True)
class Citation:
    """That an accepted node cites an entry: under which hash of its file, since when, and whether it is certified."""

    hash: str
    at: str
    certified: bool = False


class Rows:
    """The rows that changes touched, over those that were there before."""

    def __init__(self, stored: Stored) -> None:
        self.stored = stored
        self.entities: dict[str, Entity] = {}
        self.entries: dict[str, Entry] = {}
        self.edges: dict[str, Edge] = {}
        self.aliases: dict[str, tuple[str, str, str]] = {}
        self.moves: list[Move] = []
        self.citing: dict[tuple[str, str], Citation | None] = {}
        self.preferences: dict[str, Preference] = {}
        self.memories: dict[str, Memory] = {}
        self.new_entries: set[str] = set()
        self.changed_entities: set[str] = set()
        self.changed_edges: set[str] = set()
        self._names: dict[str, str] = {}
        self._ends: dict[tuple[bool, str, str], list[str]] = {}
        self._open_moves: dict[tuple[str, str], Move] = {}
        self._nodes: dict[str, dict[str, bool]] = {}
        self._cited: dict[str, dict[str, None]] = {}
        self._consolidated: set[str] = set()
        self._moving = ""
        self._moved: dict[str, int] = {}

    # -- entities

    def entity(self, id: str) -> Entity | None:
        """The entity as it stands."""
        found = self.entities.get(id)
        if found is None:
            found = self.stored.entity(id)
            if found is not None:
                self.entities[id] = found
        return found

    def entity_named(self, key: str) -> str | None:
        """The id of the entity that this key names, or once named."""
        return self._names.get(key) or self.stored.entity_named(key)

    def put_entity(self, entity: Entity) -> None:
        """Let the entity stand so."""
        self.entities[entity.entity_id] = entity
        self.changed_entities.add(entity.entity_id)
        self._names[entity.canonical_key] = entity.entity_id

    def declare(self, change: Change, type: str, id: str, key: str, title: str, current: Mapping[str, Any]) -> bool:
        """Make an entity, unless it is there or its name is taken; whether it was made."""
        if self.entity(id) is not None or self.entity_named(key) is not None:
            return False
        norm = normalised(title)
        made = change.recorded_at
        self.put_entity(
            Entity(id, type, key, title, current, "raw", "active", norm, f"{title} {norm}".strip(), made, made)
        )
        self.connect(change, NewEdge("event", change.id, "produced", ENTITY, id))
        return True

    def alter(self, change: Change, entity: Entity, current: Mapping[str, Any], **fields: Any) -> Entity:
        """Change what is said of an entity today."""
        changed = replace(entity, current={**entity.current, **current}, updated_at=change.recorded_at, **fields)
        self.put_entity(changed)
        return changed

    def add_alias(self, change: Change, key: str, entity: str, title: str) -> None:
        """Let a further key name the entity, unless it names one already."""
        if key and self.entity_named(key) in (None, entity):
            self.aliases[key] = (entity, title, change.recorded_at)
            self._names[key] = entity

    # -- entries

    def entry(self, id: str) -> Entry | None:
        """The entry as it stands."""
        found = self.entries.get(id)
        if found is None:
            found = self.stored.entry(id)
            if found is not None:
                self.entries[id] = found
        return found

    def add_entry(self, entry: Entry) -> None:
        """State something new."""
        self.entries[entry.entry_id] = entry
        self.new_entries.add(entry.entry_id)

    def move_entry(self, change: Change, entry: Entry, what: str, to: str, by: str | None = None) -> Entry:
        """Move an entry's stage or status; the caller knows that it may."""
        moved = replace(entry, stage=to) if what == "stage" else replace(entry, status=to, superseded_by=by)
        self.entries[entry.entry_id] = moved
        self.note(change, ENTRY, entry.entry_id, what, getattr(entry, what), to)
        return moved

    def note(
        self, change: Change, node_type: str, node: str, what: str, before: str, to: str, reason: str = ""
    ) -> None:
        """Write down that something moved."""
        if self._moving != change.id:
            self._moving, self._moved = change.id, {}
        self._moved[node] = self._moved.get(node, -1) + 1
        ordinal = change.seq * 1000 + self._moved[node]
        reason = reason or str(change.payload.get("reason", ""))
        move = Move(
            knowledge.derived_id("move", change.id, node, what, to),
            node_type, node, what, before, to, reason, change.id, ordinal, change.at, change.recorded_at,
        )  # fmt: skip
        open_move = self._open_moves.get((node, what))
        if open_move is not None:
            open_move.valid_to = change.at
        self._open_moves[node, what] = move
        self.moves.append(move)

    # -- edges

    def _known(self, outward: bool, id: str, relation: str) -> list[str]:
        key = (outward, id, relation)
        known = self._ends.get(key)
        if known is None:
            known = self._ends[key] = []
            stored = self.stored.edges_from(id, relation) if outward else self.stored.edges_to(id, relation)
            for edge in stored:
                self.edges.setdefault(edge.edge_id, edge)
                known.append(edge.edge_id)
        return known

    def edges_from(self, id: str, relation: str) -> list[Edge]:
        """The live edges of a relation that start at a thing."""
        return [edge for each in self._known(True, id, relation) if (edge := self.edges[each]).retired_at is None]

    def edges_to(self, id: str, relation: str) -> list[Edge]:
        """The live edges of a relation that end at a thing."""
        return [edge for each in self._known(False, id, relation) if (edge := self.edges[each]).retired_at is None]

    def connect(self, change: Change, new: NewEdge) -> Edge:
        """Make an edge, or give the one that is live between the same ends."""
        outward = self._known(True, new.src_id, new.rel_type)
        for each in outward:
            known = self.edges[each]
            if known.retired_at is None and known.dst_id == new.dst_id and known.dst_type == new.dst_type:
                return known
        inward = self._known(False, new.dst_id, new.rel_type)
        id, at = knowledge.edge_id(change.id, new.ends), change.recorded_at
        edge = Edge(id, *new.ends, new.meta, at, change.at, at, event_id=change.id)
        self.edges[id] = edge
        self.changed_edges.add(id)
        outward.append(id)
        inward.append(id)
        return edge

    def alter_edge(self, edge: Edge, meta: Mapping[str, Any]) -> None:
        """Add to what an edge tells about itself."""
        self.edges[edge.edge_id] = replace(edge, meta={**edge.meta, **meta})
        self.changed_edges.add(edge.edge_id)

    def retire(self, change: Change, edges: Iterable[Edge]) -> None:
        """Take edges away, from this change on."""
        for edge in edges:
            self.edges[edge.edge_id] = replace(edge, retired_at=change.recorded_at, valid_to=change.at)
            self.changed_edges.add(edge.edge_id)

    # -- nodes that cite entries

    def cite(self, node: str, entry: str, citation: Citation) -> None:
        """Note that an accepted node cites the entry."""
        self.citing[node, entry] = citation
        self.nodes_of_entry(entry)[node] = citation.certified
        self.entries_of_node(node)[entry] = None

    def uncite(self, node: str, entry: str) -> None:
        """Note that it does no more."""
        self.citing[node, entry] = None
        self.nodes_of_entry(entry).pop(node, None)
        self.entries_of_node(node).pop(entry, None)

    def entries_of_node(self, node: str) -> dict[str, None]:
        """The entries that the node cites; also those whose statement is not here (yet)."""
        if node not in self._cited:
            self._cited[node] = dict.fromkeys(self.stored.entries_of_node(node))
        return self._cited[node]

    def nodes_of_entry(self, entry: str) -> dict[str, bool]:
        """The accepted nodes that cite the entry, and whether each is certified."""
        if entry not in self._nodes:
            self._nodes[entry] = dict(self.stored.nodes_of_entry(entry))
        return self._nodes[entry]

    # -- preferences

    def preference(self, id: str) -> Preference | None:
        """The preference as it stands."""
        return self.preferences.get(id) or self.stored.preference(id)

    def put_preference(self, preference: Preference) -> None:
        """Let the preference stand so."""
        self.preferences[preference.preference_id] = preference

    # -- memories

    def is_consolidated(self, event: str) -> bool:
        """Whether an event went into a memory."""
        return event in self._consolidated or self.stored.is_consolidated(event)

    def add_memory(self, memory: Memory) -> None:
        """Remember several events as one."""
        self.memories[memory.memory_id] = memory
        self._consolidated.update(memory.events)
