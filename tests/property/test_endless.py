"""Whatever the order of events, the clock and the settings: window, floor, limit, and no event twice."""

from __future__ import annotations

import json
import shutil
import tempfile
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pith import platform
from pith.domain import continuity, endless, grouping, summarising
from pith.domain.continuity import Moment, Snapshot
from pith.domain.endless import Focus, Item
from pith.domain.events import HOOK, PROMPT, RESPONSE, TOOL, Sighting
from pith.domain.grouping import Grouped
from pith.domain.summarising import Material
from pith.domain.times import milliseconds
from pith.services import capture
from pith.services.config import PROJECT, Layer, Settings
from pith.services.endless import consolidate, due, window
from pith.services.endless.rules import Rules
from pith.services.knowledge import fold
from pith.store import memories
from pith.store.database import Db, open_store

BEGAN = 1_780_000_000_000
HOUR = 3_600_000
SUBJECTS = ("refund retry gateway", "쿠폰함 만료 표시", "cart rounding total", "please go on", "배송지변경 상태 제한")
NAMES = st.text("abcd", min_size=1, max_size=2)


@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(endless.KINDS)), st.integers(-50, 200), st.sets(NAMES, max_size=3)),
        max_size=40,
    ),
    st.sets(NAMES, max_size=4),
    st.floats(0.1, 100),
    st.integers(1, 20),
    st.floats(0, 1),
)
def test_M04_M05_window_limit_and_floor_hold_and_relevance_stays_between_nothing_and_one(
    seen, focus, hours, most, floor
):
    items = [
        Item(str(number), kind, BEGAN + at * HOUR, topics, topics, number % 4)
        for number, (kind, at, topics) in enumerate(seen)
    ]
    now, size = BEGAN + 60 * HOUR, int(hours * HOUR)
    kept = endless.window(items, Focus(focus, focus), now, window_ms=size, most=most, floor=floor)
    assert len(kept) <= most
    assert len({item.id for _, item in kept}) == len(kept)
    for relevance, item in kept:
        assert floor <= relevance <= 1 + 1e-9
        assert now - item.at < size
    told = [relevance for relevance, _ in kept]
    assert all(a >= b - 1e-8 for a, b in pairwise(told))


