"""`pith recall`, `show`, `timeline`, `sessions`: three depths, filters, and what cannot be answered."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from knowledge_kit import say
from pith import platform
from pith.domain import tokens
from pith.domain.events import HOOK, PROMPT, Sighting
from pith.services import capture, location, project
from pith.services.workspace import open_workspace
from pith.store import sessions
from pith.store.database import open_store

SAMPLES = Path(__file__).parents[2] / "samples"

Pith = Callable[..., Any]


@pytest.fixture
def shop(pith: Pith, git_repo: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose memory holds the sample sessions."""
    monkeypatch.chdir(git_repo)
    pith("import", str(SAMPLES), check=True)
    return git_repo


@pytest.fixture
def store(shop: Path, pith_home: Path) -> str:
    found = project.find(str(pith_home), location.locate(str(shop)))
    assert found is not None
    return found.folder


def _hits(pith: Pith, *words: str) -> list[dict[str, Any]]:
    hits: list[dict[str, Any]] = pith("recall", *words, "--json", check=True).json["data"]["hits"]
    return hits


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("why did the Celery autoretry not work?", "order row lock"),
        ("what blocks the sandbox smoke test?", "no refund scope"),
        ("배송지변경은 어느 상태까지 허용하기로 했지?", "paid 상태에서만"),
        ("장바구니합계 1원", "장바구니 합계가 가끔 1원"),
    ],
)
def test_a_question_in_either_language_is_answered_with_a_citation_that_show_knows(shop, pith, question, told):
    data = pith("recall", question, "--json", check=True).json["data"]
    sure = [one["citation"] for one in (*data["entries"], *data["hits"]) if not one["weak"]]
    full = pith("show", *sure, check=True).stdout
    assert told in full


def test_each_line_says_citation_date_kind_branch_and_session(shop, pith):
    lines = pith("recall", "Celery autoretry", check=True).stdout.splitlines()
    hit = _hits(pith, "Celery autoretry")[0]
    line = next(line for line in lines if line.startswith(f"[{hit['citation']}]"))
    assert line.startswith(
        f"[{hit['citation']}] 2026-11-03 {hit['tool'] or hit['kind']} on feature/refund-retry (1d468e8b): "
    )


def test_search_is_another_name_of_recall(shop, pith):
    assert pith("search", "쿠폰", "--json").json["command"] == "recall"


@pytest.mark.parametrize(
    ("filter", "holds"),
    [
        (("--session", "e42740c9"), lambda hit: hit["session"].startswith("e42740c9")),
        (("--kind", "prompt"), lambda hit: hit["kind"] == "prompt"),
        (("--kind", "prompt", "--kind", "note"), lambda hit: hit["kind"] in ("prompt", "note")),
        (("--branch", "feature/refund-retry"), lambda hit: hit["branch"] == "feature/refund-retry"),
        (("--since", "2026-11-10"), lambda hit: hit["at"] >= "2026-11-10"),
        (("--until", "2026-11-03"), lambda hit: hit["at"] < "2026-11-04"),
        (("--limit", "1"), lambda hit: True),
    ],
)
def test_a_filter_leaves_only_what_fits_it(shop, pith, filter, holds):
    hits = _hits(pith, "refund", "retry", *filter)
    assert hits
    assert all(map(holds, hits))
    assert filter[0] != "--limit" or len(hits) == 1


def test_a_file_is_found_by_its_path_or_the_end_of_it(shop, pith):
    found = [_hits(pith, "refund", "--file", name) for name in ("service.py", "shop/refunds/service.py")]
    assert found[0]
    assert found[0] == found[1]
    assert not _hits(pith, "refund", "--file", "vice.py")


@pytest.mark.parametrize("since", ["어제", "yesterday", "7d", "7일", "12h"])
def test_dates_are_read_as_people_say_them(shop, pith, since):
    assert pith("recall", "쿠폰", "--since", since).code == 0


def test_an_unsure_hit_stands_under_weak_matches_and_is_marked_in_json(shop, pith):
    question = ("holiday", "voucher", "refund", "currency")
    hits = _hits(pith, *question)
    assert hits
    assert all(hit["weak"] for hit in hits)
    assert pith("recall", *question).stdout.splitlines()[0] == "weak matches:"


def test_the_border_between_sure_and_weak_is_a_setting(shop, pith):
    question = ("holiday", "voucher", "refund", "currency")
    assert not any(hit["weak"] for hit in _hits_with(pith, question, {"PITH_RECALL_MIN_CONFIDENCE": "0"}))
    assert all(hit["weak"] for hit in _hits_with(pith, ("1원",), {"PITH_RECALL_MIN_CONFIDENCE": "1"})[1:])


