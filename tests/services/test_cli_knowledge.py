"""`pith entries`, `tasks`, `conditions`, `note`, `extract` and what hooks tell of them: the whole way, from the words on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SAMPLES = Path(__file__).parents[2] / "samples"
FIRST = SAMPLES / "claude/projects/-home-me-shop/1d468e8b-b9f2-5e1c-a76f-e84768dc4e94.jsonl"

Pith = Callable[..., Any]


@pytest.fixture
def ask(pith: Pith, git_repo: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Run a command in the repository and give its data."""
    monkeypatch.chdir(git_repo)
    return lambda *words: pith(*words, "--json", check=True).json["data"]


@pytest.fixture
def shop(ask: Callable[..., Any]) -> Callable[..., Any]:
    ask("import", str(SAMPLES))
    return ask


def test_the_sample_task_is_blocked_until_a_later_session_brings_what_it_waits_for(ask):
    ask("import", str(FIRST))
    (task,) = ask("tasks", "--blocked")["tasks"]
    assert task["title"] == "smoke test against the sandbox"
    assert [one["title"] for one in task["blocked_by"]] == ["sandbox key has no refund scope"]
    ask("import", str(SAMPLES))
    assert ask("tasks", "--blocked")["tasks"] == []
    (condition,) = ask("conditions", "--all")["conditions"]
    assert condition["status"] == "resolved"
    assert "ops sent the new sandbox key" in condition["evidence"]
    moves = ask("task", "show", task["citation"])["task"]["moves"]
    assert [move["to"] for move in moves] == ["blocked", "in_progress"]


def test_E16_an_entry_shows_the_very_words_that_it_rests_on_under_every_name(shop):
    (entry, *_) = shop("entries", "--type", "decision")["entries"]
    whole = shop("entry", "show", entry["citation"])["entry"]
    assert whole == shop("entry", "show", entry["id"][:13])["entry"] == shop("show", entry["citation"])["memories"][0]
    (quote,) = whole["evidence"]
    assert (quote["quote"], quote["method"], quote["confidence"]) == (entry["text"], "exact", 1.0)
    assert shop("evidence", entry["citation"])["evidence"] == whole["evidence"]
    assert shop("lineage", entry["citation"])["ancestors"] == []
    assert quote["citation"] in {one["citation"] for one in shop("timeline", entry["citation"])["events"]}


def test_forgetting_a_statement_names_the_event_that_takes_it_along(shop, pith):
    (entry, *_) = shop("entries", "--type", "decision")["entries"]
    refused = pith("forget", entry["citation"], "--yes")
    assert refused.code == 1
    source = shop("entry", "show", entry["citation"])["entry"]["evidence"][0]["citation"]
    assert f"`pith forget {source}`" in refused.stderr
    pith("forget", source, "--yes", check=True)
    assert entry["citation"] not in {one["citation"] for one in shop("entries")["entries"]}


def test_E08_the_evidence_of_a_task_are_the_entries_that_say_so(shop):
    found = shop("evidence", "smoke test against the sandbox")
    assert found["entity"]["type"] == "task"
    assert ["is blocked" in one["text"] for one in found["entries"]] == [True]


def test_E12_E13_a_task_is_made_moved_blocked_and_freed_at_the_terminal(shop, pith):
    assert shop("task", "set", "write the runbook")["task"]["status"] == "pending"
    refused = pith("task", "set", "write the runbook", "--status", "done", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "TASK_TRANSITION_REJECTED")
    shop("task", "set", "write the runbook", "--status", "in_progress", "--priority", "high")
    task = shop("task", "set", "write the runbook", "--blocked-by", "acme/shop#12", "--blocked-by", "자유로운 오후")[
        "task"
    ]
    assert (task["status"], task["priority"]) == ("blocked", "high")
    assert {(one["type"], one["title"]) for one in task["blocked_by"]} == {
        ("artifact", "acme/shop#12"),
        ("condition", "자유로운 오후"),
    }
    settled = shop("condition", "resolve", "자유로운 오후", "--evidence", "금요일이다")
    assert (settled["condition"]["status"], settled["freed"]) == ("resolved", [])
    assert len(shop("task", "show", task["id"])["task"]["blocked_by"]) == 1
    assert shop("task", "set", task["citation"], "--title", "write down how to run it")["task"]["aliases"] == [
        "write the runbook"
    ]
    assert shop("task", "show", "write the runbook")["task"]["title"] == "write down how to run it"


