"""`pith prefer`: what the person wants always: list it, confirm it, add it, withdraw it."""

from __future__ import annotations

from pith.interfaces.cli.command import argument, command, option
from pith.interfaces.cli.shared_here import asker, said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal

_NAME = argument("preference", help="A citation, an id or the beginning of one; `pith prefer list` prints them.")
_EVERYWHERE = option("--everywhere", flag=True, help="In all projects, not only in this one.")
_COLOURS = {"confirmed": "green", "candidate": "yellow", "withdrawn": "dim"}
_LABELS = {"everywhere": "yours, everywhere", "project": "this project"}


@command("prefer.list", option("--all", flag=True, help="Withdrawn and refused ones too."))
def list_(all: bool) -> dict[str, Any]:
    """List what the person wants always: what holds, then what may be meant so and waits to be confirmed."""
    from pith.services import preferences
    from pith.services.workspace import open_workspace

    with open_workspace() as ws:
        return preferences.listed(ws, all=all)


@list_.text
def show_list(data: Any, terminal: Terminal) -> None:
    """A line a preference."""
    for each in data["preferences"]:
        show_one(each, terminal)
    if not data["preferences"]:
        terminal.line("No standing preference is known yet.")
        terminal.line('State one with `pith prefer add "..."`.')
    elif any(each["state"] == "candidate" for each in data["preferences"]):
        terminal.note("Candidates hold nothing until you confirm them: `pith prefer confirm mem:...`.")
    if data["unread"]:
        terminal.note("Some prompts were not read yet; run it again for the rest.")


@command("prefer.confirm", _NAME, _EVERYWHERE)
def confirm(preference: str, everywhere: bool, terminal: Terminal) -> dict[str, Any]:
    """Let a candidate hold from now on; a person's decision. Agents are told it in every session."""
    from pith.services import preferences
    from pith.services.workspace import open_workspace

    with open_workspace() as ws:
        return preferences.confirm(ws, preference, everywhere=everywhere, ask=asker(terminal))


@command("prefer.add", argument("text", many=True, help="The preference, in one sentence."), _EVERYWHERE)
def add(text: tuple[str, ...], everywhere: bool, terminal: Terminal) -> dict[str, Any]:
    """State a preference here and now; it holds at once. A person's decision."""
    from pith.services import preferences
    from pith.services.workspace import open_workspace

    with open_workspace() as ws:
        return preferences.add(ws, said(text), everywhere=everywhere, ask=asker(terminal))


@command("prefer.withdraw", _NAME)
def withdraw(preference: str, terminal: Terminal) -> dict[str, Any]:
    """Let a preference hold no longer, or refuse a candidate; a person's decision."""
    from pith.services import preferences
    from pith.services.workspace import open_workspace

    with open_workspace() as ws:
        return preferences.withdraw(ws, preference, ask=asker(terminal))


@confirm.text
@add.text
@withdraw.text
def show_decided(data: Any, terminal: Terminal) -> None:
    """The preference as it stands now."""
    if not data["changed"]:
        terminal.note("That was so already.")
    show_one(data["preference"], terminal)
    if data.get("masked"):
        terminal.note("! A secret in it was masked.")


def show_one(each: Any, terminal: Terminal) -> None:
    """Citation, whether and where it holds, its words, and the prompt that says it."""
    state = each["state"] if each["state"] != "confirmed" else _LABELS[each["scope"]]
    origin = (f"  said in {each['event']}", "dim") if each["event"] else ""
    terminal.line((each["citation"], "bold"), "  ", (state, _COLOURS[each["state"]]), f": {each['text']}", origin)