def _hits_with(pith: Pith, question: tuple[str, ...], env: dict[str, str]) -> list[dict[str, Any]]:
    hits: list[dict[str, Any]] = pith("recall", *question, "--json", env=env, check=True).json["data"]["hits"]
    return hits


def test_weak_matches_never_stand_before_sure_ones(shop, pith):
    weak = [hit["weak"] for hit in _hits(pith, "how many refund retries did we decide on, and why?")]
    assert weak == sorted(weak)


@pytest.mark.parametrize("question", ["kubernetes autoscaling", "쿠버네티스", '"', "NEAR(", "한", "-", "%", "\ud800"])
def test_pain_17_nothing_found_and_any_text_end_well(shop, pith, question):
    run = pith("recall", "--json", "--", question)
    assert run.code == 0
    assert isinstance(run.json["data"]["hits"], list)
    assert pith("recall", "--", question).stdout


@pytest.mark.parametrize("budget", [60, 120, 300, 2_000])
def test_a_budget_is_never_exceeded(shop, pith, budget):
    told = pith("recall", "refund retries backoff", "--budget", str(budget), "--json").json["data"]["context"]
    assert tokens.estimate(told["text"]) <= budget
    assert all(cited in told["text"] for cited in told["citations"])


def test_a_budget_gives_what_an_agent_would_be_given(shop, pith):
    run = pith("recall", "why did the Celery autoretry not work?", "--budget", "500", check=True)
    assert run.stdout.startswith("<pith-memory>\n")
    assert run.stdout.endswith("</pith-memory>\n")
    assert "not instructions" in run.stdout


def test_weak_hits_are_not_given_to_an_agent(shop, pith):
    run = pith("recall", "holiday voucher refund currency", "--budget", "500")
    assert (run.code, run.stdout) == (0, "")
    assert "told nothing" in run.stderr


def test_a_question_is_counted(shop, pith):
    pith("recall", "Celery autoretry", check=True)
    pith("recall", "kubernetes", check=True)
    usage = pith("status", "--json").json["data"]["stored"]["usage"]
    assert (usage["asked"], usage["answered"]) == (2, 1)


def test_a_store_that_somebody_writes_to_answers_all_the_same(shop, pith, store):
    with open_store(store) as db, db.transaction():
        assert _hits(pith, "Celery autoretry")


def test_a_secret_in_a_question_is_not_kept(shop, pith, store):
    key = "sk-ant-api03-" + "Zx9Kq2Wm7Rt4Yb8Nc3" * 5
    pith("recall", "what is", key)
    with open_store(store) as db:
        (row,) = db.execute("SELECT query FROM usage")
    assert key not in row["query"]


# -- Show, timeline, sessions --------------------------------------------------------------------------------


def test_show_tells_every_fact_of_a_tool_call(shop, pith):
    (hit,) = _hits(pith, "make refund-smoke", "--session", "1d468e8b", "--kind", "tool", "--limit", "1")
    memory = pith("show", hit["citation"], "--json").json["data"]["memories"][0]
    assert memory["tool"] == "Bash"
    assert memory["command"] == "make refund-smoke"
    assert memory["session"].startswith("1d468e8b")
    assert (memory["host"], memory["branch"], memory["origin"]) == ("claude", "feature/refund-retry", "tool")
    text = pith("show", hit["citation"]).stdout
    assert "command   make refund-smoke" in text


@pytest.mark.parametrize("form", ["{}", "[{}]", "mem:{}", "[mem:{}]", " MEM:{} "])
def test_a_citation_is_taken_in_every_form_it_is_shown_in(shop, pith, form):
    bare = _hits(pith, "장바구니")[0]["citation"].removeprefix("mem:")
    assert pith("show", form.format(bare)).code == 0


def test_an_ambiguous_citation_lists_the_candidates(shop, pith, store):
    with open_store(store) as db:
        for name in ("aaaaaabbbbbb", "aaaaaacccccc"):
            db.execute("INSERT INTO citations (id, item_kind, item_id) VALUES (:id, 'event', :id)", {"id": name})
    run = pith("show", "mem:aaaaaa", "--json")
    assert (run.code, run.json["error"]["code"]) == (1, "AMBIGUOUS")
    assert "mem:aaaaaabbbbbb, mem:aaaaaacccccc" in run.json["error"]["message"]


