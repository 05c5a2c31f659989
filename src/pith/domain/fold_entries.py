"""What changes do to entries: stated, proved, moved, replaced by a later build, cited by what people accepted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pith.domain import knowledge
from pith.domain.edges import ENTITY, ENTRY, EVENT, NewEdge
from pith.domain.entries import FAILED, STAGES, Entry, may_move_stage, may_move_status
from pith.domain.fold import Citation, Rows
from pith.domain.knowledge import Change

NOTED = "note"
_CITED = ("verified", "certified")


def memory_extracted(rows: Rows, change: Change) -> None:
    said = change.payload
    before = _earlier_builds(rows, said["source"], said["extractor"], said["build_id"])
    made = [
        _state(rows, change, ordinal, statement, said["extractor"], said["build_id"], said["source"])
        for ordinal, statement in enumerate(said["statements"])
    ]
    for old in before:
        _replace(rows, change, old, made)


def entry_noted(rows: Rows, change: Change) -> None:
    _state(rows, change, 0, change.payload["statement"], NOTED, None, "")


def entry_stage_moved(rows: Rows, change: Change) -> None:
    entry, to = rows.entry(change.payload["entry"]), change.payload["to"]
    if entry is None or not may_move_stage(entry, to):
        return
    if to in _CITED and not rows.nodes_of_entry(entry.entry_id):
        return  # only a person's acceptance makes more than a candidate of it
    rows.move_entry(change, entry, "stage", to)


def entry_status_moved(rows: Rows, change: Change) -> None:
    said = change.payload
    entry, to = rows.entry(said["entry"]), said["to"]
    by = rows.entry(said["superseded_by"]) if said.get("superseded_by") else None
    against = rows.entry(said["contradicts"]) if said.get("contradicts") else None
    if entry is None:
        return
    if may_move_status(entry, to):
        rows.move_entry(change, entry, "status", to, by.entry_id if by and to == "superseded" else None)
    elif entry.status != to:
        return
    id = entry.entry_id
    if to == "active":
        rows.retire(change, [*rows.edges_from(id, "contradicts"), *rows.edges_to(id, "contradicts")])
        rows.retire(change, rows.edges_to(id, "supersedes"))
    if to == "superseded" and by is not None and by.entry_id != id:
        rows.connect(change, NewEdge(ENTRY, by.entry_id, "supersedes", ENTRY, id))
    if to == "contested" and against is not None and against.entry_id != id:
        _contradict(rows, change, id, against.entry_id)


def _contradict(rows: Rows, change: Change, one: str, other: str) -> None:
    """Relate two entries once, whichever of them contradicted first."""
    if not any(edge.dst_id == one for edge in rows.edges_from(other, "contradicts")):
        rows.connect(change, NewEdge(ENTRY, one, "contradicts", ENTRY, other))


def proposal_accepted(rows: Rows, change: Change) -> None:
    said = change.payload
    cited = [id for one in said.get("entries", ()) for id in _said_again(rows, one["entry"])]
    _withdraw(rows, change, said["node"], [id for id in rows.entries_of_node(said["node"]) if id not in cited])
    for id in cited:
        rows.cite(said["node"], id, Citation(said["hash"], change.at, bool(said.get("certified"))))
        _stand(rows, change, id)


def node_withdrawn(rows: Rows, change: Change) -> None:
    node = change.payload["node"]
    _withdraw(rows, change, node, rows.entries_of_node(node))


def evidence_imported(rows: Rows, change: Change) -> None:
    said = change.payload
    entry = rows.entry(said["entry_id"])
    if entry is None:
        if "entry" not in said:
            return
        entry = _imported(change, said["entry_id"], said["entry"], said["evidence"])
        rows.add_entry(entry)
        _stand(rows, change, entry.entry_id)
        rows.connect(change, NewEdge(EVENT, change.id, "produced", ENTRY, entry.entry_id))
    for item in said["evidence"]:
        entity = rows.entity_named(str(item.get("canonical_key", "")))
        if entity is not None:
            meta = older_meta(item, change.id)
            rows.connect(change, NewEdge(ENTRY, entry.entry_id, "evidence_of", ENTITY, entity, meta))


def older_meta(item: Mapping[str, Any], event: str) -> dict[str, Any]:
    """Metadata of an edge for evidence of the older shape, which did not say how it was found: 1.0 means exactly."""
    confidence = item.get("confidence", 0.0)
    meta = {name: value for name, value in item.items() if name != "canonical_key"}
    return {
        **meta,
        "confidence": confidence,
        "alignment_method": "exact" if confidence == 1 else "fuzzy",
        "source_event_id": str(item.get("source_event_id") or event),
    }


def prove(rows: Rows, change: Change, entries: Iterable[str], entity: str) -> None:
    """Let entries be the evidence of an entity, each by the best quote that it rests on."""
    if not entries or rows.entity(entity) is None:
        return
    for id in entries:
        entry = rows.entry(id)
        if entry is not None and entry.is_found:
            meta = evidence_meta(entry.evidence or (), change.id)
            rows.connect(change, NewEdge(ENTRY, id, "evidence_of", ENTITY, entity, meta))


def evidence_meta(evidence: Sequence[Mapping[str, Any]], event: str) -> dict[str, Any]:
    """What the edge tells of the best quote; without any, the event itself says it."""
    found = [one for one in evidence if one.get("method") != FAILED and "start" in one]
    if not found:
        return {"confidence": 1.0, "alignment_method": "exact", "source_event_id": event}
    best = max(found, key=lambda one: float(one["confidence"]))
    return {
        "confidence": best["confidence"],
        "span": {"start": best["start"], "end": best["end"]},
        "alignment_method": best["method"],
        "source_event_id": best["event_id"],
    }


# -- Stating -------------------------------------------------------------------------------------------------


def _state(
    rows: Rows,
    change: Change,
    ordinal: int,
    said: Mapping[str, Any],
    extractor: str,
    build: str | None,
    source: str,
) -> Entry:
    """Make the entry of one statement, with the edges that follow from its evidence."""
    evidence = tuple(said.get("evidence", ()))
    content = {"text": said.get("text", said["title"]), "extractor": extractor, **said.get("content", {})}
    entry = Entry(
        entry_id=knowledge.entry_id(change.id, ordinal),
        created_ts=change.payload.get("stated_at") or change.at,
        entry_type=said["type"],
        title=said["title"],
        content=content,
        build_id=build,
        evidence=evidence,
        canonical_key=said.get("key"),
        created_at=change.recorded_at,
        branch=change.branch,
        commit_id=change.commit,
        event_id=change.id,
    )
    wanted = said.get("stage", "raw")
    if wanted in ("working", "candidate") and entry.is_found:
        entry = replace(entry, stage=wanted)
    rows.add_entry(entry)
    id = entry.entry_id
    rows.connect(change, NewEdge(EVENT, change.id, "produced", ENTRY, id))
    sources = [source] if source else []
    sources += [one["event_id"] for one in evidence if one.get("method") != FAILED]
    for event in dict.fromkeys(sources):
        rows.connect(change, NewEdge(EVENT, event, "source_of", ENTRY, id))
    for about in said.get("about", ()):
        prove(rows, change, (id,), about)
    for entity in said.get("mentions", ()):
        if rows.entity(entity) is not None:
            rows.connect(change, NewEdge(ENTRY, id, "mentions", ENTITY, entity))
    for origin in said.get("derived_from", ()):
        if rows.entry(origin) is not None:
            rows.connect(change, NewEdge(ENTRY, id, "derived_from", ENTRY, origin))
    return _stand(rows, change, id) or entry


def _imported(change: Change, id: str, said: Mapping[str, Any], evidence: Sequence[Mapping[str, Any]]) -> Entry:
    """An entry of an older store as it was there; its evidence stays readable in the shape it had."""
    stage = said.get("stage", "raw")
    return Entry(
        entry_id=id,
        created_ts=said.get("created_ts") or change.at,
        entry_type=said["entry_type"],
        title=said["title"],
        content={**said.get("content_json", {}), "extractor": "import"},
        stage="candidate" if stage in _CITED else stage,  # nobody here has accepted it
        evidence=tuple(evidence),
        canonical_key=said.get("canonical_key"),
        created_at=change.recorded_at,
        event_id=change.id,
    )


# -- A later build -------------------------------------------------------------------------------------------


def _earlier_builds(rows: Rows, source: str, extractor: str, build: str) -> list[Entry]:
    """What the same extractor drew from the event before, unless a later build has replaced it already."""
    found = [rows.entry(edge.dst_id) for edge in rows.edges_from(source, "source_of") if edge.dst_type == ENTRY]
    own = [
        entry
        for entry in found
        if entry is not None and entry.content.get("extractor") == extractor and entry.build_id != build
    ]
    builds = {entry.entry_id for entry in own}
    left = [entry for entry in own if entry.status != "superseded" or entry.superseded_by not in {None, *builds}]
    return sorted(left, key=lambda entry: entry.entry_id)  # rows come in no order


def _replace(rows: Rows, change: Change, old: Entry, made: Sequence[Entry]) -> None:
    """Let a later build stand for an entry; what became of it since goes over to the one that says the same."""
    twin = next((one for one in made if (one.entry_type, one.title) == (old.entry_type, old.title)), None)
    if twin is not None:
        _inherit(rows, change, old, twin.entry_id)
    if may_move_status(old, "superseded"):
        rows.move_entry(change, old, "status", "superseded", twin.entry_id if twin else None)
    if twin is not None:
        rows.connect(change, NewEdge(ENTRY, twin.entry_id, "supersedes", ENTRY, old.entry_id))
    for relation in ("evidence_of", "mentions"):
        rows.retire(change, rows.edges_from(old.entry_id, relation))


def _inherit(rows: Rows, change: Change, old: Entry, id: str) -> None:
    twin = rows.entries[id]
    for node, certified in rows.nodes_of_entry(old.entry_id).items():
        rows.cite(node, id, Citation("", change.at, certified))
    higher = STAGES.index(old.stage) > STAGES.index(twin.stage) and not twin.has_failed_quote
    rows.entries[id] = replace(
        twin,
        stage=old.stage if higher and twin.is_found else twin.stage,
        status=old.status,
        superseded_by=old.superseded_by,
    )
    for edge in rows.edges_from(old.entry_id, "evidence_of"):
        prove(rows, change, (id,), edge.dst_id)
    for edge in rows.edges_from(old.entry_id, "contradicts"):
        _contradict(rows, change, id, edge.dst_id)
    for edge in rows.edges_to(old.entry_id, "contradicts"):
        _contradict(rows, change, id, edge.src_id)


# -- Citing --------------------------------------------------------------------------------------------------


def _withdraw(rows: Rows, change: Change, node: str, entries: Iterable[str]) -> None:
    """Let a node cite these no more; one that no node cites is a candidate again."""
    for id in list(entries):
        rows.uncite(node, id)
        _stand(rows, change, id)


def _said_again(rows: Rows, id: str) -> list[str]:
    """An entry, and those of later builds that say the same and have taken its place."""
    found, entry = [id], rows.entry(id)
    while entry is not None and entry.superseded_by and entry.superseded_by not in found:
        by = rows.entry(entry.superseded_by)
        if by is None or (by.entry_type, by.title) != (entry.entry_type, entry.title):
            break
        found.append(by.entry_id)
        entry = by
    return found


def _stand(rows: Rows, change: Change, id: str) -> Entry | None:
    """Let an entry stand where the nodes that cite it put it: verified, certified, or neither without any."""
    entry, nodes = rows.entry(id), rows.nodes_of_entry(id)
    if entry is None:
        return None  # it is cited already, and stands so when it comes: its statement is in another store
    wanted = ("certified" if any(nodes.values()) else "verified") if nodes else "candidate"
    if STAGES.index(entry.stage) > STAGES.index(wanted):
        return rows.move_entry(change, entry, "stage", wanted)
    while nodes and entry.stage != wanted and may_move_stage(entry, up := STAGES[STAGES.index(entry.stage) + 1]):
        entry = rows.move_entry(change, entry, "stage", up)
    return entry
