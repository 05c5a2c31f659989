"""What endless mode decides, without a store: relevance, triggers, groups, confidence, continuity."""

from __future__ import annotations

from math import exp

import pytest

from pith.domain import continuity, endless, grouping
from pith.domain.continuity import Moment, Snapshot
from pith.domain.endless import Focus, Item, Triggers
from pith.domain.grouping import Grouped

HOUR = 3_600_000
NOW = 1_000 * HOUR
WINDOW = 24 * HOUR


def weigh(kind: str = "response", hours: float = 1, focus: Focus | None = None, **more) -> float:
    item = Item("e", kind, int(NOW - hours * HOUR), **more)
    return endless.relevance(item, focus or Focus(), NOW, WINDOW)


# -- M05 relevance


def test_M05_each_part_alone_makes_an_event_more_relevant():
    focus = Focus({"refund", "gateway"}, {"src/refund.py"})
    plain = weigh()
    assert weigh(hours=0.5) > plain > weigh(hours=9)
    assert weigh("prompt") > weigh("response") > weigh("tool")
    assert weigh(focus=focus, topics={"refund", "coupon"}) > weigh(focus=focus, topics={"coupon"})
    assert weigh(focus=focus, files={"src/refund.py"}) > weigh(focus=focus, files={"src/cart.py"})
    assert weigh(used=2) > weigh(used=1) > plain
    assert weigh(used=9) == weigh(used=2)


def test_M05_the_most_relevant_event_has_one_and_the_least_none_of_what_changes():
    focus = Focus({"refund"}, ())
    assert weigh("prompt", 0, focus, topics={"refund"}, used=5) == pytest.approx(1.0)
    assert weigh("tool", 24) == pytest.approx(endless.KIND * endless.KINDS["tool"])


def test_M04_the_window_takes_age_floor_and_limit_and_lets_the_least_relevant_leave_first():
    items = [Item(str(n), "response", NOW - n * HOUR) for n in range(30)]
    kept = endless.window(items, Focus(), NOW, window_ms=WINDOW, most=5, floor=0.0)
    assert [item.id for _, item in kept] == ["0", "1", "2", "3", "4"]
    kept = endless.window(items, Focus(), NOW, window_ms=WINDOW, most=100, floor=0.5)
    assert all(relevance >= 0.5 for relevance, _ in kept)
    assert len(kept) < 24
    kept = endless.window(items, Focus(), NOW, window_ms=WINDOW, most=100, floor=0)
    assert len(kept) == 24, "what is as old as the window is not in it"


# -- M06 triggers

