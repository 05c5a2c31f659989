"""The graph of accepted nodes: list, show, search, and the index that other programs read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pith.domain import node_search, selection
from pith.domain import proposals as proposal_domain
from pith.errors import InputError
from pith.files import edges, graph_index, kept, layout, nodes
from pith.files.graph_index import Entry, Graph
from pith.files.kept import Kept
from pith.services.project_memory.shared import Shared, writing


@dataclass(frozen=True, slots=True)
class Filters:
    """What a list or a search is narrowed to."""

    node_type: str | None = None
    source_quest: str | None = None
    source_proposal: str | None = None

    def as_json(self) -> dict[str, str | None]:
        return {"type": self.node_type, "source_quest": self.source_quest, "source_proposal": self.source_proposal}

    def fit(self, entry: Entry) -> bool:
        return (
            self.node_type in (None, entry["node_type"])
            and self.source_quest in (None, entry["source_quest"])
            and self.source_proposal in (None, entry["source_proposal"])
        )


def load(shared: Shared) -> Graph:
    """Every node of this project; nothing else is part of the graph."""
    return graph_index.load(shared.layout, shared.config)


def warnings(shared: Shared, graph: Graph) -> list[str]:
    """A sentence for each file that is not part of the graph though it stands there."""
    shown = [
        f"{entry['file']}: it belongs to another project ({entry['project_id']}); it was left out"
        if entry["project_id"]
        else f"{entry['file']}: it has no project_id; it is left out until `pith doctor --repair-project-id`"
        for entry in graph.foreign
    ]
    shown += [f"{second['file']}: it has the id of {first['file']}; it was left out" for first, second in graph.twice]
    return kept.warnings(shared.layout, graph.problems) + shown


def listed(shared: Shared, filters: Filters | None = None) -> dict[str, Any]:
    """The answer of `graph.list`, in order of ids."""
    wanted = _checked(filters)
    graph = load(shared)
    found = [graph_index.listed(entry) for entry in graph.entries if wanted.fit(entry)]
    return _answer(shared, wanted, found, warnings(shared, graph))


def search(shared: Shared, query: str, filters: Filters | None = None) -> dict[str, Any]:
    """The answer of `graph.search`: the best match first, equal ones in order of ids."""
    if not query.strip():
        raise InputError("Graph search query is required.", hint='Say what to look for: `pith graph search "..."`.')
    wanted = _checked(filters)
    graph = load(shared)
    hits = node_search.search([entry for entry in graph.entries if wanted.fit(entry)], query)
    found = [graph_index.listed(hit.entry) | {"matches": hit.matches, "score": hit.score} for hit in hits]
    answer = _answer(shared, wanted, found, warnings(shared, graph))
    return {**{name: answer[name] for name in ("project", "filters")}, "query": query, **answer}


def _checked(filters: Filters | None) -> Filters:
    wanted = filters or Filters()
    if wanted.node_type is not None:
        proposal_domain.demand_type(wanted.node_type, what="graph")
    return wanted


def _answer(shared: Shared, filters: Filters, found: list[dict[str, Any]], said: list[str]) -> dict[str, Any]:
    return {
        "project": shared.config.as_json(),
        "filters": filters.as_json(),
        "count": len(found),
        "nodes": found,
        "warnings": said,
    }


def find(shared: Shared, selector: str) -> Kept[Any]:
    """The node of this project that was meant, by its id or a beginning that fits one only."""
    if not selector.strip():
        raise InputError("Graph node selector is required.", hint="Give the id that `pith graph list` prints.")
    wanted = layout.checked_id(selector.strip().removesuffix(".md"), "Graph node")
    entries = load(shared).by_id()
    id = selection.pick(wanted, entries, "Graph node", "Graph node not found in current project")
    return nodes.read(shared.layout.root / entries[id]["file"])


def show(shared: Shared, selector: str) -> dict[str, Any]:
    """The answer of `graph.show`: the node with its evidence, provenance, edges and its whole file."""
    found = find(shared, selector)
    graph = load(shared)
    node, file = found.value, shared.layout.shown(found.path)
    known, problems = edges.read(shared.layout)
    near = [edge.as_json() for edge in known if node.id in (edge.source, edge.target)]
    entry = graph_index.entry_of(node, file)
    answer = {
        **graph_index.listed(entry),
        "evidence": node.evidence,
        "source_proposal_section": node.source_section,
        "source_proposal_hash": node.source_proposal_hash,
        "provenance": node.provenance,
        "content": found.document.text,
    }
    answer |= _said({"validity": entry["validity"], "fields": node.own, "edges": near})
    said = warnings(shared, graph) + kept.warnings(shared.layout, problems)
    return {"project": shared.config.as_json(), "node": answer, "warnings": said}


def _said(parts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parts.items() if value}


def rebuild_index(shared: Shared) -> dict[str, Any]:
    """The answer of `graph.rebuildIndex`: the index is written anew from the node files."""
    with writing(shared):
        index, graph = graph_index.rebuild(shared.layout, shared.config, shared.now())
    return {
        "project": shared.config.as_json(),
        "file": shared.layout.shown(shared.layout.path(layout.INDEX)),
        "count": len(index["nodes"]),
        "index": index,
        "warnings": warnings(shared, graph),
    }
