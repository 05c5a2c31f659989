"""Recall finds what answers, in both languages alike, and keeps quiet about what nothing answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pith.services import config
from pith.store.database import open_store
from recall_set import Asked, Coding


@pytest.fixture(scope="module")
def coding(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Coding]:
    with open_store(str(tmp_path_factory.mktemp("store"))) as db:
        yield Coding(db)


@pytest.fixture(scope="module")
def answerable(coding: Coding) -> list[Asked]:
    return coding.answerable()


@pytest.fixture(scope="module")
def unanswerable(coding: Coding) -> list[Asked]:
    return coding.unanswerable()


@pytest.fixture
def least() -> float:
    """How sure a hook must be with the settings that everybody begins with."""
    return float(config.defaults().get("recall.minConfidence"))


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_first_five_hits_hold_what_answers(language: str, answerable: list[Asked]) -> None:
    found = [asked.recall(5) for asked in answerable if asked.language == language]
    assert len(found) >= 30
    assert mean(found) >= 0.95


def test_korean_questions_are_answered_as_well_as_english_ones(answerable: list[Asked]) -> None:
    english, korean = (
        mean([asked.recall(5) for asked in answerable if asked.language == language]) for language in ("en", "ko")
    )
    assert abs(english - korean) <= 0.05


def test_a_hook_is_silent_about_what_nothing_answers(unanswerable: list[Asked], least: float) -> None:
    """At most one in fifteen is spoken about, though each shares two content words with the sessions."""
    spoken = [asked.text for asked in unanswerable if asked.is_spoken(least)]
    assert len(unanswerable) >= 15
    assert len(spoken) <= len(unanswerable) / 15


def test_a_hook_speaks_about_most_of_what_is_known(answerable: list[Asked], least: float) -> None:
    spoken = [asked.is_spoken(least) for asked in answerable]
    assert sum(spoken) / len(spoken) >= 0.8


def test_questions_without_an_answer_find_hits_that_stay_below_what_a_hook_needs(
    unanswerable: list[Asked], least: float
) -> None:
    """`pith recall` still shows them, as weak matches: silence is the hook's, not the index's."""
    hits = [confidence for asked in unanswerable for confidence in asked.confidences]
    weak = [confidence for confidence in hits if confidence < least]
    assert hits
    assert len(weak) / len(hits) >= 0.9


def test_equal_questions_get_equal_answers(coding: Coding, answerable: list[Asked], tmp_path: Path) -> None:
    with open_store(str(tmp_path / "again")) as db:
        again = Coding(db).answerable()
    assert [asked.ranked for asked in again] == [asked.ranked for asked in answerable]
