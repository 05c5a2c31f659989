"""A store as lines of JSON, and back: the same ids, anchors and citations on another machine or in another project.

The first line is a header, then each session stands before its first event, and sessions without events come last.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import IO, Any

from pith import platform
from pith.domain import events, words
from pith.errors import FileUnwritable, InputError
from pith.services import location
from pith.services.keeping import exchange_knowledge
from pith.services.keeping import exchange_lines as lines
from pith.services.keeping.copies import DRAFT, is_export
from pith.services.knowledge import fold as knowledge
from pith.services.personal import KEY
from pith.services.project_memory import review
from pith.services.workspace import Workspace
from pith.store import citations, exports, search, sessions
from pith.store import events as stored
from pith.store.database import Db

_LONGEST_LINE = 64_000_000  # bytes; no event of ours comes near
_BATCH = 500
_BATCH_CHARACTERS = 200_000  # a hook waits only a moment for the write lock
_BAD_SHOWN = 20

Progress = Callable[[int, int], None]


class InsideRepository(InputError):
    """Memory is private; a file in the work tree is committed sooner or later."""

    code = "INSIDE_REPOSITORY"
    hint = "Choose a place outside it, or add `--into-repository` if you mean it."


@dataclass
class Written:
    """What an export holds."""

    path: str
    events: int = 0
    forgotten: int = 0
    sessions: int = 0
    changes: int = 0
    bytes: int = 0


@dataclass
class Taken:
    """What became of an export's lines; `bad` names the first damaged ones."""

    path: str
    lines: int = 0
    new: int = 0
    known: int = 0
    forgotten: int = 0
    sessions: int = 0
    damaged: int = 0
    changes: int = 0
    bad: list[tuple[int, str]] = field(default_factory=list)


# -- Out -----------------------------------------------------------------------------------------------------


def export_file(
    ws: Workspace, path: str, *, into_repository: bool = False, progress: Progress | None = None
) -> Written:
    """Write the whole store to a file that only this user can read; the store remembers where."""
    path = os.path.abspath(path)
    _check_place(ws, path, into_repository)
    with ws.db.transaction():
        exports.keep(ws.db, path, platform.now())  # before the first byte: forgetting must find a torn draft too
    draft = path + DRAFT
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
        with open(descriptor, "wb") as file:
            written = write(ws, file, progress)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(draft, 0o600)
        platform.replace(draft, path)
    except OSError as error:
        _take_back(draft)
        raise FileUnwritable(f"{path} cannot be written: {error.strerror or error}.") from error
    written.path = path
    return written


def write(ws: Workspace, file: IO[bytes], progress: Progress | None = None) -> Written:
    """Stream the whole store as lines of JSON."""
    written = Written("")
    personal = bool(ws.settings.get("capture.maskPersonal"))
    total = search.total(ws.db)
    for line in _lines(ws.db, personal, written):
        file.write(line)
        written.bytes += len(line)
        if progress:
            progress(written.events, total)
    return written


def _check_place(ws: Workspace, path: str, into_repository: bool) -> None:
    real = os.path.realpath(path)
    if not into_repository and (_is_below(real, os.path.realpath(ws.place.root)) or _is_personal_in_git(ws, real)):
        raise InsideRepository(f"{path} is inside the repository.")
    if os.path.isdir(path):
        raise InputError(f"{path} is a folder.", hint="Name the file to write.")
    if os.path.exists(path) and not _is_ours(path):
        raise InputError(f"{path} exists and is no export of pith.", hint="Choose another name, or remove it first.")


