"""The vector outbox: what is written is asked for, done once, tried again, and never lost."""

from __future__ import annotations

import sqlite3

import pytest

import sessions
from knowledge_kit import extract, say, statement
from meaning_kit import BUSY, DIMENSIONS, LONG, POISON, Clock, Shelf, Words, holds, should_hold
from pith import platform
from pith.domain.outbox import InvalidTransition, Retryable, RetryPolicy
from pith.domain.ports import VectorRow
from pith.services import spool
from pith.services.keeping import burial
from pith.services.knowledge import fold, tasks
from pith.services.meaning import alerts, outbox, texts, versions
from pith.services.meaning.exact import ExactIndex
from pith.services.workspace import open_workspace
from pith.store import due, events, items, jobs, nodes
from pith.store import versions as stored
from pith.store.database import Db, open_store


@pytest.fixture
def db(tmp_path):
    with open_store(str(tmp_path / "store")) as found:
        yield found


@pytest.fixture
def clock() -> Clock:
    return Clock(platform.now_ms() + 1_000)


@pytest.fixture
def words() -> Words:
    return Words()


@pytest.fixture
def version(db, words, clock) -> str:
    return versions.register(db, words, platform.stamp(clock())).version


@pytest.fixture(params=["exact", "beside"])
def index(request, db, words):
    """The index in the store, and one that is not."""
    return ExactIndex(db, versions.name_of(words), DIMENSIONS) if request.param == "exact" else Shelf()


def states(db: Db) -> dict[str, str]:
    """The state of each job, by its item."""
    rows = db.execute("SELECT item_kind, item_id, status FROM vector_outbox")
    return {f"{row['item_kind']}:{row['item_id']}": row["status"] for row in rows}


def job(db: Db, item_id: str) -> dict[str, object]:
    return dict(db.execute("SELECT * FROM vector_outbox WHERE item_id = :id", {"id": item_id})[0])


def node(id: str, summary: str) -> dict[str, object]:
    row: dict[str, object] = dict.fromkeys(nodes.COLUMNS, "")
    return row | {
        "node_id": id, "kind": "decision", "title": "A title", "summary": summary, "paths": "[]",
        "state": "current", "on_files": 0, "accepted_at": "2026-05-02",
    }  # fmt: skip


def remember(db: Db, id: str, summary: str) -> None:
    db.execute(
        "INSERT INTO consolidated_memories (memory_id, summary, source_events, created_at, first_at, last_at,"
        " summarizer, version) VALUES (:id, :summary, '[]', 't', 't', 't', 'extractive', '1')",
        {"id": id, "summary": summary},
    )


# -- Asking ----------------------------------------------------------------------------------------------------


def test_V01_each_kind_of_item_is_asked_for_in_the_transaction_that_writes_it(db, version):
    event = say(db, "결제 모듈은 반올림을 한 번만 합니다.")
    (entry,) = extract(db, event, [statement(db, event, "Rounds once", "반올림을 한 번만")])
    task = tasks.create(db, "p1", "Fix the rounding")
    with db.transaction():
        nodes.put(db, node("node_1", "We round once."))
        remember(db, "m1", "Rounding was settled.")
    wanted = {f"event:{event}", f"entry:{entry}", f"task_title:{task.entity_id}", "node:node_1", "memory:m1"}
    assert states(db) == dict.fromkeys(wanted, "pending")


def test_V01_what_is_not_committed_is_not_asked_for(db, version):
    db.execute("BEGIN")
    nodes.put(db, node("node_1", "We round once."))
    assert states(db) == {"node:node_1": "pending"}
    db.execute("ROLLBACK")
    assert states(db) == {}


def test_V01_no_writer_can_write_an_event_without_its_job(db, version):
    """Whoever inserts, by whatever way: the rule stands in the database."""
    say(db, "first")
    db.execute(
        "INSERT INTO events (id, kind, session, at, origin, place, size, checksum)"
        " SELECT 'by-hand', kind, session, at, origin, place, size, checksum FROM events"
    )
    assert states(db)["event:by-hand"] == "pending"


