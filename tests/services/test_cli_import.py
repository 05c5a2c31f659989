"""`pith import`: this project's history, another place's, everybody's; said what was taken and why the rest was not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import git

SAMPLES = Path(__file__).parents[2] / "samples"

Pith = Callable[..., Any]


def _told(run: Any) -> dict[str, Any]:
    data: dict[str, Any] = run.json["data"]
    return data


def _transcript(folder: Path, session: str, cwd: Path, *prompts: str) -> Path:
    """A transcript of Claude Code with these prompts, work done in `cwd`."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{session}.jsonl"
    records = [
        {
            "type": "user",
            "uuid": f"{session}-{number}",
            "parentUuid": None,
            "sessionId": session,
            "timestamp": f"2026-11-02T09:00:{number:02d}Z",
            "cwd": str(cwd),
            "message": {"role": "user", "content": prompt},
        }
        for number, prompt in enumerate(prompts)
    ]
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def other_repo(tmp_path: Path) -> Path:
    repository = tmp_path / "other"
    repository.mkdir()
    git(repository, "init", "--quiet", "--initial-branch=main")
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "Begin")
    return repository


@pytest.fixture
def history(home: Path, git_repo: Path, other_repo: Path) -> Path:
    """A home of Claude Code with work in two projects."""
    projects = home / ".claude" / "projects"
    _transcript(projects / "repo", "s-here", git_repo, "the coupon box keeps expired coupons", "쿠폰함은 그대로 둔다")
    _transcript(projects / "other", "s-other", other_repo, "the lighthouse lamp is green")
    return home / ".claude"


def test_every_line_of_the_samples_is_accounted_for(pith, git_repo):
    data = _told(pith("import", str(SAMPLES), "--json", cwd=git_repo, check=True))
    assert data["lines"] == data["taken"] + sum(data["skipped"].values())
    assert data["new"] > 90
    assert not data["bad"]
    assert not data["errors"]


def test_pain_23_a_second_import_says_nothing_new(pith, git_repo):
    pith("import", str(SAMPLES), cwd=git_repo, check=True)
    again = pith("import", str(SAMPLES), cwd=git_repo, check=True)
    assert again.stdout.startswith("Nothing new.\n")
    assert pith("status", "--json", cwd=git_repo).json["data"]["stored"]["events"] == 96


def test_a_path_may_have_any_layout_and_hosts_are_told_apart_by_content(pith, git_repo, tmp_path):
    pile = tmp_path / "pile" / "deep"
    pile.mkdir(parents=True)
    for number, path in enumerate(SAMPLES.rglob("*.jsonl")):
        if "subagents" not in path.parts:
            shutil.copy(path, pile / f"{number}.jsonl")
    pith("import", str(tmp_path / "pile"), cwd=git_repo, check=True)
    hosts = {each["host"] for each in pith("sessions", "--json", cwd=git_repo).json["data"]["sessions"]}
    assert hosts == {"claude", "codex"}


def test_one_host_may_be_asked_for(pith, git_repo):
    data = _told(pith("import", "codex", str(SAMPLES), "--json", cwd=git_repo, check=True))
    assert data["files"] == 2


def test_without_a_path_only_this_projects_sessions_come(pith, git_repo, history):
    data = _told(pith("import", "--json", cwd=git_repo, check=True))
    assert (data["new"], data["sessions"], data["files"]) == (2, 1, 1)
    assert pith("recall", "쿠폰함", "--json", cwd=git_repo).json["data"]["hits"]
    assert not pith("recall", "lighthouse", "--json", cwd=git_repo).json["data"]["hits"]


def test_work_in_a_subfolder_or_a_worktree_is_work_of_the_project(pith, git_repo, home, tmp_path):
    git(git_repo, "worktree", "add", "--quiet", str(tmp_path / "tree"))
    projects = home / ".claude" / "projects"
    _transcript(projects / "a", "s-sub", git_repo / "deep" / "down", "the anchor is heavy")
    _transcript(projects / "b", "s-tree", tmp_path / "tree", "the sail is red")
    assert _told(pith("import", "--json", cwd=git_repo, check=True))["new"] == 2
    cited = pith("recall", "anchor", "--json", cwd=git_repo).json["data"]["hits"][0]["citation"]
    memory = pith("show", cited, "--json", cwd=git_repo).json["data"]["memories"][0]
    assert memory["directory"] == "deep/down"


