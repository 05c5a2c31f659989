"""Recall on a real store: what is found whatever its spelling, and what a question of one syllable finds."""

from __future__ import annotations

import pytest

from pith.domain.events import PROMPT, RESPONSE, TRANSCRIPT, Sighting
from pith.services import capture, recall
from pith.store.database import open_store

TOLD = {
    "coupon": "쿠폰함을 열면 만료된 쿠폰이 먼저 보입니다.",
    "address": "배송지 변경은 송장 출력 전까지만 허용한다.",
    "cancel": "자동결제승인취소는 하루 한 번만 다시 시도한다.",
    "money": "적립금은 돈으로 돌려주지 않는다. 그 값이 음수면 0으로 본다.",
    "user": "getUserById is called twice per login in src/auth/login.ts, error E11000.",
    "other": "The invoice job runs at night and writes one file for each merchant.",
    "kana": "ｶｰﾄの合計を確認する。",
}


@pytest.fixture
def db(tmp_path):
    with open_store(str(tmp_path)) as db:
        with db.transaction():
            for number, (name, text) in enumerate(TOLD.items()):
                at = f"2026-11-{number + 1:02d}T09:00:00.000Z"
                capture.record(
                    db, Sighting(RESPONSE, f"s-{name}", text, at, host="claude", channel=TRANSCRIPT, record=name)
                )
        yield db


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("쿠폰함은", "coupon"),
        ("쿠폰함", "coupon"),
        ("배송지변경", "address"),
        ("배송지 변경", "address"),
        ("승인취소", "cancel"),
        ("승인 취소가 언제", "cancel"),
        ("돈", "money"),
        ("값", "money"),
        ("값은?", "money"),
        ("쿠", "coupon"),
        ("get user by id", "user"),
        ("getUserById", "user"),
        ("login.ts", "user"),
        ("src/auth/login.ts", "user"),
        ("E11000", "user"),
        ("invoices", "other"),
        ("カート", "kana"),
        ("合計", "kana"),
    ],
)
def test_pain_16_a_word_is_found_under_any_particle_spacing_and_form(db, question, name):
    answers = recall.recall(db, question)
    assert answers, f"nothing is found for {question}"
    assert answers[0].session == f"s-{name}"


def test_pain_16_decomposed_input_finds_composed_text(db):
    import unicodedata

    assert recall.recall(db, unicodedata.normalize("NFD", "쿠폰함은"))[0].session == "s-coupon"


def test_a_syllable_that_nothing_holds_finds_nothing(db):
    assert recall.recall(db, "뷁") == []


def test_a_prompt_that_only_asks_the_same_again_is_not_told_to_an_agent(db):
    asked = "배송지 변경은 언제까지 허용하지?"
    capture.keep(
        db, Sighting(PROMPT, "s-old", asked, "2026-11-10T09:00:00.000Z", host="claude", channel=TRANSCRIPT, record="q1")
    )
    capture.keep(
        db, Sighting(PROMPT, "s-new", asked, "2026-11-11T09:00:00.000Z", host="claude", channel=TRANSCRIPT, record="q2")
    )
    told = recall.for_prompt(db, asked, session="s-new", most=6, budget=800, least=0.3)
    assert "송장 출력 전까지만" in told.text
    assert "언제까지" not in told.text


def test_who_says_thanks_next_door_is_no_answer(db):
    for number, (kind, text) in enumerate(
        [
            (PROMPT, "쿠폰함은 로그인 뒤에만 보이게 하기로 결정하자."),
            (PROMPT, "thanks"),
            (PROMPT, "what size is the gizmo cache?"),
            (RESPONSE, "네, 그렇게 바꾸겠습니다."),
        ]
    ):
        at = f"2026-11-20T09:0{number}:00.000Z"
        capture.keep(db, Sighting(kind, "s-talk", text, at, host="claude", channel=TRANSCRIPT, record=f"t{number}"))
    answers = recall.recall(db, "쿠폰함은 로그인 뒤에 보이나?")
    assert answers[0].text.startswith("쿠폰함은 로그인 뒤에만")
    assert not [answer for answer in answers if answer.text in ("thanks", "what size is the gizmo cache?")]
    assert all(answer.confidence < 0.4 for answer in answers if answer.text.startswith("네,"))


@pytest.mark.parametrize("prompt", ["please continue", "thanks!", "계속해줘", "ok", "네", "?"])
def test_a_prompt_that_asks_for_nothing_is_told_nothing(db, prompt):
    capture.keep(
        db,
        Sighting(
            RESPONSE, "s-git", "git rebase --continue, thanks, ok 계속", "2026-11-20T09:00:00.000Z",
            host="claude", channel=TRANSCRIPT, record="r",
        ),
    )  # fmt: skip
    assert recall.for_prompt(db, prompt, session="s-new", most=6, budget=800, least=0.3).text == ""


def test_a_prompt_that_is_not_kept_makes_no_word_commoner(db):
    asked = "E11000 getUserById 로그인"
    told = recall.for_prompt(db, asked, session="s-new", most=6, budget=800, least=0.3, is_stored=False)
    assert "getUserById" in told.text
