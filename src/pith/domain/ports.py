"""What a plug-in offers; whoever fits one of these protocols can be named in the table of the service that uses it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pith.domain.centring import OTHER

if TYPE_CHECKING:  # the rules of extraction take longer to load than a search
    from pith.domain.extraction import Source, Statement
    from pith.domain.summarising import Material, Sentence


class Extractor(Protocol):
    """Draws statements from one event. It gives quotes, never offsets, and knows nothing of the store."""

    @property
    def name(self) -> str:
        """What it is called in events and settings."""
        ...

    @property
    def version(self) -> str:
        """What changes when it would draw something else from the same text."""
        ...

    def read(self, source: Source) -> list[Statement]:
        """What the event states; empty where it is not sure."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors of one length: little-endian 32-bit floats as bytes, of unit length, not centred.

    Raises Retryable or Permanent (domain/outbox.py) when it cannot.
    """

    @property
    def model(self) -> str:
        """What it is called, in versions and settings."""
        ...

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""
        ...

    @property
    def recipe(self) -> str:
        """Whatever else changes a vector: revision or hash of the weights, prefixes; part of the version (V07)."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        """One vector for each text that may be found."""
        ...

    def embed_question(self, text: str) -> bytes:
        """The vector of what is asked."""
        ...


class VectorRow:
    """A vector with what it is found and filtered by. `part` counts the pieces of a long text from 0.

    `script` names the mean that is taken off it when it is compared: `centring.script` of the piece's text.
    """

    __slots__ = ("at", "digest", "item_id", "kind", "part", "script", "session", "vector")

    def __init__(
        self,
        kind: str,
        item_id: str,
        part: int,
        vector: bytes,
        digest: bytes,
        at: str = "",
        session: str = "",
        script: str = OTHER,
    ) -> None:
        self.kind, self.item_id, self.part = kind, item_id, part
        self.vector, self.digest = vector, digest
        self.at, self.session, self.script = at, session, script


class VectorFilter:
    """Which vectors may be answers. `ids` names the items where the store had to decide; None allows all.

    `since` is included and `until` is not, as texts beside `at`.
    """

    __slots__ = ("ids", "kinds", "not_session", "session", "since", "until")

    def __init__(
        self,
        kinds: Sequence[str] = (),
        not_session: str = "",
        since: str = "",
        until: str = "",
        ids: frozenset[str] | None = None,
        session: str = "",
    ) -> None:
        self.kinds, self.session, self.not_session = tuple(kinds), session, not_session
        self.since, self.until, self.ids = since, until, ids


class Near(NamedTuple):
    """An item near a question: how near its best piece is, as a cosine after centring."""

    kind: str
    item_id: str
    part: int
    closeness: float


class Searched(Protocol):
    """Where vectors are looked for."""

    def search(self, vector: bytes, most: int, only: VectorFilter | None = None, script: str = OTHER) -> list[Near]:
        """The nearest items, best first, each once; exactly what the filter allows. `script` is the question's."""
        ...


class VectorIndex(Searched, Protocol):
    """The vectors of one embedding version. Writing is an upsert of whole items; what is refused is refused at once."""

    def upsert(self, rows: Sequence[VectorRow]) -> None:
        """Afterwards each item named in `rows` has exactly these rows. Raises ValueError for a zero, NaN or odd one."""
        ...

    def delete(self, items: Sequence[tuple[str, str]]) -> None:
        """Remove every row of the items (kind, id); those that are not there are no error."""
        ...

    def digests(self, items: Sequence[tuple[str, str]]) -> dict[tuple[str, str], bytes]:
        """Of these items (kind, id), those that are there, with the digest of the text each was made from."""
        ...

    def items(self) -> Iterator[tuple[str, str, bytes]]:
        """Every item with the digest of the text it was made from: kind, id, digest."""
        ...

    def rows(self) -> Iterator[VectorRow]:
        """Every row, the pieces of an item one after the other; what another index is filled from."""
        ...

    def count(self) -> int:
        """How many items it holds."""
        ...

    def drop(self) -> None:
        """Remove everything, in steps that can be broken off."""
        ...

    def optimize(self) -> None:
        """Tidy up after many writes, in steps that can be broken off; the worker calls it now and then."""
        ...


class Summarizer(Protocol):
    """Puts a group of events into a few sentences, each of which names the event that it rests on."""

    @property
    def name(self) -> str:
        """What it is called in events and settings."""
        ...

    @property
    def version(self) -> str:
        """What changes when it would tell the same events otherwise."""
        ...

    def summarise(self, events: Sequence[Material], topics: Collection[str]) -> list[Sentence]:
        """The sentences, in the order in which they are told. Raises a PithError when it cannot tell any."""
        ...
