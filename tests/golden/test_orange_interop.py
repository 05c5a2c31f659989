"""A project of orange-hyper 1.0.1 opens here, and the same commands get the same answers (G33).

Compared are envelope, command ids, names and types of fields, codes, order and exit codes; not who generated it, wording
and scores. Where an answer differs on purpose, its rule stands in `docs/reference/differences.md` under the mark named
here.
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from conftest import isolated_environment, program, run_program
from golden import recorded
from golden.recorded import FROM_IDS, GENERATED, GOLDEN, INFERRED, MADE_NEW, SCORES, TIMES, WORDING, Recorded

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "differences.md"
COMMANDS = recorded.commands()

# In scope: all but growth, eval, mcp, hook and adapter; the list of commands is no answer.
REPLAYED = [*range(2, 84), *range(97, 101)]
NOT_OURS = range(84, 97)

# Fields that only our answers have, and where the page tells of them.
MORE = {
    "type_reason", "masked", "validity", "fields", "edges", "warnings", "accepted_by", "accepted_via", "license",
    "findings", "notes", "memory", "left_out", "severity", "subject",
}  # fmt: skip

# number -> the mark of the rule by which the answer differs.
ON_PURPOSE = {98: "D12"}
OTHER_FINDINGS = {2: "D20", 6: "D20", 80: "D20"}

ALL_FREE = GENERATED | TIMES | WORDING | SCORES | MADE_NEW | FROM_IDS


@dataclass
class Answered:
    """What this program said to a recorded command."""

    code: int
    stdout: str
    stderr: str

    @property
    def envelope(self) -> Any:
        return json.loads(self.stdout)


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Answered]:
    """Every command of the recorded run in order, in a fresh repository, with our ids where it names its own."""
    place = tmp_path_factory.mktemp("shop") / "repo"
    place.mkdir()
    env = isolated_environment(tmp_path_factory.mktemp("person"))
    ids = recorded.Ids()
    answers = {}
    for number in REPLAYED:
        command = COMMANDS[number]
        words = [ids.put_in(word) for word in command.words]
        run = run_program([*program("orange"), *words], cwd=place, env=env)
        if command.is_json and run.stdout and command.code == run.code == 0:
            ids.pair(command.answer, run.json)
        answers[number] = Answered(run.code, ids.taken_out(run.stdout), run.stderr)
    return answers


@pytest.mark.parametrize("number", REPLAYED, ids=lambda number: str(COMMANDS[number]))
def test_G33_a_recorded_command_is_answered_as_it_was(number: int, replayed: dict[int, Answered]) -> None:
    command, answered = COMMANDS[number], replayed[number]
    if number in ON_PURPOSE:
        assert f"\n| {ON_PURPOSE[number]} | " in PAGE.read_text(encoding="utf-8")
        assert answered.code == 1
        return
    assert answered.code == command.code, answered.stdout + answered.stderr
    if command.is_json:
        assert _differences(command, answered.envelope) == []
        assert answered.stderr == ""
    else:
        assert recorded.ids_in_rows(answered.stdout.splitlines()) == recorded.ids_in_rows(command.lines)


def _differences(command: Recorded, ours: Any) -> list[str]:
    """What is not as recorded, by the rules of the page."""
    free = ALL_FREE | INFERRED
    theirs = command.answer
    if command.number in OTHER_FINDINGS:
        # Which checks there are is each program's own; that none is an error is not.
        for answer in (theirs, ours):
            _without_findings(answer)
    if command.words[:2] == ["quest", "done"]:
        theirs = json.loads(json.dumps(theirs).replace('", true]', '", "true"]'))  # D05: a text stays a text
    if command.words[0] == "route":
        free = free | set(theirs["data"]["contract"])
    if command.words[:2] == ["identity", "build"]:
        free = free | {"routeDistribution"}
        for answer in (theirs, ours):
            _without_grades(answer["data"]["summary"])
    return recorded.differences(theirs, ours, free=free, more=MORE)


def _without_findings(answer: Any) -> None:
    data = answer["data"]
    for box in (data, data.get("diagnostics", {}), data.get("project_boundary", {})):
        for name in ("errors", "warnings", "checks"):
            if name in box:
                box[name] = [type(box[name]).__name__]


def _without_grades(summary: Any) -> None:
    """Leave the fields of what follows from inferred types, and of what a project would be graded by."""
    for box in (summary["graphPreview"], summary["growthPreview"]):
        box["nodeTypeDistribution"] = sum(box["nodeTypeDistribution"].values())
    kinds = summary["topProposalNodeTypes"]
    summary["topProposalNodeTypes"] = {"fields": sorted(kinds[0]), "count": sum(each["count"] for each in kinds)}
    summary["growthPreview"] = {name: type(value).__name__ for name, value in summary["growthPreview"].items()}


@pytest.mark.parametrize("number", NOT_OURS, ids=lambda number: str(COMMANDS[number]))
def test_what_was_beside_project_memory_says_that_it_is_not_part_of_this(number: int, tmp_path: Path) -> None:
    command = COMMANDS[number]
    run = run_program([*program("orange"), *command.words], cwd=tmp_path)
    assert (run.code, run.stderr) == (1, "")
    assert run.json["command"].partition(".")[0] == command.answer["command"].partition(".")[0]
    assert run.json["error"]["code"] == "USER_INPUT_ERROR"
    assert "is not part of this program" in run.json["error"]["message"]


# -- The recorded project ------------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A clone of the recorded project, in a folder below which commands work too."""
    shutil.copytree(GOLDEN / "tree-final", tmp_path / ".orange-hyper")
    below = tmp_path / "src" / "export"
    below.mkdir(parents=True)
    return below


