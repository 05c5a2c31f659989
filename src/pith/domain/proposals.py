"""A memory delta proposal: what a quest taught, waiting for a person to accept or reject it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from pith.domain import nodes, quests, routes, titles, validity
from pith.domain.quests import Quest
from pith.errors import InputError, PithError

PENDING, ACCEPTED, REJECTED = "pending", "accepted", "rejected"
STATUSES = (PENDING, ACCEPTED, REJECTED)

REQUIRED = (
    "schema_version", "project_id", "project_name", "id", "status", "source_quest", "node_type", "confidence",
    "created_at", "updated_at", "title",
)  # fmt: skip
CANDIDATE, WHY, EVIDENCE, SUGGESTED = (
    "Candidate Memory", "Why this should be remembered", "Evidence", "Suggested Node",
)  # fmt: skip
SECTIONS = (CANDIDATE, WHY, EVIDENCE, SUGGESTED)


class ProposalAlreadyDecided(PithError):
    """Someone has accepted or rejected this proposal before."""

    code = "USER_INPUT_ERROR"
    hint = "Run `pith remember list --status pending` to see what still waits."
    http_status = 409

    def __init__(self, id: str, status: str) -> None:
        super().__init__(f"Memory proposal is already {status}: {id}")


class ProposalInvalid(PithError):
    """A proposal breaks a rule of quality."""

    code = "VALIDATION_ERROR"
    hint = "Run `pith remember revise` with a better `--candidate`, `--why` or `--confidence`."
    http_status = 422


class NotProposable(PithError):
    """A quest that no memory can be proposed from."""

    code = "USER_INPUT_ERROR"
    hint = "Run `pith quest list --all` to see the quests."
    http_status = 409


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposal as its file says it. `further` holds validity, the kind's own fields, links, paths and the like."""

    id: str
    status: str
    source_quest: str
    node_type: str
    confidence: str
    created_at: str
    updated_at: str
    title: str
    candidate: str
    why: str
    evidence: str
    suggested: str = ""
    project_id: str = ""
    project_name: str = ""
    origin: dict[str, str] = field(default_factory=dict)
    further: dict[str, Any] = field(default_factory=dict)

    @property
    def suggested_type(self) -> str:
        """The type that stands under Suggested Node, or nothing."""
        match = re.search(r"^\s*[-*]\s*Type:\s*(\S+)", self.suggested, re.MULTILINE)
        return match[1] if match else ""


# -- Where a proposal comes from -----------------------------------------------------------------------------

# Korean rule words are those that state a rule, not the ending of any sentence that asks for work.
_CONSTRAINT = (
    r"\b(?:must|must not|never|always|only|forbidden|prohibit(?:ed)?|constraint|invariant|rule|require(?:s|d|ment)?|"
    r"at most|at least|no more than)\b|"
    r"규칙|제약|금지|반드시|필수|항상|절대|해야만|하면 안|하지 않는다|남기지 않"
)
_RISK = (
    r"\b(?:risk(?:s|y)?|danger(?:ous)?|regress(?:ion|ions)?|hazard|outage|data loss|fragile|breaks when)\b|"
    r"위험|회귀|장애|주의|깨질|유실|실패하는"
)


@dataclass(frozen=True, slots=True)
class Inferred:
    """A node type and the rule that gave it."""

    node_type: str
    reason: str


def node_type_of(quest: Quest) -> Inferred:
    """The type of node that a quest suggests."""
    if quest.output_contract == routes.VALIDATION:
        return Inferred("verification", "the quest's output contract is validation")
    if quest.output_contract == routes.REVIEW:
        return Inferred("component", "the quest's output contract is review")
    text = f"{quest.title}\n{quest.request}"
    if match := re.search(_CONSTRAINT, text, re.IGNORECASE):
        return Inferred("constraint", f"the request says `{match[0]}`")
    if match := re.search(_RISK, text, re.IGNORECASE):
        return Inferred("risk", f"the request says `{match[0]}`")
    return Inferred("decision", "no other rule fits")


