"""The built-in index where it differs from others: packed signs, numbered means, what stays of a forgotten text."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pith.domain.centring import HANGUL, OTHER, script
from pith.services.meaning import exact, means
from pith.services.meaning.exact import ExactIndex
from pith.store import vectors
from pith.store.database import Db, open_store
from vector_kit import DIMENSIONS, VERSION, row, towards


@pytest.fixture
def db(tmp_path: Path) -> Db:
    return open_store(str(tmp_path / "store"))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "_views", {})
    monkeypatch.setattr(exact, "BLOCK", 64)
    monkeypatch.setattr(exact, "PACKED_FROM", 20)


def filled(db: Db, count: int = 200, seed: int = 1) -> ExactIndex:
    chance = random.Random(seed)
    index = ExactIndex(db, VERSION, DIMENSIONS)
    rows = [row(f"i{n:04}", *[chance.gauss(0.5, 1) for _ in range(DIMENSIONS)], session=f"s{n}") for n in range(count)]
    for start in range(0, count, 25):
        index.upsert(rows[start : start + 25])
    return index


def blocks(db: Db) -> list[vectors.Block]:
    return vectors.blocks(db, vectors.number(db, VERSION) or 0)


def test_young_vectors_are_packed_and_small_blocks_are_put_together(db: Db) -> None:
    index = filled(db)
    assert [each.slots for each in blocks(db)] == [25] * 8
    before = index.search(towards(1, 1), 200)
    index.optimize()
    assert [each.slots for each in blocks(db)] == [50] * 4
    index.upsert([row("late", 1, 1)])
    found = index.search(towards(1, 1), 400)
    assert found[0].item_id == "late"
    assert len(found) == len(before) + 1
    index.optimize()
    assert [each.slots for each in blocks(db)] == [50] * 4  # nothing to do: nothing is done


def test_V07_codes_name_the_mean_they_were_made_with_and_are_made_again_as_the_corpus_grows(db: Db) -> None:
    index = filled(db, 100)
    assert {each.mean for each in blocks(db)} == {0}
    index.optimize()
    (first,) = {each.mean for each in blocks(db)}
    index.upsert([row(f"new{n}", 1, n) for n in range(60)])
    index.optimize()
    assert {each.mean for each in blocks(db)} == {first}  # not twice as many yet
    index.upsert([row(f"more{n}", 1, n) for n in range(60)])
    index.optimize()
    (second,) = {each.mean for each in blocks(db)}
    assert second == first + 1
    assert set(vectors.means(db, VERSION)) == {second}  # nothing names the one before any more


def test_V07_killed_while_codes_are_made_again_both_means_answer_and_the_next_run_ends_it(
    db: Db, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = filled(db)
    made = vectors.replace_blocks
    times = iter(range(99))

    def dies(*how: object) -> None:
        if next(times) == 2:
            raise KeyboardInterrupt
        made(*how)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(vectors, "replace_blocks", dies)
        with pytest.raises(KeyboardInterrupt):
            index.optimize()
    assert len({each.mean for each in blocks(db)}) == 2
    question = next(iter(index.rows())).vector
    fresh = ExactIndex(db, VERSION, DIMENSIONS)
    assert fresh.search(question, 3)[0].closeness == pytest.approx(1, abs=0.002)
    half_way = [near.item_id for near in fresh.search(question, 200)]
    index.optimize()
    assert len({each.mean for each in blocks(db)}) == 1
    assert [near.item_id for near in fresh.search(question, 200)] == half_way


def test_V07_a_new_version_begins_with_the_mean_of_ordinary_sentences(db: Db) -> None:
    class Toy:
        model, dimensions, recipe = "toy", DIMENSIONS, "1"

        def embed_documents(self, texts: list[str]) -> list[bytes]:
            return [towards(1, 0, 3 if script(text) == HANGUL else 0) for text in texts]

        def embed_question(self, text: str) -> bytes:
            return self.embed_documents([text])[0]

    means.seed(db, VERSION, Toy())
    means.seed(db, VERSION, Toy())
    assert list(vectors.means(db, VERSION)) == [means.FROM_SEEDS]
    index = ExactIndex(db, VERSION, DIMENSIONS)
    index.upsert([row("a", 1, 1), row("b", 1, -1), row("c", 1, 1, 3, script=HANGUL)])
    near = {each.item_id: each.closeness for each in index.search(towards(1, 1), 3)}
    assert near["a"] == pytest.approx(1, abs=0.01)
    assert near["b"] < 0  # by its first number alone it would be near everything
    assert near["c"] > 0.8  # Korean and English, alike but for their corners


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("결제 웹훅의 서명을 확인합니다", HANGUL),
        ("결제", HANGUL),
        ("git push 하면 안 돼요", HANGUL),
        ("retryPaymentWebhook() in payment/webhook.py 수정", OTHER),
        ("fix the cart", OTHER),
        ("決済のテスト", OTHER),
        ("", OTHER),
        ("123 !?", OTHER),
    ],
)
def test_which_mean_a_text_belongs_to(text: str, expected: str) -> None:
    assert script(text) == expected


def test_V10_nothing_of_a_deleted_vector_is_left_in_its_block(db: Db) -> None:
    index = filled(db)
    index.optimize()
    number = vectors.number(db, VERSION) or 0
    (gone,) = [each for each in vectors.rows_of(db, number) if each["item_id"] == "i0007"]
    index.delete([("event", "i0007")])
    assert index.search(towards(1, 1), 400)[-1].item_id != "i0007"
    (block,) = [each for each in blocks(db) if each.gone]
    places, codes = vectors.contents(db, [block.block])[block.block]
    at = list(memoryview(places).cast("q")).index(gone["slot"])
    size = len(codes) // block.slots
    assert not any(codes[at * size : (at + 1) * size])
    assert any(codes[: at * size])
    marks = vectors.marks(db, [block.block])[block.block]
    assert not any(marks[at * vectors.MARK : (at + 1) * vectors.MARK])
    index.delete([("event", f"i{n:04}") for n in range(30)])
    index.optimize()
    assert sum(each.gone for each in blocks(db)) == 0
    assert sum(each.slots for each in blocks(db)) == 170


def asked(db: Db) -> list[str]:
    """The statements of one search."""
    statements: list[str] = []
    db.connection.set_trace_callback(statements.append)
    ExactIndex(db, VERSION, DIMENSIONS).search(towards(1), 10)
    db.connection.set_trace_callback(None)
    return statements


def test_a_running_process_reads_its_codes_once_whichever_thread_asks(db: Db) -> None:
    index = filled(db)
    assert any("codes" in each for each in asked(db))
    with open_store(str(Path(db.path).parent)) as other:
        assert not any("codes" in each for each in asked(other))
        index.upsert([row(f"later{n}", 1) for n in range(30)])
        again = [each for each in asked(other) if "codes" in each]
    assert len(again) == 1
    assert again[0].count(",") < 5  # the new block, and none that was seen before


def test_threads_that_ask_at_once_read_the_codes_once_between_them(db: Db, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(db)
    read: list[int] = []
    monkeypatch.setattr(vectors, "contents", _counted(vectors.contents, read))
    ready, found = threading.Barrier(4), []

    def ask() -> None:
        with open_store(str(Path(db.path).parent)) as own:
            ready.wait()
            found.append([near.item_id for near in ExactIndex(own, VERSION, DIMENSIONS).search(towards(1), 5)])

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(read) == len(blocks(db))
    assert len(found) == 4
    assert len({tuple(each) for each in found}) == 1


def test_a_process_keeps_the_codes_of_a_few_sets_those_that_were_looked_at_last(db: Db) -> None:
    for number in range(exact.VIEWS + 3):
        index = ExactIndex(db, f"toy@16-{number}", DIMENSIONS)
        index.upsert([row(f"i{n}", 1, n) for n in range(30)])
        index.search(towards(1), 3)
    assert [key[2] for key in exact._views] == [f"toy@16-{number}" for number in range(3, exact.VIEWS + 3)]


def _counted(contents, read: list[int]):  # type: ignore[no-untyped-def]
    def counting(db: Db, numbers):  # type: ignore[no-untyped-def]
        wanted = list(numbers)
        read.append(len(wanted))
        return contents(db, wanted)

    return counting


def test_opening_and_asking_never_reads_all_vectors(db: Db) -> None:
    index = filled(db, 3_000)
    index.optimize()
    statements = asked(db)
    reading = [each for each in statements if "FROM vectors" in each]
    assert reading
    young = [int(found[1]) for each in reading if (found := re.search(r"slot > (\d+)", each))]
    assert young == [3_000]  # after the last block there is nothing
    assert all("slot >" in each or "slot IN" in each for each in reading)


def test_a_search_of_many_finds_what_looking_at_all_finds(db: Db) -> None:
    index = filled(db, 3_000, seed=4)
    index.optimize()
    everything = index.search(towards(1, 0.5, -1), 3_000)
    assert len(everything) == 3_000
    assert [near.item_id for near in index.search(towards(1, 0.5, -1), 10)] == [
        near.item_id for near in everything[:10]
    ]


def test_many_ids_as_a_filter_are_exact_however_many_they_are(db: Db) -> None:
    from pith.domain.ports import VectorFilter

    index = filled(db, 3_000, seed=5)
    index.optimize()
    order = [near.item_id for near in index.search(towards(1), 3_000)]
    for keep in (2, 3, 5, 50):
        ids = frozenset(id for at, id in enumerate(order) if at % keep == 1) | {f"elsewhere{n}" for n in range(2_000)}
        found = [near.item_id for near in index.search(towards(1), 20, VectorFilter(ids=ids))]
        assert found == [id for id in order if id in ids][:20]
    nowhere = VectorFilter(ids=frozenset(f"elsewhere{n}" for n in range(5_000)))
    assert index.search(towards(1), 20, nowhere) == []


WRITER = """
import os, sys
from pith.store.database import open_store
from pith.services.meaning import exact
from pith.services.meaning.exact import ExactIndex
from vector_kit import DIMENSIONS, VERSION, row
exact.BLOCK, exact.PACKED_FROM = 64, 20
db = open_store(sys.argv[1])
left = [int(sys.argv[2])]
def count(statement):
    left[0] -= 1
    if left[0] == 0:
        os._exit(9)
