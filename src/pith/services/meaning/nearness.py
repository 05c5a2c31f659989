"""What stands near a question in meaning: the embedder puts it among the vectors, the index says who is near.

Whatever goes wrong here costs an answer its meaning and never its words: `failure` says so, and nothing is near.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pith.domain import centring
from pith.domain.outbox import ENTRY, EVENT, NODE
from pith.domain.ports import Embedder, VectorFilter, VectorIndex
from pith.errors import PithError
from pith.store import search
from pith.store.database import Db
from pith.store.search import Filter

NEAREST = 100  # events that join the candidates; with twice as many recall@10 gains a thousandth
QUESTION = 2_000  # characters of a question that are embedded


class Meaning:
    """The vectors of one store and who embeds questions for them. Questions are embedded once."""

    def __init__(self, embedder: Embedder, index: VectorIndex) -> None:
        self._embedder, self._index = embedder, index
        self._asked: dict[str, bytes] = {}
        self.failure = ""

    def events(self, db: Db, question: str, only: Filter, besides: Collection[int] = ()) -> Mapping[int, float]:
        """How near events are, by number: the nearest that the filter allows, and those of `besides` with vectors."""
        allowed = search.allowed(db, only) if only.asks_the_store else None
        filter = VectorFilter(
            kinds=(EVENT,), session=only.session, not_session=only.not_session, since=only.since, until=only.until,
            ids=allowed,
        )  # fmt: skip
        near = self._near(question, NEAREST, filter)
        if not near:
            return {}
        others = search.named(db, besides).keys() - near.keys()
        if others:
            near |= self._near(question, len(others), VectorFilter(kinds=(EVENT,), ids=frozenset(others)))
        return {seq: near[id] for id, seq in search.numbered(db, near).items()}

    def entries(self, question: str, most: int) -> Mapping[str, float]:
        """How near entries are, by id."""
        return self._near(question, most, VectorFilter(kinds=(ENTRY,)))

    def nodes(self, question: str, most: int) -> Mapping[str, float]:
        """How near accepted nodes are, by id."""
        return self._near(question, most, VectorFilter(kinds=(NODE,)))

    def _near(self, question: str, most: int, only: VectorFilter) -> dict[str, float]:
        if self.failure:
            return {}
        asked = question[:QUESTION]
        try:
            if asked not in self._asked:
                self._asked = {asked: self._embedder.embed_question(asked)}
            found = self._index.search(self._asked[asked], most, only, centring.script(asked))
        except (PithError, ValueError, OSError) as error:
            self.failure = str(error)
            return {}
        return {one.item_id: one.closeness for one in found}
