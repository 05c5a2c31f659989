"""No planted secret reaches a byte of the home, nor anything that pith says: by hook, by import, or through the spool."""

from __future__ import annotations

import json
import sqlite3
import time
from pathlib import Path

import pytest

from data.canaries import PLANTED
from pith.interfaces.hook.main import serve
from sessions import Answer, Claude, Clock, Codex, Prompt, Tool, bring_in, written

TEXTS = [text for text, _ in PLANTED]
SECRETS = sorted({secret for _, secret in PLANTED})
# A private key must not be there in pieces either, nor as JSON writes it.
NEEDLES = sorted({line for secret in SECRETS for line in (secret, *secret.split("\n")) if len(line) >= 8} - {""})
NEEDLES = [needle for needle in NEEDLES if not needle.startswith("-----")]


def leaks(data: bytes) -> list[str]:
    """The secrets that stand in the bytes, as they are or escaped as JSON."""
    found = []
    for needle in NEEDLES:
        forms = {needle.encode(), json.dumps(needle)[1:-1].encode(), needle.encode("utf-16-le")}
        if any(form in data for form in forms):
            found.append(needle)
    return found


def leaked(home: Path) -> dict[str, list[str]]:
    """The secrets in each file of the home, its names included."""
    files = [path for path in home.rglob("*") if path.is_file()]
    found = {str(path): leaks(str(path).encode() + path.read_bytes()) for path in files}
    return {name: secrets for name, secrets in found.items() if secrets}


def calls(cwd: Path) -> list[dict[str, object]]:
    """Every planted text in every field that a hook keeps."""
    found: list[dict[str, object]] = []
    for number, text in enumerate(TEXTS):
        common = {
            "session_id": f"s{number % 5}",
            "cwd": str(cwd),
            "prompt_id": f"p{number}",
            "tool_use_id": f"t{number}",
        }
        tool = {**common, "hook_event_name": "PostToolUse"}
        found += [
            {**common, "hook_event_name": "UserPromptSubmit", "prompt": text},
            {**common, "hook_event_name": "Stop", "last_assistant_message": text},
            {**tool, "tool_name": "Bash", "tool_input": {"command": text}, "tool_response": "ok"},
        ][number % 3 :: 3]
        found += [
            {**common, "hook_event_name": "PostCompact", "compact_summary": text},
            {**common, "hook_event_name": "SubagentStop", "agent_id": "ag1", "last_assistant_message": text},
            {**tool, "tool_name": "Bash", "tool_input": {"command": "cat .env"}, "tool_response": {"stdout": text}},
            {
                **tool,
                "tool_name": "Read",
                "tool_input": {"file_path": text},
                "tool_response": {"file": {"content": text}},
            },
            {**tool, "tool_name": "Edit", "tool_input": {"file_path": "a", "old_string": "x", "new_string": text}},
            {
                **tool,
                "tool_name": "mcp__x__y",
                "tool_input": {"deep": {"list": [text]}},
                "tool_response": [{"text": text}],
            },
            {
                **tool,
                "hook_event_name": "PostToolUseFailure",
                "tool_name": "Bash",
                "tool_input": {"command": "x"},
                "error": text,
            },
        ][number % 7 :: 7]
    return found


def test_there_are_canaries_enough():
    assert len(SECRETS) >= 60
    assert len(PLANTED) >= 150


def test_pain_27_no_planted_secret_reaches_the_home_or_an_answer_by_hooks(git_repo, pith_home, pith):
    said = b""
    serve("claude", json.dumps(calls(git_repo)[0]).encode(), time.monotonic())
    (path,) = pith_home.rglob("store.db")
    holding = sqlite3.connect(path)  # while somebody has the store open its log stays, and is searched too
    holding.execute("SELECT count(*) FROM events").fetchone()
    for call in calls(git_repo):
        said += json.dumps(serve("claude", json.dumps(call).encode(), time.monotonic())).encode()
    assert path.with_name("store.db-wal").stat().st_size > 100_000
    assert leaked(pith_home) == {}
    assert leaks(said) == []
    for question in ("password", "비밀번호", "DATABASE_PASSWORD", "key pasted", "커밋", "token"):
        run = pith("recall", question, "--json", cwd=git_repo)
        assert leaks((run.stdout + run.stderr).encode()) == []
    run = pith("recall", TEXTS[0], cwd=git_repo)
    assert leaks((run.stdout + run.stderr).encode()) == []
    assert leaked(pith_home) == {}


