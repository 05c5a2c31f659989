"""After a repair an event belongs to the session it belonged to, where anything that can be read still proves it."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from pith.services import location, project
from pith.services.keeping import backup
from pith.store import sessions
from pith.store.database import open_store

SAMPLES = Path(__file__).parents[2] / "samples"
PAGE = 4096


@pytest.fixture
def folder(pith, git_repo, pith_home, monkeypatch) -> Path:
    monkeypatch.chdir(git_repo)
    pith("import", str(SAMPLES), check=True)
    found = project.find(str(pith_home), location.locate(str(git_repo)))
    assert found is not None
    return Path(found.folder)


def damage_sessions(folder: Path) -> None:
    """Break the page in which the names of the sessions stand, and nothing else."""
    damage_table(folder, "sessions")


def damage_table(folder: Path, table: str, name: str = "store.db") -> None:
    path = folder / name
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        [page] = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", [table]).fetchone()
    connection.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * PAGE)
        file.write(bytes(PAGE))


def listed(pith: Any) -> list[dict[str, Any]]:
    found = pith("sessions", "--json", check=True).json["data"]["sessions"]
    return sorted(found, key=lambda session: session["id"])


def checked(pith: Any) -> str:
    return str(pith("doctor").stdout)


def test_without_a_backup_the_next_import_names_them_again(folder, pith):
    before = listed(pith)
    damage_sessions(folder)
    saved = backup.restore_readable(str(folder))
    assert saved.nameless == saved.events == 96
    assert saved.wrong_checksum == []
    nameless = listed(pith)
    assert {session["host"] for session in nameless} == {"unknown"}
    assert len(nameless) == len(before) + 1  # a subagent, too, is one of its own
    assert "EVENT_CHANGED" not in checked(pith)
    again = pith("import", str(SAMPLES), "--json", check=True).json["data"]
    assert again["new"] == 0
    after = listed(pith)
    assert [(one["id"], one["host"], one["events"]) for one in after if "memory/" not in one["id"]] == [
        (one["id"], one["host"], one["events"]) for one in before if "memory/" not in one["id"]
    ]
    assert "EVENT_CHANGED" not in checked(pith)


def test_a_backup_names_them_what_came_since_included(folder, pith, run_hook, git_repo):
    backup.make(str(folder))
    payload = {"session_id": "1d468e8b-b9f2-5e1c-a76f-e84768dc4e94", "cwd": str(git_repo)}
    run_hook("claude", {**payload, "hook_event_name": "UserPromptSubmit", "prompt": "환불 재시도는 왜 세 번이야?"})
    before = [(one["id"], one["host"], one["events"]) for one in listed(pith)]
    damage_sessions(folder)
    saved = backup.restore_readable(str(folder))
    assert (saved.events, saved.nameless, saved.lost) == (97, 0, 0)
    assert [(one["id"], one["host"], one["events"]) for one in listed(pith)] == before
    assert "EVENT_CHANGED" not in checked(pith)


@pytest.mark.parametrize("table", ["sessions", "places"])
def test_what_was_forgotten_stays_so_although_a_backup_as_damaged_has_it(folder, pith, table):
    made = Path(backup.make(str(folder)).path)
    held = made.read_bytes()
    pith("forget", "1d468e8b", "--yes", check=True)
    made.write_bytes(held)
    damage_table(folder, table)
    damage_table(made.parent, table, made.name)
    backup.restore_readable(str(folder))
    assert (
        "provider's own outages" not in pith("export", "--jsonl", "all.jsonl", "--into-repository", check=True).stdout
    )
    assert "provider's own outages" not in Path("all.jsonl").read_text(encoding="utf-8")


def test_what_was_forgotten_stays_so_although_a_backup_has_it(folder, pith):
    backup.make(str(folder))
    kept = (folder / "backups").iterdir()
    held = {path: path.read_bytes() for path in kept}
    pith("forget", "1d468e8b", "--yes", check=True)
    for path, data in held.items():
        path.write_bytes(data)  # a copy that forgetting did not reach
    damage_sessions(folder)
    backup.restore_readable(str(folder))
    assert pith("recall", "refund retries are three", "--session", "1d468e8b", "--json").json["data"]["hits"] == []
    [one] = [one for one in listed(pith) if one["id"].startswith("1d468e8b") or one["forgotten"]]
    assert one["events"] == one["forgotten"]


def test_an_exact_id_wins_over_the_beginning_of_another(folder, pith):
    with open_store(str(folder)) as db, db.transaction():
        for number in (1, 10):
            db.execute(
                "UPDATE sessions SET id = :id WHERE num = :num",
                {"id": f"{sessions.NAMELESS}{number}", "num": 1 if number == 1 else 2},
            )
    data = pith("sessions", "recovered-1", "--json", check=True).json["data"]
    assert data["session"]["id"] == "recovered-1"
    assert data["session"]["events"] == len(data["events"])


def test_a_session_that_only_began_is_not_counted(folder, pith):
    with open_store(str(folder)) as db, db.transaction():
        sessions.number(db, "began", "", "claude")
    assert pith("status", "--json", check=True).json["data"]["stored"]["sessions"] == len(listed(pith)) == 7


def test_a_forgotten_session_says_so(folder, pith):
    pith("forget", "ae963b5d", "--yes", check=True)
    [row] = [line for line in pith("sessions", check=True).stdout.splitlines() if line.startswith("ae963b5d")]
    assert row.split("\t")[3] == "forgotten"


def test_events_of_two_rows_are_told_apart_where_the_name_is_taken(folder, pith, run_hook, git_repo):
    damage_sessions(folder)
    backup.restore_readable(str(folder))
    payload = {"session_id": "1d468e8b-b9f2-5e1c-a76f-e84768dc4e94", "cwd": str(git_repo)}
    run_hook("claude", {**payload, "hook_event_name": "UserPromptSubmit", "prompt": "한 번 더"})
    pith("import", str(SAMPLES), check=True)
    of_it = [one for one in listed(pith) if payload["session_id"] in (one["id"], one["parent"])]
    assert sorted(one["events"] for one in of_it) == [1, 19]
    assert {one["host"] for one in of_it} == {"claude"}


def test_a_backup_tells_the_places_what_came_since_included(folder, pith, run_hook, git_repo):
    payload = {"session_id": "s-9", "cwd": str(git_repo), "hook_event_name": "UserPromptSubmit"}
    run_hook("claude", {**payload, "prompt": "여기서 시작하자"})
    backup.make(str(folder))
    run_hook("claude", {**payload, "prompt": "이어서 하자"})
    before = [(one["id"], one["branches"], one["events"]) for one in listed(pith)]
    damage_table(folder, "places")
    saved = backup.restore_readable(str(folder))
    assert (saved.events, saved.nameless, saved.wrong_checksum) == (98, 0, [])
    assert [(one["id"], one["branches"], one["events"]) for one in listed(pith)] == before
    assert "EVENT_CHANGED" not in checked(pith)


def test_without_a_backup_lost_places_are_empty_and_nothing_else_is_lost(folder, pith):
    before = [(one["id"], one["events"]) for one in listed(pith)]
    damage_table(folder, "places")
    assert backup.restore_readable(str(folder)).events == 96
    assert [(one["id"], one["events"]) for one in listed(pith)] == before
    assert {tuple(one["branches"]) for one in listed(pith)} == {()}
