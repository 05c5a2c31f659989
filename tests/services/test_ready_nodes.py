"""Answers over all nodes that are ready from the last time: the same bytes, and never from a file that is not ours."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import memory_project
from conftest import Run
from pith.files import caches, node_cache, ready_nodes
from pith.files.layout import INDEX, NODE_CACHE, READY_INDEX, READY_LIST, Layout

Pith = Callable[..., Run]
KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
LIST, REBUILD = ("graph", "list", "--json"), ("graph", "rebuild-index", "--json")
BOTH = pytest.mark.parametrize(("words", "ready"), [(LIST, READY_LIST), (REBUILD, READY_INDEX)])


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    """Twenty nodes, one of which holds a credential. Files count as calm at once, which takes two seconds else."""
    monkeypatch.setattr(node_cache, "_RACY_NS", -(10**18))
    layout = memory_project.make(tmp_path / "shop", 20)
    file = _a_node(layout)
    file.write_text(file.read_text("utf-8") + f"\n## Summary\n\n재시도 \u202e token {KEY}\n", encoding="utf-8")
    return layout


def _a_node(layout: Layout) -> Path:
    return min(layout.path("graph/nodes").rglob("*.md"))


def _warm(shop: Layout, pith: Pith, words: tuple[str, ...]) -> str:
    """The answer of a command that has run twice: the first one may have written the index."""
    first, second = (pith(*words, cwd=shop.root, check=True).stdout for _ in range(2))
    assert first == second
    return second


def _forged(data: bytes) -> bytes:
    """A ready answer with another text in it, and hashes that fit."""
    rest = data[128:].replace(b"refund", b"REFUND")
    assert rest != data[128:]
    return data[:64] + hashlib.blake2b(rest, digest_size=32).hexdigest().encode() + rest


@BOTH
def test_an_answer_that_is_ready_is_the_same_byte_for_byte_and_masked(
    shop: Layout, pith: Pith, words: tuple[str, ...], ready: str
) -> None:
    answer = _warm(shop, pith, words)
    shop.path(ready).unlink()
    assert pith(*words, cwd=shop.root).stdout == answer
    assert shop.path(ready).exists()
    assert pith(*words, cwd=shop.root).stdout == answer
    assert KEY not in answer
    assert "[masked:github-token]" in answer
    assert "재시도" in answer
    assert KEY not in shop.path(ready).read_text("utf-8")
    assert json.loads(answer)["data"]["count"] == 20


@BOTH
def test_an_answer_that_is_ready_is_what_is_read_next_time(
    shop: Layout, pith: Pith, words: tuple[str, ...], ready: str
) -> None:
    _warm(shop, pith, words)
    path = shop.path(ready)
    caches.write(path, _forged(path.read_bytes()))
    assert "REFUND" in pith(*words, cwd=shop.root).stdout


@BOTH
def test_a_ready_answer_that_a_repository_brings_along_is_not_believed(
    shop: Layout, pith: Pith, words: tuple[str, ...], ready: str
) -> None:
    answer = _warm(shop, pith, words)
    path = shop.path(ready)
    forged = _forged(path.read_bytes())
    path.unlink()
    path.write_bytes(forged)  # as a checkout writes it
    assert pith(*words, cwd=shop.root).stdout == answer


@BOTH
def test_a_damaged_ready_answer_is_not_believed(shop: Layout, pith: Pith, words: tuple[str, ...], ready: str) -> None:
    answer = _warm(shop, pith, words)
    whole = shop.path(ready).read_bytes()
    for damaged in (b"", whole[:100], whole[:-9], whole.replace(b"refund", b"REFUND"), b"\xff" * 200):
        caches.write(shop.path(ready), damaged)
        assert pith(*words, cwd=shop.root).stdout == answer


@BOTH
def test_a_ready_answer_of_another_version_is_not_believed(
    shop: Layout, pith: Pith, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], ready: str
) -> None:
    answer = _warm(shop, pith, words)
    path = shop.path(ready)
    caches.write(path, _forged(path.read_bytes()))
    monkeypatch.setattr(ready_nodes, "__version__", "0.0.9")
    assert pith(*words, cwd=shop.root).stdout == answer


@BOTH
@pytest.mark.parametrize("change", ["edited", "removed", "added", "project", "broken"])
def test_a_ready_answer_ends_with_any_change_of_what_it_says(
    shop: Layout, pith: Pith, words: tuple[str, ...], ready: str, change: str
) -> None:
    before = _warm(shop, pith, words)
    file = _a_node(shop)
    if change == "edited":
        file.write_text(file.read_text("utf-8").replace("재시도", "다시"), encoding="utf-8")
    elif change == "removed":
        file.unlink()
    elif change == "added":
        memory_project.put(shop, memory_project.memory(99, memory_project.quest(0)))
    elif change == "project":
        config = shop.path("config.json")
        config.write_text(config.read_text("utf-8").replace(memory_project.NAME, "other"), encoding="utf-8")
    else:
        file.write_text("no front matter", encoding="utf-8")
    after = pith(*words, cwd=shop.root).stdout
    for name in (NODE_CACHE, READY_LIST, READY_INDEX):
        shop.path(name).unlink(missing_ok=True)
    assert after != before
    assert _without_times(after) == _without_times(pith(*words, cwd=shop.root).stdout)


def _without_times(answer: str) -> Any:
    data = json.loads(answer)["data"]
    data.get("index", {}).pop("generated_at", None)
    return data


def test_what_was_taken_out_of_a_node_stays_in_no_ready_answer(shop: Layout, pith: Pith) -> None:
    for words in (LIST, REBUILD):
        _warm(shop, pith, words)
    file = _a_node(shop)
    file.write_text(file.read_text("utf-8").replace("재시도", "다시"), encoding="utf-8")
    pith("graph", "search", "refund", cwd=shop.root)
    left = [path.name for path in shop.path("local").iterdir() if "재시도".encode() in path.read_bytes()]
    assert left == []


def test_G13_an_index_that_is_gone_or_changed_is_written_though_the_answer_is_ready(shop: Layout, pith: Pith) -> None:
    answer = _warm(shop, pith, REBUILD)
    index = shop.path(INDEX)
    said = index.read_bytes()
    for damage in (None, said.replace(b'"title"', b'"titel"'), said[:-200], b"<<<<<<< ours\n" + said):
        if damage is None:
            index.unlink()
        else:
            index.write_bytes(damage)
        again = pith(*REBUILD, cwd=shop.root, check=True).stdout
        assert _without_times(again) == _without_times(answer)
        assert _without_time(index.read_bytes()) == _without_time(said)


def _without_time(index: bytes) -> Any:
    return {**json.loads(index), "generated_at": None}


def test_a_ready_index_tells_who_wrote_the_file_last_and_leaves_it(shop: Layout, pith: Pith) -> None:
    _warm(shop, pith, REBUILD)
    index = shop.path(INDEX)
    head, mark, rest = index.read_text("utf-8").partition('"nodes"')
    index.write_text(head.replace('"pith-memory"', '"another"') + mark + rest, encoding="utf-8")
    before = index.read_bytes()
    said = pith(*REBUILD, cwd=shop.root, check=True).json["data"]["index"]
    assert said["generator_package"] == "another"
    assert index.read_bytes() == before


def test_a_false_cache_of_nodes_that_a_repository_brings_along_is_not_believed(shop: Layout, pith: Pith) -> None:
    answer = _warm(shop, pith, LIST)
    path = shop.path(NODE_CACHE)
    forged = path.read_bytes().replace(b"refund", b"REFUND")
    shop.path(READY_LIST).unlink()
    path.unlink()
    path.write_bytes(forged)
    assert pith(*LIST, cwd=shop.root).stdout == answer


def test_a_cache_is_for_its_owner_and_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "cache"
    for data in (b"one", b"two"):
        caches.write(path, data)
        assert caches.read(path) == data
        assert not stat.S_IMODE(os.stat(path).st_mode) & 0o222
    caches.remove(path)
    assert caches.read(path) == b""


def test_a_read_only_tree_answers_without_a_cache(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    caches.write(tmp_path / "file" / "cache", b"one")
    assert caches.read(tmp_path / "file" / "cache") == b""
