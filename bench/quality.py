"""How well recall finds what answers, without a model: on a public set, and on invented coding sessions."""

from __future__ import annotations

import json
import os
import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.recall_set import Asked, Coding

from bench.figures import Figure, Outcome, percentile
from pith.domain.events import RESPONSE, TRANSCRIPT, Sighting
from pith.services import capture, config, recall
from pith.store.database import Db, open_store

LOCOMO = Path(os.environ.get("PITH_BENCH_DATA") or Path(__file__).resolve().parents[2] / "shared/data/locomo10.json")
TUNED = 3  # the weights were chosen on the first three conversations; the others were held out
DEPTHS = (5, 10, 20)
MUST = {5: 0.64, 10: 0.735}


# -- Invented coding sessions --------------------------------------------------------------------------------


def coding(quick: bool) -> Outcome:  # noqa: ARG001 (all measures are called alike)
    """Questions about invented sessions: found, spoken about, and kept quiet about."""
    least = float(config.defaults().get("recall.minConfidence"))
    with tempfile.TemporaryDirectory() as folder, open_store(folder) as db:
        sessions = Coding(db)
        answerable, unanswerable = sessions.answerable(), sessions.unanswerable()
    figures = []
    for language, name in (("en", "English"), ("ko", "Korean")):
        asked = [one for one in answerable if one.language == language]
        figures += [
            Figure(f"{name}, {len(asked)} questions, recall@{most}", _mean(asked, most), "of 1", must, None, True)
            for most, must in ((1, None), (5, 0.95), (10, None))
        ]
    silent = sum(not one.is_spoken(least) for one in unanswerable) / len(unanswerable)
    spoken = sum(one.is_spoken(least) for one in answerable) / len(answerable)
    hits = [confidence for one in unanswerable for confidence in one.confidences]
    weak = sum(confidence < least for confidence in hits) / len(hits)
    figures += [
        Figure(f"hook silent, {len(unanswerable)} questions without answer", silent, "of 1", 14 / 15, None, True),
        Figure("their hits that `pith recall` marks as weak", weak, "of 1"),
        Figure(f"hook speaks, {len(answerable)} questions with an answer", spoken, "of 1"),
    ]
    return Outcome(figures)


def _mean(asked: Sequence[Asked], most: int) -> float:
    return sum(one.recall(most) for one in asked) / len(asked)


# -- LoCoMo --------------------------------------------------------------------------------------------------


def locomo(quick: bool) -> Outcome:
    """Ten long conversations of a public set, turn by turn, each in a store of its own."""
    if not LOCOMO.exists():
        return Outcome([], [f"Skipped: {LOCOMO} is not there; name the file by PITH_BENCH_DATA."])
    conversations = json.loads(LOCOMO.read_text(encoding="utf-8"))
    tuned: list[_Scored] = []
    held_out: list[_Scored] = []
    for number, sample in enumerate(conversations):
        if quick and number not in (0, TUNED):
            continue
        (tuned if number < TUNED else held_out).extend(_scored(sample))
    figures = []
    for name, scored in (
        ("all", tuned + held_out),
        ("weights chosen here (1-3)", tuned),
        ("held out (4-10)", held_out),
    ):
        whole = name == "all"
        for most in DEPTHS:
            value = sum(one.recall(most) for one in scored) / len(scored)
            must = MUST.get(most) if whole else None
            figures.append(Figure(f"{name}, {len(scored):,} questions, recall@{most}", value, "of 1", must, None, True))
        figures.append(Figure(f"{name}, MRR", sum(one.reciprocal for one in scored) / len(scored), "of 1"))
    clock = [one.milliseconds for one in tuned + held_out]
    figures.append(Figure("a question over some 600 turns, p50", percentile(clock, 0.5), "ms"))
    return Outcome(figures)


class _Scored:
    """One question: which turns answer it, and which were found."""

    def __init__(self, gold: set[str], ranked: list[str], milliseconds: float) -> None:
        self.gold = gold
        self.ranked = ranked
        self.milliseconds = milliseconds

    def recall(self, most: int) -> float:
        return len(self.gold & set(self.ranked[:most])) / len(self.gold)

    @property
    def reciprocal(self) -> float:
        return next((1 / place for place, turn in enumerate(self.ranked, 1) if turn in self.gold), 0.0)


def _scored(sample: dict[str, Any]) -> Iterator[_Scored]:
    with tempfile.TemporaryDirectory() as folder, open_store(folder) as db:
        names = keep(db, sample["conversation"])
        turns = set(names.values())
        for question in sample["qa"]:
            gold = set(re.findall(r"D\d+:\d+", " ".join(question.get("evidence") or []))) & turns
            if not gold:
                continue
            began = time.perf_counter()
            hits = recall.hits(db, question["question"], max(DEPTHS))
            yield _Scored(gold, [names[hit.seq] for hit in hits], (time.perf_counter() - began) * 1_000)


def keep(db: Db, conversation: dict[str, Any]) -> dict[int, str]:
    """Put every turn of a conversation into a store; the turns' names by event."""
    names: dict[int, str] = {}
    with db.transaction():
        for minute, (session, turn) in enumerate(_turns(conversation)):
            shared = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            seen = Sighting(
                RESPONSE,
                session,
                f"{turn['speaker']}: {turn['text']}{shared}",
                f"2026-01-{1 + minute // 1440:02d}T{minute // 60 % 24:02d}:{minute % 60:02d}:00.000Z",
                host="claude",
                channel=TRANSCRIPT,
                record=turn["dia_id"],
            )
            seq = capture.record(db, seen)
            if seq is not None:
                names[seq] = turn["dia_id"]
    return names


def _turns(conversation: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    number = 1
    while f"session_{number}_date_time" in conversation:
        for turn in conversation.get(f"session_{number}") or []:
            yield f"D{number}", turn
        number += 1
