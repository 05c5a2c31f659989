"""What `pith status` and `pith doctor` tell of a store's worker: whether it runs, how the last one went, what waits."""

from __future__ import annotations

import os
import time
from dataclasses import asdict
from typing import Any

from pith import platform
from pith.services import spool
from pith.services.config import Settings
from pith.services.work import record, start
from pith.store import due
from pith.store.database import Db


def worker(folder: str, settings: Settings, db: Db | None) -> dict[str, Any]:
    """The worker of a store, as data; `due` counts up to a few hundred, as the hooks that start it do."""
    last = record.read(folder)
    running = is_running(folder)
    return {
        "start": settings.get("worker.start"),
        "running": running,
        "killed": is_killed(last, running),
        "last": asdict(last) if last else None,
        "waits_seconds": round(start.back_off(folder, time.time())),
        "due": {
            "spooled": len(spool.waiting(folder)),
            "unread": due.unread(db) if db else 0,
            "vectors": due.jobs(db, platform.now()) if db else 0,
        },
    }


def is_running(folder: str) -> bool:
    """Whether a worker has the lock; looking makes no file."""
    path = os.path.join(folder, start.LOCK)
    return os.path.isfile(path) and os.access(path, os.W_OK) and not start.is_free(folder)


def is_killed(last: record.Record | None, running: bool) -> bool:
    """Whether the last worker began and never came to an end."""
    return last is not None and not last.ended and not running
