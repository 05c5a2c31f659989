"""The tables of knowledge: their columns, what the database itself refuses, edges and the queries over them."""

from __future__ import annotations

import os
import re
import sqlite3
from pathlib import Path

import pytest

from knowledge_kit import AT, change, extract, rows_of, say, statement
from pith.domain import knowledge as kinds
from pith.domain.edges import (
    BlockedBy,
    ConditionRef,
    EntityRef,
    EntryRef,
    EvidenceOf,
    IllegalEdge,
    InvariantViolation,
    NewEdge,
    ResolvesTo,
    TaskRef,
    edge,
)
from pith.domain.entities import TASK_STATES
from pith.services.knowledge import fold as knowledge
from pith.services.knowledge import tasks
from pith.store import database, edges, entities, entries
from pith.store.database import open_store

LATER = "2026-05-03T09:00:00.000Z"


@pytest.fixture
def db(tmp_path):
    with open_store(str(tmp_path / "store")) as db:
        yield db


@pytest.fixture
def filled(db):
    """Two entries, a task, a condition and an artifact."""
    event = say(db, "The coupon box is kept in Redis. We decided to move it to SQLite.")
    first, second = extract(
        db, event,
        [statement(db, event, "box in Redis", "kept in Redis"), statement(db, event, "move", "move it to SQLite", type="decision")],
    )  # fmt: skip
    task = tasks.create(db, "p", "Move the box").entity_id
    tasks.block(db, "p", tasks.create(db, "p", "Ship").entity_id, ["the vendor answers", "SHOP-7"])
    return {"event": event, "first": first, "second": second, "task": task, "ship": kinds.entity_id("task:p:ship"),
            "condition": kinds.entity_id("cond:p:the vendor answers"), "artifact": kinds.entity_id("art:jira:SHOP-7")}  # fmt: skip


# -- E01, E02: tables ----------------------------------------------------------------------------------------

COLUMNS = {
    "entries": "entry_id! created_ts! entry_type! title! content_json! stage! status superseded_by build_id evidence_json"
    " canonical_key created_at",
    "entities": "entity_id! entity_type! canonical_key! title! stage! status! current_json! title_norm search_text"
    " created_at updated_at",
    "edges": "edge_id! src_type! src_id! rel_type! dst_type! dst_id! meta_json created_at",
}


@pytest.mark.parametrize("table", COLUMNS)
def test_E01_the_tables_have_the_columns_nullability_and_indexes_of_the_source(db, table):
    info = {row["name"]: row for row in db.execute(f"PRAGMA table_info({table})")}
    for name in COLUMNS[table].split():
        column = info[name.rstrip("!")]
        assert (column["type"], bool(column["notnull"])) == ("TEXT", name.endswith("!")), name
    indexes = {row["name"] for row in db.execute(f"PRAGMA index_list({table})")}
    wanted = {
        "entries": "type stage status canonical", "entities": "type_key status", "edges": "src dst rel unique",
    }[table].split()  # fmt: skip
    assert {f"idx_{table}_{name}" for name in wanted} <= indexes
    assert "STRICT" in db.execute("SELECT sql FROM sqlite_master WHERE name = :t", {"t": table})[0]["sql"]


def test_E01_entries_carry_branch_and_commit_and_edges_and_moves_their_four_times(db, filled):
    entry = entries.by_id(db, filled["first"])
    assert (entry.branch, entry.commit_id) == ("main", "abc")
    for table in ("edges", "status_moves"):
        names = {row["name"] for row in db.execute(f"PRAGMA table_info({table})")}
        assert {"valid_from", "valid_to", "recorded_at", "retired_at"} <= names
    stamp = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
    for table, column in (("entries", "created_ts"), ("entries", "created_at"), ("entities", "updated_at"),
                          ("edges", "valid_from"), ("edges", "recorded_at"), ("status_moves", "valid_from")):  # fmt: skip
        values = [row[0] for row in db.execute(f"SELECT {column} FROM {table}")]
        assert values
        assert all(stamp.fullmatch(value) for value in values), (table, column)