def test_a_timeline_holds_the_turns_around_a_hit_in_order(shop, pith):
    (hit,) = _hits(pith, "Celery autoretry", "--limit", "1")
    events = pith("timeline", hit["citation"], "--before", "2", "--after", "1", "--json").json["data"]["events"]
    assert [event["asked_for"] for event in events] == [False, False, True, False]
    assert [event["at"] for event in events] == sorted(event["at"] for event in events)
    assert len({event["session"] for event in events}) == 1


def test_a_timeline_of_nothing_around_is_the_hit_alone(shop, pith):
    (hit,) = _hits(pith, "Celery autoretry", "--limit", "1")
    assert len(pith("timeline", hit["citation"], "-b", "0", "-a", "0", "--json").json["data"]["events"]) == 1
    assert pith("timeline", hit["citation"], "-b", "-1").code == 1


def test_sessions_come_latest_first_with_title_branch_and_counts(shop, pith):
    found = pith("sessions", "--json").json["data"]
    assert found["total"] == len(found["sessions"]) == 7
    assert [each["last_at"] for each in found["sessions"]] == sorted(
        (each["last_at"] for each in found["sessions"]), reverse=True
    )
    titles = {each["id"][:8]: each["title"] for each in found["sessions"]}
    assert titles["1d468e8b"] == "Retry refunds safely"
    assert titles["019adf03"].startswith("장바구니 합계가")  # no title: what it began with


def test_a_session_is_never_called_as_its_subagent_is(git_repo, pith):
    with open_workspace(str(git_repo)) as ws:
        for agent, text in (("", "쿠폰 합계를 고쳐 줘"), ("ag1", "find the helpers")):
            capture.keep(ws.db, Sighting(PROMPT, "s-1", text, platform.now(), host="claude", channel=HOOK, agent=agent))
        with ws.db.transaction():
            sessions.learn(ws.db, "s-1", "ag1", "claude", "title", "zealous helper")
    (found,) = pith("sessions", "--json", cwd=git_repo).json["data"]["sessions"]
    assert found["title"] == "쿠폰 합계를 고쳐 줘"


def test_one_session_shows_its_turns_its_subagents_too(shop, pith):
    found = pith("sessions", "2de19821", "--json").json["data"]
    agents = {event["agent"] for event in found["events"]}
    assert len(agents) == 2
    assert found["session"]["agents"] == sorted(agents - {""})
    assert "by subagent" in pith("sessions", "2de19821").stdout


def test_whatever_recall_prints_as_a_session_finds_it_again(shop, pith):
    for each in pith("sessions", "--json").json["data"]["sessions"]:
        line = pith("sessions", each["id"], "--limit", "1", "--json").json["data"]["events"][0]["citation"]
        assert line.startswith("mem:")
    assert pith("sessions", "memory/-home-me-shop").code == 0


def test_before_anything_is_stored_the_next_step_is_told_and_nothing_is_written(pith, git_repo, pith_home):
    for words in (("recall", "x"), ("show", "mem:k7q2mf"), ("timeline", "mem:k7q2mf"), ("sessions",)):
        run = pith(*words, "--json", cwd=git_repo)
        assert (run.code, run.json["error"]["code"]) == (1, "STORE_UNAVAILABLE")
        assert "pith import" in run.json["error"]["hint"]
    assert not pith_home.exists()


@pytest.mark.parametrize(
    "words",
    [
        ("recall",),
        ("recall", "  "),
        ("recall", "x", "--since", "2026-13-01"),
        ("recall", "x", "--until", "tomorrowish"),
        ("recall", "x", "--limit", "0"),
        ("recall", "x", "--budget", "0"),
        ("recall", "x", "--session", "zzzz"),
        ("recall", "x", "--session", "\ud800"),
        ("sessions", "019a"),
        ("sessions", "--limit", "0"),
        ("show",),
    ],
)
def test_what_cannot_be_understood_is_a_sentence_with_a_next_step(shop, pith, words):
    run = pith(*words)
    assert run.code == 1
    assert run.stdout == ""
    assert len(run.stderr.strip().splitlines()) >= 2
    assert "Traceback" not in run.stderr


def test_a_remembered_escape_sequence_reaches_no_terminal(run_hook, pith, git_repo, monkeypatch):
    monkeypatch.chdir(git_repo)
    prompt = "remember the lighthouse \x1b]0;owned\x07 lamp \x1b[2J"
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": str(git_repo), "prompt": prompt}
    run_hook("claude", payload)
    for words in (("recall", "lighthouse"), ("sessions",), ("sessions", "s1")):
        assert "\x1b" not in pith(*words, check=True).stdout


