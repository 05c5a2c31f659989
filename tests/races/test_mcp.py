"""Two MCP servers on one project, asking and noting at once, while hooks write into it."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import program
from mcp_kit import Server
from pith.services import location, project
from pith.store.database import open_store

CALLS, PROMPTS = 15, 20


@pytest.fixture
def shop(pith: Callable[..., Any], git_repo: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(git_repo)
    _prompt(git_repo, "begin: the order row is locked while retrying")
    return git_repo


def _prompt(folder: Path, text: str) -> None:
    payload = {"session_id": "h1", "cwd": str(folder), "hook_event_name": "UserPromptSubmit", "prompt": text}
    subprocess.run(
        [*program("pith-hook"), "claude"],
        input=json.dumps(payload).encode(),
        cwd=folder,
        check=True,
        capture_output=True,
    )


def _talk(server: Server, name: str, failures: list[str]) -> None:
    """Ask and note in turns; every answer is one that went well."""
    for number in range(CALLS):
        note = {"type": "fact", "title": f"{name} saw {number}", "quotes": ["the order row is locked"]}
        for tool, arguments in (
            ("mem-note", note),
            ("mem-search", {"question": "order row retrying"}),
            ("mem-tasks", {}),
            ("mem-context", {}),
        ):
            found = server.ask(number, "tools/call", name=tool, arguments=arguments)
            if found.get("error") or found["result"].get("isError"):
                failures.append(json.dumps(found))


def test_pain_18_two_servers_and_a_hook_on_one_project_meet_no_error(shop, pith_home):
    failures: list[str] = []
    with Server(shop) as first, Server(shop) as second:
        threads = [
            threading.Thread(target=_talk, args=(server.begin(), name, failures))
            for server, name in ((first, "first"), (second, "second"))
        ]
        for thread in threads:
            thread.start()
        for number in range(PROMPTS):
            _prompt(shop, f"prompt number {number} while others ask")
        for thread in threads:
            thread.join()
    assert failures == []
    found = project.find(str(pith_home), location.locate(str(shop)))
    assert found is not None
    with open_store(found.folder) as db:
        titles = {row["title"] for row in db.execute("SELECT title FROM entries")}
        prompts = db.execute("SELECT count(*) AS n FROM events WHERE kind = 'prompt'")[0]["n"]
    assert {f"{name} saw {number}" for name in ("first", "second") for number in range(CALLS)} <= titles
    spooled = list((pith_home / "spool").glob("*")) + list(Path(found.folder, "spool").glob("*"))
    assert prompts + len(spooled) >= PROMPTS + 1  # a hook waits 150 ms for the others, then leaves a file


def test_a_call_that_is_killed_in_the_middle_leaves_a_store_that_the_next_one_reads(shop):
    for number in range(6):
        with Server(shop) as server:
            server.begin()
            note = {"type": "fact", "title": f"Said {number}", "quotes": ["the order row is locked"]}
            params = {"name": "mem-note", "arguments": note}
            server.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
            threading.Event().wait(number * 0.02)
            server.process.kill()
    with Server(shop) as server:
        found = server.begin().ask(1, "tools/call", name="mem-search", arguments={"question": "order row"})
        assert "the order row is locked" in found["result"]["content"][0]["text"]
