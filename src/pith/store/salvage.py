"""Read the rows of a database file without SQLite: whatever page is whole gives its rows, whatever else is broken.

SQLite walks from a table's first page down; one broken page on the way hides all below it, and a broken header the
whole file. Here each page is read by itself, the newest state of the log before that of the file, and a row is known
by the number and kinds of its values. Deleted rows do not come back: every connection of ours overwrites them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from pith.domain.knowledge import KINDS as CHANGES

PAGE = 4096  # every store of ours has such pages
_TABLE_LEAF, _INDEX_LEAF, _INDEX_INNER = 0x0D, 0x0A, 0x02
_LONGEST = 100_000_000  # bytes of one row
_KINDS = ("prompt", "response", "tool", "summary", "note")
_ID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ORIGINS = ("person", "agent", "tool", "web", "import")

SESSION = ("num", "id", "agent", "host", "parent", "title", "cwd", "ended_at", "end_reason")
PLACE = ("num", "branch", "commit_id", "directory")
EVENT = ("seq", "id", "kind", "session", "at", "origin", "place", "size", "checksum")
BODY = ("seq", "text", "details", "forgotten_at")
QUESTION = ("id", "at", "face", "session", "query", "shown", "tokens")

Row = dict[str, Any]
_Where = tuple[int, int]  # page and place in it


class Damaged:
    """What a damaged database file still holds. Large rows are read when they are asked for."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "rb")  # noqa: SIM115 (closed by `close`)
        self._log = _log(f"{path}-wal")
        self._count = max([os.path.getsize(path) // PAGE, *self._log])
        self._events: dict[int, _Where] = {}
        self._changes: dict[int, _Where] = {}
        self._bodies: dict[int, _Where] = {}
        self.sessions: dict[int, Row] = {}
        self.places: dict[int, Row] = {}
        self.questions: dict[int, Row] = {}
        self.anchors: dict[int, list[bytes]] = {}
        self.sources: dict[int, list[str]] = {}
        self.exports: list[tuple[str, str]] = []
        self.facts: dict[str, str] = {}
        for number in range(1, self._count + 1):
            self._look_through(number)

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Damaged:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def last(self) -> int:
        """The highest number of an event of which any trace was found."""
        return max([0, *self._events, *self._changes, *self._bodies, *self.anchors])

    def events(self) -> Iterator[Row]:
        """The events that can be read, in the order in which they were written."""
        for number in sorted(self._events):
            yield dict(zip(EVENT, (number, *self._row(self._events[number])[1:]), strict=True))

    def changes(self) -> Iterator[Row]:
        """The changes of knowledge that can be read, in the order in which they were written."""
        for number in sorted(self._changes):
            yield dict(zip(EVENT, (number, *self._row(self._changes[number])[1:]), strict=True))

    def body(self, number: int) -> Row | None:
        """The body of an event, if it can be read; what is no UTF-8 in it is replaced, so that its checksum tells."""
        where = self._bodies.get(number)
        return dict(zip(BODY, (number, *self._row(where)[1:]), strict=True)) if where else None

    # -- pages

    def _page(self, number: int) -> bytes:
        page = self._log.get(number)
        if page is None:
            self._file.seek((number - 1) * PAGE)
            page = self._file.read(PAGE)
        return page

    def _look_through(self, number: int) -> None:
        page = self._page(number)
        at = 100 if number == 1 else 0
        kind = page[at] if len(page) == PAGE else 0
        if kind not in (_TABLE_LEAF, _INDEX_LEAF, _INDEX_INNER):
            return
        first = at + (12 if kind == _INDEX_INNER else 8)
        for cell in range(int.from_bytes(page[at + 3 : at + 5], "big")):
            place = int.from_bytes(page[first + 2 * cell : first + 2 * cell + 2], "big")
            try:
                if kind == _TABLE_LEAF:
                    self._know(number, place)
                else:
                    self._know_keyed(_record(self._payload(page, place + 4 * (kind == _INDEX_INNER), is_table=False)))
            except (ValueError, IndexError, OverflowError):
                continue  # this cell is broken; the next may not be

    def _row(self, where: _Where) -> list[Any]:
        page = self._page(where[0])
        return _record(self._payload(page, where[1], is_table=True))

    def _payload(self, page: bytes, place: int, *, is_table: bool) -> bytes:
        """A row's bytes, with those on the pages where it goes on."""
        length, place = _number(page, place)
        if is_table:
            _, place = _number(page, place)
        if not 0 < length < _LONGEST:
            raise ValueError(length)
        most = PAGE - 35 if is_table else (PAGE - 12) * 64 // 255 - 23
        if length <= most:
            if place + length > PAGE:
                raise IndexError(place)
            return page[place : place + length]
        least = (PAGE - 12) * 32 // 255 - 23
        here = least + (length - least) % (PAGE - 4)
        here = here if here <= most else least
        parts, rest = [page[place : place + here]], length - here
        following = int.from_bytes(page[place + here : place + here + 4], "big")
        while rest > 0:
            if not 0 < following <= self._count:
                raise IndexError(following)
            more = self._page(following)
            parts.append(more[4 : 4 + rest])
            rest -= PAGE - 4
            following = int.from_bytes(more[:4], "big")
        return b"".join(parts)

    # -- rows

    def _know(self, page: int, place: int) -> None:
        """Note a row of a numbered table under its number."""
        _, after = _number(self._page(page), place)
        number, _ = _number(self._page(page), after)
        row = self._row((page, place))
        if row[0] is not None or number <= 0:
            return
        if _is_event(row):
            self._events[number] = page, place
        elif _is_change(row):
            self._changes[number] = page, place
        elif len(row) == len(BODY) and _is_body(row):
            self._bodies[number] = page, place
        elif len(row) == len(PLACE) and _are_texts(row[1:]):
            self.places[number] = dict(zip(PLACE, (number, *row[1:]), strict=True))
        elif len(row) == len(SESSION) and _are_texts(row[1:4]) and _are_texts(v for v in row[4:] if v is not None):
            self.sessions[number] = dict(zip(SESSION, (number, *row[1:]), strict=True))
        elif len(row) == len(QUESTION) and _are_texts((row[1], row[2], row[4], row[5])) and isinstance(row[6], int):
            self.questions[number] = dict(zip(QUESTION, (number, *row[1:]), strict=True))

    def _know_keyed(self, row: list[Any]) -> None:
        """Note a row of a table that is ordered by its own values."""
        if len(row) != 2:
            return
        key, value = row
        if isinstance(key, bytes) and len(key) == 16 and isinstance(value, int):
            self.anchors.setdefault(value, []).append(key)
        elif isinstance(key, str) and isinstance(value, int) and _ID.fullmatch(key):
            self.sources.setdefault(value, []).append(key)
        elif isinstance(key, str) and isinstance(value, str):
            if os.path.isabs(key):
                self.exports.append((key, value))
            else:
                self.facts[key] = value


def _is_event(row: list[Any]) -> bool:
    return _is_one(row) and row[2] in _KINDS and isinstance(row[3], int)


def _is_change(row: list[Any]) -> bool:
    """Whether a row is a change of knowledge, which belongs to no session."""
    return _is_one(row) and row[2] in CHANGES and row[3] is None


def _is_one(row: list[Any]) -> bool:
    return (
        len(row) == len(EVENT)
        and _are_texts((row[1], row[2], row[4], row[5]))
        and row[5] in _ORIGINS
        and all(isinstance(row[at], int) for at in (6, 7))
        and isinstance(row[8], bytes)
    )


def _is_body(row: list[Any]) -> bool:
    """Whether a row is a body; a place, which also has four values, has a text in the last."""
    _, text, details, forgotten_at = row
    if forgotten_at is not None:
        return text == "" and details is None and isinstance(forgotten_at, str)
    return isinstance(text, str) and (details is None or isinstance(details, str))


def _are_texts(values: Any) -> bool:
    return all(isinstance(value, str) for value in values)


# -- The file format -----------------------------------------------------------------------------------------


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    value = 0
    for end in range(at, at + 8):
        value = value << 7 | data[end] & 0x7F
        if data[end] < 0x80:
            return value, end + 1
    value = value << 8 | data[at + 8]
    return value - (1 << 64) if value >> 63 else value, at + 9


def _record(payload: bytes) -> list[Any]:
    """The values of a row."""
    end, at = _number(payload, 0)
    kinds = []
    while at < end:
        kind, at = _number(payload, at)
        kinds.append(kind)
    values = []
    for kind in kinds:
        length = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)[kind] if kind < 10 else (kind - 12) // 2
        if kind < 0 or kind in (10, 11) or end + length > len(payload):
            raise ValueError(kind)
        values.append(_value(kind, payload[end : end + length]))
        end += length
    return values


def _value(kind: int, data: bytes) -> Any:
    if kind >= 12:
        return data.decode("utf-8", "replace") if kind % 2 else data
    if kind in (8, 9):
        return kind - 8
    return int.from_bytes(data, "big", signed=True) if 0 < kind < 7 else None


def _log(path: str) -> dict[int, bytes]:
    """The pages in a write-ahead log up to its last commit; nothing where it is no log."""
    pages: dict[int, bytes] = {}
    pending: dict[int, bytes] = {}
    try:
        with open(path, "rb") as file:
            head = file.read(32)
            if head[:3] != b"\x37\x7f\x06" or int.from_bytes(head[8:12], "big") != PAGE:
                return {}
            while len(frame := file.read(24 + PAGE)) == 24 + PAGE and frame[8:16] == head[16:24]:
                pending[int.from_bytes(frame[:4], "big")] = frame[24:]
                if frame[4:8] != bytes(4):  # the last page of a transaction
                    pages.update(pending)
                    pending = {}
    except FileNotFoundError:
        pass
    return pages
