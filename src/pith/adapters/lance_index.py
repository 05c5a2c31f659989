"""Vectors in LanceDB: one table for each embedding version, in a folder or on object storage.

Each batch is one merge, which is one commit: a reader sees it whole or not at all. Without `optimize` every commit is a
file more to open, so the worker calls it. What was deleted leaves the disk when its file is written anew.
"""

from __future__ import annotations

import re
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from datetime import timedelta
from importlib.util import find_spec
from typing import Any, TypeVar

from pith.domain.centring import SCRIPTS
from pith.domain.outbox import Retryable
from pith.domain.ports import VectorFilter, VectorRow
from pith.errors import PithError

NAME = "lancedb"
APPROXIMATE_FROM = 50_000  # rows, from which a search of all would take longer than people wait
RETRAINED_AT = 2  # times as many rows as the index was trained with
_PROBES, _REFINED = 50, 10  # recall@10 1.00 of 100,000 random directions in 25 ms; by its own defaults 0.90 in 11
_SMALL = 0.2  # part of the rows, of which the index finds too little: 0.79 of the nearest ten of 0.65 %
_KEPT = timedelta(minutes=10)  # older states of the table are removed then; a reader may still be at one
_REMOTE_LAG = timedelta(seconds=5)  # after which a reader looks whether the table on object storage has changed
PATIENCE = 15.0  # seconds that a question waits for object storage; loading LanceDB takes some of them
_SILENT_FOR = 60.0  # seconds after which a place that was silent is asked again
_silent: dict[str, float] = {}  # until when
T = TypeVar("T")
_ELSEWHERE = "Check `meaning.lancedb.uri`, the network and the credentials; words are found meanwhile."
_DAMAGED = (
    "If it comes again, the folder is damaged: remove it, and run `pith outbox reconcile`, which embeds all of it anew;"
    " words are found meanwhile."
)
_ROW = ["kind", "id", "part", "digest", "at", "session", "script", "vector"]


def is_installed() -> bool:
    """Whether the package is there; it is not imported for that."""
    return find_spec("lancedb") is not None


def is_remote(uri: str) -> bool:
    """Whether the place is no folder of this machine."""
    return "://" in uri


