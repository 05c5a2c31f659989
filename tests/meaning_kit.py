"""What tests of meaning share: an embedder that needs no weights, a clock that is set by hand, and what should be there."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from operator import mul

from pith.domain.outbox import Permanent, Retryable
from pith.domain.ports import Near, VectorFilter, VectorIndex, VectorRow
from pith.services.meaning import indexes, outbox, texts
from pith.services.meaning import versions as registering
from pith.services.meaning.nearness import Meaning
from pith.services.workspace import Workspace
from pith.store.database import Db

DIMENSIONS = 32
POISON, BUSY, LONG = "poison", "busy", "too-long"


class Words:
    """An embedder by hashed words: texts that share words are near each other. Some words are more than it can take."""

    dimensions = DIMENSIONS

    def __init__(self, model: str = "words", recipe: str = "1") -> None:
        self.model, self.recipe = model, recipe
        self.calls: list[int] = []  # how many texts each call had
        self.down = False
        self.retry_after: float | None = None

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        self.calls.append(len(texts))
        if self.down or any(BUSY in text for text in texts):
            raise Retryable("The endpoint is busy.", retry_after=self.retry_after)
        if any(LONG in text for text in texts):
            raise Permanent("A text is too long.")
        if any(POISON in text for text in texts):
            raise RuntimeError("the model fell over")
        return [_vector(text) for text in texts]

    def embed_question(self, text: str) -> bytes:
        return _vector(text)


def _vector(text: str) -> bytes:
    numbers = [0.01] * DIMENSIONS
    for word in re.findall(r"\w+", text.lower()):
        numbers[zlib.crc32(word.encode()) % DIMENSIONS] += 1
    length = sum(number * number for number in numbers) ** 0.5
    return struct.pack(f"<{DIMENSIONS}f", *(number / length for number in numbers))


class Topics:
    """An embedder to which texts of one topic are near each other, whatever words they share."""

    model, dimensions, recipe = "topics", 4, "1"

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        return [self._vector(text) for text in texts]

    def embed_question(self, text: str) -> bytes:
        return self._vector(text)

    def _vector(self, text: str) -> bytes:
        about = next(
            (n for n, topic in enumerate((("cart", "basket"), ("login",))) if any(w in text for w in topic)), 2
        )
        numbers = [0.1 + 0.8 * (n == about) for n in range(4)]
        length = sum(number * number for number in numbers) ** 0.5
        return struct.pack("<4f", *(number / length for number in numbers))


def embed(ws: Workspace, embedder: Words | Topics) -> Meaning:
    """Let the outbox be served to its end, as the worker does."""
    used = registering.register(ws.db, embedder, "2026-11-30T00:00:00.000Z", {"embedder": "topics"})
    index = indexes.opened(ws, used.version, used.dimensions)
    while registering.enqueue_some(ws.db, used.version, "2026-11-30T00:00:00.000Z"):
        pass
    outbox.serve(ws.db, embedder, index, version=used.version)
    return Meaning(embedder, index)


class Shelf:
    """A vector index in memory, which outlives the store it belongs to as one on a disk of its own would."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], list[VectorRow]] = {}
        self.writes = 0

    def upsert(self, rows: Sequence[VectorRow]) -> None:
        self.writes += 1
        if any(not any(row.vector) for row in rows):
            raise ValueError("A vector is zero.")
        for item in {(row.kind, row.item_id) for row in rows}:
            self.kept[item] = [row for row in rows if (row.kind, row.item_id) == item]

    def delete(self, items: Sequence[tuple[str, str]]) -> None:
        for item in items:
            self.kept.pop(item, None)

    def search(self, vector: bytes, most: int, only: VectorFilter | None = None, script: str = "") -> list[Near]:
        asked = struct.unpack(f"<{DIMENSIONS}f", vector)
        near = [
            Near(row.kind, row.item_id, row.part, sum(map(mul, asked, struct.unpack(f"<{DIMENSIONS}f", row.vector))))
            for rows in self.kept.values()
            for row in rows
        ]
        return sorted(near, key=lambda one: -one.closeness)[:most]

    def digests(self, items: Sequence[tuple[str, str]]) -> dict[tuple[str, str], bytes]:
        return {item: self.kept[item][0].digest for item in items if item in self.kept}

    def items(self) -> Iterator[tuple[str, str, bytes]]:
        return iter([(*item, rows[0].digest) for item, rows in self.kept.items()])

    def rows(self) -> Iterator[VectorRow]:
        return iter([row for rows in self.kept.values() for row in rows])

    def count(self) -> int:
        return len(self.kept)

    def drop(self) -> None:
        self.kept.clear()

    def optimize(self) -> None:
        pass


class Clock:
    """Milliseconds since 1970, moved by hand."""

    def __init__(self, now: int = 1_796_000_000_000) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += int(seconds * 1000)


def should_hold(db: Db) -> dict[tuple[str, str], bytes]:
    """Every item of the store that has a text, with its digest: what a complete index holds."""
    return {(item.kind, item.id): texts.digest(item) for item in texts.each(db)}


def holds(index: VectorIndex) -> dict[tuple[str, str], bytes]:
    """What an index holds."""
    return {(kind, id): digest for kind, id, digest in index.items()}
