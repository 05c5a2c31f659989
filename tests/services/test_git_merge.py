"""What git carries of a project memory, and what happens when two branches each accepted something (G31); real git."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Run, git

INDEX = ".orange-hyper/graph/index.json"


class Team:
    """A repository whose project memory people work on in branches."""

    def __init__(self, root: Path, run: Callable[..., Run]) -> None:
        self.root = root
        self.run = run

    def said(self, *words: str) -> Any:
        return self.run(*words, "--json", cwd=self.root, check=True).json["data"]

    def accept(self, request: str, *words: str) -> str:
        """The id of a node that was accepted and committed here."""
        quest = self.said("quest", "new", request, "--layer", "L2")["quest"]["id"]
        self.said("quest", "done", quest, "--evidence", "시험 3개 통과")
        proposal = self.said("remember", "propose", "--quest", quest, *words)["proposal"]["id"]
        node = self.said("remember", "accept", proposal)["node"]["id"]
        self.commit(request)
        return str(node)

    def commit(self, message: str) -> None:
        git(self.root, "add", "--all")
        git(self.root, "commit", "--quiet", "--message", message)

    def merge(self, branch: str) -> list[str]:
        """Merge a branch; the files that git leaves to a person."""
        subprocess.run(
            ["git", "merge", "--quiet", "--no-edit", branch], cwd=self.root, capture_output=True, check=False
        )
        return git(self.root, "diff", "--name-only", "--diff-filter=U").splitlines()

    def nodes(self) -> list[str]:
        return [each["id"] for each in self.said("graph", "list")["nodes"]]

    def findings(self) -> list[dict[str, Any]]:
        data = self.run("doctor", "--shared", "--json", cwd=self.root).json["data"]
        return [*data["diagnostics"]["errors"], *data["diagnostics"]["warnings"]]


@pytest.fixture
def team(git_repo: Path, pith: Callable[..., Run]) -> Team:
    """A repository with a project memory and one accepted node, on `main`."""
    made = Team(git_repo, pith)
    made.said("init", "--shared")
    made.commit("Begin project memory")
    made.accept("The refund worker must retry three times.")
    return made


def _diverge(team: Team) -> tuple[str, str]:
    """Accept one thing on `main` and another on `feature`."""
    git(team.root, "checkout", "--quiet", "-b", "feature")
    theirs = team.accept("재가입은 탈퇴 30일 뒤에만 허용한다")
    git(team.root, "checkout", "--quiet", "main")
    return team.accept("Exports must be written in UTF-8."), theirs


def test_G31_git_carries_what_was_accepted_and_nothing_that_waits(team: Team) -> None:
    team.said("quest", "new", "아직 하고 있는 일", "--layer", "L2")
    quest = team.said("quest", "new", "제안만 하고 결정하지 않은 일", "--layer", "L2")["quest"]["id"]
    team.said("quest", "done", quest, "--evidence", "시험 통과")
    proposal = team.said("remember", "propose", "--quest", quest)["proposal"]["id"]
    team.said("capsule", "--quest", quest)
    team.said("identity", "build")
    waiting = git(team.root, "status", "--short", "--untracked-files=all")
    assert proposal not in waiting
    team.said("remember", "reject", proposal)
    carried = git(team.root, "ls-files", ".orange-hyper", "--others", "--cached", "--exclude-standard").splitlines()
    parts = {"/".join(name.split("/")[1:3]) for name in carried}
    assert parts <= {
        ".gitattributes", ".gitignore", "config.json", "quests/active", "quests/completed", "proposals/memory-delta",
        "graph/nodes", "graph/index.json", "graph/edges.jsonl",
    }  # fmt: skip
    assert all("/accepted/" in name for name in carried if "/proposals/" in name)


def test_G31_two_branches_that_each_accepted_something_merge_and_one_command_ends_it(team: Team) -> None:
    ours, theirs = _diverge(team)
    assert set(team.merge("feature")) <= {INDEX}
    answer = team.said("graph", "rebuild-index")
    assert answer["count"] == 3
    assert {ours, theirs} <= set(team.nodes())
    team.commit("Merge feature")
    index = json.loads((team.root / INDEX).read_text(encoding="utf-8"))
    assert [each["id"] for each in index["nodes"]] == sorted(team.nodes())


def test_G31_until_then_the_conflict_is_one_finding_and_nothing_else_stops(team: Team) -> None:
    ours, theirs = _diverge(team)
    assert team.merge("feature") == [INDEX]
    assert {ours, theirs} <= set(team.nodes())
    assert team.said("graph", "search", "재가입")["count"] == 1
    found = [finding for finding in team.findings() if "index" in finding["message"]]
    assert len(team.findings()) == len(found) == 1
    assert "rebuild-index" in found[0]["hint"]
    team.said("graph", "rebuild-index")
    assert team.findings() == []


def test_G31_a_merge_without_a_conflict_leaves_an_index_that_one_command_refreshes(team: Team) -> None:
    _diverge(team)
    git(team.root, "config", "merge.keep.driver", "true")
    (team.root / ".git" / "info" / "attributes").write_text(f"{INDEX} merge=keep\n", encoding="utf-8")
    assert team.merge("feature") == []
    assert team.said("graph", "list")["count"] == 3
    assert team.said("graph", "rebuild-index")["count"] == 3


def test_G31_relations_of_both_branches_are_kept(team: Team) -> None:
    first = team.nodes()[0]
    git(team.root, "checkout", "--quiet", "-b", "feature")
    theirs = team.accept("재가입은 탈퇴 30일 뒤에만 허용한다", "--link", f"depends_on:{first}")
    git(team.root, "checkout", "--quiet", "main")
    ours = team.accept("Exports must be written in UTF-8.", "--link", f"applies_to:{first}")
    assert set(team.merge("feature")) <= {INDEX}
    edges = team.said("graph", "show", first)["node"]["edges"]
    assert {(each["from"], each["type"]) for each in edges} == {(ours, "applies_to"), (theirs, "depends_on")}


def test_G31_the_same_quest_accepted_on_two_branches_is_two_files_or_one_conflict_and_never_a_loss(team: Team) -> None:
    quest = team.said("quest", "new", "정산은 은행 점검 시간을 피한다", "--layer", "L2")["quest"]["id"]
    team.said("quest", "done", quest, "--evidence", "시험 통과")
    team.commit("A quest for both")
    git(team.root, "checkout", "--quiet", "-b", "feature")
    for branch, type in (("feature", "decision"), ("main", "constraint")):
        git(team.root, "checkout", "--quiet", branch)
        proposal = team.said("remember", "propose", "--quest", quest, "--type", type)["proposal"]["id"]
        team.said("remember", "accept", proposal)
        team.commit(f"Accept it as a {type}")
    assert set(team.merge("feature")) <= {INDEX}
    team.said("graph", "rebuild-index")
    assert {each.partition(".")[0] for each in team.nodes()} >= {"decision", "constraint"}


def test_G31_a_fresh_clone_passes_and_one_without_accepted_proposals_is_told(team: Team, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(team.root), str(clone))
    cloned = Team(clone, team.run)
    assert cloned.run("doctor", "--shared", cwd=clone).code == 0
    assert cloned.findings() == []
    assert cloned.nodes() == team.nodes()
    for file in (clone / ".orange-hyper" / "proposals" / "memory-delta" / "accepted").glob("*.md"):
        file.unlink()
    assert {each["code"] for each in cloned.findings()} == {"ACCEPTED_NODE_SOURCE_PROPOSAL_MISSING"}
    assert cloned.run("doctor", "--shared", cwd=clone).code == 2


def test_G31_a_checkout_with_windows_line_ends_is_the_same_memory(team: Team, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--config", "core.autocrlf=true", str(team.root), str(clone))
    files = [*(clone / ".orange-hyper" / "graph" / "nodes").rglob("*.md")]
    assert files
    assert not any(b"\r\n" in file.read_bytes() for file in files)
    assert Team(clone, team.run).nodes() == team.nodes()
