"""What `pith mcp` costs: to start, to sit idle, and to ask in a process that runs."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench import questions, stores
from bench.figures import Figure, Outcome, noise, percentile

IMPORT = (sys.executable, "-c", "import mcp; print(flush=True)")
IMPORT_UNCOLLECTED = (sys.executable, "-c", "import gc; gc.disable(); import mcp; print(flush=True)")
IDLE = (sys.executable, "-c", "import mcp, sys; print(flush=True); sys.stdin.read()")
BEGIN = (
    {"id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}},
    {"method": "notifications/initialized"},
)  # fmt: skip
ROUNDS, ASKED = 15, 200


class _Server:
    """A server in a child process, spoken to line by line."""

    def __init__(self, env: Mapping[str, str], folder: Path) -> None:
        program = str(Path(sys.executable).parent / "pith")
        self._process = subprocess.Popen(
            [program, "mcp"], env=dict(env), cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for message in BEGIN:
            self._send(message)
        self._answer()

    def ask(self, method: str, **params: Any) -> Any:
        self._send({"id": 2, "method": method, "params": params})
        return self._answer()["result"]

    def megabytes(self) -> float:
        return _megabytes(self._process.pid)

    def end(self) -> None:
        self._process.communicate()

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def _answer(self) -> Any:
        assert self._process.stdout
        return json.loads(self._process.stdout.readline())


def server(quick: bool) -> Outcome:
    """Start to the first list of tools against the import alone, in turns; memory beside the SDK's; searches."""
    if not (Path(sys.executable).parent / "pith").exists():
        return Outcome([], [f"Skipped: pith is not installed beside {sys.executable}; run `make setup`."])
    count = stores.QUICK_EVENTS if quick else stores.EVENTS
    with stores.copied(count) as made:
        env = stores.environment(made.home)
        ratios, uncollected, imports = _starts(env, made.folder, 3 if quick else ROUNDS)
        running = _Server(env, made.folder)
        running.ask("tools/list")
        idle = running.megabytes()
        clock = _searches(running, count, 30 if quick else ASKED)
        asked = running.megabytes()
        running.end()
    sdk = _sdk_alone(env)
    return Outcome(
        [
            Figure("start to tools/list, against `import mcp`", statistics.median(ratios), "x", 1.2),
            Figure("the same, no garbage collected in either", statistics.median(uncollected), "x"),
            Figure("idle memory beside the SDK's own", idle - sdk, "MB", 90.0),
            Figure(f"the same after {len(clock)} searches", asked - sdk, "MB"),
            Figure(f"mem-search, {count:,} events, on the clock, p50", percentile(clock, 0.5), "ms"),
            Figure(f"mem-search, {count:,} events, on the clock, p95", percentile(clock, 0.95), "ms"),
        ],
        [
            f"`import mcp` took {statistics.median(imports):.0f} ms and {sdk:.0f} MB.",
            *noise(imports),
        ],
    )


def _starts(env: Mapping[str, str], folder: Path, rounds: int) -> tuple[list[float], list[float], list[float]]:
    """Ratios of a start to an import beside it, with and without garbage collection there; the import in ms."""
    ratios, uncollected, imports = [], [], []
    for number in range(-1, rounds):
        plain, bare = _run(IMPORT, env), _run(IMPORT_UNCOLLECTED, env)
        began = time.perf_counter()
        started = _Server(env, folder)
        assert len(started.ask("tools/list")["tools"]) == 10
        spent = (time.perf_counter() - began) * 1_000
        started.end()
        if number >= 0:  # the first round only warms the files
            ratios.append(spent / plain)
            uncollected.append(spent / bare)
            imports.append(plain)
    return ratios, uncollected, imports


def _run(command: tuple[str, ...], env: Mapping[str, str]) -> float:
    """Milliseconds until it has imported and says so: its end costs an interpreter something, too."""
    began = time.perf_counter()
    with subprocess.Popen(command, env=dict(env), stdout=subprocess.PIPE) as child:
        assert child.stdout
        child.stdout.readline()
        return (time.perf_counter() - began) * 1_000


def _searches(running: _Server, count: int, most: int) -> list[float]:
    """Milliseconds of each of many varied questions."""
    spent = []
    for question, _ in questions.varied(most, count):
        began = time.perf_counter()
        running.ask("tools/call", name="mem-search", arguments={"question": question})
        spent.append((time.perf_counter() - began) * 1_000)
    return spent


def _sdk_alone(env: Mapping[str, str]) -> float:
    with subprocess.Popen(IDLE, env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as idle:
        assert idle.stdout
        idle.stdout.readline()
        found = _megabytes(idle.pid)
        idle.communicate()
    return found


def _megabytes(pid: int) -> float:
    """What a process takes now; nothing where the system does not say."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return float("nan")
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1_000
