"""Entries in any order of changes, sensible or not: folded one by one, in steps or all at once, the rows are the same."""

from __future__ import annotations

import shutil
import tempfile

from hypothesis import given
from hypothesis import strategies as st

from knowledge_kit import rows_of
from pith.domain import entries as rules
from pith.domain import knowledge as kinds
from pith.domain.knowledge import Change
from pith.services.knowledge import fold as knowledge
from pith.services.knowledge.fold import Command
from pith.store import knowledge as stored
from pith.store.database import open_store

EVENTS = ("e1", "e2")
TITLES = ("one", "둘", "three")
EVIDENCE = (
    (),
    ({"event_id": "e1", "start": 0, "end": 3, "quote_hash": "q", "method": "exact", "confidence": 1.0},),
    ({"event_id": "e2", "start": None, "end": None, "quote_hash": "q", "method": "failed", "confidence": 0.0},),
    (
        {"event_id": "e2", "start": 1, "end": 3, "quote_hash": "q", "method": "fuzzy", "confidence": 0.9},
        {"event_id": "e1", "start": None, "end": None, "quote_hash": "q", "method": "failed", "confidence": 0.0},
    ),
)
PICK = st.integers(0, 30)
STATEMENT = st.tuples(st.sampled_from(TITLES), st.sampled_from(EVIDENCE), st.sampled_from(("raw", "candidate")), PICK)
STEP = st.one_of(
    st.tuples(st.just("extract"), st.sampled_from(EVENTS), st.sampled_from("ab"), st.lists(STATEMENT, max_size=3)),
    st.tuples(st.just("note"), STATEMENT),
    st.tuples(st.just("stage"), PICK, st.sampled_from(rules.STAGES)),
    st.tuples(st.just("status"), PICK, st.sampled_from(rules.STATUSES), PICK),
    st.tuples(st.just("accept"), st.sampled_from("mn"), st.lists(PICK, max_size=3)),
    st.tuples(st.just("withdraw"), st.sampled_from("mn")),
    st.tuples(st.just("task"), st.sampled_from(TITLES), PICK),
)


class _Story:
    """Turns steps into changes; a number picks one of the entries that there are."""

    def __init__(self) -> None:
        self.entries: list[str] = ["missing"]

    def pick(self, number: int) -> str:
        return self.entries[number % len(self.entries)]

    def statement(self, said) -> dict:
        title, evidence, stage, number = said
        task = kinds.entity_id(f"task:p:{title}")
        return {"type": "fact", "title": title, "evidence": list(evidence), "stage": stage, "about": [task],
                "mentions": [task], "derived_from": [self.pick(number)]}  # fmt: skip

    def tell(self, step) -> tuple[str, dict]:
        name, *said = step
        if name == "extract":
            source, build, statements = said
            return kinds.MEMORY_EXTRACTED, {"source": source, "extractor": "x", "version": "1", "build_id": f"{build}{len(self.entries)}",
                                            "statements": [self.statement(one) for one in statements]}  # fmt: skip
        if name == "note":
            return kinds.ENTRY_NOTED, {"statement": self.statement(said[0])}
        if name == "stage":
            return kinds.ENTRY_STAGE_MOVED, {"entry": self.pick(said[0]), "to": said[1]}
        if name == "status":
            other = self.pick(said[2])
            return kinds.ENTRY_STATUS_MOVED, {
                "entry": self.pick(said[0]),
                "to": said[1],
                "superseded_by": other,
                "contradicts": other,
            }
        if name == "accept":
            cited = [{"entry": self.pick(number), "quote_hash": "q"} for number in said[1]]
            return kinds.PROPOSAL_ACCEPTED, {"node": said[0], "hash": "h", "entries": cited}
        if name == "withdraw":
            return kinds.NODE_WITHDRAWN, {"node": said[0]}
        key = f"task:p:{said[0]}"
        return kinds.TASK_CREATED, {
            "task": kinds.entity_id(key),
            "key": key,
            "title": said[0],
            "entries": [self.pick(said[1])],
        }

    def learn(self, change: Change) -> None:
        count = {kinds.MEMORY_EXTRACTED: len(change.payload.get("statements", ())), kinds.ENTRY_NOTED: 1}.get(
            change.kind, 0
        )
        self.entries += [kinds.entry_id(change.id, number) for number in range(count)]


@given(st.lists(STEP, max_size=25), st.sampled_from((1, 2, 5)))
def test_E15_entries_folded_one_by_one_in_steps_or_at_once_are_the_same_rows(steps, batch):
    folder, story = tempfile.mkdtemp(), _Story()
    try:
        with open_store(folder) as db:
            for step in steps:
                with Command(db) as command:
                    change = command.append(*story.tell(step))
                story.learn(change)
            first = rows_of(db)
            knowledge.rebuild(db)
            assert rows_of(db) == first
            with db.transaction():
                stored.clear(db)
            knowledge.catch_up(db, batch=batch)
            assert rows_of(db) == first
            _check_ladder(db)
    finally:
        shutil.rmtree(folder)


def _check_ladder(db) -> None:
    """What holds whatever happened: a failed quote never passes candidate; verified means cited by a live node."""
    for row in db.execute("SELECT * FROM entries"):
        failed = "failed" in (row["evidence_json"] or "")
        cited = db.execute("SELECT 1 FROM node_entries WHERE entry_id = :id", {"id": row["entry_id"]})
        if row["stage"] in ("verified", "certified"):
            assert cited  # E15
            assert not failed  # E16
        assert row["status"] == "superseded" or row["superseded_by"] is None
