"""The real hosts, where they are installed, and the model that a test speaks for."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conftest import Run
from host_kit import ClaudeCode, CodexCli
from host_model import Model


@pytest.fixture
def model() -> Iterator[Model]:
    """What answers instead of a model."""
    stand_in = Model()
    yield stand_in
    stand_in.close()


@pytest.fixture
def on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """This pith is the one that a host finds by its name."""
    monkeypatch.setenv("PATH", os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])))


@pytest.fixture
def claude(git_repo: Path, home: Path, model: Model, run_pith: Callable[..., Run], on_path: None) -> ClaudeCode:
    """Claude Code that has not heard of pith yet."""
    return ClaudeCode(git_repo, home, model, run_pith)


@pytest.fixture
def codex(git_repo: Path, home: Path, model: Model, run_pith: Callable[..., Run], on_path: None) -> CodexCli:
    """Codex that has not heard of pith yet."""
    return CodexCli(git_repo, home, model, run_pith)
