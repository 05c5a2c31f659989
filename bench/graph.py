"""What project memory costs with 500 and with 5,000 nodes, beside orange-hyper 1.0.1 where node and it are present.

Seconds on the clock of whole processes, in turns; the median. `PITH_ORANGE_JS` names its `bin/orange.js`, else the one
under `build/orange/` is taken.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from bench import memories, stores
from bench.figures import Figure, Outcome
from bench.processes import spend
from pith.files.layout import FOLDER, INDEX, NODE_CACHE, READY_INDEX, READY_LIST

SMALL, LARGE = 500, 5_000
SEARCHED = "refund worker"
LINEAR = 13.0  # ten times as many nodes may take that many times as long, noise included

# What is measured: its name, the words, and the share of the old tool's time that it may take.
MEASURED: tuple[tuple[str, tuple[str, ...], float | None], ...] = (
    ("list", ("graph", "list", "--json"), 1 / 3),
    ("search", ("graph", "search", SEARCHED, "--json"), 1 / 3),
    ("rebuild-index, cold", ("graph", "rebuild-index", "--json"), 2.0),
    ("rebuild-index, warm", ("graph", "rebuild-index", "--json"), 1 / 3),
    ("doctor", ("doctor", "--json"), None),
    ("identity build", ("identity", "build", "--json"), None),
    ("capsule", ("capsule", "--request", "fix the refund worker", "--layer", "L3", "--json"), None),
)
SECONDS = {"doctor": 10.0, "identity build": 5.0}
# The old tool's capsule retrieves nothing, and its doctor takes minutes over 5,000 nodes (its page asks the doctor).
NOT_THEIRS = ("capsule", "doctor", "identity build")


def graph(quick: bool) -> Outcome:
    """Each command over both sizes, pith and the old tool in turns."""
    program = Path(sys.executable).parent / "orange"
    if not program.exists():
        return Outcome([], [f"Skipped: {program.name} is not installed beside {sys.executable}; run `make setup`."])
    old, remarks = _old()
    sizes = (100, 500) if quick else (SMALL, LARGE)
    times: dict[tuple[str, int, str], float] = {}
    for size in sizes:
        with tempfile.TemporaryDirectory(dir=stores.BUILD.parent) as scratch:
            programs = {"pith": [str(program)], **old}
            # One each: either would write the other's index anew, with its own name in it.
            places = {who: Path(scratch) / who / "shop" for who in programs}
            for place in places.values():
                shutil.copytree(memories.made(size), place)
            env = stores.environment(Path(scratch) / "home")
            remarks += _run(times, places, env, size, programs, 2 if quick else 3)
    return Outcome(_figures(times, *sizes), remarks)


def _old() -> tuple[dict[str, list[str]], list[str]]:
    """How the old tool is called, or why it is not."""
    node = shutil.which("node")
    given = os.environ.get("PITH_ORANGE_JS")
    found = [Path(given)] if given else sorted((stores.BUILD.parent / "orange").rglob("bin/orange.js"))
    if node and found and found[0].exists():
        return {"old": [node, str(found[0])]}, []
    return {}, ["orange-hyper 1.0.1 was not measured: node or its package is not here (`PITH_ORANGE_JS`)."]


def _run(
    times: dict[tuple[str, int, str], float],
    places: dict[str, Path],
    env: dict[str, str],
    size: int,
    programs: dict[str, list[str]],
    rounds: int,
) -> list[str]:
    """Measure every command; sentences about those that failed."""
    failed = []
    for name, words, _ in MEASURED:
        calls = {
            who: [*command, *words] for who, command in programs.items() if who == "pith" or name not in NOT_THEIRS
        }
        try:
            found = _in_turns(places, env, calls, rounds, cold=name.endswith("cold"))
        except RuntimeError as error:
            failed.append(f"{name}, {size:,} nodes: {error}.")
        else:
            times.update({(name, size, who): seconds for who, seconds in found.items()})
    return failed


def _in_turns(
    places: dict[str, Path], env: dict[str, str], calls: dict[str, list[str]], rounds: int, *, cold: bool
) -> dict[str, float]:
    """Median seconds of each program; one round before the others warms what the system keeps in memory."""
    seen: dict[str, list[float]] = {who: [] for who in calls}
    for number in range(rounds + 1):
        for who, command in calls.items():
            if cold:
                _forget(places[who])
            spent = spend(command, env, folder=places[who], codes=(0, 2))
            if number:
                seen[who].append(spent.clock)
    return {who: statistics.median(found) for who, found in seen.items()}


def _forget(place: Path) -> None:
    for gone in (INDEX, NODE_CACHE, READY_LIST, READY_INDEX):
        (place / FOLDER / gone).unlink(missing_ok=True)


def _figures(times: dict[tuple[str, int, str], float], small: int, large: int) -> list[Figure]:
    found = []
    measured = [
        (name, share) for name, _, share in MEASURED if {(name, n, "pith") for n in (small, large)} <= times.keys()
    ]
    for name, share in measured:
        ours, theirs = times[name, large, "pith"], times.get((name, large, "old"))
        note = f"{ours * 1_000:.0f} ms" + (f", orange-hyper {theirs * 1_000:.0f} ms" if theirs else "")
        if name in SECONDS:
            found.append(Figure(f"{name}, {large:,} nodes", ours, "s", SECONDS[name], note=note))
        elif theirs and share:
            found.append(
                Figure(f"{name}, {large:,} nodes, of the old tool's time", ours / theirs, "x", share, note=note)
            )
        else:
            found.append(Figure(f"{name}, {large:,} nodes", ours, "s", note=note))
    for name, _ in measured:
        grown = times[name, large, "pith"] / times[name, small, "pith"]
        found.append(Figure(f"{name}, {large:,} of {small:,} nodes", grown, "x", LINEAR * large / small / 10))
    return found
