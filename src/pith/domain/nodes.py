"""A node: one piece of accepted knowledge, of one of ten kinds, with where it came from and how long it holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pith.domain import titles, validity
from pith.domain.validity import Validity

LIST, TEXT = "list", "text"

OWN_FIELDS: dict[str, dict[str, str]] = {
    "intent": {"triggers": LIST, "expected_output": TEXT, "usual_components": LIST, "risk_hint": TEXT},
    "decision": {"rationale": TEXT, "created_from": TEXT},
    "constraint": {"severity": TEXT, "applies_to": LIST},
    "component": {"paths": LIST, "owners": LIST},
    "risk": {"severity": TEXT, "signals": LIST},
    "verification": {"commands": LIST},
    "convention": {"applies_to": LIST},
    "tool": {"useful_when": LIST, "default_state": TEXT},
    "role": {"unlocked_by": LIST, "scope": LIST},
    "episode": {"intent": TEXT, "result": TEXT, "verification": LIST, "memory_deltas": LIST},
}
KINDS = tuple(OWN_FIELDS)

CANDIDATE, CERTIFIED = "candidate", "certified"
ORIGIN = "memory-delta-proposal"
CONFIDENCES = ("low", "medium", "high")

# The eleven relations, and what `A relation B` says.
RELATIONS = {
    "touches": "A changes or refers to B",
    "depends_on": "A needs B",
    "conflicts_with": "A and B cannot both hold",
    "supersedes": "A replaces B",
    "verified_by": "A is proved by B",
    "caused_by": "A happened because of B",
    "requires_tool": "A needs the tool B",
    "useful_for": "A helps with B",
    "stale_after": "A no longer holds after B",
    "applies_to": "A holds for B",
    "derived_from": "A comes from B",
}


@dataclass(frozen=True, slots=True)
class Node:
    """A node as its file says it. `own` holds the fields of its kind; `provenance` is its block of that name."""

    id: str
    kind: str
    status: str
    confidence: str
    title: str
    summary: str
    evidence: str = ""
    source_section: str = ""
    created_at: str = ""
    updated_at: str = ""
    accepted_at: str = ""
    origin_name: str = ""
    source_proposal: str = ""
    source_quest: str = ""
    source_proposal_hash: str = ""
    project_id: str = ""
    project_name: str = ""
    origin: dict[str, str] = field(default_factory=dict)
    license: str = ""
    provenance: dict[str, Any] = field(default_factory=dict)
    validity: Validity = field(default_factory=Validity)
    own: dict[str, Any] = field(default_factory=dict)
    scope_paths: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()  # that it cites: see citing.py

    @property
    def freshness(self) -> str:
        """When it was last changed: the newest of its times."""
        return max(self.updated_at, self.accepted_at, self.created_at)

    @property
    def since(self) -> str:
        """When it was last known to be right."""
        return self.validity.last_verified_at or self.accepted_at or self.updated_at or self.created_at

    @property
    def keywords(self) -> list[str]:
        return keywords(self.id, self.kind, self.title, self.summary, self.source_quest, self.source_proposal)

    @property
    def tags(self) -> list[str]:
        return tags(self.keywords)


_KEYWORDS, _TAGS = 24, 8
# The letters that orange-hyper knows; with others its doctor takes the index for stale. Search reads whole texts.
_WORD = re.compile(r"[a-z0-9가-힣_.-]{3,}")
# Words that say nothing about a node, and those that stand in every proposal.
_IDLE = frozenset(
    "the and for from with this that quest memory node remember orange hyper candidate source proposal".split()
)


def keywords(*texts: str) -> list[str]:
    """The first 24 different words of three letters and more, as orange-hyper's index holds them."""
    found: dict[str, None] = {}
    for text in texts:
        for word in _WORD.findall(text.lower()):
            if word not in _IDLE:
                found[word] = None
    return list(found)[:_KEYWORDS]


