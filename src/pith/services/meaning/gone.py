"""Take the vectors away of what is no longer stored, without a worker or an embedder: forgetting waits for neither."""

from __future__ import annotations

from pith.errors import PithError
from pith.services.meaning import indexes, texts, upkeep
from pith.services.workspace import Workspace
from pith.store import jobs, vectors, versions
from pith.store.database import Db

STEP = 500  # items in one transaction


def take_away(db: Db) -> int:
    """Remove from the exact index what has no text any more; how many rows. The jobs stay, and find nothing left to do.

    Whatever leaves has asked for its vector once more, so only waiting jobs are looked at.
    """
    if not vectors.are_kept(db):
        return 0
    done = 0
    for version in versions.listed(db):
        number = vectors.number(db, version.version)
        waiting = sorted(jobs.unserved(db, version.version)) if number is not None else []
        for start in range(0, len(waiting), STEP):
            done += _some(db, number or 0, waiting[start : start + STEP])
    return done + _given_up(db)


def _given_up(db: Db) -> int:
    """Remove the sets of versions for which nothing is asked any more: nobody else would take anything out of them."""
    kept = {version.version for version in versions.listed(db) if version.state != versions.RETIRED}
    done = 0
    for name, _ in vectors.versions(db):
        while name not in kept and (number := vectors.number(db, name)) is not None:
            with db.transaction():
                done += vectors.drop(db, number, STEP)
    return done


def _some(db: Db, number: int, items: list[tuple[str, str]]) -> int:
    with db.transaction():
        found = texts.read(db, items)
        removed = vectors.remove(db, number, [item for item in items if item not in found])
        if removed:
            vectors.note_change(db, number)
    return removed


def take_away_beside(ws: Workspace) -> int:
    """Remove it from an index beside the store, files and all; how many items.

    Where a worker is at it, or the index does not answer, that is left to the worker's next pass.
    """
    if indexes.answering(ws.db) == indexes.EXACT:
        return 0
    done = 0
    try:
        for version in versions.listed(ws.db):
            waiting = sorted(jobs.unserved(ws.db, version.version))
            found = texts.read(ws.db, waiting)
            lost = [item for item in waiting if item not in found]
            if lost:
                with upkeep.Alone(ws):
                    index = indexes.opened(ws, version.version, version.dimensions)
                    index.delete(lost)
                    index.rebuild()  # old files hold what was deleted from them
                done += len(lost)
    except PithError:
        return done
    return done
