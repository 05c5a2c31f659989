"""`pith sessions`: the sessions kept, or what happened in one of them."""

from __future__ import annotations

from pith.errors import InputError
from pith.interfaces.cli import event_line
from pith.interfaces.cli.command import argument, command, option
from pith.interfaces.cli.here import here
from pith.interfaces.cli.output import counted, cut
from pith.services import dates, lookup
from pith.store import events as stored
from pith.store import sessions as kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal
    from pith.store.database import Db

LIMIT = 20
TITLE = 80
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
    with lookup.open_to_ask(here().folder) as db:
        if session is None:
            rows = kept.latest(db, limit or LIMIT)
            return {"sessions": [_facts(db, row) for row in rows], "total": kept.count(db)}
        id = lookup.session(db, session)
        rows = stored.of_session(db, id)
        events = [{**event_line.facts(db, row), "text": event_line.shortened(row["text"])} for row in rows[:limit]]
        found = [_facts(db, row) for row in kept.latest(db, 1, session=id)]
        return {
            "session": found[0] if found else {"id": id},
            "events": events,
            "left_out": len(rows) - len(events),
        }


def _facts(db: Db, row: Any) -> dict[str, Any]:
    return {
        "id": row["id"],
        "host": row["host"],
        "title": row["title"] or _first_words(db, row["id"]),
        "first_at": row["first_at"],
        "last_at": row["last_at"],
        "ended_at": row["ended_at"],
        "parent": row["parent"],
        "branches": _listed(row["branches"]),
        "agents": _listed(row["agents"]),
        "events": row["events"],
        "forgotten": row["forgotten"],
        "prompts": row["prompts"],
    }


def _first_words(db: Db, session: str) -> str:
    """What a session without a title began with."""
    rows = stored.read(db, stored.first_turn(db, session)) or stored.of_session(db, session)[:1]
    return " ".join(rows[0]["text"].split())[:TITLE] if rows else ""


def _listed(joined: str | None) -> list[str]:
    return sorted(joined.split(",")) if joined else []


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