@given(st.lists(st.tuples(st.integers(0, 500), st.sets(st.sampled_from("abcdefgh"), max_size=4)), max_size=120))
def test_M07_M09_each_event_is_in_one_group_at_most_and_every_group_is_sound(seen):
    events = [Grouped(f"{number:03}", at * HOUR // 10, tuple(sorted(t))) for number, (at, t) in enumerate(seen)]
    groups = grouping.grouped(events)
    told = [id for group in groups for id in group.ids]
    assert len(told) == len(set(told))
    assert grouping.grouped(event for event in events if event.id not in told) == [], "nothing is left for a second run"
    for group in groups:
        assert grouping.LEAST <= len(group.ids) <= grouping.LARGEST
        for part in (
            grouping.count_score(len(group.ids)), grouping.closeness(group.events), grouping.coherence(group.events),
            grouping.confidence(group),
        ):  # fmt: skip
            assert 0 <= part <= 1


SETS = st.sets(NAMES, max_size=4)


@given(SETS, SETS, SETS, SETS, st.floats(-1e9, 1e12), st.floats(0.1, 1000))
def test_M12_continuity_is_between_nothing_and_one_and_symmetric_but_for_time(a, b, c, d, apart, decay):
    one, other = Snapshot(a, b, c), Snapshot(b, c, d)
    score = continuity.score(one, other, apart, decay)
    assert 0 <= score <= 1 + 1e-9
    assert score == continuity.score(other, one, apart, decay)


@given(st.lists(st.tuples(st.sampled_from("st"), st.integers(0, 300)), max_size=30))
def test_M12_contexts_part_all_events_at_rests(seen):
    events = [Moment(number, str(number), session, at * 60_000) for number, (session, at) in enumerate(seen)]
    found = continuity.contexts(events)
    assert sorted(event.seq for one in found for event in one.events) == list(range(len(events)))
    for one in found:
        times = [event.at for event in one.events]
        assert all(later - earlier < continuity.REST_MS for earlier, later in pairwise(times))
        assert len({event.session for event in one.events}) == 1


SENTENCES = st.sampled_from(
    (
        "We decided to retry refunds three times because the gateway times out.",
        "환불 재시도는 세 번까지만 하기로 했다.",
        "The tests pass now.",
        "Should we keep the old table?",
        "남은 일: 샌드박스에서 시험하기.",
        "x" * 400,
        "```\ncode = 1\n```",
        "Let me look at the file.",
        "I tried a longer timeout but it did not help.",
    )
)


@given(st.lists(st.tuples(st.sampled_from((PROMPT, RESPONSE, TOOL)), st.lists(SENTENCES, max_size=4)), max_size=12))
def test_M08_a_summary_is_short_traceable_and_says_nothing_twice(seen):
    origins = {PROMPT: "person", RESPONSE: "agent", TOOL: "tool"}
    events = [
        Material(str(number), kind, origins[kind], number, " ".join(said)) for number, (kind, said) in enumerate(seen)
    ]
    told = summarising.extract(events, {"refund"})
    by_id = {event.id: " ".join(event.text.split()) for event in events}
    assert bool(told) == any(by_id.values())
    for one in told:
        assert one.text.rstrip("…") in by_id[one.event]
    assert len({one.text.casefold() for one in told}) == len(told)
    text = summarising.told(told, dict.fromkeys(by_id, "abcdefgh1234"))
    assert len(text) <= summarising.LONGEST


STEP = st.one_of(
    st.tuples(st.just("say"), st.integers(0, len(SUBJECTS) - 1), st.sampled_from((PROMPT, RESPONSE, TOOL))),
    st.tuples(st.just("wait"), st.integers(-72, 96), st.just("")),
    st.tuples(st.just("consolidate"), st.just(0), st.just("")),
    st.tuples(st.just("tidy"), st.just(0), st.just("")),
)
CHOSEN = st.fixed_dictionaries(
    {
        "endless.workingSet.maxEvents": st.integers(1, 12),
        "endless.workingSet.timeWindowHours": st.floats(0.5, 72),
        "endless.workingSet.minRelevanceScore": st.floats(0, 1),
    }
)


@given(st.lists(STEP, max_size=40), CHOSEN)
def test_M02_M04_M10_whatever_happens_window_floor_and_limit_hold_and_no_event_is_kept_twice(steps, chosen):
    settings = Settings([Layer(PROJECT, "", {"mode": "endless", **chosen}, [])])
    rules, now, folder = Rules(settings), BEGAN, tempfile.mkdtemp()
    try:
        with open_store(folder) as db:
            for number, (what, count, kind) in enumerate(steps):
                if what == "wait":
                    now += count * HOUR
                elif what == "say":
                    _say(db, f"{SUBJECTS[count]} {number}.", kind, now, settings)
                elif what == "tidy":
                    window.tidy(db, rules, now)
                else:
                    consolidate.run(db, settings, now)
                    assert not due.why(db, settings, now), "what was just done is not due"
                _check(db, rules, now)
            before = _rows(db)
            fold.rebuild(db)
            assert _rows(db) == before
            consolidate.run(db, settings, now)
            once = _rows(db)
            assert consolidate.run(db, settings, now).memories == []
            assert _rows(db) == once
    finally:
        shutil.rmtree(folder)


def _say(db: Db, text: str, kind: str, now: int, settings: Settings) -> None:
    details = {"tool": "Edit", "files": ["src/refund.py"]} if kind == TOOL else None
    seen = Sighting(kind, "s", text, platform.stamp(now), host="claude", channel=HOOK, details=details)
    capture.keep(db, seen, settings)


def _check(db: Db, rules: Rules, now: int) -> None:
    kept = window.current(db, rules, now)
    assert len(kept) <= rules.most
    assert len({one.row["event_id"] for one in kept}) == len(kept)
    for one in kept:
        assert one.relevance >= rules.floor
        assert now - milliseconds(one.row["at"]) < rules.window_ms
    stored = [row["event_id"] for row in db.execute("SELECT event_id FROM working_set")]
    assert len(stored) <= rules.most
    told = [row["event_id"] for row in db.execute("SELECT event_id FROM memory_events")]
    listed = [id for memory in memories.latest(db, 10_000) for id in _sources(memory)]
    assert sorted(listed) == sorted(told) == sorted(set(told)), "an event is in one memory at most"
    assert not set(stored) & set(told), "and then it is in the working set no more"


def _sources(memory) -> list[str]:
    return json.loads(memory["source_events"])


def _rows(db: Db) -> list[tuple]:
    return sorted(map(tuple, db.execute("SELECT * FROM consolidated_memories")))
