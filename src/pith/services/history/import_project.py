"""Which history belongs to which project: transcripts and notes, sorted by where work was done."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pith.adapters import hosts, jsonl, notes_claude
from pith.errors import NotFound, StoreUnavailable
from pith.services import capture, config, location, lookup, project
from pith.services.config import Settings
from pith.services.history import import_history
from pith.services.history.import_history import CLAUDE, CODEX, Directory, Progress, Report
from pith.services.keeping import retention
from pith.services.location import Place
from pith.services.project import Project
from pith.services.workspace import Workspace
from pith.store import database, imports
from pith.store.database import Db

ALL = (CLAUDE, CODEX)

_CWD = re.compile(rb'"cwd"\s*:\s*"((?:[^"\\]|\\.){1,4000})"')
_CHUNK = 1 << 20
_OVERLAP = 5_000  # a folder's name that lies across two chunks is found in the second


@dataclass
class Source:
    """One file to read: a transcript, or notes of the host."""

    path: Path
    host: str
    is_notes: bool = False
    folders: frozenset[str] = frozenset()  # where work was done, as far as a glance tells

    @property
    def size(self) -> int:
        try:
            return self.path.stat().st_size
        except OSError:
            return 0


@dataclass
class Found:
    """What was brought into one project."""

    id: str
    root: str
    report: Report = field(default_factory=Report)


# -- Finding -------------------------------------------------------------------------------------------------


def of_hosts(names: Iterable[str]) -> list[Source]:
    """Everything that the hosts keep in their own homes."""
    found: list[Source] = []
    for name in names:
        home = hosts.host(name).home()
        if os.path.isdir(home):
            found += [Source(path, name) for path in import_history.find_files(name, home)]
        if name == CLAUDE and os.path.isdir(home):
            found += [Source(path, name, is_notes=True) for path in notes_claude.find_notes(home)]
    for source in found:
        source.folders = _folders(source)
    return found


def at_places(places: Iterable[str], names: Iterable[str]) -> list[Source]:
    """Every transcript and note in these files and folders, whatever their layout, of the hosts named."""
    wanted = set(names)
    found: dict[str, Source] = {}
    for place in places:
        if not os.path.exists(place):
            raise NotFound(f"{place} does not exist.", hint="Give a transcript, or a folder with some.")
        for path in _files(Path(place)):
            source = _recognised(path)
            if source.host in wanted:
                found.setdefault(os.path.realpath(path), source)
    return list(found.values())


def _files(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    transcripts = [path for path in place.rglob("*.jsonl") if path.parent.name != "tool-results"]
    return [*jsonl.first_begun(transcripts), *jsonl.oldest_first(place.rglob("memory/**/*.md"))]


def _recognised(path: Path) -> Source:
    if path.suffix == ".md":
        return Source(path, CLAUDE, is_notes=True)
    return Source(path, import_history.host_of(path))


def _folders(source: Source) -> frozenset[str]:
    if source.is_notes:
        return frozenset(filter(None, [notes_claude.folder_of_work(source.path)]))
    try:
        return frozenset(_cwds(source.path))
    except OSError:
        return frozenset()


def _cwds(path: Path) -> Iterator[str]:
    """Every folder that the records name, with nothing parsed but that."""
    seen: set[bytes] = set()
    rest = b""
    with path.open("rb") as file:
        while data := file.read(_CHUNK):
            for match in _CWD.finditer(rest + data):
                seen.add(match[1])
            rest = data[-_OVERLAP:]
    for name in seen:
        try:
            yield str(json.loads(b'"' + name + b'"'))
        except ValueError:
            continue


# -- Sorting -------------------------------------------------------------------------------------------------


class Atlas:
    """Folders and the projects they belong to, each looked up once."""

    def __init__(self, home: str) -> None:
        self.home = home
        self._known: dict[str, tuple[Project | None, str, str]] = {}

    def project(self, folder: str) -> Project | None:
        """The project of a folder, if pith has met it."""
        return self._looked_up(folder)[0]

    def directory(self, folder: str, of: str) -> str | None:
        """Where in the project with the id `of` the folder is; None when it belongs to another."""
        found, directory, _ = self._looked_up(folder)
        return directory if found and found.id == of else None

    def register(self, folder: str) -> Project:
        """The project of a folder, registered when it is new."""
        place = location.locate(folder)
        found = project.resolve(self.home, place)
        self._known[folder] = (found, place.directory, place.root)
        return found

    def root(self, folder: str) -> str:
        """The top of the folder's project."""
        return self._looked_up(folder)[2]

    def _looked_up(self, folder: str) -> tuple[Project | None, str, str]:
        if folder not in self._known:
            place = location.locate(folder)
            self._known[folder] = (project.find(self.home, place), place.directory, place.root)
        return self._known[folder]


