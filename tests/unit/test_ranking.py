"""What a score is made of: words and meaning on one scale, what turns next door lend, how sure a hit is."""

from __future__ import annotations

import pytest

from pith.domain import glossary, manner, ranking, sureness, words
from pith.domain.ranking import Found, Weighted

TOTAL = 1_000


def asked(question: str) -> list[Weighted]:
    return [Weighted(word, dict.fromkeys(word.parts, 5), TOTAL) for word in words.question(question)]


def turn(seq: int, text: str, own: float = 0.0, session: int = 1, kind: str = "response") -> Found:
    one = Found(seq, session, "2026-01-01T00:00:00.000Z", kind, len(text.split()), "")
    one.text, one.folded, one.own = text, text.casefold(), own
    one.asks = manner.asks(text)
    return one


@pytest.mark.parametrize("total", [0, 1, 4, 5])
def test_words_in_more_texts_than_there_were_a_moment_ago_break_nothing(total: int):
    """Others write between the look at how many texts there are and the look at how many hold a word."""
    for word in words.question("zebra refund during 결제 재시도 간격"):
        weighed = Weighted(word, dict.fromkeys(word.parts, 5), total)
        assert weighed.weight >= 0
        assert sum(weighed.shares.values()) == pytest.approx(1) or word.is_syllable


def test_a_question_lends_most_to_the_turn_after_it():
    found = {1: turn(1, "Where is the cart rounded?", own=8.0), 2: turn(2, "In money.py."), 3: turn(3, "Thanks.")}
    found[0] = turn(0, "Good morning.")
    beside = {0: (0, 1), 1: (0, 2), 2: (1, 3), 3: (2, 0)}
    ranking.mix(found.values(), asked("cart rounded"))
    ranking.lend(found, beside)
    assert found[2].near > found[0].near
    assert found[2].near > found[3].near > 0, "two doors away still borrows"


def test_meaning_decides_where_a_stray_word_is_all_that_is_shared():
    """Words are measured by all that is asked: the best by words alone may hold next to nothing of it."""
    question = asked("장바구니 합계 반올림 위치 버그")
    stray, same = turn(1, "버그"), turn(2, "the cart total is rounded in money.py")
    stray.own, same.meaning = question[-1].weight, 0.4
    ranking.mix([stray, same], question)
    assert same.base > stray.base


def test_without_vectors_words_are_the_whole_score():
    one = turn(1, "cart rounded", own=3.0)
    ranking.mix([one], asked("cart rounded"))
    assert one.base == one.by_words > 0
    assert one.by_meaning == 0


def test_the_parts_of_an_explained_score_are_the_score():
    found = {1: turn(1, "the cart is rounded", own=8.0), 2: turn(2, "in money.py", kind="tool")}
    question = asked("cart rounded")
    ranking.mix(found.values(), question)
    ranking.lend(found, {1: (0, 2), 2: (1, 0)})
    ranking.prefer(found.values(), "2026-01-02T00:00:00.000Z", "2026-01-01T00:00:00.000Z", "")
    for one in found.values():
        parts = ranking.explained(one)
        total = sum(
            float(str(parts[name]))
            for name in ("words", "close_together", "file", "meaning", "kin", "neighbours", "session")
        )
        for factor in one.worth.values():
            total *= factor
        assert total == pytest.approx(one.score, abs=0.001)


def test_what_belongs_to_a_candidate_gets_a_share_of_its_score_and_only_the_best_one():
    found = {1: turn(1, "a"), 2: turn(2, "b"), 3: turn(3, "c")}
    found[1].base, found[2].base = 1.0, 0.5
    ranking.adopt(found, [(1, 3, 0.15, "about the cart"), (2, 3, 0.2, "near"), (1, 99, 0.3, "near")])
    assert found[3].kin == pytest.approx(0.15)
    assert found[3].kin_of == "about the cart"


@pytest.mark.parametrize("meaning", [None, 0.3])
def test_more_of_everything_is_never_less_sure(meaning: float | None):
    weak = sureness.of(0.3, 0.5, 0.7, meaning)
    for better in ((0.6, 0.5, 0.7), (0.3, 0.9, 0.7), (0.3, 0.5, 1.0)):
        assert 0 <= weak <= sureness.of(*better, meaning) <= 1


def test_meaning_that_is_far_is_no_less_than_none():
    assert sureness.of(0.5, 1, 1, -0.4) == sureness.of(0.5, 1, 1, 0.0)


def holding(*names: str) -> Found:
    one = turn(1, " ".join(names), own=1.0)
    one.coverage = dict.fromkeys(names, 1.0)
    return one


