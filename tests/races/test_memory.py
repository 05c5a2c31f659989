"""Many processes work on one project memory at once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import git
from pith.files import graph_index
from pith.services.project_memory import graph, quests, remember, shared, shared_init
from pith.services.project_memory.shared import Shared

WORK = """
import json, sys
from pith.errors import PithError
from pith.services.project_memory import decide, quests, shared
memory = shared.open_shared(sys.argv[1])
if sys.argv[2] == "quest":
    memory = shared.Shared(memory.layout, memory.config, lambda: "2026-11-30T03:26:24.884Z")
act = {
    "accept": lambda id: decide.accept(memory, id).node.id,
    "reject": lambda id: decide.reject(memory, id)["proposal"]["id"],
    "quest": lambda title: quests.new(memory, title, layer="L2").quest.id,
}[sys.argv[2]]
sys.stdin.readline()  # all begin together
try:
    print(json.dumps(["done", act(sys.argv[3])]))
except PithError as error:
    print(json.dumps([type(error).__name__, str(error)]))
"""


@pytest.fixture
def memory(git_repo: Path) -> Shared:
    git(git_repo, "config", "user.name", "Reviewer One")
    shared_init.init(git_repo, "데모")
    return shared.open_shared(git_repo)


def at_once(memory: Shared, calls: list[tuple[str, str]]) -> list[list[str]]:
    """Start one process a call, let them go together, and give their answers."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", WORK, str(memory.layout.root), *call],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for call in calls
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    return [json.loads(process.communicate()[0]) for process in processes]


def proposal(memory: Shared, number: int) -> str:
    quest = quests.new(memory, f"결정 {number}: 재시도는 {number} 번으로 정한다", layer="L2").quest.id
    quests.done(memory, quest, evidence=["통과"])
    return remember.propose(memory, quest).proposal.id


def test_G09_orange_06_twenty_accepts_of_one_proposal_are_one_success_and_nineteen_refusals(memory: Shared) -> None:
    id = proposal(memory, 1)
    answers = at_once(memory, [("accept", id)] * 20)
    assert sorted(kind for kind, _ in answers) == ["ProposalAlreadyDecided"] * 19 + ["done"]
    assert {text for kind, text in answers if kind != "done"} == {f"Memory proposal is already accepted: {id}"}
    assert graph.listed(memory)["count"] == 1


def test_G34_orange_06_twenty_accepts_of_different_proposals_all_succeed(memory: Shared) -> None:
    ids = [proposal(memory, number) for number in range(20)]
    answers = at_once(memory, [("accept", id) for id in ids])
    assert [kind for kind, _ in answers] == ["done"] * 20
    made = sorted(id for _, id in answers)
    assert [entry["id"] for entry in graph.listed(memory)["nodes"]] == made
    assert [entry["id"] for entry in graph_index.read(memory.layout)["nodes"]] == made


def test_G09_rival_accepts_and_rejects_of_one_proposal_end_in_one_place(memory: Shared) -> None:
    id = proposal(memory, 1)
    answers = at_once(memory, [("accept", id), ("reject", id)] * 6)
    assert sorted(kind for kind, _ in answers) == ["ProposalAlreadyDecided"] * 11 + ["done"]
    found = remember.listed(memory).items
    assert len(found) == 1
    assert graph.listed(memory)["count"] == (found[0].value.status == "accepted")


def test_orange_01_sixteen_quests_with_one_korean_title_in_one_second_are_sixteen_files(memory: Shared) -> None:
    answers = at_once(memory, [("quest", "결정: 규칙을 정한다")] * 16)
    assert [kind for kind, _ in answers] == ["done"] * 16
    assert len({id for _, id in answers}) == len(quests.listed(memory).items) == 16
