"""Checks of where nodes come from: quest, proposal and node must say the same, and all three must be there."""

from __future__ import annotations

from collections.abc import Iterator

from pith.domain.nodes import ORIGIN, Node, id_for
from pith.domain.proposals import REJECTED, Proposal
from pith.files import proposals
from pith.files.kept import Kept
from pith.services.doctor.finding import Symptom
from pith.services.doctor.memory import Memory, name_of
from pith.services.doctor.memory_files import line_of
from pith.services.doctor.patient import Patient
from pith.services.project_memory import decide
from pith.services.project_memory.shared import writing


def without_node(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    for each in _without_node(memory):
        shown = memory.shown(each.path)
        yield Symptom(f"{shown} was accepted, but its node is not there.", shown)


def _without_node(memory: Memory) -> list[Kept[Proposal]]:
    known = {node.value.source_proposal for node in memory.nodes.items}
    return [
        each
        for stem, each in memory.accepted.items()
        if stem not in known and id_for(each.value.node_type, stem) not in memory.nodes.stems
    ]


def make_nodes(patient: Patient) -> str:
    memory = patient.memory
    shared = memory.shared()
    with writing(shared):
        made = [decide.node_again(shared, each) for each in _without_node(memory)]
    return f"Made again from what was accepted: {', '.join(made)}."


def without_proposal(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    for node in memory.nodes.items:
        shown, source = memory.shown(node.path), node.value.source_proposal
        if not source:
            yield Symptom(f"{shown} names no proposal that it came from.", shown, _HINT_NONE, line=1)
        elif source not in memory.accepted and not _is_unread(memory, source):
            line = line_of(node.document, "source_proposal")
            yield Symptom(f"{shown}:{line}: its accepted proposal {source} is not there.", shown, line=line)


_HINT_NONE = "Only `pith remember accept` makes nodes: propose it from a quest, and remove this file."


def _is_unread(memory: Memory, source: str) -> bool:
    return any(each.path and name_of(each.path) == source for each in memory.proposals.problems)


def without_quest(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    completed = {name_of(each.path) for each in memory.quests.items if each.path.parent.name == "completed"}
    for each in memory.proposals.items:
        source = each.value.source_quest
        if source in completed or each.path.parent.name == REJECTED:
            continue
        shown, line = memory.shown(each.path), line_of(each.document, "source_quest")
        if source not in memory.quests.stems:
            yield Symptom(f"{shown}:{line}: its source quest {source or '(none)'} is not there.", shown, line=line)
        elif any(name_of(quest.path) == source for quest in memory.quests.items):
            yield Symptom(f"{shown}:{line}: its source quest {source} is not completed.", shown, line=line)


def differing(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    for node in memory.nodes.items:
        proposal = memory.accepted.get(node.value.source_proposal)
        wrong = [*_inside(node.value), *(_against(node.value, proposal) if proposal else ())]
        if wrong:
            shown, line = memory.shown(node.path), line_of(node.document, wrong[0].partition(" ")[0])
            told = "; ".join(dict.fromkeys(wrong))
            yield Symptom(f"{shown}:{line}: {told}.", shown, line=line)


def _against(node: Node, kept: Kept[Proposal]) -> Iterator[str]:
    """What a node says of its origin and its accepted proposal does not."""
    proposal = kept.value
    for name, said, true in (
        ("source_quest", node.source_quest, proposal.source_quest),
        ("accepted_at", node.accepted_at, proposal.updated_at),
        ("node_type", node.kind, proposal.node_type),
    ):
        if said != true:
            yield f"{name} is {said or 'missing'}, but the accepted proposal says {true or 'nothing'}"
    if node.source_proposal_hash != proposals.hash_of(kept.document):
        yield f"source_proposal_hash {'does not fit' if node.source_proposal_hash else 'is missing for'} the proposal"


def _inside(node: Node) -> Iterator[str]:
    """What a node says in two places differently."""
    if node.origin_name != ORIGIN:
        yield f"origin is {node.origin_name or 'missing'}, but must be {ORIGIN}"
    if not node.provenance:
        yield "provenance is missing"
        return
    for name, said in (
        ("origin", node.origin_name),
        ("source_quest", node.source_quest),
        ("source_proposal", node.source_proposal),
        ("accepted_at", node.accepted_at),
        ("node_type", node.kind),
        ("source_proposal_hash", node.source_proposal_hash),
    ):
        if node.provenance.get(name) != said:
            yield f"{name} is not what its provenance says"
