"""`pith install` and `pith uninstall`: let an agent call pith, and take that back."""

from __future__ import annotations

import os

from pith import platform
from pith.adapters import hosts, mcp_hosts
from pith.errors import InputError
from pith.interfaces.cli import install_server
from pith.interfaces.cli.command import Answer, argument, command, option
from pith.interfaces.cli.diff import show_diff
from pith.interfaces.cli.install_server import described
from pith.interfaces.cli.output import counted
from pith.interfaces.cli.status import readable
from pith.services import overview, project
from pith.services.keeping import purge
from pith.services.setup import install as service
from pith.services.setup import servers as server_service
from pith.services.setup.self_test import self_test

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal

ALL = "all"
CHOICES = (*dict.fromkeys((*hosts.HOSTS, *mcp_hosts.HOSTS)), ALL)


@command(
    "install",
    argument("host", choices=CHOICES, help="The agent, or all that are on this machine."),
    option("--mcp", flag=True, help="The MCP server instead of the hooks."),
    option("--dry-run", flag=True, help="Only show what would change."),
)
def install(host: str, mcp: bool, dry_run: bool) -> Answer:
    """Put the hooks, or the MCP server, into an agent's settings, and prove that they work."""
    if mcp:
        return install_server.install(host, dry_run=dry_run)
    if host not in (*hosts.HOSTS, ALL):
        title = mcp_hosts.host(host).title
        raise InputError(f"{title} calls no hooks.", hint=f"Give it the server: `pith install {host} --mcp`.")
    names = [host] if host != ALL else present()
    if not names:
        raise InputError(
            "No agent was found on this machine.", hint="Run `pith install claude` or `pith install codex`."
        )
    done = [installed(name, dry_run=dry_run) for name in names]
    failed = any(each["self_test"] and not each["self_test"]["ok"] for each in done)
    return Answer({"dry_run": dry_run, "hosts": done}, code=1 if failed else 0)


def present() -> list[str]:
    """The agents that have a home on this machine."""
    return [name for name, host in hosts.HOSTS.items() if os.path.isdir(host.home())]


def installed(name: str, *, dry_run: bool = False) -> dict[str, Any]:
    """Install into one host, as data."""
    data = described(service.install(name, dry_run=dry_run), hosts.host(name).title)
    if not dry_run:
        test = self_test(name)
        told = {"ok": test.ok, "failure": test.failure, "command": list(test.command), "note": test.note}
        data["self_test"] = told
    return data


@install.text
def show_install(data: Any, terminal: Terminal) -> None:
    """For each agent what changed, where the backup is, and whether it works."""
    show = install_server.show if data.get("mcp") else show_installed
    for each in data["hosts"]:
        show(each, terminal, dry_run=data["dry_run"])


def show_installed(each: Any, terminal: Terminal, *, dry_run: bool = False) -> None:
    """What became of one agent's settings."""
    if not each["changed"]:
        terminal.line(f"{each['title']} calls pith already; {each['path']} is as it was.")
    else:
        show_diff(each["diff"], terminal)
        terminal.line(f"{each['title']} {'would call' if dry_run else 'calls'} pith: {each['path']}")
    if each["backup"]:
        terminal.line(f"The file as it was: {each['backup']}")
    for note in each["notes"]:
        terminal.line(("! ", "yellow"), note)
    test = each["self_test"]
    if test and test["ok"]:
        terminal.line(("Self-test passed", "green"), ": the hook wrote a memory and read it back.")
    elif test:
        terminal.line(("Self-test failed", "red"), f": {test['failure']}")
    if dry_run:
        terminal.line("Nothing was written.")


# -- Uninstall -----------------------------------------------------------------------------------------------


@command(
    "uninstall",
    argument("host", choices=CHOICES, required=False, help="Only this agent; all of them without."),
    option("--dry-run", flag=True, help="Only show what would change."),
    option("--purge", flag=True, help="Delete everything that pith remembers, too."),
    option("--yes", "-y", flag=True, help="Delete without asking."),
)
def uninstall(host: str | None, dry_run: bool, purge: bool, yes: bool, terminal: Terminal) -> dict[str, Any]:
    """Take the hooks and the MCP server out again, and say what stays."""
    if purge and host not in (None, ALL):
        raise InputError("`--purge` is for all agents at once.", hint="Run `pith uninstall --purge`.")
    home = platform.home()
    everywhere = host in (None, ALL)
    names = [name for name in hosts.HOSTS if everywhere or name == host]
    servers = [name for name in mcp_hosts.HOSTS if everywhere or name == host]
    kept = _kept(home)
    sure = _sure_to_purge(home, kept, yes, dry_run, terminal) if purge else False
    done = [described(service.uninstall(name, dry_run=dry_run), hosts.host(name).title) for name in names]
    told = [described(server_service.uninstall(name, dry_run=dry_run), mcp_hosts.host(name).title) for name in servers]
    data: dict[str, Any] = {"dry_run": dry_run, "hosts": done, "home": home, "purged": False, "left": []}
    data["servers"] = [each for each in told if each["changed"] or not names]
    if sure and not dry_run:
        data["left"], data["purged"] = _purged(home), True
        data["left"] += [path for name in names for path in service.remove_backups(name)]
        data["left"] += [path for name in servers for path in server_service.remove_backups(name)]
    backups = [path for name in names for path in service.backups(name)]
    backups += [path for name in servers for path in server_service.backups(name)]
    return {**data, "stays": [] if data["purged"] else kept, "asked_to_purge": purge, "backups": backups}


