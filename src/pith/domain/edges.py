"""Edges: eleven relations, which ends each may have, and what each tells about itself.

`edge(...)` and the references (`TaskRef`, `EntryRef`, ...) are typed so that a static checker refuses a combination
that is not in the table; the same table refuses it at run time, and the database a third time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, overload

from pith.errors import PithError

ENTRY, ENTITY, EVENT = "entry", "entity", "event"
NODE_TYPES = (ENTRY, ENTITY, EVENT)

# Relation -> the types of its ends, and the entity type that it must start at, if one is asked for.
LEGAL: dict[str, tuple[tuple[str, ...], tuple[str, ...], str]] = {
    "derived_from": ((ENTRY,), (ENTRY,), ""),
    "supersedes": ((ENTRY,), (ENTRY,), ""),
    "contradicts": ((ENTRY,), (ENTRY,), ""),
    "evidence_of": ((ENTRY,), (ENTITY,), ""),
    "mentions": ((ENTRY,), (ENTITY,), ""),
    "blocked_by": ((ENTITY,), (ENTITY,), "task"),
    "blocked_by_suggested": ((ENTITY,), (ENTITY,), "task"),
    "resolves_to": ((ENTITY,), (ENTITY,), "condition"),
    "depends_on": ((ENTITY,), (ENTITY,), ""),
    "produced": ((EVENT,), (ENTRY, ENTITY), ""),
    "source_of": ((EVENT,), (ENTRY, ENTITY), ""),
}
RELATIONS = tuple(LEGAL)


class IllegalEdge(PithError):
    """These two things cannot be related in this way."""

    code = "ILLEGAL_EDGE"
    hint = "docs/explanation/knowledge.md lists the relations and what they may connect."
    http_status = 400


class InvariantViolation(PithError):
    """The change would leave the knowledge in a state that cannot be."""

    code = "INVARIANT_VIOLATION"
    hint = "Move the task to `blocked` first; `pith task show <id>` tells where it stands."
    http_status = 409


# -- Ends ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EntryRef:
    """An entry, by id."""

    id: str


@dataclass(frozen=True)
class EntityRef:
    """An entity of some type, by id."""

    id: str


@dataclass(frozen=True)
class TaskRef(EntityRef):
    """A task."""


@dataclass(frozen=True)
class ConditionRef(EntityRef):
    """A condition."""


@dataclass(frozen=True)
class ArtifactRef(EntityRef):
    """An artifact."""


@dataclass(frozen=True)
class EventRef:
    """An event, observed or of knowledge, by id."""

    id: str


Ref = EntryRef | EntityRef | EventRef
_ENTITY_REFS = {TaskRef: "task", ConditionRef: "condition", ArtifactRef: "artifact"}


def _type_of(end: object) -> str:
    if isinstance(end, EntryRef):
        return ENTRY
    if isinstance(end, EntityRef):
        return ENTITY
    if isinstance(end, EventRef):
        return EVENT
    raise IllegalEdge(f"{end!r} is neither an entry, an entity nor an event.")


# -- What a relation tells about itself ----------------------------------------------------------------------

METHODS = ("exact", "normalized", "fuzzy")
MODES = ("replace", "suggest")
RESOLUTIONS = ("exact_match", "user_confirmed", "auto_resolved")


def _check(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise IllegalEdge(f"`{name}` is {value!r}; it can be {', '.join(allowed)}.")


def _check_confidence(value: object) -> None:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise IllegalEdge(f"`confidence` is {value!r}; it must be a number from 0 to 1.")


@dataclass(frozen=True)
class EvidenceOf:
    """How well an entry proves something about an entity, and where it stands."""

    confidence: float
    alignment_method: str
    source_event_id: str
    span: tuple[int, int] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_confidence(self.confidence)
        _check("alignment_method", self.alignment_method, METHODS)
        if self.span is not None and not 0 <= self.span[0] <= self.span[1]:
            raise IllegalEdge(f"`span` is {self.span!r}; it must be a start and an end after it.")


@dataclass(frozen=True)
class BlockedBy:
    """In whose words a task is blocked, and whether that is settled."""

    mode: str
    raw_text: str
    resolved_at: str | None = None
    resolved_by: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check("mode", self.mode, MODES)


@dataclass(frozen=True)
class ResolvesTo:
    """How it was found out what a condition really is."""

    resolution_type: str
    confidence: float
    resolved_at: str
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_confidence(self.confidence)
        _check("resolution_type", self.resolution_type, RESOLUTIONS)


Meta = EvidenceOf | BlockedBy | ResolvesTo
META: dict[str, type[EvidenceOf] | type[BlockedBy] | type[ResolvesTo]] = {
    "evidence_of": EvidenceOf,
    "blocked_by": BlockedBy,
    "blocked_by_suggested": BlockedBy,
    "resolves_to": ResolvesTo,
}


def meta_dict(meta: Meta | Mapping[str, Any] | None) -> dict[str, Any]:
    """What is stored of a relation's metadata: unset fields left out, unknown keys as they came."""
    if meta is None or isinstance(meta, Mapping):
        return dict(meta or {})
    stored = dict(meta.extra)
    for each in fields(meta):
        value = getattr(meta, each.name)
        if each.name == "span" and value is not None:
            value = {"start": value[0], "end": value[1]}
        if each.name != "extra" and value is not None:
            stored[each.name] = value
    return stored


