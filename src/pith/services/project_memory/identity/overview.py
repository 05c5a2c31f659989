"""The top of the page: counts, how they are distributed, and what could not be read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pith.domain.structure import Structure
from pith.domain.validity import STALE
from pith.services.project_memory.identity.html import attribute, escape
from pith.services.project_memory.identity.sources import CONFLICTING, STATES, Sources


def section(sources: Sources, drawn: Structure, summary: Mapping[str, Any]) -> str:
    """Tiles and distributions."""
    counted = _states(sources)
    attention = sum(count for state, count in counted.items() if state not in ("fresh", "superseded"))
    links, files = len(sources.edges), drawn.files
    quests = {name: summary[f"{name}Count"] for name in ("verified", "unverified", "active")}
    decided = {name: summary[f"{name}MemoryProposals"] for name in ("accepted", "rejected")}
    tiles = (
        _tile("Accepted memories", len(sources.memories), {f"link{_s(links)} between them": links}),
        _tile("Need attention", attention, {name: counted.get(name, 0) for name in (STALE, CONFLICTING)}),
        _tile("Completed quests", summary["completedCount"], quests),
        _tile("Pending proposals", summary["pendingMemoryProposals"], decided),
        _tile("Structure parts", len(drawn.parts), {f"file{_s(files)}": files}),
    )
    bars = (
        _bars("By type", "type", sorted(sources.kinds.items(), key=lambda each: (-each[1], each[0])), "k-"),
        _bars("By state", "state", [(state, counted[state]) for state in STATES if state in counted], "s-"),
        _bars("By confidence", "", _confidences(sources), ""),
        _bars("Routes", "", list(summary["routeDistribution"].items()), ""),
    )
    return (
        '<section class="overview" aria-labelledby="overview-title">'
        '<h2 id="overview-title" class="sr" data-t>Overview</h2>'
        f'<dl class="tiles">{"".join(tiles)}</dl><div class="bars">{"".join(bars)}</div></section>'
    )


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _states(sources: Sources) -> dict[str, int]:
    found: dict[str, int] = {}
    for memory in sources.memories:
        found[memory.state] = found.get(memory.state, 0) + 1
    return found


def _confidences(sources: Sources) -> list[tuple[str, int]]:
    found = {"high": 0, "medium": 0, "low": 0}
    for memory in sources.memories:
        said = memory.node.confidence or "unsaid"
        found[said] = found.get(said, 0) + 1
    return [(name, count) for name, count in found.items() if count]


def _tile(label: str, value: int, counts: Mapping[str, int]) -> str:
    note = ", ".join(f"{count:,} <span data-t>{name}</span>" for name, count in counts.items())
    return f'<div><dt data-t>{label}</dt><dd><strong>{value:,}</strong><span class="note">{note}</span></dd></div>'


def _bars(title: str, filter: str, counts: Iterable[tuple[str, int]], color: str) -> str:
    rows = list(counts)
    if not rows:
        return ""
    most = max(count for _, count in rows)
    items = "".join(_bar(filter, name, count, most, color) for name, count in rows)
    return f'<section class="card"><h3 data-t>{title}</h3><ul>{items}</ul></section>'


def _bar(filter: str, name: str, count: int, most: int, color: str) -> str:
    share = max(2, round(100 * count / most))
    painted = attribute(color + name) if color else "plain"
    shape = (
        f'<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="track" '
        f'width="100" height="6"/><rect class="{painted}" width="{share}" height="6"/></svg>'
    )
    inside = f'<span class="name" data-t>{escape(name)}</span>{shape}<span class="n">{count:,}</span>'
    if not filter:
        return f'<li><div class="row">{inside}</div></li>'
    chosen = f'data-filter="{filter}" data-value="{attribute(name)}"'
    return f'<li><button type="button" class="row" {chosen}>{inside}</button></li>'


def problems(sources: Sources) -> str:
    """What was left out, and why; nothing when all could be read."""
    if not sources.problems:
        return ""
    items = "".join(f"<li>{escape(problem)}</li>" for problem in sources.problems)
    return f'<section class="card problems"><h2 data-t>Left out</h2><ul>{items}</ul></section>'
