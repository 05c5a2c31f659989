"""`pith pause` and `pith resume`: nothing new is remembered meanwhile; recall goes on."""

from __future__ import annotations

from pith.interfaces.cli.command import command, option
from pith.services.answers.here import here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal

PAUSED = "capture.paused"
PROJECT = option("--project", flag=True, help="In this project only.")


@command("pause", PROJECT)
def pause(project: bool) -> dict[str, object]:
    """Remember nothing new until `pith resume`."""
    from pith.services.setup import config_edit

    place = here()
    config_edit.set_value(place.home, place.registered().folder if project else None, PAUSED, "true")
    return _state()


@command("resume", PROJECT)
def resume(project: bool) -> dict[str, object]:
    """Remember again."""
    from pith.services.setup import config_edit

    place = here()
    if project:  # said aloud, because a pause for all projects must not outlast it here
        config_edit.set_value(place.home, place.registered().folder, PAUSED, "false")
    else:
        config_edit.unset_value(place.home, None, PAUSED)
    return _state()


def _state() -> dict[str, object]:
    settings = here().settings
    return {"paused": settings.get(PAUSED), "source": settings.source(PAUSED)}


@pause.text
@resume.text
def show(data: Any, terminal: Terminal) -> None:
    """What holds now, and how to change it where something else decides."""
    if not data["paused"]:
        terminal.line("Sessions are remembered.")
        return
    terminal.line("Nothing new is remembered", (f" (set by: {data['source']})", "dim"), ".")
    how = {"project": "`pith resume --project`", "environment": "unsetting PITH_CAPTURE_PAUSED"}
    terminal.line(f"It starts again with {how.get(data['source'], '`pith resume`')}.")
