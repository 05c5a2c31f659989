"""An address that fails, stalls or answers nonsense costs a try and never a wrong vector."""

from __future__ import annotations

import time
from collections.abc import Callable
from email.utils import formatdate
from typing import Any

import pytest

from embedder_kit import DIMENSIONS, Handler, served, spoken, well
from pith.adapters import embedder_http
from pith.adapters.embedder_http import HttpEmbedder
from pith.domain.embedding import EmbedderMissing, Prefixes
from pith.domain.outbox import Permanent, Retryable


def test_it_sends_model_prefixes_and_key_and_puts_answers_in_the_order_of_the_questions() -> None:
    with served() as (url, asked):
        embedder = HttpEmbedder(url, "bge-m3", "k-1", prefixes=Prefixes("query: ", "passage: "))
        texts = ["하나", "two", "3"]
        alone = [embedder.embed_documents([text])[0] for text in texts]
        assert embedder.embed_documents(texts) == alone
        embedder.embed_question("하나")
    assert asked[-2] == {
        "model": "bge-m3",
        "input": ["passage: 하나", "passage: two", "passage: 3"],
        "encoding_format": "float",
        "path": "/v1/embeddings",
        "key": "Bearer k-1",
    }
    assert asked[-1]["input"] == ["query: 하나"]


def test_many_and_long_texts_go_in_several_calls() -> None:
    with served() as (url, asked):
        given = HttpEmbedder(url, "toy").embed_documents([*["short"] * 60, *["x" * 60_000] * 3])
    assert len(given) == 63
    assert [len(each["input"]) for each in asked] == [50, 11, 1, 1]


def test_dimensions_are_asked_once_or_set() -> None:
    with served() as (url, asked):
        embedder = HttpEmbedder(url, "toy")
        assert [embedder.dimensions, embedder.dimensions] == [DIMENSIONS] * 2
        assert len(asked) == 1
        assert HttpEmbedder(url, "toy", dimensions=DIMENSIONS).embed_question("a")
        assert asked[-1]["dimensions"] == DIMENSIONS


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 401, 403, 404])
def test_V08_what_another_try_may_change_is_retryable(status: int) -> None:
    with (
        served(lambda handler, _: handler.say(status, b"no", Retry_After="7")) as (url, _),
        pytest.raises(Retryable, match=str(status)) as failure,
    ):
        HttpEmbedder(url, "toy").embed_question("a")
    assert failure.value.retry_after == 7


@pytest.mark.parametrize("status", [400, 413, 422])
def test_V08_what_no_try_will_change_is_permanent(status: int) -> None:
    with (
        served(lambda handler, _: handler.say(status, b"no")) as (url, _),
        pytest.raises(Permanent, match=str(status)),
    ):
        HttpEmbedder(url, "toy").embed_question("a")


@pytest.mark.parametrize(
    ("said", "low", "high"),
    [("12", 12, 12), ("0", 0, 0), ("99999999", 3_600, 3_600), ("a date in ten minutes", 500, 601)],
)
def test_V08_a_provider_says_when_in_seconds_or_as_a_date(said: str, low: float, high: float) -> None:
    if said.startswith("a date"):  # written when the test runs, not when it is collected
        said = formatdate(time.time() + 600, usegmt=True)
    with served(lambda handler, _: handler.say(429, b"", Retry_After=said)) as (url, _), pytest.raises(Retryable) as it:
        HttpEmbedder(url, "toy").embed_question("a")
    assert it.value.retry_after is not None
    assert low <= it.value.retry_after <= high


@pytest.mark.parametrize("said", ["soon", "-5", "", "1e400", "Wed, 99 Foo 2026"])
def test_V08_a_wait_that_makes_no_sense_is_none(said: str) -> None:
    with served(lambda handler, _: handler.say(429, b"", Retry_After=said)) as (url, _), pytest.raises(Retryable) as it:
        HttpEmbedder(url, "toy").embed_question("a")
    assert it.value.retry_after is None


