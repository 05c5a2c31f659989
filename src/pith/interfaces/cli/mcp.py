"""`pith mcp`: let an MCP client ask, over stdin and stdout."""

from __future__ import annotations

import os

from pith.errors import InputError
from pith.interfaces.cli.command import command, option
from pith.interfaces.cli.faces import face

SETS = ("default", "full")


@command(
    "mcp",
    option("--tools", choices=SETS, default=SETS[0], help="Ten tools, or all."),
    option("--project", help="The folder of the project, whatever the client says."),
)
def mcp(tools: str, project: str | None) -> None:
    """Serve an MCP client (Claude Desktop, Cursor and others) over stdin and stdout, until it goes."""
    if project is not None and not os.path.isdir(project):
        raise InputError(f"`--project {project}` is no folder.", hint="Give the folder that the project is in.")
    face("mcp")(os.path.abspath(project) if project else None, tools)
