"""Moving the vectors of a project from one index to the other, and making an index anew.

The one before answers until all is there; whatever was copied before a kill is not copied again. Both need the
worker's lock, since nobody may write meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pith.domain.ports import VectorIndex, VectorRow
from pith.errors import InputError
from pith.services.meaning import indexes
from pith.services.meaning.upkeep import Alone
from pith.services.workspace import Workspace
from pith.store import meta, vectors
from pith.store import versions as stored
from pith.store.versions import RETIRED, Version

STEP = 1_000  # vectors written at once
_LEFT = "meaning.index.left"  # the index whose vectors are still to be removed

GoOn = Callable[[], bool]


def status(ws: Workspace) -> dict[str, Any]:
    """Which index answers and which is wanted, and how many items it has of each version."""
    name = indexes.answering(ws.db)
    return {
        "answers": name,
        "wanted": indexes.wanted(ws.settings),
        "place": indexes.place(ws) if name == indexes.LANCEDB else None,
        "versions": [
            {"version": each.version, "items": indexes.opened(ws, each.version, each.dimensions).count()}
            for each in _kept(ws)
        ],
    }


def is_due(ws: Workspace) -> bool:
    """Whether the worker should move vectors: another index is wanted than answers, or an old one is to be removed."""
    return indexes.wanted(ws.settings) != indexes.answering(ws.db) or meta.get(ws.db, _LEFT) is not None


def use(ws: Workspace, name: str, go_on: GoOn = lambda: True) -> dict[str, Any]:
    """Let another index answer, once it holds what the one before does; raises WorkerAtIt."""
    if name not in indexes.NAMES:
        raise InputError(f"There is no index {name!r}.", hint=f"Choose one of: {', '.join(indexes.NAMES)}.")
    with Alone(ws):
        return move(ws, name, go_on)


def move(ws: Workspace, name: str, go_on: GoOn = lambda: True) -> dict[str, Any]:
    """As `use`, for whoever holds the worker's lock."""
    before = indexes.answering(ws.db)
    copied = 0
    if name != before:
        indexes.at(ws, name, "", 1)  # says at once what is not installed
        for each in _kept(ws):
            target = indexes.at(ws, name, each.version, each.dimensions)
            copied += _copy(indexes.at(ws, before, each.version, each.dimensions), target, go_on)
            if not go_on():
                return {"answers": before, "copied": copied, "complete": False}
            target.optimize()
        with ws.db.transaction() as db:
            meta.put(db, indexes.ANSWERS, name)
            meta.put(db, _LEFT, before)
    _remove_left(ws)
    return {"answers": name, "copied": copied, "complete": True}


def rebuild(ws: Workspace) -> dict[str, Any]:
    """Make what is derived from the vectors anew: means, codes, files; what was deleted leaves the disk."""
    with Alone(ws):
        _remove_left(ws)
        for each in _kept(ws):
            indexes.opened(ws, each.version, each.dimensions).rebuild()
    return status(ws)


def _copy(source: VectorIndex, target: VectorIndex, go_on: GoOn) -> int:
    """Make the target hold what the source does; how many items were written."""
    held = {(kind, id): digest for kind, id, digest in target.items()}
    wanted = {(kind, id): digest for kind, id, digest in source.items()}
    gone = [item for item in held if item not in wanted]
    for start in range(0, len(gone), STEP):
        target.delete(gone[start : start + STEP])
    missing = {item for item, digest in wanted.items() if held.get(item) != digest}
    written = 0
    for portion in _portions(source, missing):
        if not go_on():
            break
        target.upsert(portion)
        written += len({(row.kind, row.item_id) for row in portion})
    return written


def _portions(source: VectorIndex, missing: set[tuple[str, str]]) -> Iterator[list[VectorRow]]:
    """The rows of these items, never the pieces of one item apart."""
    portion: list[VectorRow] = []
    for row in source.rows() if missing else ():
        if (row.kind, row.item_id) not in missing:
            continue
        if len(portion) >= STEP and (portion[-1].kind, portion[-1].item_id) != (row.kind, row.item_id):
            yield portion
            portion = []
        portion.append(row)
    if portion:
        yield portion


def _remove_left(ws: Workspace) -> None:
    """Remove the vectors of the index that answered before, whatever version they are of."""
    left = meta.get(ws.db, _LEFT)
    if left is None:
        return
    if left != indexes.answering(ws.db):
        names = {each.version: each.dimensions for each in stored.listed(ws.db)}
        if left == indexes.EXACT:
            names |= {name: names.get(name, 1) for name, _ in vectors.versions(ws.db)}
        for name, dimensions in names.items():
            indexes.at(ws, left, name, dimensions).drop()
    with ws.db.transaction() as db:
        meta.drop(db, _LEFT)


def _kept(ws: Workspace) -> list[Version]:
    return [each for each in stored.listed(ws.db) if each.state != RETIRED]
