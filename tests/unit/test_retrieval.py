"""Which nodes a request reaches, what is set apart from them, and that order and budgets are kept."""

from __future__ import annotations

import random
from typing import Any

import pytest

from pith.domain import retrieval
from pith.domain.retrieval import BUDGETS, Link, asked, retrieve
from pith.domain.validity import State, Validity, state

TODAY = "2026-11-30"


def entry(id: str, text: str = "", **other: Any) -> dict[str, Any]:
    fields = {
        "id": id,
        "node_type": id.partition(".")[0],
        "title": text,
        "summary": text,
        "source_quest": "quest_1",
        "accepted_at": "2026-11-01T00:00:00.000Z",
        "since": "2026-11-01T00:00:00.000Z",
        "validity": {},
        "scope_paths": [],
        "own": {},
    }
    return fields | other


def holds(one: Any) -> State:
    return state(Validity(**one["validity"]), one["since"], TODAY)


def slice_of(entries, text, *, links=(), budget="MB2", paths=()):
    return retrieve(entries, asked(text, paths), list(links), BUDGETS[budget], holds)


REFUND = entry("decision.refund", "The refund worker retries three times.")
AUTH = entry("component.auth", "Sign-in and sign-up.", scope_paths=["src/auth"])
NO_LOGS = entry("constraint.no_plain_password", "비밀번호와 토큰은 남기지 않는다")
OTHER = entry("decision.colours", "Buttons are blue.")


def test_G17_entities_are_words_paths_identifiers_and_ids_and_the_action_is_the_output():
    found = asked("Fix `getUserById` in src/auth/user.py, see decision.refund and pay.config.ts")
    assert found.ids == {"decision.refund"}
    assert found.paths == ("pay.config.ts", "src/auth/user.py")
    assert "getuserbyid" in {word.text for word in found.words}
    assert found.action == "edit"
    assert asked("회원 서비스를 검토해 줘", ["./src/member/"]).paths == ("src/member",)


@pytest.mark.parametrize(
    ("text", "paths", "expected"),
    [
        ("why does the refund worker retry?", (), "decision.refund"),
        ("rename the session class", ("src/auth/session.py",), "component.auth"),
        ("tidy up", ("src",), "component.auth"),
        ("look at decision.colours once more", (), "decision.colours"),
        ("비밀번호를 로그에 남기는 코드를 고쳐 줘", (), "constraint.no_plain_password"),
    ],
)
def test_G17_a_node_is_found_by_words_by_path_and_by_name(text, paths, expected):
    assert slice_of([REFUND, AUTH, NO_LOGS, OTHER], text, paths=paths).current[0] == expected


def test_G17_a_constraint_reached_only_through_an_edge_is_found():
    applies = Link("constraint.no_plain_password", "applies_to", "component.auth")
    found = slice_of(
        [REFUND, AUTH, NO_LOGS, OTHER], "rename the session class", links=[applies], paths=["src/auth/a.py"]
    )
    assert set(found.current) == {"component.auth", "constraint.no_plain_password"}
    assert found.found["constraint.no_plain_password"].by == "applies_to component.auth"


def test_G17_a_field_that_names_a_node_is_an_edge_as_well():
    rule = NO_LOGS | {"own": {"applies_to": ["component.auth", "component.gone"]}}
    assert "constraint.no_plain_password" in slice_of([AUTH, rule], "change it", paths=["src/auth"]).current


def test_G17_what_holds_for_a_component_is_found_from_a_decision_about_it():
    links = [
        Link("decision.refund", "touches", "component.auth"),
        Link("constraint.no_plain_password", "applies_to", "component.auth"),
    ]
    found = slice_of([REFUND, AUTH, NO_LOGS, OTHER], "the refund worker retries", links=links)
    assert found.current == ["decision.refund", "component.auth", "constraint.no_plain_password"]
    assert "decision.colours" not in found.found


def test_G17_nothing_is_found_when_nothing_is_about_it():
    assert slice_of([REFUND, AUTH], "translate the landing page into Danish").found == {}


def test_G19_a_stale_node_stands_apart_with_its_dates():
    old = REFUND | {"validity": {"stale_after": "90d", "last_verified_at": "2025-12-01"}, "since": "2025-12-01"}
    found = slice_of([old, OTHER], "the refund worker retries")
    assert found.current == []
    assert [each.line for each in found.stale] == ["- decision.refund: last_verified_at=2025-12-01, stale_after=90d"]