TRIGGERS = Triggers(interval_ms=HOUR, count=100, idle_ms=HOUR // 2, least=10)


def due(new: list[float], left: int = 0, last: float | None = 0.2, ending: bool = False) -> str:
    """`new` and `last` in hours before now."""
    at = [int(NOW - hours * HOUR) for hours in new]
    looked = None if last is None else int(NOW - last * HOUR)
    return endless.due(TRIGGERS, last=looked, now=NOW, left=left, new=at, ending=ending)


def minutes(count: int, first: float = 0.15) -> list[float]:
    return [first - n * 0.001 for n in range(count)]


def test_M06_nothing_is_due_with_fewer_than_ten_events_however_long_it_is():
    assert due(minutes(9), last=500) == ""
    assert due(minutes(9), ending=True) == ""
    assert due([]) == ""
    assert due([], left=500, last=500) == "", "what stayed behind alone changes nothing"


def test_M06_each_reason_alone_makes_it_due():
    assert due(minutes(12)) == ""
    assert due(minutes(12), last=1) == endless.INTERVAL
    assert due(minutes(100)) == endless.COUNT
    assert due(minutes(12), ending=True) == endless.ENDING
    assert due(minutes(2), left=8, ending=True) == endless.ENDING


def test_M06_idle_is_judged_from_a_rest_before_the_newest_event_or_since_it():
    assert due([0.75 + n * 0.001 for n in range(10, 0, -1)] + [0.01], last=0.9) == endless.IDLE
    assert due([0.75, *minutes(11)], last=0.9) == "", "the rest came before there was enough"
    assert due([0.7 - n * 0.001 for n in range(12)], last=0.9) == endless.IDLE, "nothing has come since"


def test_M06_a_clock_that_was_set_back_does_not_keep_it_waiting():
    assert due(minutes(12), last=-500) == endless.INTERVAL


def test_M06_what_was_never_looked_at_counts_from_its_first_event():
    assert due([2.0, *minutes(11)], last=None) == endless.INTERVAL
    assert due(minutes(12), last=None) == ""


# -- M07 groups


def event(id: str, *topics: str, hour: float = 0) -> Grouped:
    return Grouped(id, int(hour * HOUR), topics)


def ids(groups) -> list[list[str]]:
    return [sorted(group.ids) for group in groups]


def test_M07_a_group_needs_three_and_what_fits_nowhere_is_left_out():
    two = [event("a", "refund"), event("b", "refund"), event("c", "coupon")]
    assert grouping.grouped(two) == []
    assert ids(grouping.grouped([*two, event("d", "refund")])) == [["a", "b", "d"]]
    assert grouping.grouped([event(str(n)) for n in range(9)]) == []


def test_M07_groups_that_share_most_of_their_events_merge_into_one():
    events = [event(str(n), "refund", "retry", "환불") for n in range(4)] + [event("4", "retry", "환불")]
    assert ids(grouping.grouped(events)) == [["0", "1", "2", "3", "4"]]


def test_M07_an_event_between_two_topics_goes_to_one_of_them():
    refund = [event(f"r{n}", "refund", "gateway") for n in range(4)]
    coupon = [event(f"c{n}", "쿠폰", "만료") for n in range(4)]
    between = event("x", "refund", "gateway", "쿠폰")
    found = ids(grouping.grouped([*refund, *coupon, between]))
    assert sorted(found) == [["c0", "c1", "c2", "c3"], ["r0", "r1", "r2", "r3", "x"]]


def test_M07_the_order_of_events_makes_no_difference():
    events = [event(str(n), *"refund coupon cart search".split()[n % 4 : n % 4 + 2], hour=n) for n in range(30)]
    assert grouping.grouped(events) == grouping.grouped(reversed(events))


def test_M07_a_group_too_large_for_a_summary_is_parted_where_the_work_rested():
    events = [event(f"{n:03}", "refund", hour=n * 0.1 + (48 if n >= 50 else 0)) for n in range(70)]
    groups = grouping.grouped(events)
    assert all(3 <= len(group.ids) <= grouping.LARGEST for group in groups)
    assert sorted(id for group in groups for id in group.ids) == [each.id for each in events]
    assert any(group.ids[0] == "050" for group in groups)


# -- M09 confidence


def test_M09_confidence_is_the_mean_of_three_parts_each_between_nothing_and_one():
    close = grouping.group([event(str(n), "refund", hour=n * 0.01) for n in range(10)])
    assert grouping.confidence(close) == pytest.approx(1.0, abs=0.01)
    few = grouping.group([event(str(n), "refund", hour=n * 0.01) for n in range(3)])
    far = grouping.group([event(str(n), "refund", hour=n * 20) for n in range(10)])
    mixed = grouping.group(
        [event(str(n), "refund", f"other{n}") for n in range(5)] + [event("x", "b"), event("y", "c")]
    )
    for weaker in (few, far, mixed):
        assert 0 <= grouping.confidence(weaker) < grouping.confidence(close)
    assert grouping.count_score(3) == 0.3
    assert grouping.closeness([]) == 1.0
    assert grouping.coherence(few.events) == 1.0
    assert grouping.coherence([event("x", "b"), event("y", "c")]) == 0.0


# -- M12 continuity


def moment(minute: float, session: str = "s", seq: int = 0, branch: str = "main") -> Moment:
    return Moment(seq or int(minute * 10), f"{session}{minute}", session, int(minute * 60_000), branch)


def test_M12_a_context_is_a_stretch_of_a_session_between_rests_of_thirty_minutes():
    found = continuity.contexts([moment(0), moment(29.9), moment(59.9), moment(5, "t"), moment(100)])
    assert [(one.session, len(one.events)) for one in found] == [("s", 2), ("t", 1), ("s", 1), ("s", 1)]
    names = {continuity.context_id(one) for one in found}
    assert len(names) == 4
    grown = continuity.contexts([moment(0), moment(29.9), moment(30)])
    assert continuity.context_id(grown[0]) in names


def test_M12_the_weights_are_thirty_twenty_thirty_twenty():
    now = Snapshot({"a", "b"}, {"x"}, {"t"})
    before = Snapshot({"a", "c", "d", "e"}, {"x"}, {"u"})
    expected = 0.3 * (1 / 4) + 0.2 * 1 + 0.3 * exp(-12 / 48) + 0.2 * 0
    assert continuity.score(now, before, 12 * HOUR, 48) == pytest.approx(expected)


def test_M12_what_is_empty_on_both_sides_is_left_out_and_on_one_side_counts_nothing():
    assert continuity.score(Snapshot(), Snapshot(), 48 * HOUR, 48) == pytest.approx(exp(-1))
    topics_only = continuity.score(Snapshot({"a"}), Snapshot({"a"}), 0, 48)
    assert topics_only == pytest.approx(1.0)
    one_sided = continuity.score(Snapshot({"a"}, {"f"}), Snapshot({"a"}), 0, 48)
    assert one_sided == pytest.approx((0.3 + 0.3) / (0.3 + 0.3 + 0.2))


@pytest.mark.parametrize(
    ("score", "kind"),
    [
        (None, "unknown"),
        (0.7, "seamless"),
        (0.699, "topic_shift"),
        (0.4, "topic_shift"),
        (0.399, "break"),
        (0, "break"),
    ],
)
def test_M12_the_kinds_of_transition(score, kind):
    assert continuity.transition(score, 0.7) == kind


def test_M12_a_context_follows_the_last_one_on_its_branch_else_the_last():
    main, wip = moment(0, "a"), moment(60, "b", branch="wip")
    again, other = moment(120, "c"), moment(180, "d", branch="hotfix")
    found = continuity.contexts([main, wip, again, other])
    follows = {one.session: continuity.predecessor(one, found) for one in found}
    assert follows["a"] is None
    assert {name: one.session for name, one in follows.items() if one} == {"b": "a", "c": "a", "d": "c"}


def test_M12_contexts_that_overlap_are_not_apart():
    found = continuity.contexts([moment(0, "a"), moment(20, "a"), moment(10, "b"), moment(400, "c")])
    by_session = {one.session: one for one in found}
    assert continuity.apart(by_session["b"], by_session["a"]) == 10 * 60_000
    assert continuity.apart(by_session["c"], by_session["a"]) == 380 * 60_000
