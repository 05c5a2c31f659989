"""A chore of the worker: who is near whom in meaning, worked out before anybody asks, so that hooks need no model.

Event after event in the order of writing; how far it came is noted with the embedding version, and another version
begins anew. Only the built-in index keeps its vectors where they can be read one by one.
"""

from __future__ import annotations

from typing import Any

from pith.domain.outbox import EVENT
from pith.domain.ports import VectorFilter, VectorIndex
from pith.services.meaning import indexes, versions
from pith.services.work.chore import GoOn
from pith.services.workspace import Workspace
from pith.store import jobs, kin, meta, search, vectors
from pith.store import versions as stored
from pith.store.database import Db

STEP = 20  # events between two looks at whether to go on
LEAST = 0.3  # a cosine after centring below which nobody is near
_DONE = "meaning.neighbours"  # version, and the last event that was looked at


def is_due(ws: Workspace, _now: int) -> bool:
    """Whether events got vectors since the last time, and none waits for one."""
    version = versions.answering(ws.db)
    if version is None or version.state != stored.READY or indexes.answering(ws.db) != indexes.EXACT:
        return False
    return _done(ws, version.version) < search.last(ws.db) and jobs.is_settled(ws.db, version.version)


def run(ws: Workspace, go_on: GoOn) -> str | None:
    """Look for the nearest of each further event; killed anywhere, it goes on there."""
    version = versions.answering(ws.db)
    if version is None:
        return None
    number = vectors.number(ws.db, version.version)
    done, looked = _done(ws, version.version), 0
    if not done:
        with ws.db.transaction():
            kin.clear(ws.db)
    index = indexes.opened(ws, version.version, version.dimensions)
    while number is not None and go_on():
        near, last = look(ws.db, index, number, done)
        with ws.db.transaction():
            kin.put(ws.db, near)
            meta.put(ws.db, _DONE, f"{version.version} {last or search.last(ws.db)}")
        if not last:
            break
        done, looked = last, looked + STEP
    return "linked events that are near in meaning" if looked else None


def look(db: Db, index: VectorIndex, number: int, after: int) -> tuple[list[tuple[int, int, float]], int]:
    """Who is near each of the next events of a set, and the last of these events; 0 when there is none."""
    some = kin.next_vectors(db, number, after, STEP)
    near = [pair for row in some for pair in _near(db, index, row)]
    return near, some[-1]["seq"] if some else 0


def _near(db: Db, index: VectorIndex, row: Any) -> list[tuple[int, int, float]]:
    from pith.adapters import exact_index

    found = index.search(exact_index.whole(row["vector"]), kin.NEAREST + 1, VectorFilter(kinds=(EVENT,)), row["script"])
    close = {one.item_id: one.closeness for one in found if one.closeness >= LEAST}
    return [(row["seq"], seq, close[id]) for id, seq in search.numbered(db, close).items() if seq != row["seq"]]


def _done(ws: Workspace, version: str) -> int:
    noted = (meta.get(ws.db, _DONE) or "").split()
    return int(noted[1]) if len(noted) == 2 and noted[0] == version else 0
