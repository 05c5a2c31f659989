"""What the project knows about a piece of work: the accepted nodes that it needs, and those that do not simply hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pith.domain import retrieval as domain
from pith.domain.retrieval import BUDGETS, Apart, Asked, Budget, Link, Slice
from pith.files import edges, kept, nodes
from pith.files.capsule import Told
from pith.files.front_matter import MemoryFileInvalid
from pith.files.graph_index import Entry
from pith.services.project_memory import freshness, graph
from pith.services.project_memory.freshness import Freshness
from pith.services.project_memory.shared import Shared

DEEP = "MB4"


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A slice of project memory with the nodes that it tells, and sentences about what could not be read or asked."""

    slice: Slice
    told: tuple[Told, ...]
    notice: str
    warnings: tuple[str, ...]


def retrieve(shared: Shared, asked: Asked, level: str, *, deep: bool = False) -> Retrieved:
    """The slice of project memory for what is asked, at a level of memory (`MB2`).

    MB4 reads deeply only when the person was told (`deep`); until then it is MB3, and says so.
    """
    budget, notice = allowed(level, deep=deep)
    if not budget.nodes:
        return Retrieved(Slice(budget), (), notice, ())
    found = graph.load(shared)
    judge = Freshness(shared)
    links, problems = links_of(shared)
    slice_ = domain.retrieve(found.entries, asked, links, budget, judge.state)
    told, unread = _told(shared, slice_, found.entries, judge)
    warnings = graph.warnings(shared, found) + kept.warnings(shared.layout, [*problems, *unread])
    return Retrieved(slice_, told, notice, tuple(warnings + freshness.warnings(judge, found.entries)))


def allowed(level: str, *, deep: bool = False) -> tuple[Budget, str]:
    """The budget that a level has, and what the person must be told about it."""
    budget = BUDGETS.get(level, BUDGETS["MB0"])
    if budget.name != DEEP:
        return budget, ""
    size = f"up to {budget.nodes} nodes and {budget.tokens} tokens"
    if deep:
        return budget, f"This reads project memory deeply: {size}."
    less = replace(BUDGETS["MB3"], name=DEEP)
    return less, f"Reading deeply ({size}) needs a person's word: `--deep`."


def links_of(shared: Shared) -> tuple[list[Link], list[MemoryFileInvalid]]:
    """The edges as retrieval reads them, and the lines that are none."""
    known, problems = edges.read(shared.layout)
    links = [Link(each.source, each.relation, each.target, domain.weight(each.confidence)) for each in known]
    return links, problems


def _told(
    shared: Shared, slice_: Slice, entries: Sequence[Entry], judge: Freshness
) -> tuple[tuple[Told, ...], list[MemoryFileInvalid]]:
    """The nodes of the slice; their files are read only where the budget tells their texts."""
    by_id = {entry["id"]: entry for entry in entries}
    told, unread = [], []
    for id in slice_.current:
        entry = by_id[id]
        by = slice_.found[id].by
        if not slice_.budget.bodies:
            told.append(Told(id, entry["title"], by))
            continue
        try:
            node = nodes.read(shared.layout.root / entry["file"]).value
        except MemoryFileInvalid as problem:  # it changed since the list was made
            unread.append(problem)
            continue
        told.append(Told(id, entry["title"], by, node, judge.moved(entry).said))
    return tuple(told), unread


def apart_as_json(each: Apart) -> dict[str, str]:
    """A node that does not simply hold, as an answer says it."""
    return {"id": each.id, "state": each.state, "reason": each.reason}