@pytest.mark.parametrize("host", [Claude, Codex])
def test_pain_27_no_planted_secret_reaches_the_home_by_import(host, git_repo, pith_home, tmp_path):
    steps = []
    for number, text in enumerate(TEXTS):
        shell = "Bash" if host is Claude else "exec_command"
        steps += [
            Prompt(text, f"p{number}"),
            Tool(f"t{number}", shell, {"command": text}, text),
            Answer(text),
        ]
    one = host("shop-1", git_repo, tmp_path)
    bring_in(git_repo, written(one.path, one.records(steps, Clock())))
    (path,) = pith_home.rglob("store.db")
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(*) FROM events").fetchone()[0] > len(TEXTS)
    connection.close()
    assert leaked(pith_home) == {}


def test_pain_27_no_planted_secret_reaches_the_spool(git_repo, pith_home, monkeypatch):
    from pith.interfaces.hook import main

    monkeypatch.setattr(main, "BUSY_HOOK_MS", 1)
    everything = calls(git_repo)
    serve("claude", json.dumps(everything[0]).encode(), time.monotonic())
    (path,) = pith_home.rglob("store.db")
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    for call in everything:
        serve("claude", json.dumps(call).encode(), time.monotonic())
    writer.close()
    assert len(list(pith_home.rglob("spool/*.json"))) > 150
    assert leaked(pith_home) == {}


def test_pain_27_no_planted_secret_is_kept_or_told_by_the_mcp_server(git_repo, pith_home, pith, monkeypatch):
    from pith.interfaces.mcp import server
    from pith.interfaces.mcp.asked import Asked
    from pith.interfaces.mcp.tools import SETS

    monkeypatch.chdir(git_repo)
    serve("claude", json.dumps(calls(git_repo)[0]).encode(), time.monotonic())
    pith("init", "--shared", check=True)
    made = pith("quest", "new", "Keep secrets out", "--layer", "L2", "--json", check=True).json["data"]["quest"]["id"]
    pith("quest", "done", made, "--evidence", "seen", check=True)
    known, asked = {one.name: one for one in SETS["full"]}, Asked(str(git_repo))
    said = b""
    for number, text in enumerate(TEXTS):
        for tool, arguments in [
            ("mem-search", {"question": text, "file": text}),
            ("mem-search", {"question": "a", "session": text}),
            ("mem-note", {"type": "fact", "title": text, "text": text, "quotes": [text]}),
            ("task-set", {"task": text, "blocked_by": [text], "reason": text}),
            ("quest", {"action": "new", "request": text, "title": text}),
            ("quest", {"action": "show", "quest": text}),
            ("memory-propose", {"quest": made, "candidate": text, "why": text, "paths": [text]}),
            ("mem-details", {"citations": [text]}),
            ("graph-search", {"query": text}),
            ("mem-context", {"kind": "capsule", "request": text}),
            ("route", {"request": text}),
            ("mem-search", {text: text}),
        ][number % 12 :: 12]:
            for form in ("text", "json"):
                found = server._called(known[tool], asked, {**arguments, "format": form})
                said += found.model_dump_json().encode()
    for tool in ("mem-tasks", "mem-entries", "mem-stats", "mem-context", "memory-list"):
        said += server._called(known[tool], asked, {}).model_dump_json().encode()
    assert leaks(said) == []
    assert leaked(pith_home) == {}
    assert leaked(git_repo) == {}
