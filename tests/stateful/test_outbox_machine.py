"""Store, index and a plain model after any order of writing, changing, deleting, failing, dying, switching, comparing.

The model knows which texts there are, and which of them the embedder of a version refuses. After every settling the index
holds exactly the texts that it takes; at every moment the index holds no item's text that never was one.
"""

from __future__ import annotations

import shutil
import tempfile

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from knowledge_kit import say
from meaning_kit import BUSY, DIMENSIONS, LONG, POISON, Clock, Shelf, Words, holds, should_hold
from pith import platform
from pith.domain.ports import VectorIndex
from pith.services.keeping import burial
from pith.services.meaning import outbox, reconcile, versions
from pith.services.meaning.exact import ExactIndex
from pith.store import events, jobs, nodes
from pith.store.database import open_store

NODES = st.sampled_from(["n1", "n2", "n3"])
TEXTS = st.sampled_from(["왜 1센트가 모자라지", "round once", "the key rotates", "round twice " * 200])
BAD = (LONG, POISON, BUSY)


class Dies(BaseException):
    """The worker is killed: nothing of it goes on, no transaction of its is committed."""


class Dying(Words):
    """An embedder in whose call the process dies."""

    def embed_documents(self, texts):
        raise Dies


class Watched(Words):
    """An embedder during whose call something else happens."""

    def __init__(self, model, meanwhile):
        super().__init__(model)
        self.meanwhile = meanwhile

    def embed_documents(self, texts):
        self.meanwhile()
        return super().embed_documents(texts)


class Torn:
    """An index on whose write the process dies, before or after it is done."""

    def __init__(self, index: VectorIndex, after: bool) -> None:
        self.index, self.after = index, after

    def upsert(self, rows):
        if self.after:
            self.index.upsert(rows)
        raise Dies

    def __getattr__(self, name):
        return getattr(self.index, name)