def test_E01_a_live_edge_and_a_key_of_a_type_are_unique_and_json_is_valid(db, filled):
    row = dict(db.execute("SELECT * FROM edges LIMIT 1")[0])
    names = ", ".join(row)
    with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        db.execute(f"INSERT INTO edges ({names}) VALUES (:{', :'.join(row)})", {**row, "edge_id": "other"})
    db.execute(
        f"INSERT INTO edges ({names}) VALUES (:{', :'.join(row)})", {**row, "edge_id": "old", "retired_at": LATER}
    )
    with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        insert_entity(db, entity_id="other", canonical_key="task:p:ship")
    for table, column in (("entities", "current_json"), ("edges", "meta_json")):
        with pytest.raises(sqlite3.IntegrityError):
            db.execute(f"UPDATE {table} SET {column} = '{{'")
    with pytest.raises(sqlite3.IntegrityError):
        insert_entry(db, content_json="{")
    with pytest.raises(sqlite3.IntegrityError):
        insert_entry(db, evidence_json="[")


def insert_entity(db, **fields):
    row = {"entity_id": "x", "entity_type": "task", "canonical_key": "k", "title": "t", "stage": "raw", "status": "active",
           "current_json": '{"status":"pending"}', **fields}  # fmt: skip
    db.execute(f"INSERT INTO entities ({', '.join(row)}) VALUES (:{', :'.join(row)})", row)


def insert_entry(db, **fields):
    row = {"entry_id": "x", "created_ts": AT, "entry_type": "fact", "title": "t", "content_json": "{}", "stage": "raw",
           "event_id": "e", **fields}  # fmt: skip
    db.execute(f"INSERT INTO entries ({', '.join(row)}) VALUES (:{', :'.join(row)})", row)


@pytest.mark.parametrize("field", ["entry_type", "stage", "status"])
def test_E02_the_database_refuses_other_types_stages_and_statuses(db, field):
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        insert_entry(db, **{field: "other"})
    name = "entity_type" if field == "entry_type" else field
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        insert_entity(db, **{name: "other"})
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        insert_entity(db, current_json='{"status":"finished"}')
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        insert_entity(db, current_json="{}")
    for state in TASK_STATES:
        insert_entity(db, entity_id=state, canonical_key=state, current_json=f'{{"status":"{state}"}}')
    with pytest.raises(sqlite3.IntegrityError):
        db.execute(
            "INSERT INTO edges (edge_id, src_type, src_id, rel_type, dst_type, dst_id, valid_from, recorded_at)"
            " VALUES ('1', 'memory', '1', 'mentions', 'entity', '2', '', '')"
        )


# -- E03: immutability ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "column",
    ["title", "content_json", "entry_type", "evidence_json", "created_ts", "created_at", "build_id", "event_id"],
)
def test_E03_what_an_entry_states_never_changes(db, filled, column):
    value = "insight" if column == "entry_type" else "[]"
    with pytest.raises(sqlite3.IntegrityError, match="never change"):
        db.execute(f"UPDATE entries SET {column} = '{value}'")


def test_E03_stage_and_status_move_only_along_legal_moves(db, filled):
    for what, to in (("stage", "candidate"), ("stage", "verified")):
        with pytest.raises(sqlite3.IntegrityError, match="rung"):
            entries.move(db, filled["first"], what, to, None)
    entries.move(db, filled["first"], "stage", "working", None)
    entries.move(db, filled["first"], "stage", "candidate", None)
    entries.move(db, filled["first"], "status", "superseded", filled["second"])
    with pytest.raises(sqlite3.IntegrityError, match="status"):
        entries.move(db, filled["first"], "status", "deprecated", None)
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        db.execute("UPDATE entries SET superseded_by = 'x' WHERE status = 'active'")


# -- E04: the database refuses wrong edges -------------------------------------------------------------------


