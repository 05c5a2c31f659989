"""Project memory killed at every file change: the next command finds all of it done, or none."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import git
from crash.sweep import sweep
from pith.files import graph_index, intent
from pith.services.project_memory import curate, decide, graph, quests, remember, shared, shared_init
from pith.services.project_memory.shared import Shared

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")

NOW = "2026-11-30T03:26:24.884Z"
Prepared = tuple[Shared, str]


@pytest.fixture(params=[False, pytest.param(True, marks=pytest.mark.long)], ids=["sample", "all"])
def every(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def memory(git_repo: Path) -> Shared:
    git(git_repo, "config", "user.name", "Reviewer One")
    shared_init.init(git_repo, "데모")
    return shared.open_shared(git_repo, lambda: NOW)


def _quest(memory: Shared) -> str:
    return quests.new(memory, "재가입은 30일 뒤에만 된다는 규칙을 정한다.", layer="L2").quest.id


def _proposal(memory: Shared) -> str:
    quest = _quest(memory)
    quests.done(memory, quest, evidence=["9개 통과"])
    return remember.propose(memory, quest).proposal.id


def _nodes(memory: Shared) -> str:
    one = decide.accept(memory, _proposal(memory)).node.id
    decide.accept(memory, _proposal(memory))
    return one


def _supersede(memory: Shared, one: str) -> object:
    other = next(entry["id"] for entry in graph.load(memory).entries if entry["id"] != one)
    return curate.supersede(memory, one, other)


ACTIONS: dict[str, tuple[Callable[[Shared], str], Callable[[Shared, str], object]]] = {
    "accept": (_proposal, lambda memory, which: decide.accept(memory, which)),
    "reject": (_proposal, lambda memory, which: decide.reject(memory, which, reason="아직")),
    "done": (_quest, lambda memory, which: quests.done(memory, which, evidence=["x"])),
    "revise": (_proposal, lambda memory, which: remember.revise(memory, which, why="매달 묻는다", confidence="high")),
    "supersede": (_nodes, _supersede),
    "verify": (_nodes, lambda memory, which: curate.verify(memory, which, "ran it")),
}


def state(memory: Shared) -> dict[str, bytes]:
    """Every file but those of this machine."""
    base = memory.layout.base
    files = [path for path in base.rglob("*") if path.is_file() and path.relative_to(base).parts[0] != "local"]
    return {path.relative_to(base).as_posix(): path.read_bytes() for path in files}


def _age(base: Path) -> None:
    """Let all files be old: what a command reads twice within seconds would else depend on the clock."""
    (base / "local" / "nodes.json").unlink(missing_ok=True)
    for path in base.rglob("*"):
        os.utime(path, (1_500_000_000, 1_500_000_000))


@pytest.mark.parametrize("name", ACTIONS)
def test_G09_orange_07_what_was_killed_is_whole_or_undone_after_the_next_command(
    memory: Shared, every: bool, name: str
) -> None:
    prepare, act = ACTIONS[name]
    id = prepare(memory)
    base = memory.layout.base
    _age(base)
    undone = state(memory)
    seen = set()
    outcomes = {}
    for number, step in sweep(lambda: act(memory, id), base, every=every, sample=16):
        with shared.writing(memory):  # any command that takes the lock
            pass
        found = {path: data for path, data in state(memory).items() if not path.endswith(".draft")}
        seen.add(found == undone)
        outcomes[number, step] = found
        assert intent.pending(memory.layout) is None
        assert graph_index.read(memory.layout)["nodes"] == [
            graph_index.indexed(entry) for entry in graph.load(memory).entries
        ]
    act(memory, id)
    whole = state(memory)
    assert [step for step, found in outcomes.items() if found not in (undone, whole)] == []
    assert True in seen


def test_G09_an_interrupted_accept_is_undone_where_somebody_edited_its_files(memory: Shared) -> None:
    id = _proposal(memory)
    before = remember.find(memory, id)
    for _number, step in sweep(lambda: decide.accept(memory, id), memory.layout.base, every=True):
        if "proposals" in step and "remove" in step and intent.pending(memory.layout):
            break
    pending = intent.pending(memory.layout)
    if pending is None:
        pytest.fail("the sweep did not stop where it was meant to")
    node = memory.layout.root / pending.steps[0].file
    before.path.write_bytes(before.path.read_bytes() + b"\nedited by hand\n")
    with shared.writing(memory):
        pass
    assert before.path.read_bytes().endswith(b"edited by hand\n")
    assert not node.exists()
    assert decide.accept(memory, id).node.id
