"""Entries, tasks and conditions as people and programs ask for them: found by citation, id or name, told as data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pith.domain.entities import ARTIFACT, CONDITION, TASK, Entity, condition_key, task_key
from pith.domain.entries import Entry
from pith.errors import Ambiguous, NotFound
from pith.store import citations, edges, entities, entries, entry_words, events
from pith.store.database import Db

LIST = {TASK: "pith tasks", CONDITION: "pith conditions"}
_LEAST_OF_AN_ID = 4


def entry(db: Db, text: str) -> Entry:
    """The entry that a citation, an id or the beginning of one names."""
    ids = [_cited(db, text, entry_words.ENTRY)] if _is_citation(text) else _matching(entries.matching(db, text), text)
    found = entries.by_id(db, _one(ids, text, "entry", "pith entries"))
    if found is None:
        raise NotFound(f"{text} is no entry any more.", hint="`pith entries` lists them.")
    return found


def entity(db: Db, project: str, text: str, type: str = "") -> Entity:
    """The entity that a citation, an id, the beginning of one, or its name names."""
    if _is_citation(text):
        found = entities.by_id(db, _cited(db, text, entry_words.ENTITY))
    else:
        named = [entities.find_by_canonical_key(db, key) for key in _keys(project, text, type)]
        by_id = entities.matching(db, text, type) if len(text) >= _LEAST_OF_AN_ID else []
        known = {one.entity_id: one for one in [*named, *by_id] if one is not None}
        found = entities.by_id(db, _one(list(known), text, type or "entity", LIST.get(type, "pith tasks")))
    if found is None or (type and found.entity_type != type):
        raise NotFound(f"{text[:60]} is no {type or 'entity'}.", hint=f"`{LIST.get(type, 'pith tasks')}` lists them.")
    return found


def _keys(project: str, text: str, type: str) -> list[str]:
    keys = {TASK: task_key(project, text), CONDITION: condition_key(project, text)}
    return [key for kind, key in keys.items() if type in ("", kind)]


def _is_citation(text: str) -> bool:
    return text.strip().strip("[]").lower().startswith("mem:")


def _cited(db: Db, text: str, wanted: str) -> str:
    kind, id = citations.find(db, text)
    if kind != wanted:
        raise NotFound(f"{text} is a {kind}, not an {wanted}.", hint=f"`pith show {text}` shows it.")
    return id


def _matching(ids: list[str], text: str) -> list[str]:
    return ids if len(text) >= _LEAST_OF_AN_ID else []


def _one(ids: list[str], text: str, what: str, listing: str) -> str:
    if not ids:
        raise NotFound(f"There is no {what} {text[:60]}.", hint=f"`{listing}` lists them.")
    if len(ids) > 1:
        raise Ambiguous(f"{text[:60]} fits several: {', '.join(ids[:5])}.")
    return ids[0]


# -- As plain data -------------------------------------------------------------------------------------------


def cite(db: Db, kind: str, id: str) -> str:
    """The citation of an entry or entity, as it is shown."""
    return "mem:" + citations.short(db, citations.name(kind, id))


def told_entry(db: Db, one: Entry) -> dict[str, Any]:
    """An entry without its evidence."""
    against = entry_words.opponents(db, one.entry_id)
    by = one.superseded_by
    return {
        "citation": cite(db, entry_words.ENTRY, one.entry_id),
        "id": one.entry_id,
        "kind": entry_words.ENTRY,
        "type": one.entry_type,
        "title": one.title,
        "text": str(one.content.get("text") or one.title),
        "stage": one.stage,
        "status": one.status,
        "standing": one.content.get("standing", "stated"),
        "superseded_by": cite(db, entry_words.ENTRY, by) if by else None,
        "contradicts": [cite(db, entry_words.ENTRY, id) for id in against] if one.status == "contested" else [],
        "extractor": one.content.get("extractor"),
        "at": one.created_ts,
        "branch": one.branch,
        "commit": one.commit_id,
    }


def told_evidence(db: Db, one: Entry) -> list[dict[str, Any]]:
    """What an entry rests on: each quote as it stands in its event today."""
    found = []
    for item in one.evidence or ():
        row = events.by_id(db, str(item.get("event_id", "")))
        start, end = item.get("start"), item.get("end")
        is_there = row is not None and not row["forgotten_at"] and isinstance(start, int)
        found.append(
            {
                **item,
                "citation": cite(db, citations.EVENT, row["id"]) if row is not None else None,
                "at": row["at"] if row is not None else None,
                "origin": row["origin"] if row is not None else None,
                "quote": row["text"][start:end] if row is not None and is_there else None,
            }
        )
    return found


def whole_entry(db: Db, one: Entry) -> dict[str, Any]:
    """Everything about an entry: evidence, what it is about, what it came from and what came of it, how it moved."""
    return {
        **told_entry(db, one),
        "evidence": told_evidence(db, one),
        "about": [told_entity(db, found) for found in _ends(db, one.entry_id)],
        "supersedes": [
            cite(db, entry_words.ENTRY, edge.dst_id) for edge in edges.find_by_src(db, one.entry_id, "supersedes")
        ],
        "moves": [_move(row) for row in entities.moves(db, one.entry_id)],
    }


def _ends(db: Db, id: str) -> list[Entity]:
    ids = [edge.dst_id for name in ("evidence_of", "mentions") for edge in edges.find_by_src(db, id, name)]
    return [found for each in dict.fromkeys(ids) if (found := entities.by_id(db, each)) is not None]


def _move(row: Any) -> dict[str, Any]:
    return {
        "what": row["what"],
        "from": row["from_value"],
        "to": row["to_value"],
        "reason": row["reason"],
        "at": row["valid_from"],
    }


def told_entity(db: Db, one: Entity) -> dict[str, Any]:
    """An entity as it stands; a task with what effectively blocks it."""
    told: dict[str, Any] = {
        "citation": cite(db, entry_words.ENTITY, one.entity_id),
        "id": one.entity_id,
        "kind": entry_words.ENTITY,
        "type": one.entity_type,
        "title": one.title,
        "status": one.state or None,
        "since": one.current.get("since"),
    }
    if one.entity_type == TASK:
        told["priority"] = one.current.get("priority", "normal")
        told["blocked_by"] = list(_blockers(db, entities.effective_blockers(db, one.entity_id)))
    if one.entity_type == CONDITION:
        told["evidence"] = one.current.get("evidence")
        told["resolves_to"] = [edge.dst_id for edge in edges.find_by_src(db, one.entity_id, "resolves_to")]
    if one.entity_type == ARTIFACT:
        told["url"] = one.current.get("url")
    return told


def _blockers(db: Db, rows: Iterable[Any]) -> Iterable[dict[str, Any]]:
    for row in rows:
        yield {
            "citation": cite(db, entry_words.ENTITY, row["effective_blocker_id"]),
            "id": row["effective_blocker_id"],
            "type": row["effective_entity_type"],
            "title": row["effective_title"],
        }


def whole_entity(db: Db, one: Entity) -> dict[str, Any]:
    """Everything about an entity: names, what proves it, what it blocks, what only may block it, how it moved."""
    waiting = edges.find_by_dst(db, one.entity_id, "blocked_by")
    blocks = [edge.src_id for edge in waiting if not edge.meta.get("resolved_at")]
    maybe = [edge.dst_id for edge in edges.find_by_src(db, one.entity_id, "blocked_by_suggested")]
    return {
        **told_entity(db, one),
        "key": one.canonical_key,
        "aliases": [title for _, title in entities.aliases(db, one.entity_id)],
        "suggested": [told_entity(db, found) for id in maybe if (found := entities.by_id(db, id)) is not None],
        "blocks": [told_entity(db, found) for id in blocks if (found := entities.by_id(db, id)) is not None],
        "proved_by": [
            {**told_entry(db, proof), "span": edge.meta.get("span"), "confidence": edge.meta.get("confidence")}
            for proof, edge in entries.evidence_for(db, one.entity_id)
        ],
        "moves": [_move(row) for row in entities.moves(db, one.entity_id)],
    }
