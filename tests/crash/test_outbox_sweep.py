"""A worker's pass over the outbox killed at every SQL statement and file change: a restart ends with index = store."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from crash.sweep import run, sweep
from knowledge_kit import extract, say, statement
from meaning_kit import DIMENSIONS, LONG, Clock, Words, holds, should_hold
from pith import platform
from pith.services.keeping import burial
from pith.services.meaning import outbox, reconcile, versions
from pith.services.meaning.exact import ExactIndex
from pith.store import events, nodes
from pith.store.database import Db, open_store

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")

LATER = 60_000  # milliseconds: a retry's wait is over, a lease is not


@pytest.fixture(params=[False, pytest.param(True, marks=pytest.mark.long)], ids=["sample", "all"])
def every(request: pytest.FixtureRequest) -> bool:
    """A sample of the points every day, all of them in a long run."""
    return bool(request.param)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store in which things wait: new, changed, gone, refused, and one that was claimed by a worker that died."""
    folder = tmp_path / "store"
    with open_store(str(folder)) as db:
        first = say(db, "결제 모듈은 반올림을 한 번만 합니다.", session="s1")
        extract(db, first, [statement(db, first, "Rounds once", "반올림을 한 번만")])
        gone = say(db, "a plan that is to be forgotten", session="s2")
        _accept(db, "n1", "the first words")
        work(db)
        say(db, "The cache is dropped when the key rotates. " * 40, session="s3")
        say(db, f"{LONG} to read", session="s4")
        _accept(db, "n1", "other words")
        burial.bury(db, [events.by_id(db, gone)["seq"]], platform.now())
        db.execute(
            "UPDATE vector_outbox SET status = 'processing', claimed_by = 'dead', lease_until = '9999'"
            " WHERE item_kind = 'node'"
        )
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return folder


def _accept(db: Db, id: str, summary: str) -> None:
    row: dict[str, object] = dict.fromkeys(nodes.COLUMNS, "")
    row |= {"node_id": id, "title": id, "summary": summary, "paths": "[]", "state": "current", "on_files": 0}
    with db.transaction():
        nodes.put(db, row)


def work(db: Db, model: str = "words", later: int = 0) -> None:
    words = Words(model)
    index = ExactIndex(db, versions.name_of(words), DIMENSIONS)
    outbox.serve(db, words, index, clock=Clock(platform.now_ms() + later))


def check(folder: Path, model: str = "words") -> None:
    """Index and store hold the same, and nothing waits but what cannot be embedded."""
    with open_store(str(folder)) as db:
        version = versions.name_of(Words(model))
        index = ExactIndex(db, version, DIMENSIONS)
        refused = {
            (row["item_kind"], row["item_id"])
            for row in db.execute("SELECT * FROM vector_outbox WHERE status = 'failed' AND error_kind = 'permanent'")
        }
        wanted = {key: digest for key, digest in should_hold(db).items() if key not in refused}
        assert len(refused) == 1
        assert holds(index) == wanted
        assert not db.execute("SELECT 1 FROM vector_outbox WHERE status IN ('pending', 'processing')")
        assert reconcile.compare(db, version, index).count == 0
    connection = sqlite3.connect(folder / "store.db")
    assert connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


def in_store(folder: Path, action) -> object:
    def act() -> None:
        with open_store(str(folder)) as db:
            action(db)

    return act


def test_V14_pain_22_a_pass_killed_at_any_statement_and_begun_again_ends_with_index_and_store_alike(folder, every):
    for number, step in sweep(in_store(folder, work), folder, every=every, sample=20):
        assert run(in_store(folder, work)) == 0, f"{number}: {step}"
        check(folder)


def test_V14_a_new_version_killed_at_any_statement_while_it_is_built_ends_complete(folder, every):
    run(in_store(folder, work))

    def build(db: Db) -> None:
        work(db, "another", LATER)

    for number, step in sweep(in_store(folder, build), folder, every=every, sample=20):
        assert run(in_store(folder, lambda db: work(db, "another", 2 * LATER))) == 0, f"{number}: {step}"
        with open_store(str(folder)) as db:
            found = versions.answering(db)
            assert found is not None
            assert found.version == versions.name_of(Words("another")), f"{number}: {step}"
            index = ExactIndex(db, found.version, DIMENSIONS)
            assert reconcile.compare(db, found.version, index).count == 0, f"{number}: {step}"


def test_V13_V14_a_reconcile_killed_at_any_statement_and_begun_again_repairs_the_rest(folder, every):
    """Vectors are lost, others belong to nothing, and no job tells of it."""
    run(in_store(folder, lambda db: work(db, later=LATER)))
    with open_store(str(folder)) as db:
        index = ExactIndex(db, versions.name_of(Words()), DIMENSIONS)
        stray = next(iter(index.rows()))
        stray.item_id = "of-nothing"
        index.upsert([stray])
        index.delete([key for key in holds(index) if key[0] == "node"])
        db.execute("DELETE FROM vector_outbox WHERE status = 'done'")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def mend(db: Db) -> None:
        version = versions.name_of(Words())
        reconcile.reconcile(db, version, ExactIndex(db, version, DIMENSIONS))
        work(db, later=2 * LATER)

    for number, step in sweep(in_store(folder, mend), folder, every=every, sample=20):
        assert run(in_store(folder, mend)) == 0, f"{number}: {step}"
        check(folder)


def test_V02_V14_a_retirement_killed_at_any_statement_and_begun_again_leaves_nothing_of_the_version(folder, every):
    def retire(db: Db) -> None:
        version = versions.name_of(Words())
        versions.retire(db, version, ExactIndex(db, version, DIMENSIONS), platform.now())

    for number, step in sweep(in_store(folder, retire), folder, every=every, sample=15):
        assert run(in_store(folder, retire)) == 0, f"{number}: {step}"
        with open_store(str(folder)) as db:
            assert holds(ExactIndex(db, versions.name_of(Words()), DIMENSIONS)) == {}
            assert not db.execute("SELECT 1 FROM vector_outbox")
