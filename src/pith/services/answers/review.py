"""A proposal as somebody who decides on it must see it: what it says, what it rests on, and what it would replace."""

from __future__ import annotations

from typing import Any

from pith.domain import citing
from pith.domain.proposals import PENDING, Proposal
from pith.errors import PithError
from pith.files import nodes, proposals
from pith.files.kept import Kept
from pith.services import lookup
from pith.services.answers.here import Here
from pith.services.knowledge import lookup as look
from pith.services.project_memory import remember
from pith.services.project_memory.shared import Shared
from pith.store import entries

REPLACES = "supersedes:"


def waiting(shared: Shared) -> int:
    """How many proposals wait for somebody; a name of a file is enough to count one."""
    return len(proposals.paths(shared.layout, PENDING))


def proposal(shared: Shared, here: Here, selector: str) -> dict[str, Any]:
    """One proposal with its sections, what the rules say of it, its evidence and what it replaces.

    `read_hash` names what was read; whoever decides says it, so that nobody accepts what they did not see.
    """
    found = remember.find(shared, selector)
    value = found.value
    return {
        "proposal": remember.as_json(value, shared.layout.shown(found.path)),
        "read_hash": found.document.read_hash,
        "candidate": value.candidate,
        "why": value.why,
        "evidence": value.evidence,
        "fields": {name: each for name, each in value.further.items() if name not in ("entries", "links")},
        "links": _listed(value.further.get("links")),
        "validation": remember.judge(shared, found).as_json(),
        "entries": _entries(here, value),
        "replaces": _replaced(shared, value),
    }


def demand_unchanged(shared: Shared, selector: str, read_hash: str) -> Kept[Proposal]:
    """The proposal, if it still is what somebody read. Raises ProposalChanged."""
    found = remember.find(shared, selector)
    if found.document.read_hash != read_hash:
        raise ProposalChanged("The proposal was changed since this page was opened.")
    return found


class ProposalChanged(PithError):
    """A proposal is not what somebody read who decides on it."""

    code = "PROPOSAL_CHANGED"
    hint = "Read it again, then decide."
    http_status = 409


def _listed(value: Any) -> list[str]:
    return [str(value)] if isinstance(value, str) else [str(each) for each in value or ()]


def _entries(here: Here, value: Proposal) -> list[dict[str, Any]]:
    """The entries that it cites, as this store knows them; another person's store may know more."""
    named = citing.cited(_listed(value.further.get("entries")))
    if not named or not lookup.exists(here.folder):
        return [{"id": one.entry, "known": False} for one in named]
    with lookup.open_to_ask(here.folder) as db:
        found = [(one, entries.by_id(db, one.entry)) for one in named]
        return [
            {**look.told_entry(db, entry), "known": True, "evidence": look.told_evidence(db, entry)}
            if entry
            else {"id": one.entry, "known": False}
            for one, entry in found
        ]


def _replaced(shared: Shared, value: Proposal) -> list[dict[str, Any]]:
    """The nodes in whose place it would stand."""
    links = _listed(value.further.get("links"))
    wanted = [link.removeprefix(REPLACES) for link in links if link.startswith(REPLACES)]
    known = nodes.paths(shared.layout) if wanted else {}
    read = [nodes.read(known[id]).value for id in wanted if id in known]
    return [
        {"id": node.id, "title": node.title, "text": node.summary, "accepted_at": node.accepted_at} for node in read
    ]
