"""How fast the tables of knowledge are folded anew, and how fast every quote is read again."""

from __future__ import annotations

import random
import time
from typing import Any

from bench.figures import Figure, Outcome
from pith.domain import knowledge as kinds
from pith.domain.events import HOOK, PROMPT, Sighting
from pith.domain.evidence import quote_hash
from pith.services import capture
from pith.services.knowledge import fold as knowledge
from pith.services.knowledge import verify
from pith.store import events
from pith.store import knowledge as stored
from pith.store.database import Db, open_store

CHANGES, SPANS = 20_000, 100_000
QUICK = 10  # a tenth of it
AT = "2026-05-02T09:00:00.000Z"
_WORDS = "쿠폰함 coupon box 결제 payment 배포 deploy 캐시 cache 반올림 rounding 세션 session 로그인 login".split()


def rebuild(quick: bool) -> Outcome:
    """A mixed log: entries with evidence, tasks, states, blockers. In processor time: a busy machine counts less."""
    from tempfile import TemporaryDirectory

    count = CHANGES // (QUICK if quick else 1)
    with TemporaryDirectory() as folder, open_store(folder) as db:
        _fill(db, count)
        clock, cpu = time.perf_counter(), time.process_time()
        knowledge.rebuild(db)
        clock, cpu = time.perf_counter() - clock, time.process_time() - cpu
    return Outcome(
        [
            Figure("changes rebuilt a second of processor time", count / cpu, "/s", 10_000, more_is_better=True),
            Figure("changes rebuilt a second by the clock", count / clock, "/s", more_is_better=True),
        ]
    )


def verification(quick: bool) -> Outcome:
    """Every span of a store read again from its event."""
    from tempfile import TemporaryDirectory

    count = SPANS // (QUICK if quick else 1)
    with TemporaryDirectory() as folder, open_store(folder) as db:
        _quote(db, count)
        knowledge.catch_up(db)
        clock = time.perf_counter()
        done = verify.verify(db)
        clock = time.perf_counter() - clock
        assert (done.sound, done.broken) == (count, 0)
    return Outcome([Figure(f"{count:,} spans verified", clock, "s", 10.0)])


def _append(db: Db, number: int, kind: str, payload: dict[str, Any], source: str = "") -> None:
    stored.append(
        db, kind, payload, at=AT, anchor=kinds.command_anchor("bench", number), origin="agent",
        sources=(source,) if source else (),
    )  # fmt: skip


def _fill(db: Db, count: int) -> None:
    chance = random.Random(7)
    tasks: list[str] = []
    with db.transaction():
        for number in range(count):
            share = chance.random()
            if share < 0.5:
                source = f"event-{number}"
                said = " ".join(chance.choices(_WORDS, k=8))
                span = {"event_id": source, "start": 3, "end": 40, "quote_hash": "0" * 64, "method": "exact"}
                statement = {"type": "fact", "title": said, "evidence": [{**span, "confidence": 1.0}]}
                payload = {"source": source, "extractor": "rules", "version": "1", "build_id": "b1"}
                _append(db, number, kinds.MEMORY_EXTRACTED, {**payload, "statements": [statement]}, source)
            elif share < 0.65 or len(tasks) < 5:
                key = f"task:p:{number}"
                tasks.append(kinds.entity_id(key))
                _append(db, number, kinds.TASK_CREATED, {"task": tasks[-1], "key": key, "title": f"Task {number}"})
            else:
                to = chance.choice(("in_progress", "in_progress", "blocked", "done"))
                payload = {"task": chance.choice(tasks), "from": "", "to": to}
                if to == "blocked":
                    payload["blockers"] = [{"entity": chance.choice(tasks), "raw_text": "another task"}]
                _append(db, number, kinds.TASK_STATE_CHANGED, payload)


def _quote(db: Db, spans: int) -> None:
    """Events of some 900 characters, ten spans in each."""
    chance = random.Random(7)
    with db.transaction():
        for number in range(spans // 10):
            text = f"{number} " + " ".join(chance.choices(_WORDS, k=170))
            seq = capture.record(db, Sighting(PROMPT, f"s{number % 50}", text, AT, host="claude", channel=HOOK))
            source = events.read(db, [seq or 0])[0]["id"]
            statements = []
            for _ in range(5):
                found = []
                for start in chance.choices(range(len(text) - 60), k=2):
                    hash = quote_hash(text[start : start + 60])
                    span = {"event_id": source, "start": start, "end": start + 60, "quote_hash": hash}
                    found.append({**span, "method": "exact", "confidence": 1.0})
                statements.append({"type": "fact", "title": "said", "evidence": found})
            payload = {"source": source, "extractor": "rules", "version": "1", "build_id": "b1"}
            _append(db, number, kinds.MEMORY_EXTRACTED, {**payload, "statements": statements}, source)
