"""Forgetting preferences: what quotes forgotten words in the personal store, or one preference by its citation."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pith import platform
from pith.domain.preferences import CANDIDATE
from pith.errors import NotFound
from pith.services import personal
from pith.services import preferences as service
from pith.services.keeping import burial, copies
from pith.services.keeping.copies import Copy
from pith.services.workspace import Workspace
from pith.store import knowledge as changes
from pith.store import preferences as stored

LOCK = "upkeep.lock"
PATIENCE = 30  # seconds


def named(ws: Workspace, name: str) -> str:
    """The id of the preference that a citation names; empty where it names none that anybody decided on."""
    try:
        found = service.look(ws, name)
    except NotFound:
        return ""
    if found["state"] == CANDIDATE:
        raise NotFound(
            f"{name} is only what a prompt says; nothing else of it is kept.",
            hint=f"`pith forget {found['event']}` forgets that prompt.",
        )
    return str(found["id"])


def told(ws: Workspace, id: str) -> dict[str, Any]:
    """A preference as the preview of a forgetting tells it, and the prompt that goes on saying it."""
    found = service.look(ws, id)
    at = found["withdrawn_at"] or found["confirmed_at"]
    event = {"citation": found["citation"], "at": at, "kind": stored.PREFERENCE, "snippet": found["text"]}
    return {"event": event, "also_said_in": [found["event"]] if found["event"] else []}


def others(ws: Workspace) -> list[str]:
    """The backups of the personal store, which may hold it as well."""
    with _personal(ws.home) as own:
        return [path for path, _ in copies.databases(own.folder)] if own else []


def ids(ws: Workspace, id: str) -> set[str]:
    """The ids of the changes that hold the words of a preference in the project's store."""
    return changes.ids_of(ws.db, stored.changes_of(ws.db, id))


def forget(ws: Workspace, id: str, now: str) -> tuple[int, list[Copy], bool]:
    """Bury every change of a preference here and everywhere: how many, which copies changed, and whether all is gone.

    The project's own bytes are left to the caller, who makes them leave with all else.
    """
    count, done, finished = _in_personal(ws.home, now, lambda own: stored.changes_of(own.db, id))
    count += burial.bury_changes(ws.db, stored.changes_of(ws.db, id), now)
    return count, done, finished


def forget_quoting(home: str, sources: set[str], now: str) -> tuple[list[Copy], bool]:
    """Bury in the personal store what quotes one of these events."""
    _, done, finished = _in_personal(home, now, lambda own: changes.quoting(own.db, changes.quoted(own.db) & sources))
    return done, finished


def _in_personal(home: str, now: str, chosen: Any) -> tuple[int, list[Copy], bool]:
    with _personal(home) as own:
        if own is None:
            return 0, [], True
        with platform.Lock(os.path.join(own.folder, LOCK), timeout=PATIENCE):
            numbers: Sequence[int] = chosen(own)
            if not numbers and not burial.is_unfinished(own.db):
                return 0, [], True
            count = burial.bury_changes(own.db, numbers, now)
            done = copies.clean_databases(own, now)
            done += copies.clean_exports(own.db, changes.ids_of(own.db, numbers), remove=False)
            return count, done, burial.scour(own.db)


@contextmanager
def _personal(home: str) -> Iterator[Workspace | None]:
    own = personal.opened(home)
    try:
        yield own
    finally:
        if own is not None:
            own.close()
