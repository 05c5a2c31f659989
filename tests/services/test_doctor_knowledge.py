"""What the doctor promises of knowledge: each promise is broken here on purpose, told, mended, and then quiet."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import memory_project
from knowledge_kit import extract, rows_of, say, statement
from pith.files import config, graph_index
from pith.services.doctor import examination
from pith.services.doctor import knowledge as checks
from pith.services.doctor.checks import CHECKS, KNOWLEDGE, check
from pith.services.doctor.finding import Finding
from pith.services.doctor.patient import admit
from pith.services.keeping import forget
from pith.services.knowledge import fold as knowledge
from pith.services.knowledge import tasks
from pith.services.workspace import open_workspace
from pith.store import database, entries, evidence
from pith.store import knowledge as stored

OWN = [each for each in CHECKS if each.group == KNOWLEDGE]
SAID = "환불은 세 번까지만 재시도한다. Refunds are retried three times."


class Sick:
    """A project with knowledge, healthy at first."""

    def __init__(self, repo: Path) -> None:
        self.repo = repo
        with open_workspace(str(repo)) as ws:
            self.path = Path(ws.folder) / database.FILE
            event = say(ws.db, SAID)
            one, two, ship = (tasks.create(ws.db, "p", title).entity_id for title in ("Migrate", "로그인", "Ship"))
            quote = statement(ws.db, event, "세 번", "세 번까지만 재시도한다", about=[one])
            self.entries = extract(ws.db, event, [quote, statement(ws.db, event, "three", "retried three times")])
            self.event = event
            tasks.block(ws.db, "p", one, ["벤더 답변"])
            tasks.block(ws.db, "p", two, ["법무 검토", "Ship"])
            self.tasks = (one, two, ship)

    def sql(self, *statements: str) -> None:
        """Run SQL behind the program's back, past what the database itself refuses."""
        connection = sqlite3.connect(self.path, isolation_level=None)
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for one in statements:
            assert connection.execute(one).rowcount != 0, one
        for _, sql in triggers:
            connection.execute(sql)
        connection.close()

    def rows(self) -> dict[str, Any]:
        with open_workspace(str(self.repo)) as ws:
            return rows_of(ws.db)

    def findings(self, *, deep: bool = True) -> list[Finding]:
        with admit(cwd=str(self.repo), deep=deep) as patient:
            return list(examination.examine(patient, OWN).findings)

    def codes(self, *, deep: bool = True) -> list[str]:
        return [one.code for one in self.findings(deep=deep)]

    def repair(self, code: str) -> examination.Treatment:
        with admit(cwd=str(self.repo)) as patient:
            return examination.repair(patient, code)


@pytest.fixture
def sick(git_repo: Path) -> Sick:
    return Sick(git_repo)


# -- One way to break each promise ---------------------------------------------------------------------------


def half_folded(sick: Sick) -> None:
    sick.sql("UPDATE knowledge_offsets SET seq = seq - 1 WHERE projection = 'knowledge'")


def an_older_fold(sick: Sick) -> None:
    sick.sql("UPDATE meta SET value = '0' WHERE name = 'knowledge.fold'")


def another_title(sick: Sick) -> None:
    sick.sql(f"UPDATE entries SET title = 'four times' WHERE entry_id = '{sick.entries[1]}'")


def a_row_of_nobody(sick: Sick) -> None:
    sick.sql("DELETE FROM status_moves WHERE rowid = (SELECT min(rowid) FROM status_moves)")


def counter_behind(sick: Sick) -> None:
    sick.sql("UPDATE meta SET value = '1' WHERE name = 'changes'")


def counter_gone(sick: Sick) -> None:
    sick.sql("DELETE FROM meta WHERE name = 'changes'")


def no_source(sick: Sick) -> None:
    sick.sql(f"DELETE FROM edges WHERE rel_type = 'source_of' AND dst_id = '{sick.entries[0]}'")


def another_place(sick: Sick) -> None:
    sick.sql("UPDATE edges SET meta_json = json_set(meta_json, '$.span.start', 1) WHERE rel_type = 'evidence_of'")


