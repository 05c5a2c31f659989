"""Node files: Markdown with front matter under `graph/nodes/<kind>/`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pith.domain import nodes as domain
from pith.domain import origin
from pith.domain.nodes import KINDS, LIST, Node
from pith.domain.origin import ORIGIN
from pith.domain.validity import FIELDS as VALIDITY
from pith.domain.validity import Validity
from pith.files import front_matter
from pith.files.front_matter import Document, MemoryFileInvalid, meant, plain
from pith.files.kept import Found, Kept, read_all
from pith.files.layout import NODES, Layout

SUMMARY, EVIDENCE, SOURCE = "Summary", "Evidence", "Source Proposal"


def path_of(place: Layout, kind: str, id: str) -> Path:
    """Where a node is kept."""
    return place.nodes(kind) / f"{id}.md"


def folders(place: Layout) -> list[str]:
    """The folders of nodes: those of the ten kinds, and others that are there (a newer pith may have more)."""
    try:
        with os.scandir(place.path(NODES)) as found:
            names = {entry.name for entry in found if entry.is_dir(follow_symlinks=False)}
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [f"{NODES}/{name}" for name in sorted(names & set(KINDS))]


def paths(place: Layout) -> dict[str, Path]:
    """The files of all nodes by id."""
    return {path.stem: path for folder in folders(place) for path in place.files(folder)}


def read(path: Path) -> Kept[Node]:
    """Read one node. Raises MemoryFileInvalid."""
    document = front_matter.read(path)
    return Kept(node_of(document), document)


def read_all_of(place: Layout) -> Found[Node]:
    """Read all nodes."""
    return read_all(paths(place).values(), node_of)


def node_of(document: Document) -> Node:
    """The node that a document holds. Raises MemoryFileInvalid when it has no id or is of no known kind."""
    get, fields = document.get, document.fields
    kind = get("node_type") or get("kind")
    if not get("id"):
        raise MemoryFileInvalid("the node has no id", document.path, 2)
    if kind not in domain.OWN_FIELDS:
        raise MemoryFileInvalid(f"node_type is `{kind}`, which is none of {', '.join(KINDS)}", document.path, 2)
    sections = front_matter.sections(document.body)
    summary = meant(sections.get(SUMMARY) or get("summary") or get("title") or _heading(document.body))
    provenance = fields.get("provenance")
    return Node(
        id=get("id"),
        kind=kind,
        status=get("status"),
        confidence=get("confidence"),
        title=domain.title_of(summary, get("id")),
        summary=summary,
        evidence=sections.get(EVIDENCE, ""),
        source_section=sections.get(SOURCE, ""),
        created_at=get("created_at"),
        updated_at=get("updated_at"),
        accepted_at=get("accepted_at"),
        origin_name=get("origin"),
        source_proposal=get("source_proposal"),
        source_quest=get("source_quest"),
        source_proposal_hash=get("source_proposal_hash"),
        project_id=get("project_id"),
        project_name=get("project_name"),
        origin=origin.of(fields),
        license=get("license"),
        provenance=provenance if isinstance(provenance, dict) else {},
        validity=Validity.of(fields),
        own=_own(document, kind),
        scope_paths=tuple(document.listed("scope_paths")),
        entries=tuple(document.listed("entries")),
    )


def _own(document: Document, kind: str) -> dict[str, Any]:
    """The fields of its kind that the file has."""
    return {
        name: document.listed(name) if shape == LIST else document.get(name)
        for name, shape in domain.OWN_FIELDS[kind].items()
        if name in document.fields
    }


def _heading(body: str) -> str:
    return next((line[2:].strip() for line in body.split("\n") if line.startswith("# ")), "")


# -- Writing -------------------------------------------------------------------------------------------------


def text_of(node: Node) -> str:
    """The file of a new node."""
    return front_matter.dump(_fields(node), _body(node))


def _fields(node: Node) -> dict[str, Any]:
    said = {name: value for name in VALIDITY if (value := getattr(node.validity, name))}
    return {
        "schema_version": "1",
        **ORIGIN,
        "project_id": node.project_id,
        "project_name": node.project_name,
        "id": node.id,
        "kind": node.kind,
        "node_type": node.kind,
        "status": node.status,
        "confidence": node.confidence,
        "created_at": node.created_at,
        "updated_at": node.updated_at,
        "accepted_at": node.accepted_at,
        "origin": node.origin_name,
        "source_proposal": node.source_proposal,
        "source_quest": node.source_quest,
        "source_proposal_hash": node.source_proposal_hash,
        **said,
        **node.own,
        **({"scope_paths": list(node.scope_paths)} if node.scope_paths else {}),
        **({"entries": list(node.entries)} if node.entries else {}),
        "provenance": {**ORIGIN, **node.provenance},
    }


def _body(node: Node) -> str:
    parts = {SUMMARY: plain(node.summary), EVIDENCE: node.evidence, SOURCE: node.source_section}
    sections = "\n\n".join(f"## {title}\n\n{text}" for title, text in parts.items())
    return f"# {node.title}\n\n{sections}"
