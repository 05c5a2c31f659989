"""`local/intent.json`: what a command is about to change in several files, so that a kill leaves nothing half done.

It holds every file's text before and after. Once it is written whole, the change will happen: the next command that
takes the lock completes it, or takes it back where somebody edited one of the files in the meantime.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pith.files import atomic
from pith.files.atomic import EditedMeanwhile
from pith.files.layout import INTENT, Layout

COMPLETED, UNDONE = "completed", "undone"


@dataclass(frozen=True, slots=True)
class Step:
    """One file's text before and after; None where there is no file."""

    file: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Intent:
    """What a command wants: its name, what it is about, and the steps in their order."""

    command: str
    subject: str
    steps: tuple[Step, ...]

    def as_json(self) -> dict[str, Any]:
        steps = [{"file": step.file, "before": step.before, "after": step.after} for step in self.steps]
        return {"version": 1, "command": self.command, "subject": self.subject, "steps": steps}


def made(layout: Layout, path: Path, text: str) -> Step:
    """The step that makes a new file. Raises EditedMeanwhile where there is one already."""
    if os.path.lexists(path):
        raise EditedMeanwhile(f"{layout.shown(path)} is there already, and is not overwritten.")
    return Step(layout.shown(path), None, text)


def changed(layout: Layout, path: Path, text: str | None, read_hash: str | None = None) -> Step:
    """The step that gives a file another text, or takes it away.

    Raises EditedMeanwhile where it is no longer what was read (`read_hash`).
    """
    before = _text(path)
    if read_hash is not None and (before is None or _hash(before) != read_hash):
        raise EditedMeanwhile(f"{layout.shown(path)} was changed by somebody else in the meantime.")
    return Step(layout.shown(path), before, text)


def carry_out(layout: Layout, intent: Intent) -> None:
    """Record the intent and do its steps; the caller clears it when what follows from them is done too."""
    atomic.write(layout.path(INTENT), json.dumps(intent.as_json(), ensure_ascii=False).encode("utf-8", "surrogatepass"))
    for each in intent.steps:
        do(layout, each)


def do(layout: Layout, step: Step) -> None:
    """Do one step; a file that somebody edited meanwhile is left as it is."""
    _move(layout, step, step.before, step.after)


def clear(layout: Layout) -> None:
    """Forget the intent: everything it wanted is done."""
    atomic.remove(layout.path(INTENT))


def pending(layout: Layout) -> Intent | None:
    """The intent of a command that was interrupted; a record that cannot be read never took effect."""
    try:
        whole = json.loads(atomic.read(layout.path(INTENT)))
        steps = tuple(Step(each["file"], each["before"], each["after"]) for each in whole["steps"])
        intent = Intent(whole["command"], whole["subject"], steps)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return intent if all(_is_ours(layout, each.file) for each in steps) else None


def settle(layout: Layout, intent: Intent) -> str:
    """Complete an interrupted intent, or undo it when a file is neither as before nor as after; say which."""
    if all(_is_any_of(layout.root / each.file, each.before, each.after) for each in intent.steps):
        for each in intent.steps:
            _move(layout, each, each.before, each.after)
        return COMPLETED
    for each in reversed(intent.steps):
        _move(layout, each, each.after, each.before)
    return UNDONE


def _move(layout: Layout, step: Step, before: str | None, after: str | None) -> None:
    """Take one file from one text to the other; a file that somebody edited meanwhile is left as it is."""
    path = layout.root / step.file
    if not _is_any_of(path, before):
        return
    if after is None:
        atomic.remove(path)
    else:
        atomic.write(path, _bytes(after), expected=None if before is None else _hash(before))


def _is_ours(layout: Layout, file: object) -> bool:
    return isinstance(file, str) and layout.is_inside(layout.root / file)


def _is_any_of(path: Path, *texts: str | None) -> bool:
    """Whether a file has one of these texts; one that cannot be read has none of them."""
    try:
        return _text(path) in texts
    except OSError:
        return False


def _text(path: Path) -> str | None:
    try:
        return atomic.read(path).decode("utf-8", "surrogateescape")
    except (FileNotFoundError, NotADirectoryError):
        return None


def _hash(text: str) -> str:
    return hashlib.sha256(_bytes(text)).hexdigest()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
