"""Changes of knowledge as events: appended once, folded alike in every way, buried with what they quote, verified."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from crash.sweep import run, sweep
from knowledge_kit import AT, change, extract, rows_of, say, statement
from pith.domain import knowledge as kinds
from pith.domain.edges import InvariantViolation
from pith.domain.entities import TransitionRejected
from pith.domain.evidence import quote_hash
from pith.errors import InputError, NotFound
from pith.services import recall
from pith.services.keeping import forget, salvaging
from pith.services.knowledge import blockers, evidence_import, tasks, verify
from pith.services.knowledge import fold as knowledge
from pith.services.knowledge.blockers import Blocker
from pith.services.knowledge.fold import Cause, Command
from pith.services.knowledge.tasks import Grounds
from pith.services.project_memory import accepted_nodes
from pith.services.project_memory.accepted_nodes import Citing
from pith.services.workspace import open_workspace
from pith.store import database, edges, entities, entries, events, evidence, search
from pith.store import knowledge as stored

LATER = "2026-05-03T09:00:00.000Z"


@pytest.fixture
def ws(git_repo):
    with open_workspace(str(git_repo)) as ws:
        yield ws


@pytest.fixture
def db(ws):
    return ws.db


def kinds_of(db):
    return [row["kind"] for row in db.execute("SELECT kind FROM events WHERE session IS NULL ORDER BY seq")]


def states(db):
    return {task.title: task.state for task in entities.listed(db, "task")}


def make(db, *titles):
    return [tasks.create(db, "p", title).entity_id for title in titles]


# -- E06, E12: tasks -----------------------------------------------------------------------------------------


def test_E12_a_move_that_cannot_be_is_refused_and_written_down(db):
    (task,) = make(db, "쿠폰함 고치기")
    with pytest.raises(TransitionRejected, match="pending and cannot become done") as error:
        tasks.finish(db, task)
    assert "in_progress" in error.value.hint
    assert kinds_of(db) == ["task_created", "task_transition_rejected"]
    refused = list(stored.since(db, 0, 99))[-1].payload
    assert (refused["task"], refused["from"], refused["to"]) == (task, "pending", "done")
    assert states(db) == {"쿠폰함 고치기": "pending"}
    tasks.start(db, task)
    tasks.finish(db, task)
    tasks.reopen(db, task)
    with pytest.raises(TransitionRejected):
        tasks.reopen(db, task)
    assert [(row["from_value"], row["to_value"]) for row in entities.moves(db, task, "state")] == [
        ("pending", "in_progress"), ("in_progress", "done"), ("done", "in_progress"),
    ]  # fmt: skip


def test_E12_where_a_task_stood_at_a_time_can_be_asked(db):
    (task,) = make(db, "x")
    tasks.start(db, task, cause=Cause(at="2026-05-02T10:00:00.000Z"))
    tasks.finish(db, task, cause=Cause(at="2026-05-03T10:00:00.000Z"))
    asked = [entities.state_at(db, task, "state", f"2026-05-0{day}T12:00:00.000Z") for day in (1, 2, 3)]
    assert asked == ["pending", "in_progress", "done"]
    rows = entities.moves(db, task, "state")
    assert rows[0]["valid_to"] == rows[1]["valid_from"] == "2026-05-03T10:00:00.000Z"
    assert rows[1]["valid_to"] is None


def test_E06_the_last_blocker_settled_lets_the_task_go_on_in_the_same_transaction(db):
    ship, fix = make(db, "Ship", "Fix")
    tasks.block(db, "p", ship, ["Fix", "the vendor answers"])
    condition = kinds.entity_id("cond:p:the vendor answers")
    tasks.start(db, fix)
    tasks.finish(db, fix)
    assert states(db)["Ship"] == "blocked"
    before = stored.last(db)
    tasks.resolve(db, condition, evidence="they wrote back")
    assert stored.last(db) == before + 1, "one event: that the task goes on follows from it"
    assert states(db)["Ship"] == "in_progress"
    assert entities.moves(db, ship, "state")[-1]["reason"] == "its last blocker was settled"
    settled = edges.find_by_src(db, ship, "blocked_by")
    assert all(edge.meta["resolved_at"] and edge.meta["resolved_by"] for edge in settled)
    tasks.reopen(db, fix)
    assert entities.unsound(db) == [], "a task that goes on is not blocked again by what is reopened"


def test_E06_done_and_cancelled_tasks_have_no_live_blocker(db):
    ship, other = make(db, "Ship", "Other")
    for task, end in ((ship, tasks.cancel), (other, tasks.start)):
        tasks.block(db, "p", task, ["법무 검토"])
        end(db, task)
        assert entities.effective_blockers(db, task) == []
    tasks.finish(db, other)
    with pytest.raises(TransitionRejected):
        tasks.block(db, "p", other, ["x"])
    assert entities.unsound(db) == []


def test_E06_nothing_that_is_settled_and_no_task_itself_can_block(db):
    ship, done = make(db, "Ship", "Done")
    tasks.start(db, done)
    tasks.finish(db, done)
    for by in ("Done", "Ship"):
        before = rows_of(db)
        with pytest.raises(InvariantViolation):
            tasks.block(db, "p", ship, ["the vendor", by])
        assert rows_of(db) == before, "all of it or nothing"


# -- E11, E13, E14: names and blockers -----------------------------------------------------------------------


def test_E11_a_renamed_task_is_still_found_under_its_old_name_and_a_name_has_one_task(db):
    first, second = make(db, "Fix login", "Ship")
    tasks.rename(db, "p", first, "로그인 수정")
    assert entities.find_by_canonical_key(db, "task:p:fix login").entity_id == first
    assert entities.find_by_canonical_key(db, "task:p:로그인 수정").entity_id == first
    assert entities.aliases(db, first) == [("task:p:fix login", "Fix login")]
    assert make(db, "FIX  login!") == [first]
    with pytest.raises(InputError, match="another task"):
        tasks.rename(db, "p", second, "fix login")
    tasks.rename(db, "p", first, "Fix login")
    assert entities.by_id(db, first).canonical_key == "task:p:fix login"
    with pytest.raises(InputError):
        tasks.create(db, "p", "  ")
    with pytest.raises(NotFound):
        tasks.rename(db, "p", "nothing", "x")


def test_E11_an_alias_names_its_entity(db):
    (task,) = make(db, "Ship")
    change(db, kinds.ENTITY_ALIAS_ADDED, entity=task, key="task:p:배포", title="배포")
    assert make(db, "배포") == [task]


def test_E13_words_become_an_artifact_a_task_or_a_condition(db):
    ship, fix = make(db, "Ship", "쿠폰함 고치기")
    said = [
        "SHOP-7",
        "acme/shop#9",
        "https://example.org/spec.",
        "쿠폰함, 고치기",
        "쿠폰함 고치기가 검토되면",
        "벤더 답변",
    ]
    tasks.block(db, "p", ship, said)
    found = {row["effective_title"]: row["effective_entity_type"] for row in entities.effective_blockers(db, ship)}
    assert found == {
        "SHOP-7": "artifact", "acme/shop#9": "artifact", "https://example.org/spec": "artifact",
        "쿠폰함 고치기": "task", "쿠폰함 고치기가 검토되면": "condition", "벤더 답변": "condition",
    }  # fmt: skip
    likely = entities.find_by_canonical_key(db, "cond:p:쿠폰함 고치기가 검토되면")
    assert likely.current["candidates"] == [fix]
    assert len(entities.listed(db, "task")) == 2, "no stub tasks"


def test_E13_a_blocked_task_without_a_stated_blocker_gets_one_unknown_condition(db):
    (ship,) = make(db, "Ship")
    tasks.block(db, "p", ship, [])
    tasks.block(db, "p", ship, [])
    (row,) = entities.effective_blockers(db, ship)
    assert (row["effective_title"], row["effective_entity_type"]) == ("unknown", "condition")
    tasks.block(db, "p", ship, ["the vendor"])
    (row,) = entities.effective_blockers(db, ship)
    assert row["effective_title"] == "the vendor"
    tasks.start(db, ship)
    tasks.move(db, ship, "blocked")
    assert [row["effective_title"] for row in entities.effective_blockers(db, ship)] == ["unknown"]
    assert len([one for one in entities.listed(db, "condition") if one.current.get("placeholder")]) == 1


def test_E13_a_condition_that_was_settled_holds_again_when_it_is_stated_again(db):
    ship, other = make(db, "Ship", "Other")
    tasks.block(db, "p", ship, ["the vendor"])
    condition = blockers.resolved_as(db, ship) or kinds.entity_id("cond:p:the vendor")
    tasks.resolve(db, condition)
    tasks.block(db, "p", other, ["The vendor!"])
    assert entities.by_id(db, condition).state == "open"
    assert states(db) == {"Ship": "in_progress", "Other": "blocked"}


def test_E14_proved_blockers_replace_and_others_only_suggest(db):
    (ship,) = make(db, "Ship")
    event = say(db, "Ship is blocked by SHOP-7 now")
    proved = Blocker("SHOP-7", {"source_event_id": event, "span": {"start": 19, "end": 25}, "confidence": 1.0})
    tasks.block(db, "p", ship, ["the vendor"])
    tasks.state_blockers(db, "p", ship, [proved, Blocker("maybe the legal team")], grounds=Grounds((event,)))
    (row,) = entities.effective_blockers(db, ship)
    assert (row["effective_title"], json.loads(row["meta_json"])["mode"]) == ("SHOP-7", "replace")
    assert json.loads(row["meta_json"])["source_event_id"] == event
    (guess,) = edges.find_by_src(db, ship, "blocked_by_suggested")
    assert guess.meta["mode"] == "suggest"
    tasks.state_blockers(db, "p", ship, [Blocker("maybe the legal team", {"source_event_id": event})])
    assert edges.find_by_src(db, ship, "blocked_by_suggested") == [], "what is proved is no guess any more"
    assert [row["effective_title"] for row in entities.effective_blockers(db, ship)] == ["maybe the legal team"]
    (other,) = make(db, "Other")
    tasks.state_blockers(db, "p", other, [Blocker("rumours")])
    assert states(db)["Other"] == "pending"


# -- E15: events and their fold ------------------------------------------------------------------------------


def lived(db):
    """A store in which every kind of change has happened."""
    event = say(db, "쿠폰함은 Redis에 있다. We decided to keep it for 5 years. 배포는 벤더 답변에 막혔다.")
    first, second = extract(
        db, event,
        [statement(db, event, "쿠폰함은 Redis에 있다", "쿠폰함은 redis에 있다"),
         statement(db, event, "keep 5 years", "keep it for 5 years", "not said at all", type="decision", stage="candidate")],
    )  # fmt: skip
    ship, fix = make(db, "Ship", "Fix")
    tasks.block(db, "p", ship, ["벤더 답변", "Fix"], grounds=Grounds((event,), (first,)))
    tasks.rename(db, "p", fix, "고치기")
    tasks.prioritise(db, fix, "high")
    tasks.start(db, fix)
    tasks.finish(db, fix)
    tasks.suggest_blockers(db, "p", ship, ["SHOP-1"])
    with pytest.raises(TransitionRejected):
        tasks.finish(db, ship)
    change(db, kinds.SESSION_INGESTED, session="s1", events=1)
    change(db, kinds.ENTITY_ALIAS_ADDED, entity=ship, key="task:p:배포", title="배포")
    change(db, kinds.ENTRY_STAGE_MOVED, entry=first, to="working")
    change(db, kinds.ENTRY_STAGE_MOVED, entry=first, to="candidate")
    other = say(db, "Records are kept for 6 years.", LATER)
    (third,) = extract(
        db, other, [statement(db, other, "6 years", "6 years", about=[ship], mentions=[fix], derived_from=[first])]
    )
    change(db, kinds.ENTRY_STATUS_MOVED, entry=second, to="contested", contradicts=third)
    change(db, kinds.ENTRY_STATUS_MOVED, entry=second, to="superseded", superseded_by=third)
    change(db, kinds.PROPOSAL_ACCEPTED, node="node-1", hash="h", entries=[{"entry": first, "quote_hash": "q"}])
    change(db, kinds.ENTRY_STAGE_MOVED, entry=first, to="certified")
    change(db, kinds.PROPOSAL_ACCEPTED, node="node-2", hash="h", entries=[{"entry": third, "quote_hash": "q"}])
    change(db, kinds.NODE_WITHDRAWN, node="node-2")
    change(
        db, kinds.ENTRY_NOTED, statement={"type": "insight", "title": "turns out", "text": "turns out", "evidence": []}
    )
    change(db, kinds.MEMORY_CONSOLIDATED, events=[event], summary="s", summarizer="x", version="1", confidence=0.5)
    change(db, kinds.PREFERENCE_CONFIRMED, text="always")
    change(db, kinds.PREFERENCE_WITHDRAWN, preference="x")
    evidence_import.bring_in(db, [json.dumps({"entry_id": "old-1", "entry_type": "fact", "title": "old", "content_json": {},
                             "evidence_json": [{"canonical_key": "task:p:ship", "confidence": 0.9, "span": None}]})], str)  # fmt: skip
    tasks.resolve(db, kinds.entity_id("cond:p:벤더 답변"), grounds=Grounds((event,)))
    extract(db, other, [statement(db, other, "6 years", "6 years"), statement(db, other, "records", "Records")], "b2")
    return {"event": event, "other": other, "first": first, "second": second, "third": third, "ship": ship, "fix": fix}


def test_E15_every_change_is_an_event_and_every_fold_gives_the_same_rows(db):
    lived(db)
    assert set(kinds_of(db)) == set(kinds.KINDS)
    before = rows_of(db)
    assert all(before.values()), "each table has rows to compare"
    counts = knowledge.rebuild(db)
    assert rows_of(db) == before
    assert counts["changes"] == len(kinds_of(db))
    for step in (1, 3, 1000):
        with db.transaction():
            stored.clear(db)
        assert not knowledge.is_current(db)
        knowledge.catch_up(db, batch=step)
        assert knowledge.is_current(db)
        assert rows_of(db) == before


def test_E15_entries_go_up_and_down_with_the_nodes_that_cite_them(db):
    known = lived(db)
    stage = {name: entries.by_id(db, known[name]).stage for name in ("first", "second", "third")}
    assert stage == {"first": "certified", "second": "candidate", "third": "candidate"}
    change(db, kinds.NODE_WITHDRAWN, node="node-1")
    assert entries.by_id(db, known["first"]).stage == "candidate"
    change(db, kinds.ENTRY_STAGE_MOVED, entry=known["first"], to="verified")
    assert entries.by_id(db, known["first"]).stage == "candidate", "only an acceptance makes more of it"
    second = entries.by_id(db, known["second"])
    assert (second.status, second.superseded_by) == ("superseded", known["third"])
    assert edges.exists(db, "entry", known["third"], "supersedes", "entry", known["second"])
    assert edges.exists(db, "entry", known["second"], "contradicts", "entry", known["third"])


def test_E15_extracting_again_supersedes_the_old_build_and_keeps_what_became_of_it(db):
    event = say(db, "one thing. another thing. a third thing.")
    old = extract(
        db, event, [statement(db, event, name, name) for name in ("one thing", "another thing", "a third thing")]
    )
    (task,) = make(db, "t")
    change(db, kinds.ENTRY_STAGE_MOVED, entry=old[0], to="working")
    change(db, kinds.ENTRY_STATUS_MOVED, entry=old[1], to="deprecated")
    with Command(db) as command:
        command.append(
            kinds.TASK_STATE_CHANGED, {"task": task, "from": "pending", "to": "in_progress", "entries": [old[0]]}
        )
    assert extract(db, event, [], "b1") == [], "a worker that runs again appends nothing"
    new = extract(
        db, event, [statement(db, event, name, name) for name in ("one thing", "another thing", "new thing")], "b2"
    )
    kept = [entries.by_id(db, id) for id in (*old, *new)]
    assert [(one.status, one.superseded_by) for one in kept[:3]] == [
        ("superseded", new[0]),
        ("deprecated", None),
        ("superseded", None),
    ]
    assert [(one.stage, one.status) for one in kept[3:]] == [
        ("working", "active"),
        ("raw", "deprecated"),
        ("raw", "active"),
    ]
    assert kept[5].has_failed_quote
    assert [entry.entry_id for entry, _ in entries.evidence_for(db, task)] == [new[0]]
    third = extract(db, event, [statement(db, event, "one thing", "one thing")], "b3")
    assert entries.by_id(db, new[0]).superseded_by == third[0]
    assert entries.by_id(db, old[0]).superseded_by == new[0]
    before = rows_of(db)
    knowledge.rebuild(db)
    assert rows_of(db) == before


def test_E15_a_command_carried_out_again_appends_nothing(db):
    cause = Cause(command="c1")
    task = tasks.create(db, "p", "Ship", cause=cause).entity_id
    tasks.block(db, "p", task, ["the vendor", "SHOP-1"], cause=Cause(command="c2"))
    before, count = rows_of(db), len(kinds_of(db))
    tasks.create(db, "p", "Ship", cause=cause)
    tasks.block(db, "p", task, ["the vendor", "SHOP-1"], cause=Cause(command="c2"))
    tasks.start(db, task, cause=Cause(command="c3"))
    tasks.block(db, "p", task, ["the vendor", "SHOP-1"], cause=Cause(command="c2"))
    assert states(db) == {"Ship": "in_progress"}
    assert len(kinds_of(db)) == count + 1
    assert rows_of(db) != before


def test_E15_knowledge_is_neither_found_by_recall_nor_counted_nor_shown_as_an_event(ws, db):
    known = lived(db)
    assert recall.recall(db, "SHOP-1 turns out", stored_already=True) == []
    assert search.frequency(db, "turns") == 0
    assert {row["kind"] for row in events.newest(db, 100)} == {"prompt"}
    assert {row["kind"] for row in events.each(db)} == {"prompt"}
    assert set(events.counts(db)) == {"prompt", "forgotten"}
    change_id = entries.by_id(db, known["first"]).event_id
    assert events.by_id(db, change_id) is None
    assert stored.by_id(db, change_id).kind == "memory_extracted"


def test_E15_a_fold_of_an_older_version_is_made_anew(db, monkeypatch):
    lived(db)
    before = rows_of(db)
    with db.transaction():
        db.execute("UPDATE meta SET value = '0' WHERE name = 'knowledge.fold'")
        db.execute("DELETE FROM edges")
    assert not knowledge.is_current(db)
    knowledge.catch_up(db)
    assert rows_of(db) == before


def test_E15_a_change_without_what_its_kind_needs_is_refused(db):
    with pytest.raises(InputError, match="lacks key, title"):
        change(db, kinds.TASK_CREATED, task="x")
    with pytest.raises(InputError, match="no change"):
        change(db, "rumour_heard")
    assert kinds_of(db) == []


# -- Forgetting ----------------------------------------------------------------------------------------------


def test_E15_E18_what_was_drawn_from_a_forgotten_event_is_gone_and_counts_as_forgotten(ws, db):
    known = lived(db)
    assert verify.verify(db).broken == 0
    seq = events.by_id(db, known["event"])["seq"]
    forget.forget(ws, forget.Choice((seq,)))
    for name in ("first", "second"):
        assert entries.by_id(db, known[name]) is None
    assert entries.by_id(db, known["third"]) is not None
    assert states(db)["Ship"] == "pending", "that it was blocked stood in the forgotten words"
    assert entities.find_by_canonical_key(db, "cond:p:벤더 답변") is None
    before = rows_of(db)
    knowledge.rebuild(db)
    assert rows_of(db) == before
    assert entities.unsound(db) == []
    for path in (os.path.join(ws.folder, "store.db"), os.path.join(ws.folder, "store.db-wal")):
        data = Path(path).read_bytes() if os.path.exists(path) else b""
        for words in ("쿠폰함은 Redis", "keep it for 5 years", "벤더 답변"):
            assert words.encode() not in data


def test_E18_a_span_of_a_forgotten_event_counts_as_forgotten(db):
    event = say(db, "the box is red")
    extract(db, event, [statement(db, event, "red", "box is red")])
    with db.transaction():
        events.bury(db, events.by_id(db, event)["seq"], AT)
    done = verify.verify(db)
    assert (done.checked, done.forgotten, done.broken) == (1, 1, 0)


# -- E16 to E18: evidence ------------------------------------------------------------------------------------


def test_E16_edges_follow_from_the_evidence_and_differences_are_told(db):
    known = lived(db)
    entry = entries.by_id(db, known["second"])
    assert [sorted(one) for one in entry.evidence] == [
        ["confidence", "end", "event_id", "method", "quote_hash", "start"]
    ] * 2
    assert [one["method"] for one in entry.evidence] == ["exact", "failed"]
    assert entries.by_id(db, known["first"]).evidence[0]["method"] == "normalized"
    assert [edge.src_id for edge in edges.find_by_dst(db, known["second"], "source_of")] == [known["event"]]
    assert [one.entry_id for one in entries.of_event(db, known["event"])]
    assert evidence.uncovered(db) == []
    edges.delete_by_src(db, known["event"], "source_of", now=LATER)
    assert (known["second"], known["event"]) in evidence.uncovered(db)


OLD = [
    {"entry_id": "a", "entry_type": "fact", "title": "쿠폰함", "content_json": '{"text": "쿠폰함은 빨갛다"}', "stage": "verified",
     "created_ts": AT, "evidence_json": json.dumps([{"canonical_key": "task:p:ship", "confidence": 1.0, "span": {"start": 1, "end": 4}, "note": "x"}])},
    {"entry_id": "b", "entry_type": "task_note", "title": "later", "content_json": {}, "evidence_json": [
        {"canonical_key": "task:p:ship", "confidence": 0.8}, {"canonical_key": "task:p:not yet", "confidence": 0.7}]},
]  # fmt: skip


def test_E17_evidence_of_the_older_shape_becomes_edges_once_and_stays_readable(db):
    (ship,) = make(db, "Ship")
    lines = [json.dumps(line, ensure_ascii=False) for line in OLD]
    bad = ["{", '{"entry_id": 1}', json.dumps({**OLD[0], "entry_id": "c", "entry_type": "rumour"}), '{"entry_id": "d", "evidence_json": []}',
           json.dumps({**OLD[0], "entry_id": "e", "evidence_json": [{"canonical_key": "k", "confidence": 7}]})]  # fmt: skip
    taken = evidence_import.bring_in(db, [*lines, "", *bad], str, AT)
    assert (taken.lines, taken.entries, taken.edges, taken.waiting, taken.damaged) == (7, 2, 2, 1, 5)
    assert [number for number, _ in taken.bad] == [4, 5, 6, 7, 8]
    found = {entry.entry_id: edge.meta for entry, edge in entries.evidence_for(db, ship)}
    assert found["a"]["span"] == {"start": 1, "end": 4}
    assert (found["a"]["alignment_method"], found["b"]["alignment_method"], found["a"]["note"]) == (
        "exact",
        "fuzzy",
        "x",
    )
    entry = entries.by_id(db, "a")
    assert list(entry.evidence) == json.loads(OLD[0]["evidence_json"]), "the JSON stays readable"
    assert (entry.stage, entry.content["text"]) == ("candidate", "쿠폰함은 빨갛다")
    before = rows_of(db)
    again = evidence_import.bring_in(db, lines, str, AT)
    assert (again.entries, again.edges) == (0, 0)
    assert rows_of(db) == before
    (late,) = make(db, "Not yet")
    assert evidence_import.backfill(db, AT) == 1
    assert evidence_import.backfill(db, AT) == 0
    assert [entry.entry_id for entry, _ in entries.evidence_for(db, late)] == ["b"]
    before = rows_of(db)
    knowledge.rebuild(db)
    assert rows_of(db) == before
    assert verify.verify(db).older == 3


def test_E17_what_is_masked_in_events_is_masked_in_imported_evidence(pith, git_repo, tmp_path):
    key = "sk-ant-" + "api03-" + "Zx9" * 20
    file = tmp_path / "old.jsonl"
    file.write_text(json.dumps({**OLD[0], "title": f"the key is {key}"}) + "\n", encoding="utf-8")
    pith("import", "evidence", str(file), cwd=git_repo, check=True)
    with open_workspace(str(git_repo)) as ws:
        assert key not in entries.by_id(ws.db, "a").title


def test_E18_verify_reads_every_span_again_and_reports_what_no_longer_hashes(db):
    known = lived(db)
    done = verify.verify(db)
    assert (done.broken, done.failed, done.is_sound) == (0, 1, True)
    assert done.checked == done.sound > 3
    with db.transaction():  # as a damaged disk would have it
        db.execute("DROP TRIGGER bodies_are_forgotten_once")
        seq = events.by_id(db, known["other"])["seq"]
        db.execute("UPDATE event_bodies SET text = 'Records are kept for 7 years.' WHERE seq = :seq", {"seq": seq})
    done = verify.verify(db)
    assert {(one.entry, one.reason) for one in done.bad} >= {
        (known["third"], "the text is another than when it was quoted")
    }
    with db.transaction():
        db.execute("UPDATE event_bodies SET text = 'short' WHERE seq = :seq", {"seq": seq})
    assert "ends beyond" in verify.verify(db, known["third"]).bad[0].reason
    assert not verify.verify(db).is_sound


def test_E16_E18_the_command_shows_places_in_bytes(pith, git_repo, db):
    event = say(db, "😀 쿠폰함은 빨갛다")
    (entry,) = extract(db, event, [statement(db, event, "빨갛다", "빨갛다")])
    shown = pith("verify", entry[:8], "--bytes", "--json", cwd=git_repo, check=True).json["data"]
    (span,) = shown["spans"]
    assert (span["start"], span["end"], span["byte_start"], span["byte_end"]) == (7, 10, 18, 27)
    assert "😀 쿠폰함은 빨갛다".encode()[18:27].decode() == "빨갛다"
    told = pith("verify", cwd=git_repo, check=True).stdout
    assert "1 spans read: 1 hold, 0 broken" in told
    assert "changes of knowledge give 1 entries" in pith("rebuild", cwd=git_repo, check=True).stdout
    assert quote_hash("빨갛다") == entries.by_id(db, entry).evidence[0]["quote_hash"]


# -- Killed anywhere -----------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")
@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.long)], ids=["sample", "all"])
@pytest.mark.parametrize("what", ["rebuild", "catch_up", "block"])
def test_E15_killed_at_any_statement_and_done_again_gives_the_same_rows(git_repo, pith_home, what, every):
    with open_workspace(str(git_repo)) as ws:
        lived(ws.db)
        make(ws.db, "Blocked")
        if what == "catch_up":
            with ws.db.transaction():
                stored.clear(ws.db)

    def act() -> None:
        with open_workspace(str(git_repo)) as ws:
            if what == "rebuild":
                knowledge.rebuild(ws.db)
            elif what == "catch_up":
                knowledge.catch_up(ws.db, batch=4)
            else:
                task = entities.find_by_canonical_key(ws.db, "task:p:blocked").entity_id
                tasks.block(ws.db, "p", task, ["벤더가 또", "SHOP-3"], cause=Cause(at=AT, command="c9"))

    def rows():
        with open_workspace(str(git_repo)) as ws:
            knowledge.catch_up(ws.db)
            assert entities.unsound(ws.db) == []
            kept = rows_of(ws.db)
            knowledge.rebuild(ws.db)
            assert rows_of(ws.db) == kept
            names = {row["name"] for row in ws.db.execute("SELECT name FROM sqlite_master")}
            assert {"idx_edges_unique", "idx_entities_type_key"} <= names
            return {table: len(found) for table, found in kept.items()}

    seen = []
    for _ in sweep(act, pith_home, every=every, sample=12):
        assert run(act) == 0
        seen.append(rows())
    act()
    calm = rows()
    assert seen
    assert all(one == calm for one in seen)


def test_E15_rebuild_while_others_write_loses_nothing(db, ws, git_repo, monkeypatch):
    lived(db)
    folded = knowledge._folded

    def meanwhile(*arguments):
        rows = folded(*arguments)
        with open_workspace(str(git_repo)) as other:
            tasks.create(other.db, "p", "Made meanwhile")
        return rows

    monkeypatch.setattr(knowledge, "_folded", meanwhile)
    knowledge.rebuild(db)
    assert "Made meanwhile" in states(db)


def test_E15_what_is_forgotten_during_a_rebuild_does_not_come_back(db, ws, git_repo, monkeypatch):
    known = lived(db)
    folded, calls = knowledge._folded, []

    def meanwhile(*arguments):
        rows = folded(*arguments)
        if not calls:
            calls.append(1)
            with open_workspace(str(git_repo)) as other:
                forget.forget(other, forget.Choice((events.by_id(other.db, known["event"])["seq"],)))
        return rows

    monkeypatch.setattr(knowledge, "_folded", meanwhile)
    knowledge.rebuild(db)
    assert entries.by_id(db, known["first"]) is None


def test_E15_a_store_with_knowledge_is_sound_to_the_doctor_and_its_full_text_can_be_made_anew(pith, git_repo, db):
    lived(db)
    before = search.frequency(db, "records")
    search.rebuild_text(db)
    assert search.frequency(db, "records") == before
    found = json.loads(pith("doctor", "--deep", "--json", cwd=git_repo).stdout)["data"]["findings"]
    assert [one for one in found if one["code"] != "COMMAND_NOT_OURS"] == []
    shown = pith("status", "--json", cwd=git_repo, check=True).json["data"]["stored"]
    assert (shown["events"], set(shown["kinds"])) == (2, {"prompt"})


def test_E15_what_can_be_read_of_a_damaged_store_keeps_its_knowledge(db, ws, tmp_path):
    known = lived(db)
    forgotten = say(db, "to be forgotten")
    extract(db, forgotten, [statement(db, forgotten, "forgotten", "be forgotten")])
    before = os.path.join(ws.folder, "backups", "store-before.db")
    database.back_up(db, before)
    forget.forget(ws, forget.Choice((events.by_id(db, forgotten)["seq"],)))
    with database.open_store(str(tmp_path / "fresh")) as fresh:
        saved = salvaging.fill(fresh, [db.path, before])
        assert (saved.lost, saved.events) == (0, 3)
        assert saved.changes == len(kinds_of(db)) - 1
        kept, wanted = rows_of(fresh), rows_of(db)
        assert {table: len(rows) for table, rows in kept.items()} == {
            table: len(rows) for table, rows in wanted.items()
        }
        assert kept["entries"] == wanted["entries"]
        assert kept["edges"] == wanted["edges"]
        assert entries.by_id(fresh, known["first"]).stage == "certified"
        assert stored.quoting(fresh, [known["event"]])


def test_E15_nodes_that_come_change_and_go_by_whatever_way_are_told_by_comparing_the_files(db):
    event = say(db, "one thing. another thing.")
    first, second = extract(db, event, [statement(db, event, name, name) for name in ("one thing", "another thing")])

    def stages():
        return [entries.by_id(db, id).stage for id in (first, second)]

    one = Citing("h1", ((first, "q"),))
    assert accepted_nodes.compare(db, {"a": one, "b": Citing("h2")}) == 2
    assert accepted_nodes.compare(db, {"a": one, "b": Citing("h2")}) == 0, "again appends nothing"
    assert stages() == ["verified", "raw"]
    assert accepted_nodes.compare(db, {"a": Citing("h3", ((second, "q"),))}) == 2, "a changed, b went"
    assert stages() == ["candidate", "verified"]
    assert accepted_nodes.compare(db, {"a": one, "c": Citing("h4", ((first, "q"), (second, "q")))}) == 2, "a revert"
    assert stages() == ["verified", "verified"]
    assert accepted_nodes.compare(db, {"c": Citing("h4", ((first, "q"), (second, "q")))}) == 1
    assert stages() == ["verified", "verified"], "another node still cites it"
    assert accepted_nodes.compare(db, {}) == 1
    assert stages() == ["candidate", "candidate"]
    before = rows_of(db)
    knowledge.rebuild(db)
    assert rows_of(db) == before


def test_changes_of_knowledge_make_no_word_rarer(ws, db):
    for number in range(3):
        say(db, f"쿠폰함 {number}", session=f"s{number}")
    before = search.total(db)
    make(db, *(f"Task {number}" for number in range(20)))
    assert before == search.total(db) == 3
    assert search.last(db) == 23
    assert stored.counted(db) == (20, 20)
    knowledge.rebuild(db)
    forget.forget(ws, forget.Choice((1,)))
    search.rebuild_text(db)
    assert search.total(db) == 3, "what is forgotten keeps its number"