def _sure_to_purge(home: str, kept: list[dict[str, Any]], yes: bool, dry_run: bool, terminal: Terminal) -> bool:
    """Whether everything may go; raise before anything was changed where it may not."""
    if not os.path.isdir(home):
        return False
    purge.demand_own(home)
    if yes or dry_run:
        return True
    size = readable(sum(each["bytes"] for each in kept))
    copies = sum(len(service.backups(name)) for name in hosts.HOSTS)
    copies += sum(len(server_service.backups(name)) for name in mcp_hosts.HOSTS)
    and_copies = f", and {counted(copies, 'copy', 'copies')} of agents' settings" if copies else ""
    everything = f"everything that pith remembers ({_stores(len(kept))}, {size}) in {home}{and_copies}"
    if terminal.confirm(f"Delete {everything}?"):
        return True
    raise InputError("Nothing was changed.", hint="Run `pith uninstall --purge --yes` to delete without being asked.")


def _purged(home: str) -> list[str]:
    return purge.purge(home)


def _kept(home: str) -> list[dict[str, Any]]:
    """The stores that uninstalling leaves where they are."""
    found = []
    for folder in project.store_folders(home):
        record = project.read_record(folder)
        key = str(record.get("key") or next(iter(record.get("keys", ())), ""))
        size = overview.bytes_below(folder)
        found.append({"folder": folder, "key": key, "bytes": size, "exports": overview.exported(folder)})
    own = project.personal_store(home)
    if os.path.isdir(own):
        size = overview.bytes_below(own)
        found.append({"folder": own, "key": "personal", "bytes": size, "exports": overview.exported(own)})
    return found


@uninstall.text
def show_uninstall(data: Any, terminal: Terminal) -> None:
    """What was taken out, what stays, and how that goes too."""
    would = "would be " if data["dry_run"] else ""
    for each in data["hosts"]:
        if each["changed"]:
            if data["dry_run"]:
                show_diff(each["diff"], terminal)
            gone = "would no longer call" if data["dry_run"] else "no longer calls"
            terminal.line(f"{each['title']} {gone} pith: {each['path']}")
        else:
            terminal.line(f"{each['title']} did not call pith.")
    for each in data["servers"]:
        install_server.show_uninstalled(each, terminal, dry_run=data["dry_run"])
    if data["backups"]:
        verb = f"{would}deleted" if data["asked_to_purge"] else "stay"
        terminal.line(f"Copies of agents' settings as they were {verb}:")
        for path in data["backups"]:
            terminal.line(f"  {path}")
    if data["purged"]:
        terminal.line("Everything that pith remembered is deleted.")
        for path in data["left"]:
            terminal.line(f"Left alone, because it is not pith's: {path}")
        return
    _show_stays(data, terminal, would)


def _show_stays(data: Any, terminal: Terminal, would: str) -> None:
    if not data["stays"]:
        terminal.line("Nothing is remembered, so nothing stays.")
    else:
        size = readable(sum(each["bytes"] for each in data["stays"]))
        verb = f"{would}deleted" if data["asked_to_purge"] else "stays"
        terminal.line(f"What is remembered {verb}: {_stores(len(data['stays']))}, {size} in {data['home']}")
        terminal.table([(readable(each["bytes"]), each["key"], each["folder"]) for each in data["stays"]])
    for path in (path for each in data["stays"] for path in each["exports"]):
        terminal.line(f"An export stays in any case: {path}")
    if data["dry_run"]:
        terminal.line("Nothing was changed.")
    elif data["stays"] or data["backups"]:
        terminal.line("`pith uninstall --purge` deletes all of it; `pip uninstall pith-memory` removes the program.")


def _stores(count: int) -> str:
    return f"{count:,} store" if count == 1 else f"{count:,} stores"
