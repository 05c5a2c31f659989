"""What each hook event of both hosts leaves in the store, and what is never left there."""

from __future__ import annotations

import json
import sqlite3
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from conftest import git
from data.canaries import GHP
from pith.domain.context import NAME
from pith.interfaces.hook.main import serve
from pith.services import capture


@pytest.fixture
def told(git_repo: Path, pith_home: Path):
    """`told("claude", "Stop", last_assistant_message="...")`: the events of the store after one call."""

    def told(host: str, event: str, **fields: Any) -> list[dict[str, Any]]:
        payload = {"session_id": "s1", "cwd": str(git_repo), "hook_event_name": event, **fields}
        serve(host, json.dumps(payload).encode("utf-8", "surrogatepass"), time.monotonic())
        return events(pith_home)

    return told


def events(home: Path) -> list[dict[str, Any]]:
    """Every event in the home, in the order of writing."""
    found = []
    for path in home.rglob("store.db"):
        connection = sqlite3.connect(path)
        connection.row_factory = sqlite3.Row
        rows = connection.execute(
            "SELECT e.kind, e.origin, s.id AS session, s.agent, s.host, p.branch, p.commit_id, p.directory, b.text,"
            " b.details FROM events e JOIN event_bodies b USING (seq) JOIN sessions s ON s.num = e.session"
            " JOIN places p ON p.num = e.place ORDER BY e.seq"
        )
        found += [{**dict(row), "details": json.loads(row["details"] or "null")} for row in rows]
        connection.close()
    return found


def texts(home: Path) -> list[str]:
    return [event["text"] for event in events(home)]


BASH = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}, "tool_use_id": "t1"}

KEPT = [
    ("UserPromptSubmit", {"prompt": "쿠폰함은 어디?"}, "prompt", "person", "쿠폰함은 어디?"),
    ("Stop", {"last_assistant_message": "In the drawer."}, "response", "agent", "In the drawer."),
    ("SubagentStop", {"last_assistant_message": "Found.", "agent_id": "ag1"}, "response", "agent", "Found."),
    ("PostCompact", {"compact_summary": "요약"}, "summary", "agent", "요약"),
    (
        "PostToolUse",
        {**BASH, "tool_response": {"stdout": "2 passed", "stderr": ""}},
        "tool",
        "tool",
        "$ pytest -q\n2 passed",
    ),
    ("PostToolUse", {**BASH, "tool_response": "2 passed"}, "tool", "tool", "$ pytest -q\n2 passed"),
    ("PostToolUseFailure", {**BASH, "error": "boom"}, "tool", "tool", "$ pytest -q\nfailed\nboom"),
    (
        "PostToolUse",
        {"tool_name": "WebFetch", "tool_input": {"url": "https://example.org"}, "tool_response": "a page"},
        "tool",
        "web",
        "WebFetch\nurl: https://example.org\na page",
    ),
]


@pytest.mark.parametrize("host", ["claude", "codex"])
@pytest.mark.parametrize(
    ("event", "fields", "kind", "origin", "text"), KEPT, ids=[f"{row[0]}-{row[3]}" for row in KEPT]
)
def test_each_event_is_kept_as_what_it_is(host, event, fields, kind, origin, text, told, git_repo):
    (kept,) = told(host, event, **fields)
    assert (kept["kind"], kept["origin"], kept["text"]) == (kind, origin, text)
    assert (kept["session"], kept["host"], kept["agent"]) == ("s1", host, fields.get("agent_id", ""))
    assert (kept["branch"], kept["commit_id"], kept["directory"]) == ("main", git(git_repo, "rev-parse", "HEAD"), "")


@pytest.mark.parametrize("event", ["SessionStart", "PreCompact", "SessionEnd", "PreToolUse", "Notification"])
def test_events_that_say_nothing_leave_no_event(event, told):
    assert told("claude", event, source="startup", reason="clear", message="x", prompt="x") == []


NOTIFIED = "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n</task-notification>"


@pytest.mark.parametrize("text", [NOTIFIED, f"\n {NOTIFIED}", "<system-reminder>x</system-reminder>", "<bash-input>ls"])
def test_what_the_host_itself_puts_where_prompts_come_is_no_prompt(text, told):
    assert told("claude", "UserPromptSubmit", prompt=text, prompt_id="p1") == []


