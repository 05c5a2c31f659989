"""Ids of quests: readable in ASCII, unique, and safe as the name of a file."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pith.domain import nodes, proposals, quests, titles

NOW = "2026-11-30T03:26:24.884Z"


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Decide how the refund worker retries: three attempts", "decide-how-the-refund-worker-retries-three-attem"),
        ("재가입 규칙", "jaegaip-gyuchik-6111ac"),
        ("값을 읽었다", "gabseul-ilgeotda-283d99"),
        ("東京", "130016"),
    ],
)
def test_orange_01_a_title_is_readable_in_its_id_whatever_its_script(title: str, slug: str) -> None:
    assert titles.slug(title) == slug


def test_orange_01_equal_korean_titles_of_one_second_have_different_ids() -> None:
    taken: set[str] = set()
    for _ in range(16):
        taken.add(quests.id_for(NOW, "결정: 규칙을 정한다", taken))
    assert len(taken) == 16


def test_titles_that_differ_only_where_letters_were_lost_have_different_slugs() -> None:
    assert titles.slug("東京 plan") != titles.slug("大阪 plan")
    assert titles.slug("가 규칙") != titles.slug("가 규칙!?가")
    assert titles.slug("😀") != titles.slug("😁")


def test_composed_and_decomposed_hangul_is_one_title() -> None:
    assert titles.slug("재가입") == titles.slug("재가입")


@given(st.text(min_size=1))
def test_orange_01_the_longest_node_id_is_a_safe_file_name(title: str) -> None:
    quest = quests.id_for(NOW, title, set())
    node = nodes.id_for("verification", proposals.id_for(quest, "verification", set()))
    assert re.fullmatch(r"[A-Za-z0-9_.-]+", node)
    assert ".." not in node
    assert len(f"{node}.md".encode()) <= 180


def test_titles_are_cut_as_orange_hyper_cuts_them() -> None:
    long = "Decide how the refund worker retries: three attempts with doubling pauses, then a dead-letter row."
    assert titles.cut(long) == "Decide how the refund worker retries: three attempts with doubling pa..."
    assert titles.cut("multi\nline   request") == "multi line request"
    assert titles.cut("a\u2028b") == "a b"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Keep v1.2 of redis.py. Then stop.", "Keep v1.2 of redis.py."),
        ("재가입은 30일 뒤에만 된다. 그 밖은 안 된다.", "재가입은 30일 뒤에만 된다."),
        ("再入会は30日後だけ。ほかは不可。", "再入会は30日後だけ。"),
        ("no end", "no end"),
        ('He said "stop." And went.', 'He said "stop."'),
    ],
)
def test_the_first_sentence_ends_where_a_reader_would_end_it(text: str, sentence: str) -> None:
    assert titles.first_sentence(text) == sentence
