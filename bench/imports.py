"""How fast transcripts are brought in, and how much memory that takes."""

from __future__ import annotations

import sys

from bench import corpus, stores
from bench.figures import Figure, Outcome
from bench.processes import spend

SIZE, QUICK_SIZE, LARGE_SIZE = 100, 20, 1_000  # megabytes
ROUNDS = 3

PROGRAM = """
import sys
from pith.services import config
from pith.services.history import import_history
from pith.store.database import open_store
report = None
with open_store(sys.argv[1]) as db:
    report = import_history.import_files(db, sys.argv[2:], config.defaults())
assert report.new and not report.errors, report
try:
    print([line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")][0])
except OSError:
    print(0)
"""  # what the system tells of a finished child includes the size of its parent before the start


def speed(quick: bool) -> Outcome:
    """A corpus of both hosts: a third conversation, a third tool output, a third base64."""
    return _imported(QUICK_SIZE if quick else SIZE, 1 if quick else ROUNDS)


def large(quick: bool) -> Outcome:
    """One file of a gigabyte."""
    return _imported(QUICK_SIZE if quick else LARGE_SIZE, 1, files=1)


def _imported(megabytes: int, rounds: int, files: int = 2) -> Outcome:
    rates, clock, memories = [], [], []
    with stores.empty() as made:
        scratch = made.home.parent
        paths = corpus.write(scratch / "corpus", megabytes, hosts=("claude", "codex")[:files])
        size = sum(path.stat().st_size for path in paths) / 1e6
        for number in range(rounds):
            store = scratch / f"store-{number}"
            command = [sys.executable, "-c", PROGRAM, str(store), *map(str, paths)]
            spent = spend(command, stores.environment(made.home))
            rates.append(size / spent.cpu)
            clock.append(size / spent.clock)
            memories.append(int(spent.printed) / 1_000 or spent.megabytes)
    what = f"import, {size:,.0f} MB in {'one file' if files == 1 else f'{files} files'}"
    return Outcome(
        [
            Figure(f"{what}, of processor time", max(rates), "MB/s", 20.0, 50.0, more_is_better=True),
            Figure(f"{what}, on the clock", max(clock), "MB/s", note=f"the slowest {min(clock):.1f}"),
            Figure(f"{what}, memory", max(memories), "MB", 150.0),
        ]
    )
