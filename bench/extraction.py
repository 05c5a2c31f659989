"""How precisely statements are drawn without a model, how fast, and what a hook costs that looks among them."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import questions, stores, texts
from bench.figures import Figure, Outcome
from bench.processes import HOOK, Contestant, compare
from pith.domain import extraction, knowledge
from pith.domain.events import ORIGIN_OF_KIND
from pith.domain.extraction import Rules, Source, Statement
from pith.services.knowledge import extract
from pith.services.knowledge.fold import Cause, Command
from pith.store import extracting
from pith.store.database import open_store

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


# -- Measures ------------------------------------------------------------------------------------------------

PARTS = {"": "all", "held": "written before the rules", "last": "written after them"}
STATEMENTS, QUICK_STATEMENTS = 6_000, 600


def quality(quick: bool) -> Outcome:  # noqa: ARG001 (all measures are called alike)
    """Precision and reach of the rules, by language and part of the set."""
    figures = []
    for part, told in PARTS.items():
        for language, score in sorted(scores(part).items()):
            name = f"{'English' if language == 'en' else 'Korean'}, {told}, {score.wanted} to be drawn"
            figures += [
                Figure(f"{name}: precision", score.precision, "of 1", PRECISION, None, True),
                Figure(f"{name}: reach", score.reach, "of 1", REACH, None, True),
            ]
    return Outcome([*figures, _speed()])


def _speed() -> Figure:
    author = texts.Author(7)
    sources = [Source(str(n), "response", "agent", author.speech(600)) for n in range(300)]
    rules, began = Rules(), time.process_time()
    for source in sources:
        rules.read(source)
    return Figure("answers of 600 characters read in a second", len(sources) / (time.process_time() - began), "")


def hook_among_entries(quick: bool) -> Outcome:
    """The hook with a prompt, over a large store of events from which thousands of statements were drawn."""
    count = stores.QUICK_EVENTS if quick else stores.EVENTS
    wanted = QUICK_STATEMENTS if quick else STATEMENTS
    asked = [question for question, _ in questions.varied(60, count)]
    with stores.copied(count) as made:
        with open_store(str(made.store)) as db:
            drawn = _state(db, wanted)
        folder = str(made.folder)

        def payload(number: int, event: str, **more: str) -> bytes:
            common = {"session_id": f"bench-{number % 7}", "cwd": folder, "hook_event_name": event}
            return json.dumps({**common, "prompt_id": f"p{number}", **more}, ensure_ascii=False).encode()

        prompt, start = f"prompt with recall among {drawn:,} entries", "session start with open tasks"
        contestants = [
            Contestant(prompt, HOOK, lambda n: payload(n, "UserPromptSubmit", prompt=asked[n % len(asked)])),
            Contestant(start, HOOK, lambda n: payload(n, "SessionStart", source="startup")),
        ]
        found = compare(contestants, stores.environment(made.home), 5 if quick else 21)
    bounds = {prompt: (5.0, 4.0), start: (None, None)}
    figures = [
        Figure(name, found.ratios[name], "x", *bounds[name], note=f"{found.milliseconds[name]:.1f} ms")
        for name in bounds
    ]
    figures += [Figure(f"  spoke at: {name}", found.spoken[name], "of 1") for name in bounds]
    return Outcome(figures, found.remarks)


def _state(db: Any, wanted: int) -> int:
    """Draw the first sentence of so many events, as if each stated a fact."""
    drawn, seq = 0, 0
    while drawn < wanted and (rows := extracting.after(db, seq, 500)):
        with Command(db, Cause(at=rows[0]["at"], origin="agent")) as command:
            for row in rows:
                sentence = next(iter(extraction.sentences(row["text"])), "")
                if not sentence or drawn >= wanted:
                    continue
                said = Statement("fact", extraction.shortened(sentence), sentence, (sentence,))
                source = Source(row["id"], row["kind"], "agent", row["text"])
                payload = {
                    "source": row["id"], "extractor": "rules", "version": "1", "build_id": "bench",
                    "statements": [extract.with_evidence(source, said)],
                }  # fmt: skip
                command.append(knowledge.MEMORY_EXTRACTED, payload, sources=(row["id"],))
                drawn += 1
        seq = max(row["seq"] for row in rows)
    return drawn
