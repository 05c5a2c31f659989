"""Quotes and the spans that are found for them, whatever the text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from pith.domain.evidence import EXACT, FUZZY, NORMALIZED, Body, Span, evidence, holds, is_whole, normal, quote_hash

LETTERS = "aB ß İ é 한 글 쿠폰함 \u1112\u1161\u11ab \u1100\u1161 e\u0301 か\u3099 ガ 漢字 👍🏽 \u200d \ud83d\ude00 \t \n 5 6 . , \u0301"
TEXTS = st.text(st.sampled_from(LETTERS), max_size=60) | st.text(max_size=60)


def in_full(text: str, quote: str) -> Span | None:
    span = Body(text).find(quote)
    if span is not None:
        assert holds(text, quote.strip(), span), (text, quote, span)
        assert is_whole(text, span.start)
        assert is_whole(text, span.end)
    return span


@given(TEXTS, TEXTS)
def test_E16_a_found_span_reads_again_as_the_quote_by_its_own_rule(text, quote):
    in_full(text, quote)


@given(TEXTS, st.data())
def test_E16_a_piece_of_a_text_is_found_exactly_unless_it_cuts_a_cluster(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    quote = text[start:end]
    assume(quote.strip() == quote != "")
    span = in_full(text, quote)
    if is_whole(text, start) and is_whole(text, end):
        assert span is not None
        assert (span.method, span.confidence) == (EXACT, 1.0)
        assert text[span.start : span.end] == quote


@given(
    st.lists(
        st.sampled_from(("쿠폰함", "Größe", "café", "ガラス", "coupon", "Box", "漢字", "2026")), min_size=1, max_size=8
    ),
    st.data(),
)
@example(["쿠폰함", "Box"], None)
def test_E16_case_white_space_and_composition_do_not_hide_a_quote(words, data):
    text = "…" + " ".join(words) + "…"
    spaces = (
        data.draw(st.lists(st.sampled_from((" ", "  ", "\n", "\t \n")), min_size=8, max_size=8)) if data else ["\n"] * 8
    )
    quote = "".join(f"{word}{space}" for word, space in zip(words, spaces, strict=False)).strip()
    for changed in (quote, quote.upper().replace("SS", "ß"), unicodedata.normalize("NFD", quote), quote.casefold()):
        span = in_full(text, changed)
        assert span is not None
        assert text[span.start : span.end] == " ".join(words)
        decomposed = unicodedata.normalize("NFD", text)
        span = in_full(decomposed, changed)
        assert span is not None
        assert unicodedata.normalize("NFC", decomposed[span.start : span.end]) == " ".join(words)


def test_E16_a_span_never_splits_jamo_marks_or_a_surrogate_pair():
    assert Body("\u1112\u1161\u11ab").find("\u1112\u1161") is None
    assert Body("한").find("하") is None
    assert Body("cafe\u0301").find("cafe") is None
    assert Body("x\ud83d\ude00").find("x\ud83d") is None
    assert Body("한글").find("한") == Span(0, 1, EXACT, 1.0)


def test_E16_the_first_rule_that_finds_the_quote_names_the_method():
    text = "We decided to keep coupons in one box for all stores.\n쿠폰은 한 상자에 둔다."
    assert Body(text).find("coupons in one box") == Span(19, 37, EXACT, 1.0)
    found = Body(text).find("COUPONS  in\none box")
    assert (found.start, found.end, found.method) == (19, 37, NORMALIZED)
    found = in_full(text, "we decided to keep the coupons in one box for all store")
    assert found.method == FUZZY
    assert 0.85 <= found.confidence < 1
    assert text[found.start : found.end].startswith("We decided")


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Records are kept for 5 years in the archive.", "Records are kept for 6 years in the archive."),
        ("The cache must be cleared before every deploy.", "The cache must not be cleared before every deploy."),
        ("기록은 보관소에 5년 동안 보관하기로 했다.", "기록은 보관소에 6년 동안 보관하기로 했다."),
        ("배포하기 전에 캐시를 비우지 않는다고 정했다.", "배포하기 전에 캐시를 비우는 것으로 정했다."),
        ("5 years", "6 years"),
        ("short", "sho rt"),
        ("", "a"),
        ("a", "  "),
    ],
)
def test_E16_another_number_a_negation_or_a_scrap_is_no_evidence(text, quote):
    assert in_full(text, quote) is None


def test_E16_a_failed_quote_is_recorded_as_failed_and_covers_nothing():
    failed = evidence("e1", Body("nothing of the kind"), "the coupons are in the box")
    assert failed == {
        "event_id": "e1", "start": None, "end": None,
        "quote_hash": quote_hash("the coupons are in the box"), "method": "failed", "confidence": 0.0,
    }  # fmt: skip
    found = evidence("e1", Body("쿠폰은 상자에 있다"), "상자에 있다")
    assert (found["start"], found["end"], found["method"], found["confidence"]) == (4, 10, "exact", 1.0)
    assert found["quote_hash"] == quote_hash("상자에 있다")


@given(TEXTS)
def test_E16_the_normal_form_is_settled(text):
    assert normal(normal(text)) == normal(text)
