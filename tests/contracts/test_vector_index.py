"""What every vector index promises; `exact` and `lancedb` keep it, and so does what answers without numpy."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pith.domain.centring import HANGUL
from pith.domain.ports import VectorFilter, VectorIndex
from vector_kit import DIMENSIONS, OPENERS, OTHER_VERSION, Shelf, packed, row, towards

STRANGE = ["결정", "it's", 'say "no"', "a\\b", "100%", "x' OR '1'='1", "🙂", "a\u1100\u1161", "--", "a b/c:d@e"]


@pytest.fixture(params=list(OPENERS))
def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> Shelf:
    return Shelf(request.param, tmp_path)


@pytest.fixture
def index(shelf: Shelf) -> VectorIndex:
    return shelf.open()


def ids(index: VectorIndex, *directions: float, most: int = 10, only: VectorFilter | None = None) -> list[str]:
    return [near.item_id for near in index.search(towards(*directions), most, only)]


def test_V06_the_nearest_come_first_and_say_how_near_they_are(index: VectorIndex) -> None:
    index.upsert([row("far", 0, 1), row("near", 1, 0.1), row("middle", 1, 1)])
    found = index.search(towards(1), 10)
    assert [near.item_id for near in found] == ["near", "middle", "far"]
    assert found[0].closeness == pytest.approx(0.995, abs=0.002)
    assert found[1].closeness == pytest.approx(0.707, abs=0.002)
    assert found[2].closeness == pytest.approx(0, abs=0.002)
    assert ids(index, 1, most=2) == ["near", "middle"]


def test_V06_an_empty_index_answers_with_nothing(index: VectorIndex) -> None:
    assert index.search(towards(1), 10) == []
    assert index.search(towards(1), 0) == []
    assert (list(index.items()), list(index.rows()), index.digests([("event", "a")]), index.count()) == ([], [], {}, 0)
    index.delete([("event", "a")])
    index.upsert([])
    index.optimize()
    assert index.search(towards(1), 10) == []


def test_V06_an_upsert_done_again_changes_nothing(index: VectorIndex) -> None:
    rows = [row("a", 1), row("b", 0, 1, part=0), row("b", 0, 1, 1, part=1)]
    for _ in range(3):
        index.upsert(rows)
    assert sorted((each.item_id, each.part) for each in index.rows()) == [("a", 0), ("b", 0), ("b", 1)]
    assert index.count() == 2


def test_V06_the_latest_content_stands_and_nothing_of_the_one_before(index: VectorIndex) -> None:
    index.upsert([row("a", 1, text="old"), row("a", 0, 1, part=1, text="old"), row("b", 1, 1)])
    index.upsert([row("a", 0, 0, 1, text="new", session="s2", at="2026-12-01T00:00:00.000Z")])
    (only,) = [each for each in index.rows() if each.item_id == "a"]
    assert (only.part, only.digest, only.session, only.at) == (0, b"new", "s2", "2026-12-01T00:00:00.000Z")
    assert ids(index, 0, 0, 1)[0] == "a"
    assert index.search(towards(0, 1), 1)[0].item_id == "b"
    assert set(index.items()) == {("event", "a", b"new"), ("event", "b", b"b")}


def test_V06_one_id_of_two_kinds_is_two_items(index: VectorIndex) -> None:
    index.upsert([row("a", 1, kind="event"), row("a", 0, 1, kind="entry")])
    index.upsert([row("a", 0, 0, 1, kind="entry")])
    assert {(each.kind, each.item_id) for each in index.rows()} == {("event", "a"), ("entry", "a")}
    index.delete([("event", "a")])
    assert [each.kind for each in index.rows()] == ["entry"]


def test_V06_what_is_deleted_is_gone_and_may_come_back(index: VectorIndex) -> None:
    index.upsert([row("a", 1), row("a", 1, 1, part=1), row("b", 0, 1)])
    index.delete([("event", "a"), ("event", "never there"), ("entry", "b")])
    assert ids(index, 1) == ["b"]
    index.upsert([row("a", 1)])
    assert ids(index, 1) == ["a", "b"]


def test_the_best_piece_of_a_long_text_counts_and_the_item_comes_once(index: VectorIndex) -> None:
    index.upsert([row("long", *[0.0] * n, 1, part=n) for n in range(8)] + [row("short", 1, 1, 1)])
    found = index.search(towards(0, 0, 0, 1), 5)
    assert [(near.item_id, near.part) for near in found] == [("long", 3), ("short", 0)]
    assert found[0].closeness == pytest.approx(1, abs=0.002)


def test_equal_scores_come_in_the_order_of_kind_and_id(index: VectorIndex) -> None:
    index.upsert([row(id, 1, kind=kind) for id in ("c", "a", "b") for kind in ("event", "entry")])
    found = [(near.kind, near.item_id) for near in index.search(towards(1), 10)]
    assert found == [(kind, id) for kind in ("entry", "event") for id in ("a", "b", "c")]


@pytest.mark.parametrize("id", STRANGE)
def test_an_id_may_be_of_any_letters(index: VectorIndex, id: str) -> None:
    index.upsert([row(id, 1, session=id), row("other", 0, 1)])
    assert ids(index, 1) == [id, "other"]
    assert ids(index, 1, only=VectorFilter(ids=frozenset([id]))) == [id]
    assert ids(index, 1, only=VectorFilter(session=id)) == [id]
    assert index.digests([("event", id)]) == {("event", id): id.encode()}
    index.delete([("event", id)])
    assert ids(index, 1) == ["other"]


FILTERS = {
    "one kind": (VectorFilter(kinds=["entry"]), {"b"}),
    "two kinds": (VectorFilter(kinds=["entry", "node"]), {"b", "c"}),
    "a kind that nothing has": (VectorFilter(kinds=["memory"]), set()),
    "one session": (VectorFilter(session="s1"), {"a", "b"}),
    "not one session": (VectorFilter(not_session="s1"), {"c", "d"}),
    "since, included": (VectorFilter(since="2026-11-02T00:00:00.000Z"), {"b", "c", "d"}),
    "until, excluded": (VectorFilter(until="2026-11-02T00:00:00.000Z"), {"a"}),
    "a day": (VectorFilter(since="2026-11-02", until="2026-11-03"), {"b"}),
    "ids": (VectorFilter(ids=frozenset(["a", "d", "nowhere"])), {"a", "d"}),
    "no ids": (VectorFilter(ids=frozenset()), set()),
    "all at once": (
        VectorFilter(["event", "entry"], "s2", "2026-11-01", "2026-11-03", frozenset(["a", "b", "d"])),
        {"a", "b"},
    ),
    "nothing asked": (VectorFilter(), {"a", "b", "c", "d"}),
}


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_is_exact(index: VectorIndex, name: str) -> None:
    only, expected = FILTERS[name]
    index.upsert(
        [
            row("a", 1, at="2026-11-01T00:00:00.000Z"),
            row("b", 1, 1, kind="entry", at="2026-11-02T00:00:00.000Z"),
            row("c", 1, 2, kind="node", at="2026-11-03T00:00:00.000Z", session="s2"),
            row("d", 1, 3, at="2026-11-04T00:00:00.000Z", session=""),
        ]
    )
    assert set(ids(index, 1, only=only)) == expected


def test_a_filter_that_leaves_few_of_many_finds_all_of_them_in_their_order(index: VectorIndex) -> None:
    chance = random.Random(5)
    rows = [
        row(f"i{n}", *[chance.gauss(0.4, 1) for _ in range(DIMENSIONS)], session=f"s{n % 154}") for n in range(1540)
    ]
    index.upsert(rows[:800])
    index.upsert(rows[800:])
    index.optimize()
    allowed = {f"i{n}" for n in range(1540) if n % 154 == 7}  # 0.65 %
    by_session = index.search(towards(1, 1), 10, VectorFilter(session="s7"))
    by_id = index.search(towards(1, 1), 10, VectorFilter(ids=frozenset(allowed)))
    assert {near.item_id for near in by_session} == allowed
    assert by_session == by_id
    scores = [near.closeness for near in by_session]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    "bad",
    [
        packed([0.0] * DIMENSIONS),
        packed([float("nan")] + [1.0] * (DIMENSIONS - 1)),
        packed([float("inf")] + [1.0] * (DIMENSIONS - 1)),
        packed([1.0] * (DIMENSIONS - 1)),
        packed([1.0] * (DIMENSIONS + 1)),
        b"",
        b"abc",
    ],
    ids=["zero", "NaN", "infinite", "too short", "too long", "empty", "odd"],
)
def test_pain_28_a_bad_vector_is_refused_and_nothing_of_its_batch_is_written(index: VectorIndex, bad: bytes) -> None:
    index.upsert([row("kept", 1)])
    poisoned = row("bad", 1)
    poisoned.vector = bad
    with pytest.raises(ValueError, match="vector"):
        index.upsert([row("good", 1), poisoned])
    with pytest.raises(ValueError, match="vector"):
        index.search(bad, 5)
    assert ids(index, 1) == ["kept"]


def test_a_vector_of_another_length_than_one_is_the_same_direction(index: VectorIndex) -> None:
    long = row("long", 1)
    long.vector = packed([1e6] + [0.0] * (DIMENSIONS - 1))
    index.upsert([long])
    assert index.search(packed([1e-3] + [0.0] * (DIMENSIONS - 1)), 1)[0].closeness == pytest.approx(1, abs=0.002)


def test_what_was_written_is_there_when_it_is_opened_again(shelf: Shelf) -> None:
    first = shelf.open()
    first.upsert([row(f"i{n}", 1, n) for n in range(30)])
    first.optimize()
    first.delete([("event", "i0")])
    assert ids(shelf.open(), 1, 1, most=1) == ["i1"]
    assert shelf.open().count() == 29


def test_a_running_process_sees_what_another_one_writes(shelf: Shelf) -> None:
    reader, writer = shelf.open(), shelf.open()
    assert ids(reader, 1) == []
    writer.upsert([row("a", 1), row("b", 0, 1)])
    assert ids(reader, 1) == ["a", "b"]
    writer.delete([("event", "a")])
    writer.optimize()
    assert ids(reader, 1) == ["b"]
    writer.upsert([row("b", 1)])
    assert reader.search(towards(1), 5)[0].closeness == pytest.approx(1, abs=0.002)


def test_V07_two_versions_never_mix(shelf: Shelf) -> None:
    old, new = shelf.open(), shelf.open(OTHER_VERSION)
    old.upsert([row("a", 1), row("b", 1)])
    new.upsert([row("a", 0, 1)])
    assert ids(old, 1) == ["a", "b"]
    assert ids(new, 1) == ["a"]
    new.delete([("event", "a")])
    new.optimize()
    assert ids(old, 1) == ["a", "b"]
    assert old.digests([("event", "a")]) == {("event", "a"): b"a"}


def test_V07_means_apply_when_scoring_and_what_is_stored_stays_as_the_embedder_gave_it(index: VectorIndex) -> None:
    """Around a common direction, as those of real models are; half of them in a corner of their own."""
    chance = random.Random(3)
    rows = []
    for n in range(200):
        lean = [chance.gauss(0, 0.1) for _ in range(DIMENSIONS - 2)]
        corner = (1.0, 0.0) if n % 2 else (0.2, 1.0)
        rows.append(row(f"i{n:03}", *corner, *lean, script=HANGUL if n % 2 == 0 else "other"))
    index.upsert(rows)
    question = rows[1].vector
    before = index.search(question, 200)
    assert before[150].closeness > 0.1  # everything is like everything
    index.optimize()
    after = index.search(question, 200)
    assert (after[0].item_id, after[0].closeness) == ("i001", pytest.approx(1, abs=0.005))
    assert after[150].closeness < 0
    assert abs(sum(near.closeness for near in after) / 200) < 0.05
    kept = {each.item_id: each for each in index.rows()}
    assert _near(kept["i001"].vector, rows[1].vector)
    assert kept["i000"].script == HANGUL


def _near(one: bytes, other: bytes) -> bool:
    floats = zip(memoryview(one).cast("f"), memoryview(other).cast("f"), strict=True)
    return all(abs(a - b) < 0.001 for a, b in floats)


def test_many_writes_in_any_order_leave_what_a_dictionary_would_hold(index: VectorIndex) -> None:
    chance = random.Random(11)
    model: dict[str, bytes] = {}
    for turn in range(12):
        batch = chance.sample(range(300), 90)
        fresh = [row(f"i{n}", *[chance.gauss(0, 1) for _ in range(6)], text=f"{turn}") for n in batch]
        index.upsert(fresh)
        model |= {each.item_id: each.vector for each in fresh}
        gone = chance.sample(sorted(model), 20)
        index.delete([("event", id) for id in gone])
        for id in gone:
            del model[id]
        if turn % 4 == 3:
            index.optimize()
    assert {each.item_id for each in index.rows()} == set(model)
    assert index.count() == len(model)
    assert {near.item_id for near in index.search(towards(1), 1_000)} == set(model)
    assert index.search(next(iter(model.values())), 1)[0].item_id == next(iter(model))
