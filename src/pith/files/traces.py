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
    return _read(layout).count(b"\n")


def _read(layout: Layout) -> bytes:
    """All traces; nothing where there is no file of them, or one too large to be ours."""
    try:
        return atomic.read(layout.path(TRACES), 2 * _LONGEST)
    except OSError:
        return b""


def _shorten(layout: Layout) -> None:
    path = layout.path(TRACES)
    if path.exists() and path.stat().st_size > _LONGEST:
        lines = atomic.read(path).splitlines(keepends=True)
        atomic.write(path, b"".join(lines[len(lines) // 2 :]))


def layers(layout: Layout) -> dict[str, int]:
    """How often each level was chosen, in the order in which they were chosen first."""
    found: dict[str, int] = {}
    for line in _read(layout).splitlines():
        try:
            layer = json.loads(line)["contract"]["layer"]
        except (ValueError, TypeError, KeyError, RecursionError):
            continue
        if isinstance(layer, str):
            found[layer] = found.get(layer, 0) + 1
    return found
