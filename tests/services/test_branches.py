"""What was said on a branch that is not merged is told as such, until the branch is merged."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from conftest import Run
from pith.services import branches
from pith.services.work.chores import CHORES
from pith.services.workspace import open_workspace


def git(repo: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=repo, check=True, capture_output=True)


def told(repo: Path, text: str, session: str, number: int) -> dict[str, object]:
    return {
        "hook_event_name": "UserPromptSubmit",
        "session_id": session,
        "cwd": str(repo),
        "prompt": text,
        "prompt_id": f"p{number}",
    }


@pytest.fixture
def split(git_repo: Path, run_hook) -> Path:
    """A repository in which something was decided on `시험/redis`, which main does not hold."""
    git(git_repo, "commit", "-q", "--allow-empty", "-m", "begin")
    git(git_repo, "checkout", "-q", "-b", "시험/redis")
    git(git_repo, "commit", "-q", "--allow-empty", "-m", "try")
    run_hook(
        "claude", told(git_repo, "We decided that sessions live in redis with a lock timeout of nine seconds", "s1", 1)
    )
    run_hook("claude", told(git_repo, "쿠폰함은 만료된 쿠폰을 사흘 동안 보여 주기로 했다", "s1", 2))
    git(git_repo, "checkout", "-q", "-")
    return git_repo


QUESTIONS = ("sessions redis lock timeout", "쿠폰함은 만료된 쿠폰을 며칠 동안 보여 주기로 했지?")


@pytest.mark.parametrize("question", QUESTIONS)
def test_pain_14_an_unmerged_branch_is_named_as_such_at_the_terminal(split, pith, question):
    found: Run = pith("recall", question, cwd=split, check=True)
    assert "on 시험/redis, not merged" in found.stdout
    data = pith("recall", question, "--json", cwd=split, check=True).json["data"]
    assert [hit["merged"] for hit in data["hits"] if hit["branch"] == "시험/redis"][:1] == [False]


def begun(repo: Path) -> dict[str, object]:
    return {"hook_event_name": "SessionStart", "session_id": "s2", "cwd": str(repo), "source": "startup"}


def test_pain_14_a_hook_says_so_once_somebody_has_asked_git(split, run_hook):
    with open_workspace(str(split)) as ws:
        chore = next(chore for chore in CHORES if chore.name == "branches")
        assert chore.is_due(ws, 0)
        chore.run(ws, lambda: True)
        assert not chore.is_due(ws, 0)
    answer = run_hook("claude", begun(split)).json
    assert "on 시험/redis, not merged" in answer["hookSpecificOutput"]["additionalContext"]


def test_pain_14_after_the_merge_it_is_no_longer_said(split, run_hook, pith):
    pith("recall", QUESTIONS[0], cwd=split, check=True)
    git(split, "merge", "-q", "시험/redis")
    answer = run_hook("claude", begun(split)).json
    text = answer["hookSpecificOutput"]["additionalContext"]
    assert "on 시험/redis" in text
    assert (
        "not merged" not in text
    )  # the hook cannot ask git, and claims nothing about a commit that nobody asked about
    assert "not merged" not in pith("recall", QUESTIONS[0], cwd=split, check=True).stdout


def test_pain_14_where_git_is_absent_or_the_store_is_locked_nothing_is_claimed(split, monkeypatch):
    with open_workspace(str(split)) as ws:
        monkeypatch.setenv("PATH", "")
        assert not branches.look(ws)
        assert not ws.db.unmerged
    with open_workspace(str(split)) as writer, open_workspace(str(split)) as ws, writer.db.transaction():
        monkeypatch.undo()
        ws.db.execute("PRAGMA busy_timeout=10")
        assert not branches.look(ws)