GOOD = [1.0] * DIMENSIONS
NONSENSE: dict[str, Callable[[Handler, dict[str, Any]], None]] = {
    "no JSON": lambda handler, _: handler.say(200, b"<html>Welcome to the hotel's network</html>"),
    "another JSON": lambda handler, _: handler.say(200, b'{"error": "model not found"}'),
    "a list": lambda handler, _: handler.say(200, b"[]"),
    "deep": lambda handler, _: handler.say(200, b"[" * 200_000),
    "no embedding": lambda handler, _: handler.say(200, b'{"data": [{"index": 0}]}'),
    "empty": lambda handler, _: handler.say(200, b""),
    "a place that is none": lambda handler, _: handler.say(200, b'{"data": [{"index": 1e999, "embedding": [1]}]}'),
    "not UTF-8": lambda handler, _: handler.say(200, b"\xff\xfe\x00"),
}
WRONG: dict[str, Callable[[Handler, dict[str, Any]], None]] = {
    "one too few": lambda handler, body: handler.give([GOOD for _ in body["input"][1:]]),
    "one too many": lambda handler, body: handler.give([GOOD for _ in [*body["input"], 1]]),
    "another length": lambda handler, body: handler.give([GOOD, GOOD[1:]]),
    "zero": lambda handler, body: handler.give([[0.0] * DIMENSIONS] * 2),
    "NaN": lambda handler, body: handler.give([[float("nan"), *GOOD[1:]]] * 2),
    "infinite": lambda handler, body: handler.give([[float("inf"), *GOOD[1:]]] * 2),
    "beyond all floats": lambda handler, body: handler.give([[10**400, *GOOD[1:]]] * 2),
    "texts": lambda handler, body: handler.give([["1"] * DIMENSIONS] * 2),
    "switches": lambda handler, body: handler.give([[True] * DIMENSIONS] * 2),
    "no numbers": lambda handler, body: handler.give([[]] * 2),
    "no list": lambda handler, body: handler.give(["AAAA"] * 2),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_V08_an_answer_that_is_none_may_be_better_next_time(name: str) -> None:
    with served(NONSENSE[name]) as (url, _), pytest.raises(Retryable, match="something else than vectors"):
        HttpEmbedder(url, "toy").embed_documents(["a", "b"])


@pytest.mark.parametrize("name", WRONG)
def test_pain_28_vectors_of_a_wrong_number_or_length_are_refused(name: str) -> None:
    with served(WRONG[name]) as (url, _), pytest.raises(Permanent, match="gave"):
        HttpEmbedder(url, "toy").embed_documents(["a", "b"])


def test_pain_28_a_model_that_changes_its_length_is_refused() -> None:
    lengths = iter([DIMENSIONS, DIMENSIONS * 2])
    with served(lambda handler, body: handler.give([spoken("a", next(lengths))])) as (url, _):
        embedder = HttpEmbedder(url, "toy")
        embedder.embed_question("a")
        with pytest.raises(Permanent, match="32 numbers instead of 16"):
            embedder.embed_question("a")


def test_V08_an_address_that_stalls_or_drips_is_left() -> None:
    def stall(handler: Handler, _: object) -> None:
        time.sleep(0.6)
        handler.close_connection = True

    def drip(handler: Handler, _: object) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        try:
            for _ in range(100):
                handler.wfile.write(b" ")
                handler.wfile.flush()
                time.sleep(0.02)
        except OSError:
            handler.close_connection = True

    def drip_headers(handler: Handler, _: object) -> None:
        try:
            for at in range(100):
                handler.connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: " if at == 0 else b"a")
                time.sleep(0.02)
        except OSError:
            handler.close_connection = True

    def drip_promises(handler: Handler, _: object) -> None:
        try:
            for _ in range(100):
                handler.connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
                time.sleep(0.02)
        except OSError:
            handler.close_connection = True

    for answer in (stall, drip, drip_headers, drip_promises):
        with served(answer) as (url, _), pytest.raises(Retryable, match="did not answer"):
            HttpEmbedder(url, "toy", timeout=0.2).embed_question("a")


def test_V08_a_question_waits_for_less_than_texts_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(handler: Handler, body: dict[str, Any]) -> None:
        time.sleep(0.5)
        well(handler, body)

    monkeypatch.setattr(embedder_http, "_FOR_A_QUESTION", 0.1)
    with served(slow) as (url, _):
        embedder = HttpEmbedder(url, "toy")
        assert embedder.embed_documents(["a"])
        with pytest.raises(Retryable, match="did not answer"):
            embedder.embed_question("a")


def test_what_is_said_to_this_machine_leaves_it_by_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with served() as (proxy, told), served() as (url, asked):
        monkeypatch.setenv("http_proxy", proxy)
        monkeypatch.delenv("no_proxy", raising=False)
        assert HttpEmbedder(url, "toy", "secret").embed_question("a")
    assert (len(asked), told) == (1, [])


def test_V08_an_answer_without_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedder_http, "LARGEST_ANSWER", 10_000)
    with (
        served(lambda handler, _: handler.say(200, b" " * 200_000)) as (url, _),
        pytest.raises(Permanent, match="longer"),
    ):
        HttpEmbedder(url, "toy").embed_question("a")


def test_V08_nobody_there_is_retryable() -> None:
    with served() as (url, _):
        pass
    with pytest.raises(Retryable, match="did not answer"):
        HttpEmbedder(url, "toy").embed_question("a")


def test_the_key_follows_no_redirect_and_crosses_no_network_in_the_open() -> None:
    with served() as (target, asked):
        moved = target + "/embeddings"
        with served(lambda handler, _: handler.say(307, b"", Location=moved)) as (url, _), pytest.raises(Permanent):
            HttpEmbedder(url, "toy", "secret").embed_question("a")
        assert asked == []
    with pytest.raises(EmbedderMissing, match="without encryption"):
        HttpEmbedder("http://embeddings.example.org/v1", "toy", "secret")
    HttpEmbedder("http://10.0.0.5:11434/v1", "toy")
    HttpEmbedder("https://embeddings.example.org/v1", "toy", "secret")


@pytest.mark.parametrize(
    "url", ["", "ftp://x/v1", "file:///etc/passwd", "localhost:11434", "http://", "http://[", "http://[::1"]
)
def test_what_is_no_address_is_said_at_once(url: str) -> None:
    with pytest.raises(EmbedderMissing, match="no web address"):
        HttpEmbedder(url, "toy")
    with served(well) as (good, _), pytest.raises(EmbedderMissing, match="names no model"):
        HttpEmbedder(good, "")


def test_a_password_in_what_is_no_address_is_not_repeated() -> None:
    with pytest.raises(EmbedderMissing, match="no web address") as it:
        HttpEmbedder("ftp://bob:kx7Qz2Lw9PmR4t@example.org/v1", "toy")
    assert "kx7Qz2Lw9PmR4t" not in str(it.value)
