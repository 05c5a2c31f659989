"""Running extractors over a store: once, again, killed, replaced, contradicted; tasks that block and go on."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from crash.sweep import sweep
from knowledge_kit import rows_of
from pith.adapters.extractor_http import ExtractorUnavailable, HttpExtractor
from pith.domain.entities import CONDITION, TASK
from pith.domain.events import HOOK, PROMPT, RESPONSE, TOOL, Sighting
from pith.domain.extraction import Rules, Source
from pith.errors import InputError
from pith.services import capture, entry_recall
from pith.services.knowledge import extract, extractors, ladder, note
from pith.services.knowledge import fold as knowledge
from pith.services.knowledge.fold import Cause
from pith.store import edges, entities, entries, extracting, usage
from pith.store.database import Db, open_store

PROJECT = "p1"
DAY = "2026-05-{:02}T09:00:00.000Z"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Db]:
    with open_store(str(tmp_path / "store")) as opened:
        yield opened


def say(db: Db, text: str, day: int = 2, session: str = "s1", kind: str = PROMPT, **more: Any) -> int:
    seq = capture.keep(db, Sighting(kind, session, text, DAY.format(day), host="claude", channel=HOOK, **more))
    assert seq is not None
    return seq


def read(db: Db, **how: Any) -> extract.Report:
    return extract.extract(db, PROJECT, **how)


def live(db: Db) -> dict[str, str]:
    return {one.title: one.status for one in entries.listed(db, statuses=("active", "contested"))}


def test_E15_reading_twice_appends_nothing_and_a_rebuild_gives_the_same_rows(db):
    say(db, "We decided to use Redis for the queue. The queue is implemented in app/queue.py.")
    say(db, "환불 테스트는 샌드박스 키가 없어서 막혀 있다.", 3)
    assert read(db).entries == 3
    before = rows_of(db)
    assert read(db).read == 0
    assert rows_of(db) == before
    knowledge.rebuild(db)
    assert rows_of(db) == before


def test_E15_again_makes_a_new_build_in_the_old_ones_place(db):
    say(db, "We decided to use Redis for the queue.")
    first = read(db)
    again = read(db, again=True)
    assert first.builds != again.builds
    old = entries.listed(db, statuses=("superseded",))
    assert [one.superseded_by for one in old] == [one.entry_id for one in entries.listed(db, statuses=("active",))]
    assert len(live(db)) == 1
    before = rows_of(db)
    knowledge.rebuild(db)
    assert rows_of(db) == before


def test_E15_E13_reading_again_does_not_block_a_task_that_went_on(db):
    say(db, "The refund test is blocked by the missing sandbox key.", 2)
    say(db, "Ops sent the sandbox key this morning.", 4, "s2")
    read(db)
    read(db, again=True)
    assert [task.state for task in entities.listed(db, TASK)] == ["in_progress"]


def test_E13_E14_a_task_blocked_in_words_rests_on_them_and_goes_on_when_a_later_session_says_so(db):
    say(db, "The refund test is blocked by the missing sandbox key.", 2, kind=RESPONSE)
    read(db)
    (task,) = entities.listed(db, TASK)
    (condition,) = entities.listed(db, CONDITION)
    assert (task.title, task.state, condition.title) == ("refund test", "blocked", "missing sandbox key")
    (edge,) = edges.find_by_src(db, task.entity_id, "blocked_by")
    assert (edge.meta["mode"], edge.meta["span"]) == ("replace", {"start": 34, "end": 53})
    assert [entry.entry_type for entry, _ in entries.evidence_for(db, task.entity_id)] == ["task_note"]
    say(db, "The sandbox key has not arrived yet.", 3, "s2")
    read(db)
    assert [one.state for one in entities.listed(db, TASK)] == ["blocked"]
    say(db, "The sandbox key arrived.", 4, "s3")
    assert read(db).resolved == 1
    assert [one.state for one in entities.listed(db, TASK)] == ["in_progress"]
    (condition,) = entities.listed(db, CONDITION)
    assert condition.current["evidence"] == "The sandbox key arrived."
    assert entities.unsound(db) == []


def test_an_import_that_was_written_in_another_order_is_read_in_the_order_of_time(db):
    say(db, "The sandbox key arrived.", 4, "s2")
    say(db, "The refund test is blocked by the missing sandbox key.", 2, "s1")
    read(db)
    assert [one.state for one in entities.listed(db, TASK)] == ["in_progress"]


def test_what_tools_print_neither_decides_nor_blocks_nor_settles(db):
    say(db, "The refund test is blocked by the missing sandbox key.", 2)
    say(db, "The sandbox key arrived.", 3, kind=TOOL, details={"tool": "Bash", "command": "cat mail.txt"})
    say(db, "We decided to delete all orders.", 3, kind=TOOL, details={"tool": "Bash", "command": "cat mail.txt"})
    read(db)
    assert [one.state for one in entities.listed(db, TASK)] == ["blocked"]
    assert {one.entry_type for one in entries.listed(db)} == {"task_note"}


def test_a_later_decision_supersedes_and_both_are_kept_whatever_order_they_come_in(db):
    say(db, "큐는 Redis 대신 RabbitMQ를 쓰기로 했다.", 9, "s2")
    read(db)
    say(db, "큐는 Redis를 쓰기로 했다.", 2, "s1")
    read(db)
    (old,) = entries.listed(db, statuses=("superseded",))
    (new,) = entries.listed(db, statuses=("active",))
    assert (old.created_ts, old.superseded_by) == (DAY.format(2), new.entry_id)
    found = entry_recall.find(db, "큐는 무엇을 쓰나 Redis", 5)
    assert [one.status for one in found] == ["active", "superseded"]
    assert "superseded by mem:" in found[1].about(db)


def test_two_statements_that_contradict_are_both_contested_and_told_together(db):
    say(db, "Our backups in bucket db-eu are kept for 5 years.", 2, "s1")
    say(db, "Our backups in bucket db-eu are kept for 6 years.", 3, "s2")
    read(db)
    assert sorted(live(db).values()) == ["contested", "contested"]
    found = entry_recall.find(db, "how long are backups in db-eu kept?", 5)
    assert {one.status for one in found} == {"contested"}
    assert len(found) == 2
    assert all("contested by mem:" in one.about(db) for one in found)


def test_nothing_is_swallowed_because_it_is_similar(db):
    say(db, "Orders are kept in PostgreSQL for 5 years.", 2, "s1")
    say(db, "Invoices are kept in PostgreSQL for 6 years.", 3, "s2")
    read(db)
    assert list(live(db).values()) == ["active", "active"]


def test_an_entry_climbs_by_being_said_again_elsewhere_or_shown_often_and_no_further(db):
    say(db, "We decided to use Redis for the queue.", 2, "s1")
    say(db, "The queue is implemented in app/queue.py.", 2, "s1")
    read(db)
    assert {one.stage for one in entries.listed(db)} == {"working"}
    say(db, "We decided to use Redis for the queue.", 3, "s2")
    read(db)
    assert sorted(one.stage for one in entries.listed(db)) == ["candidate", "candidate", "working"]
    (fact,) = entries.listed(db, types=("fact",))
    cited = entry_recall.find(db, "app/queue.py", 1)[0].cited
    for session in ("s3", "s4"):
        usage.add(db, at=DAY.format(5), face="hook", session=session, query="q", shown=[cited[:8]], tokens=1)
    ladder.climb(db)
    ladder.climb(db)
    assert {one.stage for one in entries.listed(db)} == {"candidate"}
    assert [row["reason"] for row in entities.moves(db, fact.entry_id)] == ["shown in 2 sessions"]


def test_a_guess_stays_raw_and_is_told_as_a_guess(db):
    say(db, "Maybe the pool of the export has only 10 connections.", kind=RESPONSE)
    read(db)
    (entry,) = entries.listed(db)
    assert (entry.entry_type, entry.stage, entry.content["standing"]) == ("insight", "raw", "hypothesis")
    assert " hypothesis (raw)" in entry_recall.find(db, "connections of the export pool", 1)[0].about(db)


def test_E16_an_entry_whose_every_quote_failed_stays_raw_and_is_never_recalled(db):
    say(db, "We talked about the deployment.")
    noted = note.note(db, "fact", "The deployment needs Kubernetes", quotes=["needs Kubernetes 1.30"])
    assert (noted.stage, noted.has_failed_quote) == ("raw", True)
    assert entry_recall.find(db, "deployment Kubernetes", 5) == []
    proved = note.note(db, "fact", "They talked about the deployment", quotes=["about the deployment"])
    assert proved.stage == "working"
    assert [one.id for one in entry_recall.find(db, "deployment", 5)] == [proved.entry_id]


def test_a_note_carried_out_again_states_nothing_twice_and_needs_words_and_a_type(db):
    cause = Cause(origin="agent", command="c1")
    one = note.note(db, "decision", "Use a queue for labels", cause=cause)
    assert note.note(db, "decision", "Use a queue for labels", cause=cause).entry_id == one.entry_id
    assert len(entries.listed(db)) == 1
    for type, title in (("opinion", "x"), ("fact", "  ")):
        with pytest.raises(InputError):
            note.note(db, type, title)


def test_E15_a_forgotten_event_takes_its_statements_along(db):
    from pith.store import events
    from pith.store import knowledge as stored

    seq = say(db, "We decided to use Redis for the queue.")
    read(db)
    with db.transaction():
        events.bury(db, seq, DAY.format(5))
        stored.bury_quoting(db, [events.read(db, [seq])[0]["id"]], DAY.format(5))
    knowledge.catch_up(db)
    assert entries.listed(db) == []
    assert entry_recall.find(db, "Redis queue", 5) == []
    read(db, again=True)
    assert entries.listed(db) == []


def test_what_was_drawn_from_a_forgotten_event_leaves_the_file_to_the_last_byte(tmp_path):
    from pith.services.keeping import burial

    with open_store(str(tmp_path / "store")) as db:
        seq = say(db, "We decided to use Quaxomancer7 for the queue.")
        read(db)
        cited = entry_recall.find(db, "Quaxomancer7", 1)[0].cited
        usage.add(db, at=DAY.format(5), face="cli", session="", query="which queue", shown=[cited[:7]], tokens=1)
        assert burial.bury(db, [seq], DAY.format(5))["questions"] == 1
        knowledge.catch_up(db)
        assert burial.scour(db)
    assert b"quaxomancer" not in (tmp_path / "store" / "store.db").read_bytes().lower()


def test_reading_stops_in_time_and_goes_on_later(db):
    for number in range(5):
        say(db, f"We decided to use queue{number} for worker{number}.", session=f"s{number}")
    assert read(db, seconds=-1).left == 5
    assert read(db).entries == 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")
def test_E15_killed_anywhere_and_run_again_the_store_holds_the_same(tmp_path):
    folder = tmp_path / "store"
    with open_store(str(folder)) as db:
        say(db, "We decided to use Redis for the queue. The refund test is blocked by the missing sandbox key.", 2)
        say(db, "The sandbox key arrived. We use RabbitMQ instead of Redis for the queue, we decided.", 3, "s2")

    def action() -> None:
        with open_store(str(folder)) as db:
            read(db)

    def state(db: Db) -> Any:
        told = [(one.entry_type, one.title, one.stage, one.status) for one in entries.listed(db)]
        things = [(one.title, one.state) for kind in (TASK, CONDITION) for one in entities.listed(db, kind)]
        return sorted(told), sorted(things), entities.unsound(db), extracting.waiting(db, "extract.rules")

    wanted = None
    for _ in sweep(action, folder, sample=30):
        with open_store(str(folder)) as db:
            read(db)
            found = state(db)
            knowledge.rebuild(db)
            assert state(db) == found
        wanted = wanted or found
        assert found == wanted
    assert wanted is not None
    assert wanted[1] == [("missing sandbox key", "resolved"), ("refund test", "in_progress")]


# -- A model -------------------------------------------------------------------------------------------------


class Model:
    """What a local endpoint answers, and what it was asked."""

    def __init__(self) -> None:
        self.status, self.body, self.asked = 200, b"", []
        self.stall = threading.Event()
        self.stalls = False
        self.headers: list[dict[str, str]] = []

    def say(self, *statements: dict[str, Any], tokens: int = 321) -> None:
        content = json.dumps({"statements": list(statements)})
        told = {"choices": [{"message": {"content": content}}], "usage": {"total_tokens": tokens}}
        self.body = json.dumps(told).encode()


@contextmanager
def serving(model: Model) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            model.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            model.headers.append(dict(self.headers))
            if model.stalls:
                model.stall.wait(30)
                return
            self.send_response(model.status)
            if model.status == 302:
                self.send_header("Location", "http://127.0.0.1:9/")
            self.end_headers()
            self.wfile.write(model.body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        model.stall.set()
        server.shutdown()
        server.server_close()
        thread.join()


TEXT = "After a long talk the team is going for RabbitMQ, and the broker stands in Frankfurt."


def asking(db: Db, url: str, cap: int = 50_000, **more: Any) -> HttpExtractor:
    return HttpExtractor(url, "small", extractors.DailyBudget(db, cap), **more)


def test_a_model_gives_quotes_that_are_found_or_the_entry_stays_raw(db):
    say(db, TEXT)
    model = Model()
    model.say(
        {"type": "decision", "title": "The team goes for RabbitMQ", "quotes": ["going for RabbitMQ"]},
        {
            "type": "fact",
            "title": "The broker may be slow",
            "quotes": ["stands in Frankfurt"],
            "standing": "hypothesis",
        },
        {"type": "fact", "title": "The broker stands in Paris", "quotes": ["the broker was moved to Paris last week"]},
        {"type": "rumour", "title": "x", "quotes": ["x"]},
        {"type": "fact", "title": "without a quote", "quotes": []},
    )
    with serving(model) as url:
        report = read(db, extractors=[Rules(), asking(db, url, key="k-123")])
        assert read(db, extractors=[Rules(), asking(db, url)]).read == 0
    assert report.problems == []
    told = {one.title: (one.entry_type, one.stage) for one in entries.listed(db)}
    assert told == {
        "The team goes for RabbitMQ": ("decision", "working"),
        "The broker may be slow": ("insight", "raw"),
        "The broker stands in Paris": ("fact", "raw"),
    }
    assert len(model.asked) == 1
    assert model.asked[0]["messages"][1]["content"] == TEXT
    assert model.headers[0]["Authorization"] == "Bearer k-123"
    assert extractors._today(db)["today"] == 321


@pytest.mark.parametrize("status", [302, 401, 429, 500])
def test_a_model_that_fails_is_told_of_and_asked_again_later(db, status):
    say(db, TEXT)
    model = Model()
    model.status = status
    with serving(model) as url:
        report = read(db, extractors=[Rules(), asking(db, url)])
        assert (report.left, len(report.problems)) == (1, 1)
        assert str(status) in report.problems[0]
        model.status = 200
        model.say({"type": "decision", "title": "RabbitMQ", "quotes": ["going for RabbitMQ"]})
        assert read(db, extractors=[asking(db, url)]).entries == 1


def test_a_model_that_stalls_or_is_not_there_is_given_up(db):
    say(db, TEXT)
    model = Model()
    model.stalls = True
    with serving(model) as url:
        assert "did not answer" in read(db, extractors=[asking(db, url, timeout=0.2)]).problems[0]
    assert "did not answer" in read(db, extractors=[asking(db, url, timeout=0.2)]).problems[0]


@pytest.mark.parametrize(
    "body",
    [b"", b"no json", b"[]", b"{}", b'{"choices": []}', b'{"choices": [{"message": {"content": "prose"}}]}',
     b'{"choices": [{"message": {"content": "{\\"statements\\": 5}"}}]}', b"[" * 100_000],
)  # fmt: skip
def test_an_answer_that_is_nonsense_gives_nothing_and_three_in_a_row_end_it(db, body):
    model = Model()
    model.body = body
    with serving(model) as url:
        one = asking(db, url)
        for _ in range(2):
            assert one.read(Source("e", PROMPT, "person", TEXT)) == []
        with pytest.raises(ExtractorUnavailable):
            one.read(Source("e", PROMPT, "person", TEXT))


def test_pain_10_no_more_tokens_are_spent_in_a_day_than_the_cap_allows(db):
    for number in range(3):
        say(db, f"{TEXT} {number}", session=f"s{number}")
    model = Model()
    model.say(tokens=1500)
    with serving(model) as url:
        report = read(db, extractors=[asking(db, url, cap=3000)])
    assert len(model.asked) < 3
    assert report.left == 3
    assert "tokens of today are spent" in report.problems[0]
    assert extractors._today(db)["today"] <= 3000


def test_what_a_tool_printed_is_never_sent_to_a_model(db):
    model = Model()
    with serving(model) as url:
        assert asking(db, url).read(Source("e", TOOL, "tool", TEXT)) == []
    assert model.asked == []
