"""The commands of project memory: what they take, say and refuse, for people and in JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Run, program, run_program

Pith = Callable[..., Run]


@pytest.fixture
def shop(git_repo: Path, pith: Pith) -> Callable[..., Run]:
    """The program in a repository with a project memory."""
    pith("init", "--shared", cwd=git_repo, check=True)
    return lambda *words, **how: pith(*words, cwd=git_repo, **how)


def _data(run: Run) -> Any:
    assert run.code == 0, run.stdout + run.stderr
    return run.json["data"]


def _proposal(shop: Pith, request: str, *words: str) -> str:
    quest = _data(shop("quest", "new", request, "--layer", "L2", "--json"))["quest"]["id"]
    shop("quest", "done", quest, "--evidence", "시험 3개 통과", check=True)
    return str(_data(shop("remember", "propose", "--quest", quest, *words, "--json"))["proposal"]["id"])


def _node(shop: Pith, request: str, *words: str) -> str:
    return str(_data(shop("remember", "accept", _proposal(shop, request, *words), "--json"))["node"]["id"])


# -- Beginning -----------------------------------------------------------------------------------------------


def test_G01_init_shared_makes_it_at_the_top_of_the_work_tree_and_changes_nothing_again(
    git_repo: Path, pith: Pith
) -> None:
    below = git_repo / "src" / "결제"
    below.mkdir(parents=True)
    first = _data(pith("init", "--shared", "--project", "shop 데모", "--json", cwd=below))["shared"]
    assert (first["created"], first["project"]["project_name"]) == (True, "shop 데모")
    files = {path: path.read_bytes() for path in (git_repo / ".orange-hyper").rglob("*") if path.is_file()}
    assert not any(str(git_repo).encode() in data for data in files.values())
    again = _data(pith("init", "--shared", "--project", "shop 데모", "--json", cwd=below))["shared"]
    assert (again["created"], again["files"]) == (False, [])
    assert {path: path.read_bytes() for path in (git_repo / ".orange-hyper").rglob("*") if path.is_file()} == files


def test_G01_a_repository_inside_another_project_gets_a_memory_of_its_own(git_repo: Path, pith: Pith) -> None:
    pith("init", "--shared", cwd=git_repo, check=True)
    inner = git_repo / "vendor" / "inner"
    inner.mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet"], cwd=inner, check=True)
    assert _data(pith("init", "--shared", "--json", cwd=inner))["shared"]["created"]
    assert (inner / ".orange-hyper" / "config.json").is_file()


def test_G01_project_and_force_go_with_shared_only(git_repo: Path, pith: Pith) -> None:
    for words in (["--project", "x"], ["--force"]):
        run = pith("init", *words, "--json", cwd=git_repo)
        assert (run.code, run.json["error"]["code"]) == (1, "USER_INPUT_ERROR")
    assert not (git_repo / ".orange-hyper").exists()


def test_G01_pain_11_init_without_shared_writes_nothing_into_the_repository(git_repo: Path, pith: Pith) -> None:
    pith("init", cwd=git_repo, check=True)
    assert sorted(path.name for path in git_repo.iterdir()) == [".git", "README.md"]


# -- Two names -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["pith", "orange"])
def test_G30_every_command_answers_under_both_names(name: str, git_repo: Path) -> None:
    def run(*words: str) -> Run:
        return run_program([*program(name), *words], cwd=git_repo)

    run("init", "--shared")
    made = run("quest", "new", "환불은 세 번까지만 시도한다", "--layer", "L2", "--json")
    assert made.json["data"]["next"]["capsule"].startswith(f"{name} capsule ")
    for words, id in ((["quest", "list"], "quest.list"), (["graph", "rebuild-index"], "graph.rebuildIndex")):
        assert run(*words, "--json").json["command"] == id


def test_orange_init_makes_the_shared_memory_and_pith_init_does_not(tmp_path: Path) -> None:
    run_program([*program("pith"), "init"], cwd=tmp_path, check=True)
    assert not (tmp_path / ".orange-hyper").exists()
    run_program([*program("orange"), "init"], cwd=tmp_path, check=True)
    assert (tmp_path / ".orange-hyper" / "config.json").exists()


# -- Answers in JSON -----------------------------------------------------------------------------------------


def test_G30_json_is_one_envelope_on_every_command_of_project_memory(shop: Pith) -> None:
    one, two = _node(shop, "환불은 반드시 세 번까지만 시도한다"), _node(shop, "Exports must be written in UTF-8.")
    waiting, unwanted = _proposal(shop, "정산 배치는 위험하다"), _proposal(shop, "Decide the colour of buttons")
    quest = _data(shop("quest", "list", "--completed", "--json"))["quests"][0]["id"]
    for id, words in {
        "quest.new": ["quest", "new", "다음 일"],
        "quest.list": ["quest", "list", "--all"],
        "quest.show": ["quest", "show", quest],
        "route.show": ["route", "--quest", quest],
        "capsule.build": ["capsule", quest],
        "remember.list": ["remember", "list", "--status", "pending"],
        "remember.show": ["remember", "show", waiting],
        "remember.validate": ["remember", "validate", waiting],
        "remember.revise": ["remember", "revise", waiting, "--confidence", "0.4"],
        "remember.reject": ["remember", "reject", unwanted, "--reason", "취향"],
        "remember.accept": ["remember", "accept", waiting],
        "graph.list": ["graph", "list", "--type", "constraint"],
        "graph.show": ["graph", "show", one],
        "graph.search": ["graph", "search", "환불"],
        "graph.link": ["graph", "link", one, "depends_on", two, "--confidence", "0.5"],
        "graph.unlink": ["graph", "unlink", one, "depends_on", two],
        "graph.supersede": ["graph", "supersede", one, two],
        "graph.verify": ["graph", "verify", two, "--evidence", "다시 보았다"],
        "graph.rebuildIndex": ["graph", "rebuild-index"],
    }.items():
        run = shop(*words, "--json")
        assert (run.code, run.stderr) == (0, ""), run.stdout
        assert list(run.json) == ["ok", "contract_version", "command", "data"]
        assert (run.json["ok"], run.json["contract_version"], run.json["command"]) == (True, "0.1", id)
        assert run.stdout.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "id"),
    [
        (["frobnicate"], "frobnicate.unknown"),
        (["graph"], "graph.unknown"),
        (["graph", "frobnicate"], "graph.frobnicate"),
        (["quest", "--nope"], "quest.unknown"),
        (["graph", "list", "--nope"], "graph.list"),
        (["graph", "show"], "graph.show"),
        (["quest", "new"], "quest.new"),
        (["remember", "propose"], "remember.propose"),
        (["graph", "search"], "graph.search"),
    ],
)
def test_G30_what_was_typed_wrong_is_an_envelope_with_the_command_that_was_meant(
    shop: Pith, words: list[str], id: str
) -> None:
    run = shop(*words, "--json")
    assert (run.code, run.stderr, run.json["command"]) == (1, "", id)
    assert run.json["error"]["code"] == "USER_INPUT_ERROR"


def test_G30_without_a_memory_every_command_says_how_to_begin(git_repo: Path, pith: Pith) -> None:
    for words in (["quest", "list"], ["remember", "list"], ["graph", "list"], ["route", "x"], ["capsule"]):
        error = pith(*words, "--json", cwd=git_repo).json["error"]
        assert error["code"] == "USER_INPUT_ERROR"
        assert "pith init --shared" in error["hint"]
    assert not (git_repo / ".orange-hyper").exists()


# -- Text for people -----------------------------------------------------------------------------------------


def test_lists_are_rows_with_tabs_off_a_terminal(shop: Pith) -> None:
    node = _node(shop, "재가입은 반드시 30일 뒤에만 허용한다")
    assert shop("graph", "list", check=True).stdout.split("\t")[:3] == [node, "constraint", "candidate"]
    assert shop("quest", "list", check=True).stdout == 'No quest is here. `pith quest new "..."` begins one.\n'
    assert shop("remember", "list", check=True).stdout.startswith("accepted\tmem_delta_quest_")


def test_G07_a_proposal_goes_from_proposed_to_accepted(shop: Pith) -> None:
    waiting = _proposal(shop, "재가입은 반드시 30일 뒤에만 허용한다")
    assert "## Candidate Memory" in shop("remember", "show", waiting, check=True).stdout
    assert shop("remember", "validate", waiting, check=True).stdout == f"{waiting} is valid.\n"
    shop("remember", "revise", waiting, "--why", "고객 문의가 잦다", "--stale-after", "90d", check=True)
    told = shop("remember", "accept", waiting, check=True).stdout
    assert told.startswith(f"accepted constraint.{waiting}\n")
    again = shop("remember", "accept", waiting, "--json")
    assert (again.code, again.json["error"]["code"]) == (1, "USER_INPUT_ERROR")


def test_G08_a_proposal_that_breaks_a_rule_is_told_with_exit_code_1(shop: Pith, git_repo: Path) -> None:
    waiting = _proposal(shop, "재가입은 반드시 30일 뒤에만 허용한다")
    file = next(git_repo.rglob(f"{waiting}.md"))
    file.write_text(
        file.read_text(encoding="utf-8").replace("confidence: medium", "confidence: huge"), encoding="utf-8"
    )
    run = shop("remember", "validate", waiting, "--json")
    assert (run.code, run.json["ok"], run.json["data"]["validation"]["valid"]) == (1, False, False)
    assert run.json["error"]["code"] == "MEMORY_PROPOSAL_INVALID"
    assert "error" in shop("remember", "validate", waiting).stdout
    refused = shop("remember", "accept", waiting, "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "VALIDATION_ERROR")


def test_G03_small_quests_need_force_and_a_reason_together(shop: Pith) -> None:
    quest = _data(shop("quest", "new", "오타 하나를 고친다", "--layer", "L1", "--json"))["quest"]["id"]
    shop("quest", "done", quest, "--evidence", "눈으로 확인", check=True)
    for words in ([], ["--force"], ["--reason", "자주 틀린다"]):
        run = shop("remember", "propose", "--quest", quest, *words, "--json")
        assert (run.code, run.json["error"]["code"]) == (1, "USER_INPUT_ERROR")
    proposed = _data(shop("remember", "propose", "--quest", quest, "--force", "--reason", "자주 틀린다", "--json"))
    assert proposed["type_reason"]


@pytest.mark.parametrize("kind", ["folder", "pipe", "missing", "large", "binary", "empty"])
def test_G02_evidence_that_is_no_small_text_file_is_refused(shop: Pith, git_repo: Path, kind: str) -> None:
    file = git_repo / "report"
    if kind == "folder":
        file.mkdir()
    elif kind == "pipe":
        if not hasattr(os, "mkfifo"):
            pytest.skip("there are no pipes with names on this system")
        os.mkfifo(file)
    elif kind != "missing":
        file.write_bytes({"large": b"x" * 100_000, "binary": b"\xff\xfe\x00", "empty": b" \n"}[kind])
    quest = _data(shop("quest", "new", "재가입 규칙을 정한다", "--layer", "L2", "--json"))["quest"]["id"]
    run = shop("quest", "done", quest, "--evidence-file", "report", "--json")
    assert (run.code, run.json["error"]["code"]) == (1, "USER_INPUT_ERROR")
    assert _data(shop("quest", "list", "--json"))["quests"]


OWN = {
    "intent": ["--triggers", "재가입 정책", "--triggers", "signup", "--expected-output", "code_change", "--risk-hint", "low"],
    "decision": ["--rationale", "문의가 잦다", "--created-from", "episode.x"],
    "constraint": ["--severity", "high", "--applies-to", "component.auth"],
    "component": ["--paths", "src/auth/**", "--owners", "결제 팀"],
    "risk": ["--severity", "medium", "--signals", "느린 응답"],
    "verification": ["--commands", "pytest -q"],
    "convention": ["--applies-to", "component.backend"],
    "tool": ["--useful-when", "문서가 필요할 때", "--default-state", "suggested_only"],
    "role": ["--unlocked-by", "episode.x", "--scope", "component.backend"],
    "episode": ["--intent", "intent.x", "--result", "completed", "--verification", "v", "--memory-deltas", "decision.x"],
}  # fmt: skip


@pytest.mark.parametrize("kind", OWN)
def test_G14_every_kind_is_proposed_with_its_own_fields_and_shown_with_them(shop: Pith, kind: str) -> None:
    node = _node(shop, f"재가입에 대해 {kind} 하나를 남긴다", "--type", kind, *OWN[kind])
    shown = _data(shop("graph", "show", node, "--json"))["node"]
    wanted = {word[2:].replace("-", "_") for word in OWN[kind] if word.startswith("--")}
    assert (shown["node_type"], set(shown["fields"])) == (kind, wanted)


def test_G14_a_field_of_another_kind_is_refused_and_its_owner_named(shop: Pith) -> None:
    quest = _data(shop("quest", "new", "재가입 규칙을 정한다", "--layer", "L2", "--json"))["quest"]["id"]
    shop("quest", "done", quest, "--evidence", "x", check=True)
    run = shop("remember", "propose", "--quest", quest, "--type", "decision", "--signals", "x", "--json")
    assert run.code == 1
    assert "risk" in run.json["error"]["hint"]


def test_G15_G16_nodes_are_related_replaced_and_verified(shop: Pith) -> None:
    old = _node(shop, "The refund worker must retry five times.", "--stability", "volatile", "--stale-after", "30d")
    new = _node(shop, "The refund worker must retry three times.", "--link", f"derived_from:{old}")
    shop("graph", "supersede", old, new, check=True)
    told = shop("graph", "verify", new, "--evidence", "시험을 다시 돌렸다", check=True).stdout
    assert "holds: 시험을 다시 돌렸다" in told
    shown = _data(shop("graph", "show", old, "--json"))["node"]
    assert shown["validity"]["superseded_by"] == new
    assert {(each["from"], each["type"]) for each in shown["edges"]} == {(new, "derived_from"), (new, "supersedes")}
    refused = shop("graph", "supersede", new, old, "--json")
    assert refused.json["error"]["code"] == "VALIDATION_ERROR"


# -- Who decides ---------------------------------------------------------------------------------------------


def test_G28_an_agent_is_refused_where_nobody_can_be_asked(shop: Pith) -> None:
    waiting = _proposal(shop, "재가입은 반드시 30일 뒤에만 허용한다")
    for words in (["--json"], []):
        run = shop("remember", "accept", waiting, *words, env={"CLAUDECODE": "1"})
        assert run.code == 1
        assert "Only a person may decide this" in run.stdout + run.stderr
    assert _data(shop("graph", "list", "--json"))["count"] == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals on Windows")
@pytest.mark.parametrize(("answer", "count"), [("y\n", 1), ("네\n", 1), ("n\n", 0), ("\n", 0)])
def test_G28_a_person_at_the_terminal_is_asked(shop: Pith, git_repo: Path, answer: str, count: int) -> None:
    import pty

    waiting = _proposal(shop, "재가입은 반드시 30일 뒤에만 허용한다")
    parent, child = pty.openpty()
    with subprocess.Popen(
        [*program("orange"), "remember", "accept", waiting],
        cwd=git_repo,
        stdin=child,
        stdout=subprocess.PIPE,
        stderr=child,
        env={**os.environ, "CLAUDECODE": "1"},
    ) as running:
        os.write(parent, answer.encode())
        running.communicate(timeout=60)
    os.close(child)
    asked = os.read(parent, 10_000).decode()
    os.close(parent)
    assert "Accept `재가입은 반드시 30일 뒤에만 허용한다`" in asked
    assert running.returncode == 1 - count
    assert json.loads(shop("graph", "list", "--json").stdout)["data"]["count"] == count


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals on Windows")
@pytest.mark.parametrize("words", [("graph", "list"), ("remember", "list"), ("quest", "list", "--all")])
def test_on_a_screen_the_title_comes_first_and_the_whole_id_under_it(
    shop: Pith, git_repo: Path, words: tuple[str, ...]
) -> None:
    import pty

    node = _node(shop, "재가입은 반드시 30일 뒤에만 허용한다")
    ids = {
        "graph": node,
        "remember": node.partition(".")[2],
        "quest": node.partition("mem_delta_")[2].rpartition("_")[0],
    }
    parent, child = pty.openpty()
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "60"}
    subprocess.run([*program("pith"), *words], cwd=git_repo, stdin=child, stdout=child, env=environment, check=True)
    os.close(child)
    title, facts = os.read(parent, 10_000).decode().splitlines()
    os.close(parent)
    assert title == "재가입은 반드시 30일 뒤에만 허용한다"
    assert facts.endswith(f"  {ids[words[0]]}")
