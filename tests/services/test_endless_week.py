"""A week of work, told to endless mode by a clock of its own: twenty sessions, two worktrees, rests, new subjects.

What became memories, from which events, what left the working set, and how each context followed: all is asserted, twice,
and with a process that is killed at every step of a consolidation.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from crash.sweep import sweep
from pith import platform
from pith.domain.events import HOOK, PROMPT, RESPONSE, TOOL, Sighting
from pith.services import capture
from pith.services.config import PROJECT, Layer, Settings
from pith.services.endless import consolidate, due, window
from pith.services.endless.rules import Rules
from pith.services.knowledge import extract, fold
from pith.store import citations
from pith.store.database import Db, open_store

MONDAY = 1_777_874_400_000  # 2026-05-04T06:00Z
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
SETTINGS = Settings([Layer(PROJECT, "", {"mode": "endless"}, [])])

# What each subject is spoken of in, one turn after the other: prompt, file, answer.
SUBJECTS = {
    "refund": [
        ("Why do refund retries hammer the gateway?", "src/refunds/retry.py",
         "The refund retries had no backoff, because the gateway client swallowed the timeout."),
        ("Bound the refund retries then.", "src/refunds/retry.py",
         "We decided to retry a refund at most three times with exponential backoff against the gateway."),
        ("Do the refund tests cover the gateway timeout?", "tests/refunds/retry_test.py",
         "The refund tests pass now. Still open: a sandbox run against the real gateway."),
    ],
    "쿠폰": [
        ("쿠폰함에 만료된 쿠폰이 계속 보인다.", "src/coupon/box.py",
         "원인은 쿠폰함 조회가 만료 시각을 비교하지 않았기 때문이다."),
        ("쿠폰함에서 만료된 쿠폰을 빼자.", "src/coupon/box.py",
         "만료된 쿠폰은 쿠폰함에서 숨기고 30일 뒤에 지우기로 했다."),
        ("쿠폰함 화면은 어떻게 됐어?", "web/coupon/box.tsx",
         "쿠폰함 화면이 만료 쿠폰을 숨긴다. 시험도 통과했다."),
    ],
    "search": [
        ("The search index rebuild takes an hour.", "src/search/index_rebuild.py",
         "The index rebuild reindexes every product, which turned out to be the slow part."),
        ("Make the index rebuild incremental.", "src/search/index_rebuild.py",
         "We agreed to make the search index rebuild incremental by product version."),
        ("How long does the index rebuild take now?", "bench/index_rebuild.py",
         "The incremental index rebuild takes two minutes now."),
    ],
    "login": [
        ("Login cookies vanish after a deploy.", "src/login/cookie.py",
         "The login cookie was signed with a key that every deploy made anew."),
        ("Keep the signing key of the login cookie.", "src/login/cookie.py",
         "We decided to keep the cookie signing key in the vault, so that login survives a deploy."),
        ("Is the login cookie safe to rotate?", "docs/login/cookie.md",
         "The cookie key rotates with two keys at once. Follow-up: announce the login rotation."),
    ],
}  # fmt: skip

# Day, hour, branch (a worktree each), subject, and how many minutes the work rests in the middle.
SESSIONS = [
    (0, 3, "main", "refund", 0), (0, 5, "main", "refund", 0), (0, 9, "wip", "쿠폰", 0),
    (1, 3, "main", "refund", 45), (1, 4, "wip", "쿠폰", 0), (1, 9, "main", "search", 0),
    (2, 3, "main", "search", 0), (2, 5, "wip", "쿠폰", 0), (2, 8, "main", "search", 0),
    (3, 3, "main", "login", 0), (3, 4, "main", "login", 90), (3, 8, "wip", "refund", 0),
    (4, 3, "main", "login", 0), (4, 5, "wip", "refund", 0), (4, 9, "main", "쿠폰", 0),
    (5, 3, "main", "쿠폰", 0), (5, 6, "wip", "refund", 0),
    (6, 3, "main", "search", 0), (6, 5, "wip", "search", 0), (6, 9, "main", "login", 0),
]  # fmt: skip


def say(db: Db, kind: str, session: str, branch: str, text: str, now: int, file: str = "") -> None:
    details = {"tool": "Edit", "files": [f"/home/me/{branch}/{file}"], "failed": False} if file else None
    seen = Sighting(
        kind, session, text, platform.stamp(now), host="claude", channel=HOOK, details=details, branch=branch
    )
    assert capture.keep(db, seen, SETTINGS) is not None


def live(db: Db, until: int | None = None) -> None:
    """The week up to so many sessions: every event as a hook writes it; what is due is done when it is due."""
    for number, (day, hour, branch, subject, rest) in enumerate(SESSIONS[:until]):
        now = MONDAY + day * DAY + hour * HOUR
        for turn, (prompt, file, answer) in enumerate(SUBJECTS[subject]):
            session, mark = f"s{number:02}", f"({number}.{turn})"
            now += rest * MINUTE if turn == 2 else 0
            say(db, PROMPT, session, branch, f"{prompt} {mark}", now)
            say(db, TOOL, session, branch, f"Edit {file} {mark}", now + MINUTE, file)
            say(db, RESPONSE, session, branch, f"{answer} {mark}", now + 2 * MINUTE)
            work(db, now + 2 * MINUTE)
            now += 5 * MINUTE
        work(db, now, ending=True)


def work(db: Db, now: int, *, ending: bool = False) -> None:
    """What a hook and the worker do: look whether it is due, and do it."""
    if due.is_due(db, SETTINGS, now, ending=ending):
        extract.extract(db, "p")
        consolidate.run(db, SETTINGS, now)


class Week:
    """The tables after a week, by what was said instead of by ids."""

    def __init__(self, db: Db) -> None:
        rows = db.execute(
            "SELECT e.id, e.kind, s.id AS session, b.text FROM events e JOIN sessions s ON s.num = e.session"
            " JOIN event_bodies b ON b.seq = e.seq"
        )
        self.said = {row["id"]: (row["session"], row["kind"], row["text"]) for row in rows}
        self.memories = [dict(row) for row in db.execute("SELECT * FROM consolidated_memories ORDER BY first_at")]
        self.log = [dict(row) for row in db.execute("SELECT * FROM continuity_log ORDER BY began_at, session")]
        self.held = {row["event_id"] for row in db.execute("SELECT event_id FROM working_set")}

    def events(self, memory: dict[str, Any]) -> list[tuple[str, str, str]]:
        return [self.said[id] for id in json.loads(memory["source_events"])]

    def sessions(self, memory: dict[str, Any]) -> list[str]:
        return sorted({session for session, _, _ in self.events(memory)})

    def subjects(self, memory: dict[str, Any]) -> set[str]:
        return {SESSIONS[int(session[1:])][3] for session, _, _ in self.events(memory)}

    def subject(self, memory: dict[str, Any]) -> str:
        [one] = self.subjects(memory)
        return one


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids that follow from the order of writing: two weeks are the same to the letter."""
    numbers = itertools.count(1)
    monkeypatch.setattr(platform, "new_id", lambda ms: platform._uuid7((MONDAY << 74) + next(numbers)))


