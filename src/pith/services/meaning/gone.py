"""Take the vectors away of what is no longer stored, without a worker or an embedder: forgetting waits for neither."""

from __future__ import annotations

from pith.services.meaning import texts
from pith.store import jobs, vectors, versions
from pith.store.database import Db

STEP = 500  # items in one transaction


def take_away(db: Db) -> int:
    """Remove from the exact index what has no text any more; how many rows. The jobs stay, and find nothing left to do.

    Whatever leaves has asked for its vector once more, so only waiting jobs are looked at. An index beside the store
    is the worker's alone: it removes them there.
    """
    if not vectors.are_kept(db):
        return 0
    done = 0
    for version in versions.listed(db):
        number = vectors.number(db, version.version)
        waiting = sorted(jobs.unserved(db, version.version)) if number is not None else []
        for start in range(0, len(waiting), STEP):
            done += _some(db, number or 0, waiting[start : start + STEP])
    return done


def _some(db: Db, number: int, items: list[tuple[str, str]]) -> int:
    with db.transaction():
        found = texts.read(db, items)
        removed = vectors.remove(db, number, [item for item in items if item not in found])
        if removed:
            vectors.note_change(db, number)
    return removed
