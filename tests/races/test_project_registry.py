"""Many processes meet a project for the first time at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from conftest import git
from pith.services import location, project

RESOLVE = """
import sys
from pith.services import location, project
sys.stdin.readline()  # all begin together
for folder in sys.argv[2:]:
    print(project.resolve(sys.argv[1], location.locate(folder)).id)
"""


def resolve_at_once(home: Path, folders: list[list[Path]]) -> list[list[str]]:
    """Start one process for each list of folders, let them go together, and give their answers."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", RESOLVE, str(home), *map(str, some)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for some in folders
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = [process.communicate()[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0] * len(folders)
    return answers


def test_pain_13_sixteen_processes_at_once_make_one_store(git_repo: Path, pith_home: Path) -> None:
    answers = resolve_at_once(pith_home, [[git_repo]] * 16)
    assert len({store for answer in answers for store in answer}) == 1
    assert len(os.listdir(pith_home / "projects")) == 1


def test_pain_12_worktrees_met_at_once_are_one_project(tmp_path: Path, git_repo: Path, pith_home: Path) -> None:
    trees = [tmp_path / f"tree-{number}" for number in range(8)]
    for tree in trees:
        git(git_repo, "worktree", "add", "--quiet", "--detach", str(tree))
    answers = resolve_at_once(pith_home, [[tree] for tree in trees])
    assert len({store for answer in answers for store in answer}) == 1
    keys = json.loads((pith_home / "projects.json").read_bytes())["keys"]
    assert set(keys) == {f"git:{git_repo / '.git'}", *(f"tree:{tree}" for tree in trees)}


def test_many_projects_met_at_once_all_keep_their_keys(tmp_path: Path, pith_home: Path) -> None:
    folders = [tmp_path / f"쿠폰 {number}" for number in range(12)]
    for folder in folders:
        folder.mkdir()
    answers = resolve_at_once(pith_home, [folders[number:] + folders[:number] for number in range(6)])
    known = {}
    for folder in folders:
        found = project.find(str(pith_home), location.locate(str(folder)))
        assert found is not None
        known[folder] = found.id
    assert len(set(known.values())) == 12
    assert all(set(answer) == set(known.values()) for answer in answers)
    assert len(os.listdir(pith_home / "projects")) == 12


def test_a_damaged_register_is_rebuilt_once_by_many_processes(git_repo: Path, pith_home: Path) -> None:
    ((store,),) = resolve_at_once(pith_home, [[git_repo]])
    (pith_home / "projects.json").write_bytes(b'{"keys": ')
    answers = resolve_at_once(pith_home, [[git_repo]] * 8)
    assert {answer[0] for answer in answers} == {store}
    assert [file.read_bytes() for file in pith_home.glob("projects.json.damaged-*")] == [b'{"keys": ']
