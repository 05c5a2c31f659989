"""How fast recall answers in a running process."""

from __future__ import annotations

import time

from bench import questions, stores
from bench.figures import Figure, Outcome, noise, percentile
from pith.services import recall
from pith.store.database import open_store

ASKED = 400


def recall_in_process(quick: bool) -> Outcome:
    """Hundreds of varied questions, every fourth with a filter, each asked once: processor time, then the clock."""
    count = stores.QUICK_EVENTS if quick else stores.EVENTS
    asked = questions.varied(100 if quick else ASKED, count)
    plain, filtered, clock, reference = [], [], [], []
    answered = 0
    with open_store(str(stores.made(count).store)) as db:
        for question, only in asked[:10]:
            recall.hits(db, question, 8, only)
        for question, only in asked:
            reference.append(_reference())
            began, worked = time.perf_counter(), time.process_time()
            hits = recall.hits(db, question, 8, only)
            (filtered if only.condition else plain).append((time.process_time() - worked) * 1_000)
            clock.append((time.perf_counter() - began) * 1_000)
            answered += bool(hits)
    every = plain + filtered
    return Outcome(
        [
            Figure(f"recall, {count:,} events, p50", percentile(every, 0.5), "ms", 10.0, 5.0),
            Figure(f"recall, {count:,} events, p95", percentile(every, 0.95), "ms", 40.0),
            Figure("on the clock, p50", percentile(clock, 0.5), "ms"),
            Figure("without a filter, p50", percentile(plain, 0.5), "ms"),
            Figure("with a filter, p50", percentile(filtered, 0.5), "ms"),
            Figure("with a filter, p95", percentile(filtered, 0.95), "ms"),
            Figure("questions that found something", answered / len(asked), "of 1"),
        ],
        noise(reference),
    )


def _reference() -> float:
    """Milliseconds for a fixed piece of work."""
    began = time.perf_counter()
    sum(range(20_000))
    return (time.perf_counter() - began) * 1_000
