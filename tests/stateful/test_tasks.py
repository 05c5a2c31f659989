"""Tasks in any order of commands: after each one the tables are sound and equal to what a rebuild makes of the events."""

from __future__ import annotations

import shutil
import tempfile
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from pith.domain.edges import InvariantViolation
from pith.domain.entities import BLOCKED, CONDITION, DONE, TASK, TASK_MOVES, TransitionRejected, task_key
from pith.errors import InputError
from pith.services.knowledge import fold as knowledge
from pith.services.knowledge import tasks
from pith.store import entities
from pith.store import knowledge as stored
from pith.store.database import open_store

TITLES = ("Fix login", "쿠폰함 고치기", "Ship it", "fix LOGIN", "배포", "ログイン修正")
WORDS = ("the vendor answers", "법무 검토", "ABC-12", "https://example.org/a", "acme/app#7", *TITLES)


def rows_of(db: Any) -> dict[str, list[tuple[Any, ...]]]:
    """Every folded row."""
    return {table: sorted(map(tuple, db.execute(f"SELECT * FROM {table}")), key=repr) for table in stored.FOLDED}


class Tasks(RuleBasedStateMachine):
    """A small model: names, titles and the states that tasks may have moved to."""

    known = Bundle("known")

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.mkdtemp()
        self.db = open_store(self.folder)
        self.states: dict[str, str] = {}
        self.keys: dict[str, str] = {}
        self.commands = 0

    def teardown(self) -> None:
        if hasattr(self, "db"):
            self.db.close()
            shutil.rmtree(self.folder)

    def cause(self) -> knowledge.Cause:
        self.commands += 1
        return knowledge.Cause(
            at=f"2026-05-02T09:{self.commands // 60:02}:{self.commands % 60:02}.000Z", command=f"c{self.commands}"
        )

    def moved(self, task: str) -> None:
        """Note where tasks stand; each may have moved only where its state allowed."""
        for entity in entities.listed(self.db, TASK):
            before = self.states.get(entity.entity_id, entity.state)
            if entity.state != before and entity.entity_id != task:
                assert (before, entity.state) == (BLOCKED, "in_progress"), "only what waited for this goes on"
            self.states[entity.entity_id] = entity.state

    @rule(target=known, title=st.sampled_from(TITLES))
    def create(self, title: str) -> str:
        key = task_key("p", title)
        task = tasks.create(self.db, "p", title, cause=self.cause())
        assert self.keys.setdefault(key, task.entity_id) == task.entity_id, "one name, one task"
        self.states.setdefault(task.entity_id, "pending")
        return task.entity_id

    @rule(task=known, title=st.sampled_from(TITLES))
    def rename(self, task: str, title: str) -> None:
        key = task_key("p", title)
        try:
            renamed = tasks.rename(self.db, "p", task, title, cause=self.cause())
        except InputError:
            assert self.keys[key] != task
        else:
            assert renamed.title == title
            assert self.keys.setdefault(key, task) == task

    @rule(task=known, by=st.lists(st.sampled_from(WORDS), max_size=3))
    def block(self, task: str, by: list[str]) -> None:
        before = self.states[task]
        try:
            tasks.block(self.db, "p", task, by, cause=self.cause())
        except TransitionRejected:
            assert BLOCKED not in TASK_MOVES[before]
            assert before != BLOCKED
        except InvariantViolation:
            assert by
        else:
            assert before == BLOCKED or BLOCKED in TASK_MOVES[before]
        self.moved(task)

    @rule(task=known, by=st.lists(st.sampled_from(WORDS), min_size=1, max_size=2))
    def suggest(self, task: str, by: list[str]) -> None:
        tasks.suggest_blockers(self.db, "p", task, by, cause=self.cause())
        self.moved("")

    def _move(self, task: str, to: str, act: Any) -> None:
        before = self.states[task]
        try:
            moved = act(self.db, task, cause=self.cause())
        except TransitionRejected:
            assert to not in TASK_MOVES[before]
        else:
            assert moved.state == to
            assert before == to or to in TASK_MOVES[before]
        self.moved(task)

    @rule(task=known)
    def start(self, task: str) -> None:
        self._move(task, "in_progress", tasks.start)

    @rule(task=known)
    def finish(self, task: str) -> None:
        self._move(task, "done", tasks.finish)

    @rule(task=known)
    def cancel(self, task: str) -> None:
        self._move(task, "cancelled", tasks.cancel)

    @rule(task=known)
    def reopen(self, task: str) -> None:
        before = self.states[task]
        try:
            tasks.reopen(self.db, task, cause=self.cause())
        except TransitionRejected:
            assert before != DONE
        self.moved(task)

    @rule(choice=st.integers(0, 20), to=st.integers(-3, 20))
    def resolve(self, choice: int, to: int) -> None:
        conditions = sorted(entity.entity_id for entity in entities.listed(self.db, CONDITION))
        everything = sorted(
            entity.entity_id for type in (TASK, CONDITION, "artifact") for entity in entities.listed(self.db, type)
        )
        if not conditions:
            return
        target = everything[to % len(everything)] if to >= 0 else ""
        try:
            tasks.resolve(self.db, conditions[choice % len(conditions)], to=target, cause=self.cause())
        except InvariantViolation:
            assert target
        self.moved("")

    @rule()
    def replay(self) -> None:
        before = rows_of(self.db)
        knowledge.rebuild(self.db)
        assert rows_of(self.db) == before

    @rule(step=st.sampled_from((1, 2, 7)))
    def fold_again_in_small_steps(self, step: int) -> None:
        before = rows_of(self.db)
        with self.db.transaction():
            stored.clear(self.db)
        knowledge.catch_up(self.db, batch=step)
        assert rows_of(self.db) == before

    @invariant()
    def every_blocked_task_has_a_live_blocker_and_no_other_has_one(self) -> None:  # E06
        if hasattr(self, "db"):
            assert entities.unsound(self.db) == []

    @invariant()
    def the_events_give_the_rows(self) -> None:  # E12, E15
        if hasattr(self, "db") and self.commands % 5 == 0:
            self.replay()


def test_E06_E12_E15_after_any_order_of_commands_the_tables_are_sound_and_a_rebuild_repeats_them() -> None:
    """create, rename, block, suggest, resolve, start, finish, cancel, reopen, replay."""
    # A store each: two hundred take minutes.
    few = settings(max_examples=min(200, settings().max_examples))
    run_state_machine_as_test(Tasks, settings=few)


test_E06_E12_E15_after_any_order_of_commands_the_tables_are_sound_and_a_rebuild_repeats_them.is_hypothesis_test = True  # type: ignore[attr-defined]