class LanceTable:
    """The rows of one version; `vector` goes in and comes out as 16-bit floats."""

    def __init__(self, uri: str, version: str, dimensions: int, options: dict[str, str] | None = None) -> None:
        self._uri, self._dimensions, self._options = uri, dimensions, options
        # Versions hold letters that a table's name may not; the number keeps those apart that look alike then.
        self._name = f"{re.sub('[^A-Za-z0-9_.-]', '_', version)[:80]}-{zlib.crc32(version.encode()):08x}"
        self._base: Any = None
        self._table: Any = None

    # -- Writing ---------------------------------------------------------------------------------------------

    def merge(self, rows: Sequence[tuple[VectorRow, bytes]]) -> None:
        """Afterwards each item named has exactly these rows."""
        gone = _any_of({(row.kind, row.item_id) for row, _ in rows})
        with self._reached():
            merging = self._opened(create=True).merge_insert(["kind", "id", "part"])
            merging.when_matched_update_all().when_not_matched_insert_all().when_not_matched_by_source_delete(gone)
            merging.execute(self._batch(rows))

    def append(self, rows: Sequence[tuple[VectorRow, bytes]]) -> None:
        """Add rows of items that are known not to be there."""
        with self._reached():
            self._opened(create=True).add(self._batch(rows))

    def delete(self, items: Iterable[tuple[str, str]]) -> None:
        """Remove every row of the items."""
        with self._reached():
            table = self._opened()
            if table is not None:
                table.delete(_any_of(set(items)))

    def _batch(self, rows: Sequence[tuple[VectorRow, bytes]]) -> Any:
        import pyarrow as pa

        flat = pa.py_buffer(b"".join(vector for _, vector in rows))
        numbers = pa.Array.from_buffers(pa.float16(), len(rows) * self._dimensions, [None, flat])
        columns: dict[str, list[Any]] = {
            "kind": [row.kind for row, _ in rows],
            "id": [row.item_id for row, _ in rows],
            "part": [row.part for row, _ in rows],
            "digest": [row.digest for row, _ in rows],
            "at": [row.at for row, _ in rows],
            "session": [row.session for row, _ in rows],
            "script": [row.script for row, _ in rows],
        }
        vectors = pa.FixedSizeListArray.from_arrays(numbers, self._dimensions)
        return pa.table({**columns, "vector": vectors}, schema=self._schema())

    # -- Reading ---------------------------------------------------------------------------------------------

    def nearest(self, direction: bytes, most: int, script: str, only: VectorFilter | None, share: float) -> list[Any]:
        """Up to `most` rows of a script with the greatest product with the direction; ids only where they are few."""
        return self._soon(lambda: self._nearest(direction, most, script, only, share))

    def _nearest(self, direction: bytes, most: int, script: str, only: VectorFilter | None, share: float) -> list[Any]:
        import numpy as np

        with self._reached():
            table = self._opened()
            if table is None:
                return []
            asked = table.search(np.frombuffer(direction, "<f4"), vector_column_name="vector").metric("dot")
            conditions = [*_conditions(only), *([f"script = {_text(script)}"] if share < 1 else [])]
            if conditions:
                asked = asked.where(" AND ".join(conditions), prefilter=True)
            if only is not None or share < _SMALL:
                asked = asked.bypass_vector_index()
            else:
                asked = asked.nprobes(_PROBES).refine_factor(_REFINED)
            return _rows(asked.select([*_ROW, "_distance"]).limit(most).to_arrow())

    def scripts(self) -> dict[str, int]:
        """How many rows each script has."""
        return self._soon(self._scripts)

    def _scripts(self) -> dict[str, int]:
        with self._reached():
            table = self._opened()
            if table is None:
                return {}
            found = {script: table.count_rows(f"script = {_text(script)}") for script in SCRIPTS}
            return {script: count for script, count in found.items() if count}

    def each(self, columns: Sequence[str] = (), condition: str = "") -> Iterator[dict[str, Any]]:
        """Every row, or these columns of it."""
        with self._reached():
            table = self._opened()
            if table is None:
                return
            asked = table.search().select(list(columns or _ROW))
            batches = iter((asked.where(condition) if condition else asked).to_batches(2_000))
        while True:
            with self._reached():
                batch = next(batches, None)
            if batch is None:
                return
            yield from _rows(batch)

    def of(self, items: Iterable[tuple[str, str]], columns: Sequence[str]) -> Iterator[dict[str, Any]]:
        """The columns of every row of these items."""
        wanted = set(items)
        return self.each(columns, _any_of(wanted)) if wanted else iter(())

    # -- Tidying up ------------------------------------------------------------------------------------------

    def optimize(self) -> None:
        """Put small files together, bring the index up to date, remove old states."""
        with self._reached():
            table = self._opened()
            if table is not None:
                self._train(table)
                table.optimize(cleanup_older_than=_KEPT)

    def write_anew(self) -> None:
        """Write all rows into new files, and remove the old ones with whatever was deleted in them."""
        import pyarrow as pa

        with self._reached():
            table = self._opened()
            if table is None:
                return
            batches = table.search().select(_ROW).to_batches(2_000)
            reader = pa.RecordBatchReader.from_batches(self._schema(), batches)
            self._table = self._base.create_table(self._name, data=reader, schema=self._schema(), mode="overwrite")
            self._train(self._table)
            self._table.optimize(cleanup_older_than=timedelta(milliseconds=1), delete_unverified=True)

    def drop(self) -> None:
        """Remove the table."""
        with self._reached():
            if self._opened() is not None:
                self._base.drop_table(self._name)
                self._table = None

    def _train(self, table: Any) -> None:
        rows = table.count_rows()
        if rows >= APPROXIMATE_FROM and rows >= RETRAINED_AT * self._trained_with(table):
            from lancedb.index import IvfRq, IvfSq

            kind = IvfRq if self._dimensions % 8 == 0 else IvfSq  # the first one takes whole bytes only
            table.create_index("vector", config=kind(distance_type="dot"), replace=True)

    def _trained_with(self, table: Any) -> int:
        for index in table.list_indices():
            if "vector" in index.columns:
                found = table.index_stats(index.name)
                return int(found.num_indexed_rows) if found else 0
        return 0

    def _soon(self, look: Callable[[], T]) -> T:
        """What a question asks for, or that nobody answers: of object storage LanceDB hopes for minutes."""
        if not is_remote(self._uri):
            return look()
        if time.monotonic() >= _silent.get(self._uri, 0.0):
            found: Future[T] = Future()
            threading.Thread(target=_into, args=(found, look), daemon=True).start()
            try:
                return found.result(PATIENCE)
            except TimeoutError:
                _silent[self._uri] = time.monotonic() + _SILENT_FOR
        raise Retryable(f"LanceDB at {self._uri} did not answer in {PATIENCE:g} seconds.", hint=_ELSEWHERE)

    @contextmanager
    def _reached(self) -> Iterator[None]:
        """Say in one sentence that LanceDB could not; it raises much, and a panic for some damaged files."""
        try:
            yield
        except PithError:
            raise
        except Exception as error:
            first = (str(error).splitlines() or [type(error).__name__])[0]
            said = re.sub(r",? ?/\S+:\d+:\d+\.?$", "", first)[:160]  # where in its own source is nobody's matter
            hint = _ELSEWHERE if is_remote(self._uri) else _DAMAGED
            raise Retryable(f"LanceDB at {self._uri} did not answer ({said}).", hint=hint) from error

    # -- Opening ---------------------------------------------------------------------------------------------

    def _opened(self, *, create: bool = False) -> Any:
        """The table; None where there is none."""
        if self._table is not None:
            return self._table
        import lancedb

        lag = _REMOTE_LAG if is_remote(self._uri) else timedelta(0)
        if self._base is None:
            self._base = lancedb.connect(self._uri, read_consistency_interval=lag, storage_options=self._options)
        if create:
            self._table = self._base.create_table(self._name, schema=self._schema(), exist_ok=True)
        else:
            try:
                self._table = self._base.open_table(self._name)
            except ValueError:  # what it raises for a name that is not there
                return None
        return self._table

    def _schema(self) -> Any:
        import pyarrow as pa

        text, vector = pa.string(), pa.list_(pa.float16(), self._dimensions)
        kinds = [text, text, pa.int32(), pa.binary(), text, text, text, vector]
        return pa.schema(list(zip(_ROW, kinds, strict=True)))