def test_E09_a_condition_that_is_really_a_task_frees_with_it(shop):
    shop("task", "set", "order the key", "--status", "in_progress")
    shop("task", "set", "smoke test the coupons", "--blocked-by", "a new key")
    settled = shop("condition", "resolve", "a new key", "--as", "order the key", "--evidence", "it is the same")
    assert settled["freed"] == []
    (blocker,) = shop("task", "show", "smoke test the coupons")["task"]["blocked_by"]
    assert (blocker["type"], blocker["title"]) == ("task", "order the key")
    shop("task", "set", "order the key", "--status", "done")
    assert shop("task", "show", "smoke test the coupons")["task"]["status"] == "in_progress"


@pytest.mark.parametrize(
    "words",
    [
        ("entry", "show", "mem:aaaaaa"),
        ("entry", "show", "00"),
        ("task", "show", "no such task"),
        ("task", "set", "mem:aaaaaa"),
        ("condition", "resolve", "no such thing", "--evidence", "x"),
        ("lineage", "nothing"),
        ("evidence", "nothing"),
        ("entries", "--limit", "0"),
        ("note", "opinion", "x"),
        ("task", "set", "x", "--status", "done", "--blocked-by", "y"),
    ],
)
def test_what_cannot_be_is_one_sentence_and_a_next_step(shop, pith, words):
    done = pith(*words, "--json")
    assert done.code == 1
    assert done.json["error"]["message"]
    assert done.json["error"]["hint"]


def test_each_command_reads_as_text_too(shop, pith):
    cited = shop("entries")["entries"][0]["citation"]
    for words in (
        ("entries",), ("entry", "show", cited), ("tasks",), ("tasks", "--blocked"), ("tasks", "--status", "all"),
        ("task", "show", "smoke test against the sandbox"), ("conditions", "--all"), ("conditions",),
        ("lineage", cited), ("evidence", cited), ("evidence", "smoke test against the sandbox"), ("extract",),
        ("extract", "--again"), ("note", "fact", "The shop opens at 9"), ("show", cited), ("status",),
    ):  # fmt: skip
        assert pith(*words, check=True).stdout.strip()


def test_nothing_stored_is_said_and_nothing_is_made(pith, git_repo, monkeypatch):
    monkeypatch.chdir(git_repo)
    for words in (("entries",), ("tasks",), ("conditions",), ("extract",)):
        done = pith(*words, "--json")
        assert (done.code, done.json["error"]["code"]) == (1, "STORE_UNAVAILABLE")


# -- Recall and hooks ----------------------------------------------------------------------------------------


def test_entries_stand_before_raw_turns_with_stage_and_status(shop, pith):
    found = shop("recall", "how many refund retries did we decide on, and why?")
    first = found["entries"][0]
    assert (first["type"], first["stage"], first["status"]) == ("decision", "working", "active")
    lines = pith("recall", "how many refund retries did we decide on, and why?", check=True).stdout.splitlines()
    assert "decision (working)" in lines[0]


def test_E15_a_superseded_statement_never_appears_unlabelled(shop, pith):
    shop("note", "decision", "Let's use a token bucket for outgoing mail.")
    shop("note", "decision", "We use a leaky bucket instead of a token bucket for outgoing mail.")
    told = shop("recall", "token bucket for outgoing mail", "--budget", "400")["context"]["text"]
    lines = [line for line in told.splitlines() if line.startswith("- [mem:")]
    assert "leaky bucket" in lines[0]
    assert all("superseded by mem:" in line for line in lines if "Let's use a token bucket" in line)
    assert len(shop("entries", "--type", "decision", "--status", "superseded")["entries"]) == 1


def _hook(run_hook: Callable[..., Any], cwd: Path, event: str, **more: str) -> str:
    payload = {"hook_event_name": event, "session_id": "new", "cwd": str(cwd), **more}
    done = run_hook("claude", json.dumps(payload))
    out = done.stdout if isinstance(done.stdout, str) else done.stdout.decode()
    return json.loads(out)["hookSpecificOutput"]["additionalContext"] if out.strip() else ""


def test_a_prompt_is_told_the_entry_and_a_new_session_its_open_tasks(shop, run_hook, git_repo):
    shop("task", "set", "write the runbook", "--blocked-by", "acme/shop#12")
    told = _hook(run_hook, git_repo, "UserPromptSubmit", prompt="how many refund retries did we decide on?")
    assert "decision (working) on feature/refund-retry: ok, we decide" in told.splitlines()[2]
    brief = _hook(run_hook, git_repo, "SessionStart", source="startup")
    assert "task, blocked: write the runbook; waits for acme/shop#12" in brief
    assert "task, in progress: smoke test against the sandbox" in brief
