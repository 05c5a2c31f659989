"""`pith endless`: memory that goes on from session to session; switched on and off, looked at, consolidated."""

from __future__ import annotations

from pith import platform
from pith.interfaces.cli import memory_line
from pith.interfaces.cli.command import command, option
from pith.services import dates, lookup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal
    from pith.services.endless.consolidate import Report

EVERYWHERE = option("--all-projects", flag=True, help="In all your projects, not in this one only.")


@command("endless.enable", EVERYWHERE)
def enable(all_projects: bool) -> dict[str, Any]:
    """Let memory go on from session to session: take in the last seven days, and keep a working set from now on."""
    from pith.services.endless import status, switch
    from pith.services.workspace import open_workspace

    with open_workspace() as ws:
        now = platform.now_ms()
        done = switch.enable(ws, now, everywhere=all_projects)
        return {**_told(done.report), "enabled": done.is_on, "status": status.status(ws.db, ws.settings, now)}


@enable.text
def show_enabled(data: Any, terminal: Terminal) -> None:
    """What holds now, and what was taken in."""
    if not data["enabled"]:
        terminal.line(f"Endless mode stays off: {data['status']['source']} says so, which is stronger.")
        return
    terminal.line("Endless mode is on.")
    _show_report(data, terminal, nothing="Nothing of the last seven days was worth a memory yet.")
    held = data["status"]["working_set"]["events"]
    terminal.line(f"The working set holds {held:,} event{'s' * (held != 1)}.")


@command("endless.disable", EVERYWHERE)
def disable(all_projects: bool) -> dict[str, Any]:
    """Go back to remembering sessions one by one; memories stay."""
    from pith.services.endless import status, switch
    from pith.services.workspace import open_workspace

    with open_workspace() as ws:
        off = switch.disable(ws, everywhere=all_projects)
        return {"disabled": off, "status": status.status(ws.db, ws.settings, platform.now_ms())}


@disable.text
def show_disabled(data: Any, terminal: Terminal) -> None:
    """What holds now."""
    told = data["status"]
    if not data["disabled"]:
        terminal.line(f"Endless mode stays on: {told['source']} says so, which is stronger.")
        return
    kept = (
        f" {_counted(told['memories'], 'consolidated memory', 'consolidated memories')} stay."
        if told["memories"]
        else ""
    )
    terminal.line(f"Endless mode is off: sessions are remembered one by one.{kept}")


@command("endless.consolidate")
def consolidate() -> dict[str, Any]:
    """Put what belongs together into memories now, whether that is due or not."""
    from pith.services.endless import consolidate as service
    from pith.services.knowledge import extract
    from pith.services.workspace import open_workspace

    with open_workspace() as ws:
        lookup.open_to_ask(ws.folder).close()
        extract.keep_up(ws.db, ws.project.id)
        return _told(service.run(ws.db, ws.settings, platform.now_ms()), ws.db)


@consolidate.text
def show_consolidated(data: Any, terminal: Terminal) -> None:
    """The new memories."""
    _show_report(data, terminal, nothing="Nothing new belongs together: three events about the same make a memory.")
    for memory in data["new"]:
        memory_line.show(memory, terminal)


def _told(report: Report, db: Any = None) -> dict[str, Any]:
    from pith.services import memory_recall

    new = [memory_recall.whole(db, id) for id in report.memories] if db is not None else []
    return {
        "memories": len(report.memories),
        "events": report.events,
        "left": report.left,
        "contexts": report.contexts,
        "problems": report.problems,
        "new": [each for each in new if each],
    }


def _show_report(data: Any, terminal: Terminal, *, nothing: str) -> None:
    if data["memories"]:
        made = _counted(data["memories"], "memory", "memories")
        terminal.line(f"{made} made of {_counted(data['events'], 'event', 'events')}; {data['left']:,} wait.")
    else:
        terminal.line(nothing)
    for problem in data["problems"]:
        terminal.note(problem)


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


@command("endless.status")
def status() -> dict[str, Any]:
    """Show mode, working set, continuity, memories, topics and files."""
    from pith.services.answers.here import here
    from pith.services.endless import status as service

    place = here()
    with lookup.open_to_ask(place.folder) as db:
        return service.status(db, place.settings, platform.now_ms())


@status.text
def show_status(data: Any, terminal: Terminal) -> None:
    """A fact a line; what there is not is left out."""
    held = data["working_set"]
    size = f"{held['events']:,} of at most {held['most']:,} events of {held['hours']:g} hours"
    if held["first_at"]:
        size += f", {dates.local(held['first_at'])} to {dates.local(held['last_at'])}"
    found = data["continuity"]
    score = f"{found['score']:.2f}, " if found["score"] is not None else ""
    last = dates.local(data["last_consolidation"]) if data["last_consolidation"] else "never"
    lines = [
        ("mode", f"{data['mode']} (set by: {data['source']})"),
        ("working set", size if data["mode"] == "endless" else ""),
        ("continuity", f"{score}{found['type'].replace('_', ' ')}: {found['meaning']}"),
        ("memories", f"{data['memories']:,}"),
        ("consolidated", last + (f"; due now ({data['due']})" if data["due"] else "")),
        ("topics", ", ".join(data["topics"])),
        ("files", ", ".join(data["files"])),
        ("model", _spent(data["model"])),
    ]
    for name, value in lines:
        if value:
            terminal.line((f"{name:<14}", "dim"), value)


def _spent(model: Any) -> str:
    if not model["enabled"]:
        return ""
    return f"{model['model']} writes summaries; {model['today']:,} of {model['cap']:,} tokens of today are spent"
