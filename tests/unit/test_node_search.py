"""Searching nodes: order of preference, ties, words."""

from __future__ import annotations

from typing import Any

import pytest

from pith.domain import nodes
from pith.domain.node_search import search
from pith.domain.nodes import Node


def entry(id: str, summary: str, kind: str = "decision", quest: str = "quest_1") -> dict[str, Any]:
    node = Node(
        id, kind, "candidate", "medium", nodes.title_of(summary), summary, source_quest=quest, source_proposal="mem_1"
    )
    return nodes.list_entry(node, f"{id}.md")


def found(entries: list[dict[str, Any]], query: str) -> list[str]:
    return [hit.entry["id"] for hit in search(entries, query)]


def test_G12_exact_title_first_then_candidate_then_type_then_source_then_parts() -> None:
    everything = [
        entry("decision.tool-part", "Nothing here"),
        entry("decision.by-source", "Nothing there", quest="tool"),
        entry("tool.by-type", "Nothing anywhere", kind="tool"),
        entry("decision.by-text", "Use the tool of the house"),
        entry("decision.by-title", "tool"),
    ]
    assert found(everything, "tool") == [
        "decision.by-title",
        "decision.by-text",
        "tool.by-type",
        "decision.by-source",
        "decision.tool-part",
    ]


def test_G12_equal_matches_stand_in_order_of_their_ids() -> None:
    assert found([entry("decision.b", "same text"), entry("decision.a", "same text")], "same") == [
        "decision.a",
        "decision.b",
    ]


@pytest.mark.parametrize(
    "query",
    ["회원이 재가입", "서비스에서 회원을", '"회원 서비스"', "‘회원 서비스’", "검사 회원", "재가입을"],
)
def test_orange_14_words_in_any_order_with_other_particles_and_in_quotes_are_found(query: str) -> None:
    everything = [
        entry("constraint.a", "재가입은 탈퇴 30일 뒤에만 허용한다: 회원 서비스가 검사한다.", kind="constraint"),
        entry("decision.b", "The refund worker retries three times"),
    ]
    assert found(everything, query) == ["constraint.a"]


@pytest.mark.parametrize("query", ["worker refund", "retry workers", "“refund worker”"])
def test_orange_14_english_words_in_any_order_and_form_are_found(query: str) -> None:
    assert found(
        [entry("decision.b", "The refund worker retries three times"), entry("decision.c", "Other")], query
    ) == ["decision.b"]


@pytest.mark.parametrize("query", ["nothing here", "-x", "??", "the of"])
def test_what_stands_nowhere_finds_nothing(query: str) -> None:
    assert found([entry("decision.b", "The refund worker retries three times")], query) == []
