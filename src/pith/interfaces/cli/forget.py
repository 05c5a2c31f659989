"""`pith forget`: show what would go, ask, then remove every copy of it."""

from __future__ import annotations

from pith.errors import InputError
from pith.interfaces.cli.command import Answer, argument, command, option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal
    from pith.services.keeping.forget import Choice, Done, Preview
    from pith.services.workspace import Workspace

SHOWN = 20


@command(
    "forget",
    argument("what", required=False, help="A citation (mem:k7q2mf), or a session's id or its beginning."),
    option("--older-than", help="Everything that happened before: 90d, 2026-01-31."),
    option("--yes", "-y", flag=True, help="Do not ask."),
    option("--dry-run", flag=True, help="Only show what would go."),
    option("--exports", flag=True, help="Remove the exports that hold it, too."),
    option("--allow-return", flag=True, help="Let a later import bring it back."),
)
def forget(
    what: str | None,
    older_than: str | None,
    yes: bool,
    dry_run: bool,
    exports: bool,
    allow_return: bool,
    terminal: Terminal,
) -> Answer:
    """Remove one memory or a whole session for good, with every copy."""
    from pith.services import lookup
    from pith.services.keeping import forget as forgetting
    from pith.services.workspace import open_workspace

    if what and older_than:
        raise InputError(
            f"`{what[:40]}` and `--older-than` are two different things to forget; nothing was forgotten.",
            hint="Give one of them, then the other.",
        )
    if not (what or older_than):
        raise InputError(
            "Say what to forget: a citation, a session, or `--older-than`.",
            hint="`pith recall` and `pith sessions` print them.",
        )
    with open_workspace() as ws:
        lookup.open_to_ask(ws.folder).close()
        choice = _chosen(ws, what, older_than)
        seen = forgetting.preview(ws, choice)
        data = {**_told(seen), "removes_exports": exports}
        if dry_run or not _is_needed(seen, exports or allow_return or forgetting.is_unfinished(ws)):
            return Answer({**data, "dry_run": dry_run, "done": None})
        if not yes and not _agreed(data, terminal):
            return Answer({**data, "dry_run": False, "done": None}, code=1)
        with terminal.progress("Forgetting", len(choice.numbers)) as bar:
            at = [0]

            def move(reached: int, total: int) -> None:  # noqa: ARG001
                bar.add(reached - at[0])
                at[0] = reached

            done = forgetting.forget(ws, choice, exports=exports, allow_return=allow_return, progress=move)
        return Answer({**data, "dry_run": False, "done": _done(done)}, code=0 if done.finished else 1)


def _chosen(ws: Workspace, what: str | None, older_than: str | None) -> Choice:
    from pith.services import dates
    from pith.services.keeping import forget as forgetting

    if older_than:
        return forgetting.choose_older(ws, dates.since(older_than))
    return forgetting.choose(ws, what or "")


def _is_needed(seen: Preview, more: bool) -> bool:
    """Whether anything is left to do: what is forgotten already is only told, but a stopped run is completed."""
    return bool(seen.count or more or seen.session)


def _agreed(data: dict[str, Any], terminal: Terminal) -> bool:
    if not terminal.json_mode:
        _show_preview(data, terminal)
        terminal.flush()
    data["shown"] = not terminal.json_mode
    return terminal.confirm("Forget this for good?")


def _told(seen: Preview) -> dict[str, Any]:
    return {
        "count": seen.count,
        "events": seen.events,
        "session": seen.session or None,
        "already_forgotten": seen.already,
        "forgotten_on": seen.forgotten_on or None,
        "questions": seen.questions,
        "spool": seen.spool,
        "backups": seen.backups,
        "exports": seen.exports,
        "others_in_exports": seen.others_in_exports,
        "also_said_in": seen.also_said_in,
    }


def _done(done: Done) -> dict[str, Any]:
    return {
        "events": done.events,
        "questions": done.questions,
        "copies": [{"path": each.path, "kind": each.kind, "outcome": each.outcome} for each in done.copies],
        "finished": done.finished,
    }


# -- Text ----------------------------------------------------------------------------------------------------


@forget.text
def show(data: Any, terminal: Terminal) -> None:
    """The preview where it has not been shown, then what was done."""
    if data["done"] is None:
        if not data.get("shown"):
            _show_preview(data, terminal)
        if not data["dry_run"] and data["count"]:
            terminal.line("Nothing was forgotten. Add `--yes` to forget it.")
        return
    _show_done(data["done"], terminal)


def _show_preview(data: Any, terminal: Terminal) -> None:
    from pith.services import dates

    if not data["count"]:
        when = f" on {dates.local(data['forgotten_on'])}" if data["forgotten_on"] else ""
        terminal.line(f"It was forgotten{when}." if when else "There is nothing to forget.")
    else:
        terminal.line((f"{_many(data['count'], 'memory', 'memories')} would be forgotten:", "bold"))
        terminal.table(
            [
                (each["citation"], (dates.local(each["at"]), "dim"), each["kind"], each["snippet"])
                for each in data["events"][:SHOWN]
            ]
        )
        if data["count"] > SHOWN:
            terminal.line(f"… and {data['count'] - SHOWN:,} more.")
    if data["questions"]:
        terminal.line(f"{_many(data['questions'], 'noted question', 'noted questions')} about it would go too.")
    for name, said in (("spool", "unreadable, would be removed"), ("backups", "backup, would be rewritten")):
        for path in data[name]:
            terminal.line(f"{path}: {said}")
    for path, others in zip(data["exports"], data["others_in_exports"], strict=True):
        with_it = f", with {_many(others, 'other memory', 'other memories')} that it holds" if others else ""
        removes = "would be removed" if data.get("removes_exports") else "`--exports` removes it"
        terminal.line(f"{path}: an export that holds it; {removes}{with_it}")
    if data["also_said_in"]:
        terminal.line(("These hold the same words and stay: ", "yellow"), ", ".join(data["also_said_in"]))


def _show_done(done: Any, terminal: Terminal) -> None:
    terminal.line((f"{_many(done['events'], 'memory', 'memories')} forgotten.", "green"))
    if done["questions"]:
        terminal.line(f"{_many(done['questions'], 'noted question', 'noted questions')} removed.")
    for each in done["copies"]:
        if each["outcome"] != "left":
            terminal.line(f"{each['path']} ({each['kind']}) {each['outcome']}.")
        elif each["kind"] == "export":
            terminal.line(
                (f"{each['path']} still holds it.", "yellow"), " Run the command again with `--exports` to remove it."
            )
    if not done["finished"]:
        terminal.line(
            ("Old bytes are still in the file, because another process reads it or the disk is full.", "yellow"),
            " Run the same command again.",
        )


def _many(count: int, one: str, more: str) -> str:
    return f"{count:,} {one if count == 1 else more}"