# What was not yet rejected or ignored when it was asked; a clone has neither.
OPENED = [*range(64, 79), 99, 100]


@pytest.mark.parametrize("number", OPENED, ids=lambda number: str(COMMANDS[number]))
def test_G33_the_recorded_project_gives_the_recorded_answers(number: int, project: Path) -> None:
    command = COMMANDS[number]
    run = run_program([*program("orange"), *command.words], cwd=project)
    assert run.code == command.code, run.stderr
    if command.is_json:
        free = SCORES | {"message", "hint"}
        assert recorded.differences(command.answer, run.json, free=free, more=MORE) == []
    else:
        assert recorded.ids_in_rows(run.stdout.splitlines()) == recorded.ids_in_rows(command.lines)


def test_G33_the_recorded_quests_are_listed_in_the_recorded_order(project: Path) -> None:
    run = run_program([*program("orange"), "quest", "list", "--all", "--json"], cwd=project, check=True)
    assert [each["id"] for each in run.json["data"]["quests"]] == recorded.ids_in_rows(COMMANDS[32].lines)


def test_G33_the_recorded_proposals_are_listed_and_valid(project: Path) -> None:
    run = run_program([*program("orange"), "remember", "list", "--json"], cwd=project, check=True)
    theirs = [each for each in COMMANDS[63].answer["data"]["proposals"] if each["status"] == "accepted"]
    ours = run.json["data"]["proposals"]
    assert recorded.differences(theirs, ours, free=set(), more=MORE) == []
    for each in ours:
        judged = run_program([*program("orange"), "remember", "validate", each["id"], "--json"], cwd=project)
        assert judged.json["data"]["validation"] == {"valid": True, "errors": [], "warnings": []}


def test_G33_rebuilding_the_recorded_index_changes_no_byte(project: Path) -> None:
    index = project.parents[1] / ".orange-hyper" / "graph" / "index.json"
    before = index.read_bytes()
    run = run_program([*program("orange"), "graph", "rebuild-index", "--json"], cwd=project, check=True)
    assert recorded.differences(COMMANDS[79].answer, run.json, free=GENERATED, more=MORE) == []
    after = json.loads(index.read_bytes())
    assert recorded.differences(json.loads(before), after, free=GENERATED, more=set()) == []


def test_G33_the_recorded_project_opens_with_a_clean_doctor(project: Path) -> None:
    run = run_program([*program("orange"), "doctor", "--json"], cwd=project)
    assert (run.code, run.json["ok"], run.json["command"]) == (0, True, "doctor.run")
    assert (run.json["data"]["errors"], run.json["data"]["warnings"]) == ([], [])


def test_G02_new_files_have_every_key_that_the_recorded_ones_have(project: Path, tmp_path_factory: Any) -> None:
    place = tmp_path_factory.mktemp("new")
    orange = program("orange")
    run_program([*orange, "init"], cwd=place, check=True)
    made = run_program(
        [*orange, "quest", "new", "규칙: 환불은 세 번까지만 시도한다", "--layer", "L2", "--json"], cwd=place
    )
    quest = made.json["data"]["quest"]["id"]
    run_program([*orange, "quest", "done", quest, "--evidence", "시험 3개 통과"], cwd=place, check=True)
    run = run_program([*orange, "remember", "propose", "--quest", quest, "--json"], cwd=place, check=True)
    run_program([*orange, "remember", "accept", run.json["data"]["proposal"]["id"]], cwd=place, check=True)
    theirs, ours = project.parents[1] / ".orange-hyper", place / ".orange-hyper"
    for folder in ("quests/completed", "proposals/memory-delta/accepted", "graph/nodes"):
        wanted, found = (_keys(next((root / folder).rglob("*.md"))) for root in (theirs, ours))
        assert wanted - found == set(), folder


def _keys(file: Path) -> set[str]:
    """The keys of a file's front matter, those of blocks with their owner."""
    head = file.read_text(encoding="utf-8").split("---\n")[1]
    keys, owner = set(), ""
    for indent, key in re.findall(r"^( *)([A-Za-z_]+):", head, re.MULTILINE):
        owner = owner if indent else key
        keys.add(f"{owner}.{key}" if indent else key)
    return keys
