"""The programs that start MCP servers: where each keeps its list of them, and what it needs to be told besides."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pith.adapters import hook_program, host_claude, host_codex
from pith.errors import InputError

MODULE = "pith.interfaces.cli.main"
NAME = "pith"  # of the entry, in every host
_PROGRAM = re.compile(r"(^|[\\/])pith(\.exe)?$")


@dataclass(frozen=True, slots=True)
class McpHost:
    """A program that starts MCP servers from a file of settings, JSON or TOML."""

    name: str  # as in `pith install cursor --mcp`
    title: str
    file: Callable[[], str]
    servers: str  # the member that holds them
    note: str  # what the user must know or do
    toml: bool = False
    kind: bool = False  # whether an entry says that it is started and spoken to by pipes
    in_project: bool = True  # whether a server is started in the project, or announced its folders


def _claude() -> str:
    """`~/.claude.json`, beside the folder; inside it where the folder was chosen."""
    chosen = os.environ.get("CLAUDE_CONFIG_DIR")
    return os.path.join(os.path.abspath(os.path.expanduser(chosen or "~")), ".claude.json")


def _desktop() -> str:
    if sys.platform == "win32":
        base = os.environ.get("APPDATA") or os.path.join(os.path.expanduser("~"), "AppData", "Roaming")
    elif sys.platform == "darwin":
        base = os.path.join(os.path.expanduser("~"), "Library", "Application Support")
    else:
        base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(base, "Claude", "claude_desktop_config.json")


def _codex() -> str:
    return os.path.join(host_codex.Codex().home(), "config.toml")


def _cursor() -> str:
    return os.path.join(os.path.expanduser("~"), ".cursor", "mcp.json")


HOSTS: Mapping[str, McpHost] = {
    "claude": McpHost(
        "claude",
        host_claude.Claude.title,
        _claude,
        "mcpServers",
        "New sessions have its tools; `/mcp` lists them.",
        kind=True,
    ),
    "claude-desktop": McpHost(
        "claude-desktop",
        "Claude Desktop",
        _desktop,
        "mcpServers",
        "Restart Claude Desktop. It knows no project: this is about the one named here only.",
        in_project=False,
    ),
    "codex": McpHost(
        "codex",
        host_codex.Codex.title,
        _codex,
        "mcp_servers",
        "New sessions have its tools; `codex mcp list` shows it.",
        toml=True,
    ),
    "cursor": McpHost(
        "cursor",
        "Cursor",
        _cursor,
        "mcpServers",
        "Cursor asks before it starts a new server; look under Tools in its settings.",
    ),
}


def host(name: str) -> McpHost:
    """Return the host of that name."""
    if name not in HOSTS:
        raise InputError(f"{name} is no program that starts MCP servers.", hint=f"Choose one of: {', '.join(HOSTS)}.")
    return HOSTS[name]


def words(project: str = "") -> list[str]:
    """The command that starts this very pith as a server; never with modules of the folder that it is started in."""
    about = ["--project", project] if project else []
    return [hook_program.interpreter(), "-P", "-m", MODULE, "mcp", *about]


def is_ours(command: object, arguments: object) -> bool:
    """Whether an entry starts pith's server, from whatever interpreter, version or place."""
    listed = [str(each) for each in arguments] if isinstance(arguments, list) else []
    if "mcp" not in listed:
        return False
    return MODULE in listed or any(_PROGRAM.search(word) for word in (str(command), *listed))
