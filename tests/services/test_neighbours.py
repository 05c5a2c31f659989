"""Who is near whom, worked out by the worker; a hook expands its hits by that table and loads no model."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowledge_kit import say
from meaning_kit import Topics, embed
from pith.services import recall
from pith.services.keeping import forget
from pith.services.meaning import neighbours
from pith.services.meaning.nearness import Meaning
from pith.services.workspace import Workspace, open_workspace
from pith.store import kin, search
from pith.store.search import Filter


@pytest.fixture
def ws(git_repo: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(git_repo)
    with open_workspace() as found:
        say(found.db, "The cart total is wrong by one won.", session="s1")
        say(found.db, "Our basket adds shipping before rounding.", session="s2")
        say(found.db, "The login page is slow on Mondays.", session="s3")
        yield found


def told(ws: Workspace, question: str, meaning: Meaning | None = None) -> list[int]:
    return [hit.seq for hit in recall.hits(ws.db, question, 5, meaning=meaning)]


def test_nothing_is_due_without_vectors(ws):
    assert not neighbours.is_due(ws, 0)


def test_the_table_brings_what_shares_no_word_with_the_question(ws):
    assert told(ws, "cart wrong") == [1]
    embed(ws, Topics())
    assert neighbours.is_due(ws, 0)
    assert "near in meaning" in str(neighbours.run(ws, lambda: True))
    assert not neighbours.is_due(ws, 0)
    assert [other for _, other, _ in kin.near(ws.db, [1])] == [2]
    assert told(ws, "cart wrong") == [1, 2]
    best = recall.hits(ws.db, "cart wrong", 5)[1]
    assert best.found.kin_of == "near"


def test_it_goes_on_where_it_was_stopped(ws):
    embed(ws, Topics())
    neighbours.run(ws, lambda: False)
    assert neighbours.is_due(ws, 0)
    neighbours.run(ws, lambda: True)
    assert not neighbours.is_due(ws, 0)
    say(ws.db, "basket again", session="s4")
    embed(ws, Topics())
    assert neighbours.is_due(ws, 0)
    neighbours.run(ws, lambda: True)
    assert {other for _, other, _ in kin.near(ws.db, [1])} == {2, 4}, "and who was there before knows the new one"


def test_what_is_forgotten_is_nobodys_neighbour(ws):
    embed(ws, Topics())
    neighbours.run(ws, lambda: True)
    forget.forget(ws, forget.Choice((2,)))
    assert kin.near(ws.db, [1, 2]) == []
    assert told(ws, "cart wrong") == [1]


def test_of_each_event_only_the_nearest_are_kept(ws):
    with ws.db.transaction():
        kin.put(ws.db, [(1, other, other / 100) for other in range(2, 30)])
    rows = ws.db.execute("SELECT other FROM neighbours WHERE event = 1")
    assert {row["other"] for row in rows} == set(range(30 - kin.KEPT, 30))


def test_a_question_finds_by_meaning_what_shares_no_word_with_it(ws):
    meaning = embed(ws, Topics())
    assert told(ws, "purchase of a basket", meaning)[:2] == [2, 1]
    assert 1 not in told(ws, "purchase of a basket")


def test_what_a_filter_refuses_is_found_by_no_way(ws):
    meaning = embed(ws, Topics())
    neighbours.run(ws, lambda: True)
    for only in (Filter(session="s1"), Filter(not_session="s2"), Filter(kinds=("tool",)), Filter(until="2000-01-01")):
        allowed = {seq for seq in (1, 2, 3) if search.among(ws.db, [seq], only)}
        for way in (meaning, None):
            found = {hit.seq for hit in recall.hits(ws.db, "cart basket", 5, only, meaning=way)}
            assert found <= allowed


def test_an_embedder_that_fails_costs_the_meaning_and_not_the_words(ws):
    class Broken(Topics):
        def embed_question(self, text: str) -> bytes:
            raise OSError("no weights")

    meaning = embed(ws, Broken())
    assert told(ws, "cart wrong", meaning) == [1]
    assert "OSError" in meaning.failure
