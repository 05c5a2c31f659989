"""The doctor of project memory: every promise is broken on purpose; it must be told once, repaired where safe, quiet."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Run, git
from pith import platform
from pith.files import layout
from pith.services.doctor import examination
from pith.services.doctor.checks import CHECKS, MEMORY, check
from pith.services.doctor.finding import ERROR, SEVERITIES, Finding
from pith.services.doctor.patient import admit

OWN = [each for each in CHECKS if each.group == MEMORY]
SIX = {
    "CONFIG_PROJECT_ID_MISSING", "GRAPH_INDEX_ORPHAN_ENTRY", "ACCEPTED_PROPOSAL_MISSING_NODE",
    "ACCEPTED_NODE_SOURCE_PROPOSAL_MISSING", "GRAPH_NODE_PROJECT_MISMATCH", "LEGACY_PROJECT_ID_MISSING",
}  # fmt: skip
FOREIGN = "project_00000000-0000-4000-8000-000000000000"


class Sick:
    """A project memory that was healthy: two nodes that are related, and a proposal that waits."""

    def __init__(self, root: Path, run: Callable[..., Run]) -> None:
        self.root = root
        self.base = root / ".orange-hyper"
        self.run = run
        self.said("init", "--shared")
        self.node = self.accept("The refund worker must retry three times.")
        self.other = self.accept("재가입은 탈퇴 30일 뒤에만 허용한다는 규칙을 회원 서비스에 둔다")
        self.said("graph", "link", self.node, "applies_to", self.other)
        self.pending = self.propose("Exports must be written in UTF-8 with a heading row.")
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "--message", "Project memory")

    def said(self, *words: str) -> Any:
        return self.run(*words, "--json", cwd=self.root, check=True).json["data"]

    def propose(self, request: str) -> str:
        quest = self.said("quest", "new", request, "--layer", "L2")["quest"]["id"]
        self.said("quest", "done", quest, "--evidence", "시험 3개 통과")
        return str(self.said("remember", "propose", "--quest", quest)["proposal"]["id"])

    def accept(self, request: str) -> str:
        return str(self.said("remember", "accept", self.propose(request))["node"]["id"])

    def file(self, id: str) -> Path:
        """The file of a quest, proposal or node."""
        return next(self.base.rglob(f"{id}.md"))

    def proposal_of(self, node: str) -> Path:
        return self.file(node.partition(".")[2])

    def quest_of(self, node: str) -> Path:
        name = node.partition(".")[2].removeprefix("mem_delta_").rpartition("_")[0]
        return self.file(name)

    def change(self, file: Path, old: str, new: str) -> None:
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")

    def without(self, file: Path, key: str) -> None:
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        file.write_text("".join(line for line in lines if not line.strip().startswith(f"{key}:")), encoding="utf-8")

    def index(self, change: Callable[[dict[str, Any]], object]) -> None:
        path = self.base / layout.INDEX
        whole = json.loads(path.read_text(encoding="utf-8"))
        change(whole)
        path.write_text(json.dumps(whole, ensure_ascii=False, indent=2), encoding="utf-8")

    def findings(self) -> tuple[Finding, ...]:
        with admit(cwd=str(self.root), shared=True) as patient:
            return examination.examine(patient, OWN).findings

    def codes(self) -> list[str]:
        return [finding.code for finding in self.findings()]

    def repair(self, code: str) -> examination.Treatment:
        with admit(cwd=str(self.root), shared=True) as patient:
            return examination.repair(patient, code)


@pytest.fixture
def sick(git_repo: Path, pith: Callable[..., Run]) -> Sick:
    return Sick(git_repo, pith)


# -- One way to damage each promise ----------------------------------------------------------------------------


def no_index(sick: Sick) -> None:
    (sick.base / layout.INDEX).unlink()


def no_rules(sick: Sick) -> None:
    (sick.base / layout.IGNORE).unlink()
    git(sick.root, "add", "--all")


def folder_elsewhere(sick: Sick) -> None:
    outside = sick.root.parent / "outside"
    (sick.base / "quests" / "active").rename(outside)
    (sick.base / "quests" / "active").symlink_to(outside)


def config_garbage(sick: Sick) -> None:
    (sick.base / layout.CONFIG).write_text('{\n  "project_id": ,\n}\n', encoding="utf-8")


def config_without_id(sick: Sick) -> None:
    path = sick.base / layout.CONFIG
    whole = json.loads(path.read_text(encoding="utf-8"))
    del whole["project_id"], whole["project"]["id"]
    path.write_text(json.dumps(whole), encoding="utf-8")


def rules_incomplete(sick: Sick) -> None:
    sick.change(sick.base / layout.IGNORE, "capsules/\n", "")


def ignored(sick: Sick) -> None:
    git(sick.root, "rm", "-r", "--cached", "--quiet", ".orange-hyper/graph/nodes")
    (sick.root / ".gitignore").write_text("nodes/\n", encoding="utf-8")


def half_done(sick: Sick) -> None:
    intent = {"version": 1, "command": "x", "subject": "x", "steps": []}
    (sick.base / layout.INTENT).write_text(json.dumps(intent), encoding="utf-8")


def draft(sick: Sick) -> None:
    path = sick.base / "graph" / "nodes" / ".x.md.1-aabbccdd.draft"
    path.write_text("half a", encoding="utf-8")
    os.utime(path, (1, 1))


def unreadable(sick: Sick) -> None:
    (sick.base / layout.ACTIVE / "quest_x.md").write_text("---\nid: [x\n---\n", encoding="utf-8")


def twice(sick: Sick) -> None:
    file = sick.file(sick.node)
    file.with_name("another-name.md").write_bytes(file.read_bytes())


def misplaced(sick: Sick) -> None:
    file = sick.file(sick.pending)
    sick.change(file, "status: pending", "status: rejected")


def invalid(sick: Sick) -> None:
    sick.change(sick.file(sick.node), "status: candidate", "status: candidate\nstability: perhaps")


def weak(sick: Sick) -> None:
    sick.change(sick.file(sick.pending), "Exports must be written in UTF-8 with a heading row.", "Fix it")


def windows(sick: Sick) -> None:
    file = sick.file(sick.node)
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))


def foreign_node(sick: Sick) -> None:
    own = json.loads((sick.base / layout.CONFIG).read_text(encoding="utf-8"))["project_id"]
    sick.change(sick.file(sick.node), own, FOREIGN)


def foreign_quest(sick: Sick) -> None:
    own = json.loads((sick.base / layout.CONFIG).read_text(encoding="utf-8"))["project_id"]
    sick.change(sick.quest_of(sick.node), own, FOREIGN)


def legacy(sick: Sick) -> None:
    sick.without(sick.quest_of(sick.node), "project_id")


def no_node(sick: Sick) -> None:
    sick.file(sick.node).unlink()


def no_proposal(sick: Sick) -> None:
    sick.proposal_of(sick.node).unlink()


def no_quest(sick: Sick) -> None:
    sick.quest_of(sick.node).unlink()


def proposal_edited(sick: Sick) -> None:
    sick.change(sick.proposal_of(sick.node), "three times", "nine times")


def index_garbage(sick: Sick) -> None:
    (sick.base / layout.INDEX).write_text("<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n", encoding="utf-8")


def index_outside(sick: Sick) -> None:
    sick.index(lambda whole: whole["nodes"].append({"id": sick.node, "file": "../../etc/passwd"}))


def index_orphan(sick: Sick) -> None:
    gone = {"id": "decision.gone", "file": ".orange-hyper/graph/nodes/decision/decision.gone.md"}
    sick.index(lambda whole: whole["nodes"].append(gone))


def index_short(sick: Sick) -> None:
    sick.index(lambda whole: whole["nodes"].pop())


def index_old(sick: Sick) -> None:
    sick.index(lambda whole: whole["nodes"][0].update(title="another"))


def edge_garbage(sick: Sick) -> None:
    with (sick.base / layout.EDGES).open("a", encoding="utf-8") as file:
        file.write("<<<<<<< ours\n=======\n>>>>>>> theirs\n")


def edge_dangling(sick: Sick) -> None:
    with (sick.base / layout.EDGES).open("a", encoding="utf-8") as file:
        file.write(json.dumps({"from": sick.node, "type": "touches", "to": "component.gone"}) + "\n")


def no_successor(sick: Sick) -> None:
    sick.change(sick.file(sick.node), "status: candidate", "status: candidate\nsuperseded_by: decision.gone")


def note(sick: Sick, text: str) -> None:
    with sick.file(sick.other).open("a", encoding="utf-8") as file:
        file.write(f"\n## Notes\n\n{text}\n")


def credential(sick: Sick) -> None:
    note(sick, "password=" + "hunter2-" + "Zx81qRt9")


def personal(sick: Sick) -> None:
    note(sick, "문의: 010-" + "1234-5678")


def private_path(sick: Sick) -> None:
    note(sick, "see /home/developer/notes/refunds.txt")


DAMAGE: dict[str, Callable[[Sick], None]] = {
    "MEMORY_STRUCTURE_MISSING": no_rules,
    "GRAPH_STRUCTURE_MISSING": no_index,
    "MEMORY_LINKED_OUT": folder_elsewhere,
    "CONFIG_UNREADABLE": config_garbage,
    "CONFIG_PROJECT_ID_MISSING": config_without_id,
    "GIT_RULES_INCOMPLETE": rules_incomplete,
    "SHARED_FILE_IGNORED": ignored,
    "CHANGE_UNFINISHED": half_done,
    "MEMORY_DRAFT_LEFT": draft,
    "MEMORY_FILE_UNREADABLE": unreadable,
    "MEMORY_ID_TWICE": twice,
    "MEMORY_FILE_MISPLACED": misplaced,
    "MEMORY_FILE_INVALID": invalid,
    "PROPOSAL_WEAK": weak,
    "MEMORY_FILE_FORM": windows,
    "GRAPH_NODE_PROJECT_MISMATCH": foreign_node,
    "PROJECT_ID_MISMATCH": foreign_quest,
    "LEGACY_PROJECT_ID_MISSING": legacy,
    "ACCEPTED_PROPOSAL_MISSING_NODE": no_node,
    "ACCEPTED_NODE_SOURCE_PROPOSAL_MISSING": no_proposal,
    "SOURCE_QUEST_MISSING": no_quest,
    "PROVENANCE_DIFFERS": proposal_edited,
    "GRAPH_INDEX_UNREADABLE": index_garbage,
    "GRAPH_PATH_OUTSIDE": index_outside,
    "GRAPH_INDEX_ORPHAN_ENTRY": index_orphan,
    "GRAPH_INDEX_MISSING_ENTRY": index_short,
    "GRAPH_INDEX_STALE_ENTRY": index_old,
    "EDGE_UNREADABLE": edge_garbage,
    "EDGE_DANGLING": edge_dangling,
    "SUCCESSOR_MISSING": no_successor,
    "CREDENTIAL_PUBLIC": credential,
    "PERSONAL_DATA_PUBLIC": personal,
    "PRIVATE_PATH_PUBLIC": private_path,
}
# What the same damage breaks beside its own promise.
ALSO = {
    "GRAPH_PATH_OUTSIDE": {"GRAPH_INDEX_STALE_ENTRY"},
    "ACCEPTED_PROPOSAL_MISSING_NODE": {"GRAPH_INDEX_ORPHAN_ENTRY", "EDGE_DANGLING"},
}


def test_every_check_of_project_memory_is_damaged_on_purpose() -> None:
    assert [each.code for each in OWN] == list(DAMAGE)
    assert set(DAMAGE) >= SIX


def test_a_healthy_project_memory_is_told_nothing_and_not_changed(sick: Sick) -> None:
    before = {path: path.stat().st_mtime_ns for path in sick.base.rglob("*")}
    assert sick.findings() == ()
    assert {path: path.stat().st_mtime_ns for path in sick.base.rglob("*")} == before


@pytest.mark.parametrize("code", DAMAGE)
def test_G22_damage_is_one_finding_with_its_next_step_repaired_and_then_quiet(code: str, sick: Sick) -> None:
    DAMAGE[code](sick)
    found = sick.findings()
    assert {finding.code for finding in found} - ALSO.get(code, set()) == {code}
    own = [finding for finding in found if finding.code == code]
    assert len(own) == 1
    assert own[0].severity in SEVERITIES
    assert own[0].subject
    assert own[0].hint.strip().endswith((".", "`"))
    if check(code).repair is None:
        return
    treated = sick.repair(code)
    assert treated.worked, treated.message
    assert treated.message.endswith(".")
    assert sick.codes() == []


@pytest.mark.parametrize("code", DAMAGE)
def test_G22_the_command_answers_with_the_envelope_and_the_exit_code_of_the_severity(code: str, sick: Sick) -> None:
    DAMAGE[code](sick)
    broken = any(finding.severity == ERROR for finding in sick.findings())
    run = sick.run("doctor", "--shared", "--json", cwd=sick.root)
    assert (run.code, run.stderr) == (2 if broken else 0, "")
    assert run.json["ok"] is run.json["data"]["ok"] is not broken
    assert ("error" in run.json) is broken
    if broken:
        assert run.json["error"]["code"] == "DOCTOR_FAILED"
    told = run.json["data"]["diagnostics"]
    assert code in {each["code"] for group in ("errors", "warnings", "notes") for each in told[group]}
    assert all({"code", "message", "hint", "severity"} <= set(each) for each in told["errors"])
    assert [each["message"] for each in told["errors"]] == run.json["data"]["errors"]
    text = sick.run("doctor", "--shared", cwd=sick.root)
    assert (text.code, text.stderr) == (run.code, "")
    assert code in text.stdout


def test_G22_one_doctor_looks_at_store_and_memory_and_says_which_findings_are_whose(sick: Sick) -> None:
    no_proposal(sick)
    run = sick.run("doctor", "--json", cwd=sick.root)
    assert run.code == 2
    assert "ACCEPTED_NODE_SOURCE_PROPOSAL_MISSING" in {each["code"] for each in run.json["data"]["findings"]}
    assert "STORE_ABSENT" in {each["code"] for each in run.json["data"]["findings"]}
    shared = run.json["data"]["shared"]
    assert (shared["errors"], shared["warnings"], shared["checks"]) == (1, 0, len(OWN))


def test_G22_without_project_memory_it_is_skipped_unless_it_is_asked_for(
    git_repo: Path, pith: Callable[..., Run]
) -> None:
    run = pith("doctor", "--json", cwd=git_repo, check=True)
    assert run.json["data"]["shared"] is None
    asked = pith("doctor", "--shared", "--json", cwd=git_repo)
    assert asked.code == 2
    assert len(asked.json["data"]["errors"]) == 17
    codes = [each["code"] for each in asked.json["data"]["diagnostics"]["errors"]]
    assert codes.count("GRAPH_STRUCTURE_MISSING") == 7
    assert not (git_repo / ".orange-hyper").exists()
    assert pith("doctor", "--shared", "--repair", "--yes", cwd=git_repo).code == 2
    assert not (git_repo / ".orange-hyper").exists()


def test_G22_strict_makes_errors_of_warnings_and_leaves_notes(sick: Sick) -> None:
    private_path(sick)
    windows(sick)
    assert sick.run("doctor", "--shared", cwd=sick.root).code == 0
    run = sick.run("doctor", "--shared", "--strict", "--json", cwd=sick.root)
    assert run.code == 2
    assert [each["code"] for each in run.json["data"]["diagnostics"]["errors"]] == ["PRIVATE_PATH_PUBLIC"]
    assert run.json["data"]["warnings"] == []


GOLDEN = Path(__file__).parents[1] / "data" / "orange-golden"


def test_G22_the_lists_of_the_recorded_answers_are_ours_too(git_repo: Path, pith: Callable[..., Run]) -> None:
    def told(number: str, run: Run) -> tuple[dict[str, Any], dict[str, Any]]:
        file = next(GOLDEN.glob(f"{number}-*.json"))
        return json.loads(file.read_text(encoding="utf-8"))["data"], run.json["data"]

    theirs, ours = told("002", pith("doctor", "--shared", "--json", cwd=git_repo))
    assert sorted(ours["errors"]) == sorted(theirs["errors"])
    assert set(theirs) <= set(ours)
    assert set(theirs["project_boundary"]) == set(ours["project_boundary"])
    pith("init", "--shared", cwd=git_repo, check=True)
    theirs, ours = told("006", pith("doctor", "--shared", "--json", cwd=git_repo))
    assert set(ours["checks"]) == set(theirs["checks"])
    shutil.rmtree(git_repo / ".orange-hyper")
    shutil.copytree(GOLDEN / "tree-final", git_repo / ".orange-hyper")
    theirs, ours = told("080", pith("doctor", "--shared", "--json", cwd=git_repo))
    local = re.compile(r"exists$|/rejected/|^traces/")  # what git does not carry
    assert {each for each in theirs["checks"] if not local.search(each)} <= set(ours["checks"])


# -- G23 -----------------------------------------------------------------------------------------------------


def test_G23_missing_project_ids_are_filled_and_the_hashes_of_proposals_fit_afterwards(sick: Sick) -> None:
    for file in (sick.quest_of(sick.node), sick.proposal_of(sick.node), sick.file(sick.node), sick.file(sick.pending)):
        sick.without(file, "project_id")
    text = sick.proposal_of(sick.node).read_bytes()
    old = next(line for line in sick.file(sick.node).read_text("utf-8").splitlines() if "source_proposal_hash" in line)
    sick.change(sick.file(sick.node), old.partition(": ")[2], hashlib.sha256(text).hexdigest())
    sick.said("graph", "rebuild-index")
    assert set(sick.codes()) - {"EDGE_DANGLING"} == {"LEGACY_PROJECT_ID_MISSING"}
    assert sick.said("graph", "list")["count"] == 1
    run = sick.run("doctor", "--shared", "--repair-project-id", "--json", cwd=sick.root)
    assert run.code == 0, run.stdout
    repairs = run.json["data"]["project_boundary"]["diagnostics"]["repairs"]
    assert {each["code"] for each in repairs} == {"LEGACY_PROJECT_ID_REPAIRED"}
    assert len(run.json["data"]["repairs"]) == 4
    assert sick.codes() == []
    assert sick.said("graph", "list")["count"] == 2


def test_G23_no_id_that_stands_there_is_changed(sick: Sick) -> None:
    foreign_node(sick)
    foreign_quest(sick)
    before = {path: path.read_bytes() for path in sick.base.rglob("*.md")}
    assert sick.run("doctor", "--shared", "--repair-project-id", cwd=sick.root).code == 2
    assert {path: path.read_bytes() for path in sick.base.rglob("*.md")} == before


def test_G23_a_configuration_without_an_id_gets_the_one_that_its_files_have(sick: Sick) -> None:
    own = json.loads((sick.base / layout.CONFIG).read_text(encoding="utf-8"))["project_id"]
    config_without_id(sick)
    sick.run("doctor", "--shared", "--repair-project-id", cwd=sick.root, check=True)
    assert json.loads((sick.base / layout.CONFIG).read_text(encoding="utf-8"))["project_id"] == own
    assert sick.codes() == []


def test_G29_files_of_another_project_are_errors_in_the_boundary_and_out_of_the_graph(sick: Sick) -> None:
    foreign_node(sick)
    run = sick.run("doctor", "--shared", "--json", cwd=sick.root)
    boundary = run.json["data"]["project_boundary"]
    assert [each["code"] for each in boundary["diagnostics"]["errors"]] == ["GRAPH_NODE_PROJECT_MISMATCH"]
    assert boundary["project_id"].startswith("project_")
    assert [each["id"] for each in sick.said("graph", "list")["nodes"]] == [sick.other]


# -- G10 -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("origin", "somewhere-else"),
        ("source_quest", "quest_20200101_000000Z_other"),
        ("accepted_at", "2020-01-01T00:00:00.000Z"),
        ("source_proposal_hash", "0" * 64),
    ],
)
def test_G10_quest_proposal_and_node_must_say_the_same(sick: Sick, key: str, value: str) -> None:
    """Changed at the top, in the block, or in both."""
    file = sick.file(sick.node)
    text = file.read_text(encoding="utf-8")
    old = next(line.partition(": ")[2] for line in text.splitlines() if line.startswith(f"{key}: "))
    top, block = f"\n{key}: {old}", f"\n  {key}: {old}"
    for wrong in (
        text.replace(top, f"\n{key}: {value}"),
        text.replace(block, f"\n  {key}: {value}"),
        text.replace(top, f"\n{key}: {value}").replace(block, f"\n  {key}: {value}"),
    ):
        file.write_text(wrong, encoding="utf-8")
        found = [finding for finding in sick.findings() if finding.code == "PROVENANCE_DIFFERS"]
        assert len(found) == 1
        assert key in found[0].message
        assert found[0].line > 1
    file.write_text(text, encoding="utf-8")
    assert sick.codes() == []


def test_G10_the_kind_of_a_node_is_that_of_its_proposal(sick: Sick) -> None:
    file = sick.file(sick.node)
    kind = file.parent.name
    other = "risk" if kind != "risk" else "decision"
    sick.change(file, f"node_type: {kind}", f"node_type: {other}")
    sick.change(file, f"\nkind: {kind}", f"\nkind: {other}")
    assert "PROVENANCE_DIFFERS" in sick.codes()


def test_G10_a_quest_that_is_still_active_proves_nothing(sick: Sick) -> None:
    file = sick.quest_of(sick.node)
    active = sick.base / layout.ACTIVE / file.name
    file.rename(active)
    sick.change(active, "status: completed", "status: active")
    assert sick.codes() == ["SOURCE_QUEST_MISSING"]


def test_G10_a_node_that_is_made_again_is_the_one_that_was_accepted(sick: Sick) -> None:
    file = sick.file(sick.node)
    before = file.read_bytes()
    no_node(sick)
    assert sick.repair("ACCEPTED_PROPOSAL_MISSING_NODE").worked
    assert file.read_bytes() == before


# -- G24, G34: files as they should not be ---------------------------------------------------------------------

BAD = {
    "empty": (b"", 1),
    "no-front-matter": (b"# A title\n", 1),
    "never-closed": (b"---\nid: x\n", 1),
    "duplicate-key": (b"---\nid: x\ntitle: a\ntitle: b\n---\n", 4),
    "not-utf8": (b"---\nid: x\ntitle: \xff\xfe\n---\n", 3),
    "conflict": (b"---\nid: x\n<<<<<<< ours\ntitle: a\n=======\ntitle: b\n>>>>>>> theirs\n---\n", 3),
    "too-large": (b"---\n" + b"#" * 3_000_000, 0),
    "folder": (None, 0),
    "link-out": (None, 0),
    "link-nowhere": (None, 0),
}


@pytest.mark.parametrize("folder", ["graph/nodes/decision", "quests/completed", "proposals/memory-delta/accepted"])
@pytest.mark.parametrize("kind", BAD)
def test_G34_a_file_that_cannot_be_read_is_one_finding_with_file_and_line(sick: Sick, kind: str, folder: str) -> None:
    data, line = BAD[kind]
    file = sick.base / folder / "x.md"
    file.parent.mkdir(exist_ok=True)
    if data is not None:
        file.write_bytes(data)
    elif kind == "folder":
        file.mkdir()
    elif kind == "link-nowhere":
        file.symlink_to("nothing-here.md")
    else:
        outside = sick.root.parent / "outside.md"
        outside.write_bytes(sick.file(sick.node).read_bytes())
        file.symlink_to(outside)
    (finding,) = sick.findings()
    assert finding.code == "MEMORY_FILE_UNREADABLE"
    assert f".orange-hyper/{folder}/x.md" in finding.message
    assert (finding.subject, finding.line) == (f".orange-hyper/{folder}/x.md", line)
    assert len(finding.message) < 300


@pytest.mark.parametrize("which", ["node", "proposal", "quest"])
def test_G34_a_damaged_file_is_not_also_told_as_missing(sick: Sick, which: str) -> None:
    file = {"node": sick.file, "proposal": sick.proposal_of, "quest": sick.quest_of}[which](sick.node)
    file.write_bytes(b"---\nid: [\n---\n")
    assert sick.codes() == ["MEMORY_FILE_UNREADABLE"]


def test_G34_line_ends_of_windows_are_a_note_and_change_no_hash(sick: Sick) -> None:
    files = [*sick.base.rglob("*.md")]
    for file in files:
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert set(sick.codes()) == {"MEMORY_FILE_FORM"}
    assert sick.run("doctor", "--shared", cwd=sick.root).code == 0
    sick.run("doctor", "--shared", "--repair", "--yes", cwd=sick.root, check=True)
    assert sick.findings() == ()
    assert git(sick.root, "status", "--short") == ""


def test_G34_a_name_in_decomposed_letters_is_a_note_and_is_composed_again(sick: Sick) -> None:
    quest = sick.file(sick.quest_of(sick.node).stem)
    text = quest.read_text(encoding="utf-8")
    composed = "quest_20261130_032624Z_재가입"
    name = unicodedata.normalize("NFD", composed)
    (quest.parent / f"{name}.md").write_text(text.replace(f"id: {quest.stem}", f'id: "{composed}"'), encoding="utf-8")
    assert sick.codes() == ["MEMORY_FILE_FORM"]
    assert sick.repair("MEMORY_FILE_FORM").worked
    assert (quest.parent / f"{composed}.md").exists()
    assert sick.codes() == []


def test_G34_decomposed_names_on_disk_are_the_composed_ids_that_files_say(sick: Sick) -> None:
    """As some systems and archives hand them over: quest, proposal and node of one chain."""
    old, new = sick.quest_of(sick.node).stem, "quest_20261130_032624Z_재가입"
    for file in [*sick.base.rglob("*.md"), sick.base / layout.EDGES]:
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(old, new), encoding="utf-8")
        if old in file.name:
            file.rename(file.with_name(unicodedata.normalize("NFD", file.name.replace(old, new))))
    proposal = next(file for file in (sick.base / "proposals").rglob("*.md") if "quest_20261130_032624Z" in file.name)
    node = next(file for file in (sick.base / "graph").rglob("*.md") if "quest_20261130_032624Z" in file.name)
    before = re.search(r"source_proposal_hash: (\w+)", node.read_text(encoding="utf-8"))
    assert before
    sick.change(node, before[1], hashlib.sha256(proposal.read_bytes()).hexdigest())
    sick.said("graph", "rebuild-index")
    assert sick.codes() == ["MEMORY_FILE_FORM"] * 3
    assert sick.repair("MEMORY_FILE_FORM").worked
    sick.said("graph", "rebuild-index")
    assert sick.codes() == []


def test_the_memory_of_a_repository_around_this_one_is_not_its_own(sick: Sick) -> None:
    no_proposal(sick)
    inner = sick.root / "vendor" / "other"
    inner.mkdir(parents=True)
    git(inner, "init", "--quiet")
    assert sick.run("doctor", "--json", cwd=inner).json["data"]["shared"] is None
    below = sick.root / "src"
    below.mkdir()
    assert sick.run("doctor", "--json", cwd=below).json["data"]["shared"]["errors"] == 1


def test_G24_a_linked_memory_folder_is_told_and_not_looked_into(sick: Sick) -> None:
    outside = sick.root.parent / "outside"
    sick.base.rename(outside)
    sick.base.symlink_to(outside)
    assert sick.codes() == ["MEMORY_LINKED_OUT"]


@pytest.mark.parametrize(
    "file", ["/etc/passwd", ".orange-hyper/graph/nodes/../../../x.md", ".orange-hyper/quests/x.md", 7, "a\0b"]
)
def test_G24_a_path_of_the_index_that_leaves_the_nodes_is_told(sick: Sick, file: object) -> None:
    sick.index(lambda whole: whole["nodes"][0].update(file=file))
    assert "GRAPH_PATH_OUTSIDE" in sick.codes()


def test_G24_two_nodes_that_replace_each_other_are_told_once(sick: Sick) -> None:
    for one, other in ((sick.node, sick.other), (sick.other, sick.node)):
        sick.change(sick.file(one), "status: candidate", f"status: candidate\nsuperseded_by: {other}")
    assert sick.codes() == ["SUCCESSOR_MISSING"]


@pytest.mark.parametrize("edited", [False, True])
def test_a_change_that_was_interrupted_is_completed_or_taken_back(sick: Sick, edited: bool) -> None:
    one, other = sick.base / "graph" / "one.txt", sick.base / "graph" / "other.txt"
    steps = [{"file": sick_file(sick, path), "before": None, "after": "내용\n"} for path in (one, other)]
    intent = {"version": 1, "command": "remember.accept", "subject": "x", "steps": steps}
    (sick.base / layout.INTENT).write_text(json.dumps(intent), encoding="utf-8")
    one.write_text("내용\n", encoding="utf-8")
    if edited:
        other.write_text("by hand\n", encoding="utf-8")
    assert sick.codes() == ["CHANGE_UNFINISHED"]
    assert ("undone" if edited else "completed") in sick.repair("CHANGE_UNFINISHED").message
    assert sick.codes() == []
    assert one.exists() is not edited
    assert other.read_text(encoding="utf-8") == ("by hand\n" if edited else "내용\n")


def sick_file(sick: Sick, path: Path) -> str:
    return path.relative_to(sick.root).as_posix()


def test_a_change_that_is_being_made_is_no_finding(sick: Sick) -> None:
    half_done(sick)
    with platform.Lock(str(sick.base / layout.LOCK)):
        assert sick.codes() == []
    assert sick.codes() == ["CHANGE_UNFINISHED"]


def test_G31_what_git_ignores_may_be_absent(sick: Sick, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{sick.root}", str(clone))
    assert not (clone / ".orange-hyper" / "capsules").exists()
    run = sick.run("doctor", "--shared", "--json", cwd=clone)
    assert (run.code, run.json["data"]["errors"], run.json["data"]["warnings"]) == (0, [], [])
    assert not (clone / ".orange-hyper" / "local").exists()


# -- G25 -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("API_" + "KEY=" + "s3cr3t-9fQ2mZx7Lp0", "CREDENTIAL_PUBLIC"),
        ("-----BEGIN " + "PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END " + "PRIVATE KEY-----", "CREDENTIAL_PUBLIC"),
        ("postgres://shop:" + "p4ssw0rd!x" + "@db.example.org/shop", "CREDENTIAL_PUBLIC"),
        ("C:\\Users\\developer\\shop\\a.txt", "PRIVATE_PATH_PUBLIC"),
        ("/Users/developer/shop/a.txt", "PRIVATE_PATH_PUBLIC"),
        ("고객 메일: kim" + "@example.org", "PERSONAL_DATA_PUBLIC"),
    ],
)  # fmt: skip
def test_G25_what_must_not_be_public_is_told_with_file_and_line_and_never_repeated(
    sick: Sick, text: str, code: str
) -> None:
    note(sick, text)
    (finding,) = sick.findings()
    assert finding.code == code
    assert finding.subject.endswith(f"{sick.other}.md")
    lines = sick.file(sick.other).read_text(encoding="utf-8").splitlines()
    assert lines[finding.line - 1] == text.splitlines()[0]
    assert text.splitlines()[0] not in finding.message


@pytest.mark.parametrize(
    "text",
    [
        "The token, the secret and the auth header are read in src/auth/login.ts.",
        "토큰, 비밀번호, secret 이라는 말은 아무것도 아니다. npm token 은 CI 에만 둔다.",
        "GET /users/home/7 and https://example.org/Users/list are routes.",
        "The home page is at /home and the password field has id=password.",
    ],
)
def test_G25_bare_words_and_routes_are_nothing(sick: Sick, text: str) -> None:
    note(sick, text)
    assert sick.codes() == []


def test_G25_every_file_that_git_would_carry_is_looked_at_and_no_other(sick: Sick) -> None:
    secret = "password=" + "hunter2-" + "Zx81qRt9\n"
    for name in ("local/notes.txt", "capsules/other.md", "proposals/memory-delta/rejected/x.txt"):
        (sick.base / name).parent.mkdir(exist_ok=True)
        (sick.base / name).write_text(secret, encoding="utf-8")
    assert sick.codes() == []
    (sick.base / "graph" / "notes.txt").write_text(secret, encoding="utf-8")
    (sick.base / ".env").write_text("MODE=fast\n", encoding="utf-8")
    assert {finding.subject for finding in sick.findings()} == {".orange-hyper/graph/notes.txt", ".orange-hyper/.env"}


def test_G25_a_credential_in_the_index_alone_is_seen(sick: Sick) -> None:
    sick.index(lambda whole: whole.update(remark="password=" + "hunter2-" + "Zx81qRt9"))
    assert sick.codes() == ["CREDENTIAL_PUBLIC"]
