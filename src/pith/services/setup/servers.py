"""Put pith's MCP server into a host's list of servers, and take it out again as if it had never been there."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from pith.adapters import mcp_hosts
from pith.adapters.mcp_hosts import NAME, McpHost
from pith.files import json_edit, settings_file
from pith.files.json_edit import JsonUnreadable
from pith.files.settings_file import SettingsFile, SettingsUnusable
from pith.services.setup.change import Change, apply, receipts, turn

PATIENCE = 60  # seconds for a first start on a cold disk
_FOREIGN = "{path} names another server `pith` already; it was left alone."
_FOREIGN_HINT = "Give that one another name, then try again."


def install(name: str, *, project: str = "", dry_run: bool = False) -> Change:
    """Make the host start this pith as a server; a second time changes nothing."""
    host = mcp_hosts.host(name)
    entry = _entry(host, "" if host.in_project else project)
    with turn(dry_run):
        file = settings_file.read(host.file())
        with _readable(file, host, entry):
            text, receipt = (_toml_with if host.toml else _json_with)(file, host, entry)
        return apply(file, host.name, text, receipt, (host.note,), dry_run)


def uninstall(name: str, *, dry_run: bool = False) -> Change:
    """Take pith's server out; what stays is, byte for byte, what stood there before."""
    host = mcp_hosts.host(name)
    with turn(dry_run):
        file = settings_file.read(host.file())
        receipt = receipts().get(file.path, {})
        text = file.text
        if not file.blank:
            with _readable(file, host, None):
                text = (_toml_without if host.toml else _json_without)(file.text or "", host, receipt)
        return apply(file, host.name, text, None, (), dry_run)


def installed(name: str) -> list[str]:
    """The command line by which the host starts pith's server; nothing where it does not."""
    host = mcp_hosts.host(name)
    file = settings_file.read(host.file())
    if file.blank:
        return []
    with _readable(file, host, None):
        entry = _found(file.text or "", host)
    if entry is None or not _is_ours(entry):
        return []
    return [str(entry["command"]), *map(str, entry.get("args") or ())]


def backups(name: str) -> list[str]:
    """The copies of the host's list that installing left beside it, the oldest first."""
    return settings_file.backups(mcp_hosts.host(name).file())


def remove_backups(name: str) -> list[str]:
    """Delete these copies; return those that the system keeps."""
    return settings_file.remove_backups(mcp_hosts.host(name).file())


def _entry(host: McpHost, project: str) -> dict[str, Any]:
    command, *arguments = mcp_hosts.words(project)
    entry: dict[str, Any] = {"type": "stdio"} if host.kind else {}
    entry |= {"command": command, "args": arguments}
    home = os.environ.get("PITH_HOME")
    # Hosts start servers with an environment of their own making.
    return entry | ({"env": {"PITH_HOME": os.path.abspath(home)}} if home else {})


def _is_ours(entry: Any) -> bool:
    return isinstance(entry, Mapping) and mcp_hosts.is_ours(entry.get("command"), entry.get("args"))


def _found(text: str, host: McpHost) -> Any:
    """The entry called pith, whosever it is."""
    whole = _parsed(text).unwrap() if host.toml else json_edit.parse(text).plain()
    servers = whole.get(host.servers) if isinstance(whole, dict) else None
    return servers.get(NAME) if isinstance(servers, dict) else None


def _demand_ours(entry: Any, file: SettingsFile) -> None:
    if entry is not None and not _is_ours(entry):
        raise SettingsUnusable(_FOREIGN.format(path=file.path), hint=_FOREIGN_HINT)


@contextmanager
def _readable(file: SettingsFile, host: McpHost, entry: dict[str, Any] | None) -> Iterator[None]:
    """Tell a file apart that cannot be read, with the text that may be pasted by hand."""
    try:
        yield
    except (JsonUnreadable, TOMLKitError) as error:
        form = "TOML" if host.toml else "JSON"
        hint = "Mend it and try again, or take the server `pith` out by hand."
        if entry:
            by_hand = _block(entry) if host.toml else json.dumps({host.servers: {NAME: entry}}, indent=2)
            hint = f"Mend it and try again, or add this by hand:\n\n{by_hand}"
        where = str(error)[:1].lower() + str(error)[1:]
        raise SettingsUnusable(f"{file.path} is no {form} and was left alone; {where}", hint=hint) from error


# -- JSON ----------------------------------------------------------------------------------------------------