db.connection.set_trace_callback(count)
index = ExactIndex(db, VERSION, DIMENSIONS)
index.upsert([row(f"i{n}", 1, n) for n in range(30)])
index.upsert([row(f"i{n}", 1, -n, part=part, text="new") for n in range(10) for part in range(3)])
index.delete([("event", "i20"), ("event", "i21")])
index.optimize()
index.upsert([row("last", 1)])
print(left[0])
"""


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.long), 63], ids=["every one", "some"])
def test_V14_killed_at_any_statement_items_are_whole_and_the_next_run_makes_it_right(tmp_path: Path, step: int) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}

    def run(store: Path, until: int) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-c", WRITER, str(store), str(until)]
        return subprocess.run(words, env=environment, capture_output=True, text=True, check=False)

    calm = run(tmp_path / "calm", 1_000_000)
    total = 1_000_000 - int(calm.stdout)
    with open_store(str(tmp_path / "calm")) as db:
        expected = {(each.item_id, each.part): each.digest for each in ExactIndex(db, VERSION, DIMENSIONS).rows()}
        answer = ExactIndex(db, VERSION, DIMENSIONS).search(towards(1, 1), 50)
    for until in range(2, total, step):
        store = tmp_path / f"at{until}"
        assert run(store, until).returncode == 9
        with open_store(str(store)) as db:
            index = ExactIndex(db, VERSION, DIMENSIONS)
            parts: dict[str, set[tuple[int, bytes]]] = {}
            for each in index.rows():
                parts.setdefault(each.item_id, set()).add((each.part, each.digest))
            assert all(len(found) in (1, 3) and len({digest for _, digest in found}) == 1 for found in parts.values())
            assert {near.item_id for near in index.search(towards(1), 100)} == set(parts)
        assert run(store, 1_000_000).returncode == 0
        with open_store(str(store)) as db:
            index = ExactIndex(db, VERSION, DIMENSIONS)
            assert {(each.item_id, each.part): each.digest for each in index.rows()} == expected
            assert [near.item_id for near in index.search(towards(1, 1), 50)] == [near.item_id for near in answer]


def test_pain_02_writing_the_same_items_again_and_again_makes_no_larger_store(db: Db) -> None:
    def used() -> int:
        return int(db.execute("PRAGMA page_count")[0][0]) - int(db.execute("PRAGMA freelist_count")[0][0])

    chance = random.Random(2)
    index = filled(db, 300)
    index.optimize()
    once = used()
    for _ in range(8):
        again = [row(f"i{n:04}", *[chance.gauss(0.5, 1) for _ in range(DIMENSIONS)]) for n in range(300)]
        for start in range(0, 300, 25):
            index.upsert(again[start : start + 25])
        index.optimize()
    assert used() < once * 1.25
    assert index.count() == 300
