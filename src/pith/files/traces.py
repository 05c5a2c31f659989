"""`traces/route.jsonl`: which route was chosen for which request, one line each; private to this machine."""

from __future__ import annotations

import json
from typing import Any

from pith.files import atomic
from pith.files.layout import TRACES, Layout

_LONGEST = 1_000_000  # bytes; then the older half goes


def add(layout: Layout, trace: dict[str, Any]) -> None:
    """Append a trace. Called under the project's lock."""
    path = layout.path(TRACES)
    _shorten(layout)
    atomic.append(path, json.dumps(trace, ensure_ascii=False, separators=(",", ":")))


def count(layout: Layout) -> int:
    """How many traces there are."""
    try:
        return layout.path(TRACES).read_bytes().count(b"\n")
    except OSError:
        return 0


def _shorten(layout: Layout) -> None:
    path = layout.path(TRACES)
    if path.exists() and path.stat().st_size > _LONGEST:
        lines = path.read_bytes().splitlines(keepends=True)
        atomic.write(path, b"".join(lines[len(lines) // 2 :]))


def layers(layout: Layout) -> dict[str, int]:
    """How often each level was chosen, in the order in which they were chosen first."""
    found: dict[str, int] = {}
    try:
        lines = layout.path(TRACES).read_bytes().splitlines()
    except OSError:
        return found
    for line in lines:
        try:
            layer = json.loads(line)["contract"]["layer"]
        except (ValueError, TypeError, KeyError, RecursionError):
            continue
        if isinstance(layer, str):
            found[layer] = found.get(layer, 0) + 1
    return found
