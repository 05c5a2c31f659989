"""`pith install HOST --mcp`: let an agent start pith's MCP server, and take that back."""

from __future__ import annotations

import os

from pith.adapters import mcp_hosts
from pith.errors import InputError
from pith.interfaces.cli.command import Answer
from pith.interfaces.cli.diff import show_diff
from pith.interfaces.cli.faces import face
from pith.services import location
from pith.services.setup import servers as service

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal
    from pith.services.setup.change import Change

ALL = "all"


def install(host: str, *, dry_run: bool) -> Answer:
    """Put the server into the settings of one agent, or of all that are here, and prove that it lists its tools."""
    face("mcp")  # raises where the server could not run
    names = [host] if host != ALL else present()
    if not names:
        raise InputError("No agent was found on this machine.", hint="Name one: `pith install cursor --mcp`.")
    project = location.locate(location.working_folder()).root
    done = [_installed(name, project, dry_run) for name in names]
    failed = any(each["self_test"] and not each["self_test"]["ok"] for each in done)
    return Answer({"mcp": True, "dry_run": dry_run, "hosts": done}, code=1 if failed else 0)


def present() -> list[str]:
    """The agents whose folder of settings is on this machine; Claude Code's list stands beside its folder."""
    found = []
    for name, host in mcp_hosts.HOSTS.items():
        file = host.file()
        if os.path.exists(file) or (name != "claude" and os.path.isdir(os.path.dirname(file))):
            found.append(name)
    return found


def _installed(name: str, project: str, dry_run: bool) -> dict[str, Any]:
    data = described(service.install(name, project=project, dry_run=dry_run), mcp_hosts.host(name).title)
    if not dry_run:
        proof = service.listed(name)
        told = {"ok": proof.ok, "failure": proof.failure, "command": list(proof.command), "tools": list(proof.tools)}
        data["self_test"] = told
    return data


def described(change: Change, title: str) -> dict[str, Any]:
    """A change of an agent's settings or of its list of servers, as data; `title` is the agent's name for people."""
    return {
        "host": change.host,
        "title": title,
        "path": change.path,
        "changed": change.changed,
        "diff": change.diff,
        "backup": change.backup,
        "notes": list(change.notes),
        "self_test": None,
    }


def show(each: Any, terminal: Terminal, *, dry_run: bool) -> None:
    """What became of one agent's list, and whether the server answers."""
    if not each["changed"]:
        terminal.line(f"{each['title']} starts pith's server already; {each['path']} is as it was.")
    else:
        show_diff(each["diff"], terminal)
        terminal.line(f"{each['title']} {'would start' if dry_run else 'starts'} pith's server: {each['path']}")
    if each["backup"]:
        terminal.line(f"The file as it was: {each['backup']}")
    for note in each["notes"]:
        terminal.line(("! ", "yellow"), note)
    test = each["self_test"]
    if test and test["ok"]:
        terminal.line(("Self-test passed", "green"), f": the server listed {len(test['tools'])} tools.")
    elif test:
        terminal.line(("Self-test failed", "red"), f": {test['failure']}")
    if dry_run:
        terminal.line("Nothing was written.")


def show_uninstalled(each: Any, terminal: Terminal, *, dry_run: bool) -> None:
    """Whether the server was taken out of one agent's list."""
    if not each["changed"]:
        terminal.line(f"{each['title']} did not start pith's server.")
        return
    if dry_run:
        show_diff(each["diff"], terminal)
    gone = "would no longer start" if dry_run else "no longer starts"
    terminal.line(f"{each['title']} {gone} pith's server: {each['path']}")