def test_E04_the_database_refuses_every_combination_that_is_not_in_the_table(db, filled):
    ids = {"entry": filled["first"], "entity": filled["task"], "event": filled["event"]}

    def insert(src, relation, dst, src_id="", dst_id=""):
        with db.transaction():
            db.execute(
                "INSERT INTO edges (edge_id, src_type, src_id, rel_type, dst_type, dst_id, valid_from, recorded_at, retired_at)"
                " VALUES (:id, :st, :si, :rel, :dt, :di, '', '', 'then')",
                {"id": f"{src}{relation}{dst}{src_id}", "st": src, "si": src_id or ids[src], "rel": relation, "dt": dst,
                 "di": dst_id or ids[dst]},
            )  # fmt: skip

    from pith.domain.edges import LEGAL

    for relation, (sources, targets, starts) in LEGAL.items():
        for src in ids:
            for dst in ids:
                start = filled["condition"] if starts == "condition" and src == "entity" else ""
                if src in sources and dst in targets:
                    insert(src, relation, dst, start)
                else:
                    with pytest.raises(sqlite3.IntegrityError):
                        insert(src, relation, dst, start)
        for other in ("task", "condition", "artifact"):
            if starts and other != starts:
                with pytest.raises(sqlite3.IntegrityError, match="starts at"):
                    insert("entity", relation, "entity", filled[other])
    with pytest.raises(sqlite3.IntegrityError):
        insert("entity", "likes", "entity")


# -- E06, E07: the edge store --------------------------------------------------------------------------------


def test_E06_a_blocker_of_a_task_that_is_not_blocked_violates_the_invariant(db, filled):
    blocker = edge(TaskRef(filled["task"]), "blocked_by", ConditionRef(filled["condition"]), BlockedBy("replace", "x"))
    with pytest.raises(InvariantViolation, match="is pending"):
        edges.create(db, blocker, now=AT)
    with pytest.raises(InvariantViolation, match="no entity"):
        edges.create(db, edge(TaskRef("nowhere"), "blocked_by", EntityRef("x"), BlockedBy("replace", "x")), now=AT)
    with pytest.raises(IllegalEdge, match="starts at a task"):
        edges.create(
            db, edge(TaskRef(filled["condition"]), "blocked_by", EntityRef("x"), BlockedBy("replace", "x")), now=AT
        )
    tasks.block(db, "p", filled["task"], ["법무 검토"])
    assert edges.create(db, blocker, now=AT).meta == {"mode": "replace", "raw_text": "x"}


def test_E07_an_edge_is_made_once_found_from_both_ends_and_retired(db, filled):
    mention = edge(EntryRef(filled["first"]), "mentions", EntityRef(filled["task"]), {"판": 1})
    made = edges.create(db, mention, now=AT)
    assert edges.create(db, mention, now=LATER) == made, "creating it again returns it"
    assert edges.find_by_id(db, made.edge_id) == made
    assert edges.find_by_id(db, "nothing") is None
    assert edges.find_by_src(db, filled["first"], "mentions") == [made]
    assert edges.find_by_dst(db, filled["task"], "mentions") == [made]
    assert {one.rel_type for one in edges.find_by_dst(db, filled["task"])} == {"mentions", "produced"}
    assert edges.exists(db, *mention.ends)
    assert edges.delete_by_id(db, made.edge_id, now=LATER)
    assert not edges.delete_by_id(db, made.edge_id, now=LATER), "it is retired once"
    assert not edges.exists(db, *mention.ends)
    assert edges.find_by_src(db, filled["first"], "mentions") == []
    retired = edges.find_by_id(db, made.edge_id)
    assert (retired.retired_at, retired.valid_to) == (LATER, LATER)
    assert [one.edge_id for one in edges.find_by_src(db, filled["first"], "mentions", as_of=AT)] == [made.edge_id]
    again = edges.create(db, mention, now=LATER)
    assert again.edge_id != made.edge_id


