"""Notes of coding work in Korean and English in a store, and what recall makes of questions in either language.

The set was written before anything was tuned on it. A hash of each question's text puts it into one of two halves: what
is fitted is fitted to the first, and held against the second.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pith.domain.events import RESPONSE, TRANSCRIPT, Sighting
from pith.domain.ports import Embedder
from pith.services import capture, recall
from pith.services.meaning import means, neighbours, texts
from pith.services.meaning.exact import ExactIndex
from pith.services.meaning.indexes import Index
from pith.services.meaning.nearness import Meaning
from pith.store import items, kin, vectors
from pith.store.database import Db

FILE = Path(__file__).parent / "data" / "recall" / "bilingual_notes.json"
BATCH = 50
VERSION = "set@384-0000"


@dataclass(frozen=True)
class Asked:
    """One question, the language of it and of the note that answers, and what was found, best first."""

    text: str
    language: str
    note_language: str
    gold: frozenset[str]
    ranked: tuple[str, ...]
    confidences: tuple[float, ...]

    def recall(self, most: int) -> float:
        return len(self.gold & set(self.ranked[:most])) / len(self.gold)

    @property
    def direction(self) -> str:
        return f"{self.language}-{self.note_language}"

    @property
    def is_held_out(self) -> bool:
        return hashlib.sha256(self.text.encode()).digest()[-1] % 2 == 1

    def is_spoken(self, least: float) -> bool:
        """Whether a hook that needs this much confidence would say anything."""
        return any(confidence >= least for confidence in self.confidences)


class Bilingual:
    """The notes in a store; `answerable` and `unanswerable` ask all questions, by meaning where there is one."""

    def __init__(self, db: Db) -> None:
        self.db = db
        self.set: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
        self._names: dict[int, str] = {}
        with db.transaction():
            for session in self.set["sessions"]:
                for minute, note in enumerate(session["notes"]):
                    self._keep(session, minute, note)

    def _keep(self, session: dict[str, Any], minute: int, note: dict[str, str]) -> None:
        seen = Sighting(
            RESPONSE,
            session["id"],
            note["text"],
            f"{session['start']}T10:{minute:02d}:00.000Z",
            host="claude",
            channel=TRANSCRIPT,
            record=note["id"],
            branch=session["branch"],
        )
        seq = capture.record(self.db, seen)
        if seq is not None:
            self._names[seq] = note["id"]

    def answerable(self, meaning: Meaning | None = None) -> list[Asked]:
        return [self._ask(question, meaning) for question in self.set["questions"]]

    def unanswerable(self, meaning: Meaning | None = None) -> list[Asked]:
        return [self._ask(question, meaning) for question in self.set["unanswerable"]]

    def _ask(self, question: dict[str, Any], meaning: Meaning | None) -> Asked:
        hits = recall.hits(self.db, question["q"], 10, meaning=meaning)
        return Asked(
            question["q"],
            question["lang"],
            question.get("note", question["lang"]),
            frozenset(question.get("gold", ())),
            tuple(self._names[hit.seq] for hit in hits),
            tuple(hit.confidence for hit in hits),
        )


def embedded(db: Db, embedder: Embedder, index: Index | None = None) -> Meaning:
    """The events of a store in an index, the exact one unless told otherwise, as the worker leaves them."""
    index = index or ExactIndex(db, VERSION, embedder.dimensions)
    means.seed(db, VERSION, embedder)
    pieces = [(item, part, piece) for item in items.each(db, "event") for part, piece in enumerate(texts.pieces(item))]
    for start in range(0, len(pieces), BATCH):
        some = pieces[start : start + BATCH]
        vectors = embedder.embed_documents([piece for _, _, piece in some])
        index.upsert([texts.row(*one, vector) for one, vector in zip(some, vectors, strict=True)])
    index.optimize()
    return Meaning(embedder, index)


def fill_neighbours(db: Db, meaning: Meaning) -> None:
    """Note who is near whom, as the worker does for the hooks."""
    number, last = vectors.number(db, VERSION) or 0, 0
    while True:
        near, last = neighbours.look(db, meaning.index, number, last)
        if not last:
            return
        with db.transaction():
            kin.put(db, near)


def calibration_error(pairs: list[tuple[float, bool]], bins: int = 10) -> float:
    """How far what was promised is from what came true, in bins of equal width: 0 is perfect."""
    error = 0.0
    for number in range(bins):
        here = [pair for pair in pairs if min(bins - 1, int(pair[0] * bins)) == number]
        if here:
            promised = sum(sure for sure, _ in here) / len(here)
            true = sum(right for _, right in here) / len(here)
            error += len(here) / len(pairs) * abs(promised - true)
    return error
