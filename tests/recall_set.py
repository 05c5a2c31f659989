"""The invented coding sessions of `data/recall/` in a store, and what recall makes of their questions.

The test of recall's quality and `make bench` measure the same thing by this.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pith.domain.events import TRANSCRIPT, Sighting
from pith.services import capture, recall
from pith.store.database import Db

FILE = Path(__file__).parent / "data" / "recall" / "coding_sessions.json"


@dataclass(frozen=True)
class Asked:
    """One question, what answers it (nothing when nothing does), and what recall found, best first."""

    text: str
    language: str
    gold: frozenset[str]
    ranked: tuple[str, ...]
    confidences: tuple[float, ...]

    def recall(self, most: int) -> float:
        """The share of its answers among the first hits."""
        return len(self.gold & set(self.ranked[:most])) / len(self.gold)

    def is_spoken(self, least: float) -> bool:
        """Whether a hook that needs this much confidence would say anything."""
        return any(confidence >= least for confidence in self.confidences[:5])


class Coding:
    """The sessions in a store; `answerable` and `unanswerable` ask all questions of it."""

    def __init__(self, db: Db) -> None:
        self.db = db
        self._set: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
        self._names: dict[int, str] = {}
        with db.transaction():
            for session in self._set["sessions"]:
                for turn in session["turns"]:
                    self._keep(session, turn)

    def answerable(self) -> list[Asked]:
        return [self._ask(question) for question in self._set["questions"]]

    def unanswerable(self) -> list[Asked]:
        return [self._ask(question) for question in self._set["unanswerable"]]

    def _keep(self, session: dict[str, Any], turn: dict[str, Any]) -> None:
        name = f"{session['id']}:{turn['n']}"
        minutes = turn["n"]
        details = {"tool": turn["tool"], "files": turn.get("files", [])} if "tool" in turn else {}
        seq = capture.record(
            self.db,
            Sighting(
                turn["kind"],
                session["id"],
                turn["text"],
                f"{session['start'][:11]}{10 + minutes // 60:02d}:{minutes % 60:02d}:00.000Z",
                host="claude",
                channel=TRANSCRIPT,
                record=name,
                branch=session["branch"],
                details=details,
            ),
        )
        if seq is not None:
            self._names[seq] = name

    def _ask(self, question: dict[str, Any]) -> Asked:
        hits = recall.hits(self.db, question["q"], 10)
        return Asked(
            question["q"],
            question["lang"],
            frozenset(question.get("gold", ())),
            tuple(self._names[hit.seq] for hit in hits),
            tuple(hit.confidence for hit in hits),
        )
