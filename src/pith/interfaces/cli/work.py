"""`pith work`: do what waits in the background, at the terminal or, started by a hook, behind it."""

from __future__ import annotations

from pith.errors import InputError
from pith.interfaces.cli.command import Answer, command, option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.how_far import HowFar
    from pith.interfaces.cli.output import Terminal

ENDED = {
    "idle": "Nothing is left to do",
    "once": "Every chore was looked at once",
    "stopped": "Stopped",
    "time": "Stopped after the minutes it was given; `pith work` goes on",
    "memory": "Stopped because it grew beyond `worker.maxMegabytes`",
}


@command(
    "work",
    option("--once", flag=True, help="Look at every chore once, then end."),
    option("--until-idle", flag=True, help="End when nothing is left to do; so it does without any of the three."),
    option("--watch", flag=True, help="Go on until it is stopped, and look every few seconds."),
    option("--minutes", kind=int, help="End after so many minutes at the latest."),
    option("--in", help="Work for the project of this folder."),
)
def work(terminal: Terminal, **values: Any) -> Answer:
    """Do what waits: what hooks could not write, statements to draw, what is due."""
    chosen = [name for name in ("once", "until_idle", "watch") if values[name]]
    if len(chosen) > 1:
        raise InputError("--once, --until-idle and --watch exclude each other.", hint="Name one of them.")
    if values["minutes"] is not None and values["minutes"] < 1:
        raise InputError("--minutes must be 1 or more.", hint="Leave it out to set no limit.")
    from pith.adapters import own_process

    own_process.be_modest()  # before the chores bring in what reads it
    return _worked(chosen[0] if chosen else "", values["in"], values["minutes"], terminal)


def _worked(chosen: str, folder: str | None, minutes: int | None, terminal: Terminal) -> Answer:
    import os
    from dataclasses import asdict

    from pith.adapters.own_process import Ending
    from pith.interfaces.cli.how_far import HowFar
    from pith.services.work import worker
    from pith.services.work.record import IDLE, ONCE

    until = {"once": ONCE, "watch": worker.WATCH}.get(chosen, IDLE)
    shown = not terminal.json_mode and until == worker.WATCH
    tell = (lambda chore, said: _line(terminal, chore, said)) if shown else (lambda _chore, _said: None)
    with _workspace(folder) as ws, Ending() as ending:
        os.chdir(os.sep)  # a folder that someone wants to delete must not be kept in use
        limit = float(ws.settings.get("worker.maxMegabytes"))
        far = HowFar(ws, terminal)
        ending.at_last = lambda: _cut_short(terminal, far)
        going = worker.Going(ending, None if minutes is None else minutes * 60.0, limit, look=far)
        report = worker.work(ws, until, going, tell=tell)
        far.wipe()
    data = {**asdict(report), "did": [{"chore": chore, "said": said} for chore, said in report.did]}
    return Answer({**data, "shown": shown}, code=1 if report.failed else 0)


def _cut_short(terminal: Terminal, far: HowFar) -> None:
    """Said where a step takes longer than somebody who stops it waits; what it had not written is done again."""
    far.wipe()
    if not terminal.json_mode:
        terminal.line(f"{ENDED['stopped']}; the next `pith work` goes on there.")
        terminal.flush()


def _workspace(folder: str | None) -> Any:
    """The project that the folder belongs to, if it has a store: work begins none."""
    from pith import platform
    from pith.errors import StoreUnavailable
    from pith.services import config, location, lookup, project
    from pith.services.workspace import Workspace
    from pith.store.database import BUSY_MS

    home = platform.home()
    place = location.locate(folder or location.working_folder())
    found = project.find(home, place) or project.recognise(home, place)
    if found is None:
        raise StoreUnavailable("Nothing has been stored for this project yet.", hint=lookup.BEGIN)
    return Workspace(home, place, found, config.load(home, found.folder, place.root), BUSY_MS)


def _line(terminal: Terminal, chore: str, said: str) -> None:
    terminal.line((f"{chore:<10}", "dim"), said)
    terminal.flush()


@work.text
def show(data: Any, terminal: Terminal) -> None:
    """What was done, what went wrong, and why it ended."""
    if data["is_busy"]:
        terminal.line("Another worker is at work in this project; nothing to do here.")
        return
    if not data["shown"]:
        for each in data["did"]:
            _line(terminal, each["chore"], each["said"])
    for chore, said in data["failed"].items():
        terminal.line(("! ", "yellow"), f"{chore} failed: {said}")
    if data["failed"]:
        terminal.line("The other chores were done; `pith doctor` says more.")
    terminal.line(f"{ENDED[data['why']]}.")
