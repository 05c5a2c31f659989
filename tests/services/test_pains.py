"""What users of such tools suffer from, where one test of its own is needed (docs/reference/pains.md)."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import memory_project as sample
from pith.interfaces.cli import commands
from pith.services import spool
from pith.services.project_memory import graph
from pith.services.project_memory.shared import open_shared
from pith.services.workspace import open_workspace
from pith.store import events as stored

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are looked at through /proc")


def turn(repo: Path, number: int, event: str = "UserPromptSubmit") -> dict[str, str]:
    said = {"prompt": f"쿠폰 {number} is decided"} if event == "UserPromptSubmit" else {"source": "startup"}
    return {"session_id": f"s{number}", "cwd": str(repo), "hook_event_name": event, "prompt_id": f"p{number}", **said}


def processes_of(home: Path) -> list[str]:
    """Command lines of living processes that were given this home."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if f"PITH_HOME={home}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


def test_pain_01_pain_07_after_fifty_sessions_no_process_and_no_port_is_left(git_repo, run_hook, pith_home):
    for number in range(50):
        run_hook("claude", turn(git_repo, number, "SessionStart" if number % 2 else "UserPromptSubmit"))
    assert processes_of(pith_home) == []
    assert not [path for path in pith_home.rglob("*") if path.is_socket()]


def test_pain_07_a_hook_opens_no_socket(git_repo, monkeypatch):
    from pith.interfaces.hook.main import serve

    monkeypatch.setattr(socket, "socket", None)
    for event in ("SessionStart", "UserPromptSubmit"):
        serve("claude", json.dumps(turn(git_repo, 1, event)).encode(), time.monotonic())
    with open_workspace(str(git_repo)) as ws:
        assert stored.counts(ws.db)["prompt"] == 1


def test_pain_03_pain_06_an_event_that_an_older_program_spooled_is_kept_by_the_next(git_repo, run_hook, pith_home):
    run_hook("claude", turn(git_repo, 1))
    with open_workspace(str(git_repo)) as ws:
        ws.db.execute("PRAGMA user_version = 9999")
    run_hook("claude", turn(git_repo, 2))
    with open_workspace(str(git_repo), busy_ms=150) as ws:
        assert len(spool.waiting(ws.folder)) == 1
        path = os.path.join(ws.folder, "store.db")
    import sqlite3

    from pith.store.database import VERSION

    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.close()
    run_hook("claude", turn(git_repo, 3))
    with open_workspace(str(git_repo)) as ws:
        assert stored.counts(ws.db)["prompt"] == 3
        assert spool.waiting(ws.folder) == []


def test_pain_21_files_in_git_hold_no_path_and_no_state_of_this_machine(tmp_path, pith_home):
    root = tmp_path / "shop"
    sample.make(root, 12)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(["git", "add", "."], cwd=root, check=True)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True).stdout
    carried = [root / os.fsdecode(name) for name in listed.split(b"\0") if name.startswith(b".orange-hyper")]
    assert len(carried) > 12
    for path in carried:
        text = path.read_text(encoding="utf-8")
        assert str(root) not in text
        assert str(pith_home) not in text
    assert not [path for path in carried if "/local/" in path.as_posix()]


@pytest.mark.long
def test_G34_five_thousand_nodes_are_listed_found_and_audited_and_none_is_lost(tmp_path, run_pith):
    root = tmp_path / "shop"
    sample.make(root, 5_000)
    shared = open_shared(root)
    assert len(graph.listed(shared)["nodes"]) == 5_000
    assert graph.rebuild_index(shared)["count"] == 5_000
    assert run_pith("graph", "search", "배송지", "--json", cwd=root).json["data"]["count"] > 100
    audited = run_pith("doctor", "--shared", "--json", cwd=root)
    assert audited.code in (0, 2)
    assert "Traceback" not in audited.stderr


@pytest.mark.parametrize("name", commands.COMMANDS)
def test_G30_every_command_can_answer_in_json(name):
    assert any(parameter.name == "as_json" or "json" in parameter.name for parameter in commands.load(name).parameters)


def test_pain_11_the_commands_of_project_memory_write_below_its_folder_only(git_repo, run_pith):
    (git_repo / "src").mkdir()
    (git_repo / "src" / "refund.py").write_text("RETRIES = 3\n")
    before = outside(git_repo)
    run_pith("init", "--shared", "--project", "상점", cwd=git_repo, check=True)
    made = run_pith("quest", "new", "환불은 세 번 재시도한다", "--path", "src", "--json", cwd=git_repo, check=True)
    quest = made.json["data"]["quest"]["id"]
    run_pith("quest", "done", quest, "--evidence", "9 tests passed", cwd=git_repo, check=True)
    proposed = run_pith(
        "remember",
        "propose",
        "--quest",
        quest,
        "--why",
        "the provider fails briefly",
        "--json",
        cwd=git_repo,
        check=True,
    )
    run_pith("remember", "accept", proposed.json["data"]["proposal"]["id"], cwd=git_repo, check=True)
    for words in (
        ["graph", "rebuild-index"],
        ["graph", "search", "환불"],
        ["capsule", "--quest", quest],
        ["route", "fix the refund"],
        ["identity", "build"],
        ["check"],
        ["doctor"],
        ["work"],
        ["recall", "환불 재시도"],
    ):
        run_pith(*words, cwd=git_repo)
    assert outside(git_repo) == before
    assert (git_repo / ".orange-hyper" / "identity").is_dir()


def outside(repo: Path) -> dict[str, bytes]:
    """Every file of a work tree but those of project memory, and every file that stands directly in git's folder."""
    kept = [path for path in repo.rglob("*") if path.is_file() and ".orange-hyper" not in path.parts]
    names = [path for path in kept if ".git" not in path.parts or path.parent.name in (".git", "hooks", "info")]
    return {str(path.relative_to(repo)): path.read_bytes() for path in names if path.name != "index"}