def test_everywhere_brings_each_to_its_own_store(pith, git_repo, other_repo, history):
    data = _told(pith("import", "--everywhere", "--json", cwd=git_repo, check=True))
    assert {(Path(each["root"]).name, each["new"]) for each in data["projects"]} == {("repo", 2), ("other", 1)}
    assert pith("recall", "lighthouse", "--json", cwd=other_repo).json["data"]["hits"]
    assert not pith("recall", "lighthouse", "--json", cwd=git_repo).json["data"]["hits"]
    again = pith("import", "--everywhere", cwd=git_repo, check=True)
    assert again.stdout.count("Nothing new.") == 2


def test_everywhere_leaves_an_excluded_project_alone(pith, git_repo, other_repo, history):
    pith("config", "set", "capture.exclude.projects", str(other_repo), cwd=git_repo, check=True)
    data = _told(pith("import", "--everywhere", "--json", cwd=git_repo, check=True))
    assert [Path(each["root"]).name for each in data["projects"]] == ["repo"]


def test_an_excluded_project_takes_nothing(pith, git_repo, history):
    pith("config", "set", "capture.exclude.projects", str(git_repo), cwd=git_repo, check=True)
    run = pith("import", cwd=git_repo)
    assert run.code == 1
    assert "excluded" in run.stderr


def test_a_dry_run_says_the_same_and_writes_nothing(pith, git_repo, history, pith_home):
    tried = _told(pith("import", "--dry-run", "--json", cwd=git_repo, check=True))
    assert not pith_home.exists()
    done = _told(pith("import", "--json", cwd=git_repo, check=True))
    for each in (tried, done):
        each.pop("seconds")
        each.pop("dry_run")
    assert tried == done
    assert _told(pith("import", "--dry-run", str(SAMPLES), "--json", cwd=git_repo, check=True))["new"] == 96
    assert pith("status", "--json", cwd=git_repo).json["data"]["stored"]["events"] == 2


def test_pain_32_bad_lines_are_named_with_file_and_line_and_stop_nothing(pith, git_repo, tmp_path):
    path = _transcript(tmp_path / "t", "s1", git_repo, "first", "second")
    with path.open("ab") as file:
        file.write(b'{"type": "us\nnonsense\n\xff\xfe\n')
    run = pith("import", str(path), cwd=git_repo, check=True)
    assert run.stdout.startswith("2 new memories")
    for line in (3, 4, 5):
        assert f"{path}:{line}: " in run.stdout


def test_a_file_that_cannot_be_read_does_not_stop_the_rest(pith, git_repo, tmp_path):
    _transcript(tmp_path / "t", "s1", git_repo, "first")
    (tmp_path / "t" / "gone.jsonl").mkdir()
    run = pith("import", str(tmp_path / "t"), "--json", cwd=git_repo)
    assert _told(run)["new"] == 1
    assert [Path(each["path"]).name for each in _told(run)["errors"]] == ["gone.jsonl"]
    assert run.code == 1


def test_grown_transcripts_bring_only_what_was_added(pith, git_repo, tmp_path):
    path = _transcript(tmp_path / "t", "s1", git_repo, "first")
    pith("import", str(path), cwd=git_repo, check=True)
    _transcript(tmp_path / "t", "s1", git_repo, "first", "second")
    data = _told(pith("import", str(path), "--json", cwd=git_repo, check=True))
    assert (data["lines"], data["new"]) == (1, 1)


def test_an_export_comes_back_whole(pith, git_repo, other_repo, tmp_path):
    pith("import", str(SAMPLES), cwd=git_repo, check=True)
    pith("export", "--jsonl", str(tmp_path / "all.jsonl"), cwd=git_repo, check=True)
    first = pith("import", "--jsonl", str(tmp_path / "all.jsonl"), cwd=other_repo, check=True)
    assert first.stdout.startswith("96 new memories from ")
    again = pith("import", "--jsonl", str(tmp_path / "all.jsonl"), cwd=other_repo, check=True)
    assert again.stdout.startswith("Nothing new from ")


@pytest.mark.parametrize(
    "words",
    [
        ("cursor",),
        ("no/such/folder",),
        ("claude", "no-such-file.jsonl"),
        ("--everywhere", "README.md"),
        ("--jsonl",),
        ("--jsonl", "no-such-file"),
        ("--jsonl", "README.md", "--dry-run"),
        ("--jsonl", "README.md"),
    ],
)
def test_what_cannot_be_imported_is_a_sentence_with_a_next_step(pith, git_repo, words):
    run = pith("import", *words, cwd=git_repo)
    assert run.code == 1
    assert run.stdout == ""
    assert len(run.stderr.strip().splitlines()) == 2


def test_a_project_without_history_says_where_else_to_look(pith, git_repo, pith_home):
    run = pith("import", cwd=git_repo, check=True)
    assert "--everywhere" in run.stdout
    assert not pith_home.exists()
