"""Knowledge leaves a store and arrives in another: the same entries, entities and edges, with the same ids."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import git
from knowledge_kit import extract, rows_of, say, statement
from pith.services.keeping import exchange, forget
from pith.services.knowledge import fold as knowledge
from pith.services.knowledge import tasks, verify
from pith.services.knowledge.tasks import Grounds
from pith.services.workspace import open_workspace
from pith.store import entities, entries, events


@pytest.fixture
def two(git_repo, tmp_path):
    """Two projects; the first has said, stated and planned something."""
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "--quiet")
    with open_workspace(str(git_repo)) as here, open_workspace(str(other)) as there:
        event = say(here.db, "쿠폰함은 빨갛다. 배포는 벤더 답변에 막혔다.")
        (entry,) = extract(here.db, event, [statement(here.db, event, "쿠폰함", "쿠폰함은 빨갛다")])
        task = tasks.create(here.db, "p", "Ship").entity_id
        tasks.block(here.db, "p", task, ["벤더 답변"], grounds=Grounds((event,), (entry,)))
        yield here, there, event, entry


def send(here, there, path: Path) -> exchange.Taken:
    exchange.export_file(here, str(path))
    return exchange.bring_in(there, str(path))


def without_order(db):
    """Every folded row but for `ordinal`, which counts in each store for itself."""
    rows = rows_of(db)
    names = [row["name"] for row in db.execute("PRAGMA table_info(status_moves)")]
    at = names.index("ordinal")
    rows["status_moves"] = [(*row[:at], *row[at + 1 :]) for row in rows["status_moves"]]
    return rows


def test_E15_an_export_takes_knowledge_along_and_it_arrives_once_with_its_ids(two, tmp_path):
    here, there, _, entry = two
    taken = send(here, there, tmp_path / "a.jsonl")
    assert (taken.new, taken.changes, taken.damaged) == (1, 4, 0)
    assert without_order(there.db) == without_order(here.db)
    assert entries.by_id(there.db, entry).title == "쿠폰함"
    assert verify.verify(there.db).sound == 1
    again = send(here, there, tmp_path / "b.jsonl")
    assert (again.new, again.changes) == (0, 0)
    assert without_order(there.db) == without_order(here.db)
    knowledge.rebuild(there.db)
    assert without_order(there.db) == without_order(here.db)


def test_E15_evidence_points_to_the_event_as_this_store_knows_it(two, tmp_path):
    here, there, event, entry = two
    own = say(there.db, "쿠폰함은 빨갛다. 배포는 벤더 답변에 막혔다.")
    assert own != event
    send(here, there, tmp_path / "a.jsonl")
    assert events.by_id(there.db, event) is None
    assert entries.by_id(there.db, entry).evidence[0]["event_id"] == own
    assert verify.verify(there.db).sound == 1
    forget.forget(there, forget.Choice((events.by_id(there.db, own)["seq"],)))
    assert entries.by_id(there.db, entry) is None


def test_E15_what_quotes_a_forgotten_event_does_not_come_back_by_an_import(two, tmp_path):
    here, there, event, entry = two
    send(here, there, tmp_path / "a.jsonl")
    forget.forget(there, forget.Choice((events.by_id(there.db, event)["seq"],)))
    taken = send(here, there, tmp_path / "b.jsonl")
    assert taken.changes == 0
    assert entries.by_id(there.db, entry) is None
    assert [task.state for task in entities.listed(there.db, "task")] == ["pending"]


@pytest.mark.parametrize(
    "spoil", [{"kind": "rumour"}, {"payload": {}}, {"anchors": []}, {"id": "x"}, {"sources": [1]}, {"at": None}]
)
def test_a_damaged_change_is_counted_and_the_rest_is_taken(two, tmp_path, spoil):
    here, there, _, _ = two
    path = tmp_path / "a.jsonl"
    exchange.export_file(here, str(path))
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    spoiled = next(line for line in lines if line.get("kind") == "task_created")
    spoiled.update(spoil)
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n", encoding="utf-8")
    taken = exchange.bring_in(there, str(path))
    assert (taken.damaged, taken.changes) == (1, 3)
