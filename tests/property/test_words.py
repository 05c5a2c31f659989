"""Any text has terms, and a question finds what it asks for, in every script, spacing and form."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pith import platform
from pith.domain import words
from pith.domain.events import HOOK, PROMPT, Sighting
from pith.services import capture, config, recall
from pith.store.database import open_store

ANY = st.text(st.characters(), max_size=300)
HANGUL = st.text(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), min_size=2, max_size=6)
KANA = st.text(st.characters(min_codepoint=0x30A2, max_codepoint=0x30ED), min_size=2, max_size=6)
PARTICLES = ("", "을", "를", "이", "가", "은", "는", "에", "에서", "으로", "의", "도", "만", "까지", "부터", "와", "과")


@given(ANY)
@example("\ud800")
@example("\x00")
@example("ﷺ" * 50)
def test_pain_17_any_text_has_terms_and_is_a_question(text):
    assert all(isinstance(term, str) and term for term in words.terms(text))
    assert all(word.parts for word in words.question(text))


@given(ANY)
@example("Ⅸ")
@example("İstanbul")
@example("ß")
@example("ǆ")
def test_what_a_question_asks_for_are_terms_that_its_own_text_has(text):
    found = words.terms(text)
    for word in words.question(text):
        assert set(word.parts) <= found or word.whole in found, word


@given(ANY)
def test_a_texts_terms_do_not_depend_on_what_was_read_before(text):
    first = words.terms(text)
    words._memory.clear()
    words._latin.cache_clear()
    assert words.terms(text) == first


@given(
    st.lists(
        st.one_of(HANGUL, KANA, st.sampled_from(["漢字", "가漢", "ㄱㄴ", "값", "cart", "장바구니cart", "힣힣"])),
        max_size=40,
    )
)
def test_the_terms_of_a_text_are_those_of_its_words_alone(written):
    words._memory.clear()
    together = words.terms(" ".join(written))
    assert together == {term for word in written for term in words.terms(word)}


@given(HANGUL, st.sampled_from(PARTICLES), st.sampled_from(PARTICLES))
@example("쿠폰함", "을", "은")
@example("배송", "", "에서")
def test_pain_16_a_korean_noun_is_found_under_any_particle(noun, asked, written):
    for word in words.question(noun + asked):
        if len(word.text) <= len(noun):
            assert set(word.parts) <= words.terms(f"어제 {noun}{written} 보았다")


@given(HANGUL, HANGUL)
@example("자동결제", "승인취소")
@example("배송지", "변경")
def test_pain_16_a_noun_is_found_at_the_tail_of_a_compound_and_in_any_spacing(head, tail):
    together, apart = words.terms(f"{head}{tail}는"), words.terms(f"{head} {tail}는")
    assert set(words._bigrams(tail)[:-1]) <= together & apart
    assert set(words._bigrams(head)[:-1]) <= together & apart


@given(st.text(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), min_size=1, max_size=12))
def test_every_syllable_of_a_text_begins_a_term(text):
    starts = {term[0] for term in words.terms(f"ab {text} 1")}
    assert set(text) <= starts


@given(st.text(max_size=100))
@example("한국어 쿠폰함")
def test_pain_16_nfd_and_nfc_have_the_same_terms(text):
    assert words.terms(unicodedata.normalize("NFD", text)) == words.terms(unicodedata.normalize("NFC", text))


@given(KANA)
def test_pain_16_half_width_and_full_width_kana_have_the_same_terms(text):
    half = {"ア": "ｱ", "イ": "ｲ", "ウ": "ｳ", "カ": "ｶ", "ガ": "ｶﾞ", "サ": "ｻ", "バ": "ﾊﾞ", "パ": "ﾊﾟ", "ロ": "ﾛ"}
    assert words.terms("".join(half.get(letter, letter) for letter in text)) == words.terms(text)


@given(st.from_regex(r"[a-z]{4,10}\Z"), HANGUL)
def test_pain_16_ascii_glued_to_hangul_is_found_alone_and_so_is_the_hangul(latin, hangul):
    found = words.terms(f"{latin}{hangul}")
    assert words.terms(latin) <= found
    assert words.terms(hangul) <= found


@pytest.mark.parametrize(
    "unit", ["가", "a", "a.", "aB", "쿠폰 ", "x" * 600, "가a", "/a", "_", "ﾊﾞ", "\u0301", "1a", "A", "ア1", "- "]
)
def test_the_work_grows_with_the_text_and_no_faster(unit, monkeypatch):
    """Counted in steps of the interpreter, never in time: four times the text may cost five times the steps."""

    def steps(text: str) -> int:
        import sys

        words._memory.clear()
        words._latin.cache_clear()
        count = 0

        def trace(frame, event, argument):
            nonlocal count
            count += 1
            return trace

        sys.settrace(trace)
        try:
            words.terms(text)
            words.question(text)
        finally:
            sys.settrace(None)
        return count

    small = steps(unit * 200)
    assert steps(unit * 800) <= 5 * small + 2_000


# Queries against a real store ----------------------------------------------------------------------------------

OFFENDERS = (
    '"', '""', "AND", "OR NOT", "NEAR(a b)", "*", "a*", "-x", "a:b", "C++", "it's", "\x00", "a\x00b", "(", "a)", "^a",
    "{a b}", "terms:x", "';--", "%", "_", "\\", "\ud800", "쿠폰함*", "-쿠폰함", '"쿠폰', "😀", "a" * 10_000, "가" * 10_000,
    "event_terms", "+", "NOT", "", " ", "\n", "#1", "@me", "http://x?y=1&z", "ﷺ",
)  # fmt: skip


ASKED = (
    ("쿠폰함은", "쿠폰함을 연다"),
    ("배송지변경", "배송지 변경 화면"),
    ("배송지 변경", "배송지변경 화면"),
    ("승인취소", "자동결제승인취소는 느리다"),
    ("サーバー", "ｻｰﾊﾞｰが落ちた"),
    ("データ", "ﾃﾞｰﾀ移行"),
    ("数据库", "迁移数据库时"),
    ("결제", "PaymentGateway결제모듈"),
    ("PaymentGateway", "결제PaymentGateway모듈"),
    ("API", "API를 부른다"),
    ("user", "getUserById"),
    ("getUserById", "getUserById()"),
    ("E1042", "오류 E1042가 난다"),
    ("src/cart/total.py", "see src/cart/total.py:42"),
    ("total.py", "see src/cart/total.py:42"),
    ("rounding", "the round was rounded"),
    ("C++", "written in C++"),
    ("ＡＰＩ", "the API"),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with open_store(str(tmp_path_factory.mktemp("store"))) as db:
        settings = config.defaults()
        texts = [
            *OFFENDERS,
            *(text for _, text in ASKED),
            "쿠폰함을 연다",
            "C++ it's a:b AND x",
            "deploy the server - NOT today",
            "배송지 변경",
        ]
        for number, text in enumerate(texts):
            seen = Sighting(PROMPT, f"s{number % 3}", text, platform.now(), host="claude", channel=HOOK)
            seen = capture.prepare(seen, settings)
            if seen:
                capture.keep(db, seen)
        yield db


@pytest.mark.parametrize(("question", "text"), ASKED)
def test_pain_16_what_people_ask_for_is_found_as_they_wrote_it(store, question, text):
    assert text in [answer.text for answer in recall.recall(store, question, most=40, length=300)]


@pytest.mark.parametrize("query", OFFENDERS, ids=lambda query: ascii(query[:12]))
def test_pain_17_the_known_offenders_are_queries_like_any_other(store, query):
    assert isinstance(recall.recall(store, query), list)
    recall.for_prompt(store, query, session="x", most=5, budget=400, least=0.0)


@given(query=ANY)
def test_pain_17_any_text_is_a_safe_query(store, query):
    assert isinstance(recall.recall(store, query), list)
    recall.for_prompt(store, query, session="x", most=5, budget=400, least=0.0)


@given(text=st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=60))
def test_a_text_that_was_kept_is_found_by_its_own_words(text):
    assert not words.question(text) or words.question(text)[0].parts
    asked = words.question(text)
    found = words.terms(text)
    assert all(set(word.parts) <= found or word.whole in found for word in asked)