@pytest.mark.parametrize("text", ["<div> is not closed", "왜 <task-notification> 이 오나요?", "<쿠폰함>은 어디?"])
def test_a_prompt_that_only_begins_with_a_bracket_is_kept(text, told):
    assert [event["text"] for event in told("claude", "UserPromptSubmit", prompt=text)] == [text]


@pytest.mark.parametrize("host", ["claude", "codex"])
def test_what_a_subagent_is_asked_no_person_asked(host, told):
    (kept,) = told(host, "UserPromptSubmit", prompt="find all helpers", agent_id="ag1", agent_type="explorer")
    assert (kept["kind"], kept["origin"], kept["agent"]) == ("prompt", "agent", "ag1")


def test_what_an_agent_of_the_host_itself_says_is_not_kept(told):
    """Claude Code writes a compaction's summary by an agent without a type; it comes again with `PostCompact`."""
    said = {"agent_id": "ag9", "last_assistant_message": "Summary: the coupons stay."}
    assert told("claude", "SubagentStop", agent_type="", **said) == []
    assert len(told("claude", "SubagentStop", agent_type="Explore", **said)) == 1


def test_the_directory_inside_the_repository_is_kept(told, git_repo):
    (git_repo / "src" / "장바구니").mkdir(parents=True)
    (kept,) = told("claude", "UserPromptSubmit", prompt="x", cwd=str(git_repo / "src" / "장바구니"))
    assert kept["directory"] == "src/장바구니"


def test_the_branch_of_the_moment_is_kept(told, git_repo):
    told("claude", "UserPromptSubmit", prompt="one")
    git(git_repo, "switch", "--quiet", "--create", "fix/1원")
    first, second = told("claude", "UserPromptSubmit", prompt="two")
    assert (first["branch"], second["branch"]) == ("main", "fix/1원")


def test_a_tool_event_keeps_what_matters(told, git_repo):
    output = "\n".join(f"line {number}" for number in range(5_000))
    (kept,) = told("claude", "PostToolUse", **BASH, tool_response={"stdout": output, "exit_code": 1})
    assert kept["details"] == {"tool": "Bash", "command": "pytest -q", "exit": 1, "failed": True}
    assert kept["text"].startswith("$ pytest -q\nexit 1\nline 0\n")
    assert kept["text"].endswith("line 4999")
    assert len(kept["text"]) < 5_000


def test_files_of_a_tool_are_kept(told):
    (kept,) = told(
        "claude", "PostToolUse", tool_name="Edit", tool_input={"file_path": "/a/b.py", "new_string": "x = 1"}
    )
    assert kept["details"]["files"] == ["/a/b.py"]
    assert "x = 1" in kept["text"]


# What is never kept --------------------------------------------------------------------------------------------


def test_pain_27_secrets_are_masked_in_text_command_and_files(told, pith_home):
    told("claude", "UserPromptSubmit", prompt=f"use {GHP} here")
    told("claude", "PostToolUse", tool_name="Bash", tool_input={"command": f"curl -H {GHP} x"}, tool_response=GHP)
    told("claude", "PostToolUse", tool_name="Read", tool_input={"file_path": f"/a/{GHP}"}, tool_response="x")
    assert all(GHP.encode() not in path.read_bytes() for path in pith_home.rglob("*") if path.is_file())
    assert [event["text"].count("[masked:") for event in events(pith_home)] == [1, 2, 1]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("before <private>hidden</private> after", "before [private] after"),
        ("<private>a <private>b</private> hidden</private> end", "[private] end"),
        ("open <private>hidden to the end", "open [private]"),
        ("<PRIVATE>hidden</PRIVATE> x", "[private] x"),
        ("<private>\n비밀 hidden\n</private>\n공개", "[private]\n공개"),
    ],
)
def test_private_sections_are_never_stored(said, kept, told, pith_home):
    (event,) = told("claude", "UserPromptSubmit", prompt=said)
    assert event["text"] == kept
    assert all(b"hidden" not in path.read_bytes() for path in pith_home.rglob("*") if path.is_file())


def test_pain_25_own_blocks_are_not_learned_from(told, pith_home):
    block = f"<{NAME}>\nRecalled.\n- [mem:abc123] something old\n</{NAME}>"
    (event,) = told("claude", "UserPromptSubmit", prompt=f"{block}\nwhat now?")
    assert event["text"] == "what now?"
    assert told("claude", "Stop", last_assistant_message=block) == [event]


