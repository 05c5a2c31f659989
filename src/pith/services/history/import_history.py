"""Bring in what hosts wrote before pith was there, transcripts and notes: once, however often asked."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pith import platform
from pith.adapters import jsonl, notes_claude, transcripts_claude, transcripts_codex
from pith.adapters.jsonl import Seen, SessionFact, Skipped
from pith.domain.events import Sighting
from pith.services import capture
from pith.services.config import Settings
from pith.services.keeping import salvaging_sessions
from pith.store import imports, sessions
from pith.store.database import Db

CLAUDE, CODEX = transcripts_claude.HOST, transcripts_codex.HOST
READERS = {CLAUDE: transcripts_claude, CODEX: transcripts_codex}

BATCH = 500
_BATCH_CHARACTERS = 200_000  # a hook waits 150 ms for the write lock: a batch must be over before
_HEAD = 4096
_BAD_SHOWN = 20

EXCLUDED = "excluded by your settings, or nothing left after cleaning"
ELSEWHERE = "work of another project"
OWN = "pith's own session"

Directory = Callable[[str], str | None]
Progress = Callable[[str, int, int], None]


@dataclass
class FileReport:
    """What became of one file: of its lines, and of the sightings in them."""

    path: str
    host: str
    size: int = 0
    start: int = 0
    lines: int = 0
    taken: int = 0
    new: int = 0
    known: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    bad: list[tuple[int, str]] = field(default_factory=list)
    sessions: set[str] = field(default_factory=set)
    unanswered: int = 0
    seconds: float = 0.0
    error: str = ""


@dataclass
class Report:
    """What became of all files; `bad` names file and line of the first unreadable lines."""

    files: list[FileReport] = field(default_factory=list)

    @property
    def lines(self) -> int:
        return sum(file.lines for file in self.files)

    @property
    def taken(self) -> int:
        """Lines that gave at least one sighting."""
        return sum(file.taken for file in self.files)

    @property
    def new(self) -> int:
        return sum(file.new for file in self.files)

    @property
    def known(self) -> int:
        return sum(file.known for file in self.files)

    @property
    def bytes(self) -> int:
        return sum(file.size - file.start for file in self.files)

    @property
    def seconds(self) -> float:
        return sum(file.seconds for file in self.files)

    @property
    def skipped(self) -> Counter[str]:
        """Lines by the reason why they gave nothing."""
        return sum((file.skipped for file in self.files), Counter())

    @property
    def left_out(self) -> Counter[str]:
        """Sightings by the reason why they were not kept."""
        return sum((file.left_out for file in self.files), Counter())

    @property
    def sessions(self) -> set[str]:
        return set().union(*(file.sessions for file in self.files))

    @property
    def bad(self) -> list[tuple[str, int, str]]:
        found = [(file.path, line, reason) for file in self.files for line, reason in file.bad]
        return found[:_BAD_SHOWN]

    @property
    def errors(self) -> list[tuple[str, str]]:
        """Files that could not be read, and what the system said."""
        return [(file.path, file.error) for file in self.files if file.error]


def find_files(host: str, place: str | Path) -> list[Path]:
    """The transcripts of a host in its home, in another folder, or the one file named; oldest first."""
    found: list[Path] = READERS[host].find_transcripts(place)
    return found


def host_of(path: str | Path) -> str:
    """Whose transcript a file is, by its name or its first lines."""
    path = Path(path)
    if path.name.startswith("rollout-"):
        return CODEX
    try:
        with path.open("rb") as file:
            head = file.read(2_000)
    except OSError:
        return CLAUDE
    return CODEX if b'"session_meta"' in head or b'"payload":{' in head else CLAUDE


def import_files(
    db: Db,
    files: Iterable[str | Path],
    settings: Settings,
    *,
    host: str = "",
    directory_of: Directory | None = None,
    progress: Progress | None = None,
    again: bool = False,
) -> Report:
    """Bring in transcripts, each from where the last import ended; `again` reads them from their start.

    `directory_of` gives the directory inside this project for a folder where work was done, or None for work
    of another project; without it everything belongs here. A file that cannot be read does not stop the rest.
    """
    report = Report()
    db.expect_much()
    for path in files:
        run = _Run(db, Path(path), host or host_of(path), settings, directory_of, progress)
        report.files.append(run.report)
        began = time.monotonic()
        try:
            run.read(again)
        except OSError as error:
            run.report.error = error.strerror or str(error)
        run.report.seconds = time.monotonic() - began
    return report


def import_notes(
    db: Db, files: Iterable[str | Path], settings: Settings, *, directory_of: Directory | None = None
) -> Report:
    """Bring in the host's own notes about this project, marked as imported."""
    report = Report()
    for path in files:
        run = _Run(db, Path(path), CLAUDE, settings, directory_of, None)
        report.files.append(run.report)
        try:
            run.read_notes()
        except OSError as error:
            run.report.error = error.strerror or str(error)
    return report


