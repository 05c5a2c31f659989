"""`pith sessions`: the sessions kept, or what happened in one of them."""

from __future__ import annotations

from pith.errors import InputError
from pith.interfaces.cli import event_line
from pith.interfaces.cli.command import argument, command, option
from pith.interfaces.cli.output import counted, cut
from pith.services import dates, lookup
from pith.services.answers import sessions as service
from pith.services.answers.here import here
from pith.services.answers.sessions import LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal

BRANCH = 24  # columns


@command(
    "sessions",
    argument("session", required=False, help="One session, by its id or the beginning of it."),
    option(
        "--limit",
        "-n",
        kind=int,
        help=f"How many sessions to list ({LIMIT}), or how many events of one (all).",
    ),
)
def sessions(session: str | None, limit: int | None) -> dict[str, Any]:
    """List the sessions kept, the latest first; or show what happened in one."""
    if limit is not None and limit < 1:
        raise InputError("`--limit` must be at least 1.", hint="Run `pith sessions --help`.")
    if session is None:
        return service.sessions(here(), limit or LIMIT)
    return service.session(here(), session, limit)


@sessions.text
def show(data: Any, terminal: Terminal) -> None:
    """A row a session, or the events of one."""
    if "sessions" in data:
        _show_list(data, terminal)
        return
    session = data["session"]
    terminal.line((session["id"], "bold"), f" {session.get('host', '')}: {session.get('title', '')}")
    for event in data["events"]:
        event_line.show(event, terminal, clock=True, style="")
    if data["left_out"]:
        more = counted(data["left_out"], "more event", "more events")
        terminal.note(f"{more}; leave out `--limit` to see all.")


def _size(session: Any) -> str:
    """How many events are remembered, or that none is any more."""
    if session["forgotten"] == session["events"]:
        return "forgotten"
    size = counted(session["events"], "event", "events")
    return size + (f", {session['forgotten']:,} forgotten" if session["forgotten"] else "")


def _show_list(data: Any, terminal: Terminal) -> None:
    if not data["sessions"]:
        terminal.line("No session is stored yet. ", lookup.BEGIN)
        return
    rows = [
        (
            (lookup.short(each["id"]), "bold"),
            dates.local(each["last_at"]),
            each["host"],
            _size(each),
            cut(", ".join(each["branches"]) or "-", BRANCH),
            each["title"],
        )
        for each in data["sessions"]
    ]
    terminal.table(rows, headers=("session", "last", "host", "size", "branches", "title"))
    if data["total"] > len(rows):
        terminal.note(f"{data['total'] - len(rows)} more; `pith sessions --limit {data['total']}` lists all.")