def test_V01_hooks_an_import_and_a_spooled_file_ask_alike(git_repo, pith_home, words, tmp_path):
    """The three ways by which events come in, through the programs that hosts call."""
    host = sessions.Claude("0b9e2c44-8d7c-4f7e-9a59-1f3f3d5e7a10", git_repo, tmp_path)
    sessions.call(host, sessions.Prompt("where is the coupon box?", id="p1"))
    with open_workspace(str(git_repo)) as ws:
        versions.register(ws.db, words, platform.now())
        while versions.enqueue_some(ws.db, versions.name_of(words), platform.now()):
            pass
        sessions.call(host, sessions.Prompt("쿠폰함은 어디에?", id="p2"))
        ws.db.execute("BEGIN IMMEDIATE")
        sessions.call(host, sessions.Answer("In the cart."))  # cannot write, and spools
        ws.db.execute("ROLLBACK")
        other = sessions.Claude("1b9e2c44-8d7c-4f7e-9a59-1f3f3d5e7a10", git_repo, tmp_path)
        lines = other.records([sessions.Prompt("an older one", id="p9")], sessions.Clock())
        sessions.bring_in(git_repo, sessions.written(tmp_path / "other.jsonl", lines))
        spool.drain(ws)
        asked = {key.partition(":")[2] for key in states(ws.db)}
        stored_ids = {row["id"] for row in ws.db.execute("SELECT id FROM events WHERE session IS NOT NULL")}
        assert asked == stored_ids
        assert len(asked) == 4


def test_V02_the_table_has_the_columns_of_the_source_and_one_job_for_an_item_and_version(db, version):
    columns = {row["name"] for row in db.execute("PRAGMA table_info(vector_outbox)")}
    assert columns >= {
        "job_id", "item_kind", "item_id", "embedding_version", "status", "error", "created_at", "updated_at",
        "retry_count", "not_before", "error_kind", "claimed_by", "lease_until", "wanted", "served",
    }  # fmt: skip
    event = say(db, "hello")
    with pytest.raises(sqlite3.IntegrityError):
        db.execute(
            "INSERT INTO vector_outbox (job_id, item_kind, item_id, embedding_version, status)"
            " VALUES ('other', 'event', :id, :version, 'pending')",
            {"id": event, "version": version},
        )
    with pytest.raises(sqlite3.IntegrityError):
        db.execute(
            "INSERT INTO vector_outbox (job_id, item_kind, item_id, embedding_version, status)"
            " VALUES ('other', 'session', 'x', 'v', 'pending')"
        )


def test_V02_without_a_version_nothing_is_asked_for_and_an_event_of_knowledge_never_is(db, words, clock):
    event = say(db, "hello there")
    assert states(db) == {}
    versions.register(db, words, platform.stamp(clock()))
    extract(db, event, [])
    assert db.execute("SELECT count(*) FROM events WHERE session IS NULL")[0][0] == 1
    assert states(db) == {}


def test_V02_pain_28_registering_enqueues_what_exists_in_steps_and_goes_on_where_it_was(db, words, clock):
    ids = [say(db, f"event number {number}", session=f"s{number}") for number in range(7)]
    extract(db, ids[0], [statement(db, ids[0], "Number", "event number")])
    name = versions.register(db, words, platform.stamp(clock())).version
    assert states(db) == {}
    assert versions.enqueue_some(db, name, "t", limit=3) == 3
    assert set(states(db)) == {f"event:{id}" for id in ids[-3:]}, "the newest first"
    late = say(db, "written meanwhile", session="late")
    while versions.enqueue_some(db, name, "t", limit=3):
        pass
    assert len(states(db)) == 9
    assert job(db, late)["wanted"] == 1
    assert stored.by_name(db, name).enqueue_kind == ""