def test_E07_several_are_made_or_none_and_replaced_at_once(db, filled):
    first, second = EntryRef(filled["first"]), EntryRef(filled["second"])
    to = [EntityRef(filled[name]) for name in ("task", "ship", "condition")]
    made = edges.create_many(db, [edge(first, "mentions", one) for one in to[:2]], now=AT)
    assert [one.dst_id for one in made] == [one.id for one in to[:2]]
    wrong = NewEdge(
        "entity", filled["task"], "blocked_by", "entity", filled["ship"], {"mode": "replace", "raw_text": ""}
    )
    with pytest.raises(InvariantViolation):
        edges.create_many(db, [edge(second, "mentions", to[0]), wrong], now=AT)
    assert edges.find_by_src(db, filled["second"], "mentions") == []
    edges.replace_by_src(db, filled["first"], "mentions", [edge(first, "mentions", one) for one in to[1:]], now=LATER)
    left = edges.find_by_src(db, filled["first"], "mentions")
    assert {one.dst_id for one in left} == {one.id for one in to[1:]}
    assert made[1] in left, "one that stays is left as it is"
    with pytest.raises(ValueError, match="does not start"):
        edges.replace_by_src(db, filled["first"], "mentions", [edge(second, "mentions", to[0])], now=LATER)
    assert edges.delete_by_src(db, filled["first"], "mentions", now=LATER) == 2
    assert edges.delete_by_src(db, filled["first"], "mentions", now=LATER) == 0


def test_E07_a_replacement_that_fails_changes_nothing(db, filled):
    before = rows_of(db)["edges"]
    how = {"mode": "replace", "raw_text": ""}
    right = NewEdge("entity", filled["ship"], "blocked_by", "entity", filled["task"], how)
    wrong = NewEdge("entity", filled["ship"], "blocked_by", "entity", filled["ship"], how)
    object.__setattr__(wrong, "dst_type", "event")
    with pytest.raises(IllegalEdge):
        edges.replace_by_src(db, filled["ship"], "blocked_by", [right, wrong], now=LATER)
    assert rows_of(db)["edges"] == before


# -- E08 to E10: queries -------------------------------------------------------------------------------------


def test_E08_evidence_for_an_entity_comes_with_its_edge_newest_first(db, filled):
    for entry, confidence in ((filled["first"], 0.9), (filled["second"], 1.0)):
        edges.create(
            db,
            edge(EntryRef(entry), "evidence_of", TaskRef(filled["task"]), EvidenceOf(confidence, "fuzzy", "e")),
            now=AT,
        )
    event = say(db, "쿠폰함을 SQLite로 옮겼다", LATER)
    (third,) = extract(db, event, [statement(db, event, "옮겼다", "SQLite로 옮겼다", about=[filled["task"]])], at=LATER)
    found = entries.evidence_for(db, filled["task"])
    assert found[0][0].entry_id == third
    assert [edge.src_id for _, edge in found] == [entry.entry_id for entry, _ in found]
    assert found[0][1].meta == {
        "confidence": 1.0, "span": {"start": 5, "end": 16}, "alignment_method": "exact", "source_event_id": event,
    }  # fmt: skip
    assert len(found) == 3
    edges.delete_by_id(db, found[0][1].edge_id, now=LATER)
    assert len(entries.evidence_for(db, filled["task"])) == 2


def blockers(db, task):
    return {row["effective_blocker_id"] for row in entities.effective_blockers(db, task)}


def test_E09_resolved_conditions_give_way_to_what_they_resolve_to_along_chains(db):
    ship, fix = (tasks.create(db, "p", title).entity_id for title in ("Ship", "수정"))
    tasks.block(db, "p", ship, ["the legal team agrees"])
    (first,) = blockers(db, ship)
    helper = tasks.create(db, "p", "Other").entity_id
    tasks.block(db, "p", helper, ["법무팀 동의"])
    (second,) = blockers(db, helper)
    tasks.resolve(db, first, to=second)
    assert blockers(db, ship) == {second}
    tasks.resolve(db, second, to=fix)
    assert blockers(db, ship) == blockers(db, helper) == {fix}
    rows = entities.effective_blockers(db, ship)
    assert (rows[0]["blocker_id"], rows[0]["depth"], rows[0]["effective_title"]) == (first, 2, "수정")
    tasks.suggest_blockers(db, "p", ship, ["somebody may object"])
    assert blockers(db, ship) == {fix}, "suggested blockers never count"
    tasks.start(db, fix)
    tasks.finish(db, fix)
    assert blockers(db, ship) == set()
    assert entities.by_id(db, ship).state == entities.by_id(db, helper).state == "in_progress"


