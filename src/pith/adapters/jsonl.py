"""What readers of transcripts share: lines with their place, items that account for each, lenient fields.

A transcript is read as a stream of bytes, one line at a time. A line may be torn, of megabytes, or no JSON at
all; none of that stops a reading, and each line is either taken or skipped for a reason that is told.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from pith import platform
from pith.domain import tools
from pith.domain.events import Sighting

LINE_CAP = 32 << 20
_STEP = 1 << 20
_PENDING_KEPT = 2_000
_BEGINNING = 1 << 16  # bytes in which the first time of a transcript stands
_TIME = re.compile(rb'"timestamp": ?"([^"\\]{1,40})"')

META = "record about the session, not of it"
FACT = "kept as a fact of the session"
MIRROR = "copy of what another record says"
JOINED = "tool call, remembered with its result"
THINKING = "thinking"
IMAGE = "picture"
LOCAL_COMMAND = "command of the host, not a prompt"
INJECTED = "written by the host, not by a person"
PROGRESS = "progress of a call or a subagent"
SYNTHETIC = "message that the host made up"
EMPTY = "nothing in it"
TORN = "last line, not finished"
BAD_JSON = "not readable as JSON"
NOT_A_RECORD = "not a record"
TOO_LONG = "line too long"
UNKNOWN = "unknown type of record"
REASONS = (
    META, FACT, MIRROR, JOINED, THINKING, IMAGE, LOCAL_COMMAND, INJECTED, PROGRESS, SYNTHETIC, EMPTY,
    TORN, BAD_JSON, NOT_A_RECORD, TOO_LONG, UNKNOWN,
)  # fmt: skip
BAD = (TORN, BAD_JSON, NOT_A_RECORD, TOO_LONG)


class Seen(NamedTuple):
    """A sighting, the number of its line, and the offset in bytes after that line."""

    sighting: Sighting
    line: int
    offset_after: int


class Skipped(NamedTuple):
    """A line that gave no sighting, and why."""

    line: int
    reason: str


class SessionFact(NamedTuple):
    """About a session or a subagent: title, summary, cwd, branch, commit, started, parent, agent_type, pr."""

    session: str
    name: str
    value: str
    agent: str = ""


Item = Seen | Skipped | SessionFact
Found = Sighting | SessionFact | str


class Line(NamedTuple):
    """One line: its number from 1, where it starts and ends, its bytes, and why they are no use, if so."""

    number: int
    start: int
    end: int
    data: bytes
    problem: str = ""


def lines(file: BinaryIO, offset: int = 0, number: int = 0) -> Iterator[Line]:
    """The lines of a file from an offset on; a line beyond the cap is streamed over, never held."""
    file.seek(offset)
    while data := file.readline(LINE_CAP + 1):
        number += 1
        start, offset = offset, offset + len(data)
        if data[-1] == 10:
            yield Line(number, start, offset, data)
        elif len(data) > LINE_CAP:
            while data[-1:] != b"\n" and (data := file.readline(_STEP)):
                offset += len(data)
            yield Line(number, start, offset, b"", TOO_LONG if data else TORN)
        else:
            # Whole but for its newline, or still being written: only what ends as a record does is tried.
            yield Line(number, start, offset, data, "" if data.rstrip()[-1:] == b"}" and parsed(data) else TORN)


def parsed(data: bytes) -> object:
    """The value that a line holds; None when it is not JSON."""
    if len(data) > 50_000:
        data = without_blobs(data)
    try:
        return json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


_BLOB_MARKS = (
    b'"data":"',
    b'"base64":"',
    b'"data": "',
    b'"base64": "',
    b";base64,",
    b'"encrypted_content":"',
)


def without_blobs(data: bytes) -> bytes:
    """A line without the encoded bytes in it: they are never kept, and parsing them would cost memory."""
    for mark in _BLOB_MARKS:
        at = data.find(mark)
        parts, done = [], 0
        while at >= 0:
            start = at + len(mark)
            end = data.find(b'"', start)
            if end < 0:
                break
            if end - start > 2_000 and data.find(b"\\", start, end) < 0 and data.find(b" ", start, end) < 0:
                parts.append(data[done:start])
                done = end
            at = data.find(mark, end)
        if parts:
            data = b"".join((*parts, data[done:]))
    return data


# -- Fields --------------------------------------------------------------------------------------------------


def word(fields: Mapping[str, Any], key: str) -> str:
    """A short text in a record, such as an id or a path; anything else is nothing."""
    value = fields.get(key)
    if not isinstance(value, str):
        return ""
    return value[:1_000] if value.isascii() else value[:1_000].encode("utf-8", "replace").decode()


def part(fields: Mapping[str, Any], key: str) -> dict[str, Any]:
    """An object in a record, empty where there is none."""
    value = fields.get(key)
    return value if isinstance(value, dict) else {}


_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")


def moment(value: object, otherwise: str) -> str:
    """A time as UTC text with milliseconds; what cannot be read as one is `otherwise`."""
    if isinstance(value, str):
        return value if _MOMENT.fullmatch(value) else _odd_moment(value, otherwise)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if 1e9 <= value < 1e11:
            return platform.stamp(int(value * 1000))
        if 1e11 <= value < 1e14:
            return platform.stamp(int(value))
    return otherwise


def _odd_moment(value: str, otherwise: str) -> str:
    try:
        when = datetime.fromisoformat(value[:40])
        when = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    except (ValueError, OverflowError):
        return otherwise
    return f"{when:%Y-%m-%dT%H:%M:%S}.{when.microsecond // 1000:03d}Z" if when.year >= 1000 else otherwise


def oldest_first(paths: Iterable[Path]) -> list[Path]:
    """Files by the time they were last written to, without those that are gone."""
    dated = []
    for path in set(paths):
        try:
            dated.append((path.stat().st_mtime_ns, str(path), path))
        except OSError:
            continue
    return [path for _, _, path in sorted(dated)]


def first_begun(paths: Iterable[Path]) -> list[Path]:
    """Files by the first time that stands in them.

    A fork holds copies of its original's records, and belongs behind it however late that was written to: its first
    time is its own.
    """
    return sorted(oldest_first(paths), key=_began)


def _began(path: Path) -> str:
    try:
        with path.open("rb") as file:
            found = _TIME.search(file.read(_BEGINNING))
        written = platform.stamp(path.stat().st_mtime_ns // 1_000_000)
    except OSError:
        return ""
    return moment(found[1].decode("utf-8", "replace"), written) if found else written


# -- Readings ------------------------------------------------------------------------------------------------


class Pending(NamedTuple):
    """A tool call that has no result yet, and where its line starts."""

    call: tools.Call
    line: int
    offset: int


class Reading(ABC):
    """Iterating gives the items of one transcript; `safe_offset` says where to go on so that nothing is lost.

    Every line gives at least one `Seen`, or exactly one `Skipped`.
    """

    host = ""

    def __init__(self, path: str | Path, offset: int = 0, line: int = 0) -> None:
        self.path = Path(path)
        self.offset = offset
        self.lines = line
        self.read_to = offset
        self.unanswered = 0
        self.pending: dict[str, Pending] = {}
        self.place = Line(line, offset, offset, b"")
        self._done = (offset, line)
        self.known: dict[tuple[str, str, str], str] = {}
        self.at = ""

    def __iter__(self) -> Iterator[Item]:
        with self.path.open("rb", buffering=_STEP) as file:
            self.at = platform.stamp(self.path.stat().st_mtime_ns // 1_000_000)
            for line in lines(file, self.offset, self.lines):
                self.lines = line.number
                yield from self._items(line)
                self.read_to = line.end
                if line.problem != TORN:
                    self._done = (line.end, line.number)

    @property
    def safe_offset(self) -> int:
        """Where to read on from later: before a torn line and before calls that still wait for a result."""
        return self._safe[0]

    @property
    def safe_line(self) -> int:
        """How many lines lie before the safe offset."""
        return self._safe[1]

    @property
    def _safe(self) -> tuple[int, int]:
        for waiting in self.pending.values():
            return min((waiting.offset, waiting.line - 1), self._done)
        return self._done

    def _items(self, line: Line) -> Iterator[Item]:
        reason = line.problem or self.skim(line.data)
        taken = False
        if not reason:
            record = parsed(line.data)
            if not isinstance(record, dict):
                reason = EMPTY if not line.data.strip() else NOT_A_RECORD if record is not None else BAD_JSON
            else:
                self.place = line
                for found in self.take(record):
                    if isinstance(found, str):
                        reason = reason or found
                    elif isinstance(found, SessionFact):
                        yield found
                    else:
                        taken = True
                        yield Seen(found, line.number, line.end)
        if not taken:
            yield Skipped(line.number, reason or EMPTY)

    @abstractmethod
    def skim(self, data: bytes) -> str:
        """Why a line can be skipped without parsing it, or nothing."""

    @abstractmethod
    def take(self, record: dict[str, Any]) -> Iterator[Found]:
        """The sightings and facts in a record, or the reason why it gives none."""

    def wait(self, id: str, call: tools.Call) -> None:
        """Remember a tool call until its result comes."""
        if len(self.pending) >= _PENDING_KEPT:
            self.pending.pop(next(iter(self.pending)))
            self.unanswered += 1
        self.pending[id] = Pending(call, self.place.number, self.place.start)

    def forget_pending(self) -> None:
        """A person speaks: what was called before and has no result will get none."""
        self.unanswered += len(self.pending)
        self.pending.clear()

    def fact(self, session: str, name: str, value: str, agent: str = "") -> Iterator[SessionFact]:
        """A fact of a session, unless it was just the same."""
        if value and self.known.get((session, agent, name)) != value:
            self.known[session, agent, name] = value
            yield SessionFact(session, name, value, agent)
