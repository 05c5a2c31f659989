"""Names by which entities are recognised, and the states of entries and tasks."""

from __future__ import annotations

import hashlib
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pith.domain import entities, entries
from pith.domain.entities import TASK_MOVES, TASK_STATES, artifact, check_move, condition_key, normalised, task_key
from pith.domain.entries import STAGE_MOVES, STAGES, STATUS_MOVES, STATUSES, Entry, IllegalMove


def entry(stage="raw", status="active", methods=()):
    return Entry("n", "t", "fact", "x", {}, stage, status, evidence=tuple({"method": method} for method in methods))


# -- Names ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Fix the  login-page!", "fix the login page"),
        ("쿠폰함 고치기", "쿠폰함 고치기"),
        (unicodedata.normalize("NFD", "쿠폰함, 고치기."), "쿠폰함 고치기"),
        ("ログイン修正", "ログイン修正"),
        ("ﾛｸﾞｲﾝ修正", "ログイン修正"),
        ("修复登录", "修复登录"),
        ("Café — Straße", "café strasse"),
        ("ＦＵＬＬ　width", "full width"),
        ("v1.2 not v12", "v1 2 not v12"),
        ("C++ 100%", "c++ 100"),
        ("soft\u00adhyphen zero\u200bwidth", "softhyphen zerowidth"),
    ],
)
def test_E11_a_name_folds_case_space_and_punctuation_and_keeps_every_script(title, name):
    assert normalised(title) == name
    assert task_key("p", title) == f"task:p:{name}"
    assert condition_key("p", title) == f"cond:p:{name}"


def test_E11_accents_and_scripts_tell_names_apart():
    names = ["resume", "résumé", "쿠폰", "쿠본", "か", "が", "かん", "漢", "汉"]
    assert len({normalised(name) for name in names}) == len(names)
    assert task_key("p", "!!!") != task_key("p", "???")
    assert task_key("p", "a") != task_key("q", "a")


@given(st.text(max_size=40))
def test_E11_a_name_is_settled_and_the_same_for_every_way_to_write_it(title):
    name = normalised(title)
    assert normalised(name) == name
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert normalised(unicodedata.normalize(form, title)) == name
    assert ":" not in name


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("waiting for SHOP-12 to land", "art:jira:SHOP-12"),
        ("https://tracker.example.org/browse/SHOP-12", "art:jira:SHOP-12"),
        ("Acme/Shop#7 must be merged", "art:gh_issue:acme/shop:7"),
        ("see https://github.com/Acme/Shop/issues/7.", "art:gh_issue:acme/shop:7"),
        ("https://github.com/acme/shop/pull/7/files", "art:gh_issue:acme/shop:7"),
        ("(HTTPS://Example.org/A?b=1).", "art:url:" + hashlib.sha1(b"https://example.org/A?b=1").hexdigest()),
        (
            "https://ko.example.org/위키_(문서)을",
            "art:url:" + hashlib.sha1("https://ko.example.org/위키_(문서)을".encode()).hexdigest(),
        ),
    ],
)
def test_E11_E13_an_artifact_is_known_by_its_key(text, key):
    assert artifact(text).key == key


@pytest.mark.parametrize(
    "text", ["UTF-8 is broken", "SHA-256 and GPT-4", "the vendor answers", "issue #7", "법무 검토", "a-b-12", "x/y"]
)
def test_E13_what_only_looks_like_a_key_is_none(text):
    assert artifact(text) is None


# -- States --------------------------------------------------------------------------------------------------


def test_E12_a_task_moves_only_where_the_table_says():
    assert TASK_MOVES == {
        "pending": ("in_progress", "blocked", "cancelled"),
        "in_progress": ("blocked", "done", "cancelled"),
        "blocked": ("in_progress", "cancelled"),
        "done": ("in_progress",),
        "cancelled": (),
    }
    for state in TASK_STATES:
        for to in TASK_STATES:
            if to in TASK_MOVES[state]:
                check_move("x", state, to)
            else:
                with pytest.raises(entities.TransitionRejected) as error:
                    check_move("x", state, to)
                assert error.value.hint
    with pytest.raises(entities.TransitionRejected, match="no state"):
        check_move("x", "pending", "finished")


def test_E02_E03_stages_climb_one_rung_and_statuses_move_along_their_table():
    for stage in STAGES:
        for to in STAGES:
            assert entries.may_move_stage(entry(stage), to) == (to in STAGE_MOVES[stage])
    for status in STATUSES:
        for to in STATUSES:
            assert entries.may_move_status(entry(status=status), to) == (to in STATUS_MOVES[status])
    with pytest.raises(IllegalMove):
        entries.check_stage_move(entry(), "verified")
    with pytest.raises(IllegalMove):
        entries.check_status_move(entry(status="deprecated"), "superseded")
    entries.check_stage_move(entry(), "working")
    entries.check_status_move(entry(), "superseded")


def test_E16_a_failed_quote_keeps_an_entry_at_candidate_and_all_failed_ones_at_raw():
    assert entries.may_move_stage(entry("working", methods=("exact", "failed")), "candidate")
    assert not entries.may_move_stage(entry("candidate", methods=("exact", "failed")), "verified")
    assert not entries.may_move_stage(entry("raw", methods=("failed", "failed")), "working")
    assert entries.may_move_stage(entry("candidate", methods=("exact", "fuzzy")), "verified")