def _json_with(file: SettingsFile, host: McpHost, entry: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The text with our entry, and the receipt that lets it be undone."""
    receipt: dict[str, Any] = {"blank": file.text} if file.blank else {}
    text = "{}\n" if file.blank else file.text or ""
    servers = _json_servers(text, host, file)
    known = _found(text, host)
    _demand_ours(known, file)
    if known is not None:
        return _json_renewed(text, host, known, entry), receipts().get(file.path, receipt)
    if not file.blank:
        receipt["empty"] = [
            [list(path), json_edit.interior(text, path)]
            for path in ((), (host.servers,))
            if (box := json_edit.find(json_edit.parse(text), path)) and not box.parts
        ]
    if servers is None:
        return json_edit.put(text, (), host.servers, {NAME: entry}), receipt
    return json_edit.put(text, (host.servers,), NAME, entry), receipt


def _json_servers(text: str, host: McpHost, file: SettingsFile) -> json_edit.Node | None:
    root = json_edit.parse(text)
    servers = root.get(host.servers) if root.kind == "object" else None
    for node, what in ((root, "the settings"), (servers, f"`{host.servers}`")):
        if node is not None and node.kind != "object":
            where = json_edit.place(text, node.start)
            raise SettingsUnusable(f"{file.path}, {where}: {what} should be an object.")
    return servers


def _json_renewed(text: str, host: McpHost, known: Mapping[str, Any], entry: dict[str, Any]) -> str:
    """Our entry with this program's command; what else a person wrote into it stays."""
    place = (host.servers, NAME)
    for key in ("command", "args"):
        if known.get(key) == entry[key]:
            continue
        if key in known:
            text = json_edit.replace(text, (*place, key), entry[key])
        else:
            text = json_edit.put(text, place, key, entry[key])
    return text


def _json_without(text: str, host: McpHost, receipt: Mapping[str, Any]) -> str | None:
    """The text without our entry and what was made for it; None where there was no file."""
    if not _is_ours(_found(text, host)):
        return text
    inside = {tuple(path): between for path, between in receipt.get("empty", ())}
    text = json_edit.remove(text, (host.servers, NAME))
    box = json_edit.find(json_edit.parse(text), (host.servers,))
    if box is not None and not box.parts:
        if (host.servers,) in inside:
            return json_edit.set_interior(text, (host.servers,), inside[(host.servers,)])
        text = json_edit.remove(text, (host.servers,))
    if json_edit.parse(text).parts:
        return text
    if "blank" in receipt:
        blank: str | None = receipt["blank"]
        return blank
    return json_edit.set_interior(text, (), inside.get((), ""))


# -- TOML ----------------------------------------------------------------------------------------------------


def _parsed(text: str) -> Any:
    return tomlkit.parse(text)


def _block(entry: Mapping[str, Any]) -> str:
    """Our entry as a table of its own; every TOML file may end with one more."""
    body = "".join(f"{key} = {tomlkit.item(value).as_string()}\n" for key, value in entry.items() if key != "env")
    env = "".join(f"{key} = {tomlkit.item(value).as_string()}\n" for key, value in entry.get("env", {}).items())
    return f"[mcp_servers.{NAME}]\n{body}" + (f"\n[mcp_servers.{NAME}.env]\n{env}" if env else "")


def _toml_with(file: SettingsFile, host: McpHost, entry: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    text = file.text or ""
    known = _found(text, host)
    _demand_ours(known, file)
    if known is not None:
        return _toml_renewed(text, host, known, entry), receipts().get(file.path, {})
    servers = _parsed(text).unwrap().get(host.servers)
    if servers is not None and not isinstance(servers, dict):
        raise SettingsUnusable(f"{file.path}: `{host.servers}` should be a table.")
    gap = "" if file.blank else "\n" if text.endswith("\n") else "\n\n"
    added = f"{gap}{_block(entry)}"
    made = text + added
    if _found(made, host) is None:  # an inline table, which nothing may be added to
        raise SettingsUnusable(f"{file.path}: `{host.servers}` is written in one line.", hint="Make it a table.")
    return made, {"added": added, **({"blank": file.text} if file.blank else {})}


def _toml_renewed(text: str, host: McpHost, known: Mapping[str, Any], entry: dict[str, Any]) -> str:
    document = _parsed(text)
    for key in ("command", "args"):
        if known.get(key) != entry[key]:
            document[host.servers][NAME][key] = entry[key]
    return tomlkit.dumps(document)


def _toml_without(text: str, host: McpHost, receipt: Mapping[str, Any]) -> str | None:
    if not _is_ours(_found(text, host)):
        return text
    added = str(receipt.get("added") or "")
    if added and text.count(added) == 1:
        text = text.replace(added, "")
    else:
        document = _parsed(text)
        del document[host.servers][NAME]
        text = tomlkit.dumps(document)
    if not text.strip() and "blank" in receipt:
        blank: str | None = receipt["blank"]
        return blank
    return text


# -- Proof ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Listed:
    """Whether the installed server listed its tools, and if not, why, in one sentence."""

    ok: bool
    command: tuple[str, ...]
    tools: tuple[str, ...] = ()
    failure: str | None = None


_ABOUT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "pith", "version": "1"}}
_ASKED = (
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _ABOUT},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)


def listed(name: str) -> Listed:
    """Start the server as the host would, and ask for its tools."""
    line = installed(name)
    if not line:
        return Listed(False, (), failure=f"No server is installed; run `pith install {name} --mcp`.")
    asked = "".join(f"{json.dumps(each)}\n" for each in _ASKED)
    try:
        done = subprocess.run(line, input=asked.encode(), capture_output=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return Listed(False, tuple(line), failure=f"The server did not answer within {PATIENCE} seconds.")
    except OSError as error:
        return Listed(False, tuple(line), failure=f"{line[0]} cannot be started: {error.strerror}.")
    tools = _tools(done.stdout)
    if not tools:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return Listed(
            False, tuple(line), failure=f"The server listed no tools: {said[-1] if said else 'it said nothing'}"
        )
    return Listed(True, tuple(line), tools)


def _tools(out: bytes) -> tuple[str, ...]:
    """The names in the answer to the second request; none where a line is no JSON-RPC."""
    try:
        answers = [json.loads(text) for text in out.splitlines()]
        found = next(each["result"]["tools"] for each in answers if each.get("id") == 2)
        return tuple(str(each["name"]) for each in found)
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration):
        return ()
