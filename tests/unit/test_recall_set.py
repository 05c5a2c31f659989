"""The invented coding sessions that recall is measured on are large, mixed and honest enough to measure anything."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

SET = Path(__file__).parent.parent / "data" / "recall" / "coding_sessions.json"
HANGUL = re.compile("[가-힣]")
KINDS = {"prompt", "response", "tool"}


@pytest.fixture(scope="module")
def measured() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(SET.read_text(encoding="utf-8"))
    return loaded


def turns(measured: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {f"{session['id']}:{turn['n']}": turn for session in measured["sessions"] for turn in session["turns"]}


def searchable(turn: dict[str, Any]) -> str:
    return " ".join([turn["text"], *turn.get("files", [])]).casefold()


def occurs(word: str, text: str) -> bool:
    """Korean words stand anywhere under their particles; other words begin where a word begins."""
    word = word.casefold()
    return word in text if HANGUL.search(word) else re.search(rf"\b{re.escape(word)}", text) is not None


def is_korean(session: dict[str, Any]) -> bool:
    """Korean when more than half of what people and agents say in it holds Hangul."""
    said = [turn["text"] for turn in session["turns"] if turn["kind"] != "tool"]
    return sum(bool(HANGUL.search(text)) for text in said) * 2 > len(said)


def test_there_are_enough_sessions_turns_and_questions(measured: dict[str, Any]) -> None:
    assert len(measured["sessions"]) >= 40
    assert len(turns(measured)) >= 420
    for lang in ("en", "ko"):
        assert sum(question["lang"] == lang for question in measured["questions"]) >= 36
        assert sum(question["lang"] == lang for question in measured["unanswerable"]) >= 10


def test_every_session_has_8_to_16_turns_in_order(measured: dict[str, Any]) -> None:
    for session in measured["sessions"]:
        assert 8 <= len(session["turns"]) <= 16
        assert [turn["n"] for turn in session["turns"]] == list(range(len(session["turns"])))
        assert {turn["kind"] for turn in session["turns"]} <= KINDS
        assert all(turn["text"].strip() for turn in session["turns"])
        assert all(("tool" in turn) == (turn["kind"] == "tool") for turn in session["turns"])


def test_ids_and_questions_are_unique(measured: dict[str, Any]) -> None:
    ids = [session["id"] for session in measured["sessions"]]
    assert len(set(ids)) == len(ids)
    asked = [question["q"] for question in measured["questions"] + measured["unanswerable"]]
    assert len(set(asked)) == len(asked)


def test_about_half_of_the_sessions_are_korean(measured: dict[str, Any]) -> None:
    share = sum(is_korean(session) for session in measured["sessions"]) / len(measured["sessions"])
    assert 0.4 <= share <= 0.6


def test_a_question_s_language_is_what_it_says(measured: dict[str, Any]) -> None:
    for question in measured["questions"] + measured["unanswerable"]:
        assert (question["lang"] == "ko") == bool(HANGUL.search(question["q"])), question["q"]


def test_every_gold_turn_exists(measured: dict[str, Any]) -> None:
    known = turns(measured)
    for question in measured["questions"]:
        assert 1 <= len(question["gold"]) <= 3
        assert set(question["gold"]) <= set(known), question["q"]


def test_unanswerable_questions_share_two_words_with_the_sessions(measured: dict[str, Any]) -> None:
    texts = [searchable(turn) for turn in turns(measured).values()]
    for question in measured["unanswerable"]:
        assert len(set(question["shared"])) >= 2, question["q"]
        for word in question["shared"]:
            assert occurs(word, question["q"].casefold()), (word, question["q"])
            assert any(occurs(word, text) for text in texts), (word, question["q"])


def test_no_question_is_copied_from_a_turn(measured: dict[str, Any]) -> None:
    texts = [searchable(turn) for turn in turns(measured).values()]
    for question in measured["questions"] + measured["unanswerable"]:
        bare = question["q"].casefold().rstrip("?")
        assert not any(bare in text for text in texts), question["q"]


def test_no_turn_of_substance_repeats_another(measured: dict[str, Any]) -> None:
    said = [turn["text"] for turn in turns(measured).values() if len(turn["text"]) > 20]
    assert len(set(said)) == len(said)
