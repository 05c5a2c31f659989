"""What stands near a question in meaning: the embedder puts it among the vectors, the index says who is near.

Whatever goes wrong here costs an answer its meaning and never its words: `failure` says so, and nothing is near.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from pith.domain import centring, secrets
from pith.domain.embedding import EmbedderMissing
from pith.domain.outbox import ENTRY, EVENT, MEMORY, NODE
from pith.domain.ports import Embedder, Searched, VectorFilter
from pith.errors import PithError
from pith.services import fault
from pith.services.meaning import embedders, indexes, versions
from pith.services.workspace import Workspace
from pith.store import search
from pith.store.database import Db
from pith.store.search import Filter

NEAREST = 100  # events that join the candidates; with twice as many recall@10 gains a thousandth
QUESTION = 2_000  # characters of a question that are embedded


_opened: dict[str, Embedder] = {}  # the one that was asked last: a running process loads a model once


def opened(ws: Workspace) -> tuple[Meaning | None, str]:
    """What questions are put to in this project, or why there is nothing: no embedder, no vectors yet, a broken one.

    The settings may say that there shall be none; the store says with which one its vectors were made, and the settings
    again whether an address may be asked.
    """
    if not embedders.described(ws.settings):
        return None, ""
    version = versions.answering(ws.db, lambda each: embedders.is_named(each.opened_by, ws.settings))
    if version is None:
        return None, ""
    try:
        embedder = _embedder(version.opened_by, ws.home)
        index = indexes.to_ask(ws, version.version, version.dimensions)
        return Meaning(embedder, index, personal=bool(ws.settings.get("capture.maskPersonal"))), ""
    except Exception as error:
        return None, _said(error)


def _said(error: Exception) -> str:
    """What went wrong; models and indexes raise what they like, and the log keeps what nobody foresaw."""
    return str(error) if isinstance(error, PithError) else fault.told(error)[1]


def _embedder(how: Mapping[str, Any], home: str) -> Embedder:
    key = repr(sorted(how.items()))
    if key not in _opened:
        found = embedders.opened(how, home)
        if found is None:
            raise EmbedderMissing("These vectors were made without an embedder.")
        _opened.clear()
        _opened[key] = found
    return _opened[key]


class Meaning:
    """The vectors of one store and who embeds questions for them. Questions are embedded once, secrets masked."""

    def __init__(self, embedder: Embedder, index: Searched, *, personal: bool = False) -> None:
        self._embedder, self.index, self._personal = embedder, index, personal
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

    def memories(self, question: str, most: int) -> Mapping[str, float]:
        """How near consolidated memories are, by id."""
        return self._near(question, most, VectorFilter(kinds=(MEMORY,)))

    def _near(self, question: str, most: int, only: VectorFilter) -> dict[str, float]:
        if self.failure:
            return {}
        asked = secrets.mask(question, self._personal)[0][:QUESTION]
        try:
            if asked not in self._asked:
                self._asked = {asked: self._embedder.embed_question(asked)}
            found = self.index.search(self._asked[asked], most, only, centring.script(asked))
        except Exception as error:
            self.failure = _said(error)
            return {}
        return {one.item_id: one.closeness for one in found}
