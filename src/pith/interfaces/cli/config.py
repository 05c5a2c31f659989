"""`pith config`: every setting, its value, and where that came from; changing one."""

from __future__ import annotations

from pith.errors import InputError
from pith.interfaces.cli.command import Answer, argument, command, option
from pith.services.answers.here import Here, here
from pith.services.answers.settings import described, every
from pith.services.settings import DEFAULT, named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal

KEY = argument("key", help="The setting's name, such as recall.budgetTokens.")
PROJECT = option("--project", flag=True, help="For this project only.")


@command("config")
def config() -> Answer:
    """Show every setting, its value, and where that comes from."""
    data = every(here())
    return Answer(data, code=1 if data["problems"] else 0)


@config.text
def show_all(data: Any, terminal: Terminal) -> None:
    """One line a setting; what is set stands out."""
    rows = [
        (
            (each["name"], "" if each["source"] == DEFAULT else "bold"),
            _written(each["value"]),
            (each["source"], "dim"),
            (each["meaning"], "dim"),
        )
        for each in data["settings"]
    ]
    terminal.table(rows, headers=("setting", "value", "from", "meaning"))
    for problem in data["problems"]:
        terminal.note(problem)


@command("config.get", KEY)
def get(key: str) -> dict[str, object]:
    """Show one setting and where its value comes from."""
    return described(named(key), here().settings)


@get.text
def show_one(data: Any, terminal: Terminal) -> None:
    """The value first, so that a script can take the first column."""
    terminal.table([(_written(data["value"]), (data["source"], "dim"), (data["meaning"], "dim"))])


@command(
    "config.set",
    KEY,
    argument("value", dashes=True, help="Lists: with commas, or as JSON."),
    PROJECT,
    option("--yes", "-y", flag=True, help="Do not ask, also where it lets something be forgotten."),
)
def set_(key: str, value: str, project: bool, yes: bool, terminal: Terminal) -> dict[str, object]:
    """Set a setting for all your projects, or for this one."""
    from pith.services.keeping import keep_days
    from pith.services.setup import config_edit

    place = here()
    setting = named(key)
    meant = setting.read(value)
    store = place.registered().id if project else None
    if setting.name == keep_days.KEY:
        _demand_agreement(place.home, store, meant, yes, terminal)
    config_edit.set_value(place.home, _folder(place, project), key, value)
    if setting.name == keep_days.KEY:
        keep_days.agree(place.home, store, meant)
    return described(setting, here().settings)


def _demand_agreement(home: str, store: str | None, days: int, yes: bool, terminal: Terminal) -> None:
    """Say how much would be forgotten for its age, and raise where nobody agrees to that."""
    from pith.services.keeping import keep_days

    taken = keep_days.would_take(home, store, days)
    if yes or not taken.events:
        return
    where = f" in {taken.projects} projects" if taken.projects > 1 else ""
    are = "memory is" if taken.events == 1 else "memories are"
    told = f"{taken.events:,} {are} older than {days} days{where}"
    if not terminal.confirm(f"{told}, and would be forgotten for good. Set it?"):
        raise InputError(
            f"{told} and would be forgotten for good; nothing was changed.",
            hint=f"`pith forget --older-than {days}d --dry-run` shows them here; `--yes` agrees.",
        )


@set_.text
def show_set(data: Any, terminal: Terminal) -> None:
    """The value that holds now, which another source may still decide."""
    terminal.line((data["name"], "bold"), f" is now {_written(data['value'])} ({data['source']}).")


@command("config.unset", KEY, PROJECT)
def unset(key: str, project: bool) -> dict[str, object]:
    """Take a setting back: what is weaker holds again."""
    from pith.services.keeping import keep_days
    from pith.services.setup import config_edit

    place = here()
    was_set = config_edit.unset_value(place.home, _folder(place, project), key)
    if named(key).name == keep_days.KEY:
        keep_days.agree(place.home, place.registered().id if project else None, 0)
    return {**described(named(key), here().settings), "was_set": was_set}


@unset.text
def show_unset(data: Any, terminal: Terminal) -> None:
    """The value that holds now."""
    before = "" if data["was_set"] else "It was not set there. "
    terminal.line(before, (data["name"], "bold"), f" is {_written(data['value'])} ({data['source']}).")


def _folder(place: Here, project: bool) -> str | None:
    return place.registered().folder if project else None


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ", ".join(value) or "-"
    return str(value)