def confidence_of(quest: Quest) -> str:
    """How sure a quest's outcome is: low without evidence, high for verified work of level 3 and up."""
    if quest.verification_status != quests.VERIFIED:
        return "low"
    return "high" if quest.layer in ("L3", "L4") else "medium"


def candidate_of(quest: Quest) -> str:
    """What a quest suggests to remember: the first sentence of its request."""
    return titles.first_sentence(quest.request or quest.title)


def why_of(quest: Quest) -> str:
    """The reason that stands in a proposal until somebody gives a better one."""
    return (
        f"A {quest.layer} quest ({quest.output_contract}) ended with this, and later work in the project may need it. "
        "It becomes memory only when a person accepts it."
    )


def evidence_of(quest: Quest) -> str:
    """The evidence section: the quest, what its verification came to, and each proof or the reason for none."""
    lines = [f"- Source Quest: {quest.id}", f"- Verification status: {quest.verification_status}"]
    lines += [f"- Evidence: {titles.one_line(each)}" for each in quest.verification_evidence]
    if quest.unverified_reason:
        lines.append(f"- Unverified reason: {titles.one_line(quest.unverified_reason)}")
    return "\n".join(lines)


def suggested_of(proposal: Proposal) -> str:
    """The section that says which node this would become."""
    return "\n".join(
        (
            f"- Type: {proposal.node_type}",
            f"- Confidence: {proposal.confidence}",
            f"- Summary: {titles.cut(proposal.candidate, titles.NODE_TITLE)}",
            f"- Source Quest: {proposal.source_quest}",
        )
    )


def demand_proposable(quest: Quest, *, force_reason: str | None = None) -> None:
    """Raise NotProposable for a quest that is active, without proof, or too small (unless forced, with a reason)."""
    if quest.status != quests.COMPLETED:
        raise NotProposable(
            "Memory proposals can only be created from completed quests.",
            hint=f"Run `pith quest done {quest.id} --evidence ...` first.",
        )
    if not quest.has_proof:
        raise NotProposable(
            "Memory proposals need verification evidence or an unverified reason.",
            hint="Complete the quest with `--evidence` or `--unverified`.",
        )
    if quest.layer in ("L0", "L1") and not (force_reason or "").strip():
        raise NotProposable(
            f"Memory proposals are disabled by default for L0/L1 quests; {quest.id} is {quest.layer}.",
            hint="If it is worth keeping all the same, add `--force --reason` and say why.",
        )


def id_for(quest: str, node_type: str, taken: set[str]) -> str:
    """An id that no proposal of any status has yet."""
    return titles.free(f"mem_delta_{quest}_{node_type}", taken)


def demand_type(node_type: str, *, what: str = "memory proposal") -> None:
    """Raise InputError for a node type that is none of the ten."""
    if node_type not in nodes.OWN_FIELDS:
        raise InputError(
            f"Unsupported {what} node type: {titles.cut(node_type)}", hint=f"Use one of {', '.join(nodes.KINDS)}."
        )


def demand_confidence(confidence: str) -> None:
    """Raise InputError for a confidence that is neither low, medium, high nor a number from 0 to 1."""
    if not nodes.is_confidence(confidence):
        raise InputError(
            f"Unsupported memory proposal confidence: {titles.cut(confidence)}",
            hint="Use low, medium, high, or a number from 0 to 1.",
        )


# -- Quality -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Quality:
    """What is wrong with a proposal: errors keep it from being accepted, warnings do not."""

    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def valid(self) -> bool:
        return not self.errors

    def as_json(self) -> dict[str, Any]:
        return {"valid": self.valid, "errors": list(self.errors), "warnings": list(self.warnings)}


