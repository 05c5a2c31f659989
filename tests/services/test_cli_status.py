"""`pith status`: which project, what is stored, and on top what needs attention."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import git
from pith.domain.events import HOOK, PROMPT, Sighting
from pith.services import location, project, spool

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


def _status(pith: Pith, *words: str) -> dict[str, Any]:
    data: dict[str, Any] = pith("status", *words, "--json", check=True).json["data"]
    return data


def _seen(text: str) -> Sighting:
    return Sighting(PROMPT, "s1", text, "2026-11-30T09:00:00.000Z", host="claude", channel=HOOK, turn="t1")


def test_looking_at_a_new_project_writes_nothing(pith, git_repo, pith_home, monkeypatch):
    monkeypatch.chdir(git_repo)
    data = _status(pith)
    assert data["project"] == {"known": False}
    assert data["stored"] is None
    assert not pith_home.exists()
    assert git(git_repo, "status", "--short") == ""


def test_pain_13_key_aliases_and_reason_are_shown(shop, pith, tmp_path, monkeypatch):
    git(shop, "worktree", "add", "--quiet", str(tmp_path / "tree"))
    monkeypatch.chdir(tmp_path / "tree")
    pith("import", str(SAMPLES), check=True)  # a place is noted when something is written there
    text = pith("status", check=True).stdout
    assert f"key      git:{shop}/.git (This repository's git folder)" in text
    assert f"also     tree:{tmp_path / 'tree'}" in text


def test_counts_span_imports_and_size_are_told(shop, pith, store):
    data = _status(pith)
    assert data["stored"]["events"] == sum(data["stored"]["kinds"].values()) == 96
    assert data["stored"]["first_at"].startswith("2026-11-03")
    assert data["stored"]["imports"]["files"] == 7
    assert data["sizes"]["database"] == os.path.getsize(os.path.join(store, "store.db"))
    assert data["sizes"]["total"] >= data["sizes"]["database"] + data["sizes"]["wal"]
    assert data["warnings"] == []


def test_pain_04_spooled_files_are_brought_in_first_and_said(shop, pith, store):
    spool.put(store, [_seen("the spooled lighthouse")])
    assert "spool    1 waiting file was brought in just now" in pith("status", check=True).stdout
    assert pith("recall", "lighthouse", "--json").json["data"]["hits"]
    assert _status(pith)["spool"] == {"brought_in": 0, "waiting": 0, "damaged": 0, "problem": None}


def test_what_waited_in_the_home_finds_its_project(shop, pith, pith_home):
    spool.put(str(pith_home), [_seen("the lighthouse without a project")], cwd=str(shop))
    assert _status(pith)["spool"]["brought_in"] == 1


def test_pain_04_losses_are_counted_by_reason_until_they_were_seen(shop, pith, pith_home):
    for reason in ("hook input over 64 MB", "hook input over 64 MB", "an event that could not be written (OSError)"):
        spool.lose(str(pith_home), reason)
    first = pith("status", check=True).stdout.splitlines()[0]
    assert first.startswith("! Lost: 3 (2 x hook input over 64 MB; 1 x an event")
    assert _status(pith, "--seen-losses")["settled"]["hook input over 64 MB"] == 2
    assert _status(pith)["losses"] == {}


def test_warnings_stand_above_everything_else(shop, pith, store, pith_home):
    spool.lose(str(pith_home), "a loss")
    pith("pause")
    (pith_home / "config.toml").open("a").write('\n[recal]\nhook = "no"\n')
    (Path(store) / "spool").mkdir()
    (Path(store) / "spool" / "x.json.damaged").write_text("?")
    lines = pith("status", check=True).stdout.splitlines()
    warnings = [line for line in lines if line.startswith("! ")]
    assert lines[: len(warnings)] == warnings
    assert len(warnings) == 4


def test_what_is_excluded_is_told(shop, pith):
    pith("config", "set", "capture.exclude.paths", "secrets/**", check=True)
    pith("config", "set", "capture.exclude.tools", "WebFetch", check=True)
    assert "excluded paths: secrets/**; tools: WebFetch\n" in pith("status").stdout
    pith("config", "set", "capture.exclude.projects", str(shop), check=True)
    assert _status(pith)["left_alone"]
    assert pith("status").stdout.startswith("! This project is excluded")


def test_a_large_store_is_told_of_by_the_policy_for_size(shop, pith):
    pith("config", "set", "capture.maxStoreMegabytes", "1", check=True)
    assert _status(pith)["warnings"] == []


def test_hooks_are_told_by_agent(shop, pith, home):
    (home / ".claude").mkdir()
    assert "claude not installed (`pith install claude`); codex is not here" in pith("status").stdout
    pith("install", "claude", check=True)
    assert "claude installed (9 of 9 events)" in pith("status").stdout
    settings = home / ".claude" / "settings.json"
    settings.write_text(settings.read_text("utf-8").replace("SessionEnd", "SessionEnded"), "utf-8")
    assert any("SessionEnd" in warning for warning in _status(pith)["warnings"])


@pytest.mark.parametrize("damage", [b"not a database at all " * 100, b""])
def test_a_damaged_store_is_the_first_warning_and_status_still_answers(shop, pith, store, damage):
    for name in ("store.db", "store.db-wal", "store.db-shm"):
        path = Path(store) / name
        if path.exists():
            path.unlink()
    (Path(store) / "store.db").write_bytes(damage)
    run = pith("status")
    assert run.code == 0
    assert "project  repo" in run.stdout
    assert "Traceback" not in run.stderr + run.stdout
    if damage:
        assert run.stdout.startswith("! ")


def test_a_newer_store_is_left_alone_and_told(shop, pith, store):
    import sqlite3

    with sqlite3.connect(os.path.join(store, "store.db")) as connection:
        connection.execute("PRAGMA user_version=999")
    assert "newer pith" in pith("status").stdout.splitlines()[0]
