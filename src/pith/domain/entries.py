"""Entries: immutable statements drawn from events, and the two things about them that may move, stage and status."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from pith.errors import PithError

EntryType = Literal["fact", "decision", "insight", "task_note", "reference"]
Stage = Literal["raw", "working", "candidate", "verified", "certified"]
Status = Literal["active", "contested", "deprecated", "superseded"]

TYPES: tuple[str, ...] = get_args(EntryType)
STAGES: tuple[str, ...] = get_args(Stage)
STATUSES: tuple[str, ...] = get_args(Status)

# One rung at a time upwards. Down only when the node that cited an entry is withdrawn: a person once accepted it, so it
# stays a candidate.
STAGE_MOVES: dict[str, tuple[str, ...]] = {
    "raw": ("working",),
    "working": ("candidate",),
    "candidate": ("verified",),
    "verified": ("certified", "candidate"),
    "certified": ("verified", "candidate"),
}
STATUS_MOVES: dict[str, tuple[str, ...]] = {
    "active": ("contested", "deprecated", "superseded"),
    "contested": ("active", "deprecated", "superseded"),
    "deprecated": ("active",),
    "superseded": ("active",),
}


class IllegalMove(PithError):
    """A stage, status or state cannot be reached from the present one."""

    code = "ILLEGAL_MOVE"
    hint = "Look at the present state first, then move one step at a time."
    http_status = 409


@dataclass(frozen=True)
class Entry:
    """A statement and what it rests on. `created_ts` is when it was stated, `created_at` when it was recorded."""

    entry_id: str
    created_ts: str
    entry_type: str
    title: str
    content: Mapping[str, Any]
    stage: str = "raw"
    status: str = "active"
    superseded_by: str | None = None
    build_id: str | None = None
    evidence: tuple[Mapping[str, Any], ...] | None = None
    canonical_key: str | None = None
    created_at: str = ""
    branch: str = ""
    commit_id: str = ""
    event_id: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def has_failed_quote(self) -> bool:
        """Whether a quote that it rests on was not found where it was said to be."""
        return any(one.get("method") == FAILED for one in self.evidence or ())

    @property
    def is_found(self) -> bool:
        """Whether at least one of its quotes was found, or it needs none."""
        evidence = self.evidence or ()
        return not evidence or any(one.get("method") != FAILED for one in evidence)


FAILED = "failed"


def may_move_stage(entry: Entry, to: str) -> bool:
    """Whether the entry may stand on that rung next; a failed quote keeps it at candidate, all failed ones at raw."""
    if to not in STAGE_MOVES.get(entry.stage, ()):
        return False
    if not entry.is_found:
        return False
    return not (entry.has_failed_quote and STAGES.index(to) > STAGES.index("candidate"))


def may_move_status(entry: Entry, to: str) -> bool:
    """Whether the entry may have that status next."""
    return to in STATUS_MOVES.get(entry.status, ())


def check_stage_move(entry: Entry, to: str) -> None:
    """Raise IllegalMove unless the entry may stand on that rung next."""
    if not may_move_stage(entry, to):
        raise IllegalMove(f"Entry {entry.entry_id} cannot move from {entry.stage} to {to}.")


def check_status_move(entry: Entry, to: str) -> None:
    """Raise IllegalMove unless the entry may have that status next."""
    if not may_move_status(entry, to):
        raise IllegalMove(f"Entry {entry.entry_id} cannot move from {entry.status} to {to}.")
