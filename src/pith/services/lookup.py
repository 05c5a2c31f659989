"""From what a person types to what is stored: citations to events, beginnings of ids to sessions."""

from __future__ import annotations

import os

from pith.errors import Ambiguous, NotFound, StoreUnavailable
from pith.store import citations, sessions
from pith.store import events as stored
from pith.store.database import BUSY_HOOK_MS, FILE, Db, open_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BEGIN = "Run `pith init` to begin, or `pith import` to bring in past sessions."
SHORT = 8  # characters of a session's id, as hosts make them
_SHOWN = 5


def open_to_ask(folder: str | None) -> Db:
    """The store in a project's folder, to read; raises StoreUnavailable where nothing was stored yet.

    It waits for writers only as long as a hook does: nobody who reads needs their lock.
    """
    if not exists(folder):
        raise StoreUnavailable("Nothing has been stored for this project yet.", hint=BEGIN)
    return open_store(folder or "", busy_ms=BUSY_HOOK_MS, create=False)


def exists(folder: str | None) -> bool:
    """Whether anything was ever stored there."""
    return folder is not None and os.path.exists(os.path.join(folder, FILE))


def event(db: Db, cited: str) -> Any:
    """The event that a citation names, whole."""
    kind, id = citations.find(db, cited)
    found = stored.by_id(db, id) if kind == citations.EVENT else None
    if found is None:
        raise NotFound(f"{cited} is not an event.", hint="Run `pith recall` to find one.")
    return found


def cited(db: Db, row: Any) -> str:
    """The citation of an event, as it is shown."""
    return "mem:" + citations.short(db, citations.name(citations.EVENT, row["id"]))


def session(db: Db, prefix: str) -> str:
    """The whole id of the one session that begins so."""
    prefix = storable(prefix)
    found = sessions.matching(db, prefix) if prefix else []
    if prefix in found:
        return prefix
    if not found:
        raise NotFound(f"No session begins with {prefix[:60]}.", hint="Run `pith sessions` to see them.")
    if len(found) > 1:
        more = ", …" if len(found) > _SHOWN else "."
        raise Ambiguous(f"{len(found)} sessions begin with {prefix}: {', '.join(found[:_SHOWN])}{more}")
    return found[0]


def storable(text: str | None) -> str:
    """What was typed as a database can take it: bytes in no encoding become question marks."""
    return (text or "").encode("utf-8", "replace").decode("utf-8")


def short(session: str) -> str:
    """A session's id as it is shown in a line; `session` finds it again."""
    return session[:SHORT] if session[SHORT : SHORT + 1] == "-" and len(session) == 36 else session
