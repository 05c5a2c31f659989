"""`pith dashboard`: what is remembered, as a page in the browser, until Ctrl-C."""

from __future__ import annotations

import json

from pith.errors import InputError
from pith.interfaces.cli.command import command, option
from pith.interfaces.cli.faces import face
from pith.services.answers.written import Written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal

HIGHEST_PORT = 65_535


@command(
    "dashboard",
    option("--port", kind=int, default=0, help="The port to answer on, instead of one that is free."),
    option("--no-open", flag=True, help="Only print the address; a terminal also opens the browser otherwise."),
)
def dashboard(port: int, no_open: bool, terminal: Terminal) -> dict[str, Any]:
    """Show what is remembered on a page of this machine, until Ctrl-C: search, evidence, tasks, review, settings."""
    if not 0 <= port <= HIGHEST_PORT:
        raise InputError("`--port` must be from 0 to 65535.", hint="Leave it out: a free one is found.")
    from pith.services import location

    serve = face("web")

    def begun(address: str) -> None:
        if terminal.json_mode:
            terminal.answer("dashboard", {"address": Written(json.dumps(address))})  # which would be masked
            terminal.json_mode = False  # that was the one object; at the end there is nothing left to say
        else:
            terminal.key(address)
            terminal.note("Open it in a browser on this machine; it is for you only. Ctrl-C ends it.")
        terminal.flush()

    serve(location.working_folder(), port, terminal.is_screen and not no_open, begun)
    return {}