def test_V02_a_change_while_the_worker_is_busy_is_not_lost(db, version, words, clock, index):
    """The embedder is slow; meanwhile the node is accepted anew."""
    with db.transaction():
        nodes.put(db, node("node_1", "the first words"))

    class Slow(Words):
        def embed_documents(self, texts):
            if len(self.calls) == 0:
                with db.transaction():
                    nodes.put(db, node("node_1", "other words"))
            return super().embed_documents(texts)

    done = outbox.serve(db, Slow(), index, version=version, clock=clock)
    assert done.embedded == 2, "once for the old words, once more for the new ones"
    assert holds(index) == should_hold(db)
    assert job(db, "node_1")["served"] == job(db, "node_1")["wanted"] > 1


def test_V03_the_database_refuses_what_the_table_of_moves_does_not_know(db, version, words, clock):
    event = say(db, "hello there")
    for state in ("done", "failed"):
        with pytest.raises(sqlite3.IntegrityError, match="cannot move"):
            db.execute("UPDATE vector_outbox SET status = :state", {"state": state})
    outbox.serve(db, words, Shelf(), clock=clock)
    with pytest.raises(sqlite3.IntegrityError, match="cannot move"):
        db.execute("UPDATE vector_outbox SET status = 'processing', claimed_by = 'x'")
    assert states(db) == {f"event:{event}": "done"}


def test_V03_a_job_that_waits_cannot_be_made_to_wait_again(db, version):
    event = say(db, "hello there")
    with pytest.raises(InvalidTransition):
        jobs.retry_one(db, f"event:{event}@{version}", "t")
    assert not jobs.retry_one(db, "event:none@none", "t")


def test_V04_asking_twice_makes_one_job_and_says_which_was_new(db, version):
    assert jobs.enqueue(db, "node", "node_1")
    assert not jobs.enqueue(db, "node", "node_1")
    assert states(db) == {"node:node_1": "pending"}
    assert job(db, "node_1")["wanted"] == 2


# -- Doing -----------------------------------------------------------------------------------------------------


def test_V06_however_often_a_job_runs_the_index_has_each_piece_once(db, version, words, clock, index):
    event = say(db, "The cache is dropped when the key rotates. " * 100)
    for _ in range(3):
        outbox.serve(db, words, index, clock=clock)
        jobs.enqueue(db, "event", event)
    parts = [row.part for row in index.rows()]
    assert parts == list(range(len(parts)))
    assert len(parts) == len(texts.pieces(items.read(db, "event", [event])[0])) > 1


def test_V06_a_text_that_is_there_already_is_not_embedded_again(db, version, words, clock, index):
    event = say(db, "hello there")
    outbox.serve(db, words, index, clock=clock)
    jobs.enqueue(db, "event", event)
    done = outbox.serve(db, words, index, clock=clock)
    assert (done.embedded, done.unchanged, len(words.calls)) == (0, 1, 1)
    assert job(db, event)["reason"] == "unchanged"


def test_V06_pain_28_a_vector_that_is_none_is_refused_and_told(db, version, clock, index):
    class Zero(Words):
        def embed_documents(self, texts):
            return [bytes(4 * DIMENSIONS) for _ in texts]

    event = say(db, "hello there")
    outbox.serve(db, Zero(), index, version=version, clock=clock)
    assert job(db, event)["error_kind"] == "permanent"
    assert holds(index) == {}


def test_V09_pain_06_pain_22_a_dead_workers_claims_come_back_at_once_and_old_jobs_go(db, version, words, clock, index):
    event = say(db, "hello there")
    with db.transaction():
        assert len(jobs.claim(db, version, "dead", platform.stamp(clock()), platform.stamp(clock() + 300_000), 50)) == 1
    assert outbox.is_due(db, platform.stamp(clock()))
    done = outbox.serve(db, words, index, clock=clock)
    assert (done.recovered, done.embedded) == (1, 1)
    clock.forward(6.9 * 86_400)
    assert outbox.serve(db, words, index, clock=clock).cleaned == 0
    clock.forward(0.2 * 86_400)
    assert outbox.serve(db, words, index, clock=clock).cleaned == 1
    assert states(db) == {}
    assert set(holds(index)) == {("event", event)}


