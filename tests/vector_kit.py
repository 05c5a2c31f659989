"""Vectors with a direction that a test can say, and the indexes that hold them."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from pith.domain.centring import OTHER
from pith.domain.ports import Near, VectorFilter, VectorIndex, VectorRow
from pith.store.database import Db, open_store

DIMENSIONS = 16
VERSION, OTHER_VERSION = "toy@16-aaaa", "toy@16-bbbb"


def packed(numbers: Sequence[float]) -> bytes:
    return struct.pack(f"<{len(numbers)}f", *numbers)


def towards(*directions: float, dimensions: int = DIMENSIONS) -> bytes:
    """A vector of unit length; `towards(1, 0.2)` leans to the first direction."""
    numbers = [*directions, *[0.0] * (dimensions - len(directions))]
    length = math.hypot(*numbers)
    return packed([number / length for number in numbers])


def row(
    id: str,
    *directions: float,
    kind: str = "event",
    part: int = 0,
    text: str = "",
    at: str = "2026-11-30T10:00:00.000Z",
    session: str = "s1",
    script: str = OTHER,
) -> VectorRow:
    return VectorRow(kind, id, part, towards(*directions), (text or id).encode(), at, session, script)


def exact(db: Db, place: Path, version: str) -> VectorIndex:
    from pith.services.meaning.exact import ExactIndex

    return ExactIndex(db, version, DIMENSIONS)


def lance(db: Db, place: Path, version: str) -> VectorIndex:
    pytest.importorskip("lancedb")
    from pith.services.meaning.lance import LanceIndex

    return LanceIndex(db, version, DIMENSIONS, str(place / "lance"))


def first(db: Db, place: Path, version: str) -> VectorIndex:
    """The exact index, asked as the first questions of a process ask it: without numpy, which a test has loaded."""
    from pith.services.meaning.exact import ExactIndex
    from pith.services.meaning.first import FirstAsked

    class Asked(ExactIndex):
        asked = FirstAsked(db, version, DIMENSIONS, lambda: ExactIndex(db, version, DIMENSIONS))

        def search(self, vector: bytes, most: int, only: VectorFilter | None = None, script: str = OTHER) -> list[Near]:
            found = self.asked._found(vector, most, only, script)
            return super().search(vector, most, only, script) if found is None else found

    return Asked(db, version, DIMENSIONS)


OPENERS: dict[str, Callable[[Db, Path, str], VectorIndex]] = {"exact": exact, "first": first, "lancedb": lance}


class Shelf:
    """Where one kind of index is kept; `open` opens it anew each time, as another process would."""

    def __init__(self, kind: str, place: Path) -> None:
        self.kind, self.place = kind, place

    def open(self, version: str = VERSION) -> VectorIndex:
        return OPENERS[self.kind](open_store(str(self.place / "store")), self.place, version)
