"""LanceDB where it differs from the built-in index: object storage, many rows, a place that does not answer."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pith.domain.outbox import Retryable
from pith.domain.ports import VectorFilter
from pith.store.database import open_store
from vector_kit import DIMENSIONS, VERSION, row, towards

pytest.importorskip("lancedb")

from pith.adapters import lance_index
from pith.services.meaning.lance import LanceIndex


@pytest.fixture(scope="module")
def bucket() -> Iterator[dict[str, str]]:
    """A bucket of a server on this machine, and what it takes to reach it."""
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    reached = {
        "aws_endpoint": f"http://{host}:{port}",
        "aws_access_key_id": "test",
        "aws_secret_access_key": "test",
        "aws_region": "us-east-1",
        "allow_http": "true",
    }
    boto3 = pytest.importorskip("boto3")
    client = boto3.client(
        "s3",
        endpoint_url=reached["aws_endpoint"],
        aws_access_key_id="test",
        aws_secret_access_key="test",
        region_name="us-east-1",
    )
    client.create_bucket(Bucket="memory")
    yield reached
    server.stop()


def test_V15_it_lives_on_object_storage(bucket: dict[str, str], tmp_path: Path) -> None:
    def opened() -> LanceIndex:
        return LanceIndex(open_store(str(tmp_path)), VERSION, DIMENSIONS, "s3://memory/project-a", bucket)

    index = opened()
    assert index.search(towards(1), 5) == []
    index.upsert([row("결정", 1), row("b", 0, 1), row("b", 0, 1, 1, part=1)])
    index.upsert([row("b", 1, 1, text="new")])
    index.delete([("event", "never there")])
    index.optimize()
    again = opened()
    assert [near.item_id for near in again.search(towards(1), 5)] == ["결정", "b"]
    assert set(again.items()) == {("event", "결정", "결정".encode()), ("event", "b", b"new")}
    assert [near.item_id for near in again.search(towards(1), 5, VectorFilter(ids=frozenset(["b"])))] == ["b"]
    other = LanceIndex(open_store(str(tmp_path)), VERSION, DIMENSIONS, "s3://memory/project-b", bucket)
    assert other.count() == 0
    again.drop()
    assert opened().count() == 0


def test_V15_a_place_that_does_not_answer_is_one_sentence(tmp_path: Path) -> None:
    nowhere = {
        "aws_endpoint": "http://127.0.0.1:9",
        "aws_access_key_id": "x",
        "aws_secret_access_key": "x",
        "allow_http": "true",
        "client_max_retries": "0",
        "client_retry_timeout": "1",
    }
    index = LanceIndex(open_store(str(tmp_path)), VERSION, DIMENSIONS, "s3://memory/a", nowhere)
    with pytest.raises(Retryable, match="did not answer") as failure:
        index.upsert([row("a", 1)])
    assert "\n" not in str(failure.value)


def test_V15_a_place_that_never_answers_costs_a_question_seconds_and_the_next_one_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lance_index, "PATIENCE", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # the kernel accepts, and nobody reads
        where = {
            "aws_endpoint": f"http://127.0.0.1:{silent.getsockname()[1]}",
            "aws_access_key_id": "x",
            "aws_secret_access_key": "x",
            "aws_region": "us-east-1",
            "allow_http": "true",
        }
        index = LanceIndex(open_store(str(tmp_path)), VERSION, DIMENSIONS, "s3://silent/a", where)
        with pytest.raises(Retryable, match="did not answer in"):
            index.search(towards(1), 5)
        monkeypatch.setattr(lance_index, "PATIENCE", 3_600)
        with pytest.raises(Retryable, match="did not answer in"):
            index.search(towards(1), 5)


def _random(file: Path) -> None:
    file.write_bytes(random.Random(file.name).randbytes(max(200, file.stat().st_size)))


def _halved(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def _flipped(file: Path) -> None:
    content, chance = bytearray(file.read_bytes()), random.Random(2)
    for _ in range(20):
        content[chance.randrange(len(content))] ^= 255
    file.write_bytes(content)


DAMAGES: dict[str, Callable[[Path], None]] = {
    "random": _random,
    "halved": _halved,
    "flipped": _flipped,
    "empty": lambda file: file.write_bytes(b"") and None,
    "gone": lambda file: file.unlink(),
}


@pytest.mark.parametrize("part", ["data", "_versions"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_V15_a_damaged_folder_is_one_sentence_that_says_what_helps(tmp_path: Path, damage: str, part: str) -> None:
    def opened() -> LanceIndex:
        return LanceIndex(open_store(str(tmp_path / "store")), VERSION, DIMENSIONS, str(tmp_path / "lance"))

    opened().upsert([row(f"i{n}", n) for n in range(1, 20)])
    for file in (tmp_path / "lance").rglob(f"{part}/*"):
        DAMAGES[damage](file)
    failure = None
    try:
        assert len(opened().search(towards(1), 5)) in (0, 5)  # where all states are gone there is no table
    except Retryable as error:
        failure = error
    if failure is not None:
        assert "\n" not in str(failure)
        assert ".rs:" not in str(failure)
        assert "pith outbox reconcile" in str(failure.hint)
    shutil.rmtree(tmp_path / "lance")
    assert opened().search(towards(1), 5) == []


def test_V15_with_many_rows_it_searches_an_index_and_filters_stay_exact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lance_index, "APPROXIMATE_FROM", 1_000)
    chance = random.Random(2)
    index = LanceIndex(open_store(str(tmp_path)), VERSION, DIMENSIONS, str(tmp_path / "lance"))
    rows = [row(f"i{n}", *[chance.gauss(0, 1) for _ in range(DIMENSIONS)], session=f"s{n % 150}") for n in range(1_500)]
    index.upsert(rows)
    index.optimize()
    index.upsert([row("late", 1)])
    found = index.search(towards(1), 10)
    assert found[0].item_id == "late"  # what came after the index was made is found, too
    few = index.search(towards(1), 20, VectorFilter(session="s7"))
    assert {near.item_id for near in few} == {f"i{n}" for n in range(1_500) if n % 150 == 7}
    index.rebuild()
    assert index.count() == 1_501
    assert index.search(towards(1), 10)[0].item_id == "late"


def test_V15_writing_anew_removes_what_was_deleted_from_the_disk(tmp_path: Path) -> None:
    index = LanceIndex(open_store(str(tmp_path)), VERSION, DIMENSIONS, str(tmp_path / "lance"))
    index.upsert([row(f"i{n}", 1, n) for n in range(40)])
    index.upsert([row("a-telling-name", 1)])
    index.delete([("event", "a-telling-name")])

    def on_disk() -> bool:
        return any(b"a-telling-name" in file.read_bytes() for file in (tmp_path / "lance").rglob("*") if file.is_file())

    assert on_disk()
    index.rebuild()
    assert not on_disk()
    assert index.count() == 40


WRITER = """
import sys
from pith.store.database import open_store
from vector_kit import DIMENSIONS, VERSION, row
from pith.services.meaning.lance import LanceIndex
from pathlib import Path
place = Path(sys.argv[1])
index = LanceIndex(open_store(str(place)), VERSION, DIMENSIONS, str(place / "lance"))
for turn in range(10_000):
    index.upsert([row(f"i{n}", 1, turn, part=part, text=str(turn)) for n in range(10) for part in range(1 + turn % 3)])
    if turn % 7 == 3:
        index.optimize()
    print(turn, flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills with SIGKILL")
def test_V14_killed_in_the_middle_of_writing_every_batch_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    """Ten items are written together again and again; whenever it dies, all ten are of one turn."""
    tests = str(Path(__file__).parent.parent)
    for wait in (0.0, 0.05, 0.13):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)],
            env={**os.environ, "PYTHONPATH": tests},
            stdout=subprocess.PIPE,
        )
        assert writer.stdout is not None
        for _ in range(4):
            writer.stdout.readline()
        time.sleep(wait)
        writer.kill()
        writer.wait()
        writer.stdout.close()
        index = LanceIndex(open_store(str(tmp_path)), VERSION, DIMENSIONS, str(tmp_path / "lance"))
        rows = list(index.rows())
        (turn,) = {int(each.digest) for each in rows}
        assert sorted((each.item_id, each.part) for each in rows) == [
            (f"i{n}", part) for n in range(10) for part in range(1 + turn % 3)
        ]
        index.upsert([row("i0", 1, text=str(turn))])
        index.upsert([row("i0", 1, part=part, text=str(turn)) for part in range(1 + turn % 3)])
        index.optimize()