def test_pain_04_however_often_an_item_is_asked_for_or_fails_the_outbox_holds_one_job_for_it(
    db, version, words, clock, index
):
    words.down = True
    event = say(db, "hello there")
    for _ in range(40):
        with db.transaction():
            jobs.enqueue(db, "event", event)
        outbox.serve(db, words, index, clock=clock)
        clock.forward(3_600)
    assert db.execute("SELECT count(*) FROM vector_outbox")[0][0] == 1


def test_V09_where_others_may_live_a_claim_comes_back_when_its_lease_ends(db, version, clock):
    say(db, "hello there")
    with db.transaction():
        jobs.claim(db, version, "elsewhere", platform.stamp(clock()), platform.stamp(clock() + 300_000), 50)
        assert jobs.recover(db, "t", lease_ended=platform.stamp(clock() + 299_999)) == 0
        assert jobs.recover(db, "t", lease_ended=platform.stamp(clock() + 300_000)) == 1


def test_V09_a_worker_whose_claim_was_taken_back_finishes_nothing(db, version, clock):
    say(db, "hello there")
    now = platform.stamp(clock())
    with db.transaction():
        claimed = jobs.claim(db, version, "first", now, now, 50)
        jobs.recover(db, now)
        assert jobs.finish(db, claimed, "first", now, "embedded", 1.0) == 0
        again = jobs.claim(db, version, "second", now, now, 50)
        assert jobs.finish(db, claimed, "first", now, "embedded", 1.0) == 0
        assert jobs.finish(db, again, "second", now, "embedded", 1.0) == 1


def test_V10_what_is_gone_is_done_and_its_vector_with_it(db, version, words, clock, index):
    event = say(db, "a secret plan about the harbour")
    (entry,) = extract(db, event, [statement(db, event, "A plan", "secret plan")])
    with db.transaction():
        nodes.put(db, node("node_1", "We round once."))
        remember(db, "m1", "Rounding was settled.")
    outbox.serve(db, words, index, clock=clock)
    assert len(holds(index)) == 4
    burial.bury(db, [events.by_id(db, event)["seq"]], platform.now())
    with db.transaction():
        nodes.clear(db)
        db.execute("DELETE FROM consolidated_memories")
    fold.catch_up(db)
    done = outbox.serve(db, words, index, clock=clock)
    assert (done.gone, holds(index)) == (4, {})
    assert {job(db, id)["reason"] for id in (event, entry, "node_1", "m1")} == {"content_not_found"}
    assert set(states(db).values()) == {"done"}


def test_V10_forgetting_takes_vectors_away_at_once_without_a_worker(db, version, words, clock):
    """Of the event itself, and of what was drawn from it; everything else stays."""
    exact = ExactIndex(db, version, DIMENSIONS)
    event = say(db, "a secret plan about the harbour")
    extract(db, event, [statement(db, event, "A plan", "secret plan")])
    kept = say(db, "something else", session="s2")
    outbox.serve(db, words, exact, clock=clock)
    assert len(holds(exact)) == 3
    burial.bury(db, [events.by_id(db, event)["seq"]], platform.now())
    assert burial.scour(db)
    assert set(holds(exact)) == {("event", kept)}
    assert outbox.serve(db, words, exact, clock=clock).gone == 2


