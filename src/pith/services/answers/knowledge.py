"""Entries, tasks and what they rest on, as every face tells them."""

from __future__ import annotations

from contextlib import suppress

from pith.domain.entities import BLOCKED, IN_PROGRESS, PENDING, TASK
from pith.errors import InputError, NotFound
from pith.services.knowledge import lookup as look
from pith.store.database import BUSY_MS, StoreBusy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from pith.services.workspace import Workspace

LIVE = ("active", "contested")
UNFINISHED = (BLOCKED, IN_PROGRESS, PENDING)
ALL = "all"
ENTRIES, TASKS = 30, 50  # listed, where nothing else is asked for


def opened(folder: str | None = None, *, reading: bool = True, patience: int = BUSY_MS) -> Workspace:
    """The workspace of a folder, or of where this process works; raises StoreUnavailable where nothing was stored yet.

    With `reading`, events that wait are read first: the answer then tells of what was said a moment ago. Entries stand
    where the accepted nodes of this work tree put them. While another process writes for longer than `patience`
    milliseconds, the answer tells of what was read before.
    """
    from pith.services import lookup
    from pith.services.knowledge import extract
    from pith.services.knowledge import fold as knowledge
    from pith.services.project_memory import accepted
    from pith.services.workspace import open_workspace

    ws = open_workspace(folder, busy_ms=patience)
    try:
        lookup.open_to_ask(ws.folder).close()
        with suppress(StoreBusy):
            if reading:
                extract.keep_up(ws.db, ws.project.id)
            else:
                knowledge.catch_up(ws.db)
        accepted.up_to_date(ws.db, ws.place)
    except BaseException:
        ws.close()
        raise
    return ws


def entries(
    ws: Workspace,
    *,
    types: Sequence[str] = (),
    stages: Sequence[str] = (),
    statuses: Sequence[str] = LIVE,
    limit: int = ENTRIES,
) -> dict[str, Any]:
    """What was stated, the newest first, each with its stage and status."""
    from pith.store import entries as stored

    found = stored.listed(ws.db, types=types, stages=stages, statuses=statuses, limit=limit + 1)
    return {"entries": [look.told_entry(ws.db, one) for one in found[:limit]], "more": len(found) > limit}


def lineage(ws: Workspace, entry: str, depth: int = 10) -> dict[str, Any]:
    """What an entry was derived from, and what was derived from it."""
    from pith.store import entries as stored

    one = look.entry(ws.db, entry)
    ways = {"ancestors": stored.ancestors, "descendants": stored.descendants}
    found: dict[str, Any] = {"entry": look.told_entry(ws.db, one)}
    for name, follow in ways.items():
        steps = follow(ws.db, one.entry_id, depth)
        known = [(stored.by_id(ws.db, id), step) for id, step in steps]
        found[name] = [{**look.told_entry(ws.db, each), "depth": n} for each, n in known if each]
    return found


def evidence(ws: Workspace, what: str) -> dict[str, Any]:
    """The quotes that an entry rests on, or the entries that prove something about a task or condition."""
    try:
        one = look.entry(ws.db, what)
    except NotFound:
        found = look.entity(ws.db, ws.project.id, what)
        return {"entity": look.told_entity(ws.db, found), "entries": look.whole_entity(ws.db, found)["proved_by"]}
    return {"entry": look.told_entry(ws.db, one), "evidence": look.told_evidence(ws.db, one)}


def note(ws: Workspace, type: str, title: str, text: str = "", quotes: Sequence[str] = ()) -> dict[str, Any]:
    """State something as the agent's own entry; its quotes are looked for in what was said lately."""
    from pith.services.knowledge import note as service
    from pith.services.knowledge.fold import Cause

    cause = Cause(origin="agent", branch=ws.place.branch or "", commit=ws.place.commit or "")
    return {"entry": look.whole_entry(ws.db, service.note(ws.db, type, title, text, quotes, cause=cause))}


# -- Tasks ---------------------------------------------------------------------------------------------------


def tasks(ws: Workspace, *, statuses: Sequence[str] = (), blocked: bool = False, limit: int = TASKS) -> dict[str, Any]:
    """The tasks, unfinished ones unless told otherwise, each with what effectively blocks it."""
    from pith.store import entities

    states = (BLOCKED,) if blocked else () if ALL in statuses else tuple(statuses) or UNFINISHED
    found = entities.listed(ws.db, TASK, states, limit + 1)
    return {
        "tasks": [look.told_entity(ws.db, one) for one in found[:limit]],
        "states": list(states),
        "more": len(found) > limit,
    }


def task(ws: Workspace, named: str) -> dict[str, Any]:
    """One task: what blocks it, what proves that, and how it came to stand where it stands."""
    return {"task": look.whole_entity(ws.db, look.entity(ws.db, ws.project.id, named, TASK))}


def set_task(
    ws: Workspace,
    named: str,
    *,
    status: str | None = None,
    blocked_by: Sequence[str] = (),
    priority: str | None = None,
    title: str | None = None,
    reason: str = "",
) -> dict[str, Any]:
    """Make a task where none has that name, move it, say what blocks it, how urgent it is, or what it is called."""
    from pith.services.knowledge import tasks as service

    if blocked_by and status not in (None, BLOCKED):
        raise InputError("`--blocked-by` goes with `--status blocked` only.", hint="Leave one of the two out.")
    db, project = ws.db, ws.project.id
    try:
        one = look.entity(db, project, named, TASK)
    except NotFound:
        if named.lower().startswith("mem:"):
            raise
        one = service.create(db, project, named, priority=priority or "normal")
    if title:
        one = service.rename(db, project, one.entity_id, title)
    if priority:
        one = service.prioritise(db, one.entity_id, priority)
    if blocked_by or status == BLOCKED:
        one = service.block(db, project, one.entity_id, blocked_by, reason)
    elif status:
        one = service.move(db, one.entity_id, status, reason)
    return {"task": look.whole_entity(db, one)}
