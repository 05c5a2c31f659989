"""What a whole process costs, compared in turns with an interpreter of the same kind that does nothing."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pith
from bench.figures import noise

NOTHING = (sys.executable, "-c", "pass")
HOOK = (sys.executable, "-S", "-E", "-I", str(Path(pith.__file__).parent / "interfaces/hook/start.py"), "claude")


@dataclass(frozen=True)
class Spent:
    """Processor seconds (user and system), seconds on the clock, megabytes at most, and what was printed."""

    cpu: float
    clock: float
    megabytes: float
    printed: bytes


@dataclass(frozen=True)
class Contestant:
    """One command to be compared; `given` makes what it reads, anew for each round."""

    name: str
    command: Sequence[str]
    given: Callable[[int], bytes] = lambda _: b""
    folder: Path | None = None


def spend(
    command: Sequence[str],
    env: Mapping[str, str],
    given: bytes = b"",
    folder: Path | None = None,
    codes: Sequence[int] = (0,),
) -> Spent:
    """Run a command to its end; raises RuntimeError when it ends with another code, since a failure is always fast."""
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stdout:
        stdin.write(given)
        stdin.seek(0)
        began = time.perf_counter()
        child = subprocess.Popen(command, stdin=stdin, stdout=stdout, env=dict(env), cwd=folder)
        _, status, used = os.wait4(child.pid, 0)
        clock = time.perf_counter() - began
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in codes:
            raise RuntimeError(f"{command} ended with {child.returncode}")
        stdout.seek(0)
        unit = 1_000_000 if sys.platform == "darwin" else 1_000  # ru_maxrss: bytes there, kilobytes elsewhere
        return Spent(used.ru_utime + used.ru_stime, clock, used.ru_maxrss / unit, stdout.read())


@dataclass(frozen=True)
class Comparison:
    """Median ratios to an interpreter that does nothing, the milliseconds of that, and remarks on the machine."""

    ratios: dict[str, float]
    milliseconds: dict[str, float]
    spoken: dict[str, float]  # the share of the rounds in which something was printed
    remarks: list[str]


def compare(contestants: Sequence[Contestant], env: Mapping[str, str], rounds: int) -> Comparison:
    """Processor time of each contestant against nothing, in turns, so that a busy moment meets all of them."""
    seen: dict[str, list[float]] = {one.name: [] for one in contestants}
    spoken = dict.fromkeys(seen, 0)
    nothing: list[float] = []
    for one in contestants:  # compiled modules and the files of the store are in memory afterwards
        spend(one.command, env, one.given(-1), one.folder)
    for number in range(rounds):
        nothing.append(spend(NOTHING, env).cpu)
        for one in contestants:
            spent = spend(one.command, env, one.given(number), one.folder)
            seen[one.name].append(spent.cpu)
            spoken[one.name] += bool(spent.printed)
    return Comparison(
        {
            name: statistics.median(value / base for value, base in zip(values, nothing, strict=True))
            for name, values in seen.items()
        },
        {name: statistics.median(values) * 1_000 for name, values in [("nothing", nothing), *seen.items()]},
        {name: count / rounds for name, count in spoken.items()},
        [f"`python -c pass` took {statistics.median(nothing) * 1_000:.1f} ms.", *noise(nothing)],
    )
