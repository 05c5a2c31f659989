"""How long and how much is kept: what is older than `capture.keepDays` is forgotten, a large store is only told.

Age is a promise that a person made to somebody; size says nothing about what is worth keeping, so nothing is ever
forgotten for it. Without the setting, and a person's word that it is meant (`keep_days`), nothing happens. Work is done
in short calls by whatever command has time for it.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace

from pith import platform
from pith.domain.knowledge import PREFERENCE_CONFIRMED, PREFERENCE_WITHDRAWN
from pith.errors import PithError
from pith.services.keeping import backup, burial, copies, forget, keep_days
from pith.services.keeping.forget import LOCK
from pith.services.workspace import Workspace
from pith.store import events as stored
from pith.store import meta, usage
from pith.store.database import FILE

DAY_MS = 86_400_000
EVERY_MS = DAY_MS  # writing the database anew at every call would be too much for what a day adds
SECONDS = 2.0
MEGABYTE = 1_000_000
# What a person decided does not grow old with the prompt in which it was said first.
_AGELESS = (PREFERENCE_CONFIRMED, PREFERENCE_WITHDRAWN)
_DONE_AT = "retention.done_at"


@dataclass(frozen=True)
class Applied:
    """What one call did: how many events it forgot, how many are still due, and whether nobody agreed to it yet."""

    events: int = 0
    left: int = 0
    finished: bool = True
    must_ask: bool = False


@dataclass(frozen=True)
class Size:
    """How large the store is, and from where on the settings want to be warned (0: never)."""

    bytes: int
    limit: int

    @property
    def is_too_large(self) -> bool:
        return 0 < self.limit < self.bytes


def before(ws: Workspace, now_ms: int) -> str | None:
    """The time before which events are to be forgotten, or None when they are kept for ever."""
    days = int(ws.settings.get("capture.keepDays"))
    return platform.stamp(max(0, now_ms - days * DAY_MS)) if days else None


def due(ws: Workspace, now_ms: int) -> int:
    """How many events are older than the settings allow; nothing for a day after all of them went."""
    limit = before(ws, now_ms)
    done_at = int(meta.get(ws.db, _DONE_AT) or 0)
    if limit is None or done_at <= now_ms < done_at + EVERY_MS:
        return 0
    return len(stored.older(ws.db, limit))


def apply(ws: Workspace, now_ms: int, seconds: float = SECONDS) -> Applied:
    """Forget what is due, oldest first, for about so long; what is left is for the next call."""
    limit = before(ws, now_ms)
    if limit is None or not (due(ws, now_ms) or burial.is_unfinished(ws.db)):
        return Applied()
    lock = platform.try_lock(os.path.join(ws.folder, LOCK))
    if lock is None:
        return Applied(left=due(ws, now_ms), finished=False)
    try:
        return _apply(ws, limit, now_ms, time.monotonic() + seconds)
    finally:
        lock.release()


def keep_up(ws: Workspace, seconds: float = SECONDS) -> Applied:
    """Complete a forgetting that was stopped, forget what is due, and let only the newest backups stay.

    For commands that have a moment; never raises.
    """
    if not os.path.exists(os.path.join(ws.folder, FILE)):
        return Applied()
    try:
        _rotate(ws.folder)
        days = int(ws.settings.get(keep_days.KEY))
        now_ms = platform.now_ms()
        limit = before(ws, now_ms) or ""
        count = stored.count_older(ws.db, limit)
        if days and keep_days.is_agreed(ws.home, ws.project.id, days):
            done = apply(ws, now_ms, seconds)
            return replace(done, events=count - stored.count_older(ws.db, limit))  # as people count: not what followed
        left = count if due(ws, now_ms) else 0
        return Applied(left=left, finished=forget.finish(ws).finished, must_ask=left > 0)
    except PithError:
        return Applied(finished=False)  # the store is busy or damaged: who asks for it directly is told


def _rotate(folder: str) -> None:
    """Remove backups beyond the newest: each migration leaves one, and the store that makes it knows no policy."""
    lock = platform.try_lock(os.path.join(folder, LOCK)) if len(backup.list_backups(folder)) > backup.KEEP else None
    if lock is None:
        return
    try:
        backup.rotate(folder)
    except OSError:
        pass  # they stay until they can be removed
    finally:
        lock.release()


def _apply(ws: Workspace, limit: str, now_ms: int, end: float) -> Applied:
    numbers = stored.older(ws.db, limit)
    now = platform.stamp(now_ms)
    done = 0
    while done < len(numbers) and (done == 0 or time.monotonic() < end):
        batch = numbers[done : done + burial.BATCH * 4]
        burial.bury(ws.db, batch, now, spare=_AGELESS)
        done += len(batch)
    if done < len(numbers):
        return Applied(done, len(numbers) - done, finished=False)
    with ws.db.transaction():
        usage.remove_older(ws.db, limit)
    copies.clean_databases(ws, now)
    finished = burial.scour(ws.db)
    if finished:
        with ws.db.transaction():
            meta.put(ws.db, _DONE_AT, str(now_ms))
    return Applied(done, 0, finished)


def size(ws: Workspace) -> Size:
    """How large the store is, its log included."""
    paths = (os.path.join(ws.folder, name) for name in (FILE, f"{FILE}-wal"))
    held = sum(os.path.getsize(path) for path in paths if os.path.exists(path))
    return Size(held, int(ws.settings.get("capture.maxStoreMegabytes")) * MEGABYTE)
