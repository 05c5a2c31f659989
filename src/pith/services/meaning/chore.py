"""The worker's chores of meaning: embed what waits by the embedder of the settings, let the wanted index answer."""

from __future__ import annotations

from typing import Any

from pith import platform
from pith.domain.ports import Embedder
from pith.services.meaning import embedders, indexes, means, outbox, switching, upkeep, versions
from pith.services.work.chore import GoOn
from pith.services.workspace import Workspace
from pith.store import versions as stored

_loaded: dict[str, Embedder] = {}  # the one that was used last: a watching worker loads a model once


def is_to_embed(ws: Workspace, now: int) -> bool:
    """Whether vectors are wanted, or the settings name an embedder that is not in use yet."""
    how = embedders.described(ws.settings)
    if not how:
        return False
    used = stored.in_use(ws.db)
    if used is None or used.opened_by != how:
        return True
    return outbox.is_due(ws.db, platform.stamp(now), upkeep.policy(ws.settings).most)


def embed(ws: Workspace, go_on: GoOn) -> str | None:
    """One pass over the outbox; what has to wait for another try is left to the next."""
    how = embedders.described(ws.settings)
    embedder = _opened(how, ws.home)
    used = versions.register(ws.db, embedder, platform.now(), how)
    means.seed(ws.db, used.version, embedder)
    index = indexes.opened(ws, used.version, used.dimensions)
    policy = upkeep.policy(ws.settings)
    done = outbox.serve(ws.db, embedder, index, version=used.version, policy=policy, go_on=go_on)
    if (done.embedded or done.gone) and go_on():
        index.optimize()
    return _told(done)


def _opened(how: dict[str, Any], home: str) -> Embedder:
    key = repr(sorted(how.items()))
    if key not in _loaded:
        _loaded.clear()
        found = embedders.opened(how, home)
        assert found is not None  # `is_to_embed` asked
        _loaded[key] = found
    return _loaded[key]


def _told(done: outbox.Progress) -> str | None:
    told = [
        f"{count:,} {words}"
        for count, words in (
            (done.embedded, "embedded"),
            (done.gone, "removed"),
            (done.failed, "failed"),
        )
        if count
    ]
    if done.became_ready:
        told.append("a new embedding version is complete")
    return ", ".join(told) or None


def is_to_move(ws: Workspace, _now: int) -> bool:
    """Whether another index is wanted than the one that answers."""
    return stored.in_use(ws.db) is not None and switching.is_due(ws)


def move(ws: Workspace, go_on: GoOn) -> str | None:
    """Copy the vectors into the wanted index, and let it answer."""
    done = switching.move(ws, indexes.wanted(ws.settings), go_on)
    return f"{done['copied']:,} vectors moved" if done["copied"] else None