def another_text(sick: Sick) -> None:
    sick.sql("UPDATE event_bodies SET text = replace(text, '세 번', '네 번') WHERE text LIKE '%세 번%'")


def a_shorter_text(sick: Sick) -> None:
    sick.sql("UPDATE event_bodies SET text = substr(text, 1, 9) WHERE text LIKE '%세 번%'")


def blocked_by_nothing(sick: Sick) -> None:
    sick.sql(f"UPDATE edges SET retired_at = recorded_at WHERE src_id = '{sick.tasks[0]}' AND rel_type = 'blocked_by'")


def done_though_blocked(sick: Sick) -> None:
    state = "json_set(current_json, '$.status', 'done')"
    sick.sql(f"UPDATE entities SET current_json = {state} WHERE entity_id = '{sick.tasks[0]}'")


def conditions_in_a_circle(sick: Sick) -> None:
    with open_workspace(str(sick.repo)) as ws:
        ids = [row[0] for row in ws.db.execute("SELECT entity_id FROM entities WHERE entity_type = 'condition'")]
        tasks.resolve(ws.db, ids[0], to=ids[1])
    names = "edge_id, src_type, src_id, rel_type, dst_type, dst_id, meta_json, created_at, valid_from, recorded_at, event_id"
    turned = names.replace("edge_id", "'x' || edge_id").replace("src_id", "@").replace("dst_id", "src_id")
    sick.sql(
        f"INSERT INTO edges ({names}) SELECT {turned.replace('@', 'dst_id')} FROM edges WHERE rel_type = 'resolves_to'"
    )


def tasks_in_a_circle(sick: Sick) -> None:
    with open_workspace(str(sick.repo)) as ws:
        tasks.block(ws.db, "p", sick.tasks[2], ["로그인"])


def a_node_pulled(sick: Sick) -> None:
    layout = memory_project.empty_in(sick.repo)
    node = memory_project.memory(0, memory_project.quest(0), entries=(sick.entries[0],))
    memory_project.put(layout, node)
    graph_index.rebuild(layout, config.read(layout), "2026-11-30T00:00:00.000Z")


DAMAGES: list[tuple[str, Callable[[Sick], None]]] = [
    ("KNOWLEDGE_BEHIND", half_folded),
    ("KNOWLEDGE_BEHIND", an_older_fold),
    ("KNOWLEDGE_DIFFERS", another_title),
    ("KNOWLEDGE_DIFFERS", a_row_of_nobody),
    ("CHANGES_MISCOUNTED", counter_behind),
    ("CHANGES_MISCOUNTED", counter_gone),
    ("EVIDENCE_DIFFERS", no_source),
    ("EVIDENCE_DIFFERS", another_place),
    ("QUOTE_CHANGED", another_text),
    ("QUOTE_CHANGED", a_shorter_text),
    ("TASK_UNSOUND", blocked_by_nothing),
    ("TASK_UNSOUND", done_though_blocked),
    ("CONDITION_CIRCULAR", conditions_in_a_circle),
    ("TASKS_WAIT_IN_A_CIRCLE", tasks_in_a_circle),
    ("NODES_UNTOLD", a_node_pulled),
]


def test_every_check_of_knowledge_is_tried():
    of_vectors = {each.code for each in OWN if each.code.startswith("VECTORS_")}  # test_cli_outbox.py tries these
    assert {code for code, _ in DAMAGES} == {each.code for each in OWN} - of_vectors


def test_E16_healthy_knowledge_has_no_finding(sick):
    assert sick.codes() == sick.codes(deep=False) == []


@pytest.mark.parametrize(("code", "damage"), DAMAGES, ids=[damage.__name__ for _, damage in DAMAGES])
def test_what_is_damaged_is_told_repaired_and_then_quiet(sick, code, damage):
    healthy = sick.rows()
    damage(sick)
    assert code in sick.codes()
    if check(code).repair is None:
        return
    treated = sick.repair(code)
    assert treated.worked, treated.message
    assert sick.codes() == []
    if damage not in (conditions_in_a_circle, a_node_pulled):
        assert sick.rows() == healthy, "the same rows, ids included"


