"""Capture killed at every SQL statement and file change: what a second try leaves is what a calm run leaves."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from pathlib import Path

import pytest

from crash.sweep import Action, run, state, sweep
from pith.interfaces.hook.main import serve
from pith.services import spool
from pith.services.history import import_history
from pith.services.workspace import open_workspace
from pith.store import database

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")

SESSION = "0b9e2c44-8d7c-4f7e-9a59-1f3f3d5e7a10"


@pytest.fixture(params=[False, pytest.param(True, marks=pytest.mark.long)], ids=["sample", "all"])
def every(request: pytest.FixtureRequest) -> bool:
    """A sample of the points every day, all of them in a long run."""
    return bool(request.param)


@pytest.fixture
def call(git_repo: Path):
    """`call("UserPromptSubmit", prompt="...")`: one hook call of Claude Code, in this process."""

    def call(event: str, **fields: object) -> object:
        payload = {"hook_event_name": event, "session_id": SESSION, "cwd": str(git_repo), **fields}
        return serve("claude", json.dumps(payload).encode(), time.monotonic())

    return call


def prompt(call, text: str, id: str) -> Action:
    return lambda: call("UserPromptSubmit", prompt=text, prompt_id=id)


def whole(home: Path) -> int:
    """How many events the home's stores hold; each must be whole: body, anchors, place, terms and citation."""
    found = 0
    for path in home.rglob("store.db"):
        connection = sqlite3.connect(path)
        assert connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
        (events,) = connection.execute("SELECT count(*) FROM events").fetchone()
        for table, column in (("event_bodies", "seq"), ("event_anchors", "event")):
            (bound,) = connection.execute(f"SELECT count(DISTINCT {column}) FROM {table}").fetchone()
            assert bound == events, table
        assert connection.execute("SELECT count(*) FROM citations").fetchone() == (events,)
        (terms,) = connection.execute("SELECT coalesce(sum(doc), 0) FROM event_vocabulary").fetchone()
        assert bool(terms) == bool(events)
        connection.close()
        found += events
    return found


def same_after(action: Action, home: Path, every: bool, then: Action | None = None) -> None:
    """Whatever step the action died before, done again it ends as in a calm run, and nothing is ever half."""
    again = then or action

    def calm_run() -> None:
        action()
        if then:
            then()

    expected = _calm(calm_run, home)
    for number, step in sweep(action, home, every=every):
        whole(home)
        grow_old(home)
        assert run(again) == 0, f"done again after dying before {number}: {step}"
        found = state(home)
        # What a killed registration leaves is swept by the next one; that has a test of its own.
        found["drafts"] = [name for name in found["drafts"] if not name.startswith((".project.", ".projects."))]
        assert found == expected, f"after dying before step {number}: {step}"


def grow_old(home: Path) -> None:
    """As if the next process came an hour later: what is being written is told from what was abandoned by its age."""
    for path in home.rglob("*.draft"):
        os.utime(path, (time.time() - 3600,) * 2)


def _calm(action: Action, home: Path) -> dict[str, object]:
    import shutil

    from crash.sweep import put_back

    before = home.with_name("calm.before")
    if home.exists():
        shutil.copytree(home, before)
    assert run(action) == 0
    found = state(home)
    put_back(home, before)
    shutil.rmtree(before, ignore_errors=True)
    return found


def test_the_first_hook_call_killed_anywhere_and_called_again_ends_as_a_calm_one(call, pith_home, every):
    same_after(prompt(call, "쿠폰함을 어디에 두었지?", "p1"), pith_home, every)
    assert not pith_home.exists()


def test_what_a_killed_registration_leaves_is_swept_by_the_next_one(call, pith_home, tmp_path, every):
    other = tmp_path / "other"
    other.mkdir()
    for number, step in sweep(prompt(call, "쿠폰함", "p1"), pith_home, every=every, sample=40):
        assert run(lambda: call("UserPromptSubmit", prompt="elsewhere", cwd=str(other))) == 0
        assert [name for name in state(pith_home)["drafts"] if "project" in name] == [], f"{number} {step}"


def test_a_second_hook_call_killed_anywhere_and_called_again_ends_as_a_calm_one(call, pith_home, every):
    call("UserPromptSubmit", prompt="first", prompt_id="p1")
    same_after(prompt(call, "where is the coupon box?", "p2"), pith_home, every)


def test_a_tool_event_killed_anywhere_and_called_again_ends_as_a_calm_one(call, pith_home, every):
    call("UserPromptSubmit", prompt="first", prompt_id="p1")
    tool = {
        "tool_name": "Read",
        "tool_input": {"file_path": "/a/b.py"},
        "tool_response": "x = 1",
        "tool_use_id": "t1",
    }
    same_after(lambda: call("PostToolUse", **tool), pith_home, every)


