"""What the outbox costs: a hook that asks for a vector, a version that is registered, a worker beside its embedder."""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from statistics import median

from bench import stores
from bench.figures import Figure, Outcome
from pith import platform
from pith.services import capture
from pith.services.meaning import outbox, versions
from pith.services.meaning.exact import ExactIndex
from pith.store import database
from pith.store.database import Db

DIMENSIONS = 384
LONGEST_MS = 50.0  # what a hook may have to wait for the write lock
_WITHOUT, _NONE, _ONE = "without triggers", "no version", "one version"


class Instant:
    """An embedder that takes no time, and says how much it took all the same."""

    model, dimensions, recipe = "instant", DIMENSIONS, "1"

    def __init__(self) -> None:
        self.seconds = 0.0
        self.made = 0

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        began = time.perf_counter()
        made = [self._vector() for _ in texts]
        self.seconds += time.perf_counter() - began
        return made

    def embed_question(self, text: str) -> bytes:  # noqa: ARG002
        return self._vector()

    def _vector(self) -> bytes:
        self.made += 1
        numbers = [((self.made * 7919 + at * 104_729) % 1_000) / 1_000 - 0.5 for at in range(DIMENSIONS)]
        length = sum(number * number for number in numbers) ** 0.5
        return struct.pack(f"<{DIMENSIONS}f", *(number / length for number in numbers))


def cost(quick: bool) -> Outcome:
    """All of it."""
    return Outcome([*_asking(50 if quick else 400), *_working(stores.QUICK_EVENTS if quick else stores.EVENTS, quick)])


# -- A hook ----------------------------------------------------------------------------------------------------


def _asking(rounds: int) -> list[Figure]:
    """One event kept in its own transaction, in three stores by turns."""
    took: dict[str, list[float]] = {name: [] for name in (_WITHOUT, _NONE, _ONE)}
    with ExitStack() as open_ones:
        dbs = {name: open_ones.enter_context(_store(name)) for name in took}
        for number, seen in enumerate(islice(stores.sightings(rounds), rounds)):
            names = list(dbs)
            for at in range(len(names)):  # who comes first pays for the caches
                name = names[(number + at) % len(names)]
                began = time.perf_counter()
                capture.keep(dbs[name], seen)
                took[name].append(time.perf_counter() - began)
    least = median(took[_WITHOUT])
    return [
        Figure(f"an event kept, {name}", median(took[name]) / least, "x", note=f"{median(took[name]) * 1000:.2f} ms")
        for name in (_WITHOUT, _NONE, _ONE)
    ]


@contextmanager
def _store(name: str) -> Iterator[Db]:
    with stores.empty() as made, database.open_store(str(made.store)) as db:
        if name == _WITHOUT:
            for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE '%_want_%'"):
                db.execute(f"DROP TRIGGER {row['name']}")
        if name == _ONE:
            versions.register(db, Instant(), platform.now())
        yield db


# -- A worker --------------------------------------------------------------------------------------------------


def _working(count: int, quick: bool) -> list[Figure]:
    """A version registered over a large store, and some of its jobs done by an embedder that takes no time."""
    embedder = Instant()
    with stores.copied(count) as made, database.open_store(str(made.store)) as db:
        name = versions.register(db, embedder, platform.now()).version
        steps = list(_steps(db, name))
        index = ExactIndex(db, name, DIMENSIONS)
        most = 500 if quick else 5_000
        began, embedder.seconds = time.perf_counter(), 0.0
        done = outbox.serve(db, embedder, index, go_on=lambda: embedder.made < most)
        seconds = time.perf_counter() - began - embedder.seconds
    return [
        Figure(f"a version registered over {count:,} items", sum(steps), "s", note=f"{len(steps)} transactions"),
        Figure("  longest write transaction", max(steps) * 1000, "ms", LONGEST_MS),
        Figure("  middle write transaction", median(steps) * 1000, "ms"),
        Figure("an item served, its embedder left out", seconds * 1000 / max(1, done.embedded), "ms", 1.0),
    ]


def _steps(db: Db, name: str) -> Iterator[float]:
    while True:
        began = time.perf_counter()
        some = versions.enqueue_some(db, name, platform.now())
        yield time.perf_counter() - began
        if not some:
            return
