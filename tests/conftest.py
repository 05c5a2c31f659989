"""What every test stands on: a home of its own, a real repository, the real program.

No test reaches the home of whoever runs it, nor learns from their environment that an agent runs it.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "everyday", max_examples=40, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
# The same thousand each time, so that a long run means the same on every machine; EXPLORE=1 looks at others.
settings.register_profile(
    "long",
    max_examples=1_000,
    derandomize=not os.environ.get("EXPLORE"),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)

# What may tell a program where it runs, who runs it, or which repository is meant.
FOREIGN = (
    "PITH_",
    "ORANGE_",
    "CLAUDE",
    "CODEX_",
    "AGENT",
    "AI_AGENT",
    "CURSOR_",
    "GEMINI_",
    "XDG_",
    "GIT_",
    "ANTHROPIC_",
    "OPENAI_",
)

IDENTITY = {
    "GIT_AUTHOR_NAME": "A Developer",
    "GIT_AUTHOR_EMAIL": "developer@example.org",
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05+00:00",
    "GIT_COMMITTER_NAME": "A Developer",
    "GIT_COMMITTER_EMAIL": "developer@example.org",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05+00:00",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


def _is_long_run(config: pytest.Config) -> bool:
    return str(config.option.markexpr).strip() == "long"


def pytest_configure(config: pytest.Config) -> None:
    """Few examples every day, a thousand each in `make test-long`."""
    settings.load_profile("long" if _is_long_run(config) else "everyday")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In a long run every property test takes part: the same promise, tried harder."""
    if not _is_long_run(config):
        return
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("long")


def isolated_environment(home: Path) -> dict[str, str]:
    """The environment of someone who has only this home, and no agent around."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    places = {
        "HOME": home,
        "USERPROFILE": home,
        "PITH_HOME": home / "pith",
        "PITH_MEANING_EMBEDDER": "none",  # a test that wants vectors says which embedder makes them
        "PITH_WORKER_START": "never",  # what a test's hooks start would run on behind the next test
        "CLAUDE_CONFIG_DIR": home / ".claude",
        "CODEX_HOME": home / ".codex",
        "XDG_DATA_HOME": home / ".local" / "share",
        "XDG_CONFIG_HOME": home / ".config",
        "XDG_CACHE_HOME": home / ".cache",
        "XDG_STATE_HOME": home / ".local" / "state",
        "APPDATA": home / "AppData" / "Roaming",
        "LOCALAPPDATA": home / "AppData" / "Local",
    }
    return kept | {name: str(path) for name, path in places.items()} | IDENTITY


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home of this test's own; `PITH_HOME` is its folder `pith`, which does not exist yet."""
    place = tmp_path_factory.mktemp("home")
    wanted = isolated_environment(place)
    for name in os.environ.keys() - wanted.keys():
        monkeypatch.delenv(name)
    for name, value in wanted.items():
        monkeypatch.setenv(name, value)
    return place


@pytest.fixture
def pith_home(home: Path) -> Path:
    """Where pith keeps its data in this test."""
    return home / "pith"


def git(folder: Path, *words: str) -> str:
    """Run git in a folder, give its answer, and fail loudly."""
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, encoding="utf-8")
    return done.stdout.strip()


@pytest.fixture
def git_repo(tmp_path: Path) -> Path:
    """A real git repository with one file and one commit on `main`."""
    repository = tmp_path / "repo"
    repository.mkdir()
    git(repository, "init", "--quiet", "--initial-branch=main")
    (repository / "README.md").write_text("# A project\n", encoding="utf-8")
    git(repository, "add", "README.md")
    git(repository, "commit", "--quiet", "--message", "Begin")
    return repository


@dataclass(frozen=True)
class Run:
    """What a program said, and how it ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        """The one JSON value on stdout."""
        return json.loads(self.stdout)


def program(name: str) -> list[str]:
    """The console program beside this interpreter, as a user or a host would start it."""
    suffix = ".exe" if os.name == "nt" else ""
    installed = Path(sys.executable).parent / f"{name}{suffix}"
    if not installed.exists():
        pytest.fail(f"{name} is not installed beside {sys.executable}; run `make setup`.")
    return [str(installed)]


def run_program(
    command: list[str],
    *,
    stdin: str | bytes = b"",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    check: bool = False,
) -> Run:
    """Run a program in a child process with this test's home; `check` demands exit code 0."""
    done = subprocess.run(
        command,
        input=stdin.encode("utf-8") if isinstance(stdin, str) else stdin,
        env={**os.environ, **(env or {})},
        cwd=cwd,
        capture_output=True,
        check=False,
    )
    run = Run(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8", "replace"))
    assert not check or run.code == 0, f"{command} ended with {run.code}:\n{run.stdout}{run.stderr}"
    return run


@pytest.fixture
def run_pith() -> Callable[..., Run]:
    """`run_pith("recall", "쿠폰함", cwd=repo)`: the real program in a child process."""
    return lambda *words, **how: run_program([*program("pith"), *words], **how)


@pytest.fixture
def run_hook() -> Callable[..., Run]:
    """`run_hook("claude", payload)`: the real hook in a child process; a value becomes JSON."""

    def run(host: str, payload: object = b"", **how: Any) -> Run:
        stdin = payload if isinstance(payload, str | bytes) else json.dumps(payload, ensure_ascii=False)
        return run_program([*program("pith-hook"), host], stdin=stdin, **how)

    return run


@pytest.fixture
def pith(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """Like `run_pith` without a child process: much faster; the same `main()`, errors and exit codes."""

    def run(
        *words: str,
        stdin: str = "",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        check: bool = False,
    ) -> Run:
        from pith.adapters import own_process
        from pith.interfaces.cli.main import main

        out, err = io.BytesIO(), io.BytesIO()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["pith", *words])
            patch.setattr(own_process, "be_modest", lambda: None)  # the tests that follow need their cores
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode("utf-8")), "utf-8"))
            patch.setattr(sys, "stdout", io.TextIOWrapper(out, "utf-8", write_through=True))
            patch.setattr(sys, "stderr", io.TextIOWrapper(err, "utf-8", write_through=True))
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            if cwd is not None:
                patch.chdir(cwd)
            code = _exit_code(main)
            answer, complaint = out.getvalue().decode("utf-8"), err.getvalue().decode("utf-8")
        result = Run(code, answer, complaint)
        assert not check or code == 0, f"pith {words} ended with {code}:\n{answer}{complaint}"
        return result

    return run


def _exit_code(main: Callable[[], object]) -> int:
    """Call a program's main and say how the process would have ended."""
    try:
        answer = main()
    except SystemExit as end:
        answer = end.code
    return answer if isinstance(answer, int) else int(answer is not None)
