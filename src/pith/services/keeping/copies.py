"""Where else text of a store lies: its spool, its backups and files set aside, exports that were written from it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pith import platform
from pith.errors import PithError
from pith.services import spool
from pith.services.keeping import burial, exchange_lines
from pith.services.workspace import Workspace
from pith.store import compaction, exports, sessions
from pith.store import events as stored
from pith.store.database import BUSY_MS, FILE, VERSION, Db, connect, upgrade

REWRITTEN, REMOVED, LEFT = "rewritten", "removed", "left"
BACKUPS = "backups"
DRAFT = ".draft"
_OLD = 60  # seconds after which nobody is still writing a draft
_PATIENCE = 5.0
_SET_ASIDE = (f"{FILE}.damaged-", f"{FILE}.before-restore-")
_LOGS = ("-wal", "-shm", "-journal")


@dataclass(frozen=True)
class Copy:
    """A file with stored text: what it is, and what becomes or became of it."""

    path: str
    kind: str
    outcome: str


def databases(folder: str) -> list[tuple[str, str]]:
    """Other databases beside the store, with their kind: backups, and files set aside by a repair."""
    found = [(path, "backup") for path in _below(os.path.join(folder, BACKUPS)) if path.endswith(".db")]
    aside = (path for path in _below(folder) if os.path.basename(path).startswith(_SET_ASIDE))
    return found + [(path, "set aside") for path in aside if not path.endswith(_LOGS)]


def unreadable(ws: Workspace) -> list[str]:
    """Spooled files that could not be read; nobody can say what is in them."""
    folders = (ws.folder, ws.home)
    return [
        path
        for folder in folders
        for path in _below(os.path.join(folder, spool.FOLDER))
        if path.endswith(".damaged") or (path.endswith(DRAFT) and _is_old(path))
    ]


def settle_spool(ws: Workspace) -> None:
    """Bring in what waits, so that it can be forgotten like all else."""
    spool.sort_in(ws.home)
    end = time.monotonic() + _PATIENCE
    while spool.waiting(ws.folder) and time.monotonic() < end:
        if not spool.drain(ws):
            time.sleep(0.05)


def clean_spool(ws: Workspace) -> list[Copy]:
    """Remove the spooled files that cannot be read."""
    return [_remove(path, "spool") for path in unreadable(ws)]


# -- Databases -----------------------------------------------------------------------------------------------


def clean_databases(ws: Workspace, now: str, *, allow_return: bool = False) -> list[Copy]:
    """Forget in every backup what is forgotten in the store; one that cannot be rewritten is removed."""
    ids = stored.forgotten(ws.db)
    names = {fact: sessions.without_facts(ws.db, fact) for fact in sessions.TELLING}
    done = []
    for path, kind in databases(ws.folder):
        outcome = _clean(path, ids, names, now, allow_return)
        done.append(_remove(path, kind) if outcome == REMOVED else Copy(path, kind, outcome))
    done += [_remove(path, "draft") for path in drafts(ws.folder)]
    return done


def drafts(folder: str) -> list[str]:
    """What processes that were killed while they copied the store have left."""
    places = (os.path.join(folder, BACKUPS), folder)
    return [path for place in places for path in _below(place) if DRAFT in path and _is_old(path)]


def _clean(path: str, ids: set[str], names: dict[str, list[str]], now: str, allow_return: bool) -> str:
    try:
        with Db(connect(path, BUSY_MS), path) as db:
            if not 0 < compaction.version_of(db) <= VERSION or not compaction.is_sound(db):
                return REMOVED
            return _clean_sound(db, ids, names, now, allow_return)
    except Exception:  # whatever is wrong with a copy, it must not keep what is to be forgotten
        return REMOVED


def _clean_sound(db: Db, ids: set[str], names: dict[str, list[str]], now: str, allow_return: bool) -> str:
    numbers = [seq for id, seq in stored.remembered(db).items() if id in ids]
    named = {fact: set(names[fact]) - set(sessions.without_facts(db, fact)) for fact in names}
    stale = [
        (session["id"], fact)
        for session in sessions.each(db)
        for fact in sessions.TELLING
        if session["id"] in named[fact] and session[fact]
    ]
    if not numbers and not stale and not burial.is_unfinished(db):
        return LEFT
    upgrade(db)  # what a migration left behind is of an older version: forgetting knows today's tables
    burial.bury(db, sorted(numbers), now, allow_return=allow_return)
    burial.bury_changes(db, numbers, now)
    for session, fact in stale:
        sessions.forget_facts(db, session, (fact,))
    return REWRITTEN if burial.scour(db) else REMOVED


# -- Exports -------------------------------------------------------------------------------------------------

EVENT_LINE = b'{"type": "event", "id": "'
CHANGE_LINE = b'{"type": "knowledge", "id": "'
FORGOTTEN = b', "forgotten_at": '


def holding_exports(db: Db, ids: set[str]) -> list[str]:
    """The known exports, or drafts of them, that hold the text of one of these events."""
    return [path for path in _known(db) if _holds(path, ids)]


def clean_exports(db: Db, ids: set[str], *, remove: bool) -> list[Copy]:
    """Remove the exports that hold one of these events, or say where they are."""
    holding = holding_exports(db, ids)
    done = [_remove(path, "export") if remove else Copy(path, "export", LEFT) for path in holding]
    with db.transaction():
        for path in exports.paths(db):
            if not any(os.path.lexists(each) for each in (path, path + DRAFT)):
                exports.drop(db, path)
    return done


def others_in(path: str, ids: set[str]) -> int:
    """How many events an export holds beside these: what would be lost with it, should it be the only copy."""
    start, length = len(EVENT_LINE), 36
    try:
        with open(path, "rb") as file:
            return sum(
                line.startswith(EVENT_LINE)
                and not line.startswith(FORGOTTEN, start + length + 1)
                and line[start : start + length].decode("ascii", "replace") not in ids
                for line in file
            )
    except OSError:
        return 0


def _known(db: Db) -> Iterator[str]:
    for path in exports.paths(db):
        for each in (path, path + DRAFT):
            if os.path.isfile(each):
                yield each


def _holds(path: str, ids: set[str]) -> bool:
    """Whether an export, and nothing that has taken its place, holds the text of one of these events."""
    try:
        with open(path, "rb") as file:
            return is_export(file.readline(10_000)) and any(_id_in(line) in ids for line in file)
    except OSError:
        return False


def _id_in(line: bytes) -> str:
    """The id of the event whose text a line of an export holds; empty where it holds none."""
    for beginning in (EVENT_LINE, CHANGE_LINE):
        if line.startswith(beginning):
            end = len(beginning) + 36
            return "" if line.startswith(FORGOTTEN, end + 1) else line[len(beginning) : end].decode("ascii", "replace")
    return ""


def is_export(first_line: bytes) -> bool:
    """Whether a file's first line is the header of an export."""
    try:
        header: Any = json.loads(first_line)
        return bool(header["type"] == exchange_lines.TYPE)
    except (ValueError, KeyError, TypeError, RecursionError):
        return False


# -- Files ---------------------------------------------------------------------------------------------------


def _below(folder: str) -> list[str]:
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    except OSError:
        return []


def _is_old(path: str) -> bool:
    try:
        return platform.now_ms() / 1000 - os.stat(path).st_mtime > _OLD
    except OSError:
        return False


def _remove(path: str, kind: str) -> Copy:
    for part in (path, *(path + log for log in _LOGS)):
        try:
            os.remove(part)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise CopyStays(
                f"{part} holds what is to be forgotten and cannot be removed ({error.strerror})."
            ) from error
    return Copy(path, kind, REMOVED)


class CopyStays(PithError):
    """A file that must go is kept by the system."""

    code = "COPY_STAYS"
    hint = "Remove it by hand, then run the same command again."
