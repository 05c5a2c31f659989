"""`pith export`: the whole memory of this project as lines of JSON."""

from __future__ import annotations

import sys

from pith.errors import InputError, StoreUnavailable
from pith.interfaces.cli.command import argument, command, option
from pith.interfaces.cli.output import counted, lost
from pith.services.answers.here import here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal
    from pith.services.keeping.exchange import Written
    from pith.services.workspace import Workspace

STDOUT = "-"


@command(
    "export",
    argument("file", required=False, help="Where to write; `-`, or nothing, is standard output."),
    option("--jsonl", flag=True, help="As lines of JSON (the one form there is)."),
    option("--personal", flag=True, help="What holds everywhere, from the personal store, instead of this project."),
    option("--into-repository", flag=True, help="Write inside the repository too, where git would carry it."),
)
def export(file: str | None, jsonl: bool, personal: bool, into_repository: bool, terminal: Terminal) -> dict[str, Any]:
    """Write everything that is remembered here; `pith import --jsonl` takes it back."""
    from pith.services.keeping import exchange

    if not jsonl:
        raise InputError("Say in which form to export.", hint="Run `pith export --jsonl FILE`.")
    to_stdout = file in (None, "", STDOUT)
    if to_stdout and terminal.json_mode:
        raise InputError(
            "`--json` and an export cannot both go to standard output.", hint="Name a file to write the export to."
        )
    with _opened(personal) as ws:
        if to_stdout:
            terminal.flush()
            return _told(_to_stdout(ws))
        with terminal.progress("Writing", 1_000) as bar:
            at = [0]

            def move(done: int, total: int) -> None:
                reached = 1_000 * done // total if total else 1_000
                bar.add(reached - at[0])
                at[0] = reached

            return _told(exchange.export_file(ws, file or "", into_repository=into_repository, progress=move))


def _opened(personal: bool) -> Workspace:
    """What is to be written: this project's store, or the personal one where there is one."""
    from pith.services import lookup
    from pith.services.personal import opened
    from pith.services.workspace import open_workspace

    if not personal:
        lookup.open_to_ask(here().folder).close()
        return open_workspace()
    own = opened()
    if own is None:
        raise StoreUnavailable("Nothing holds everywhere yet.", hint="Run `pith prefer add --everywhere TEXT`.")
    return own


def _to_stdout(ws: Workspace) -> Written:
    from pith.services.keeping import exchange

    try:
        return exchange.write(ws, sys.stdout.buffer)
    except OSError as error:
        raise lost(error) from error


def _told(written: Written) -> dict[str, Any]:
    return {
        "path": written.path or None,
        "events": written.events,
        "forgotten": written.forgotten,
        "sessions": written.sessions,
        "bytes": written.bytes,
    }


@export.text
def show(data: Any, terminal: Terminal) -> None:
    """What was written; nothing where the export itself is on standard output."""
    events = counted(data["events"], "event", "events")
    sessions = counted(data["sessions"], "session", "sessions")
    if data["path"] is None:
        terminal.note(f"{events} of {sessions} written.")
        return
    terminal.line((events, "green"), f" of {sessions} written to {data['path']}.")
    terminal.line("`pith import --jsonl` takes it back, on any machine. Only you can read the file; keep it so.")