@pytest.fixture
def db(tmp_path: Path) -> Any:
    with open_store(str(tmp_path / "store")) as opened:
        yield opened


def test_M06_M07_M10_the_week_leaves_memories_of_one_subject_each_and_every_event_in_one(db):
    live(db)
    week = Week(db)
    assert len(week.said) == 20 * 9
    told = [id for memory in week.memories for id in json.loads(memory["source_events"])]
    assert len(told) == len(set(told))
    for memory in week.memories:
        assert len(week.subjects(memory)) == 1, (week.subjects(memory), memory["summary"])
        assert len(week.events(memory)) >= 3
        assert 0 <= memory["confidence"] <= 1
        assert memory["summarizer"] == "extractive"
    found = [(week.subject(one), ", ".join(week.sessions(one)), len(week.events(one))) for one in week.memories]
    assert found == MEMORIES
    assert set(told) == set(week.said), "every event of the week is remembered"
    assert not week.held & set(told)
    assert week.held <= set(week.said)


# Subject, sessions, events. Consolidation came with a rest, an hour, or the end of a session.
MEMORIES: list[tuple[str, str, int]] = [
    ("refund", "s00, s01", 12), ("refund", "s01", 6), ("쿠폰", "s02", 6), ("쿠폰", "s02", 3), ("refund", "s03", 9),
    ("쿠폰", "s04", 9), ("search", "s05", 3), ("search", "s05, s06", 12), ("search", "s06", 3), ("쿠폰", "s07", 9),
    ("search", "s08", 9), ("login", "s09", 3), ("login", "s09, s10", 12), ("login", "s10", 3), ("refund", "s11", 9),
    ("login", "s12", 9), ("refund", "s13", 3), ("refund", "s13", 3), ("refund", "s13", 3), ("쿠폰", "s14", 6),
    ("쿠폰", "s14, s15", 12), ("refund", "s16", 9), ("search", "s17", 3), ("search", "s17, s18", 12),
    ("search", "s18", 3), ("login", "s19", 9),
]  # fmt: skip