@pytest.mark.parametrize("gone_on", [0, 1])
def test_V10_forgetting_reaches_the_vectors_of_a_version_whose_retiring_was_stopped(db, version, words, clock, gone_on):
    exact = ExactIndex(db, version, DIMENSIONS)
    event = say(db, "a secret plan about the harbour")
    say(db, "something else", session="s2")
    outbox.serve(db, words, exact, clock=clock)
    turns = iter([True] * gone_on + [False] * 9)
    versions.retire(db, version, exact, platform.stamp(clock()), go_on=lambda: next(turns))
    assert len(holds(exact)) == 2
    burial.bury(db, [events.by_id(db, event)["seq"]], platform.now())
    assert burial.scour(db)
    assert holds(exact) == {}
    assert db.execute("SELECT (SELECT count(*) FROM vectors) + (SELECT count(*) FROM vector_blocks)")[0][0] == 0


def test_V10_a_renamed_task_is_embedded_under_its_new_name(db, version, words, clock, index):
    task = tasks.create(db, "p1", "Fix the rounding")
    outbox.serve(db, words, index, clock=clock)
    before = holds(index)
    tasks.rename(db, "p1", task.entity_id, "Round once, 한 번만")
    assert outbox.serve(db, words, index, clock=clock).embedded == 1
    assert holds(index) == should_hold(db) != before


def test_a_rebuild_of_knowledge_embeds_nothing_again(db, version, words, clock, index):
    event = say(db, "결제 모듈은 반올림을 한 번만 합니다.")
    extract(db, event, [statement(db, event, "Rounds once", "반올림을 한 번만")])
    outbox.serve(db, words, index, clock=clock)
    fold.rebuild(db)
    done = outbox.serve(db, words, index, clock=clock)
    assert (done.embedded, done.unchanged) == (0, 1)
    assert holds(index) == should_hold(db)


# -- Batches and failures --------------------------------------------------------------------------------------


def test_V11_fifty_are_one_call_of_the_embedder_and_one_write_of_the_index(db, version, words, clock):
    for number in range(120):
        say(db, f"event number {number}", session=f"s{number}")
    shelf = Shelf()
    done = outbox.serve(db, words, shelf, clock=clock)
    assert (words.calls, shelf.writes, done.batches) == ([50, 50, 20], 3, 3)


@pytest.mark.parametrize("bad", [LONG, POISON], ids=["permanent", "not named"])
def test_V11_a_batch_is_halved_until_the_poisoned_item_stands_alone(db, version, words, clock, index, bad):
    ids = [say(db, f"event {number} {bad if number == 17 else ''}", session=f"s{number}") for number in range(50)]
    for _ in range(4):
        outbox.serve(db, words, index, clock=clock)
        clock.forward(60)
    assert {key for key, state in states(db).items() if state != "done"} == {f"event:{ids[17]}"}
    assert job(db, ids[17])["status"] == "failed"
    assert len(holds(index)) == 49


def test_V08_pain_22_a_retryable_failure_is_tried_three_times_more_after_1_5_and_30_seconds(
    db, version, words, clock, index
):
    event = say(db, f"{BUSY} as a bee")
    waits = []
    for _ in range(6):
        outbox.serve(db, words, index, clock=clock)
        found = job(db, event)
        waits.append((found["status"], found["retry_count"], len(words.calls)))
        clock.forward({0: 0.9, 1: 0.1, 2: 5, 3: 29, 4: 1}.get(len(waits) - 1, 60))
    assert waits == [("failed", 0, 1), ("failed", 0, 1), ("failed", 1, 2), ("failed", 2, 3), ("failed", 2, 3),
                     ("failed", 3, 4)]  # fmt: skip
    clock.forward(86_400)
    assert outbox.serve(db, words, index, clock=clock).next_due is None
    assert len(words.calls) == 4
    assert "busy" in str(job(db, event)["error"])


def test_V08_a_permanent_failure_is_never_tried_again_and_blocks_nothing(db, version, words, clock, index):
    bad, good = say(db, f"{LONG} to read"), say(db, "hello", session="s2")
    for _ in range(3):
        outbox.serve(db, words, index, clock=clock)
        clock.forward(60)
    assert states(db) == {f"event:{bad}": "failed", f"event:{good}": "done"}
    assert words.calls == [2, 1, 1], "the batch, and each half of it, once"
    assert job(db, bad)["error_kind"] == "permanent"