# -- Reading -------------------------------------------------------------------------------------------------


def bring_in(
    db: Db,
    sources: list[Source],
    settings: Settings,
    *,
    directory_of: Directory | None = None,
    progress: Progress | None = None,
) -> Report:
    """Read all sources into one store."""
    report = Report()
    for source in sources:
        if source.is_notes:
            done = import_history.import_notes(db, [source.path], settings, directory_of=directory_of)
        else:
            done = import_history.import_files(
                db, [source.path], settings, host=source.host, directory_of=directory_of, progress=progress
            )
        report.files += done.files
    return report


def bring_everywhere(home: str, sources: list[Source], atlas: Atlas, progress: Progress | None = None) -> list[Found]:
    """Bring each project's history into its own store; projects that are to be left alone are left alone."""
    by_project: dict[str, tuple[str, list[Source]]] = {}
    for source in sources:
        ids: dict[str, str] = {}
        for folder in sorted(source.folders):
            root = atlas.root(folder)
            if not is_left_alone(config.load(home, None, root), root):
                ids.setdefault(atlas.register(folder).id, folder)
        for id, folder in ids.items():
            by_project.setdefault(id, (folder, []))[1].append(source)
    found = []
    for id, (folder, its) in by_project.items():
        with _workspace(home, folder) as ws:
            report = bring_in(
                ws.db,
                its,
                ws.settings,
                directory_of=_inside(atlas, id),
                progress=progress,
            )
            retention.keep_up(ws)
            found.append(Found(id, ws.place.root, report))
    return found


def try_everywhere(home: str, sources: list[Source], atlas: Atlas, progress: Progress | None = None) -> list[Found]:
    """What `bring_everywhere` would do; no project is registered, nothing is written."""
    by_project: dict[str, tuple[str, list[Source]]] = {}
    for source in sources:
        folders: dict[str, str] = {}
        for folder in sorted(source.folders):
            root, known = atlas.root(folder), atlas.project(folder)
            if not is_left_alone(config.load(home, known.folder if known else None, root), root):
                folders.setdefault(known.id if known else project.keys_of(location.locate(folder))[0], folder)
        for name, folder in folders.items():
            by_project.setdefault(name, (folder, []))[1].append(source)
    return [_tried_there(home, folder, its, progress) for folder, its in by_project.values()]


def _tried_there(home: str, folder: str, sources: list[Source], progress: Progress | None) -> Found:
    place = location.locate(folder)
    known = project.find(home, place)
    store = known.folder if known else None
    settings = config.load(home, store, place.root)
    where = inside(home, place)
    report = tried(store, lambda db: bring_in(db, sources, settings, directory_of=where, progress=progress))
    return Found(known.id if known else "", place.root, report)


def tried(folder: str | None, work: Callable[[Db], Report]) -> Report:
    """What bringing in would do: done to a copy of the store that is thrown away."""
    with tempfile.TemporaryDirectory(prefix="pith-dry-run-", ignore_cleanup_errors=True) as place:
        try:
            if folder:
                with database.open_to_read(folder) as db:
                    database.back_up(db, os.path.join(place, database.FILE))
        except StoreUnavailable:
            pass  # nothing is stored yet
        with database.open_store(place) as db:
            return work(db)


def is_left_alone(settings: Settings, root: str) -> bool:
    """Whether the person wants nothing of this project to be kept."""
    return capture.is_within(root, settings.get("capture.exclude.projects"))


def _workspace(home: str, folder: str) -> Workspace:
    place = location.locate(folder)
    found = project.resolve(home, place)
    return Workspace(home, place, found, config.load(home, found.folder, place.root), database.BUSY_MS)


def of_place(sources: Iterable[Source], inside: Directory) -> list[Source]:
    """The sources in which some work was done where `inside` says so."""
    return [source for source in sources if any(inside(folder) is not None for folder in source.folders)]


def not_yet_read(folder: str | None, sources: list[Source]) -> list[Source]:
    """The sources that are not in the store, or have grown since; notes are small, and come along with the rest."""
    if not lookup.exists(folder):
        return sources
    with lookup.open_to_ask(folder) as db:
        rows = ((source, imports.of(db, os.path.abspath(source.path))) for source in sources if not source.is_notes)
        return [source for source, row in rows if row is None or row["file_size"] != source.size]


def inside(home: str, place: Place) -> Directory:
    """Say of a folder where in the project of a place it is, or None; the project may be new to pith."""
    atlas = Atlas(home)
    known = project.find(home, place)
    if known:
        return _inside(atlas, known.id)
    key = project.keys_of(place)[0]

    def directory(folder: str) -> str | None:
        other = location.locate(folder)
        return other.directory if project.keys_of(other)[0] == key else None

    return directory


def _inside(atlas: Atlas, id: str) -> Directory:
    return lambda folder: atlas.directory(folder, id)
