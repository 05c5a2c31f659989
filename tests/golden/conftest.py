"""The program as `orange`, and a project memory to work on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Run


@pytest.fixture
def orange(pith: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """Like `pith`, called by its other name; `test_orange_interop` starts the real program by it."""
    monkeypatch.setattr("pith.interfaces.cli.called.name", lambda: "orange")
    return pith


class Shop:
    """A repository with a project memory, and the commands that people give in it."""

    def __init__(self, root: Path, run: Callable[..., Run]) -> None:
        self.root = root
        self.memory = root / ".orange-hyper"
        self._run = run

    def __call__(self, *words: str, **how: Any) -> Run:
        return self._run(*words, cwd=how.pop("cwd", self.root), **how)

    def said(self, *words: str, **how: Any) -> Any:
        """What a command that works answers as data."""
        return self(*words, "--json", check=True, **how).json["data"]

    def quest(self, request: str, *words: str) -> str:
        """The id of a new quest."""
        return str(self.said("quest", "new", request, "--layer", "L2", *words)["quest"]["id"])

    def proposal(self, request: str, *words: str) -> str:
        """The id of a proposal from a quest that was completed with evidence."""
        quest = self.quest(request)
        self.said("quest", "done", quest, "--evidence", "3 tests passed")
        return str(self.said("remember", "propose", "--quest", quest, *words)["proposal"]["id"])

    def node(self, request: str, *words: str) -> str:
        """The id of an accepted node."""
        return str(self.said("remember", "accept", self.proposal(request, *words))["node"]["id"])

    def file_of(self, id: str) -> Path:
        """The file of a quest, proposal or node."""
        return next(self.memory.rglob(f"{id}.md"))

    def findings(self) -> list[dict[str, Any]]:
        """What doctor finds, errors first."""
        data = json.loads(self("doctor", "--json").stdout)["data"]
        return [*data["diagnostics"]["errors"], *data["diagnostics"]["warnings"]]

    def tree(self) -> dict[str, bytes]:
        """Every file of the repository but those of git, and what is in it."""
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and ".git" not in path.relative_to(self.root).parts
        }


@pytest.fixture
def shop(git_repo: Path, orange: Callable[..., Run]) -> Shop:
    """A git repository in which `orange init` has been run."""
    made = Shop(git_repo, orange)
    made("init", check=True)
    return made
