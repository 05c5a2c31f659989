"""What a turn of Claude Code takes with our hooks and without them: the host, and a model that answers at once."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from tests.host_model import Model, Tool

from bench import stores
from bench.figures import Figure, Outcome, noise

ROUNDS, QUICK = 15, 3
PROMPT = "Where do the coupon sessions stay?"
ANSWER = "The coupon sessions stay in Redis because rows were locked in Postgres."


def claude_turn(quick: bool) -> Outcome:
    """A prompt, a call of a tool and an answer, with five hooks, in turns with the same without a hook."""
    program = _program()
    if program is None:
        return Outcome([], ["Claude Code was not measured: it is not here (`make hosts`)."])
    model = Model()
    model.says(PROMPT, Tool("Bash", {"command": "echo coupons"}), ANSWER)
    with tempfile.TemporaryDirectory(prefix="pith-bench-hosts-") as place:
        env, settings = _surroundings(Path(place), model)
        without, beside = _in_turns(program, env, Path(place) / "repo", settings, QUICK if quick else ROUNDS)
    model.close()
    more = [one - other for one, other in zip(beside, without, strict=True)]
    figures = [
        Figure("a turn without hooks, median", statistics.median(without), "s"),
        Figure("a turn with pith's hooks, median", statistics.median(beside), "s"),
        Figure("what the hooks add, median of the pairs", statistics.median(more), "s"),
    ]
    return Outcome(figures, noise(without))


def _program() -> str | None:
    made = stores.BUILD.parent / "hosts" / "node_modules" / ".bin" / "claude"
    return str(made) if made.exists() else shutil.which("claude")


def _surroundings(place: Path, model: Model) -> tuple[dict[str, str], Path]:
    """A home and a repository of their own; the environment, and the settings with our hooks in them."""
    home, repo = place / "home", place / "repo"
    (home / ".claude").mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet", str(repo)], check=True)
    foreign = ("CLAUDE", "ANTHROPIC_", "PITH_", "GIT_", "XDG_")
    env = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    env |= {
        "HOME": str(home), "PITH_HOME": str(home / "pith"),
        "PITH_WORKER_START": "never", "PITH_MEANING_EMBEDDER": "none",
        "CLAUDE_CONFIG_DIR": str(home / ".claude"), "ANTHROPIC_BASE_URL": model.address, "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1",
    }  # fmt: skip
    pith = str(Path(sys.executable).parent / "pith")
    subprocess.run([pith, "install", "claude"], env=env, cwd=repo, check=True, capture_output=True)
    return env, home / ".claude" / "settings.json"


def _in_turns(
    program: str, env: Mapping[str, str], repo: Path, settings: Path, rounds: int
) -> tuple[list[float], list[float]]:
    hooks = settings.read_text(encoding="utf-8")
    taken: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds + 1):
        for text, seconds in (("{}", taken[0]), (hooks, taken[1])):
            settings.write_text(text, encoding="utf-8")
            took = _turn(program, env, repo)
            if number:  # the first one of each is colder
                seconds.append(took)
    return taken


def _turn(program: str, env: Mapping[str, str], repo: Path) -> float:
    line = [program, "-p", PROMPT, "--output-format", "json", "--allowedTools", "Bash"]
    began = time.monotonic()
    done = subprocess.run(line, env=dict(env), cwd=repo, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    took = time.monotonic() - began
    assert json.loads(done.stdout)["result"] == ANSWER
    return took