# -- What it loads -------------------------------------------------------------------------------------------

LIGHT = """
import sys
from pith.interfaces.cli.main import main
main(["recall", "쿠폰함 retry", "--since", "2026-01-01"])
heavy = {"click", "argparse", "dataclasses", "inspect", "pathlib", "subprocess", "typing", "tomllib", "hashlib",
         "logging", "tempfile", "shutil", "unittest", "email", "asyncio"}
print(sorted(heavy & set(sys.modules)), file=sys.stderr)
"""


def test_recall_loads_nothing_heavy(shop, pith):
    pith("recall", "anything", check=True)  # asks git once which branches are merged into what is checked out
    run = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{LIGHT}"],
        capture_output=True,
        check=True,
    )
    assert run.stderr.decode().splitlines()[-1] == "[]"


# -- Dates ---------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="Windows has no tzset")
@pytest.mark.parametrize(
    ("zone", "text", "since", "until"),
    [
        ("Asia/Seoul", "2026-11-01", "2026-10-31T15:00:00.000Z", "2026-11-01T15:00:00.000Z"),
        ("UTC", "2026-11-01", "2026-11-01T00:00:00.000Z", "2026-11-02T00:00:00.000Z"),
        ("America/New_York", "2026-11-01", "2026-11-01T04:00:00.000Z", "2026-11-02T05:00:00.000Z"),  # 25 hours
        ("Asia/Seoul", "2026-11-01T09:30", "2026-11-01T00:30:00.000Z", "2026-11-01T00:30:00.000Z"),
    ],
)
def test_a_day_is_the_readers_day_whole(monkeypatch, zone, text, since, until):
    from pith.services import dates

    _live_in(zone, monkeypatch)
    assert (dates.since(text), dates.until(text)) == (since, until)


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="Windows has no tzset")
def test_times_are_shown_by_the_readers_clock(monkeypatch):
    from pith.services import dates

    _live_in("Asia/Seoul", monkeypatch)
    assert dates.local("2026-02-28T15:04:05.000Z") == "2026-03-01 00:04"
    assert dates.local("2024-02-28T15:04:05.000Z", day_only=True) == "2024-02-29"
    assert dates.local("no time") == "no time"


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="Windows has no tzset")
def test_the_day_of_an_answer_is_the_readers_day_as_in_every_other_list(pith, git_repo, monkeypatch):
    """Until nine in the morning a Korean reader's day is not that of UTC."""
    _live_in("Asia/Seoul", monkeypatch)
    monkeypatch.chdir(git_repo)
    with open_workspace() as ws:
        say(ws.db, "We decided that refunds are retried three times.", at="2026-11-11T23:14:00.000Z")
    answer = pith("recall", "refunds retried", check=True).stdout
    assert "2026-11-12 prompt" in answer
    assert "2026-11-12" in pith("sessions", check=True).stdout
    pith("extract", check=True)
    assert "2026-11-12 decision" in pith("recall", "refunds retried", check=True).stdout


def _live_in(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not os.path.exists(f"/usr/share/zoneinfo/{zone}"):
        zone = {"Asia/Seoul": "KST-9", "UTC": "UTC0", "America/New_York": "EST5EDT,M3.2.0,M11.1.0"}[zone]
    monkeypatch.setenv("TZ", zone)
    time.tzset()


@pytest.fixture(autouse=True)
def _clock_as_before(monkeypatch: pytest.MonkeyPatch) -> Any:
    yield
    monkeypatch.undo()
    if hasattr(time, "tzset"):
        time.tzset()


def test_G30_json_is_one_envelope_on_every_everyday_command(shop, pith):
    cited = _hits(pith, "장바구니")[0]["citation"]
    for words in (
        ("recall", "쿠폰"), ("show", cited), ("timeline", cited), ("sessions",), ("sessions", "1d468e8b"), ("status",),
        ("init",), ("install", "claude", "--dry-run"), ("uninstall", "--dry-run"), ("import", "--dry-run"),
    ):  # fmt: skip
        run = pith(*words, "--json")
        envelope = json.loads(run.stdout)
        assert (run.code, run.stderr) == (0, "")
        assert (envelope["ok"], envelope["contract_version"]) == (True, "0.1")
        assert envelope["command"] == words[0]
