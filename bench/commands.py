"""What `pith recall` costs as a whole process, through the console program that people type."""

from __future__ import annotations

import sys
from pathlib import Path

from bench import questions, stores
from bench.figures import Figure, Outcome
from bench.processes import Contestant, compare

ASKED = 12  # questions, each compared by itself


def recall(quick: bool) -> Outcome:
    """`pith recall` with questions of many kinds, `pith --version` beside it."""
    count = stores.QUICK_EVENTS if quick else stores.EVENTS
    program = Path(sys.executable).parent / "pith"
    if not program.exists():
        return Outcome([], [f"Skipped: {program.name} is not installed beside {sys.executable}; run `make setup`."])
    asked = [question for question, _ in questions.varied(3 if quick else ASKED, count)]
    with stores.copied(count) as made:
        contestants = [Contestant("pith --version", [str(program), "--version"])]
        contestants += [
            Contestant(f"{number}", [str(program), "recall", "--", question], folder=made.folder)
            for number, question in enumerate(asked)
        ]
        found = compare(contestants, stores.environment(made.home), 3 if quick else 5)
    version = found.ratios.pop("pith --version")
    ratios = sorted(found.ratios.values())
    return Outcome(
        [
            Figure(f"pith recall, {count:,} events, median question", ratios[len(ratios) // 2], "x", 7.0, 5.0),
            Figure(f"pith recall, {count:,} events, worst question", ratios[-1], "x"),
            Figure("pith --version", version, "x"),
        ],
        found.remarks,
    )
