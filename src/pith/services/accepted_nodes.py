"""Which entries accepted nodes cite, as changes of knowledge: what the files say is compared with what the log says.

Accepting a proposal is not the only way by which a node comes or goes: a pull, a checkout, a revert and a crash are
others. So nobody appends when accepting; after each of these the files are compared, and the difference is appended.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pith.domain import knowledge
from pith.domain.events import PERSON
from pith.domain.knowledge import Change
from pith.platform import sha256
from pith.services.knowledge import Cause, Command
from pith.store import knowledge as stored
from pith.store.database import Db

_KINDS = (knowledge.PROPOSAL_ACCEPTED, knowledge.NODE_WITHDRAWN)


@dataclass(frozen=True)
class Citing:
    """A live node: the hash of its file, and each entry that it cites with the hash of the quote."""

    hash: str
    entries: tuple[tuple[str, str], ...] = ()


def compare(db: Db, live: Mapping[str, Citing], cause: Cause | None = None) -> int:
    """Append what came, changed or went since the last time; how many changes that were. Again appends nothing."""
    with Command(db, cause or Cause(origin=PERSON)) as command:
        last = {change.payload["node"]: change for change in stored.of_kinds(db, _KINDS)}
        for node, citing in sorted(live.items()):
            if _accepted_hash(last.get(node)) != citing.hash:
                cited = [{"entry": entry, "quote_hash": quote} for entry, quote in citing.entries]
                payload = {"node": node, "hash": citing.hash, "entries": cited}
                anchor = _anchor(node, citing.hash, last.get(node))
                command.append(knowledge.PROPOSAL_ACCEPTED, payload, anchor=anchor)
        for node, change in sorted(last.items()):
            if node not in live and _accepted_hash(change) is not None:
                anchor = _anchor(node, "", change)
                command.append(knowledge.NODE_WITHDRAWN, {"node": node}, anchor=anchor)
        return len(command.changes)


def _accepted_hash(change: Change | None) -> str | None:
    """The hash under which the log knows a node as live."""
    return str(change.payload["hash"]) if change and change.kind == knowledge.PROPOSAL_ACCEPTED else None


def _anchor(node: str, hash: str, before: Change | None) -> bytes:
    """The name of a change of a node: what it becomes, and after what; two processes that compare append it once."""
    return sha256("\0".join(("knowledge", "node", node, hash, before.id if before else "")).encode())[:16]