def test_V08_a_providers_wait_wins_over_the_policy(db, version, words, clock, index):
    event = say(db, "hello there")
    words.down, words.retry_after = True, 60.0
    done = outbox.serve(db, words, index, clock=clock)
    assert done.next_due == job(db, event)["not_before"] == platform.stamp(clock() + 60_000)
    words.down = False
    clock.forward(59)
    assert outbox.serve(db, words, index, clock=clock).embedded == 0
    clock.forward(1)
    assert outbox.serve(db, words, index, clock=clock).embedded == 1


def test_V08_the_policy_can_be_set(db, version, words, clock, index):
    event = say(db, f"{BUSY} as a bee")
    for _ in range(5):
        outbox.serve(db, words, index, clock=clock, policy=RetryPolicy(1, (0,)))
        clock.forward(1)
    assert job(db, event)["retry_count"] == 1


def test_V08_a_retryable_poisoned_item_does_not_take_its_batch_along(db, version, words, clock, index):
    ids = [say(db, f"event {number} {BUSY if number == 3 else ''}", session=f"s{number}") for number in range(20)]
    for _ in range(5):
        outbox.serve(db, words, index, clock=clock)
        clock.forward(60)
    assert {key for key, state in states(db).items() if state != "done"} == {f"event:{ids[3]}"}


def test_V08_several_retryable_poisoned_items_take_no_other_along(db, version, words, clock, index):
    ids = [say(db, f"event {number} {BUSY if number < 7 else ''}", session=f"s{number}") for number in range(12)]
    for _ in range(12):
        outbox.serve(db, words, index, clock=clock)
        clock.forward(60)
    assert {key for key, state in states(db).items() if state != "done"} == {f"event:{id}" for id in ids[:7]}


def test_V08_an_endpoint_that_is_down_is_called_a_few_times_not_once_for_each_item(db, version, words, clock, index):
    for number in range(200):
        say(db, f"event number {number}", session=f"s{number}")
    words.down = True
    for _ in range(4):
        outbox.serve(db, words, index, clock=clock)
        clock.forward(60)
    assert len(words.calls) <= 4 * 10
    words.down = False
    jobs.retry_all(db, "t")
    outbox.serve(db, words, index, clock=clock)
    assert holds(index) == should_hold(db)


def test_an_error_is_stored_without_the_secret_that_it_quotes(db, version, clock, index):
    key = "sk-ant-" + "api03-" + "A1b2C3d4E5f6G7h8" * 6 + "-AA"

    class Leaky(Words):
        def embed_documents(self, texts):
            raise Retryable(f"401 for the key {key}")

    event = say(db, "hello there")
    outbox.serve(db, Leaky(), index, version=version, clock=clock)
    assert key not in str(job(db, event)["error"])
    assert "401" in str(job(db, event)["error"])


def test_E15_a_library_that_quotes_the_text_in_its_error_leaves_no_copy_of_it(db, version, clock, index):
    """Forgetting does not look into errors: they hold nothing that anybody said."""

    class Quoting(Words):
        def embed_documents(self, texts):
            raise RuntimeError(f"cannot tokenize {texts!r}")

    event = say(db, "zebraquark is the plan")
    outbox.serve(db, Quoting(), index, version=version, clock=clock)
    assert str(job(db, event)["error"]).startswith("RuntimeError in test_outbox.py:")
    jobs.retry_due(db, version, "2099-01-01", 3)
    burial.bury(db, [events.by_id(db, event)["seq"]], platform.now())
    assert burial.scour(db)
    assert all("zebraquark" not in str(tuple(row)) for row in db.execute("SELECT * FROM vector_outbox"))


