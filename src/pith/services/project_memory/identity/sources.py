"""Everything the identity page shows, read once from the files: quests, proposals, nodes, edges, and what holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pith.domain import nodes as domain
from pith.domain import secrets
from pith.domain.nodes import Node
from pith.domain.proposals import Proposal, quality
from pith.domain.quests import Quest
from pith.domain.validity import CURRENT, EXPIRED, FIELDS, NOT_YET, STALE, SUPERSEDED, State
from pith.files import edges, nodes, proposals, quests, traces
from pith.files.edges import Edge
from pith.files.kept import warnings
from pith.services.project_memory import freshness
from pith.services.project_memory.freshness import Freshness
from pith.services.project_memory.shared import Shared

FRESH, CONFLICTING = "fresh", "conflicting"
STATES = (FRESH, STALE, CONFLICTING, SUPERSEDED, EXPIRED, NOT_YET)


@dataclass(frozen=True, slots=True)
class Memory:
    """An accepted node of this project, with its file and what it is today."""

    node: Node
    file: str
    states: tuple[str, ...]
    reason: str = ""

    @property
    def state(self) -> str:
        """The one that matters most."""
        return self.states[0]


@dataclass(frozen=True, slots=True)
class Sources:
    """What the files say; `memories` in order of ids, edges only between them."""

    memories: tuple[Memory, ...]
    edges: tuple[Edge, ...]
    quests: Mapping[str, Quest]
    proposals: tuple[tuple[Proposal, tuple[str, ...]], ...]
    layers: Mapping[str, int]
    problems: tuple[str, ...]
    newest: str = ""
    kinds: dict[str, int] = field(default_factory=dict)


def read(shared: Shared) -> Sources:
    """Read them all; a file that cannot be read becomes a problem and hides no other."""
    place, id = shared.layout, shared.config.project_id
    found_nodes, found_quests = nodes.read_all_of(place), quests.read_all_of(place)
    found_proposals = proposals.read_all_of(place)
    found_edges, bad_edges = edges.read(place)
    own = {kept.value.id: kept for kept in reversed(found_nodes.items) if kept.value.project_id == id}
    between = tuple(sorted((edge for edge in found_edges if {edge.source, edge.target} <= own.keys()), key=_order))
    own_nodes = [_masked(own[each].value) for each in sorted(own)]
    asked = Freshness(shared)
    states = _states(own_nodes, between, asked)
    own_quests = {
        kept.value.id: replace(kept.value, title=_mask(kept.value.title))
        for kept in found_quests.items
        if kept.value.project_id in (id, "")
    }
    own_proposals = [kept for kept in found_proposals.items if kept.value.project_id in (id, "")]
    problems = [*found_nodes.problems, *found_quests.problems, *found_proposals.problems, *bad_edges]
    foreign = len(found_nodes.items) - len(own)
    return Sources(
        tuple(Memory(node, place.shown(own[node.id].path), *states[node.id]) for node in own_nodes),
        between,
        dict(sorted(own_quests.items())),
        tuple((kept.value, quality(kept.value, proposals.missing(kept.document)).warnings) for kept in own_proposals),
        traces.layers(place),
        (*warnings(place, problems), *_foreign(foreign), *freshness.warnings(asked, list(map(_entry, own_nodes)))),
        _newest(own_nodes, own_quests.values(), [kept.value for kept in own_proposals]),
        _counted(node.kind for node in own_nodes),
    )


def _masked(node: Node) -> Node:
    """The node without the credentials that somebody may have written into its file."""
    own = [text for value in node.own.values() for text in ([value] if isinstance(value, str) else value)]
    whole = "\n".join(map(str, (node.title, node.summary, node.evidence, *own)))
    if not secrets.mask(whole)[1]:  # one look at everything: nearly no node holds any
        return node
    fields = {
        name: _mask(value) if isinstance(value, str) else [_mask(str(each)) for each in value]
        for name, value in node.own.items()
    }
    summary, evidence = _mask(node.summary), _mask(node.evidence)
    return replace(node, title=_mask(node.title), summary=summary, evidence=evidence, own=fields)


def _mask(text: str) -> str:
    return secrets.mask(text)[0]


def _order(edge: Edge) -> tuple[str, str, str]:
    return edge.key


def _foreign(count: int) -> list[str]:
    if not count:
        return []
    return [f"{count} node {'file is' if count == 1 else 'files are'} of another project, or twice; not shown"]


def _counted(kinds: Iterable[str]) -> dict[str, int]:
    """How often each kind occurs, in order of names."""
    found: dict[str, int] = {}
    for kind in kinds:
        found[kind] = found.get(kind, 0) + 1
    return dict(sorted(found.items()))


def _newest(all_nodes: Iterable[Node], all_quests: Iterable[Quest], all_proposals: Iterable[Proposal]) -> str:
    """The time of the newest thing read: what the page is as of. The clock has no part in it."""
    times = [node.freshness for node in all_nodes]
    times += [max(quest.updated_at, quest.created_at) for quest in all_quests]
    times += [max(proposal.updated_at, proposal.created_at) for proposal in all_proposals]
    return domain.newest(times) or ""


# -- What holds ----------------------------------------------------------------------------------------------


def _states(
    all_nodes: Iterable[Node], between: Iterable[Edge], asked: Freshness
) -> dict[str, tuple[tuple[str, ...], str]]:
    """For each node the states it is in, the weightiest first, and why."""
    replaced = {edge.target: edge.source for edge in between if edge.relation == "supersedes"}
    alone = {node.id: _own_state(node, replaced, asked) for node in all_nodes}
    rivals: dict[str, list[str]] = {}
    for edge in between:
        live = not {alone[edge.source].name, alone[edge.target].name} & {SUPERSEDED, EXPIRED}
        if edge.relation == "conflicts_with" and live and edge.source != edge.target:
            rivals.setdefault(edge.source, []).append(edge.target)
            rivals.setdefault(edge.target, []).append(edge.source)
    return {id: _joined(state, rivals.get(id, [])) for id, state in alone.items()}


def _own_state(node: Node, replaced: Mapping[str, str], asked: Freshness) -> State:
    if node.id in replaced and not node.validity.superseded_by:
        return State(SUPERSEDED, f"superseded_by={replaced[node.id]}")
    return asked.state(_entry(node))


def _entry(node: Node) -> dict[str, Any]:
    """What decides whether a node holds."""
    said = {name: value for name in FIELDS if (value := getattr(node.validity, name))}
    return {"validity": said, "since": node.since, "scope_paths": list(node.scope_paths or node.own.get("paths", ()))}


def _joined(state: State, rivals: list[str]) -> tuple[tuple[str, ...], str]:
    if not rivals:
        return (FRESH if state.name == CURRENT else state.name,), state.reason
    reason = "; ".join(part for part in (f"conflicts_with={', '.join(rivals)}", state.reason) if part)
    return (CONFLICTING,) if state.name == CURRENT else (CONFLICTING, state.name), reason


def as_json(memory: Memory) -> dict[str, Any]:
    """A memory as the graph in the page holds it."""
    node = memory.node
    return {
        "id": node.id,
        "node_type": node.kind,
        "title": node.title,
        "summary": node.summary,
        "status": node.status,
        "state": memory.state,
        "states": list(memory.states),
        "confidence": node.confidence,
        "source_quest": node.source_quest,
        "source_proposal": node.source_proposal,
        "accepted_at": node.accepted_at,
    }