def test_M08_each_sentence_of_the_week_stands_in_the_event_that_it_cites(db):
    live(db)
    week = Week(db)
    cited = {citations.name(citations.EVENT, id)[:8]: text for id, (_, _, text) in week.said.items()}
    for memory in week.memories:
        assert len(memory["summary"]) <= 1_000
        for line in memory["summary"].split("\n"):
            sentence, _, citation = line.rpartition(" [mem:")
            assert sentence.rstrip("…") in cited[citation.rstrip("]")]
    korean = [memory["summary"] for memory in week.memories if week.subjects(memory) == {"쿠폰"}]
    branches = {week.subject(one): json.loads(one["branches"]) for one in week.memories}
    assert branches["login"] == ["main"], "each memory says on which branches it was made"
    assert any("숨기고 30일 뒤에 지우기로 했다" in summary for summary in korean)
    assert not any("decided" in summary for summary in korean), "in the language of the events"
    english = " ".join(memory["summary"] for memory in week.memories if week.subjects(memory) == {"refund"})
    assert "at most three times with exponential backoff" in english


def test_M12_every_transition_of_the_week_is_in_the_log_once(db):
    live(db)
    week = Week(db)
    follows = {row["to_context_id"]: row for row in week.log}
    assert len(follows) == len(week.log) == 22, "twenty sessions, two of them in two stretches"
    names = {row["to_context_id"]: row["session"] for row in week.log}
    told = [(row["session"], names.get(row["from_context_id"] or "", "-"), row["transition_type"]) for row in week.log]
    assert told == TRANSITIONS
    for row in week.log:
        assert (row["continuity_score"] is None) == (row["from_context_id"] is None)


# Session, the one it follows, how. Two worktrees are two lines; the first context has nothing before it.
TRANSITIONS: list[tuple[str, str, str]] = [
    ("s00", "-", "unknown"), ("s01", "s00", "seamless"), ("s02", "s01", "break"), ("s03", "s01", "seamless"),
    ("s03", "s03", "topic_shift"), ("s04", "s02", "seamless"), ("s05", "s03", "break"), ("s06", "s05", "seamless"),
    ("s07", "s04", "seamless"), ("s08", "s06", "seamless"), ("s09", "s08", "break"), ("s10", "s09", "seamless"),
    ("s10", "s10", "topic_shift"), ("s11", "s07", "break"), ("s12", "s10", "topic_shift"),
    ("s13", "s11", "topic_shift"), ("s14", "s12", "break"), ("s15", "s14", "seamless"), ("s16", "s13", "seamless"),
    ("s17", "s15", "break"), ("s18", "s16", "break"), ("s19", "s17", "break"),
]  # fmt: skip


