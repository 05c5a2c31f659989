"""What CI runs in a repository that shares memory: the doctor's findings, and whether what is remembered still holds.

It needs no home and no store, reads only what git carries, and writes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from pith.domain.nodes import Node
from pith.domain.validity import EXPIRED, NOT_YET, STALE, SUPERSEDED, State
from pith.files import graph_index, layout
from pith.files.graph_index import Entry
from pith.files.kept import Kept
from pith.files.layout import FOLDER, NotInitialized
from pith.services import location
from pith.services.doctor import examination
from pith.services.doctor.checks import CHECKS, MEMORY
from pith.services.doctor.finding import ERROR, NOTE, SEVERITIES, WARNING, Finding, Symptom
from pith.services.doctor.memory import LOCAL, Memory
from pith.services.doctor.memory_files import line_of
from pith.services.doctor.patient import Patient, admit
from pith.services.project_memory.freshness import Freshness
from pith.services.project_memory.shared import Shared

PATIENCE = 60.0  # seconds for git; a long history on a slow machine takes some


class Standing:
    """The nodes of a project memory, and what each is today."""

    def __init__(self, memory: Memory, shared: Shared) -> None:
        self.memory = memory
        self.freshness = Freshness(shared, patience=PATIENCE, many=True)
        self.entries: dict[str, Entry] = {
            id: graph_index.entry_of(node.value, memory.shown(node.path)) for id, node in memory.own_nodes.items()
        }

    @cached_property
    def states(self) -> dict[str, State]:
        return {id: self.freshness.state(entry) for id, entry in self.entries.items()}

    def is_live(self, id: str) -> bool:
        """Whether a node is there and was neither replaced nor is out of its time."""
        return id in self.states and self.states[id].name not in (SUPERSEDED, EXPIRED, NOT_YET)

    def node(self, id: str) -> Kept[Node]:
        return self.memory.own_nodes[id]


@dataclass(frozen=True, slots=True)
class Rule:
    """One promise about what nodes say, and how to see that it is broken."""

    code: str
    severity: str
    promise: str
    hint: str
    find: Callable[[Standing], Iterator[Symptom]]

    def finding(self, symptom: Symptom) -> Finding:
        severity = symptom.severity or self.severity
        return Finding(self.code, severity, symptom.message, symptom.hint or self.hint, symptom.subject, symptom.line)


def _stale(standing: Standing) -> Iterator[Symptom]:
    for id, state in standing.states.items():
        if state.name == STALE:
            yield _told(standing, id, "stale_after", f"it may no longer hold: {state.reason}")


def _changed(standing: Standing) -> Iterator[Symptom]:
    for id, entry in standing.entries.items():
        if standing.states[id].name == STALE or not standing.is_live(id):
            continue
        said = standing.freshness.moved(entry).said
        if said:
            since = entry["since"][:10] or "it was accepted"
            yield _told(standing, id, "scope_paths", f"{said} {since}, when it was last known to hold")


def _expired(standing: Standing) -> Iterator[Symptom]:
    for id, state in standing.states.items():
        if state.name == EXPIRED:
            yield _told(standing, id, "valid_to", f"its time is over: {state.reason}")


def _contradicting(standing: Standing) -> Iterator[Symptom]:
    told: set[frozenset[str]] = set()
    for line in standing.memory.edges:
        edge = line.edge
        if not edge or edge.relation != "conflicts_with" or edge.source == edge.target:
            continue
        pair = frozenset((edge.source, edge.target))
        if pair not in told and standing.is_live(edge.source) and standing.is_live(edge.target):
            told.add(pair)
            shown = f"{FOLDER}/{layout.EDGES}"
            yield Symptom(
                f"{shown}:{line.number}: {edge.source} and {edge.target} cannot both hold.", shown, line=line.number
            )


def _replaced_twice(standing: Standing) -> Iterator[Symptom]:
    after: dict[str, set[str]] = {}
    for line in standing.memory.edges:
        if line.edge and line.edge.relation == "supersedes":
            after.setdefault(line.edge.target, set()).add(line.edge.source)
    for id, entry in standing.entries.items():
        if by := entry["validity"].get("superseded_by"):
            after.setdefault(id, set()).add(by)
    for id in sorted(after):
        live = sorted(each for each in after[id] if standing.is_live(each))
        if len(live) > 1 and id in standing.entries:
            yield _told(standing, id, "superseded_by", f"{' and '.join(live)} both take its place")


def _told(standing: Standing, id: str, key: str, what: str) -> Symptom:
    node = standing.node(id)
    shown, line = standing.memory.shown(node.path), line_of(node.document, key)
    return Symptom(f"{shown}:{line}: {what}.", shown, line=line)


def _unanswered(standing: Standing) -> Iterator[Symptom]:
    if standing.freshness.unanswered:
        yield Symptom(
            "git did not say of every file whether it changed: there is no repository, or too little history."
        )


_VERIFY = "See whether it still holds: then `pith graph verify`, else `pith graph supersede`."

RULES = (
    Rule(
        "NODE_STALE", WARNING, "No node is past its `stale_after`, and every file that one names is there.", _VERIFY,
        _stale,
    ),
    Rule(
        "NODE_FILES_CHANGED", WARNING, "No file that a node names changed since the node was last verified.", _VERIFY,
        _changed,
    ),
    Rule(
        "NODE_EXPIRED", WARNING, "No node is past its `valid_to`.",
        "Replace it with `pith graph supersede`, or give it another `valid_to`.", _expired,
    ),
    Rule(
        "NODES_CONTRADICT", ERROR, "No two live nodes conflict with each other.",
        "Decide which holds: `pith graph supersede <old> <new>`, or take the relation away with `pith graph unlink`.",
        _contradicting,
    ),
    Rule(
        "NODE_REPLACED_TWICE", ERROR, "No node was replaced by two live nodes.",
        "Decide which of them holds, and let it take the other's place with `pith graph supersede`.", _replaced_twice,
    ),
    Rule(
        "HISTORY_UNKNOWN", NOTE, "git could tell which files changed.",
        "Fetch the whole history (`fetch-depth: 0`, or `git fetch --unshallow`).", _unanswered,
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found, the worst first; paths are relative to `top`, the top of the work tree."""

    memory: Memory
    top: str
    findings: tuple[Finding, ...]
    made: int

    def count(self, severity: str) -> int:
        return sum(finding.severity == severity for finding in self.findings)

    def file(self, finding: Finding) -> str:
        """The file that a finding is about, as CI knows it."""
        if not finding.subject.startswith(FOLDER):
            return ""
        path = os.path.join(self.memory.layout.root, finding.subject)
        return os.path.relpath(path, self.top).replace(os.sep, "/")


def check(folder: str | None = None) -> Checked:
    """Check the project memory of a folder, or of the nearest one above it. Raises NotInitialized."""
    with admit(cwd=folder, shared=True) as patient:
        memory = patient.memory
        if not memory.exists:
            raise NotInitialized
        findings = [*_of_doctor(patient), *_of_nodes(memory)]
    order = sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))
    made = sum(each.group == MEMORY for each in CHECKS) + len(RULES)
    top = os.path.realpath(location.locate(str(memory.layout.root)).root)
    return Checked(Memory(memory.layout.root.resolve()), top, tuple(order), made)


def _of_doctor(patient: Patient) -> Iterator[Finding]:
    """What the doctor finds in files that others get; what waits on this machine is nobody else's."""
    found = examination.examine(patient, [each for each in CHECKS if each.group == MEMORY])
    local = tuple(f"{FOLDER}/{name}" for name in LOCAL)
    yield from (finding for finding in found.findings if not finding.subject.startswith(local))


def _of_nodes(memory: Memory) -> Iterator[Finding]:
    if memory.config is None:
        return
    standing = Standing(memory, Shared(memory.layout, memory.config))
    for rule in RULES:
        yield from (rule.finding(symptom) for symptom in rule.find(standing))
