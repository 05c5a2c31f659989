"""`pith check`, as CI runs it: real repositories, real clones, and the exit codes that its page promises."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from conftest import Run, git
from pith.adapters import git as git_adapter
from pith.domain import validity
from pith.interfaces.cli.check import annotation
from pith.services.project_memory.check import RULES

ROOT = Path(__file__).parents[2]
LATER = "2099-01-02T03:04:05+00:00"


class Team:
    """A repository with a project memory, as its CI sees it."""

    def __init__(self, root: Path, run: Callable[..., Run], patch: pytest.MonkeyPatch) -> None:
        self.root, self.run, self.patch = root, run, patch
        self.base = root / ".orange-hyper"

    def said(self, *words: str) -> Any:
        return self.run(*words, "--json", cwd=self.root, check=True).json["data"]

    def accept(self, request: str, *words: str) -> str:
        quest = self.said("quest", "new", request, "--layer", "L2")["quest"]["id"]
        self.said("quest", "done", quest, "--evidence", "시험 3개 통과")
        proposal = self.said("remember", "propose", "--quest", quest, *words)["proposal"]["id"]
        return str(self.said("remember", "accept", proposal)["node"]["id"])

    def commit(self, message: str, *, later: bool = False) -> None:
        if later:
            self.patch.setenv("GIT_COMMITTER_DATE", LATER)
        git(self.root, "add", "--all")
        git(self.root, "commit", "--quiet", "--message", message)

    def check(self, *words: str, cwd: Path | None = None) -> Run:
        return self.run("check", *words, cwd=cwd or self.root)

    def found(self, *words: str, cwd: Path | None = None) -> dict[str, dict[str, Any]]:
        run = self.check("--json", *words, cwd=cwd)
        assert run.stderr == ""
        return {each["code"]: each for each in run.json["data"]["findings"]}


@pytest.fixture
def team(git_repo: Path, pith: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> Team:
    made = Team(git_repo, pith, monkeypatch)
    source = git_repo / "src" / "refunds"
    source.mkdir(parents=True)
    (source / "worker.py").write_text("TRIES = 3\n", encoding="utf-8")
    made.said("init", "--shared")
    made.commit("Begin")
    return made


RETRIES = "The refund worker must retry three times."


def test_a_healthy_memory_passes_without_home_and_store(team: Team, pith_home: Path) -> None:
    team.accept(RETRIES, "--path", "src/refunds/**")
    team.commit("Accept")
    run = team.check()
    assert (run.code, run.stderr) == (0, "")
    assert re.fullmatch(r"All \d+ checks passed\.\n", run.stdout)
    assert not pith_home.exists()


def test_it_writes_nothing(team: Team) -> None:
    team.accept(RETRIES)
    team.commit("Accept")
    before = {path: path.stat().st_mtime_ns for path in team.root.rglob("*") if ".git" not in path.parts}
    for words in ((), ("--json",), ("--format", "github"), ("--strict",)):
        assert team.check(*words).code == 0
    assert {path: path.stat().st_mtime_ns for path in team.root.rglob("*") if ".git" not in path.parts} == before


def test_without_project_memory_it_cannot_be_asked(git_repo: Path, pith: Callable[..., Run]) -> None:
    run = pith("check", "--json", cwd=git_repo)
    assert (run.code, run.json["error"]["code"]) == (1, "USER_INPUT_ERROR")
    assert pith("check", "--format", "nothing", cwd=git_repo).code == 1


# -- Each rule broken, and mended ----------------------------------------------------------------------------


def test_G16_a_file_that_a_node_names_and_that_changed_since_is_a_warning_until_it_is_verified(team: Team) -> None:
    node = team.accept(RETRIES, "--path", "src/refunds/**")
    team.commit("Accept")
    (team.root / "src" / "refunds" / "worker.py").write_text("TRIES = 5\n", encoding="utf-8")
    team.commit("Retry more often", later=True)
    found = team.found()["NODE_FILES_CHANGED"]
    assert found["severity"] == "warning"
    assert "src/refunds/worker.py changed since" in found["message"]
    assert found["file"].endswith(f"{node}.md")
    lines = (team.root / found["file"]).read_text(encoding="utf-8").splitlines()
    assert lines[found["line"] - 1].startswith("scope_paths:")
    assert team.check().code == 0
    assert team.check("--strict").code == 2
    file = team.root / found["file"]
    file.write_text(
        file.read_text("utf-8").replace("status: candidate", f"status: candidate\nlast_verified_at: {LATER[:10]}"),
        encoding="utf-8",
    )
    assert "NODE_FILES_CHANGED" not in team.found()


def test_G16_a_condition_on_files_and_a_file_that_vanished_make_a_node_stale(team: Team) -> None:
    team.accept(RETRIES, "--stale-after", "path:src/refunds/**")
    team.accept("재가입은 탈퇴 30일 뒤에만 허용한다", "--path", "src/refunds/worker.py")
    team.commit("Accept")
    (team.root / "src" / "refunds" / "worker.py").unlink()
    team.commit("Remove the worker", later=True)
    run = team.check("--json")
    told = [each["message"] for each in run.json["data"]["findings"] if each["code"] == "NODE_STALE"]
    assert len(told) == 2
    assert any("is gone" in each for each in told)
    assert run.code == 0


def test_G16_a_node_past_its_days_is_stale_and_past_valid_to_expired(team: Team) -> None:
    old = team.accept(RETRIES, "--stale-after", "30d")
    team.accept("재가입은 탈퇴 30일 뒤에만 허용한다", "--valid-to", "2020-01-01")
    file = next(team.base.rglob(f"{old}.md"))
    file.write_text(
        file.read_text("utf-8").replace("status: candidate", "status: candidate\nlast_verified_at: 2020-01-01"),
        encoding="utf-8",
    )
    team.commit("Accept")
    assert set(team.found()) == {"NODE_STALE", "NODE_EXPIRED"}


def test_two_live_nodes_that_conflict_are_an_error_until_one_is_replaced(team: Team) -> None:
    one, other = team.accept(RETRIES), team.accept("The refund worker must retry five times.")
    team.said("graph", "link", one, "conflicts_with", other)
    team.said("graph", "link", other, "conflicts_with", one)
    run = team.check("--json")
    assert run.code == 2
    assert run.json["error"]["code"] == "CHECK_FAILED"
    (finding,) = run.json["data"]["findings"]
    assert (finding["code"], finding["file"], finding["line"]) == (
        "NODES_CONTRADICT",
        ".orange-hyper/graph/edges.jsonl",
        1,
    )
    team.said("graph", "supersede", one, other)
    assert team.check().code == 0


def test_a_node_that_two_live_nodes_replace_is_an_error_as_after_a_merge(team: Team) -> None:
    old = team.accept(RETRIES)
    team.commit("Accept")
    git(team.root, "checkout", "--quiet", "-b", "feature")
    team.said("graph", "supersede", old, team.accept("The refund worker must retry five times."))
    team.commit("Five")
    git(team.root, "checkout", "--quiet", "main")
    new = team.accept("The refund worker must retry nine times.")
    with (team.base / "graph" / "edges.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"from": new, "type": "supersedes", "to": old}) + "\n")
    team.commit("Nine")
    assert team.check().code == 0
    git(team.root, "merge", "--quiet", "--no-edit", "-X", "ours", "feature")
    team.said("graph", "rebuild-index")
    found = team.found()
    assert set(found) == {"NODE_REPLACED_TWICE"}
    assert found["NODE_REPLACED_TWICE"]["severity"] == "error"


def test_G13_an_index_that_is_not_fresh_is_an_error_and_one_command_ends_it(team: Team) -> None:
    team.accept(RETRIES)
    index = team.base / "graph" / "index.json"
    whole = json.loads(index.read_text(encoding="utf-8"))
    index.write_text(json.dumps({**whole, "nodes": []}), encoding="utf-8")
    assert set(team.found()) == {"GRAPH_INDEX_MISSING_ENTRY"}
    assert team.check().code == 2
    team.said("graph", "rebuild-index")
    assert team.check().code == 0


def test_G10_G25_provenance_and_secrets_are_errors(team: Team) -> None:
    node = team.accept(RETRIES)
    file = next(team.base.rglob(f"{node.partition('.')[2]}.md"))
    file.write_text(file.read_text("utf-8") + "\npassword=" + "hunter2-" + "Zx81qRt9\n", encoding="utf-8")
    assert set(team.found()) == {"PROVENANCE_DIFFERS", "CREDENTIAL_PUBLIC"}
    assert "hunter2" not in team.check().stdout
    assert team.check().code == 2


def test_what_waits_on_this_machine_is_nobody_elses_finding(team: Team) -> None:
    quest = team.said("quest", "new", "Exports must be written in UTF-8.", "--layer", "L2")["quest"]["id"]
    team.said("quest", "done", quest, "--evidence", "x")
    team.said("remember", "propose", "--quest", quest, "--candidate", "Fix it")
    (team.base / "local" / "intent.json").write_text("{", encoding="utf-8")
    assert "PROPOSAL_WEAK" in team.run("doctor", "--shared", cwd=team.root).stdout
    assert team.found("--strict") == {}


# -- As CI has it --------------------------------------------------------------------------------------------


def test_G31_it_works_in_a_shallow_clone(team: Team, tmp_path: Path) -> None:
    team.accept(RETRIES, "--path", "src/refunds/**")
    team.commit("Accept", later=True)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{team.root}", str(clone))
    run = team.check("--json", cwd=clone)
    assert (run.code, run.stderr) == (0, "")
    assert [(each["code"], each["severity"]) for each in run.json["data"]["findings"]] == [("HISTORY_UNKNOWN", "note")]
    assert "fetch-depth: 0" in run.json["data"]["findings"][0]["hint"]
    git(clone, "fetch", "--quiet", "--unshallow")
    assert team.found(cwd=clone) == {}


def test_a_memory_in_a_folder_of_the_repository_is_named_from_its_top(team: Team) -> None:
    below = team.root / "services" / "shop"
    below.mkdir(parents=True)
    team.base.rename(below / ".orange-hyper")
    (below / ".orange-hyper" / "graph" / "edges.jsonl").write_text("no edge\n", encoding="utf-8")
    found = team.found(cwd=below)["EDGE_UNREADABLE"]
    assert (found["file"], found["line"]) == ("services/shop/.orange-hyper/graph/edges.jsonl", 1)


def test_annotations_name_file_line_and_code(team: Team) -> None:
    (team.base / "graph" / "edges.jsonl").write_text("no edge\n", encoding="utf-8")
    run = team.check("--format", "github")
    first, last = run.stdout.splitlines()
    assert first.startswith("::error file=.orange-hyper/graph/edges.jsonl,line=1,title=EDGE_UNREADABLE::")
    assert last.endswith("1 error.")
    assert run.code == 2


def test_characters_that_would_end_an_annotation_are_escaped() -> None:
    finding = {
        "severity": "note", "code": "X", "file": "a,b:c%\n.md", "line": 3, "message": "100 %\r\n::error::forged", "hint": "h",
    }  # fmt: skip
    assert annotation(finding) == ("::notice file=a%2Cb%3Ac%25%0A.md,line=3,title=X::100 %25%0D%0A::error::forged h")


# -- The pages -----------------------------------------------------------------------------------------------


def test_the_page_names_every_rule_as_it_is() -> None:
    page = (ROOT / "docs" / "reference" / "check.md").read_text(encoding="utf-8")
    rows = [f"| `{each.code}` | {each.severity} | {each.promise} | {each.hint} |" for each in RULES]
    assert [line for line in page.splitlines() if line.startswith(("| `N", "| `H"))] == rows


def test_the_workflow_of_the_page_is_yaml_and_runs_this_command(team: Team) -> None:
    page = (ROOT / "docs" / "how-to" / "check-in-ci.md").read_text(encoding="utf-8")
    workflow = yaml.safe_load(re.search(r"```yaml\n(.*?)```", page, re.DOTALL)[1])  # type: ignore[index]
    steps = workflow["jobs"]["memory"]["steps"]
    assert steps[0]["with"]["fetch-depth"] == 0
    words = next(step["run"] for step in steps if step.get("run", "").startswith("pith check")).split()
    assert team.check(*words[2:]).code == 0


@pytest.mark.parametrize("depth", [None, 2])
def test_a_history_that_is_read_once_answers_as_one_that_is_asked_each_time(
    git_repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, depth: int | None
) -> None:
    """Clocks go wrong: a commit may be older than the one before it."""
    for day in (5, 3, 9, 7, 7, 12):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"2026-02-{day:02}T03:04:05+00:00")
        git(git_repo, "commit", "--quiet", "--allow-empty", "--message", str(day))
    place = git_repo
    if depth:
        place = tmp_path / "clone"
        git(tmp_path, "clone", "--quiet", "--depth", str(depth), f"file://{git_repo}", str(place))
    history = git_adapter.History(str(place), patience=10)
    for moment in [
        "2020-01-01T00:00:00Z",
        *(f"2026-02-{day:02}T03:04:0{second}Z" for day in range(1, 14) for second in (4, 5)),
    ]:
        seconds = validity.seconds(moment)
        assert seconds is not None
        assert history.at(seconds) == git_adapter.commit_at(str(place), moment, patience=10), moment
    assert git_adapter.History(str(tmp_path), patience=10).at(0) is None
