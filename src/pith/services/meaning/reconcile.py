"""Compare index and store item by item, and repair both directions: what is missing, what is orphaned, what is old.

What the outbox is still to do is no difference. The caller holds the project's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pith import platform
from pith.domain import outbox
from pith.domain.ports import VectorIndex
from pith.services.meaning import texts
from pith.store import jobs
from pith.store.database import Db

STEP = 500  # items repaired in one transaction
SHOWN = 20

GoOn = Callable[[], bool]
Key = tuple[str, str]


@dataclass
class Differences:
    """How index and store of one version differ; lists of (kind, id)."""

    version: str
    held: int = 0  # items in the index
    missing: list[Key] = field(default_factory=list)  # in the store only
    orphaned: list[Key] = field(default_factory=list)  # in the index only
    outdated: list[Key] = field(default_factory=list)  # made from another text
    waiting: int = 0  # the outbox will see to these

    @property
    def count(self) -> int:
        return len(self.missing) + len(self.orphaned) + len(self.outdated)


@dataclass
class Reconciled:
    """What `reconcile` found and did."""

    version: str
    held: int = 0
    enqueued_missing: int = 0
    enqueued_outdated: int = 0
    removed_orphans: int = 0
    removed_versions: dict[str, int] = field(default_factory=dict)  # version -> items that were in its index
    recovered: int = 0
    retried: int = 0
    waiting: int = 0
    items: list[str] = field(default_factory=list)  # some of those that differed

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def compare(db: Db, version: str, index: VectorIndex) -> Differences:
    """Where index and store disagree, the outbox's own work left out; changes nothing."""
    held = {(kind, id): bytes(digest) for kind, id, digest in index.items()}
    busy = jobs.unserved(db, version)
    found = Differences(version, held=len(held))
    for item in texts.each(db):
        key = (item.kind, item.id)
        digest = held.pop(key, None)
        if digest == texts.digest(item):
            continue
        if key in busy:
            found.waiting += 1
        else:
            (found.missing if digest is None else found.outdated).append(key)
    for key in held:
        if key in busy:
            found.waiting += 1
        else:
            found.orphaned.append(key)
    return found


def reconcile(
    db: Db,
    version: str,
    index: VectorIndex,
    *,
    strays: Mapping[str, VectorIndex] | None = None,
    now: str = "",
    go_on: GoOn = lambda: True,
) -> Reconciled:
    """Make index and store agree, and say what was done; `strays` are the indexes of versions that nobody uses.

    What is missing or old is enqueued, to be embedded by the worker; what is orphaned is removed at once.
    """
    now = now or platform.now()
    found = compare(db, version, index)
    done = Reconciled(version, held=found.held)
    with db.transaction():
        done.recovered = jobs.recover(db, now)
        done.retried = jobs.retry_all(db, now, version, outbox.RETRYABLE)
    done.enqueued_missing = _enqueue(db, version, found.missing, now, go_on)
    done.enqueued_outdated = _enqueue(db, version, found.outdated, now, go_on)
    done.removed_orphans = _remove(index, found.orphaned, go_on)
    for name, stray in (strays or {}).items():
        done.removed_versions[name] = stray.count()
        stray.drop()
    done.items = [f"{kind}:{id}" for kind, id in (*found.missing, *found.outdated, *found.orphaned)[:SHOWN]]
    done.waiting = len(jobs.unserved(db, version))
    return done


def _enqueue(db: Db, version: str, keys: list[Key], now: str, go_on: GoOn) -> int:
    done = 0
    for some in _steps(keys):
        if not go_on():
            break
        with db.transaction():
            done += jobs.want(db, version, some, now)
    return done


def _remove(index: VectorIndex, keys: list[Key], go_on: GoOn) -> int:
    done = 0
    for some in _steps(keys):
        if not go_on():
            break
        index.delete(some)
        done += len(some)
    return done


def _steps(keys: list[Key]) -> Iterator[list[Key]]:
    for start in range(0, len(keys), STEP):
        yield keys[start : start + STEP]
