"""The exact index for the first questions of a process: nearly all processes ask one and end.

Those are answered without numpy, which takes longer to import than a search takes. Whatever this does not know how to
answer, and every question of a process that goes on, is left to the index itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from pith.adapters import plain_index
from pith.domain.centring import OTHER, Means
from pith.domain.ports import Near, Searched, VectorFilter
from pith.services.meaning import means
from pith.services.meaning.nearest import ALL_OF, IN_VAIN, best, first_wanted, fits
from pith.store import vectors
from pith.store.database import Db

QUESTIONS = 2  # of a process that are answered so; with the third numpy has paid for itself
LARGEST = 300_000  # vectors, up to which comparing them here takes less time than the import

_asked: set[bytes] = set()  # in this process


class _Seen:
    """A set as it was found, and how far each of its codes is from one question."""

    __slots__ = ("asked", "changes", "distances", "marks", "mean", "places", "young")

    def __init__(self, changes: int, asked: tuple[bytes, str], mean: Means) -> None:
        self.changes, self.asked, self.mean = changes, asked, mean
        self.places, self.marks, self.distances = b"", b"", b""
        self.young: list[Any] = []  # vectors that stand in no block yet


class FirstAsked:
    """What questions are put to; it finds what `ExactIndex` would find."""

    def __init__(self, db: Db, version: str, dimensions: int, whole: Callable[[], Searched]) -> None:
        """`whole` opens the index itself, where it is needed."""
        self._db, self._version, self._dimensions = db, version, dimensions
        self._whole = whole
        self._seen: _Seen | None = None
        self._index: Searched | None = None

    def search(self, vector: bytes, most: int, only: VectorFilter | None = None, script: str = OTHER) -> list[Near]:
        """The nearest items, best first, each once; exactly what the filter allows. `script` is the question's."""
        found = self._found(vector, most, only, script) if _is_early(vector) else None
        if found is not None:
            return found
        self._index = self._index or self._whole()
        return self._index.search(vector, most, only, script)

    def _found(self, vector: bytes, most: int, only: VectorFilter | None, script: str) -> list[Near] | None:
        """The answer, or None where the index itself must be asked."""
        asked = (plain_index.unit(vector, self._dimensions), script)
        number = vectors.number(self._db, self._version)
        if number is None or most <= 0:
            return []
        only = only or VectorFilter()
        if only.ids is not None:
            if len(only.ids) > ALL_OF:
                return None
            rows = vectors.of_items(self._db, number, only.ids)
            return self._best(asked, rows, only, means.newest(self._db, self._version))[:most]
        if only.since or only.until or not self._look(number, asked):
            return None
        return self._nearest(asked, most, only)

    def _nearest(self, asked: tuple[bytes, str], most: int, only: VectorFilter) -> list[Near] | None:
        assert self._seen is not None
        seen, fitting, reach = self._seen, None, len(self._seen.distances)
        if only.kinds or only.session:
            fitting = plain_index.allowed(seen.marks, only.kinds, only.session)
            reach = fitting.bit_count() // 8
        places = memoryview(seen.places).cast("q")
        wanted = reach if reach <= ALL_OF else min(reach, first_wanted(most, self._dimensions))
        while wanted <= IN_VAIN:
            near = plain_index.nearest(seen.distances, fitting, wanted)
            if near is None:
                return None
            rows = [*vectors.fetch(self._db, [places[at] for at in near]), *seen.young]
            found = self._best(asked, rows, only, seen.mean)
            if len(found) >= most or wanted >= reach:
                return found[:most]
            wanted = min(reach, 4 * wanted)
        return None

    def _best(self, asked: tuple[bytes, str], rows: list[Any], only: VectorFilter, mean: Means) -> list[Near]:
        rows = [row for row in rows if fits(row, only)]
        return best(rows, plain_index.closeness(*asked, rows, mean))

    def _look(self, number: int, asked: tuple[bytes, str]) -> bool:
        """Have the set in sight as it is now; whether it is small enough, and both halves of it fit."""
        changes = vectors.changes(self._db, number)
        if self._seen and (self._seen.changes, self._seen.asked) == (changes, asked):
            return True
        if vectors.packed_slots(self._db, number) > LARGEST:
            return False
        blocks = vectors.whole_blocks(self._db, number)
        known = means.known(self._db, self._version)
        if any(block["mean"] and block["mean"] not in known for block in blocks):
            return False
        signs = {each: plain_index.signs(*asked, known.get(each, Means())) for each in {row["mean"] for row in blocks}}
        seen = _Seen(changes, asked, list(known.values())[-1])
        seen.places = b"".join(row["places"] for row in blocks)
        seen.marks = b"".join(row["marks"] for row in blocks)
        seen.distances = b"".join(
            plain_index.distances(row["codes"], signs[row["mean"]], self._dimensions) for row in blocks
        )
        seen.young = vectors.between(self._db, number, blocks[-1]["last_slot"] if blocks else 0)
        self._seen = seen
        return True


def _is_early(vector: bytes) -> bool:
    """Whether this process has asked so little, and has not loaded numpy for anything else."""
    if "numpy" in sys.modules or (len(_asked) >= QUESTIONS and vector not in _asked):
        return False
    _asked.add(vector)
    return True
