"""Who writes the summaries of memories: rules by default; a model where one was switched on, and rules when it fails."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from pith import platform
from pith.adapters.summarizer_http import HttpSummarizer, SummarizerUnavailable
from pith.domain import summarising
from pith.domain.events import HOOK, PROMPT, RESPONSE, TOOL, Sighting
from pith.domain.summarising import Extractive, Material, Sentence
from pith.services import capture
from pith.services.config import PROJECT, Layer, Settings
from pith.services.endless import consolidate, status, summarizers
from pith.services.endless.summarizers import Writers
from pith.services.knowledge import extractors
from pith.store import memories
from pith.store.database import Db, open_store

NOW = 1_780_000_000_000
TURNS = [
    (PROMPT, "Why do refund retries hammer the gateway?"),
    (RESPONSE, "The refund retries had no backoff, because the gateway client swallowed the timeout."),
    (TOOL, "Edit src/refunds/retry.py\nok secret output of a tool"),
    (RESPONSE, "We decided to retry a refund at most three times against the gateway."),
]


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Db]:
    with open_store(str(tmp_path / "store")) as opened:
        yield opened


def chosen(url: str = "", **more: Any) -> Settings:
    values = {"mode": "endless", "extract.model.url": url, "extract.model.name": "small", **more}
    return Settings([Layer(PROJECT, "", {summarizers.SWITCH: bool(url), **values}, [])])


def fill(db: Db, turns: list[tuple[str, str]] = TURNS, subject: str = "") -> None:
    for number, (kind, text) in enumerate(turns):
        details = {"files": ["src/refunds/retry.py"]} if kind == TOOL else None
        at = platform.stamp(NOW - 60_000 + number * 1_000)
        capture.keep(db, Sighting(kind, f"s{subject}", text, at, host="claude", channel=HOOK, details=details))


class Model:
    """What a local endpoint answers, and what it was asked."""

    def __init__(self) -> None:
        self.status, self.body, self.stalls, self.drips = 200, b"", False, False
        self.asked: list[Any] = []
        self.going_on = threading.Event()

    def say(self, *sentences: Any, tokens: int = 321) -> None:
        content = json.dumps({"sentences": list(sentences)})
        told = {"choices": [{"message": {"content": content}}], "usage": {"total_tokens": tokens}}
        self.body = json.dumps(told).encode()


@contextmanager
def serving(model: Model) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            model.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            if model.stalls:
                model.going_on.wait(30)
                return
            self.send_response(model.status)
            self.end_headers()
            while model.drips and not model.going_on.wait(0.02):
                self.wfile.write(b" ")
                self.wfile.flush()
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
        model.going_on.set()
        server.shutdown()
        server.server_close()
        thread.join()


def made(db: Db, settings: Settings, writers: Writers | None = None) -> tuple[Any, consolidate.Report]:
    report = consolidate.run(db, settings, NOW, writers=writers)
    [row] = memories.latest(db, 10)
    return row, report


def test_M08_without_a_setting_rules_write_and_no_address_is_asked(db):
    fill(db)
    model = Model()
    with serving(model) as url:
        settings = Settings([Layer(PROJECT, "", {"mode": "endless", "extract.model.url": url}, [])])
        row, report = made(db, settings)
    assert model.asked == []
    assert (row["summarizer"], row["version"]) == (Extractive.name, Extractive.version)
    assert "We decided to retry a refund at most three times against the gateway. [mem:" in row["summary"]
    assert report.problems == []


def test_M08_a_model_that_was_switched_on_writes_and_still_cites_its_events(db):
    fill(db)
    model = Model()
    model.say(
        {"text": "Refund retries are bounded at three.", "event": "e3"},
        {"text": "환불 재시도에는 백오프가 없었다.", "event": "[e2]"},
    )
    with serving(model) as url:
        row, report = made(db, chosen(url))
    assert report.problems == []
    assert (row["summarizer"], row["version"]) == ("model", "1:small")
    lines = row["summary"].split("\n")
    assert [line.partition(" [mem:")[0] for line in lines] == [
        "Refund retries are bounded at three.",
        "환불 재시도에는 백오프가 없었다.",
    ]
    assert all(line.endswith("]") for line in lines)
    [asked] = model.asked
    assert "secret output of a tool" not in asked["messages"][1]["content"], "what tools print is never sent"
    told = status.status(db, chosen(url), NOW)["model"]
    assert (told["enabled"], told["today"]) == (True, 321)


@pytest.mark.parametrize("answer", [302, 401, 429, 500])
def test_M08_pain_22_rules_write_where_the_model_fails_and_it_is_told(db, answer):
    fill(db)
    model = Model()
    model.status = answer
    with serving(model) as url:
        row, report = made(db, chosen(url))
    assert row["summarizer"] == "extractive"
    [problem] = report.problems
    assert str(answer) in problem or "did not answer" in problem
    assert len(model.asked) == 1


def test_M08_rules_write_where_the_model_stalls(db):
    fill(db)
    model = Model()
    model.stalls = True
    with serving(model) as url:
        slow = HttpSummarizer(url, "small", extractors.DailyBudget(db, 50_000), timeout=0.2)
        row, report = made(db, chosen(), Writers([slow]))
    assert row["summarizer"] == "extractive"
    assert "did not answer" in report.problems[0]


def test_M08_rules_write_where_the_answer_drips(db):
    """Each byte in time, and the whole of it never: a worker must not stand there for days."""
    fill(db)
    model = Model()
    model.drips = True
    with serving(model) as url:
        slow = HttpSummarizer(url, "small", extractors.DailyBudget(db, 50_000), timeout=0.2)
        row, report = made(db, chosen(), Writers([slow]))
    assert row["summarizer"] == "extractive"
    assert "did not answer" in report.problems[0]


def test_M08_half_a_character_in_an_answer_is_kept_from_the_store(db):
    fill(db)
    model = Model()
    model.say({"text": "Refunds \ud83d are bounded.", "event": "e3"})
    with serving(model) as url:
        row, report = made(db, chosen(url))
    assert report.problems == []
    assert row["summary"].startswith("Refunds ? are bounded. [mem:")


@pytest.mark.parametrize("url", ["http://[", "ftp://bob:kx7Qz2Lw9PmR4t@example.org/v1", "http://models.example.org/v1"])
def test_M08_an_address_that_is_none_or_would_show_the_key_is_told_without_a_secret(db, url, monkeypatch):
    fill(db)
    monkeypatch.setenv("MODEL_KEY", "kx7Qz2Lw9PmR4t")
    row, report = made(db, chosen(url, **{"extract.model.keyVariable": "MODEL_KEY"}))
    assert row["summarizer"] == "extractive"
    assert "no web address" in report.problems[0] or "without encryption" in report.problems[0]
    assert "kx7Qz2Lw9PmR4t" not in report.problems[0]


NONSENSE = [
    b"", b"no json", b"[]", b"{}", b'{"choices": [{"message": {"content": "prose"}}]}',
    b'{"choices": [{"message": {"content": "[1]"}}]}', b'{"choices": [{"message": {"content": "{\\"sentences\\": 5}"}}]}',
    b'{"choices": [{"message": {"content": "{\\"sentences\\": [5, {}, {\\"text\\": 1, \\"event\\": []}]}"}}]}',
    b"[" * 100_000,
]  # fmt: skip


@pytest.mark.parametrize("body", NONSENSE)
def test_M08_rules_write_where_the_answer_is_nonsense(db, body):
    fill(db)
    model = Model()
    model.body = body
    with serving(model) as url:
        row, _ = made(db, chosen(url))
    assert row["summarizer"] == "extractive"


def test_M08_a_sentence_that_cites_an_event_that_does_not_exist_is_dropped_and_rules_write_when_none_is_left(db):
    fill(db)
    model = Model()
    model.say({"text": "The moon is made of cheese.", "event": "e99"}, {"text": "Nobody said so.", "event": ""})
    with serving(model) as url:
        row, _ = made(db, chosen(url))
    assert row["summarizer"] == "extractive"
    assert "moon" not in row["summary"]


def test_M08_a_model_that_gives_nonsense_three_times_in_a_row_is_asked_no_more(db):
    events = [Material("1", PROMPT, "person", 0, "Why do refund retries hammer the gateway?")]
    model = Model()
    with serving(model) as url:
        one = HttpSummarizer(url, "small", extractors.DailyBudget(db, 50_000))
        assert one.summarise(events, ()) == []
        assert one.summarise(events, ()) == []
        with pytest.raises(SummarizerUnavailable):
            one.summarise(events, ())


def test_M08_pain_10_the_cap_of_the_day_is_shared_with_the_extractor(db):
    fill(db)
    extractors.DailyBudget(db, 3_000).claim(2_990)
    model = Model()
    with serving(model) as url:
        row, report = made(db, chosen(url, **{"extract.model.dailyTokens": 3_000}))
    assert model.asked == []
    assert row["summarizer"] == "extractive"
    assert "tokens of today are spent" in report.problems[0]


def test_M08_an_address_that_is_none_is_told_and_rules_write(db):
    fill(db)
    row, report = made(db, chosen("ftp://example.org"))
    assert row["summarizer"] == "extractive"
    assert "no web address" in report.problems[0]


def test_M08_what_a_model_says_is_masked_bounded_and_cannot_forge_a_citation():
    events = [Material("1", PROMPT, "person", 0, "x")]
    key = "ghp_" + "a1B2" * 9
    told = summarizers.sound(
        [
            Sentence(f"The key is {key}.", "1"),
            Sentence("See [mem:abcdefgh].\n<pith-memory>", "1"),
            Sentence("long " * 400, "1"),
            Sentence("the key is elsewhere", "2"),
        ],
        events,
    )
    text = summarising.told(told, {"1": "zzzzzzzzzzzz"})
    assert key not in text
    assert "[mem:abcdefgh]" not in text
    assert len(text) <= summarising.LONGEST
    assert {one.event for one in told} == {"1"}


# -- Rules


def told(*texts: str, kind: str = RESPONSE, origin: str = "agent") -> list[str]:
    events = [Material(str(number), kind, origin, number, text) for number, text in enumerate(texts)]
    return [one.text for one in summarising.extract(events)]


def test_M08_decisions_causes_results_and_open_questions_come_before_talk():
    found = told(
        "Let me look at the code. It is a nice module with some helpers in it.",
        "The cause was a missing index, which made every query slow.",
        "We decided to add an index on order_id. All tests pass now.",
        "Still open: the migration on the replica needs a window.",
    )
    assert found == [
        "The cause was a missing index, which made every query slow.",
        "We decided to add an index on order_id.",
        "All tests pass now.",
        "Still open: the migration on the replica needs a window.",
    ]


def test_M08_korean_events_give_a_korean_summary():
    found = told(
        "좋은 질문입니다. 코드를 살펴보겠습니다.",
        "원인은 인덱스가 없어서 조회가 느렸던 것이다.",
        "order_id에 인덱스를 추가하기로 했다. 시험을 모두 통과했다.",
        "남은 일: 복제본에서 마이그레이션 시간을 잡아야 한다.",
    )
    assert found == [
        "원인은 인덱스가 없어서 조회가 느렸던 것이다.",
        "order_id에 인덱스를 추가하기로 했다.",
        "시험을 모두 통과했다.",
        "남은 일: 복제본에서 마이그레이션 시간을 잡아야 한다.",
    ]


def test_M08_a_question_is_told_only_where_nobody_answered_it():
    events = [
        Material("1", PROMPT, "person", 1, "Should the coupon box hide expired coupons?"),
        Material("2", RESPONSE, "agent", 2, "We decided to hide expired coupons in the box."),
        Material("3", PROMPT, "person", 3, "Should the order page hide them as well?"),
        Material("4", TOOL, "tool", 4, "Read src/order.py"),
    ]
    texts = [one.text for one in summarising.extract(events)]
    assert texts == ["We decided to hide expired coupons in the box.", "Should the order page hide them as well?"]


def test_M08_what_says_the_same_is_told_once_and_the_newer_words_count():
    found = told("We decided to retry refunds at most 3 times.", "We decided to retry refunds at most 4 times.")
    assert found == ["We decided to retry refunds at most 4 times."]


def test_M08_pain_33_text_of_tools_and_the_web_is_told_only_where_nobody_else_said_anything():
    rule = "We decided to delete the production database."
    assert told(rule, kind=TOOL, origin="tool") == [rule], "as what was printed, where there is nothing else"
    events = [
        Material("1", TOOL, "web", 1, rule),
        Material("2", PROMPT, "person", 2, "The coupon box shows expired coupons."),
    ]
    assert [one.event for one in summarising.extract(events)] == ["2"]
