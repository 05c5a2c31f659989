"""Pieces of a long text: nothing is lost, nothing is too long, sentences stay whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pith.domain.passages import ROOM, pieces, sentences, size

ENGLISH = "The cache is dropped when the key rotates. "
KOREAN = "결제 모듈은 반올림을 한 번만 합니다. "
MIXED = st.text(alphabet=st.sampled_from('ab. \n!?가나다。…"”)́🙂'), max_size=400)


def test_a_short_text_is_one_piece_and_an_empty_one_is_none():
    assert pieces("왜 1센트가 모자라지? Because it rounds twice.") == ["왜 1센트가 모자라지? Because it rounds twice."]
    assert pieces("") == pieces(" \n\t ") == []


@pytest.mark.parametrize(("sentence", "most"), [(ENGLISH, 1200), (KOREAN, 650)])
def test_V11_long_texts_are_split_between_sentences_in_both_languages(sentence, most):
    found = pieces(sentence * 100)
    assert len(found) > 1
    assert all(len(piece) <= most and piece.endswith(sentence.strip()[-1]) for piece in found)
    assert " ".join(found) == (sentence * 100).strip()


def test_a_sentence_that_alone_is_too_long_is_cut_between_words():
    found = pieces("word " * 1000)
    assert all(set(piece.split()) == {"word"} for piece in found)
    assert sum(len(piece.split()) for piece in found) == 1000


def test_without_any_space_a_text_is_cut_where_no_letter_loses_its_marks():
    assert all(len(piece) <= ROOM for piece in pieces("x" * 5000))
    assert all(not piece.startswith("\u0301") for piece in pieces("e\u0301" * 1500))


def test_a_version_number_a_path_and_a_call_end_no_sentence():
    assert list(sentences("pith 1.2.3 reads store/db.py and calls x.y(). Then it stops.")) == [
        "pith 1.2.3 reads store/db.py and calls x.y(). ",
        "Then it stops.",
    ]


@given(MIXED)
def test_the_sentences_of_a_text_put_together_are_the_text(text):
    assert "".join(sentences(text)) == text


@given(MIXED, st.integers(1, 60))
def test_pieces_hold_every_letter_in_order_and_none_is_too_long(text, room):
    found = pieces(text, room)
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(size(piece) <= max(room, 2.4) for piece in found)
    assert all(found)
