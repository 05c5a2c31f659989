"""Checks of the graph: the index says what the nodes say, edges have both ends, what was replaced has a successor."""

from __future__ import annotations

from collections.abc import Iterator

from pith.domain import nodes as domain
from pith.domain import validity
from pith.files import layout
from pith.files.front_matter import MemoryFileInvalid
from pith.files.layout import FOLDER, INDEX, NODES
from pith.services.doctor.finding import Symptom
from pith.services.doctor.memory import Memory
from pith.services.doctor.memory_files import line_of, told
from pith.services.doctor.patient import Patient
from pith.services.project_memory import graph

_SHOWN = f"{FOLDER}/{INDEX}"


def index_unreadable(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    if isinstance(memory.index, MemoryFileInvalid):
        yield told(memory, memory.index)
    elif memory.index and len(memory.entries) != len(memory.index["nodes"]):
        yield Symptom(f"{_SHOWN}: an entry is no node with an id.", _SHOWN)


def paths_outside(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    known = {memory.shown(node.path) for node in memory.nodes.items}
    for entry in memory.entries:
        file = entry.get("file")
        if not isinstance(file, str) or (file not in known and not _is_inside(memory, file)):
            yield Symptom(f"{_SHOWN}: the entry {entry['id']} leads out of {FOLDER}/{NODES}.", _SHOWN)


def _is_inside(memory: Memory, file: str) -> bool:
    parts = file.split("/")
    if "\\" in file or "\0" in file or ".." in parts or not file.startswith(f"{FOLDER}/{NODES}/"):
        return False
    return memory.layout.is_inside(memory.layout.root / file)


def orphans(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    # A node that cannot be read, or that is another project's, is told of itself.
    there = {memory.shown(problem.path) for problem in memory.nodes.problems if problem.path}
    there |= {memory.shown(node.path) for node in memory.nodes.items if node.value.project_id != memory.project_id}
    for entry in memory.entries:
        if memory.config and entry["id"] not in memory.own_nodes and entry.get("file") not in there:
            yield Symptom(f"{_SHOWN}: the entry {entry['id']} has no node.", _SHOWN)


def unindexed(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    if not isinstance(memory.index, dict) or not memory.project_id:
        return
    known = {entry["id"] for entry in memory.entries}
    lacking = [id for id in memory.own_nodes if id not in known]
    if lacking:
        yield Symptom(f"{_SHOWN} lacks {_named(lacking)}.", _SHOWN)


def outdated(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    if not isinstance(memory.index, dict) or not memory.project_id:
        return
    if memory.outdated:
        yield Symptom(f"{_SHOWN} says of {_named(memory.outdated)} what its file does not.", _SHOWN)
        return
    ids = [entry["id"] for entry in memory.entries]
    if ids != sorted(set(ids)):
        yield Symptom(f"{_SHOWN} holds entries twice or out of order.", _SHOWN)
        return
    newest = domain.newest(node.value.freshness for node in memory.own_nodes.values())
    wanted = {"project_id": memory.project_id, "updated_at": newest}
    differing = [name for name, value in wanted.items() if memory.index.get(name) != value]
    if differing and set(ids) == set(memory.own_nodes):
        yield Symptom(f"{_SHOWN}: {' and '.join(differing)} {'is' if len(differing) == 1 else 'are'} outdated.", _SHOWN)


def _named(ids: list[str]) -> str:
    return ids[0] if len(ids) == 1 else f"{ids[0]} and {len(ids) - 1:,} more"


def rebuild(patient: Patient) -> str:
    count = graph.rebuild_index(patient.memory.shared())["count"]
    return f"{_SHOWN} was written anew from {count:,} node{'' if count == 1 else 's'}."


# -- Edges and successors ------------------------------------------------------------------------------------


def edges_unreadable(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    conflict = False
    for line in memory.edges:
        problem = line.problem
        if problem is None:
            continue
        if problem.problem == "an unresolved merge conflict":
            if conflict:  # its three marks are one conflict
                continue
            conflict = True
        yield told(memory, problem)


def edges_dangling(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    shown = f"{FOLDER}/{layout.EDGES}"
    known = {node.value.id for node in memory.nodes.items} | memory.nodes.stems
    for line in memory.edges:
        lost = [end for end in (line.edge.source, line.edge.target) if end not in known] if line.edge else []
        if line.edge and lost:
            edge = line.edge
            hint = (
                f"Take the node from git again, or run `pith graph unlink {edge.source} {edge.relation} {edge.target}`."
            )
            yield Symptom(f"{shown}:{line.number}: {lost[0]} is no node.", shown, hint, line=line.number)


def successors(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    after = {node.value.id: node.value.validity.superseded_by for node in memory.nodes.items}
    known = set(after) | memory.nodes.stems
    for node in memory.nodes.items:
        by = node.value.validity.superseded_by
        if not by:
            continue
        shown, line = memory.shown(node.path), line_of(node.document, "superseded_by")
        if by not in known:
            yield Symptom(f"{shown}:{line}: it was replaced by {by}, which is no node.", shown, line=line)
        elif (chain := validity.chain(node.value.id, after)).cycle and node.value.id == min(chain.nodes):
            yield Symptom(f"{shown}:{line}: {' and '.join(chain.nodes)} replace each other.", shown, line=line)
