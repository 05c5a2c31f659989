"""The exact index: vectors in the store, compared here. Nothing is built beforehand but rows of signs.

A search reads 48 bytes of each vector (once in a process, and what is new after that), and the whole vectors of the
nearest few hundred. What is younger than the last packed block is read as it is.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from pith.adapters import exact_index
from pith.domain import centring
from pith.domain.centring import OTHER, Means
from pith.domain.ports import Near, VectorFilter, VectorRow
from pith.services.meaning import means
from pith.services.meaning.nearest import ALL_OF, IN_VAIN, best, first_wanted, fits
from pith.store import vectors
from pith.store.database import Db

BLOCK = 2_048  # slots of a block at most: to make one anew keeps other writers waiting for some 20 ms
PACKED_FROM = 512  # young vectors, from which they are packed
MANY = 0.25  # of all: ids that are more than this are not looked for among all codes, until much was read in vain
VIEWS = 4  # sets that a process keeps in memory
_A_STEP = 2_000  # vectors read at once


class View:
    """What a process keeps in memory of a set: some 70 bytes of each vector. Nothing but `marks` changes afterwards."""

    __slots__ = ("changes", "codes", "contents", "marks", "means", "tail")

    def __init__(self) -> None:
        self.changes = -1
        self.means: dict[int, Means] = {0: Means()}
        self.contents: dict[int, tuple[int, bytes, bytes]] = {}  # block -> mean, places, codes
        self.marks: dict[int, bytes] = {}  # of a block, once a filter asked for them
        self.tail: exact_index.Packed | None = None
        self.codes = exact_index.Codes([])

    @property
    def mean(self) -> Means:
        return list(self.means.values())[-1]


# Shared by the threads and connections of a process; a question to a running server reads nothing twice.
_views: dict[tuple[str, int, str, int], View] = {}
_looking = threading.Lock()  # one thread looks, those that wait for it have what it saw


def _key(db: Db, version: str, number: int) -> tuple[str, int, str, int]:
    """A set, and the file that it is in: a backup that was put back in its place is another file."""
    try:
        return db.path, os.stat(db.path).st_ino, version, number
    except OSError:
        return db.path, 0, version, number


class ExactIndex:
    """The vectors of one embedding version, in the store."""

    name = "exact"

    def __init__(self, db: Db, version: str, dimensions: int) -> None:
        self._db, self._version, self._dimensions = db, version, dimensions

    # -- Writing ---------------------------------------------------------------------------------------------

    def upsert(self, rows: Sequence[VectorRow]) -> None:
        """Afterwards each item named in `rows` has exactly these rows. Raises ValueError for a zero, NaN or odd one."""
        accepted = exact_index.accepted(rows, self._dimensions)
        if not accepted:
            return
        with self._db.transaction():
            number = vectors.make(self._db, self._version)
            vectors.remove(self._db, number, dict.fromkeys((row.kind, row.item_id) for row in rows))
            vectors.add(self._db, [_columns(number, row, stored) for row, stored in accepted])
            vectors.note_change(self._db, number)
        while self._pack(number):
            pass

    def delete(self, items: Sequence[tuple[str, str]]) -> None:
        """Remove every row of the items (kind, id); those that are not there are no error."""
        number = self._number()
        if number is None or not items:
            return
        with self._db.transaction():
            if vectors.remove(self._db, number, items):
                vectors.note_change(self._db, number)

    def _pack(self, number: int) -> bool:
        """Make a block of the youngest vectors, once there are enough of them."""
        with self._db.transaction():
            rows = vectors.between(self._db, number, vectors.packed_to(self._db, number), most=BLOCK)
            if len(rows) < PACKED_FROM:
                return False
            vectors.replace_blocks(self._db, number, (), _block(rows, means.newest(self._db, self._version)))
        return True

    # -- Searching -------------------------------------------------------------------------------------------

    def search(self, vector: bytes, most: int, only: VectorFilter | None = None, script: str = OTHER) -> list[Near]:
        """The nearest items, best first, each once; exactly what the filter allows. `script` is the question's."""
        question = exact_index.unit(vector, self._dimensions).tobytes()
        number = self._number()
        if number is None or most <= 0:
            return []
        if only is not None and only.ids is not None and len(only.ids) <= ALL_OF:
            return self._named(number, question, script, only)[:most]
        view = self._seen(number)
        asked = _cheaply_asked(only, len(view.codes))
        allowed = self._allowed(view, asked)
        reach = len(view.codes) if allowed is None else int(allowed.sum())
        wanted = reach if reach <= ALL_OF else self._first_wanted(most, only if asked is not only else None, reach)
        while True:
            slots = view.codes.nearest(question, script, view.means, wanted, allowed)
            rows = [row for row in vectors.fetch(self._db, slots) if only is None or fits(row, only)]
            found = best(rows, exact_index.closeness(question, script, rows, view.mean))
            # The pieces of a long text are many vectors and one item.
            if len(found) >= most or len(slots) >= reach:
                return found[:most]
            wanted *= 4
            if wanted > IN_VAIN and asked is not only:
                asked, allowed = only, self._allowed(view, only)
                reach = int(allowed.sum())

    def _named(self, number: int, question: bytes, script: str, only: VectorFilter) -> list[Near]:
        """Those of a few items that a filter names: they are looked up, and nothing else is looked at."""
        rows = [row for row in vectors.of_items(self._db, number, only.ids or ()) if fits(row, only)]
        return best(rows, exact_index.closeness(question, script, rows, means.newest(self._db, self._version)))

    def _first_wanted(self, most: int, refused_by: VectorFilter | None, reach: int) -> int:
        """How many vectors are compared at first: more where a filter of many ids will refuse some of them."""
        wanted = first_wanted(most, self._dimensions)
        if refused_by is None or not refused_by.ids:
            return wanted
        return wanted * max(1, reach // len(refused_by.ids))

    def _seen(self, number: int) -> View:
        """The set as it is now; of what this process saw before, only what is new is read."""
        key = _key(self._db, self._version, number)
        view = _views.get(key)
        if view is not None and view.changes == vectors.changes(self._db, number):
            return view
        with _looking:
            before, now = _views.pop(key, View()), vectors.changes(self._db, number)
            view = before if before.changes == now else self._looked(number, before)
            while view is None:  # another process has just put blocks together
                view = self._looked(number, before)
            view.changes = now
            while len(_views) >= VIEWS:
                del _views[next(iter(_views))]
            _views[key] = view
            return view

    def _looked(self, number: int, before: View) -> View | None:
        """A new look at the set, which leaves the one before to whoever is using it; None where both halves differ."""
        view, blocks = View(), vectors.blocks(self._db, number)
        read = vectors.contents(self._db, [each.block for each in blocks if each.block not in before.contents])
        view.means = means.known(self._db, self._version)
        for each in blocks:
            if each.mean and each.mean not in view.means:
                return None
            if each.block in before.contents:
                view.contents[each.block] = before.contents[each.block]
            elif each.block in read:
                view.contents[each.block] = (each.mean, *read[each.block])
            else:
                return None
        view.marks = {block: marks for block, marks in before.marks.copy().items() if block in view.contents}
        young = vectors.between(self._db, number, blocks[-1].last_slot if blocks else 0)
        view.tail = exact_index.packed(young, view.mean) if young else None
        parts = list(view.contents.values())
        if view.tail:
            parts.append((view.mean.number, view.tail.places, view.tail.codes))
        view.codes = exact_index.Codes(parts)
        return view

    def _allowed(self, view: View, only: VectorFilter | None) -> Any:
        """Which codes may fit a filter; None for all."""
        return None if only is None else exact_index.fitting(self._marks(view), only)

    def _marks(self, view: View) -> bytes:
        missing = [block for block in view.contents if block not in view.marks]
        view.marks.update(vectors.marks(self._db, missing) if missing else {})
        # A block that was put together with others since then is gone: its slots fit nothing until they are seen anew.
        parts = [
            view.marks.get(block, bytes(len(places) // 8 * vectors.MARK))
            for block, (_, places, _) in view.contents.items()
        ]
        return b"".join([*parts, view.tail.marks if view.tail else b""])

    # -- What is there ---------------------------------------------------------------------------------------

    def digests(self, items: Sequence[tuple[str, str]]) -> dict[tuple[str, str], bytes]:
        """Of these items (kind, id), those that are there, with the digest of the text each was made from."""
        number = self._number()
        return vectors.digests(self._db, number, items) if number is not None else {}

    def items(self) -> Iterator[tuple[str, str, bytes]]:
        """Every item with the digest of the text it was made from: kind, id, digest."""
        number = self._number()
        return vectors.items(self._db, number) if number is not None else iter(())

    def rows(self) -> Iterator[VectorRow]:
        """Every row, the pieces of an item one after the other; what another index is filled from."""
        number = self._number()
        for row in vectors.rows_of(self._db, number) if number is not None else ():
            yield VectorRow(
                row["item_kind"], row["item_id"], row["part"], exact_index.whole(row["vector"]),
                row["digest"], row["at"], row["session"], row["script"],
            )  # fmt: skip

    def count(self) -> int:
        """How many items it holds."""
        number = self._number()
        return vectors.count(self._db, number) if number is not None else 0

    def drop(self) -> None:
        """Remove everything, in steps."""
        while (number := self._number()) is not None:
            with self._db.transaction():
                vectors.drop(self._db, number, _A_STEP)

    # -- Tidying up ------------------------------------------------------------------------------------------

    def optimize(self) -> None:
        """Tidy up after many writes, in steps that can be broken off; the worker calls it now and then."""
        number = self._number()
        if number is None:
            return
        total = vectors.count_rows(self._db, number)
        if centring.is_due(total, vectors.counted(self._db, self._version)):
            means.fit(self._db, self._version, self._sums(number))
        self._make_anew(number, means.newest(self._db, self._version))

    def rebuild(self) -> None:
        """Make everything that is derived from the vectors anew."""
        number = self._number()
        if number is None:
            return
        if vectors.count_rows(self._db, number) >= centring.FITTED_FROM:
            means.fit(self._db, self._version, self._sums(number))
        self._make_anew(number, means.newest(self._db, self._version))

    def _sums(self, number: int) -> dict[str, tuple[int, bytes]]:
        found: dict[str, tuple[int, bytes]] = {}
        last = 0
        while rows := vectors.between(self._db, number, last, most=_A_STEP):
            found = exact_index.sums(rows, found)
            last = rows[-1]["slot"]
        return found

    def _make_anew(self, number: int, mean: Means) -> None:
        """Pack again what has another mean, many gaps or small neighbours, then drop the means that nothing names."""
        for group in _groups(vectors.blocks(self._db, number), mean.number):
            with self._db.transaction():
                still = {each.block for each in vectors.blocks(self._db, number)}
                if not still.issuperset(each.block for each in group):
                    continue  # another process was here
                rows = vectors.between(self._db, number, group[0].first_slot - 1, group[-1].last_slot)
                made = _block(rows, mean) if rows else None
                vectors.replace_blocks(self._db, number, [each.block for each in group], made)
        with self._db.transaction():
            vectors.drop_means(self._db, self._version, mean.number)
            vectors.note_change(self._db, number)

    def _number(self) -> int | None:
        return vectors.number(self._db, self._version)


def _cheaply_asked(only: VectorFilter | None, codes: int) -> VectorFilter | None:
    """The filter without its ids where these are many: then the nearest are asked whether they are among them."""
    if only is None or only.ids is None or len(only.ids) <= codes * MANY:
        return only
    return VectorFilter(only.kinds, only.not_session, only.since, only.until, None, only.session)


def _groups(blocks: Sequence[vectors.Block], mean: int) -> Iterator[list[vectors.Block]]:
    """Neighbouring blocks that should become one block; those that are well as they are are left out."""
    group: list[vectors.Block] = []
    for each in blocks:
        if group and sum(one.slots - one.gone for one in group) + each.slots - each.gone > BLOCK:
            if _is_poor(group, mean):
                yield group
            group = []
        group.append(each)
    if group and _is_poor(group, mean):
        yield group


def _is_poor(group: Sequence[vectors.Block], mean: int) -> bool:
    return len(group) > 1 or group[0].mean != mean or group[0].gone * 4 > group[0].slots


def _block(rows: Sequence[Any], mean: Means) -> dict[str, Any]:
    made = exact_index.packed(rows, mean)
    return {
        "first": rows[0]["slot"],
        "last": rows[-1]["slot"],
        "mean": mean.number,
        "slots": len(rows),
        **made._asdict(),
    }


def _columns(number: int, row: VectorRow, vector: bytes) -> dict[str, Any]:
    return {
        "set": number, "kind": row.kind, "id": row.item_id, "part": row.part, "digest": row.digest,
        "at": row.at, "session": row.session, "script": row.script, "vector": vector,
    }  # fmt: skip
