"""The three graphs of the page: structure, memory, and the two composed; none of them changes a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pith.domain import structure
from pith.domain.structure import PROJECT, Structure
from pith.services.project_memory.identity.sources import Memory, Sources, as_json

UNMAPPED = "unmapped-memory"
READ_ONLY = {"displayOnly": False, "derived": False, "readOnly": True}


def memory_graph(sources: Sources, memories: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Accepted nodes of this project and the edges kept between them; nothing proposed, nothing drawn."""
    return {**READ_ONLY, "nodes": memories, "edges": [edge.as_json() for edge in sources.edges]}


def places_of(sources: Sources, drawn: Structure) -> dict[str, list[str]]:
    """For each memory the parts of the structure that it is about, the first being its home; none when unmapped."""
    # Backwards, so that a module wins over the tests beside its code; a database has no folder of its own.
    parts = {part.path: part.id for part in reversed(drawn.parts) if part.path != "." and part.id.endswith(part.path)}
    return {memory.node.id: _places(memory, sources, parts) for memory in sources.memories}


def _places(memory: Memory, sources: Sources, parts: Mapping[str, str]) -> list[str]:
    node = memory.node
    quest = sources.quests.get(node.source_quest)
    own: Iterable[str] = node.scope_paths or node.own.get("paths", ())
    scope = tuple(own) or (quest.scope_paths if quest else ())
    found: dict[str, None] = {}
    for path in scope:
        part = PROJECT if path.strip() in (".", "./", "**", "*") else structure.part_of(path, parts)
        if part:
            found[part] = None
    return list(found)


def identity_graph(sources: Sources, drawn: Structure, places: Mapping[str, list[str]]) -> dict[str, Any]:
    """Both graphs as one: structure, memory, and the edges from memory to what it is about."""
    nodes: list[dict[str, Any]] = [{"id": part.id, "type": part.type} for part in drawn.parts]
    edges: list[dict[str, Any]] = list(drawn.edges())
    lost = [memory.node.id for memory in sources.memories if not places[memory.node.id]]
    if lost:
        nodes.append({"id": UNMAPPED, "type": "memoryCluster", "title": "Unmapped memory", "count": len(lost)})
        edges.append({"from": PROJECT, "to": UNMAPPED, "type": "contains"})
    for memory in sources.memories:
        id = memory.node.id
        nodes.append({"id": id, "type": "memory"})
        edges += [{"from": id, "to": part, "type": "scoped_to"} for part in places[id]]
    edges += [{"from": id, "to": UNMAPPED, "type": "clustered_in"} for id in lost]
    edges += [edge.as_json() for edge in sources.edges]
    return {**READ_ONLY, "nodes": nodes, "edges": edges}


def memories_of(sources: Sources) -> list[dict[str, Any]]:
    """The memories as the page's graphs hold them."""
    return [as_json(memory) for memory in sources.memories]
