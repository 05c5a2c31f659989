"""`pith import`: bring in what hosts or `pith export` wrote, once, however often it is asked."""

from __future__ import annotations

import os
from functools import partial

from pith.errors import InputError
from pith.interfaces.cli.command import Answer, argument, command, option
from pith.services.answers.here import Here, here
from pith.services.history import import_project
from pith.services.history.import_history import Report
from pith.services.history.import_project import ALL, Atlas
from pith.services.keeping import copies, retention
from pith.services.workspace import Workspace, open_workspace
from pith.store.database import BUSY_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pith.interfaces.cli.output import Progress, Terminal
    from pith.services.history.import_project import Source
    from pith.services.keeping.exchange import Taken
    from pith.store.database import Db

READING = 60.0  # seconds that an import goes on reading what it brought in; `pith extract` reads the rest


@command(
    "import",
    argument(
        "what",
        many=True,
        required=False,
        help="claude, codex or all (which is meant without); then files or folders, any layout.",
    ),
    option(
        "--everywhere",
        flag=True,
        help="Bring each project's history into its own memory, not only this one's.",
    ),
    option("--dry-run", flag=True, help="Only say what would be taken."),
    option("--jsonl", flag=True, help="The files are what `pith export --jsonl` wrote."),
    option("--personal", flag=True, help="They are of the personal store, and go into this one."),
)
def import_(
    what: tuple[str, ...], everywhere: bool, dry_run: bool, jsonl: bool, personal: bool, terminal: Terminal
) -> Answer:
    """Bring in past sessions: without a path those of this project, with a path all that is there."""
    if personal and not jsonl:
        raise InputError("`--personal` goes with `--jsonl` only.", hint="Run `pith import --jsonl --personal FILE`.")
    if jsonl:
        if everywhere or dry_run:
            raise InputError(
                "`--jsonl` goes with neither `--everywhere` nor `--dry-run`.", hint="Run `pith import --jsonl FILE`."
            )
        return _exchanged(what, terminal, personal=personal)
    names, places = _parted(what)
    if everywhere and places:
        raise InputError("`--everywhere` goes with no path.", hint="Run `pith import --everywhere`.")
    exported = [place for place in places if _is_export(place)]
    if exported and (len(exported) < len(places) or dry_run):
        raise InputError(
            f"{exported[0]} is an export of pith, not a transcript.", hint=f"Run `pith import --jsonl {exported[0]}`."
        )
    if exported:
        return _exchanged(tuple(exported), terminal)
    sources = import_project.at_places(places, names) if places else import_project.of_hosts(names)
    if everywhere:
        return _everywhere(sources, dry_run, terminal)
    place = here()
    if import_project.is_left_alone(place.settings, place.place.root):
        raise InputError(
            "This project is excluded by `capture.exclude.projects`; nothing was read.",
            hint="Run `pith config` to see the exclusion.",
        )
    report = _here(place, sources, whole=bool(places), dry_run=dry_run, terminal=terminal)
    if report.new and not dry_run:
        _read_what_is_new(terminal)
    data = {"dry_run": dry_run, "places": list(places), "hosts": list(names), **_told(report)}
    return Answer(data, code=1 if report.errors else 0)


def _read_what_is_new(terminal: Terminal) -> None:
    """Draw statements and tasks from what was just brought in; a store that cannot be written just now waits."""
    from pith.errors import PithError
    from pith.services.knowledge import extract
    from pith.services.workspace import open_workspace
    from pith.store import extracting

    try:
        with open_workspace() as ws:
            waiting = extracting.waiting(ws.db, "extract.rules")
            with terminal.progress("Reading what is new", waiting) as bar:
                extract.extract(ws.db, ws.project.id, seconds=READING, progress=bar.add)
    except PithError as error:
        terminal.note(f"Nothing was drawn from it yet ({error}); `pith extract` does it.")


def bring_in_here(place: Here, sources: list[Source], terminal: Terminal) -> dict[str, Any]:
    """Bring the work of this project in the sources into its store, as data that `show` shows."""
    report = _here(place, sources, whole=False, dry_run=False, terminal=terminal)
    return {"dry_run": False, "places": [], "hosts": list(ALL), **_told(report)}


