"""Validity: dates, conditions on files, and chains."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from pith.domain import validity
from pith.domain.validity import CURRENT, EXPIRED, NOT_YET, STALE, SUPERSEDED, Validity

TODAY = "2026-11-30"


@pytest.mark.parametrize(
    ("fields", "since", "expected"),
    [
        ({}, "2020-01-01", CURRENT),
        ({"stale_after": "null"}, "2020-01-01", CURRENT),
        ({"stale_after": "30d"}, "2026-10-31T10:00:00.000Z", CURRENT),
        ({"stale_after": "30d"}, "2026-10-30T10:00:00.000Z", STALE),
        ({"stale_after": "90d", "last_verified_at": "2026-11-01"}, "2020-01-01", CURRENT),
        ({"stale_after": "90d", "last_verified_at": "2025-12-01"}, "2026-11-29", STALE),
        ({"stale_after": "30d"}, "", STALE),
        ({"stale_after": "the next major version"}, "2020-01-01", CURRENT),
        ({"superseded_by": "decision.b"}, "2026-11-29", SUPERSEDED),
        ({"valid_to": "2026-11-29"}, "2026-11-01", EXPIRED),
        ({"valid_to": "2026-11-30"}, "2026-11-01", CURRENT),
        ({"valid_from": "2026-12-01"}, "2026-11-01", NOT_YET),
    ],
)
def test_G16_a_node_is_what_its_dates_say(fields: dict[str, object], since: str, expected: str) -> None:
    assert validity.state(Validity.of(fields), since, TODAY).name == expected


def test_G19_a_stale_node_says_when_it_was_verified_and_when_it_goes_stale() -> None:
    found = validity.state(Validity.of({"stale_after": "90d", "last_verified_at": "2025-12-01"}), "", TODAY)
    assert found.reason == "last_verified_at=2025-12-01, stale_after=90d"


def test_G16_a_condition_on_files_asks_for_what_changed_since_the_node_was_verified() -> None:
    asked: list[tuple[str, str]] = []

    def changed(pattern: str, since: str) -> Iterable[str]:
        asked.append((pattern, since))
        return ["src/auth/login.py"]

    node = Validity.of({"stale_after": "path:src/auth/**", "last_verified_at": "2026-11-01"})
    found = validity.state(node, "2020-01-01", TODAY, changed)
    assert (found.name, found.files) == (STALE, ("src/auth/login.py",))
    assert asked == [("src/auth/**", "2026-11-01")]
    assert validity.state(node, "2020-01-01", TODAY, lambda _pattern, _since: ()).name == CURRENT


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("src/auth/**", "src/auth/a/b.py", True),
        ("src/auth/**", "src/author.py", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/a/b.py", False),
        ("**/login.py", "login.py", True),
        ("**/login.py", "a/b/login.py", True),
        ("src/auth", "src/auth/a.py", True),
        ("src/auth/", "src/auth/a.py", True),
        ("설정/?.toml", "설정/가.toml", True),
        ("a.b", "axb", False),
    ],
)
def test_globs_stay_in_a_folder_with_one_star_and_pass_through_with_two(
    pattern: str, path: str, expected: bool
) -> None:
    assert validity.matches(pattern, path) is expected


def test_G16_chains_lead_to_the_node_that_holds_and_a_cycle_ends() -> None:
    assert validity.chain("a", {"a": "b", "b": "c"}).last == "c"
    assert validity.chain("a", {"a": "b", "b": "a"}).cycle


def test_G16_what_is_wrong_with_validity_is_one_sentence_each() -> None:
    said = validity.problems(
        {"stability": "solid", "valid_from": "soon", "valid_to": "2026-13-01", "last_verified_at": "2026-11-30"}
    )
    assert len(said) == 3
    assert validity.problems({"valid_from": "2026-02-01", "valid_to": "2026-01-01"}) == [
        "valid_to 2026-01-01 lies before valid_from 2026-02-01"
    ]
