"""An entry is verified while a live node cites it (E15), by whatever way the node came or went; real git."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import memory_project
from conftest import Run, git
from crash.sweep import run, sweep
from knowledge_kit import extract, rows_of, say, statement
from pith.domain.citing import Cited, cited
from pith.domain.evidence import quote_hash
from pith.files import config, graph_index, nodes
from pith.files.layout import Layout
from pith.services.knowledge import fold as knowledge
from pith.services.project_memory import accepted, decide, nodes_refresh, shared
from pith.services.workspace import open_workspace
from pith.store import entries
from pith.store import knowledge as stored

NODE_EVENTS = ("proposal_accepted", "node_withdrawn")
SAID = "환불은 세 번까지만 재시도한다. 그 뒤에는 사람이 본다."


class Shop:
    """A repository whose project memory cites what its sessions stated."""

    def __init__(self, root: Path, pith: Callable[..., Run]) -> None:
        self.root = root
        self.pith = pith
        self.pith("init", "--shared", "--json", cwd=root, check=True)
        self.commit("Begin project memory")
        with open_workspace(str(root)) as ws:
            event = say(ws.db, SAID)
            quotes = ("환불은 세 번까지만 재시도한다", "그 뒤에는 사람이 본다")
            self.entries = extract(ws.db, event, [statement(ws.db, event, quote, quote) for quote in quotes])

    def said(self, *words: str) -> Any:
        return self.pith(*words, "--json", cwd=self.root, check=True).json["data"]

    def proposed(self, *cites: str, request: str = "환불 재시도 횟수를 정한다") -> str:
        quest = self.said("quest", "new", request, "--layer", "L2")["quest"]["id"]
        self.said("quest", "done", quest, "--evidence", "시험 3개 통과")
        given = [word for cite in cites for word in ("--entry", cite)]
        return str(self.said("remember", "propose", "--quest", quest, *given)["proposal"]["id"])

    def accept(self, *cites: str, request: str = "환불 재시도 횟수를 정한다") -> str:
        node = self.said("remember", "accept", self.proposed(*cites, request=request))["node"]["id"]
        self.commit(request)
        return str(node)

    def commit(self, message: str) -> None:
        git(self.root, "add", "--all")
        git(self.root, "commit", "--quiet", "--message", message)

    def ask(self) -> None:
        """Any question of a person: it is then that changes are noticed."""
        self.said("recall", "환불")

    def stages(self) -> list[str]:
        with open_workspace(str(self.root)) as ws:
            return [entries.by_id(ws.db, id).stage for id in self.entries]

    def told(self) -> list[str]:
        """The kinds of the changes that nodes made; a rebuild gives the rows that are there."""
        with open_workspace(str(self.root)) as ws:
            before = rows_of(ws.db)
            knowledge.rebuild(ws.db)
            assert rows_of(ws.db) == before
            return [change.kind for change in stored.of_kinds(ws.db, NODE_EVENTS)]


@pytest.fixture
def shop(git_repo: Path, pith: Callable[..., Run]) -> Shop:
    return Shop(git_repo, pith)


# -- Accepting and verifying ---------------------------------------------------------------------------------


def test_E15_an_entry_that_an_accepted_proposal_cites_is_verified_at_once(shop):
    first, second = shop.entries
    waiting = shop.proposed(first)
    assert shop.stages() == ["raw", "raw"], "a proposal alone proves nothing"
    shop.said("remember", "accept", waiting)
    assert shop.stages() == ["verified", "raw"]
    shop.ask()
    assert shop.told() == ["proposal_accepted"]
    shop.accept(f"{first}@{'0' * 64}", second, request="환불을 사람이 언제 보는지 정한다")
    assert shop.stages() == ["verified", "verified"]


def test_E15_the_node_names_what_it_cites_and_the_log_says_which_file_that_was(shop):
    proof = f"{shop.entries[0]}@{'ab' * 32}"
    id = shop.accept(proof)
    kept = nodes.read(nodes.paths(Layout(shop.root))[id]).value
    assert kept.entries == (proof,)
    with open_workspace(str(shop.root)) as ws:
        (change,) = stored.of_kinds(ws.db, NODE_EVENTS)
        row = ws.db.execute("SELECT node, entry_id, hash, certified FROM node_entries")
    assert change.payload["node"] == id
    assert change.payload["entries"] == [{"entry": shop.entries[0], "quote_hash": "ab" * 32}]
    assert [tuple(each) for each in row] == [(id, shop.entries[0], change.payload["hash"], 0)]


def test_E15_a_node_verified_with_evidence_makes_what_it_cites_certified(shop):
    node = shop.accept(shop.entries[0])
    shop.said("graph", "verify", node, "--evidence", "부하 시험을 다시 돌렸다")
    assert shop.stages() == ["certified", "raw"]
    shop.commit("Verify")
    git(shop.root, "revert", "--no-edit", "HEAD")
    shop.ask()
    assert shop.stages() == ["verified", "raw"], "it is cited still, and no more"
    assert shop.told() == ["proposal_accepted"] * 3


def test_E15_what_two_nodes_cite_stands_as_high_as_the_higher_of_them_puts_it(shop):
    first = shop.accept(shop.entries[0])
    shop.accept(shop.entries[0], request="환불 재시도를 감사한다")
    shop.said("graph", "verify", first, "--evidence", "시험")
    assert shop.stages()[0] == "certified"
    nodes.paths(Layout(shop.root))[first].unlink()
    shop.said("graph", "rebuild-index")
    assert shop.stages()[0] == "verified"


def test_E15_a_rejected_proposal_changes_nothing(shop):
    shop.said("remember", "reject", shop.proposed(shop.entries[0]))
    assert shop.stages() == ["raw", "raw"]


def test_a_proposal_cites_entries_by_citation_or_the_beginning_of_an_id_and_keeps_the_hash_of_the_quote(shop):
    id = shop.accept(shop.entries[0][:9])
    kept = nodes.read(nodes.paths(Layout(shop.root))[id]).value
    assert kept.entries == (f"{shop.entries[0]}@{quote_hash('환불은 세 번까지만 재시도한다')}",)
    shown = shop.said("entry", "show", shop.entries[1])
    waiting = shop.proposed(shown["entry"]["citation"], request="환불을 사람이 언제 보는지 정한다")
    shop.said("remember", "revise", waiting, "--entry", shop.entries[0], "--entry", shop.entries[1])
    shop.said("remember", "accept", waiting)
    assert shop.stages() == ["verified", "verified"]
    shop.commit("Two")
    git(shop.root, "revert", "--no-edit", "HEAD")
    shop.said("entries")
    assert shop.stages() == ["verified", "candidate"], "whoever asks for entries notices too"


def test_a_proposal_that_cites_no_entry_is_refused(shop):
    quest = shop.said("quest", "new", "환불 재시도를 감사한다", "--layer", "L2")["quest"]["id"]
    shop.said("quest", "done", quest, "--evidence", "시험")
    for wrong in ("no-entry", "0190f2b0-1111-8222-a333-444444444444"):
        run = shop.pith("remember", "propose", "--quest", quest, "--entry", wrong, cwd=shop.root)
        assert run.code == 1
        assert "There is no entry" in run.stderr
    assert shop.said("remember", "list")["proposals"] == []


def test_E16_a_node_cannot_verify_what_rests_on_a_quote_that_was_not_found(shop):
    with open_workspace(str(shop.root)) as ws:
        event = say(ws.db, "쿠폰은 30일 뒤에 끝난다.", session="s2")
        half = statement(ws.db, event, "쿠폰", "쿠폰은 30일 뒤에 끝난다", "이런 말은 아무도 하지 않았다")
        shop.entries = extract(ws.db, event, [half], build="b2")
    shop.accept(*shop.entries)
    assert shop.stages() == ["candidate"]


# -- Checkout, revert, pull ----------------------------------------------------------------------------------


def test_E15_a_checkout_of_a_branch_without_the_node_takes_it_back_and_the_way_back_brings_it(shop):
    git(shop.root, "branch", "without")
    shop.accept(shop.entries[0])
    git(shop.root, "checkout", "--quiet", "without")
    assert shop.stages()[0] == "verified", "nobody has asked yet"
    shop.ask()
    assert shop.stages()[0] == "candidate", "a person accepted it once"
    git(shop.root, "checkout", "--quiet", "main")
    shop.ask()
    shop.ask()
    assert shop.stages()[0] == "verified"
    assert shop.told() == ["proposal_accepted", "node_withdrawn", "proposal_accepted"]


def test_E15_a_branch_that_has_no_project_memory_at_all_withdraws_every_node_once(shop):
    git(shop.root, "branch", "bare", "HEAD~1")
    shop.accept(shop.entries[0])
    shop.accept(shop.entries[1], request="환불을 사람이 언제 보는지 정한다")
    git(shop.root, "checkout", "--quiet", "bare")
    assert not (shop.root / ".orange-hyper" / "config.json").exists()
    shop.ask()
    shop.ask()
    assert shop.stages() == ["candidate", "candidate"]
    git(shop.root, "checkout", "--quiet", "main")
    shop.ask()
    assert shop.stages() == ["verified", "verified"]
    assert shop.told() == ["proposal_accepted"] * 2 + ["node_withdrawn"] * 2 + ["proposal_accepted"] * 2


def test_E15_a_revert_withdraws(shop):
    shop.accept(shop.entries[0])
    git(shop.root, "revert", "--no-edit", "HEAD")
    shop.ask()
    assert shop.stages()[0] == "candidate"
    assert shop.told() == ["proposal_accepted", "node_withdrawn"]


def test_E15_a_node_that_another_clone_pulls_verifies_there_what_both_know(shop, tmp_path, pith, monkeypatch):
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(shop.root), str(clone))
    shop.accept(shop.entries[0])
    dump = tmp_path / "store.jsonl"
    pith("export", "--jsonl", str(dump), cwd=shop.root, check=True)

    monkeypatch.setenv("PITH_HOME", str(tmp_path / "another home"))
    there = Shop.__new__(Shop)
    there.root, there.pith, there.entries = clone, pith, shop.entries
    with open_workspace(str(clone)) as ws:
        assert ws.db, "a store of its own"
    git(clone, "pull", "--quiet")
    there.ask()
    assert there.told() == ["proposal_accepted"], "its statement is not known here yet"
    with open_workspace(str(clone)) as ws:
        assert entries.by_id(ws.db, shop.entries[0]) is None
    pith("import", "--jsonl", str(dump), cwd=clone, check=True)
    assert there.stages() == ["verified", "raw"], "it stands as the node puts it once it is known"
    there.told()


def test_E15_two_project_memories_in_one_repository_do_not_withdraw_each_others_nodes(git_repo, pith):
    with open_workspace(str(git_repo)) as ws:
        event = say(ws.db, SAID)
        found = extract(ws.db, event, [statement(ws.db, event, SAID, SAID)])
    layouts = []
    for number, name in enumerate(("packages/a", "packages/b")):
        (git_repo / name).mkdir(parents=True)
        layout = memory_project.empty_in(git_repo / name)
        node = memory_project.memory(number, memory_project.quest(number), entries=(found[0],) if not number else ())
        memory_project.put(layout, node)
        graph_index.rebuild(layout, config.read(layout), "2026-11-30T00:00:00.000Z")
        layouts.append(layout)
    for layout in (*layouts, *layouts):
        pith("recall", "환불", cwd=layout.root, check=True)
    with open_workspace(str(git_repo)) as ws:
        assert entries.by_id(ws.db, found[0]).stage == "verified"
        kept = stored.of_kinds(ws.db, NODE_EVENTS)
    assert [(one.kind, one.payload["folder"]) for one in kept] == [
        ("proposal_accepted", "packages/a"),
        ("proposal_accepted", "packages/b"),
    ]


# -- A later build -------------------------------------------------------------------------------------------


def test_E15_a_node_that_changes_cites_the_later_build_that_says_the_same_too(shop):
    node = shop.accept(shop.entries[0])
    with open_workspace(str(shop.root)) as ws:
        source = entries.by_id(ws.db, shop.entries[0]).evidence[0]["event_id"]
        quote = "환불은 세 번까지만 재시도한다"
        again = extract(ws.db, source, [statement(ws.db, source, quote, quote)], build="b2")
    shop.said("graph", "verify", node, "--evidence", "시험")
    shop.entries += again
    assert shop.stages() == ["certified", "raw", "certified"]
    shop.told()


# -- Crashes and cost ----------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")
@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.long)], ids=["sample", "all"])
def test_E15_killed_between_accepting_and_telling_the_next_question_tells_it_once(shop, pith_home, every):
    proposal = shop.proposed(*shop.entries)
    root = str(shop.root)
    decide.accept(shared.open_shared(shop.root), proposal)

    def tell() -> None:
        accepted.after_change(root)

    outcomes = set()
    for _ in sweep(tell, pith_home, every=every, sample=12):
        assert run(tell) == 0
        assert shop.stages() == ["verified", "verified"]
        outcomes.add(tuple(shop.told()))
    assert outcomes == {("proposal_accepted",)}


def test_E15_many_nodes_are_told_in_short_transactions_and_looking_again_tells_nothing(tmp_path, monkeypatch):
    layout = memory_project.make(tmp_path / "many", 450)
    graph_index.rebuild(layout, config.read(layout), "2026-11-30T00:00:00.000Z")
    sizes = []
    ended = knowledge.Command.__exit__

    def end(command, *how):
        sizes.append(len(command.changes))
        ended(command, *how)

    monkeypatch.setattr(knowledge.Command, "__exit__", end)
    with open_workspace(str(layout.root)) as ws:
        for _ in range(2):
            nodes_refresh.refresh(ws.db, ws.place, always=True)
            assert len(stored.of_kinds(ws.db, NODE_EVENTS)) == 450
    assert sizes == [200, 200, 50]


def test_a_citation_of_an_entry_is_its_id_with_or_without_the_hash_of_its_quote():
    id, hash = "0190f2b0-1111-8222-a333-444444444444", "ab" * 32
    assert cited([id, f"{id.upper()}@{hash}", " x "]) == (Cited(id),)
    assert [str(one) for one in cited([f"{id}@{hash}", f"{id[:-1]}5:{hash}"])] == [f"{id}@{hash}", f"{id[:-1]}5@{hash}"]
    assert cited(["", "mem:abc", f"{id}@short", f"x{id}"]) == ()
