"""What was consolidated and what was accepted is found by meaning too; by words alone it is found as ever."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import memory_project
from knowledge_kit import say
from meaning_kit import Topics, embed
from pith import platform
from pith.domain.events import HOOK, RESPONSE, Sighting
from pith.domain.ports import Searched
from pith.domain.validity import Validity
from pith.files import config, graph_index
from pith.services import capture, memory_recall
from pith.services.answers import recall as answers
from pith.services.answers.here import here
from pith.services.answers.recall import Question
from pith.services.config import PROJECT, Layer, Settings
from pith.services.endless import consolidate
from pith.services.meaning import exact, nearness
from pith.services.meaning.exact import ExactIndex
from pith.services.meaning.nearness import Meaning
from pith.services.project_memory import accepted, nodes_refresh
from pith.services.workspace import Workspace, open_workspace
from pith.store import vectors
from pith.store.database import Db

ENDLESS = Settings([Layer(PROJECT, "", {"mode": "endless"}, [])])
NOW = 1_796_000_000_000


@pytest.fixture
def ws(git_repo: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """A store with a memory and two nodes, one of which is about what people call a cart or a basket."""
    monkeypatch.chdir(git_repo)
    layout = memory_project.empty_in(git_repo)
    for id, text in (
        ("decision.basket", "Our basket adds shipping before rounding."),
        ("decision.login", "The login page asks twice."),
    ):
        made = memory_project.memory(
            0, memory_project.quest(0), kind="decision", id=id, title=text, summary=text, own={}, validity=Validity()
        )
        memory_project.put(layout, made)
    graph_index.rebuild(layout, config.read(layout), "2026-11-30T00:00:00.000Z")
    with open_workspace(str(git_repo)) as found:
        for n, text in enumerate(
            (
                "We decided that the basket is kept for thirty days.",
                "The basket is emptied after thirty days then.",
                "Thirty days: then the basket is emptied.",
            )
        ):
            seen = Sighting(RESPONSE, "s1", text, platform.stamp(NOW - 5 + n), host="claude", channel=HOOK)
            capture.keep(found.db, seen, ENDLESS)
        assert consolidate.run(found.db, ENDLESS, NOW).memories
        nodes_refresh.refresh(found.db, found.place, always=True)
        yield found


def memories_of(ws: Workspace, question: str, meaning: Meaning | None = None) -> list[memory_recall.Known]:
    return memory_recall.find(ws.db, question, 3, meaning=meaning)


def nodes_of(ws: Workspace, question: str, meaning: Meaning | None = None) -> list[str]:
    return [one.id for one in accepted.found(ws.db, ws.place, question, 3, meaning)]


def test_a_memory_that_shares_no_word_with_a_question_is_found_by_meaning(ws: Workspace) -> None:
    assert memories_of(ws, "carts expire") == []
    [best] = memories_of(ws, "carts expire", embed(ws, Topics()))
    assert "basket" in best.summary
    assert best.confidence > 0.5
    assert best.found.by_meaning > 0 == best.found.by_words


def test_an_accepted_node_that_shares_no_word_with_a_question_is_found_by_meaning(ws: Workspace) -> None:
    assert nodes_of(ws, "carts expire") == []
    assert nodes_of(ws, "carts expire", embed(ws, Topics())) == ["decision.basket"], "and what is far is no match"


def test_nodes_of_an_index_that_nobody_copied_yet_are_found_by_meaning_where_they_have_vectors(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    meaning = embed(ws, Topics())
    monkeypatch.setattr(accepted, "up_to_date", lambda db, place: False)
    ws.db.execute("UPDATE meta SET value = '{}' WHERE name = 'nodes'")
    assert nodes_of(ws, "carts expire", meaning)[0] == "decision.basket"


def test_words_alone_find_and_judge_as_they_did(ws: Workspace) -> None:
    """The worth of words is a share of all that is asked: order and confidence are those of the sums before."""
    [best] = memories_of(ws, "basket thirty days")
    assert best.found.by_meaning == 0
    assert best.score == pytest.approx(best.found.by_words * (0.8 + 0.3 * best.sure))
    assert nodes_of(ws, "shipping before rounding") == ["decision.basket"]


def test_a_meaning_that_fails_leaves_the_words(ws: Workspace) -> None:
    meaning = embed(ws, Topics())
    by_words = [one.confidence for one in memories_of(ws, "basket thirty days")]
    meaning.failure = "no weights"
    assert [one.confidence for one in memories_of(ws, "basket thirty days", meaning)] == by_words
    assert nodes_of(ws, "shipping before rounding", meaning) == ["decision.basket"]


def test_a_question_asks_memories_and_nodes_by_meaning_and_explains_them(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    meaning = embed(ws, Topics())
    monkeypatch.setattr(nearness, "opened", lambda ws: (meaning, ""))
    found = answers.recall(here(), Question("carts expire", explain=True), face="cli")
    assert found["meaning"]["used"]
    assert found["memories"][0]["parts"]["cosine"] > 0.9
    assert found["nodes"][0]["parts"]["meaning"] > 0
    by_words = answers.recall(here(), Question("carts expire", words=True), face="cli")
    assert (by_words["memories"], by_words["nodes"]) == ([], [])


def test_two_questions_to_a_running_process_read_the_codes_once_and_a_change_is_seen(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each question opens a connection of its own, as those to a server and to the dashboard do."""
    pytest.importorskip("numpy")
    monkeypatch.setattr(exact, "_views", {})
    monkeypatch.setattr(exact, "PACKED_FROM", 1)
    model = embed(ws, Topics())
    monkeypatch.setattr(nearness, "opened", lambda asked: (_of(asked, model.index), ""))
    read: list[int] = []
    contents = vectors.contents

    def counting(db: Db, numbers: list[int]) -> dict[int, tuple[bytes, bytes]]:
        read.extend(numbers)
        return contents(db, numbers)

    monkeypatch.setattr(vectors, "contents", counting)
    ask = Question("carts expire")
    assert [hit["weak"] for hit in answers.recall(here(), ask, face="mcp")["hits"]]
    once = list(read)
    assert once
    before = answers.recall(here(), ask, face="mcp")["hits"]
    assert read == once
    say(ws.db, "A second basket was never planned.", session="s7")
    embed(ws, Topics())
    after = {hit["text"] for hit in answers.recall(here(), ask, face="mcp")["hits"]}
    assert after - {hit["text"] for hit in before} == {"A second basket was never planned."}
    assert len(read) == len(set(read)), "and no block was read twice"


def _of(ws: Workspace, index: Searched) -> Meaning:
    """The vectors of a workspace, asked by a connection of its own."""
    assert isinstance(index, ExactIndex)
    return Meaning(Topics(), ExactIndex(ws.db, index._version, index._dimensions))