# -- What it says --------------------------------------------------------------------------------------------


def test_E16_doctor_compares_evidence_with_the_edges_that_follow_from_it(sick):
    no_source(sick)
    another_place(sick)
    told = [one.message for one in sick.findings(deep=False) if one.code == "EVIDENCE_DIFFERS"]
    assert told[0] == f"Entry {sick.entries[0]}: no edge source_of from event {sick.event}."
    assert told[1].startswith(f"Entry {sick.entries[0]}: its edge ")


def test_a_quote_that_changed_is_told_with_its_place(sick):
    another_text(sick)
    (found,) = [one for one in sick.findings(deep=False) if one.code == "QUOTE_CHANGED"]
    assert found.message == (
        f"Entry {sick.entries[0]}, event {sick.event}, 4-16: the text is another than when it was quoted."
    )


def test_without_deep_some_entries_are_tried_from_any_place_on(sick, monkeypatch):
    first, second = sorted(sick.entries)
    with open_workspace(str(sick.repo)) as ws:
        assert [evidence.sample(ws.db, start, 1) for start in (first, second, "g")] == [[first], [second], [first]]
        assert evidence.sample(ws.db, second, 9) == [second, first]
    monkeypatch.setattr(checks, "SAMPLE", 0)
    another_text(sick)
    assert sick.codes(deep=False) == []


def test_many_findings_of_one_kind_are_a_few_and_a_number(sick):
    with open_workspace(str(sick.repo)) as ws:
        for number in range(9):
            event = say(ws.db, f"규칙 {number}: 세 번", session=f"s{number}")
            extract(ws.db, event, [statement(ws.db, event, f"{number}", f"규칙 {number}: 세 번")], build=f"x{number}")
    another_text(sick)
    told = [one.message for one in sick.findings() if one.code == "QUOTE_CHANGED"]
    assert len(told) == checks.SHOWN + 1
    assert told[-1] == "5 more quotes."


def test_tasks_that_wait_for_each_other_are_named_in_order_and_once(sick):
    tasks_in_a_circle(sick)
    told = [one.message for one in sick.findings()]
    assert told in (
        ["Tasks wait for each other, so that none can go on: 로그인 > Ship > 로그인."],
        ["Tasks wait for each other, so that none can go on: Ship > 로그인 > Ship."],
    )
    with open_workspace(str(sick.repo)) as ws:
        tasks.cancel(ws.db, sick.tasks[2])
    assert sick.codes() == []


@pytest.mark.parametrize(
    ("following", "rings"),
    [
        ({}, []),
        ({"a": ["b"], "b": ["c"]}, []),
        ({"a": ["a"]}, [["a", "a"]]),
        ({"b": ["c"], "c": ["b"], "a": ["b"]}, [["b", "c", "b"]]),
        ({"a": ["b", "c"], "b": ["a"], "c": ["a"]}, [["a", "b", "a"], ["a", "c", "a"]]),
        ({"a": ["b"], "b": ["a"], "x": ["y"], "y": ["z", "b"], "z": ["x"]}, [["a", "b", "a"], ["x", "y", "z", "x"]]),
    ],
)
def test_circles_are_found_each_once(following, rings):
    assert checks._rings(following) == rings


def test_a_repaired_store_verifies_what_a_pulled_node_cites(sick):
    a_node_pulled(sick)
    assert sick.repair("NODES_UNTOLD").worked
    with open_workspace(str(sick.repo)) as ws:
        assert entries.by_id(ws.db, sick.entries[0]).stage == "verified"


def test_looking_deep_writes_nothing(sick):
    before = sick.path.read_bytes()
    sick.codes()
    assert sick.path.read_bytes() == before


def test_a_store_of_forgotten_words_is_no_finding(sick):
    with open_workspace(str(sick.repo)) as ws:
        forget.forget(ws, forget.Choice((1,)))
        assert stored.forgotten(ws.db) == 1
        knowledge.rebuild(ws.db)
    assert sick.codes() == []
