"""Proposal files: Markdown with front matter under `proposals/memory-delta/{pending,accepted,rejected}/`."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from pith.domain import nodes, origin, validity
from pith.domain import proposals as domain
from pith.domain.origin import ORIGIN
from pith.domain.proposals import STATUSES, Proposal
from pith.files import front_matter
from pith.files.front_matter import Document, meant, plain
from pith.files.kept import Found, Kept, read_all
from pith.files.layout import PROPOSALS, Layout

# What a proposal may carry for the node that it would become, beside the fields of the node's kind.
FURTHER = (*validity.FIELDS, "links", "entries", "scope_paths", "reason", "accepted_by", "accepted_via", "rejected_by")


def path_of(place: Layout, id: str, status: str) -> Path:
    """Where a proposal of that status is kept."""
    return place.proposals(status) / f"{id}.md"


def paths(place: Layout, *statuses: str) -> dict[str, Path]:
    """The files of all proposals, or of those statuses, by id; the most final status wins where one stands twice."""
    return {path.stem: path for status in statuses or STATUSES for path in place.files(f"{PROPOSALS}/{status}")}


def read(path: Path) -> Kept[Proposal]:
    """Read one proposal. Raises MemoryFileInvalid."""
    document = front_matter.read(path)
    return Kept(_proposal(document), document)


def read_all_of(place: Layout, *statuses: str) -> Found[Proposal]:
    """Read all proposals, or those of the given statuses."""
    return read_all(
        (path for status in statuses or STATUSES for path in place.files(f"{PROPOSALS}/{status}")), _proposal
    )


def _proposal(document: Document) -> Proposal:
    get = document.get
    sections = front_matter.sections(document.body)
    kind = get("node_type")
    own = nodes.OWN_FIELDS.get(kind, {})
    return Proposal(
        id=get("id") or document.path.stem,
        status=get("status"),
        source_quest=get("source_quest"),
        node_type=kind,
        confidence=get("confidence"),
        created_at=get("created_at"),
        updated_at=get("updated_at"),
        title=get("title"),
        candidate=meant(sections.get(domain.CANDIDATE, "")),
        why=meant(sections.get(domain.WHY, "")),
        evidence=sections.get(domain.EVIDENCE, ""),
        suggested=sections.get(domain.SUGGESTED, ""),
        project_id=get("project_id"),
        project_name=get("project_name"),
        origin=origin.of(document.fields),
        further={name: value for name, value in document.fields.items() if name in own or name in FURTHER},
    )


def missing(document: Document) -> list[str]:
    """The required fields and sections that a proposal's file does not have."""
    sections = front_matter.sections(document.body)
    return [name for name in domain.REQUIRED if name not in document.fields] + [
        f"section `## {name}`" for name in domain.SECTIONS if name not in sections
    ]


def hash_of(document: Document) -> str:
    """SHA-256 over the file's text with LF line ends and no byte order mark: the same in every checkout."""
    return text_hash(document.text)


def text_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


# -- Writing -------------------------------------------------------------------------------------------------


def text_of(proposal: Proposal) -> str:
    """The file of a new proposal."""
    return front_matter.dump(_fields(proposal), _body(proposal))


def text_changed(kept: Kept[Proposal], proposal: Proposal, **fields: Any) -> str:
    """The proposal's file with what differs written into it; everything else stays as it was."""
    old = kept.value
    updates: dict[str, Any] = {
        name: getattr(proposal, name)
        for name in ("status", "confidence", "updated_at")
        if getattr(proposal, name) != getattr(old, name)
    }
    updates |= {name: value for name, value in proposal.further.items() if old.further.get(name) != value}
    text = front_matter.changed(kept.document, updates | fields)
    for title, now, before in (
        (domain.CANDIDATE, plain(proposal.candidate), plain(old.candidate)),
        (domain.WHY, plain(proposal.why), plain(old.why)),
        (domain.EVIDENCE, proposal.evidence, old.evidence),
        (domain.SUGGESTED, proposal.suggested, old.suggested),
    ):
        if now != before:
            text = front_matter.with_section(text, title, now)
    return text


def _fields(proposal: Proposal) -> dict[str, Any]:
    return {
        "schema_version": "1",
        **ORIGIN,
        "project_id": proposal.project_id,
        "project_name": proposal.project_name,
        "id": proposal.id,
        "status": proposal.status,
        "source_quest": proposal.source_quest,
        "node_type": proposal.node_type,
        "confidence": proposal.confidence,
        "created_at": proposal.created_at,
        "updated_at": proposal.updated_at,
        "title": proposal.title,
        **proposal.further,
    }


def _body(proposal: Proposal) -> str:
    parts = {
        domain.CANDIDATE: plain(proposal.candidate),
        domain.WHY: plain(proposal.why),
        domain.EVIDENCE: proposal.evidence,
        domain.SUGGESTED: proposal.suggested,
    }
    sections = "\n\n".join(f"## {title}\n\n{text}" for title, text in parts.items())
    return f"# Memory Delta Proposal: {proposal.title}\n\n{sections}"