def test_G17_a_superseded_node_stands_apart_and_its_successor_in_its_place():
    chain = [
        REFUND | {"validity": {"superseded_by": "decision.second"}},
        entry("decision.second", "다섯 번", validity={"superseded_by": "decision.third"}),
        entry("decision.third", "넷"),
    ]
    found = slice_of(chain, "the refund worker retries")
    assert found.current == ["decision.third"]
    assert [each.line for each in found.superseded] == ["- decision.refund: superseded_by=decision.second"]


def test_G17_a_successor_by_edge_counts_and_a_cycle_ends():
    new = entry("decision.new", "other words")
    found = slice_of(
        [REFUND, new], "refund worker retries", links=[Link("decision.new", "supersedes", "decision.refund")]
    )
    assert (found.current, [each.id for each in found.superseded]) == (["decision.new"], ["decision.refund"])
    turning = [
        REFUND | {"validity": {"superseded_by": "decision.new"}},
        new | {"validity": {"superseded_by": "decision.refund"}},
    ]
    assert slice_of(turning, "refund worker retries").current == []


def test_G17_two_nodes_that_contradict_each_other_both_stand_apart():
    rival = entry("decision.rival", "No retries at all.")
    quarrel = Link("decision.rival", "conflicts_with", "decision.refund")
    found = slice_of([REFUND, rival], "the refund worker retries", links=[quarrel])
    assert found.current == []
    assert {each.line for each in found.conflicting} == {
        "- decision.refund: conflicts_with=decision.rival",
        "- decision.rival: conflicts_with=decision.refund",
    }


def test_G17_what_no_longer_holds_contradicts_nobody():
    rival = entry("decision.rival", "No retries at all.", validity={"superseded_by": "decision.refund"})
    found = slice_of(
        [REFUND, rival], "refund worker retries", links=[Link("decision.rival", "conflicts_with", "decision.refund")]
    )
    assert found.current == ["decision.refund"]


def test_G15_a_node_that_ends_with_another_is_stale_until_it_is_verified_again():
    ends = Link("decision.refund", "stale_after", "episode.move")
    move = entry("episode.move", "Moved to the new queue.", accepted_at="2026-11-10T00:00:00.000Z")
    assert slice_of([REFUND, move], "refund worker retries", links=[ends]).stale[0].reason.endswith("episode.move")
    verified = REFUND | {"validity": {"last_verified_at": "2026-11-20T00:00:00.000Z"}}
    assert "decision.refund" in slice_of([verified, move], "refund worker retries", links=[ends]).current


@pytest.mark.parametrize(("budget", "most"), [("MB0", 0), ("MB1", 10), ("MB2", 5), ("MB3", 20), ("MB4", 60)])
def test_G18_a_budget_of_nodes_is_never_exceeded_and_what_it_cost_is_named(budget, most):
    many = [entry(f"decision.refund-{n:03}", f"The refund worker retries, case {n}.") for n in range(100)]
    found = slice_of(many, "how does the refund worker retry?", budget=budget)
    assert len(found.current) == most
    assert len(found.left_out) == (100 - most if most else 0)


def test_G17_the_order_of_nodes_and_edges_changes_nothing():
    entries = [entry(f"decision.d{n}", f"refund worker case {n % 3}") for n in range(30)]
    entries += [entry(f"constraint.c{n}", "규칙") for n in range(10)]
    links = [Link(f"constraint.c{n}", "applies_to", f"decision.d{n * 2}") for n in range(10)]
    links += [Link(f"decision.d{n}", "conflicts_with", f"decision.d{n + 7}") for n in range(0, 12, 5)]
    first = slice_of(entries, "refund worker case", links=links, budget="MB3")
    for seed in range(5):
        chance = random.Random(seed)
        chance.shuffle(entries)
        chance.shuffle(links)
        assert slice_of(entries, "refund worker case", links=links, budget="MB3") == first


def test_G18_levels_map_to_budgets_of_the_same_number():
    assert [f"MB{n}" for n in range(5)] == list(BUDGETS)
    assert not BUDGETS["MB1"].bodies
    assert 3 <= BUDGETS["MB2"].nodes <= 5
    assert 10 <= BUDGETS["MB3"].nodes <= 20


def test_weight_of_an_edge_is_its_confidence_and_a_silent_one_carries_as_a_sure_one():
    assert retrieval.weight("") == 1.0 == retrieval.weight("1")
    assert retrieval.weight("low") < retrieval.weight("high") < 1.0
