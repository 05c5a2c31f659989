"""Enabling endless mode takes in the last seven days; disabling forgets nothing.

What is inside the window fills it; everything else of these days becomes memories at once.
"""

from __future__ import annotations

from dataclasses import dataclass

from pith.services import config
from pith.services.endless import consolidate, window
from pith.services.endless.consolidate import Report
from pith.services.endless.rules import Rules
from pith.services.knowledge import extract
from pith.services.setup import config_edit
from pith.services.workspace import Workspace

MODE, SYNONYM = "mode", "endless.enabled"


@dataclass
class Enabled:
    """What enabling did, and what the working set holds; `is_on` is false where a stronger source says otherwise."""

    report: Report
    in_window: int
    is_on: bool


def enable(ws: Workspace, now_ms: int, *, everywhere: bool = False) -> Enabled:
    """Let memory go on from session to session, in this project or in all of them."""
    _set(ws, "endless", everywhere)
    if not ws.settings.is_endless:
        return Enabled(Report(), 0, False)
    extract.keep_up(ws.db, ws.project.id)
    held = window.fill(ws.db, Rules(ws.settings), now_ms)
    report = consolidate.run(ws.db, ws.settings, now_ms, spare=held)
    return Enabled(report, len(held), True)


def disable(ws: Workspace, *, everywhere: bool = False) -> bool:
    """Let sessions be remembered one by one; memories stay. Whether that holds now."""
    _set(ws, "session", everywhere)
    return not ws.settings.is_endless


def _set(ws: Workspace, mode: str, everywhere: bool) -> None:
    folder = None if everywhere else ws.folder
    config_edit.unset_value(ws.home, folder, SYNONYM)
    config_edit.set_value(ws.home, folder, MODE, mode)
    ws.settings = config.load(ws.home, ws.folder, ws.place.root)
