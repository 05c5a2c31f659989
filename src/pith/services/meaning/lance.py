"""The index in LanceDB, for stores too large to be searched whole, or kept on object storage.

It knows the vectors as the embedder gave them, and means stay rows of the store: it is asked for the greatest products
with the centred question, one script at a time; of ten times as many as wanted the true nearness is worked out here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from pith.adapters import exact_index
from pith.adapters.lance_index import LanceTable
from pith.domain import centring
from pith.domain.centring import OTHER
from pith.domain.ports import Near, VectorFilter, VectorRow
from pith.services.meaning import means
from pith.services.meaning.nearest import best, fits
from pith.store import vectors
from pith.store.database import Db

FETCHED, TIMES = 200, 10  # rows fetched at least, and how many for each that is wanted
NAMED = 3_000  # ids that a condition may name; more are looked for among the nearest
_A_STEP = 2_000


class LanceIndex:
    """The vectors of one embedding version, in a table of their own."""

    name = "lancedb"

    def __init__(self, db: Db, version: str, dimensions: int, uri: str, options: dict[str, str] | None = None) -> None:
        self._db, self._version, self._dimensions = db, version, dimensions
        self._table = LanceTable(uri, version, dimensions, options)

    def upsert(self, rows: Sequence[VectorRow]) -> None:
        """Afterwards each item named in `rows` has exactly these rows. Raises ValueError for a zero, NaN or odd one."""
        accepted = exact_index.accepted(rows, self._dimensions)
        if accepted:
            self._table.merge(accepted)

    def delete(self, items: Sequence[tuple[str, str]]) -> None:
        """Remove every row of the items (kind, id); those that are not there are no error."""
        if items:
            self._table.delete(items)

    def search(self, vector: bytes, most: int, only: VectorFilter | None = None, script: str = OTHER) -> list[Near]:
        """The nearest items, best first, each once; exactly what the filter allows. `script` is the question's."""
        question = exact_index.unit(vector, self._dimensions).tobytes()
        if most <= 0 or (only is not None and only.ids is not None and not only.ids):
            return []
        counts = self._table.scripts()
        total = sum(counts.values())
        mean = means.newest(self._db, self._version)
        direction = exact_index.direction(question, script, mean)
        asked, limit = _asked(only, max(FETCHED, TIMES * most), total)
        while total:
            fetched = [
                row
                for each, count in counts.items()
                for row in self._table.nearest(direction, limit, each, asked, count / total)
            ]
            rows = [row for row in fetched if only is None or fits(row, only)]
            found = best(rows, exact_index.closeness(question, script, rows, mean))
            # The pieces of a long text are many rows and one item.
            if len(found) >= most or limit >= total or len(fetched) < limit:
                return found[:most]
            limit *= 4
        return []

    def digests(self, items: Sequence[tuple[str, str]]) -> dict[tuple[str, str], bytes]:
        """Of these items (kind, id), those that are there, with the digest of the text each was made from."""
        found = self._table.of(items, ["kind", "id", "digest"])
        return {(row["item_kind"], row["item_id"]): row["digest"] for row in found}

    def items(self) -> Iterator[tuple[str, str, bytes]]:
        """Every item with the digest of the text it was made from: kind, id, digest."""
        for row in self._table.each(["kind", "id", "digest"], "part = 0"):
            yield row["item_kind"], row["item_id"], row["digest"]

    def rows(self) -> Iterator[VectorRow]:
        """Every row, the pieces of an item one after the other; what another index is filled from."""
        places = sorted((row["item_id"], row["item_kind"]) for row in self._table.each(["kind", "id"], "part = 0"))
        for start in range(0, len(places), _A_STEP):
            some = self._table.of([(kind, id) for id, kind in places[start : start + _A_STEP]], ())
            for row in sorted(some, key=lambda row: (row["item_id"], row["item_kind"], row["part"])):
                yield _vector_row(row)

    def count(self) -> int:
        """How many items it holds."""
        return sum(1 for _ in self._table.each(["part"], "part = 0"))

    def optimize(self) -> None:
        """Tidy up after many writes, in steps that can be broken off; the worker calls it now and then."""
        if centring.is_due(sum(self._table.scripts().values()), vectors.counted(self._db, self._version)):
            self._fit()
        self._table.optimize()

    def rebuild(self) -> None:
        """Make everything that is derived from the vectors anew, in new files."""
        if sum(self._table.scripts().values()) >= centring.FITTED_FROM:
            self._fit()
        self._table.write_anew()

    def drop(self) -> None:
        """Remove everything."""
        self._table.drop()

    def _fit(self) -> None:
        found: dict[str, tuple[int, bytes]] = {}
        for _, some in groupby(enumerate(self._table.each(["script", "vector"])), lambda each: each[0] // _A_STEP):
            found = exact_index.sums([row for _, row in some], found)
        means.fit(self._db, self._version, found)


def _asked(only: VectorFilter | None, limit: int, total: int) -> tuple[VectorFilter | None, int]:
    """The filter that is put to the table, and how many rows; too many ids are looked for among what comes back."""
    if only is None or only.ids is None or len(only.ids) <= NAMED:
        return only, limit
    rest = VectorFilter(only.kinds, only.not_session, only.since, only.until, None, only.session)
    return rest, limit * max(1, total // len(only.ids))


def _vector_row(row: Any) -> VectorRow:
    return VectorRow(
        row["item_kind"], row["item_id"], row["part"], exact_index.whole(row["vector"]),
        row["digest"], row["at"], row["session"], row["script"],
    )  # fmt: skip