class _Run:
    """The import of one file."""

    def __init__(
        self,
        db: Db,
        path: Path,
        host: str,
        settings: Settings,
        directory_of: Directory | None,
        progress: Progress | None,
    ) -> None:
        self.db = db
        self.path = path
        self.host = host
        self.settings = settings
        self.progress = progress
        self.name = os.path.abspath(path).encode("utf-8", "replace").decode()
        self.report = FileReport(self.name, host)
        self._directory_of = directory_of
        self._directories: dict[str, str | None] = {}
        self._cwds: dict[tuple[str, str], str] = {}
        self._batch: list[Sighting] = []
        self._facts: list[SessionFact] = []
        self._characters = 0
        self._line = 0
        self._home = os.path.realpath(platform.home())
        self._mends = sessions.has_nameless(db)  # after a repair: the transcript may tell whose they are

    def read(self, again: bool) -> None:
        """Take everything from where the last import ended."""
        self.report.size = self.path.stat().st_size
        place = (0, 0) if again else self._where_it_ended()
        if place is None:
            self.report.start = self.report.size
            return
        self.report.start, lines = place
        reading = READERS[self.host].read(self.path, self.report.start, lines)
        for item in reading:
            if isinstance(item, Seen):
                self._take(item)
            elif isinstance(item, Skipped):
                self._skip(item)
            else:
                self._learn(item)
            if len(self._batch) >= BATCH or self._characters >= _BATCH_CHARACTERS:
                self._write(reading)
        self._write(reading)
        self.report.unanswered = reading.unanswered

    def read_notes(self) -> None:
        """Take the sections of a file of notes."""
        self.report.size = self.path.stat().st_size
        cwd = notes_claude.folder_of_work(self.path)
        for number, seen in enumerate(notes_claude.read(self.path), 1):
            self._cwds[seen.session, ""] = cwd
            self._take(Seen(seen, number, self.report.size))
        self._write(None)

    def _where_it_ended(self) -> tuple[int, int] | None:
        """Offset and lines of the last import; zero for another file in its place, None for the same one."""
        row = imports.of(self.db, self.name)
        if row is None or self.report.size < row["file_size"] or row["offset"] > self.report.size:
            return 0, 0
        if self._head(row["offset"]) != row["head_hash"]:
            return 0, 0
        return None if self.report.size == row["file_size"] else (row["offset"], row["lines"])

    def _head(self, offset: int) -> bytes:
        with self.path.open("rb") as file:
            return platform.sha256(file.read(min(_HEAD, offset)))

    def _take(self, item: Seen) -> None:
        seen = item.sighting
        if item.line != self._line:
            self._line = item.line
            self.report.lines += 1
            self.report.taken += 1
        if reason := self._foreign(seen):
            self.report.left_out[reason] += 1
            return
        ready = capture.prepare(seen, self.settings)
        if ready is None:
            self.report.left_out[EXCLUDED] += 1
            return
        self.report.sessions.add(ready.session)
        self._batch.append(ready)
        self._characters += len(ready.text)

    def _foreign(self, seen: Sighting) -> str:
        """Why a sighting does not belong to this project's memory, or nothing; fills in its directory."""
        cwd = self._cwds.get((seen.session, seen.agent)) or self._cwds.get((seen.session, ""), "")
        if cwd and _is_within(cwd, self._home):
            return OWN
        if cwd not in self._directories:
            self._directories[cwd] = "" if self._directory_of is None else self._directory_of(cwd)
        directory = self._directories[cwd]
        if directory is None:
            return ELSEWHERE
        seen.directory = directory
        return ""

    def _skip(self, item: Skipped) -> None:
        self.report.lines += 1
        self.report.skipped[item.reason] += 1
        if item.reason in jsonl.BAD and len(self.report.bad) < _BAD_SHOWN:
            self.report.bad.append((item.line, item.reason))

    def _learn(self, fact: SessionFact) -> None:
        if fact.name == "cwd":
            self._cwds[fact.session, fact.agent] = fact.value
        if fact.name in sessions.FACTS:
            self._facts.append(fact)

    def _write(self, reading: jsonl.Reading | None) -> None:
        """Commit what was taken, and how far the file was read, in one transaction."""
        new = 0
        with self.db.transaction():
            if self._mends:
                salvaging_sessions.mend(self.db, self._batch)
            for seen in self._batch:
                new += capture.record(self.db, seen) is not None
            for fact in self._known_facts():
                sessions.learn(self.db, fact.session, fact.agent, self.host, fact.name, fact.value)
            if reading is not None:
                self._keep_place(reading)
        self.report.new += new
        self.report.known += len(self._batch) - new
        self._batch, self._characters = [], 0
        if self.progress:
            self.progress(self.name, reading.safe_offset if reading else self.report.size, self.report.size)

    def _known_facts(self) -> Iterator[SessionFact]:
        """Facts of sessions of which something was kept; those of other projects stay out of this store."""
        facts, self._facts = self._facts, []
        for fact in facts:
            if fact.session in self.report.sessions or fact.session in sessions.matching(self.db, fact.session):
                yield fact
            elif len(self._facts) < BATCH:
                self._facts.append(fact)

    def _keep_place(self, reading: jsonl.Reading) -> None:
        offset = reading.safe_offset
        imports.keep(
            self.db,
            self.name,
            size=reading.read_to,
            offset=offset,
            head=self._head(offset),
            lines=reading.safe_line,
            now=platform.now(),
        )


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
