"""A quest: one piece of work with its request, its route and, at the end, evidence or the reason why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pith.domain import titles
from pith.errors import InputError, PithError

ACTIVE, COMPLETED = "active", "completed"
PENDING, VERIFIED, UNVERIFIED = "pending", "verified", "unverified"


class QuestAlreadyCompleted(PithError):
    """The quest was completed before."""

    code = "USER_INPUT_ERROR"
    hint = "Run `pith quest list` to see what is still active."
    http_status = 409


@dataclass(frozen=True, slots=True)
class Quest:
    """A quest as its file says it. Lists keep their order; times are UTC text."""

    id: str
    title: str
    status: str
    created_at: str
    updated_at: str
    layer: str
    route: str
    quest_policy: str
    output_contract: str
    request: str = ""
    scope_paths: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    unknowns: tuple[str, ...] = ()
    expected_verification: tuple[str, ...] = ()
    verification_status: str = PENDING
    verification_evidence: tuple[str, ...] = ()
    unverified_reason: str = ""
    completed_at: str = ""
    project_id: str = ""
    project_name: str = ""
    origin: dict[str, str] = field(default_factory=dict)

    @property
    def has_proof(self) -> bool:
        """Whether it was completed with evidence, or with the reason why there is none."""
        return bool(self.verification_evidence or self.unverified_reason)


def id_for(now: str, title: str, taken: set[str]) -> str:
    """An id that nobody has yet: when, and what the title says, in ASCII.

    >>> id_for("2026-11-30T03:26:24.884Z", "재가입 규칙", set())
    'quest_20261130_032624Z_jaegaip-gyuchik-6111ac'
    """
    date, _, clock = now.partition("T")
    return titles.free(f"quest_{date.replace('-', '')}_{clock[:8].replace(':', '')}Z_{titles.slug(title)}", taken)


def completed(quest: Quest, evidence: Sequence[str], reason: str, now: str) -> Quest:
    """The quest as it is when done. Raises InputError without proof or with both kinds, and QuestAlreadyCompleted."""
    if quest.status == COMPLETED:
        raise QuestAlreadyCompleted(f"Quest is already completed: {quest.id}")
    found = tuple(line for each in evidence if (line := titles.one_line(each)))
    why = titles.one_line(reason)
    if not found and not why:
        raise InputError(
            "Completion requires --evidence or --unverified.",
            hint="Say what proves it (`--evidence`), or why nothing does (`--unverified`).",
        )
    if found and why:
        raise InputError(
            "Completion cannot combine verification evidence with --unverified.",
            hint="Give the evidence, or the reason why there is none.",
        )
    return replace(
        quest,
        status=COMPLETED,
        updated_at=now,
        completed_at=now,
        verification_status=VERIFIED if found else UNVERIFIED,
        verification_evidence=found,
        unverified_reason=why,
    )