def tags(words: list[str]) -> list[str]:
    """The first eight keywords in order of their letters."""
    return sorted(words[:_TAGS])


def id_for(kind: str, proposal: str) -> str:
    """The id of the node that a proposal becomes."""
    return f"{kind}.{proposal}"


def title_of(summary: str, *others: str) -> str:
    """The title of a node: its summary's one line, cut; else the first of the others that says something."""
    return next((titles.cut(text, titles.NODE_TITLE) for text in (summary, *others) if text.strip()), "")


def is_confidence(text: str) -> bool:
    """Whether a text is low, medium, high, or a number from 0 to 1."""
    return text in CONFIDENCES or weight_of(text) is not None


def weight_of(text: str) -> float | None:
    """A confidence as a number from 0 to 1; None for what is none."""
    if text in CONFIDENCES:
        return {"low": 0.3, "medium": 0.6, "high": 0.9}[text]
    if not re.fullmatch(r"(?:0|1)(?:\.[0-9]{1,6})?|\.[0-9]{1,6}", text):
        return None
    value = float(text)
    return value if value <= 1 else None


def own_field_problems(kind: str, fields: Mapping[str, object]) -> list[str]:
    """Which fields of its kind have the wrong shape, one sentence each. Fields that no kind has are left alone."""
    found = []
    for name, shape in OWN_FIELDS.get(kind, {}).items():
        value = fields.get(name)
        if value is None or value == "":
            continue
        if shape == TEXT and not isinstance(value, str):
            found.append(f"{name} must be one text")
        if shape == LIST and not isinstance(value, (str, list)):
            found.append(f"{name} must be a list of texts")
    return found


def problems(fields: Mapping[str, object]) -> list[str]:
    """What is wrong with the front matter of a node, one sentence each."""
    kind = fields.get("node_type") or fields.get("kind") or ""
    found = []
    if kind not in OWN_FIELDS:
        found.append(f"node_type is `{kind}`, but must be one of {', '.join(KINDS)}")
    if fields.get("kind") and fields.get("node_type") and fields["kind"] != fields["node_type"]:
        found.append(f"kind is `{fields['kind']}`, but node_type is `{fields['node_type']}`")
    confidence = fields.get("confidence")
    if isinstance(confidence, str) and not is_confidence(confidence):
        found.append(f"confidence is `{confidence}`, but must be low, medium, high or a number from 0 to 1")
    return found + own_field_problems(str(kind), fields) + validity.problems(fields)


# -- Answers -------------------------------------------------------------------------------------------------


def index_entry(node: Node, file: str) -> dict[str, Any]:
    """A node as `graph/index.json` holds it; the order of the names is part of the shape."""
    words = node.keywords
    return {
        "id": node.id,
        "file": file,
        "project_id": node.project_id,
        "project_name": node.project_name,
        "node_type": node.kind,
        "title": node.title,
        "source_quest": node.source_quest,
        "source_proposal": node.source_proposal,
        "accepted_at": node.accepted_at,
        **node.origin,
        "license": node.license,
        "candidate_memory": node.summary,
        "summary": node.summary,
        "tags": tags(words),
        "keywords": words,
    }


def list_entry(node: Node, file: str) -> dict[str, Any]:
    """A node as `graph list` and `graph search` answer it."""
    words = node.keywords
    return {
        "id": node.id,
        "file": file,
        "project_id": node.project_id,
        "project_name": node.project_name,
        "kind": node.kind,
        "node_type": node.kind,
        "status": node.status,
        "confidence": node.confidence,
        "title": node.title,
        "source_quest": node.source_quest,
        "source_proposal": node.source_proposal,
        "accepted_at": node.accepted_at,
        **node.origin,
        "origin": node.origin_name,
        "candidate_memory": node.summary,
        "summary": node.summary,
        "tags": tags(words),
        "keywords": words,
    }


def newest(times: Iterable[str]) -> str | None:
    """The latest of some times, or None where there is none."""
    return max((time for time in times if time), default=None)
