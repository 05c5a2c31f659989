"""How fast a thousand events become memories, and what a prompt costs with a full working set."""

from __future__ import annotations

import random
import time

from bench.figures import Figure, Outcome
from pith import platform
from pith.domain.events import HOOK, PROMPT, RESPONSE, TOOL, Sighting
from pith.services import capture
from pith.services.config import PROJECT, Layer, Settings
from pith.services.endless import consolidate, prompt
from pith.store.database import Db, open_store

EVENTS = 1_000
NOW = 1_780_000_000_000
SETTINGS = Settings([Layer(PROJECT, "", {"mode": "endless"}, [])])
_SUBJECTS = (
    "refund retry gateway timeout", "coupon box expiry screen", "search index rebuild product",
    "login cookie deploy key",
    "쿠폰함 만료 화면 표시", "배송지변경 상태 제한 주문", "재고 동기화 캐시 창고", "invoice export pdf archive",
)  # fmt: skip
_TALK = "we looked at this for a while and it was slow because nothing waits for what comes after it".split()


def consolidation(quick: bool) -> Outcome:
    """Six days of mixed work: what was said, in both languages, with what tools did between."""
    from tempfile import TemporaryDirectory

    count = EVENTS // (10 if quick else 1)
    with TemporaryDirectory() as folder, open_store(folder) as db:
        _fill(db, count)
        clock, cpu = time.perf_counter(), time.process_time()
        done = consolidate.run(db, SETTINGS, NOW)
        clock, cpu = time.perf_counter() - clock, time.process_time() - cpu
        assert done.memories
        again = time.perf_counter()
        assert consolidate.run(db, SETTINGS, NOW).memories == []
        again = time.perf_counter() - again
    made = f"{len(done.memories)} memories of {done.events:,}"
    return Outcome(
        [
            Figure(f"{count:,} events consolidated", clock, "s", 2.0, note=made),
            Figure("of which processor time", cpu, "s"),
            Figure("again, with nothing new", again, "s"),
        ]
    )


def told(quick: bool) -> Outcome:
    """The block of a prompt beside recall, in this process: the working set, memories and the continuity."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder, open_store(folder) as db:
        _fill(db, EVENTS // (10 if quick else 1))
        consolidate.run(db, SETTINGS, NOW - 86_400_000)
        taken = []
        for number in range(30):
            clock = time.perf_counter()
            question = f"why does the refund retry wait for the gateway, {number}?"
            prompt.told(db, SETTINGS, question, session=f"new{number}", budget=400, now_ms=NOW)
            taken.append((time.perf_counter() - clock) * 1_000)
    return Outcome([Figure("working set told with a prompt, median", sorted(taken)[len(taken) // 2], "ms")])


def _fill(db: Db, count: int) -> None:
    chance = random.Random(7)
    with db.transaction():
        for number in range(count):
            words = _SUBJECTS[number // 20 % len(_SUBJECTS)].split()
            kind = (PROMPT, TOOL, RESPONSE)[number % 3]
            at = platform.stamp(NOW - 6 * 86_400_000 + number * (6 * 86_400_000 // count))
            text = f"{' '.join(chance.choices(_TALK, k=30))} {' '.join(chance.choices(words, k=6))}. "
            text += f"We decided to keep the {words[0]} {words[1]} as it is, because the {words[2]} failed. "
            text += f"그래서 {words[0]} 쪽은 {number}번째로 고치기로 했다."
            details = {"tool": "Edit", "files": [f"src/{words[0]}/{words[1]}.py"]} if kind == TOOL else None
            seen = Sighting(kind, f"s{number // 40}", text, at, host="claude", channel=HOOK, details=details)
            event = capture.record(db, seen)
            assert event is not None
            capture.join(db, event, seen, SETTINGS)