def test_E09_a_chain_that_bites_its_tail_ends(db):
    ship = tasks.create(db, "p", "Ship").entity_id
    tasks.block(db, "p", ship, ["a", "b"])
    first, second = sorted(blockers(db, ship))
    tasks.resolve(db, first, to=second)
    with pytest.raises(InvariantViolation):
        tasks.resolve(db, second, to=first)
    meta = ResolvesTo("auto_resolved", 0.5, AT)
    edges.create(db, edge(ConditionRef(second), "resolves_to", ConditionRef(first), meta), now=AT)
    assert len(entities.effective_blockers(db, ship)) <= 2
    knowledge.rebuild(db)
    assert blockers(db, ship) == {second}


def test_E10_lineage_goes_both_ways_ten_steps_deep_and_circles_end(db):
    event = say(db, "one two three")
    chain = []
    for number in range(14):
        chain += extract(
            db, event, [statement(db, event, f"n{number}", "one two", derived_from=chain[-1:])], f"x{number}"
        )
    assert entries.ancestors(db, chain[3]) == [(chain[2], 1), (chain[1], 2), (chain[0], 3)]
    assert entries.descendants(db, chain[10]) == [(chain[11], 1), (chain[12], 2), (chain[13], 3)]
    assert [depth for _, depth in entries.ancestors(db, chain[13])] == list(range(1, 11))
    edges.create(db, edge(EntryRef(chain[0]), "derived_from", EntryRef(chain[3])), now=AT)
    assert {id for id, _ in entries.ancestors(db, chain[3])} == {chain[0], chain[1], chain[2]}
    edges.create(db, edge(EntryRef(chain[3]), "derived_from", EntryRef(chain[1])), now=AT)
    assert dict(entries.ancestors(db, chain[3]))[chain[1]] == 1, "the shortest way counts"


# -- Migration -----------------------------------------------------------------------------------------------


def definitions(db):
    return {row["name"]: row["sql"] for row in db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")}


def test_E01_a_migrated_store_equals_a_fresh_one_and_keeps_its_events(tmp_path, monkeypatch):
    monkeypatch.setattr(database, "VERSION", 1)
    with open_store(str(tmp_path / "old")) as old:
        event = say(old, "쿠폰함은 어디에 있지?")
        assert "entries" not in definitions(old)
    monkeypatch.undo()
    with open_store(str(tmp_path / "old")) as migrated, open_store(str(tmp_path / "new")) as fresh:
        assert definitions(migrated) == definitions(fresh)
        assert migrated.execute("PRAGMA user_version")[0][0] == database.VERSION
        assert extract(migrated, event, [statement(migrated, event, "쿠폰함", "쿠폰함은")])
    (backup,) = os.listdir(tmp_path / "old" / "backups")
    assert backup.startswith("store-v1-")
    kept = sqlite3.connect(Path(tmp_path, "old", "backups", backup))
    assert kept.execute("SELECT text FROM event_bodies").fetchall() == [("쿠폰함은 어디에 있지?",)]
    kept.close()


def test_E15_an_event_of_knowledge_has_no_session_and_an_observed_one_must(db):
    say(db, "x")
    change(db, kinds.TASK_PRIORITY_CHANGED, task="t", priority="high")
    rows = {row["kind"]: row["session"] for row in db.execute("SELECT kind, session FROM events")}
    assert rows["task_priority_changed"] is None
    assert rows["prompt"] is not None
    row = dict(db.execute("SELECT * FROM events WHERE kind = 'prompt'")[0])
    for changed in ({"session": None}, {"kind": "task_created"}, {"kind": "rumour"}):
        with pytest.raises(sqlite3.IntegrityError):
            db.execute(
                "INSERT INTO events (id, kind, session, at, origin, place, size, checksum)"
                " VALUES (:id, :kind, :session, :at, :origin, :place, :size, :checksum)",
                {**row, "id": "other", **changed},
            )
    for kind in kinds.KINDS:
        db.execute(
            "INSERT INTO events (id, kind, session, at, origin, place, size, checksum)"
            " VALUES (:id, :kind, NULL, :at, :origin, :place, 0, :checksum)",
            {**row, "id": kind, "kind": kind},
        )
