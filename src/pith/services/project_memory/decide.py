"""Accept or reject a proposal: the only way by which something becomes a node of the project memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pith.domain import citing, titles
from pith.domain import nodes as node_domain
from pith.domain import proposals as domain
from pith.domain.nodes import CANDIDATE, LIST, ORIGIN, OWN_FIELDS, Node
from pith.domain.origin import ORIGIN as WRITTEN_BY
from pith.domain.proposals import ACCEPTED, PENDING, REJECTED, Proposal, ProposalInvalid
from pith.domain.validity import Validity
from pith.files import edges, intent, nodes, proposals
from pith.files.edges import Edge
from pith.files.intent import Step
from pith.files.kept import Kept
from pith.files.layout import EDGES
from pith.services.project_memory import remember, review
from pith.services.project_memory.review import TERMINAL, Ask
from pith.services.project_memory.shared import Masking, Shared, change, writing


@dataclass(frozen=True, slots=True)
class Accepted:
    """An accepted proposal and the node that it became."""

    proposal: Proposal
    file: str
    node: Node
    node_file: str
    masked: int = 0

    def as_json(self) -> dict[str, Any]:
        return {
            "proposal": remember.as_json(self.proposal, self.file),
            "node": node_as_json(self.node, self.node_file),
        } | ({"masked": self.masked} if self.masked else {})


def accept(shared: Shared, selector: str, *, via: str = TERMINAL, ask: Ask | None = None) -> Accepted:
    """Make a pending proposal a node. Raises ProposalAlreadyDecided, ProposalInvalid, and NeedsAPerson.

    The proposal moves, the node appears and the index follows as one: a kill in between leaves all or nothing.
    """
    review.demand_via(via)
    remember.demand_pending(found := remember.find(shared, selector))
    review.demand_person(str(shared.layout.root), f"Accept `{found.value.title}` as {found.value.node_type}?", ask)
    who = review.name_of_person(str(shared.layout.root))
    masking = Masking()
    with writing(shared):
        found = remember.find(shared, found.path.stem)
        remember.demand_pending(found)
        judged = remember.judge(shared, found)
        if not judged.valid:
            raise ProposalInvalid("; ".join(judged.errors) + ".")
        proposal, text = _accepted_text(shared, found, masking, {"accepted_by": who, "accepted_via": via})
        path = proposals.path_of(shared.layout, proposal.id, ACCEPTED)
        node = _node(shared, proposal, proposals.text_hash(text), shared.layout.shown(path), who, via)
        node_path = nodes.path_of(shared.layout, node.kind, node.id)
        steps = [
            intent.made(shared.layout, node_path, nodes.text_of(node)),
            intent.made(shared.layout, path, text),
            intent.changed(shared.layout, found.path, None, found.document.read_hash),
            *_link_steps(shared, proposal, node),
        ]
        change(shared, "remember.accept", proposal.id, steps, reindex=True)
    kept = nodes.read(node_path).value
    return Accepted(
        proposals.read(path).value, shared.layout.shown(path), kept, shared.layout.shown(node_path), masking.count
    )


def node_again(shared: Shared, found: Kept[Proposal]) -> str:
    """Make the node of an accepted proposal a second time, as it was when it was accepted; its id.

    Called under the lock. Raises ProposalInvalid for a proposal that no node can be made of.
    """
    proposal, further = found.value, found.value.further
    if proposal.node_type not in OWN_FIELDS:
        raise ProposalInvalid(f"{shared.layout.shown(found.path)} has no type that a node can have.")
    who, via = str(further.get("accepted_by") or "unknown"), str(further.get("accepted_via") or TERMINAL)
    file = shared.layout.shown(found.path)
    node = _node(shared, proposal, proposals.hash_of(found.document), file, who, via)
    path = nodes.path_of(shared.layout, node.kind, node.id)
    step = intent.made(shared.layout, path, nodes.text_of(node))
    change(shared, "doctor.repair", node.id, [step], reindex=True)
    return node.id


def reject(shared: Shared, selector: str, *, reason: str | None = None) -> dict[str, Any]:
    """Put a pending proposal aside; the answer of `remember.reject`. No node comes of it."""
    masking = Masking()
    who = review.name_of_person(str(shared.layout.root))
    why = titles.one_line(masking.text(reason or ""))
    with writing(shared):
        found = remember.find(shared, selector)
        remember.demand_pending(found)
        proposal = domain.decided(replace(found.value, status=PENDING), REJECTED, _later(shared, found.value))
        extra = {"rejected_by": who, **({"reason": why} if why else {})}
        path = proposals.path_of(shared.layout, found.path.stem, REJECTED)
        steps = [
            intent.made(shared.layout, path, proposals.text_changed(found, proposal, **extra)),
            intent.changed(shared.layout, found.path, None, found.document.read_hash),
        ]
        change(shared, "remember.reject", proposal.id, steps)
    answer = {"proposal": remember.as_json(proposal, shared.layout.shown(path))}
    return answer | ({"masked": masking.count} if masking.count else {})


def _later(shared: Shared, proposal: Proposal) -> str:
    """Now, or the time that the file says already where the clock went back."""
    return max(shared.now(), proposal.updated_at)


def _accepted_text(
    shared: Shared, found: Kept[Proposal], masking: Masking, fields: dict[str, str]
) -> tuple[Proposal, str]:
    """The accepted proposal and its file; somebody may have written private data into it by hand."""
    old = found.value
    proposal = replace(
        domain.decided(old, ACCEPTED, _later(shared, old)),
        candidate=masking.text(old.candidate),
        why=masking.text(old.why),
        evidence=masking.text(old.evidence),
    )
    return proposal, proposals.text_changed(found, proposal, **fields)


def _node(shared: Shared, proposal: Proposal, hash: str, file: str, who: str, via: str) -> Node:
    """The node that an accepted proposal becomes, with all of its provenance."""
    at = proposal.updated_at
    return Node(
        id=node_domain.id_for(proposal.node_type, proposal.id),
        kind=proposal.node_type,
        status=CANDIDATE,
        confidence=proposal.confidence,
        title=node_domain.title_of(proposal.candidate),
        summary=proposal.candidate,
        evidence=proposal.evidence,
        source_section=f"- Proposal: {proposal.id}\n- File: {file}",
        created_at=at,
        updated_at=at,
        accepted_at=at,
        origin_name=ORIGIN,
        source_proposal=proposal.id,
        source_quest=proposal.source_quest,
        source_proposal_hash=hash,
        project_id=shared.config.project_id,
        project_name=shared.config.project_name,
        provenance={
            "project_id": shared.config.project_id,
            "project_name": shared.config.project_name,
            "proposal_id": proposal.id,
            "source_proposal": proposal.id,
            "source_quest": proposal.source_quest,
            "accepted_at": at,
            "node_type": proposal.node_type,
            "origin": ORIGIN,
            "source_proposal_hash": hash,
            "accepted_by": who,
            "accepted_via": via,
        },
        validity=Validity.of(proposal.further),
        own=_own(proposal),
        scope_paths=tuple(proposal.further.get("scope_paths", ())),
        entries=_entries(proposal),
        origin={name: value for name, value in WRITTEN_BY.items() if name != "license"},
    )


def _entries(proposal: Proposal) -> tuple[str, ...]:
    """The entries that a proposal cites, as the node is to name them."""
    given = proposal.further.get("entries") or ()
    return tuple(map(str, citing.cited([given] if isinstance(given, str) else given)))


def _own(proposal: Proposal) -> dict[str, Any]:
    """The fields of its kind that a proposal carries, in the kind's shape."""
    return {
        name: [value] if shape == LIST and isinstance(value, str) else value
        for name, shape in OWN_FIELDS[proposal.node_type].items()
        if (value := proposal.further.get(name))
    }


def _link_steps(shared: Shared, proposal: Proposal, node: Node) -> list[Step]:
    """The step that adds the edges which the proposal names."""
    named = proposal.further.get("links") or []
    links = [remember.demand_link(shared, link) for link in ([named] if isinstance(named, str) else named)]
    if not links:
        return []
    text = edges.added(shared.layout, [Edge(node.id, relation, other, node.confidence) for relation, other in links])
    return [intent.changed(shared.layout, shared.layout.path(EDGES), text)]


def node_as_json(node: Node, file: str) -> dict[str, Any]:
    """What the answer of `remember.accept` says of the node."""
    return {
        "id": node.id,
        "file": file,
        "project_id": node.project_id,
        "project_name": node.project_name,
        "kind": node.kind,
        "node_type": node.kind,
        "status": node.status,
        "confidence": node.confidence,
        "accepted_at": node.accepted_at,
        "origin": node.origin_name,
        "source_proposal": node.source_proposal,
        "source_quest": node.source_quest,
        "source_proposal_hash": node.source_proposal_hash,
        **node.origin,
        "provenance": node.provenance,
    }
