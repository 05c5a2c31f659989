"""The texts that are embedded: one of each item, in pieces that a model takes whole, and the digest it is known by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from pith.domain import centring, passages
from pith.domain.outbox import KINDS
from pith.domain.ports import VectorRow
from pith.platform import sha256
from pith.store import items
from pith.store.database import Db
from pith.store.items import Item

VERSION = 1  # part of every embedding version: other texts are other vectors
MOST_PIECES = 40  # of one item, some 48,000 letters; what follows in a longer text is found by words


def read(db: Db, wanted: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Item]:
    """Those of the items (kind, id) that are there and have a text."""
    ids: dict[str, list[str]] = defaultdict(list)
    for kind, id in wanted:
        ids[kind].append(id)
    return {(item.kind, item.id): item for kind in ids for item in items.read(db, kind, ids[kind])}


def each(db: Db) -> Iterator[Item]:
    """Every item of the store that should have a vector."""
    for kind in KINDS:
        yield from items.each(db, kind)


def digest(item: Item) -> bytes:
    """What tells whether a vector was made from this text, whatever the version."""
    return sha256(item.text.encode("utf-8", "surrogatepass"))


def pieces(item: Item) -> list[str]:
    """The text in the pieces that are embedded one by one."""
    return passages.pieces(item.text)[:MOST_PIECES]


def row(item: Item, part: int, piece: str, vector: bytes) -> VectorRow:
    """The row that an index keeps for one piece."""
    return VectorRow(
        item.kind, item.id, part, vector, digest(item), item.at, item.session, script=centring.script(piece)
    )
