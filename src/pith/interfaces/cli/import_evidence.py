"""`pith import evidence`: entries of an older store, whose evidence was JSON, become entries and edges."""

from __future__ import annotations

from pith.errors import InputError
from pith.interfaces.cli.command import Answer, argument, command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal


@command("import.evidence", argument("file", help="Lines of JSON, one entry each."))
def import_evidence(file: str) -> Answer:
    """Bring in entries with evidence of the older shape; again draws what could not be drawn before."""
    from dataclasses import asdict

    from pith.services import capture
    from pith.services.knowledge import evidence_import
    from pith.services.workspace import open_workspace

    with open_workspace() as ws:
        personal = bool(ws.settings.get("capture.maskPersonal"))
        limit = int(ws.settings.get("capture.maxTextBytes"))
        try:
            with open(file, encoding="utf-8", errors="replace") as lines:
                taken = evidence_import.bring_in(ws.db, lines, lambda text: capture.clean(text, personal, limit))
        except OSError as error:
            raise InputError(f"{file} cannot be read ({error.strerror}).", hint="Name a file of JSON lines.") from error
    return Answer({"path": file, **asdict(taken)}, code=1 if taken.damaged else 0)


@import_evidence.text
def show(data: Any, terminal: Terminal) -> None:
    """One line, and the lines that were damaged."""
    for number, reason in data["bad"]:
        terminal.line(("left out ", "yellow"), f"line {number}: {reason}.")
    waiting = f"; {data['waiting']:,} wait for an entity that does not exist yet" if data["waiting"] else ""
    terminal.line(f"{data['lines']:,} lines: {data['entries']:,} entries, {data['edges']:,} edges{waiting}.")