def test_M10_the_same_week_twice_gives_the_same_rows_and_a_rebuild_too(tmp_path, counted, monkeypatch):
    found = []
    for name in ("one", "other"):
        numbers = itertools.count(1)
        monkeypatch.setattr(platform, "new_id", lambda ms, n=numbers: platform._uuid7((MONDAY << 74) + next(n)))
        with open_store(str(tmp_path / name)) as db:
            live(db)
            found.append(_rows(db))
            fold.rebuild(db)
            assert _rows(db) == found[-1]
    assert found[0] == found[1]


def _rows(db: Db) -> dict[str, list[tuple[Any, ...]]]:
    tables = ("working_set", "consolidated_memories", "memory_events", "continuity_log", "memory_words")
    # The number of a word's row is given anew by a rebuild; nothing but the full text refers to it.
    columns = {"memory_words": "memory_id, terms"}
    return {
        table: sorted(map(tuple, db.execute(f"SELECT {columns.get(table, '*')} FROM {table}")), key=repr)
        for table in tables
    }


def _killed_everywhere(tmp_path: Path, *, every: bool) -> None:
    """Live to the middle of the week, then consolidate in a process that is killed; the next one ends the same."""
    folder = tmp_path / "store"
    with open_store(str(folder)) as db:
        live(db, 10)
        for number in range(12):
            text = f"Why is the {'cart' if number % 2 else '재고'} total wrong in round {number}?"
            say(db, PROMPT, "late", "main", text, MONDAY + 3 * DAY + 6 * HOUR + number * MINUTE)
    now = MONDAY + 3 * DAY + 7 * HOUR

    def action() -> None:
        with open_store(str(folder)) as db:
            consolidate.run(db, SETTINGS, now)

    calm = _calm(tmp_path, folder, now)
    for number, step in sweep(action, folder, every=every):
        with open_store(str(folder)) as db:
            consolidate.run(db, SETTINGS, now)
            assert _rows(db) == calm, f"killed before step {number}: {step}"
            assert not due.is_due(db, SETTINGS, now)


def _calm(tmp_path: Path, folder: Path, now: int) -> dict[str, list[tuple[Any, ...]]]:
    import shutil

    other = tmp_path / "calm"
    shutil.copytree(folder, other)
    with open_store(str(other)) as db:
        assert len(consolidate.run(db, SETTINGS, now).memories) >= 2
        return _rows(db)


def test_M10_pain_22_a_consolidation_killed_at_any_step_neither_loses_nor_doubles(tmp_path):
    _killed_everywhere(tmp_path, every=False)


@pytest.mark.long
def test_M10_pain_22_a_consolidation_killed_at_every_step_neither_loses_nor_doubles(tmp_path):
    _killed_everywhere(tmp_path, every=True)


def test_M04_what_belongs_nowhere_leaves_by_its_age_and_is_remembered_when_more_of_it_comes(db):
    live(db)
    now = MONDAY + 6 * DAY + 10 * HOUR
    for number in range(2):
        say(db, PROMPT, "s20", "main", f"Does the invoice export round totals? ({number})", now + number * MINUTE)
    window.tidy(db, Rules(SETTINGS), now + HOUR)
    assert len(Week(db).held) == 2
    window.tidy(db, Rules(SETTINGS), now + DAY + HOUR)
    assert Week(db).held == set()
    say(db, PROMPT, "s21", "main", "The invoice export rounds totals twice.", now + 3 * DAY)
    made = consolidate.run(db, SETTINGS, now + 3 * DAY + MINUTE).memories
    [memory] = [one for one in Week(db).memories if one["memory_id"] in made]
    assert Week(db).sessions(memory) == ["s20", "s21"]


def test_M04_after_seven_days_what_was_in_no_memory_is_no_candidate_any_more(db):
    for number in range(3):
        say(db, PROMPT, "s", "main", f"Does the invoice export round totals? ({number})", MONDAY + number)
    assert consolidate.run(db, SETTINGS, MONDAY + 8 * DAY).memories == []
    assert len(consolidate.run(db, SETTINGS, MONDAY + 6 * DAY).memories) == 1
