"""Changes of knowledge: the kinds of event that make them (E15), what each carries, and the ids that follow from them.

An event of knowledge belongs to no session. Its payload is JSON; `sources` lists the observed events whose words it
quotes, so that forgetting one of those takes it along.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pith import platform
from pith.errors import InputError
from pith.platform import sha256

SESSION_INGESTED = "session_ingested"
MEMORY_EXTRACTED = "memory_extracted"
ENTRY_NOTED = "entry_noted"
ENTRY_STAGE_MOVED = "entry_stage_moved"
ENTRY_STATUS_MOVED = "entry_status_moved"
TASK_CREATED = "task_created"
TASK_TITLE_CHANGED = "task_title_changed"
TASK_STATE_CHANGED = "task_state_changed"
TASK_PRIORITY_CHANGED = "task_priority_changed"
TASK_BLOCKERS_SET = "task_blockers_set"
TASK_TRANSITION_REJECTED = "task_transition_rejected"
CONDITION_DECLARED = "condition_declared"
CONDITION_RESOLVED = "condition_resolved"
ARTIFACT_DECLARED = "artifact_declared"
MEMORY_CONSOLIDATED = "memory_consolidated"
ENTITY_ALIAS_ADDED = "entity_alias_added"
EVIDENCE_IMPORTED = "evidence_imported"
PREFERENCE_CONFIRMED = "preference_confirmed"
PREFERENCE_WITHDRAWN = "preference_withdrawn"
PROPOSAL_ACCEPTED = "proposal_accepted"
NODE_WITHDRAWN = "node_withdrawn"

# Kind -> the keys that its payload must have. Optional keys stand in the comment; unknown ones are kept.
PAYLOADS: dict[str, tuple[str, ...]] = {
    SESSION_INGESTED: ("session", "events"),
    # A statement: {type, title, text, quotes, evidence, about, mentions, derived_from, content, key}; + stated_at
    MEMORY_EXTRACTED: ("source", "extractor", "version", "build_id", "statements"),
    ENTRY_NOTED: ("statement",),  # + stated_at
    ENTRY_STAGE_MOVED: ("entry", "to"),  # + reason
    ENTRY_STATUS_MOVED: ("entry", "to"),  # + superseded_by | contradicts, reason
    TASK_CREATED: ("task", "key", "title"),  # + priority, entries
    TASK_TITLE_CHANGED: ("task", "key", "title"),
    TASK_STATE_CHANGED: ("task", "from", "to"),  # + blockers when it is blocked by something known, reason, entries
    TASK_PRIORITY_CHANGED: ("task", "priority"),
    TASK_BLOCKERS_SET: ("task", "mode", "blockers"),  # a blocker: {entity, raw_text, ...}; + entries
    TASK_TRANSITION_REJECTED: ("task", "from", "to"),  # + reason
    CONDITION_DECLARED: ("condition", "key", "title"),  # + candidates, entries
    CONDITION_RESOLVED: ("condition",),  # + as, resolution_type, confidence, evidence, by
    ARTIFACT_DECLARED: ("artifact", "key", "title"),  # + url, entries
    # + topics, files, first_at, last_at, branches
    MEMORY_CONSOLIDATED: ("events", "summary", "summarizer", "version", "confidence"),
    ENTITY_ALIAS_ADDED: ("entity", "key"),  # + title
    EVIDENCE_IMPORTED: ("entry_id", "evidence"),  # + entry: what an entry that the store does not have consists of
    PREFERENCE_CONFIRMED: ("text",),  # + preference, scope, said_at, evidence, via
    PREFERENCE_WITHDRAWN: ("preference",),  # + text, scope, said_at and evidence of a candidate that was refused, via
    PROPOSAL_ACCEPTED: ("node", "hash"),  # + entries: [{entry, quote_hash}], certified, folder
    NODE_WITHDRAWN: ("node",),  # + folder
}
KINDS = tuple(PAYLOADS)

FOLD_VERSION = 2  # another version folds the same events into other rows: the tables are rebuilt


@dataclass(frozen=True, slots=True)
class Change:
    """One event of knowledge as it is folded."""

    seq: int
    id: str
    kind: str
    at: str
    payload: Mapping[str, Any]
    branch: str = ""
    commit: str = ""
    recorded_at: str = ""

    def __post_init__(self) -> None:
        """When it was written down stands in its id (UUIDv7)."""
        object.__setattr__(self, "recorded_at", platform.stamp(int(self.id[:8] + self.id[9:13], 16)))


def check(kind: str, payload: Mapping[str, Any]) -> None:
    """Raise InputError unless the payload has what its kind needs."""
    if kind not in PAYLOADS:
        raise InputError(f"`{kind}` is no change of knowledge.")
    lacking = [name for name in PAYLOADS[kind] if name not in payload]
    if lacking:
        raise InputError(f"A change `{kind}` lacks {', '.join(lacking)}.")


def derived_id(*parts: object) -> str:
    """An id that the same parts always give, written as a UUID (version 8: of our own making)."""
    digest = sha256("\0".join(map(str, parts)).encode("utf-8", "surrogatepass"))[:16].hex()
    return f"{digest[:8]}-{digest[8:12]}-8{digest[13:16]}-a{digest[17:20]}-{digest[20:]}"


def entry_id(event: str, ordinal: int) -> str:
    """The id of the entry that is statement number `ordinal` of an event."""
    return derived_id("entry", event, ordinal)


def entity_id(key: str) -> str:
    """The id of the entity that was first called by this canonical key."""
    return derived_id("entity", key)


def edge_id(event: str, ends: tuple[str, str, str, str, str]) -> str:
    """The id of an edge that an event made."""
    return derived_id("edge", event, *ends)


def build_anchor(kind: str, build: str, source: str) -> bytes:
    """The name by which a worker that runs again knows what it has appended: its build and the event it read."""
    return sha256(f"knowledge\0build\0{kind}\0{build}\0{source}".encode())[:16]


def command_anchor(command: str, ordinal: int) -> bytes:
    """The name of the `ordinal`-th event that one command caused."""
    return sha256(f"knowledge\0command\0{command}\0{ordinal}".encode())[:16]