def test_a_worker_is_stopped_between_calls_and_keeps_no_claim(db, version, words, clock, index):
    for number in range(8):
        say(db, "The cache is dropped when the key rotates. " * 1200, session=f"s{number}")
    done = outbox.serve(db, words, index, clock=clock, go_on=lambda: len(words.calls) < 1)
    assert len(words.calls) == 1
    assert max(words.calls) <= outbox.PIECES
    assert 0 < done.embedded < 8
    assert set(states(db).values()) == {"done", "pending"}


# -- Versions --------------------------------------------------------------------------------------------------


def test_V07_a_version_is_named_by_model_size_and_a_hash_of_all_else_that_changes_a_vector(words):
    name = versions.name_of(words)
    assert name.startswith(f"words@{DIMENSIONS}-")
    assert len({name, versions.name_of(Words(recipe="2")), versions.name_of(Words("other"))}) == 3
    assert versions.name_of(Words()) == name


def test_V07_pain_28_the_old_version_answers_until_the_new_one_is_complete(db, version, words, clock):
    say(db, "hello there")
    assert versions.answering(db).version == version, "part of an answer is better than none"
    outbox.serve(db, words, Shelf(), clock=clock)
    clock.forward(1)
    other, shelf = Words("other"), Shelf()
    new = versions.register(db, other, platform.stamp(clock()), {"name": "other"})
    assert (new.state, versions.answering(db).version) == ("building", version)
    other.down = True
    outbox.serve(db, other, shelf, clock=clock)
    assert versions.answering(db).version == version
    other.down = False
    clock.forward(5)
    assert outbox.serve(db, other, shelf, version=new.version, clock=clock).became_ready
    assert versions.answering(db).version == new.version
    assert holds(shelf) == should_hold(db)


def test_V07_going_back_to_a_version_embeds_only_what_came_meanwhile(db, version, words, clock):
    say(db, "hello there")
    old = Shelf()
    outbox.serve(db, words, old, clock=clock)
    clock.forward(1)
    outbox.serve(db, Words("other"), Shelf(), clock=clock)
    say(db, "one thing more", session="s2")
    clock.forward(1)
    done = outbox.serve(db, words, old, clock=clock)
    assert (done.embedded, words.calls) == (1, [1, 1])
    assert (stored.in_use(db).version, stored.in_use(db).state) == (version, "ready")
    assert holds(old) == should_hold(db)


@pytest.mark.parametrize("back_ms", [0, 1, 400 * 86_400_000])
def test_V07_the_version_that_was_chosen_last_is_in_use_though_the_clock_was_set_back(db, version, clock, back_ms):
    for count in range(3):
        name = f"{'zac'[count]}-model"
        registered = versions.register(db, Words(name), platform.stamp(clock() - back_ms * count))
        assert stored.in_use(db).version == registered.version
    again = versions.register(db, Words("z-model"), platform.stamp(clock() - back_ms * 4))
    assert stored.in_use(db).version == again.version


def test_V02_V07_retiring_removes_jobs_and_vectors_and_can_be_stopped_and_repeated(db, version, words, clock, index):
    say(db, "hello there")
    outbox.serve(db, words, index, clock=clock)
    say(db, "more", session="s2")
    versions.retire(db, version, index, platform.stamp(clock()), go_on=lambda: False)
    assert versions.retire(db, version, index, platform.stamp(clock())) == {"jobs": 2, "vectors": 1}
    say(db, "nobody asks for this one", session="s3")
    assert (states(db), holds(index), versions.answering(db)) == ({}, {}, None)
    clock.forward(1)
    assert outbox.serve(db, words, index, clock=clock).embedded == 3, "a retired version can begin anew"


# -- Looking ---------------------------------------------------------------------------------------------------