_GENERIC = re.compile(
    r"(?i)(?:todo|tbd|n/?a|none|fix(?:ed)?|done|update[sd]?|change[sd]?|misc|test|memory|decision|note|something|"
    r"수정|완료|변경|메모|기타|작업|테스트|없음)[.!]?"
)
_SHORT_LATIN, _SHORT_OTHER = 20, 8  # a syllable of Hangul says about as much as two or three letters
_REFERENCE = re.compile(r"(?i)\bquest_\w|source quest|evidence\s*:|verification|verified|unverified|근거|검증|미검증")


def quality(proposal: Proposal, missing: Iterable[str] = ()) -> Quality:
    """Judge a proposal by the rules; `missing` are required fields or sections that its file does not have."""
    errors = [f"memory proposal {proposal.id} has no {name}" for name in missing]
    warnings = []
    name = f"memory proposal {proposal.id}"
    if not proposal.candidate.strip():
        errors.append(f"{name} {CANDIDATE} is empty")
    elif is_generic(proposal.candidate):
        warnings.append(f"{name} {CANDIDATE} is very short or generic; say more precisely what should be remembered")
    if not proposal.why.strip():
        errors.append(f"{name} {WHY} is empty")
    if not _REFERENCE.search(proposal.evidence) and proposal.source_quest not in proposal.evidence:
        errors.append(f"{name} {EVIDENCE} refers neither to the source quest nor to a verification")
    if proposal.suggested_type and proposal.suggested_type != proposal.node_type:
        errors.append(f"{name} {SUGGESTED} says type {proposal.suggested_type}, but node_type is {proposal.node_type}")
    if proposal.node_type not in nodes.OWN_FIELDS:
        errors.append(f"{name} node_type is `{proposal.node_type}`, which is none of {', '.join(nodes.KINDS)}")
    if not nodes.is_confidence(proposal.confidence):
        errors.append(f"{name} confidence is `{proposal.confidence}`, but must be low, medium, high or from 0 to 1")
    errors += [f"{name} {said}" for said in validity.problems(proposal.further)]
    errors += [f"{name} {said}" for said in nodes.own_field_problems(proposal.node_type, proposal.further)]
    if proposal.updated_at < proposal.created_at:
        warnings.append(f"{name} updated_at {proposal.updated_at} lies before created_at {proposal.created_at}")
    return Quality(tuple(errors), tuple(warnings))


def is_generic(candidate: str) -> bool:
    """Whether a candidate is too short or too general to be of use later."""
    text = titles.one_line(candidate)
    latin = sum(letter.isascii() for letter in text) > len(text) / 2
    return len(text) < (_SHORT_LATIN if latin else _SHORT_OTHER) or _GENERIC.fullmatch(text) is not None


# -- Moves ---------------------------------------------------------------------------------------------------


def same_text(one: str, other: str) -> bool:
    """Whether two candidates say the same, white space and Unicode form aside."""
    return _folded(one) == _folded(other)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", titles.one_line(text))


def duplicate(candidate: Proposal, others: Iterable[Proposal]) -> Proposal | None:
    """The pending proposal of the same quest and type that says the same already."""
    return next(
        (
            other
            for other in others
            if other.status == PENDING
            and other.source_quest == candidate.source_quest
            and other.node_type == candidate.node_type
            and same_text(other.candidate, candidate.candidate)
        ),
        None,
    )


def repeated(proposal: Proposal, others: Iterable[Proposal]) -> Proposal | None:
    """Another pending proposal, of any quest, with the same candidate."""
    return next(
        (
            other
            for other in others
            if other.status == PENDING and other.id != proposal.id and same_text(other.candidate, proposal.candidate)
        ),
        None,
    )


def decided(proposal: Proposal, status: str, now: str) -> Proposal:
    """The proposal as accepted or rejected. Raises ProposalAlreadyDecided when it was before."""
    if proposal.status != PENDING:
        raise ProposalAlreadyDecided(proposal.id, proposal.status)
    return replace(proposal, status=status, updated_at=now)
