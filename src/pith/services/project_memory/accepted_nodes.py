"""Which entries accepted nodes cite, as changes of knowledge: what the files say is compared with what the log says.

Accepting a proposal is not the only way by which a node comes or goes: a pull, a checkout, a revert and a crash are
others. So nobody appends when accepting; whoever notices that the files are others than before compares them
(`nodes_refresh`), and the difference is appended.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pith.domain import citing, knowledge
from pith.domain.events import PERSON
from pith.domain.knowledge import Change
from pith.domain.nodes import CERTIFIED
from pith.platform import sha256
from pith.services.knowledge.fold import Cause, Command
from pith.store import knowledge as stored
from pith.store.database import Db

BATCH = 200  # changes appended in one transaction: a hook waits only a moment for the write lock
_KINDS = (knowledge.PROPOSAL_ACCEPTED, knowledge.NODE_WITHDRAWN)


@dataclass(frozen=True)
class Citing:
    """A live node: the hash of its file, each entry that it cites with the hash of the quote, and its standing."""

    hash: str
    entries: tuple[tuple[str, str], ...] = ()
    certified: bool = False


@dataclass(frozen=True)
class Difference:
    """A node on which files and log disagree; without `citing` it is gone. `before` is the log's last word."""

    node: str
    citing: Citing | None
    before: Change | None

    @property
    def changes_entries(self) -> bool:
        """Whether an entry may stand elsewhere for it."""
        return bool((self.citing and self.citing.entries) or (self.before and self.before.payload.get("entries")))

    @property
    def anchor(self) -> bytes:
        """What the node becomes, and after what; two processes that compare append it once."""
        parts = ("knowledge", "node", self.node, self.citing.hash if self.citing else "")
        return sha256("\0".join((*parts, self.before.id if self.before else "")).encode())[:16]


def live(entries: Iterable[Mapping[str, Any]]) -> dict[str, Citing]:
    """The nodes that the files hold, as `compare` takes them."""
    return {
        entry["id"]: Citing(
            entry["hash"],
            tuple((one.entry, one.quote_hash) for one in citing.cited(entry["entries"])),
            entry["status"] == CERTIFIED,
        )
        for entry in entries
    }


def differences(db: Db, live: Mapping[str, Citing], folder: str = "") -> list[Difference]:
    """Where files and log disagree. A repository may have several project memories; `folder` says where this one is."""
    last = {
        change.payload["node"]: change
        for change in stored.of_kinds(db, _KINDS)
        if change.payload.get("folder", "") == folder
    }
    found = [
        Difference(node, one, last.get(node))
        for node, one in sorted(live.items())
        if _accepted_hash(last.get(node)) != one.hash
    ]
    gone = (node for node, change in sorted(last.items()) if node not in live and _accepted_hash(change) is not None)
    return found + [Difference(node, None, last[node]) for node in gone]


def compare(db: Db, live: Mapping[str, Citing], folder: str = "", cause: Cause | None = None) -> int:
    """Append what came, changed or went since the last time; how many changes that were. Again appends nothing."""
    found, count = differences(db, live, folder), 0
    for start in range(0, len(found), BATCH):
        with Command(db, cause or Cause(origin=PERSON)) as command:
            for one in found[start : start + BATCH]:
                command.append(*_change(one, folder), anchor=one.anchor)
            count += len(command.changes)
    return count


def _change(one: Difference, folder: str) -> tuple[str, dict[str, Any]]:
    """The kind and the payload of the change that puts the log right."""
    where = {"folder": folder} if folder else {}
    if one.citing is None:
        return knowledge.NODE_WITHDRAWN, {"node": one.node, **where}
    entries = [{"entry": entry, "quote_hash": quote} for entry, quote in one.citing.entries]
    certified = {"certified": True} if one.citing.certified else {}
    payload = {"node": one.node, "hash": one.citing.hash, "entries": entries}
    return knowledge.PROPOSAL_ACCEPTED, {**payload, **certified, **where}


def _accepted_hash(change: Change | None) -> str | None:
    """The hash under which the log knows a node as live."""
    return str(change.payload["hash"]) if change and change.kind == knowledge.PROPOSAL_ACCEPTED else None