def test_V12_figures_and_alerts(db, version, words, clock, index):
    say(db, "hello there")
    for number in range(10):
        say(db, f"{LONG} {number}", session=f"s{number}")
    before = alerts.metrics(db, version, clock())
    assert (before["pending"], before["last_processed"], before["mean_ms"]) == (11, None, None)
    assert alerts.alerts(before) == []
    outbox.serve(db, words, index, clock=clock)
    late = say(db, "still to do", session="late")
    clock.forward(3_700)
    figures = alerts.metrics(db, version, clock())
    assert (figures["done"], figures["failed"], figures["pending"], figures["processing"]) == (1, 10, 1, 0)
    assert figures["mean_ms"] is not None
    assert figures["last_processed"] == platform.stamp(clock() - 3_700_000)
    assert 3_600_000 < figures["oldest_pending_age_ms"] < 3_800_000
    assert [alert.code for alert in alerts.alerts(figures)] == ["VECTORS_FAILED", "VECTORS_LATE"]
    assert late


def test_work_is_due_only_while_there_is_something_to_do(db, words, clock, index):
    def due() -> bool:
        return outbox.is_due(db, platform.stamp(clock()))

    say(db, "hello there")
    assert not due(), "no version is registered"
    versions.register(db, words, platform.stamp(clock()))
    assert due(), "what exists is not enqueued yet"
    outbox.serve(db, words, index, clock=clock)
    assert not due()
    say(db, f"{BUSY} as a bee", session="s2")
    assert due()
    outbox.serve(db, words, index, clock=clock)
    assert not due(), "it waits a second"
    clock.forward(1)
    assert due()
    for _ in range(4):
        outbox.serve(db, words, index, clock=clock)
        clock.forward(60)
    assert not due(), "it was tried often enough"


def test_a_hook_counts_what_waits_for_the_version_in_use_only(db, words, clock, index):
    """Jobs of a version that one may go back to are nobody's work today."""
    say(db, "hello there")
    outbox.serve(db, words, index, clock=clock)
    clock.forward(1)
    versions.register(db, Words("other"), platform.stamp(clock()))
    assert due.jobs(db, platform.stamp(clock())) > 20, "what exists is still to be enqueued"
    outbox.serve(db, Words("other"), Shelf(), clock=clock)
    say(db, "for both", session="s2")
    assert due.jobs(db, platform.stamp(clock())) == 1
    outbox.serve(db, Words("other"), Shelf(), clock=clock)
    assert due.jobs(db, platform.stamp(clock())) == 0
    say(db, "claimed", session="s3")
    with db.transaction():
        jobs.claim(db, versions.name_of(Words("other")), "dead", platform.stamp(clock()), "9", 50)
    assert due.jobs(db, platform.stamp(clock())) == 1, "by a worker that died, where nobody holds the lock"


def test_asking_which_texts_the_index_holds_takes_no_longer_when_it_holds_more(db, words, clock, version):
    """Counted in steps of SQLite's machine, not in seconds."""
    exact = ExactIndex(db, version, DIMENSIONS)
    asked = [("event", f"e{number}") for number in range(20)]

    def steps() -> int:
        counted: list[int] = []
        db.connection.set_progress_handler(lambda: counted.append(1), 10)
        exact.digests(asked)
        db.connection.set_progress_handler(None, 10)
        return len(counted)

    row = VectorRow("event", "e0", 0, words.embed_question("hello"), b"d")
    exact.upsert([row])
    few = steps()
    exact.upsert([VectorRow("event", f"e{number}", 0, row.vector, b"d") for number in range(500)])
    assert steps() < 3 * few + 200


def test_no_write_transaction_of_a_step_is_long(db, words, clock, monkeypatch):
    """Counted in statements, not in seconds: a step touches a bounded number of rows."""
    for number in range(30):
        say(db, f"event number {number}", session=f"s{number}")
    name = versions.register(db, words, platform.stamp(clock())).version
    counted: list[int] = []
    db.connection.set_trace_callback(lambda sql: counted.append(1) if sql.lstrip().startswith("INSERT") else None)
    versions.enqueue_some(db, name, "t", limit=10)
    assert len(counted) == 10