def _into(found: Future[T], look: Callable[[], T]) -> None:
    try:
        found.set_result(look())
    except BaseException as error:  # noqa: BLE001 - a panic within LanceDB is no Exception
        found.set_exception(error)


def _rows(batch: Any) -> list[dict[str, Any]]:
    """Rows as the arithmetic of the exact index reads them: `item_kind`, `item_id`, vectors as bytes."""
    vectors: list[bytes] = []
    columns = {
        name: batch.column(name).to_pylist() for name in batch.schema.names if name not in ("vector", "_distance")
    }
    if "vector" in batch.schema.names:
        import numpy as np

        column = batch.column("vector")
        chunks = column.chunks if hasattr(column, "chunks") else [column]
        for chunk in chunks:
            matrix = chunk.flatten().to_numpy(zero_copy_only=False).astype("<f2").reshape(len(chunk), -1)
            vectors += [row.tobytes() for row in np.ascontiguousarray(matrix)]
        columns["vector"] = vectors
    names = {"kind": "item_kind", "id": "item_id"}
    keys = [names.get(name, name) for name in columns]
    return [dict(zip(keys, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _text(value: str) -> str:
    """A text within a condition."""
    return "'" + value.replace("'", "''") + "'"


def _texts(values: Iterable[str]) -> str:
    return ", ".join(_text(value) for value in sorted(values))


def _any_of(items: set[tuple[str, str]]) -> str:
    kinds = sorted({kind for kind, _ in items})
    parts = [f"(kind = {_text(kind)} AND id IN ({_texts(id for of, id in items if of == kind)}))" for kind in kinds]
    return " OR ".join(parts) or "false"


def _conditions(only: VectorFilter | None) -> list[str]:
    if only is None:
        return []
    found = []
    if only.kinds:
        found.append(f"kind IN ({_texts(only.kinds)})")
    if only.session:
        found.append(f"session = {_text(only.session)}")
    if only.not_session:
        found.append(f"session != {_text(only.not_session)}")
    if only.since:
        found.append(f"at >= {_text(only.since)}")
    if only.until:
        found.append(f"at < {_text(only.until)}")
    if only.ids is not None:
        found.append(f"id IN ({_texts(only.ids)})" if only.ids else "false")
    return found