class OutboxMachine(RuleBasedStateMachine):
    exact = True

    @initialize()
    def open(self):
        self.folder = tempfile.mkdtemp(prefix="pith-outbox-")
        self.db = open_store(self.folder)
        self.clock = Clock(platform.now_ms() + 60_000)
        self.embedders = {name: Words(name) for name in ("first", "second")}
        self.shelves = {name: Shelf() for name in self.embedders}
        self.used = "first"
        self.events: list[str] = []
        self.spoken = 0

    def teardown(self):
        if hasattr(self, "db"):
            self.db.close()
            shutil.rmtree(self.folder)

    @property
    def embedder(self) -> Words:
        return self.embedders[self.used]

    def index_of(self, name: str) -> VectorIndex:
        if not self.exact:
            return self.shelves[name]
        return ExactIndex(self.db, versions.name_of(self.embedders[name]), DIMENSIONS)

    def serve(self, embedder: Words | None = None, index: VectorIndex | None = None):
        self.clock.forward(1)
        found = index or self.index_of(self.used)
        return outbox.serve(self.db, embedder or self.embedder, found, clock=self.clock)

    # -- What is written -----------------------------------------------------------------------------------------

    @rule(text=TEXTS)
    def say(self, text):
        self.spoken += 1
        self.events.append(say(self.db, text, session=f"s{self.spoken}"))

    @rule(text=TEXTS, word=st.sampled_from(BAD))
    def say_what_cannot_be_embedded(self, text, word):
        self.say(f"{word} {text}")

    @rule(id=NODES, text=TEXTS)
    def accept(self, id, text):
        row = dict.fromkeys(nodes.COLUMNS, "")
        row |= {"node_id": id, "title": id, "summary": text, "paths": "[]", "state": "current", "on_files": 0}
        with self.db.transaction():
            nodes.put(self.db, row)

    @rule(id=NODES)
    def withdraw(self, id):
        with self.db.transaction():
            nodes.remove(self.db, id)

    @precondition(lambda self: self.events)
    @rule(data=st.data())
    def forget(self, data):
        id = data.draw(st.sampled_from(self.events))
        burial.bury(self.db, [events.by_id(self.db, id)["seq"]], platform.now())

    # -- What a worker does --------------------------------------------------------------------------------------

    @rule()
    def work(self):
        self.serve()

    @rule(seconds=st.sampled_from([1, 5, 30, 400, 700_000]))
    def wait(self, seconds):
        self.clock.forward(seconds)

    @rule()
    def find_the_endpoint_down(self):
        self.embedder.down = True
        try:
            self.serve()
        finally:
            self.embedder.down = False

    @rule()
    def die_while_embedding(self):
        try:
            self.serve(embedder=Dying(self.used))
        except Dies:
            pass

    @rule(after=st.booleans())
    def die_while_writing(self, after):
        try:
            self.serve(index=Torn(self.index_of(self.used), after))
        except Dies:
            pass

    @rule(id=NODES, text=TEXTS)
    def see_an_item_change_under_its_hands(self, id, text):
        changed: list[bool] = []

        def change():
            if not changed:
                changed.append(True)
                self.accept(id, text)

        self.serve(embedder=Watched(self.used, change))

    @rule()
    def die_with_a_claim(self):
        now = platform.stamp(self.clock())
        versions.register(self.db, self.embedder, now)
        with self.db.transaction():
            jobs.claim(self.db, versions.name_of(self.embedder), "dead", now, now, 50)

    @rule()
    def restart(self):
        self.db.close()
        self.db = open_store(self.folder)

    @rule(name=st.sampled_from(["first", "second"]))
    def use(self, name):
        self.used = name
        self.clock.forward(1)
        versions.register(self.db, self.embedder, platform.stamp(self.clock()))

    @rule(name=st.sampled_from(["first", "second"]))
    def retire(self, name):
        version = versions.name_of(self.embedders[name])
        if name != self.used and any(each.version == version for each in versions.stored.listed(self.db)):
            versions.retire(self.db, version, self.index_of(name), platform.stamp(self.clock()))
            assert holds(self.index_of(name)) == {}

    # -- What goes wrong with the index --------------------------------------------------------------------------

    @rule(data=st.data())
    def lose_a_vector(self, data):
        held = sorted(holds(self.index_of(self.used)))
        if held:
            self.index_of(self.used).delete([data.draw(st.sampled_from(held))])
            self.reconcile()

    @rule()
    def lose_jobs(self):
        """As if somebody had written with a program that knows no outbox."""
        self.db.execute(
            "DELETE FROM vector_outbox WHERE status != 'processing' AND embedding_version = :version",
            {"version": versions.name_of(self.embedder)},
        )
        self.reconcile()

    @rule()
    def reconcile(self):
        now = platform.stamp(self.clock())
        name = versions.register(self.db, self.embedder, now).version
        reconcile.reconcile(self.db, name, self.index_of(self.used), now=now)
        found = reconcile.compare(self.db, name, self.index_of(self.used))
        assert found.count == 0

    # -- What must hold ------------------------------------------------------------------------------------------

    @rule()
    def settle(self):
        """Tried until nothing more will be tried: the index holds every text that can be embedded, and no other."""
        for _ in range(60):
            done = self.serve()
            if done.next_due is None:
                break
            self.clock.forward(400)
        wanted = should_hold(self.db)
        held = holds(self.index_of(self.used))
        texts = {f"event:{id}": text for id, text in self.said()}
        refused = {key for key in wanted if any(word in texts.get(":".join(key), "") for word in BAD)}
        assert {key: digest for key, digest in wanted.items() if key not in refused} == held

    def said(self):
        rows = self.db.execute("SELECT e.id, b.text FROM events e JOIN event_bodies b ON b.seq = e.seq")
        return [(row["id"], row["text"]) for row in rows]

    @invariant()
    def jobs_are_sound(self):
        if not hasattr(self, "db"):
            return
        for row in self.db.execute("SELECT * FROM vector_outbox"):
            assert 0 <= row["served"] <= row["wanted"]
            assert row["status"] != "done" or row["served"] == row["wanted"]
            assert row["retry_count"] <= 3
        twice = "SELECT 1 FROM vector_outbox GROUP BY item_kind, item_id, embedding_version HAVING count(*) > 1"
        assert not self.db.execute(twice)


class BesideMachine(OutboxMachine):
    """The same with an index that is not part of the store."""

    exact = False


def test_V01_V06_V10_V13_store_and_exact_index_agree_after_any_order_of_things() -> None:
    run_state_machine_as_test(OutboxMachine, settings=_few())


def test_V01_V06_V10_V13_store_and_an_index_beside_it_agree_after_any_order_of_things() -> None:
    run_state_machine_as_test(BesideMachine, settings=_few())


def _few() -> settings:
    return settings(max_examples=min(300, settings().max_examples))  # a store each


test_V01_V06_V10_V13_store_and_exact_index_agree_after_any_order_of_things.is_hypothesis_test = True  # type: ignore[attr-defined]
test_V01_V06_V10_V13_store_and_an_index_beside_it_agree_after_any_order_of_things.is_hypothesis_test = True  # type: ignore[attr-defined]
