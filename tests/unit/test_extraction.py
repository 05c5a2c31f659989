"""What is drawn from sentences by rules, measured on the labelled set, and the ways in which nothing must be drawn."""

from __future__ import annotations

import pytest
from bench import extraction as bench

from pith.domain import extraction
from pith.domain.extraction import DEAD_END, HYPOTHESIS, STATED, Source, extract, settles


def drawn(text: str, kind: str = "response", origin: str = "agent", command: str = "") -> list[tuple[str, str]]:
    return [(one.type, one.standing) for one in extract(Source("e", kind, origin, text, command))]


def test_the_labelled_set_is_large_enough_and_half_korean():
    said = [
        (each["language"], label) for each in bench.sessions() for turn in each["turns"] for label, _ in turn["says"]
    ]
    korean = sum(language == "ko" for language, _ in said)
    assert len(said) >= 120
    assert 0.4 <= korean / len(said) <= 0.6


@pytest.mark.parametrize("part", ["", "held", "last"])
@pytest.mark.parametrize("language", ["en", "ko"])
def test_E16_what_is_drawn_is_right_nine_times_in_ten_and_six_in_ten_are_found(language, part):
    score = bench.scores(part)[language]
    assert score.precision >= bench.PRECISION
    assert score.reach >= bench.REACH


def test_E16_a_quote_is_a_piece_of_the_text_and_never_an_offset():
    text = "We found it. **The root cause is the missing index on `orders.paid_at`.** Should I add it?"
    (found,) = extract(Source("e", "response", "agent", text))
    assert found.quotes == ("The root cause is the missing index on `orders.paid_at`.",)
    assert all(quote in text for quote in found.quotes)


@pytest.mark.parametrize(
    "text",
    [
        "Did we decide to use Kafka for orders?",
        "주문에는 카프카를 쓰기로 했나요?",
        "If the root cause is the index, we add one.",
        "만약 원인이 인덱스라면 하나 추가한다.",
        "```\nWe decided to use Kafka instead of SQS.\n```",
        "> We decided to use Kafka instead of SQS.",
        "| decided | We decided to use Kafka |",
        "2026-11-02 10:00:00 ERROR the root cause is the pool",
        "The thread is blocked by the mutex of the cache.",
        "I am waiting for the tests to finish.",
    ],
)
def test_questions_conditions_code_quotations_and_logs_give_nothing(text):
    assert drawn(text) == []


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        ("Maybe the pool has only 10 connections on staging.", HYPOTHESIS),
        ("아마 스테이징의 연결 풀이 10개뿐인 것 같다.", HYPOTHESIS),
        ("I tried a pool of 50 connections, but it did not help.", DEAD_END),
        ("연결 풀을 50개로 늘려 봤는데 해결되지 않았다.", DEAD_END),
    ],
)
def test_pain_26_guesses_and_dead_ends_are_marked_and_never_facts(text, standing):
    assert drawn(text) == [("insight", standing)]


@pytest.mark.parametrize("origin", ["tool", "web", "import"])
@pytest.mark.parametrize(
    "text", ["We decided to disable the signature checks.", "앞으로는 서명 검증을 끄기로 했다.", "The root cause is X."]
)
def test_text_of_tools_and_the_web_decides_and_explains_nothing(origin, text):
    assert drawn(text, "tool", origin) == []
    assert drawn(text, "note", origin) == []


def test_a_pull_request_that_a_command_opened_is_a_reference():
    text = "https://github.com/acme/shop/pull/57\nWe decided to delete everything."
    assert drawn(text, "tool", "tool", "gh pr create --fill") == [("reference", STATED)]
    assert drawn(text, "tool", "tool", "cat notes.txt") == []


@pytest.mark.parametrize(
    ("text", "task", "blocker"),
    [
        ("The refund test is blocked by the missing sandbox key.", "refund test", "missing sandbox key"),
        (
            "Tests are green, but the smoke test is blocked: the key has no scope (403).",
            "smoke test",
            "key has no scope",
        ),
        ("The release is blocked on acme/shop#88.", "release", "acme/shop#88"),
        ("환불 테스트는 샌드박스 키가 없어서 막혀 있다.", "환불 테스트", "샌드박스 키 없음"),
        ("릴리스는 acme/shop#88 때문에 막혀 있어.", "릴리스", "acme/shop#88"),
        ("동의어 목록은 상품팀의 내보내기 파일을 기다리는 중이다.", "동의어 목록", "상품팀의 내보내기 파일"),
        ("I am still waiting for the new key from ops.", "", "new key from ops"),
    ],
)
def test_E13_what_blocks_which_task_is_read_from_phrases(text, task, blocker):
    assert extraction.blocked(text) == (task, blocker)


@pytest.mark.parametrize(
    ("sentence", "condition", "comes"),
    [
        ("ops sent the new sandbox key with refund scope", "sandbox key has no refund scope", True),
        ("샌드박스 키가 발급됐다.", "샌드박스 키 없음", True),
        ("The sandbox key has not arrived yet.", "missing sandbox key", False),
        ("Once the sandbox key arrived we can go on.", "missing sandbox key", False),
        ("The production key arrived.", "missing sandbox key", False),
        ("Has the sandbox key arrived?", "missing sandbox key", False),
        ("샌드박스 키가 아직 발급되지 않았다.", "샌드박스 키 없음", False),
    ],
)
def test_a_condition_is_settled_by_a_sentence_that_names_all_of_it(sentence, condition, comes):
    assert settles(sentence, condition) is comes


def test_any_text_at_all_is_read_without_failing():
    for text in (
        "",
        "\0",
        "a" * 100_000,
        "\ud800 we decided to go",
        "다." * 5000,
        "- " * 2000,
        "((((" * 500 + " is blocked by x",
    ):
        drawn(text)
