"""Measure pith: every figure as a ratio within this run, or beside what the machine did meanwhile.

A figure that misses its bound is shown as such; nothing fails, since a busy machine is no fault of the program.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sqlite3
from collections.abc import Callable

from bench import (
    asking,
    commands,
    dashboard,
    disk,
    endless,
    extraction,
    graph,
    hooks,
    hosts,
    imports,
    knowledge,
    meaning,
    outbox,
    quality,
    server,
    standing,
    vectors,
    ways,
)
from bench.figures import Outcome, heading, table

MEASURES: dict[str, Callable[[bool], Outcome]] = {
    "capture": hooks.capture,
    "hook-answers": hooks.answers,
    "claude-turn": hosts.claude_turn,
    "hook-preferences": standing.hook,
    "hook-entries": extraction.hook_among_entries,
    "command": commands.recall,
    "recall": asking.recall_in_process,
    "mcp": server.server,
    "import": imports.speed,
    "dashboard": dashboard.dashboard,
    "disk": disk.size,
    "graph": graph.graph,
    "rebuild": knowledge.rebuild,
    "verify": knowledge.verification,
    "outbox": outbox.cost,
    "vectors": vectors.search,
    "vector-process": vectors.process,
    "meaning-command": meaning.recall,
    "meaning-in-process": meaning.in_process,
    "consolidation": endless.consolidation,
    "working-set": endless.told,
    "extraction": extraction.quality,
    "coding-sessions": quality.coding,
    "locomo": quality.locomo,
    "ways-bilingual": ways.bilingual,
    "ways-locomo": ways.locomo,
}
LARGE: dict[str, Callable[[bool], Outcome]] = {"import-large": imports.large}


def main() -> None:
    """Run what was asked for and print a table, or JSON."""
    asked = _arguments()
    known = {**MEASURES, **(LARGE if asked.large else {})}
    chosen = [name for name in known if not asked.only or any(part in name for part in asked.only)]
    outcomes: dict[str, Outcome] = {}
    if not asked.json:
        print(f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {os.cpu_count()} processors")
        print(heading())
    for name in chosen:
        outcomes[name] = known[name](asked.quick)
        if not asked.json:
            print(table(name, outcomes[name]), flush=True)
    if asked.json:
        print(json.dumps({name: _as_dict(outcome) for name, outcome in outcomes.items()}, ensure_ascii=False, indent=1))


def _as_dict(outcome: Outcome) -> dict[str, object]:
    return {"figures": [figure.as_dict() for figure in outcome.figures], "remarks": list(outcome.remarks)}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "-k", dest="only", action="append", help=f"only measures with this in their name: {', '.join(MEASURES)}"
    )
    parser.add_argument("--quick", action="store_true", help="few rounds over a small store, to try the bench itself")
    parser.add_argument("--large", action="store_true", help="import a file of a gigabyte, too")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser.parse_args()


if __name__ == "__main__":
    main()