def test_a_session_end_killed_anywhere_and_called_again_ends_as_a_calm_one(call, pith_home, every):
    call("UserPromptSubmit", prompt="first", prompt_id="p1")
    same_after(lambda: call("SessionEnd", reason="logout"), pith_home, every)


def test_a_killed_hook_that_nobody_calls_again_leaves_an_event_whole_or_not_at_all(call, pith_home, every):
    call("UserPromptSubmit", prompt="first", prompt_id="p1")
    counts = []
    for _ in sweep(prompt(call, "where is the coupon box?", "p2"), pith_home, every=every):
        assert not list(pith_home.rglob("spool/*.json"))
        counts.append(whole(pith_home))
    assert counts == sorted(counts), "once it is committed it stays"
    assert set(counts) == {1, 2}


@pytest.fixture
def spooled(call, pith_home: Path) -> Path:
    """A home whose spool holds three calls that met a locked database."""
    call("UserPromptSubmit", prompt="first", prompt_id="p1")
    (path,) = pith_home.rglob("store.db")
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    for number in range(3):
        call("Stop", last_assistant_message=f"answer {number}")
    writer.execute("ROLLBACK")
    writer.close()
    assert len(spool.waiting(str(path.parent))) == 3
    return pith_home


def drain(repository: Path) -> Action:
    def drain() -> None:
        with open_workspace(str(repository)) as workspace:
            spool.drain(workspace)

    return drain


def test_draining_the_spool_killed_anywhere_and_done_again_loses_and_doubles_nothing(spooled, git_repo, every):
    same_after(drain(git_repo), spooled, every)


def test_a_hook_that_spools_killed_anywhere_leaves_an_event_once_and_no_draft(call, spooled, git_repo, every):
    (path,) = spooled.rglob("store.db")

    def spool_one() -> None:
        writer = sqlite3.connect(path, isolation_level=None)
        writer.execute("BEGIN IMMEDIATE")
        call("Stop", last_assistant_message="an answer at a bad moment")

    def call_again_and_drain() -> None:
        call("Stop", last_assistant_message="an answer at a bad moment")
        drain(git_repo)()

    for number, step in sweep(spool_one, spooled, every=every):
        grow_old(spooled)
        assert run(call_again_and_drain) == 0
        whole(spooled)
        found = state(spooled)
        texts = sorted(text for _, text, _ in found["stores"][0]["event_bodies"])
        assert texts == ["an answer at a bad moment", "answer 0", "answer 1", "answer 2", "first"], f"{number} {step}"
        assert (found["spool"], found["drafts"]) == ([], []), f"{number} {step}"


TRANSCRIPT = (
    {"type": "user", "uuid": "u1", "promptId": "p1", "message": {"role": "user", "content": "why one cent?"}},
    {
        "type": "assistant",
        "uuid": "a1",
        "message": {"content": [{"type": "text", "text": "반올림 때문입니다."}]},
    },
    {"type": "user", "uuid": "u2", "promptId": "p2", "message": {"role": "user", "content": "continue"}},
    {"type": "user", "uuid": "u3", "promptId": "p3", "message": {"role": "user", "content": "continue"}},
)


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / f"{SESSION}.jsonl"
    lines = [
        json.dumps({"sessionId": SESSION, "timestamp": f"2026-05-02T09:00:0{at}Z", **record})
        for at, record in enumerate(TRANSCRIPT)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_an_import_killed_anywhere_and_done_again_ends_as_a_calm_one(transcript, git_repo, pith_home, every):
    def bring_in() -> None:
        with open_workspace(str(git_repo)) as workspace:
            import_history.import_files(workspace.db, [transcript], workspace.settings)

    with open_workspace(str(git_repo)) as workspace:
        assert workspace.db
    same_after(bring_in, pith_home, every)


def test_a_migration_killed_anywhere_is_done_whole_by_the_next_start(
    call, git_repo, pith_home, every, tmp_path, monkeypatch
):
    """An older database is what the first migration alone makes; the second is one of this test's own."""
    call("UserPromptSubmit", prompt="kept through the migration", prompt_id="p1")
    migrations = tmp_path / "migrations"
    migrations.mkdir()
    for name in os.listdir(database._FOLDER):
        (migrations / name).write_text(Path(database._FOLDER, name).read_text(encoding="utf-8"), encoding="utf-8")
    newer = database.VERSION + 1
    script = (
        "CREATE TABLE later (x TEXT) STRICT;\nINSERT INTO later VALUES ('a;b');\nCREATE INDEX later_x ON later (x);\n"
    )
    (migrations / f"{newer:04d}_later.sql").write_text(script, encoding="utf-8")
    monkeypatch.setattr(database, "_FOLDER", str(migrations))
    monkeypatch.setattr(database, "VERSION", newer)

    def open_it() -> None:
        with open_workspace(str(git_repo)) as workspace:
            assert workspace.db.execute("PRAGMA user_version")[0][0] == newer

    same_after(open_it, pith_home, every)
