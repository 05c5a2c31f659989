"""Embedding versions: registered when an embedder is first used, filled in steps, ready when complete, retired at last.

The version chosen last is in use. Registering enqueues what exists by and by (`enqueue_some`), so that a worker that is
killed goes on where it was and no transaction is long; what is written meanwhile is enqueued by triggers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pith.domain import passages
from pith.domain.outbox import KINDS
from pith.domain.ports import Embedder, VectorIndex
from pith.errors import NotFound
from pith.platform import sha256
from pith.services.meaning import texts
from pith.store import items, jobs
from pith.store import versions as stored
from pith.store.database import Db
from pith.store.versions import READY, RETIRED, Version

STEP = 250  # items in one transaction: a hook waits only a moment for the write lock


def hash_of(embedder: Embedder) -> str:
    """What changes when the same text would give another vector: the recipe, how texts are made and split."""
    parts = (embedder.recipe, str(texts.VERSION), str(passages.VERSION), str(passages.ROOM), str(texts.MOST_PIECES))
    return sha256("\0".join(parts).encode()).hex()[:12]


def name_of(embedder: Embedder) -> str:
    """`{model}@{dimensions}-{hash}`."""
    return f"{embedder.model}@{embedder.dimensions}-{hash_of(embedder)}"


def register(db: Db, embedder: Embedder, now: str, opened_by: Mapping[str, Any] | None = None) -> Version:
    """Use this embedder's version from now on; costs one look where it is in use already.

    `opened_by` are the settings that open it again, so that questions can be asked of it while a newer one is built.
    """
    name, settings = name_of(embedder), dict(opened_by or {})
    found = stored.in_use(db)
    if found is None or (found.version, found.opened_by) != (name, settings):
        with db.transaction():
            stored.put(
                db, name, model=embedder.model, dimensions=embedder.dimensions, hash=hash_of(embedder),
                opened_by=settings, now=now,
            )  # fmt: skip
        found = stored.by_name(db, name)
        assert found is not None
    return found


def answering(db: Db, may_answer: Callable[[Version], bool] = lambda _: True) -> Version | None:
    """The version that questions are put to: the one in use if it is complete, else the last one that was.

    Where none is complete yet, part of an answer is better than none.
    """
    kept = [each for each in stored.listed(db) if each.state != RETIRED and may_answer(each)]
    complete = [each for each in kept if each.state == READY]
    return next(iter([*complete, *kept]), None)


def enqueue_some(db: Db, version: str, now: str, limit: int = STEP) -> int:
    """Enqueue the next of what exists, in one short transaction; how many were looked at, 0 when all were."""
    with db.transaction():
        found = stored.by_name(db, version)
        if found is None or not found.enqueue_kind or found.state == RETIRED:
            return 0
        kind, at = found.enqueue_kind, found.enqueue_from
        looked = 0
        while kind and looked < limit:
            some = items.below(db, kind, at, limit - looked)
            jobs.enqueue_for(db, version, [(kind, id) for id, _ in some], now)
            looked += len(some)
            kind, at = (kind, some[-1][1]) if looked == limit else (_after(kind), "")
        stored.note_enqueued(db, version, kind, at)
        return max(looked, 1)


def _after(kind: str) -> str:
    following = KINDS.index(kind) + 1
    return KINDS[following] if following < len(KINDS) else ""


def settle(db: Db, version: str, now: str) -> bool:
    """Call the version ready if all that exists was enqueued and done; whether that is news."""
    found = stored.by_name(db, version)
    if found is None or found.state != stored.BUILDING or found.enqueue_kind or not jobs.is_settled(db, version):
        return False
    with db.transaction():
        # A job may have come between the two looks; it does not make less of what is there.
        return stored.mark_ready(db, version, now)


def retire(
    db: Db, version: str, index: VectorIndex | None, now: str, go_on: Callable[[], bool] = lambda: True
) -> dict[str, int]:
    """Write nothing for a version any more, and remove its jobs and vectors; safe to be stopped and run again."""
    if stored.by_name(db, version) is None:
        raise NotFound(f"No embedding version is called {version}.", hint="`pith outbox status` lists them.")
    with db.transaction():
        stored.mark_retired(db, version, now)
    gone = {"jobs": 0, "vectors": 0}
    while go_on():
        with db.transaction():
            some = jobs.remove_some(db, version, STEP)
        gone["jobs"] += some
        if some < STEP:
            break
    if index is not None and go_on():
        gone["vectors"] = index.count()
        index.drop()
    return gone