def _parted(what: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The hosts, and the files and folders, that the words name."""
    if what and what[0] in (*ALL, "all"):
        return (ALL if what[0] == "all" else (what[0],)), what[1:]
    if what and not os.path.exists(what[0]) and os.sep not in what[0] and "." not in what[0]:
        raise InputError(
            f"`{what[0][:60]}` is neither an agent that pith knows nor a file.",
            hint="Choose claude, codex or all, or give a transcript or a folder.",
        )
    return ALL, what


def _here(place: Here, sources: list[Source], *, whole: bool, dry_run: bool, terminal: Terminal) -> Report:
    """Bring the sources into this project: the whole of them, or what of them was done in it."""
    inside = None if whole else import_project.inside(place.home, place.place)
    chosen = import_project.of_place(sources, inside) if inside else sources
    if not chosen:
        return Report()

    def work(db: Db) -> Report:
        with terminal.progress("Reading", sum(source.size for source in chosen)) as bar:
            return import_project.bring_in(db, chosen, place.settings, directory_of=inside, progress=_moving(bar))

    if dry_run:
        return import_project.tried(place.folder, work)
    found = place.registered()
    with Workspace(place.home, place.place, found, Here(place.home, place.place, found).settings, BUSY_MS) as ws:
        report = work(ws.db)
        _keep_up(ws, terminal)
    return report


def _keep_up(ws: Workspace, terminal: Terminal) -> None:
    """Let what is too old go, and say so."""
    aged = retention.keep_up(ws)
    if aged.events:
        days = ws.settings.get("capture.keepDays")
        terminal.note(f"{_count(aged.events, 'memory', 'memories')} older than {days} days forgotten, as agreed.")


def _is_export(path: str) -> bool:
    """Whether a file is what `pith export --jsonl` wrote: its first line says so."""
    try:
        with open(path, "rb") as file:
            return copies.is_export(file.readline(10_000))
    except OSError:
        return False  # a folder, or nothing; who reads it says what is wrong


def _everywhere(sources: list[Source], dry_run: bool, terminal: Terminal) -> Answer:
    place = here()
    bring = import_project.try_everywhere if dry_run else import_project.bring_everywhere
    with terminal.progress("Reading", sum(source.size for source in sources)) as bar:
        found = bring(place.home, sources, Atlas(place.home), _moving(bar))
    projects = [{"id": each.id, "root": each.root, **_told(each.report)} for each in found]
    return Answer({"dry_run": dry_run, "projects": projects}, code=1 if any(each["errors"] for each in projects) else 0)


def _moving(bar: Progress) -> Callable[[str, int, int], None]:
    """Tell the bar how far all files are, from how far each is."""
    at: dict[str, int] = {}

    def move(name: str, offset: int, size: int) -> None:  # noqa: ARG001
        bar.add(max(0, offset - at.get(name, 0)))
        at[name] = offset

    return move


def _exchanged(what: tuple[str, ...], terminal: Terminal, *, personal: bool = False) -> Answer:
    """Take back what `pith export --jsonl` wrote."""
    from pith.services.keeping import exchange
    from pith.services.personal import open_personal

    if not what:
        raise InputError("There is no file to read.", hint="Run `pith import --jsonl FILE`.")
    for path in what:  # nothing is begun where the last of them is a typing error
        if not os.path.isfile(path):
            raise InputError(f"{path} is no file.", hint="Give the file that `pith export --jsonl` wrote.")
    taken = []
    with open_personal() if personal else open_workspace() as ws:
        for path in what:
            with terminal.progress("Reading", os.path.getsize(path)) as bar:
                taken.append(exchange.bring_in(ws, path, partial(_moving(bar), path)))
        if not personal:
            _keep_up(ws, terminal)
    return Answer({"exports": [_told_export(each) for each in taken]})


def _told_export(taken: Taken) -> dict[str, Any]:
    return {
        "path": taken.path,
        "lines": taken.lines,
        "sessions": taken.sessions,
        "new": taken.new,
        "known": taken.known,
        "forgotten": taken.forgotten,
        "damaged": taken.damaged,
        "bad": [{"line": line, "reason": reason} for line, reason in taken.bad],
    }


def _told(report: Report) -> dict[str, Any]:
    return {
        "files": len(report.files),
        "unchanged": sum(1 for file in report.files if not file.lines and not file.new and not file.error),
        "lines": report.lines,
        "taken": report.taken,
        "new": report.new,
        "known": report.known,
        "skipped": dict(report.skipped.most_common()),
        "left_out": dict(report.left_out.most_common()),
        "sessions": len(report.sessions),
        "bad": [{"path": path, "line": line, "reason": reason} for path, line, reason in report.bad],
        "errors": [{"path": path, "reason": reason} for path, reason in report.errors],
        "seconds": round(report.seconds, 2),
    }


@import_.text
def show(data: Any, terminal: Terminal) -> None:
    """What is new first, then why the rest is not."""
    if "exports" in data:
        for each in data["exports"]:
            _show_export(each, terminal)
        return
    if "projects" not in data:
        show_report(data, terminal)
        if data["new"] and not data["dry_run"]:
            terminal.line("Ask with `pith recall`, or look at `pith sessions`.")
        return
    for each in data["projects"]:
        terminal.line((each["root"], "bold"))
        show_report({**data, **each}, terminal)
    if not data["projects"]:
        terminal.line("No transcripts were found.")


def show_report(data: Any, terminal: Terminal) -> None:
    """What became of the files of one project."""
    if not data["files"]:
        _show_none(data, terminal)
        return
    _show_sum(data, terminal)
    for title, counts in (("skipped", data["skipped"]), ("not kept", data["left_out"])):
        if counts:
            terminal.line(f"{title}:")
        for reason, count in counts.items():
            terminal.line(f"  {count:>7,}  {reason}")
    for each in data["bad"]:
        terminal.line(("unreadable", "yellow"), f" {each['path']}:{each['line']}: {each['reason']}")
    for each in data["errors"]:
        terminal.line(("not read", "red"), f" {each['path']}: {each['reason']}")
    if data["dry_run"]:
        terminal.line("Nothing was written. Run it without `--dry-run` to keep this.")


def _show_export(each: Any, terminal: Terminal) -> None:
    known = f", {each['known']:,} known already" if each["known"] else ""
    forgotten = f" ({each['forgotten']:,} of them forgotten)" if each["forgotten"] else ""
    new = _count(each["new"], "memory", "memories", "new ") + forgotten if each["new"] else "Nothing new"
    terminal.line(f"{new} from {each['path']}{known}.")
    for bad in each["bad"]:
        terminal.line(("unreadable", "yellow"), f" {each['path']}:{bad['line']}: {bad['reason']}")
    if each["damaged"] > len(each["bad"]):
        terminal.line(f"{each['damaged']:,} lines could not be read in all.")


def _show_sum(data: Any, terminal: Terminal) -> None:
    if data["new"]:
        known = f", {data['known']:,} known already" if data["known"] else ""
        new = _count(data["new"], "memory", "memories", "" if data["dry_run"] else "new ")
        would = " would be new," if data["dry_run"] else ""
        sessions = _count(data["sessions"], "session", "sessions")
        terminal.line((new, "green"), f"{would} from {sessions}{known}.")
    else:
        terminal.line("Nothing new.")
    read = data["files"] - data["unchanged"]
    if read:
        files, skipped = _count(read, "file", "files"), sum(data["skipped"].values())
        what = "taken" if data["new"] else "known already"
        terminal.line(f"{files} read: {data['lines']:,} lines, {data['taken']:,} {what}, {skipped:,} skipped.")
    if data["unchanged"]:
        terminal.line(f"{_count(data['unchanged'], 'file', 'files')} unchanged since the last import.")


def _count(count: int, one: str, many: str, quality: str = "") -> str:
    return f"{count:,} {quality}{one if count == 1 else many}"


def _show_none(data: Any, terminal: Terminal) -> None:
    if data.get("places"):
        terminal.line("No transcripts were found there.")
        return
    terminal.line("No transcripts of this project were found.")
    terminal.line("`pith import PATH` reads them from elsewhere, `pith import --everywhere` those of all projects.")