@pytest.mark.parametrize(
    "command",
    [
        "pith recall 쿠폰",
        "/home/me/.venv/bin/pith recall x",
        "orange graph list",
        "cd /home/me/shop && pith recall x",
        "PITH_HOME=/x pith status",
        "echo hi; pith show mem:abc123",
        "pith recall x | head",
        "cat q.txt | xargs pith recall",
        "python -m pith recall x",
        "sudo pith recall x",
        "(pith recall x)",
    ],
)
def test_pain_25_the_output_of_own_commands_is_not_learned_from(command, told):
    fields = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_response": "- [mem:abc123] old"}
    assert told("claude", "PostToolUse", **fields) == []


@pytest.mark.parametrize("name", ["mcp__pith__recall", "mcp__plugin_pith_pith__recall"])
def test_pain_25_the_answers_of_own_tools_are_not_learned_from(name, told):
    assert told("claude", "PostToolUse", tool_name=name, tool_input={}, tool_response="old") == []


@pytest.mark.parametrize(
    "command", ["cat pith.txt", "pithy run", "grep -rn 'pith recall' docs", "git log -- pith", "cd pith && ls"]
)
def test_commands_that_only_look_like_ours_are_kept(command, told):
    assert len(told("claude", "PostToolUse", tool_name="Bash", tool_input={"command": command}, tool_response="x")) == 1


# What the person switched off ----------------------------------------------------------------------------------


def test_nothing_is_kept_while_capture_is_paused(told, monkeypatch):
    monkeypatch.setenv("PITH_CAPTURE_PAUSED", "true")
    assert told("claude", "UserPromptSubmit", prompt="x") == []
    monkeypatch.delenv("PITH_CAPTURE_PAUSED")
    assert len(told("claude", "UserPromptSubmit", prompt="x")) == 1


def test_excluded_tools_and_paths_are_not_kept(told, git_repo, pith_home):
    pith_home.mkdir()
    (pith_home / "config.toml").write_text(
        '[capture.exclude]\ntools = ["WebFetch", "mcp__db__*"]\npaths = ["secrets/**", "*.pem"]\n', encoding="utf-8"
    )
    for name, path in [
        ("WebFetch", "a"),
        ("mcp__db__query", "a"),
        ("Read", str(git_repo / "secrets" / "deep" / "a.txt")),
        ("Read", "/elsewhere/server.pem"),
        ("Edit", "secrets/x"),
    ]:
        assert told("claude", "PostToolUse", tool_name=name, tool_input={"file_path": path}, tool_response="x") == []
    assert (
        len(told("claude", "PostToolUse", tool_name="Read", tool_input={"file_path": "a.py"}, tool_response="x")) == 1
    )


def test_excluded_projects_are_left_alone(told, git_repo, pith_home):
    pith_home.mkdir()
    (pith_home / "config.toml").write_text(f'[capture.exclude]\nprojects = ["{git_repo}"]\n', encoding="utf-8")
    assert told("claude", "UserPromptSubmit", prompt="x") == []
    assert told("claude", "PostToolUse", **BASH, tool_response="x") == []


# The text itself -----------------------------------------------------------------------------------------------


def test_pain_16_text_is_kept_in_nfc(told):
    (event,) = told("claude", "UserPromptSubmit", prompt=unicodedata.normalize("NFD", "쿠폰함 é"))
    assert event["text"] == "쿠폰함 é"


def test_a_large_text_keeps_its_beginning_and_its_end(told):
    (event,) = told("claude", "UserPromptSubmit", prompt="시작 " + "가나다라 " * 100_000 + "끝")
    assert event["text"].startswith("시작 가나다라")
    assert event["text"].endswith("끝")
    assert "characters left out" in event["text"]
    assert len(event["text"].encode()) < 263_000


@pytest.mark.parametrize("limit", [1_024, 1_025, 1_027])
@pytest.mark.parametrize("letter", ["a", "é", "가", "😀"])
def test_trimming_cuts_no_character_and_says_how_many_are_missing(limit, letter):
    text = letter * 5_000
    short = capture.trim(text, limit)
    head, mark, tail = short.split("\n")
    missing = int("".join(filter(str.isdigit, mark)))
    assert len(head) + len(tail) + missing == len(text)
    assert set(head) == set(tail) == {letter}
    assert len(short.encode()) <= limit + 60
    assert capture.trim("가" * 300, 1_024) == "가" * 300


def test_a_text_that_is_only_blank_leaves_no_event(told):
    assert told("claude", "UserPromptSubmit", prompt=" \n\t\u3000 ") == []
