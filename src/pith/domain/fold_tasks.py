"""What changes do to tasks, conditions and artifacts.

Two things hold after every single change: a blocked task has a live blocker, and no other task has one. When the last
blocker is settled the task goes on; when nobody says what blocks it, a condition `unknown` stands in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pith.domain import knowledge
from pith.domain.edges import ENTITY, Edge, NewEdge
from pith.domain.entities import (
    ARTIFACT,
    BLOCKED,
    CANCELLED,
    CONDITION,
    DONE,
    IN_PROGRESS,
    OPEN,
    PENDING,
    RESOLVED,
    TASK,
    Entity,
    may_move,
    normalised,
    unknown_condition_key,
)
from pith.domain.fold import Rows
from pith.domain.fold_entries import prove
from pith.domain.knowledge import Change

RELEASED = "its last blocker was settled"
_OWN = ("entity",)


def task_created(rows: Rows, change: Change) -> None:
    said = change.payload
    current = {"status": PENDING, "priority": said.get("priority", "normal"), "since": change.at}
    rows.declare(change, TASK, said["task"], said["key"], said["title"], current)
    prove(rows, change, said.get("entries", ()), said["task"])


def task_title_changed(rows: Rows, change: Change) -> None:
    task = _task(rows, change)
    if task is None:
        return
    key, title = change.payload["key"], change.payload["title"]
    taken = rows.entity_named(key)
    norm = normalised(title)
    fields = {"title": title, "title_norm": norm, "search_text": f"{title} {norm}".strip()}
    if taken in (None, task.entity_id):
        fields["canonical_key"] = key
    rows.alter(change, task, {}, **fields)
    if key != task.canonical_key:
        rows.add_alias(change, task.canonical_key, task.entity_id, task.title)


def task_priority_changed(rows: Rows, change: Change) -> None:
    if (task := _task(rows, change)) is not None:
        rows.alter(change, task, {"priority": change.payload["priority"]})


def task_state_changed(rows: Rows, change: Change) -> None:
    task, to = _task(rows, change), change.payload["to"]
    if task is None or not may_move(task.state, to):
        return
    _move(rows, change, task, to)
    prove(rows, change, change.payload.get("entries", ()), task.entity_id)
    if to == BLOCKED:
        _block(rows, change, task.entity_id, change.payload.get("blockers", ()))
    elif to == DONE:
        _release_behind(rows, change, task.entity_id)


def task_blockers_set(rows: Rows, change: Change) -> None:
    task, said = _task(rows, change), change.payload
    if task is None:
        return
    prove(rows, change, said.get("entries", ()), task.entity_id)
    if said["mode"] == "suggest":
        if task.state not in (DONE, CANCELLED):
            _connect(rows, change, task.entity_id, "blocked_by_suggested", "suggest", said["blockers"])
    elif task.state == BLOCKED:
        wanted = {blocker["entity"] for blocker in said["blockers"]}
        present = rows.edges_from(task.entity_id, "blocked_by")
        rows.retire(change, [edge for edge in present if edge.dst_id not in wanted])
        _connect(rows, change, task.entity_id, "blocked_by", "replace", said["blockers"])
        _release(rows, change, task.entity_id)


def task_transition_rejected(rows: Rows, change: Change) -> None:
    """Nothing moved; that it was asked for stands in the log."""


def condition_declared(rows: Rows, change: Change) -> None:
    said = change.payload
    current: dict[str, Any] = {"status": OPEN, "since": change.at}
    if said.get("candidates"):
        current["candidates"] = list(said["candidates"])
    if not rows.declare(change, CONDITION, said["condition"], said["key"], said["title"], current):
        _open_again(rows, change, said["condition"], current)
    prove(rows, change, said.get("entries", ()), said["condition"])


def _open_again(rows: Rows, change: Change, id: str, current: Mapping[str, Any]) -> None:
    """Let a condition that was resolved hold again, because it has been stated again."""
    known = rows.entity(id)
    if known is not None and known.state == RESOLVED:
        rows.retire(change, rows.edges_from(id, "resolves_to"))
        rows.note(change, ENTITY, id, "state", RESOLVED, OPEN)
        rows.alter(change, known, current)


def condition_resolved(rows: Rows, change: Change) -> None:
    said = change.payload
    condition = rows.entity(said["condition"])
    if condition is None or condition.entity_type != CONDITION:
        return
    target = rows.entity(said["as"]) if said.get("as") else None
    if said.get("as") and (target is None or target.entity_id == condition.entity_id):
        return
    known = rows.edges_from(condition.entity_id, "resolves_to")
    rows.retire(change, [edge for edge in known if target is None or edge.dst_id != target.entity_id])
    if target is not None:
        meta = {
            "resolution_type": said.get("resolution_type", "user_confirmed"),
            "confidence": said.get("confidence", 1.0),
            "resolved_at": change.at,
        }
        rows.connect(change, NewEdge(ENTITY, condition.entity_id, "resolves_to", ENTITY, target.entity_id, meta))
    prove(rows, change, said.get("entries", ()), condition.entity_id)
    if condition.state != RESOLVED:
        rows.note(change, ENTITY, condition.entity_id, "state", condition.state, RESOLVED)
    told = {name: said[name] for name in ("evidence", "by") if said.get(name)}
    rows.alter(change, condition, {"status": RESOLVED, "resolved_at": change.at, **told})
    _release_behind(rows, change, condition.entity_id)


def artifact_declared(rows: Rows, change: Change) -> None:
    said = change.payload
    current = {"url": said["url"]} if said.get("url") else {}
    rows.declare(change, ARTIFACT, said["artifact"], said["key"], said["title"], current)
    prove(rows, change, said.get("entries", ()), said["artifact"])


def entity_alias_added(rows: Rows, change: Change) -> None:
    said = change.payload
    if rows.entity(said["entity"]) is not None:
        rows.add_alias(change, said["key"], said["entity"], said.get("title", ""))


# -- Blocking ------------------------------------------------------------------------------------------------


def _task(rows: Rows, change: Change) -> Entity | None:
    found = rows.entity(change.payload["task"])
    return found if found is not None and found.entity_type == TASK else None


def _move(rows: Rows, change: Change, task: Entity, to: str, reason: str = "") -> None:
    """Move a task; one that leaves `blocked` leaves all its blockers behind."""
    rows.note(change, ENTITY, task.entity_id, "state", task.state, to, reason)
    rows.alter(change, task, {"status": to, "since": change.at})
    if task.state == BLOCKED:
        for edge in _unsettled(rows, task.entity_id):
            rows.alter_edge(edge, {"resolved_at": change.at, "resolved_by": change.id})


def _block(rows: Rows, change: Change, task: str, blockers: Sequence[Mapping[str, Any]]) -> None:
    """Put blockers before a task that has just become blocked; what blocked it at another time is history."""
    rows.retire(change, rows.edges_from(task, "blocked_by"))
    _connect(rows, change, task, "blocked_by", "replace", blockers)
    if not _live_blockers(rows, task):
        rows.retire(change, rows.edges_from(task, "blocked_by"))
        _block_by_unknown(rows, change, task)


def _block_by_unknown(rows: Rows, change: Change, task: str) -> None:
    key = unknown_condition_key(task)
    id = knowledge.entity_id(key)
    current = {"status": OPEN, "since": change.at, "placeholder": True}
    if not rows.declare(change, CONDITION, id, key, "unknown", current):
        _open_again(rows, change, id, current)
    _connect(rows, change, task, "blocked_by", "replace", [{"entity": id, "raw_text": ""}])


def _connect(
    rows: Rows, change: Change, task: str, relation: str, mode: str, blockers: Iterable[Mapping[str, Any]]
) -> None:
    for blocker in blockers:
        if blocker["entity"] == task or rows.entity(blocker["entity"]) is None:
            continue
        meta = {"mode": mode, **{name: value for name, value in blocker.items() if name not in _OWN}}
        meta.setdefault("raw_text", "")
        rows.connect(change, NewEdge(ENTITY, task, relation, ENTITY, blocker["entity"], meta))
    if relation == "blocked_by":
        confirmed = {edge.dst_id for edge in rows.edges_from(task, "blocked_by")}
        guesses = rows.edges_from(task, "blocked_by_suggested")
        rows.retire(change, [edge for edge in guesses if edge.dst_id in confirmed])


def _unsettled(rows: Rows, task: str) -> list[Edge]:
    return [edge for edge in rows.edges_from(task, "blocked_by") if not edge.meta.get("resolved_at")]


def _live_blockers(rows: Rows, task: str) -> list[Edge]:
    return [edge for edge in _unsettled(rows, task) if not _is_settled(rows, edge.dst_id)]


def effective(rows: Rows, id: str) -> str:
    """What stands at the end of a chain of conditions that were found to be something else; a circle ends."""
    seen = {id}
    while following := [edge.dst_id for edge in rows.edges_from(id, "resolves_to") if edge.dst_id not in seen]:
        id = following[0]
        seen.add(id)
    return id


def _is_settled(rows: Rows, blocker: str) -> bool:
    end = rows.entity(effective(rows, blocker))
    if end is None:
        return True
    return (end.entity_type == TASK and end.state == DONE) or (end.entity_type == CONDITION and end.state == RESOLVED)


def _release(rows: Rows, change: Change, id: str) -> None:
    task = rows.entity(id)
    if task is not None and task.state == BLOCKED and not _live_blockers(rows, id):
        _move(rows, change, task, IN_PROGRESS, RELEASED)


def _release_behind(rows: Rows, change: Change, settled: str) -> None:
    """Let go on whichever tasks waited for this and for nothing else, directly or through conditions."""
    waiting, seen = [settled], {settled}
    tasks: list[str] = []
    while waiting:
        id = waiting.pop()
        tasks += [edge.src_id for edge in rows.edges_to(id, "blocked_by")]
        for edge in rows.edges_to(id, "resolves_to"):
            if edge.src_id not in seen:
                seen.add(edge.src_id)
                waiting.append(edge.src_id)
    for task in sorted(set(tasks)):
        _release(rows, change, task)
