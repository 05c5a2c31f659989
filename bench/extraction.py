"""How precisely statements are drawn from sessions without a model, and how many of them, on the labelled set."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pith.domain import extraction
from pith.domain.events import ORIGIN_OF_KIND
from pith.domain.extraction import Source, Statement

LABELLED = Path(__file__).parent.parent / "tests/data/extraction/labelled.json"
PRECISION, REACH = 0.9, 0.6
NOTHING = "-"
STOPS = (".", "!", "?")  # what has none stands in a line of its own


@dataclass
class Score:
    """How many were drawn, how many of them rightly, and how many there are."""

    drawn: int = 0
    right: int = 0
    wanted: int = 0

    @property
    def precision(self) -> float:
        return self.right / self.drawn if self.drawn else 1.0

    @property
    def reach(self) -> float:
        return self.right / self.wanted if self.wanted else 1.0


def sessions() -> list[dict[str, Any]]:
    """The labelled sessions."""
    found: list[dict[str, Any]] = json.loads(LABELLED.read_text("utf-8"))["sessions"]
    return found


def label(statement: Statement) -> str:
    """The label of what was drawn."""
    if statement.standing != extraction.STATED:
        return statement.standing
    return "blocked" if statement.type == "task_note" and statement.blocked_by else statement.type


def judged(session: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Each sentence with its label and with what was drawn from it."""
    for turn in session["turns"]:
        ended = [sentence + (" " if sentence.endswith(STOPS) else "\n") for _, sentence in turn["says"]]
        text = "".join(ended)
        source = Source("e", turn["kind"], ORIGIN_OF_KIND[turn["kind"]], text)
        drawn = {statement.quotes[0]: label(statement) for statement in extraction.extract(source)}
        for wanted, sentence in turn["says"]:
            yield sentence, wanted, drawn.pop(sentence, NOTHING)
        for quote, what in drawn.items():  # what is no whole sentence of the set
            yield quote, NOTHING, what


def scores(part: str = "") -> dict[str, Score]:
    """The score of each language, of one part of the set or of both."""
    found: dict[str, Score] = {}
    for session in sessions():
        if part in ("", session["part"]):
            score = found.setdefault(session["language"], Score())
            for _, wanted, drawn in judged(session):
                score.drawn += drawn != NOTHING
                score.wanted += wanted != NOTHING
                score.right += drawn == wanted != NOTHING
    return found


def mistakes(part: str = "") -> Counter[tuple[str, str, str]]:
    """What was read wrongly: label, what was drawn, sentence."""
    return Counter(
        (wanted, drawn, sentence)
        for session in sessions()
        if part in ("", session["part"])
        for sentence, wanted, drawn in judged(session)
        if wanted != drawn
    )