def _is_personal_in_git(ws: Workspace, path: str) -> bool:
    """Whether the personal store would be written into a repository, whichever that is."""
    return ws.project.key == KEY and location.locate(os.path.dirname(path)).common_dir is not None


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _is_ours(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            first = file.readline(10_000)
    except OSError:
        return False
    return not first or is_export(first)


def _take_back(draft: str) -> None:
    try:
        os.remove(draft)
    except OSError:
        pass  # there is none, or it is removed with the export by `pith forget --exports`


def _lines(db: Db, personal: bool, written: Written) -> Iterator[bytes]:
    yield lines.line(lines.header(platform.now()))
    facts = {(row["id"], row["agent"]): row for row in sessions.each(db)}
    told: set[tuple[str, str]] = set()
    named = _Anchors(db)
    for row in stored.each(db):
        key = (row["session"], row["agent"])
        if key not in told:
            told.add(key)
            written.sessions = len({session for session, _ in told})  # as `pith sessions` counts: subagents within
            yield lines.line(
                lines.session(facts.get(key) or {"id": key[0], "agent": key[1], "host": row["host"]}, personal)
            )
        written.events += 1
        written.forgotten += bool(row["forgotten_at"])
        yield lines.line(lines.event(row, named.of(row["seq"]), personal))
    for key, session in facts.items():
        if key not in told:
            yield lines.line(lines.session(session, personal))
    for change in exchange_knowledge.lines(db, personal):
        written.changes += 1
        yield lines.line(change)


class _Anchors:
    """The anchors of events that are asked for in order, read along with them."""

    def __init__(self, db: Db) -> None:
        self._rest = stored.anchors(db)
        self._next = next(self._rest, None)

    def of(self, event: int) -> list[bytes]:
        found = []
        while self._next is not None and self._next[0] <= event:
            if self._next[0] == event:
                found.append(self._next[1])
            self._next = next(self._rest, None)
        return found


# -- In ------------------------------------------------------------------------------------------------------


def bring_in(ws: Workspace, path: str, progress: Progress | None = None) -> Taken:
    """Take an export into this project's store; what it knows already, under whatever id, is not taken again.

    Raises InputError where the file is none of ours or a newer pith wrote it. A damaged line is counted and left out.
    """
    taken = Taken(path)
    try:
        size = os.path.getsize(path)
        with open(path, "rb") as file:
            _check_header(path, file.readline(10_000))
            _Run(ws, taken).read(file, size, progress)
        knowledge.catch_up(ws.db)
    except OSError as error:
        raise InputError(
            f"{path} cannot be read ({error.strerror or error}).", hint="Give the file that `pith export` wrote."
        ) from error
    return taken


def _check_header(path: str, line: bytes) -> None:
    if not is_export(line):
        raise InputError(f"{path} is no export of pith.", hint="`pith export --jsonl FILE` writes one.")
    version = json.loads(line).get("version")
    if not isinstance(version, int) or version > lines.VERSION:
        raise InputError(f"{path} was written by a newer pith.", hint="Upgrade pith here, then try again.")


class _Run:
    """The way of one export into the store."""

    def __init__(self, ws: Workspace, taken: Taken) -> None:
        self.db = ws.db
        self.taken = taken
        self._only_preferences = ws.project.key == KEY
        self._by_person = review.is_by_person(ws.place.root)
        self.personal = bool(ws.settings.get("capture.maskPersonal"))
        self._batch: list[tuple[int, dict[str, Any]]] = []
        self._bytes = 0
        self._hosts: dict[tuple[str, str], str] = {}
        self._same: dict[str, str] = {}  # the id of an event there -> its id here

    def read(self, file: IO[bytes], size: int, progress: Progress | None) -> None:
        number = 1
        while line := file.readline(_LONGEST_LINE):
            number += 1
            if len(line) == _LONGEST_LINE and not line.endswith(b"\n"):
                _skip_line(file)
                self._spoiled(number, "far too long")
                continue
            self._take(number, line)
            if len(self._batch) >= _BATCH or self._bytes >= _BATCH_CHARACTERS:
                self._write()
                if progress:
                    progress(file.tell(), size)
        self._write()
        if progress:
            progress(size, size)

    def _take(self, number: int, line: bytes) -> None:
        if not line.strip():
            return
        self.taken.lines += 1
        try:
            fields = json.loads(line)
            ready = self._is_wanted(fields)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            self._spoiled(number, str(error) if isinstance(error, lines.Damaged) else "not as pith writes it")
            return
        if ready:
            self._batch.append((number, fields))
            self._bytes += len(line)

    def _is_wanted(self, fields: dict[str, Any]) -> bool:
        """Whether a line is to be taken; raises where it is damaged, or decides what only a person may decide."""
        if fields["type"] != exchange_knowledge.TYPE:
            return not self._only_preferences and lines.checked(fields)
        exchange_knowledge.check(fields)
        if exchange_knowledge.decides(fields) and not self._by_person:
            raise lines.Damaged("only a person may bring in what somebody confirmed")
        return not self._only_preferences or exchange_knowledge.holds_everywhere(fields)

    def _spoiled(self, number: int, reason: str) -> None:
        self.taken.damaged += 1
        if len(self.taken.bad) < _BAD_SHOWN:
            self.taken.bad.append((number, reason))

    def _write(self) -> None:
        with self.db.transaction():
            for _, fields in self._batch:
                if fields["type"] == "session":
                    self._learn(fields)
                elif fields["type"] == exchange_knowledge.TYPE:
                    self._change(fields)
                else:
                    self._add(fields)
        self._batch, self._bytes = [], 0

    def _learn(self, fields: dict[str, Any]) -> None:
        key = fields["id"], fields["agent"]
        self._hosts[key] = fields["host"]
        self.taken.sessions += not fields["agent"] or (fields["id"], "") not in self._hosts
        known = sessions.facts(self.db, *key)
        for fact in sessions.FACTS:
            value = fields.get(fact)
            if value is None or (known is not None and known[fact] is not None):
                continue
            if value:
                sessions.learn(self.db, *key, fields["host"], fact, lines.masked(value, self.personal))
            elif fact in sessions.TELLING:
                sessions.number(self.db, *key, fields["host"])
                sessions.forget_facts(self.db, fields["id"], (fact,), agent=fields["agent"])
        sessions.number(self.db, *key, fields["host"])

    def _change(self, fields: dict[str, Any]) -> None:
        new = exchange_knowledge.take(self.db, fields, self._same, self.personal)
        self.taken.changes += new is True

    def _add(self, fields: dict[str, Any]) -> None:
        anchors = [bytes.fromhex(anchor) for anchor in fields["anchors"]]
        event = self._known(fields["id"], anchors)
        if event is not None:
            stored.add_anchors(self.db, event, anchors)
            self.taken.known += 1
            (own,) = stored.read(self.db, [event])
            if own["id"] != fields["id"]:
                self._same[fields["id"]] = own["id"]
            return
        host = self._hosts.get((fields["session"], fields["agent"]), "claude")
        session = sessions.number(self.db, fields["session"], fields["agent"], host)
        place = sessions.place(
            self.db, *(lines.masked(fields[name], self.personal) for name in ("branch", "commit", "directory"))
        )
        self.taken.new += 1
        if fields.get("forgotten_at"):
            self.taken.forgotten += 1
            seq = self._append_forgotten(fields, session, place)
        else:
            seq = self._append(fields, session, place, host)
        stored.add_anchors(self.db, seq, anchors)
        citations.give(self.db, citations.EVENT, fields["id"])

    def _known(self, id: str, anchors: list[bytes]) -> int | None:
        row = stored.by_id(self.db, id)
        if row is not None:
            return int(row["seq"])
        found = (stored.seen_as(self.db, anchor) for anchor in anchors)
        return next((event for event in found if event is not None), None)

    def _append(self, fields: dict[str, Any], session: int, place: int, host: str) -> int:
        seen = lines.sighting(fields, host)
        seen.text = lines.masked(seen.text, self.personal)
        seen.details = lines.masked(seen.details, self.personal)
        found_by = words.terms(seen.text)
        checksum = events.checksum(seen, events.text_hash(seen.text))
        seq = stored.append(
            self.db, seen, id=fields["id"], session=session, place=place, size=len(found_by), checksum=checksum
        )
        search.add(self.db, seq, found_by)
        return seq

    def _append_forgotten(self, fields: dict[str, Any], session: int, place: int) -> int:
        return stored.append_forgotten(
            self.db,
            id=fields["id"],
            kind=fields["kind"],
            session=session,
            at=fields["at"],
            origin=fields["origin"],
            place=place,
            checksum=bytes.fromhex(fields["checksum"]),
            forgotten_at=fields["forgotten_at"],
        )


def _skip_line(file: IO[bytes]) -> None:
    while (rest := file.readline(_LONGEST_LINE)) and not rest.endswith(b"\n"):
        pass