def read_meta(relation: str, stored: Mapping[str, Any]) -> Meta | Mapping[str, Any]:
    """The typed metadata of a relation, with what it does not know in `extra`; raises IllegalEdge when it cannot be."""
    shape = META.get(relation)
    if shape is None:
        return dict(stored)
    names = {each.name for each in fields(shape)} - {"extra"}
    known = {name: value for name, value in stored.items() if name in names}
    if isinstance(known.get("span"), Mapping):
        known["span"] = (known["span"]["start"], known["span"]["end"])
    extra = {name: value for name, value in stored.items() if name not in names}
    try:
        return shape(**known, extra=extra)
    except TypeError as error:
        raise IllegalEdge(f"`{relation}` lacks part of its metadata: {error}.") from error


# -- Edges ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NewEdge:
    """An edge that may be made; whoever has one knows that its combination is legal."""

    src_type: str
    src_id: str
    rel_type: str
    dst_type: str
    dst_id: str
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_legal(self.src_type, self.rel_type, self.dst_type)
        read_meta(self.rel_type, self.meta)

    @property
    def ends(self) -> tuple[str, str, str, str, str]:
        """What makes two live edges the same."""
        return self.src_type, self.src_id, self.rel_type, self.dst_type, self.dst_id


@dataclass(frozen=True)
class Edge:
    """A stored edge: valid from and to in the world, recorded and retired here."""

    edge_id: str
    src_type: str
    src_id: str
    rel_type: str
    dst_type: str
    dst_id: str
    meta: Mapping[str, Any]
    created_at: str
    valid_from: str
    recorded_at: str
    valid_to: str | None = None
    retired_at: str | None = None
    event_id: str | None = None

    @property
    def is_live(self) -> bool:
        """Whether it has not been taken away."""
        return self.retired_at is None

    @property
    def ends(self) -> tuple[str, str, str, str, str]:
        """What makes two live edges the same."""
        return self.src_type, self.src_id, self.rel_type, self.dst_type, self.dst_id


def check_legal(src_type: str, relation: str, dst_type: str, entity_type: str = "") -> None:
    """Raise IllegalEdge unless the relation may connect these; `entity_type` is that of the source, where known."""
    if relation not in LEGAL:
        raise IllegalEdge(f"`{relation}` is no relation.", hint=f"The relations are {', '.join(RELATIONS)}.")
    sources, targets, starts_at = LEGAL[relation]
    if src_type not in sources or dst_type not in targets:
        raise IllegalEdge(
            f"`{relation}` connects {' or '.join(sources)} with {' or '.join(targets)}, not {src_type} with {dst_type}."
        )
    if entity_type and starts_at and entity_type != starts_at:
        raise IllegalEdge(f"`{relation}` starts at a {starts_at}, not at a {entity_type}.")


@overload
def edge(
    src: EntryRef,
    relation: Literal["derived_from", "supersedes", "contradicts"],
    dst: EntryRef,
    meta: Mapping[str, Any] | None = None,
) -> NewEdge: ...
@overload
def edge(src: EntryRef, relation: Literal["evidence_of"], dst: EntityRef, meta: EvidenceOf) -> NewEdge: ...
@overload
def edge(
    src: EntryRef, relation: Literal["mentions"], dst: EntityRef, meta: Mapping[str, Any] | None = None
) -> NewEdge: ...
@overload
def edge(
    src: TaskRef, relation: Literal["blocked_by", "blocked_by_suggested"], dst: EntityRef, meta: BlockedBy
) -> NewEdge: ...
@overload
def edge(src: ConditionRef, relation: Literal["resolves_to"], dst: EntityRef, meta: ResolvesTo) -> NewEdge: ...
@overload
def edge(
    src: EntityRef, relation: Literal["depends_on"], dst: EntityRef, meta: Mapping[str, Any] | None = None
) -> NewEdge: ...
@overload
def edge(
    src: EventRef,
    relation: Literal["produced", "source_of"],
    dst: EntryRef | EntityRef,
    meta: Mapping[str, Any] | None = None,
) -> NewEdge: ...
def edge(src: Ref, relation: str, dst: Ref, meta: Meta | Mapping[str, Any] | None = None) -> NewEdge:
    """An edge between two things; raises IllegalEdge for a combination that is not in the table."""
    check_legal(_type_of(src), relation, _type_of(dst), _ENTITY_REFS.get(type(src), ""))  # type: ignore[arg-type]
    if relation in META and not isinstance(meta, META[relation]):
        raise IllegalEdge(f"`{relation}` needs metadata of its own kind: {META[relation].__name__}.")
    return NewEdge(_type_of(src), src.id, relation, _type_of(dst), dst.id, meta_dict(meta))
