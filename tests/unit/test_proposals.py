"""Proposals: where they come from, what makes a good one, and how they move."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pith.domain import proposals, quests
from pith.domain.proposals import ACCEPTED, NotProposable, Proposal, ProposalAlreadyDecided
from pith.domain.quests import Quest

NOW = "2026-11-30T03:26:24.884Z"


def quest(request: str = "Decide how the worker retries.", **fields: object) -> Quest:
    whole = Quest(
        id="quest_1", title=request, status="completed", created_at=NOW, updated_at=NOW, layer="L2",
        route="L2/P2/T2/V2/A0/M0/MB2", quest_policy="recommended", output_contract="implementation", request=request,
        verification_status="verified", verification_evidence=("14 passed",),
    )  # fmt: skip
    return replace(whole, **fields)  # type: ignore[arg-type]


def proposal(**fields: object) -> Proposal:
    whole = Proposal(
        id="mem_1", status="pending", source_quest="quest_1", node_type="decision", confidence="medium",
        created_at=NOW, updated_at=NOW, title="t", candidate="The refund worker retries three times.", why="Asked often.",
        evidence="- Source Quest: quest_1", suggested="- Type: decision",
    )  # fmt: skip
    return replace(whole, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        (quest(output_contract="validation"), "verification"),
        (quest(output_contract="review"), "component"),
        (quest("Passwords must never reach the log."), "constraint"),
        (quest("비밀번호는 로그에 남기지 않는다는 규칙"), "constraint"),
        (quest("정산 배치가 실패하는 위험을 기록한다."), "risk"),
        (quest("Record the risk of a lost batch."), "risk"),
        (quest(), "decision"),
        (quest("재시도는 세 번으로 정한다"), "decision"),
    ],
)
def test_G03_the_type_follows_the_output_contract_and_the_words(source: Quest, kind: str) -> None:
    found = proposals.node_type_of(source)
    assert found.node_type == kind
    assert found.reason


def test_G03_the_candidate_is_the_first_sentence_of_the_request() -> None:
    assert proposals.candidate_of(quest("Retry three times. Then stop.")) == "Retry three times."


@pytest.mark.parametrize("layer", ["L0", "L1"])
def test_G03_small_quests_are_refused_unless_forced_with_a_reason(layer: str) -> None:
    with pytest.raises(NotProposable, match="L0/L1"):
        proposals.demand_proposable(quest(layer=layer))
    with pytest.raises(NotProposable):
        proposals.demand_proposable(quest(layer=layer), force_reason=" ")
    proposals.demand_proposable(quest(layer=layer), force_reason="it keeps coming back")


def test_G03_active_quests_and_quests_without_proof_are_refused() -> None:
    with pytest.raises(NotProposable, match="completed quests"):
        proposals.demand_proposable(quest(status="active"))
    with pytest.raises(NotProposable, match="evidence"):
        proposals.demand_proposable(quest(verification_evidence=()))


@pytest.mark.parametrize(
    "fields",
    [
        {"candidate": " "},
        {"why": ""},
        {"evidence": "- it works"},
        {"suggested": "- Type: risk"},
        {"confidence": "huge"},
        {"confidence": "1.5"},
        {"node_type": "poem", "suggested": ""},
        {"further": {"valid_to": "soon"}},
        {"further": {"rationale": ["two", "texts"]}},
    ],
)
def test_G06_errors(fields: dict[str, object]) -> None:
    assert not proposals.quality(proposal(**fields)).valid


@pytest.mark.parametrize(
    "fields",
    [{"candidate": "done."}, {"candidate": "수정"}, {"candidate": "short"}, {"updated_at": "2026-11-29T00:00:00.000Z"}],
)
def test_G06_warnings(fields: dict[str, object]) -> None:
    judged = proposals.quality(proposal(**fields))
    assert judged.valid
    assert len(judged.warnings) == 1


@pytest.mark.parametrize("confidence", ["low", "medium", "high", "0", "1", "0.85", "1.0"])
def test_G14_confidence_is_a_word_or_a_number_from_0_to_1(confidence: str) -> None:
    assert proposals.quality(proposal(confidence=confidence)).valid


def test_G06_a_short_korean_sentence_is_not_generic() -> None:
    assert not proposals.is_generic("재가입은 30일 뒤에만 된다")


def test_G05_only_a_pending_one_of_the_same_quest_type_and_text_is_a_duplicate() -> None:
    one = proposal()
    assert proposals.duplicate(replace(one, id=""), [one]) is one
    assert proposals.duplicate(replace(one, candidate="The  refund worker\nretries three times."), [one]) is one
    for fields in ({"status": "rejected"}, {"node_type": "risk"}, {"source_quest": "q"}, {"candidate": "Other"}):
        assert proposals.duplicate(one, [replace(one, **fields)]) is None


def test_a_decided_proposal_cannot_be_decided_again() -> None:
    with pytest.raises(ProposalAlreadyDecided, match="already accepted: mem_1"):
        proposals.decided(proposal(status=ACCEPTED), "rejected", NOW)


def test_G02_completing_needs_evidence_or_a_reason_and_not_both() -> None:
    active = quest(status="active", verification_evidence=())
    for evidence, reason in (([], ""), ([" "], " "), (["14 passed"], "none")):
        with pytest.raises(quests.InputError):
            quests.completed(active, evidence, reason, NOW)
    assert quests.completed(active, ["null"], "", NOW).verification_evidence == ("null",)
    assert quests.completed(active, [], "no machine", NOW).verification_status == "unverified"