def test_two_shared_words_may_be_chance_and_a_third_one_says_more():
    question = asked("cart rounding coupon discount")
    substance = [
        sureness.covered(holding(*[one.word.text for one in question[:most]]), question, (), (), TOTAL)[1]
        for most in (2, 3, 4)
    ]
    assert substance[0] == pytest.approx(1)
    assert substance[0] < substance[1] < substance[2]


def test_a_name_or_a_number_that_nothing_holds_speaks_against():
    named, plain = asked("cart rounding in money.py"), asked("cart rounding in money")
    held = [one.word.text for one in plain[:2]]
    assert [one.is_name for one in named] == [False, False, True]
    assert (
        sureness.covered(holding(*held), named, (), (), TOTAL)[1]
        < sureness.covered(holding(*held), plain, (), (), TOTAL)[1]
    )


def test_words_that_are_one_in_the_other_language_are_one_thing_to_hold():
    once, twice = (
        [
            Weighted(word, {word.text: 1}, TOTAL, [({"서명": 5}, 1.0)] if word.text.startswith("sign") else [])
            for word in words.question(question)
        ]
        for question in ("rotate the webhook signature", "rotate and sign the webhook signature")
    )
    one = turn(1, "웹훅 서명", own=1.0)
    one.coverage = {word.word.text: 0.8 for word in twice if word.word.text != "rotat"}
    assert sureness.covered(one, twice, (), (), TOTAL) == pytest.approx(sureness.covered(one, once, (), (), TOTAL))


def test_the_prompt_that_was_answered_counts_more_than_the_rest_of_the_session():
    question = asked("cart rounding coupon discount")
    first, second = (holding(*[word.word.text for word in some]) for some in (question[:2], question[2:]))
    alone, near, answered = (
        sureness.covered(first, question, exchange, session, TOTAL)[0]
        for exchange, session in (((), ()), ((), (second,)), ((second,), (second,)))
    )
    assert alone < near < answered < 1


def test_once_one_hit_is_sure_enough_another_may_be_half_as_sure():
    assert sureness.bar([0.7, 0.3], 0.5) == 0.25
    assert sureness.bar([0.4, 0.3], 0.5) == 0.5
    assert sureness.bar([], 0.5) == 0.5


# -- How something is said -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Where is it?", True),
        ("어디에 있나요? ", True),
        ("どこ？", True),
        ("How was it? [shares a photo of a beach]", True),
        ("It is in money.py.", False),
        ("I changed it. " * 40 + "Shall I go on?", False),
        ("]?", True),
        ("", False),
    ],
)
def test_a_short_text_that_ends_in_a_question_mark_asks(text: str, expected: bool):
    assert manner.asks(text) is expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When did we release?", True),
        ("what day was the outage", True),
        ("언제 배포했지?", True),
        ("몇 월에 옮겼어?", True),
        ("whenever it fails, who is told?", False),
        ("왜 실패했지?", False),
    ],
)
def test_a_question_for_a_time_is_known_in_both_languages(question: str, expected: bool):
    assert manner.asks_when(question) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("we moved it yesterday.", True),
        ("it was in 2025", True),
        ("at 10:30 the job began", True),
        ("어제 고쳤어요", True),
        ("3월 2일에 배포했습니다", True),
        ("the port is 80801", False),
        ("캐시를 지웠습니다", False),
    ],
)
def test_a_time_in_a_text_is_known_in_both_languages(text: str, expected: bool):
    assert manner.has_time(text) is expected


def test_a_speaker_is_the_name_before_the_colon():
    assert manner.speaker("minsu: i moved the cache") == "minsu"
    assert manner.speaker("no name here") == ""
    assert manner.speaker("one line\ntwo: lines") == ""


# -- The other language --------------------------------------------------------------------------------------


def test_words_of_coding_work_are_known_in_the_other_language():
    assert "payment" in {stem for stems, _ in glossary.english("결제") for stem in stems}
    assert "결제" in glossary.korean("payment")
    assert glossary.english("하늘") == []
    assert glossary.korean("sky") == ()


def test_a_part_of_a_compound_counts_as_much_as_it_makes_up():
    ((stems, share),) = glossary.english("결제수단이")
    assert "payment" in stems
    assert share < 1
    assert glossary.english("실패하면")[0][1] == 1, "an ending is no part of the word"


def test_two_parts_of_a_compound_together_are_the_word():
    parts = glossary.english("결제화면")
    assert sum(share for _, share in parts) == 1


def test_a_translated_word_counts_less_than_the_word_itself():
    (word,) = words.question("결제")
    one = Weighted(word, {"결제": 3}, TOTAL, [({"payment": 4}, 1.0)])
    coverage = ranking.Coverage([one], {"결제": 1, "payment": 2})
    assert coverage.of(1) == {"결제": 1.0}
    assert coverage.of(2) == {"결제": ranking.TRANSLATED}
    assert coverage.of(3) == {"결제": 1.0}
