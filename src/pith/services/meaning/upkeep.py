"""What a person asks of the outbox: how it stands, try again, compare and repair, give a version up.

All but the first take the worker's lock: while a worker is at it, the index is its own.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from pith import platform
from pith.domain.outbox import RetryPolicy
from pith.domain.ports import VectorIndex
from pith.errors import NotFound, PithError, SettingInvalid
from pith.services.config import Settings
from pith.services.meaning import alerts, indexes, reconcile, versions
from pith.services.work.start import LOCK
from pith.services.workspace import Workspace
from pith.store import items, jobs, vectors
from pith.store import versions as stored
from pith.store.database import Db
from pith.store.versions import RETIRED, Version

PATIENCE = 2.0  # seconds to wait for a worker that is just ending
LONGEST_WAIT = 86_400  # seconds
SHOWN = 10  # failed jobs that are told one by one


class WorkerAtIt(PithError):
    """A worker holds the lock of the store."""

    code = "WORKER_AT_WORK"
    hint = "Try again when it has finished; `pith status` says what it does."
    http_status = 503


class NoVersion(NotFound):
    """Nothing was ever embedded here."""

    code = "NO_EMBEDDING_VERSION"
    hint = "Set `meaning.embedder` and run `pith work`; until then everything is found by words."


class Alone:
    """`with Alone(ws):`; nobody else works on the outbox meanwhile. Raises WorkerAtIt."""

    def __init__(self, ws: Workspace) -> None:
        self._lock = platform.Lock(os.path.join(ws.folder, LOCK), timeout=PATIENCE)

    def __enter__(self) -> None:
        try:
            self._lock.__enter__()
        except platform.LockTimeout as error:
            raise WorkerAtIt("A worker is at work in this project.") from error

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def policy(settings: Settings) -> RetryPolicy:
    """How often and when to try again, by the settings."""
    try:
        waits = [float(each) for each in settings.get("meaning.retryWaits")]
    except ValueError:
        waits = [-1]
    if not all(0 <= wait <= LONGEST_WAIT for wait in waits):
        raise SettingInvalid("`meaning.retryWaits` must be a list of seconds.", hint="For instance: 1, 5, 30.")
    return RetryPolicy(int(settings.get("meaning.retries")), waits)


# -- How it stands -------------------------------------------------------------------------------------------


def overview(db: Db, now_ms: int) -> dict[str, Any]:
    """Every version with its figures, the one in use first; what should worry somebody about that one."""
    listed = [_described(db, each, now_ms) for each in stored.listed(db)]
    used = listed[0] if listed and listed[0]["state"] != RETIRED else None
    answering = versions.answering(db)
    return {
        "in_use": used["version"] if used else None,
        "answering": answering.version if answering else None,
        "versions": listed,
        "alerts": [each.as_json() for each in alerts.alerts(used["jobs"])] if used else [],
    }


def progress(db: Db) -> tuple[int, int]:
    """How many texts the version in use holds, and how many wait for their vectors or have no job yet."""
    used = stored.in_use(db)
    if used is None:
        return 0, 0
    counts = jobs.metrics(db, used.version)
    later = items.count_below(db, used.enqueue_kind, used.enqueue_from)
    return counts["done"], counts["pending"] + counts["processing"] + later


def _described(db: Db, version: Version, now_ms: int) -> dict[str, Any]:
    figures = alerts.metrics(db, version.version, now_ms)
    return {
        "version": version.version,
        "model": version.model,
        "dimensions": version.dimensions,
        "state": version.state,
        "registered_at": version.registered_at,
        "ready_at": version.ready_at,
        "retired_at": version.retired_at,
        "to_enqueue": items.count_below(db, version.enqueue_kind, version.enqueue_from),
        "jobs": figures,
        "failed": [dict(row) for row in jobs.failed(db, version.version, SHOWN)],
    }


# -- What is asked of it -------------------------------------------------------------------------------------


def retry(ws: Workspace, names: Sequence[str] = ()) -> dict[str, int]:
    """Let failed jobs, all or these (`kind:id`), be tried as if for the first time."""
    version = _in_use(ws.db).version
    now = platform.now()
    with Alone(ws), ws.db.transaction() as db:
        if not names:
            return {"retried": jobs.retry_all(db, now, version)}
        for name in names:
            if not jobs.retry_one(db, f"{name}@{version}", now):
                raise NotFound(f"No job is about {name}.", hint="`pith outbox status` lists those that failed.")
        return {"retried": len(names)}


def reconciled(ws: Workspace) -> dict[str, Any]:
    """Compare index and store of the version in use, repair both directions, and say what was done."""
    version = _in_use(ws.db)
    with Alone(ws):
        names = [name for name, _ in vectors.versions(ws.db) if not _is_kept(ws.db, name)]
        strays = {name: indexes.at(ws, indexes.EXACT, name, 1) for name in names}
        done = reconcile.reconcile(
            ws.db, version.version, index_of(ws, version.version, version.dimensions), strays=strays
        )
    return done.as_json()


def retire(ws: Workspace, name: str) -> dict[str, Any]:
    """Give a version up: its jobs and vectors go; raises NotFound."""
    found = stored.by_name(ws.db, name)
    if found is None:
        raise NotFound(f"No embedding version is called {name}.", hint="`pith outbox status` lists them.")
    with Alone(ws):
        gone = versions.retire(ws.db, name, index_of(ws, name, found.dimensions), platform.now())
    return {"version": name, **gone}


def index_of(ws: Workspace, version: str, dimensions: int) -> VectorIndex:
    """The index that holds the vectors of a version."""
    return indexes.opened(ws, version, dimensions)


def _in_use(db: Db) -> Version:
    found = stored.in_use(db)
    if found is None:
        raise NoVersion("Nothing was embedded in this project yet.")
    return found


def _is_kept(db: Db, name: str) -> bool:
    found = stored.by_name(db, name)
    return found is not None and found.state != RETIRED
