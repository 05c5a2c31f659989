"""A change of a host's settings file: shown, written in one step, and undone exactly with the receipt that it left."""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pith import platform
from pith.errors import FileUnwritable
from pith.files import settings_file
from pith.files.settings_file import SettingsFile


@dataclass(frozen=True, slots=True)
class Change:
    """What was done to a host's settings file, or would be. A text of None is a file that is not there."""

    host: str
    path: str
    before: str | None
    after: str | None
    backup: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        return self.before != self.after

    @property
    def diff(self) -> str:
        """The change as people read it."""
        before, after = (_lines(text) for text in (self.before, self.after))
        lines = difflib.unified_diff(before, after, self.path, self.path)
        return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def apply(
    file: SettingsFile,
    host: str,
    text: str | None,
    receipt: dict[str, Any] | None,
    notes: tuple[str, ...],
    dry_run: bool,
) -> Change:
    """Write what changed; the receipt first, because without it the file could not be restored exactly."""
    backup = None
    if text != file.text:
        try:
            settings_file.demand_writable(file)
        except FileUnwritable as error:
            if not dry_run:
                raise
            notes = (*notes, f"{error} {error.hint}")
        if not dry_run:
            if receipt is not None:
                keep_receipt(file.path, receipt)
            if not file.blank and text is not None:
                backup = settings_file.back_up(file, platform.now_ms())
            settings_file.write(file, text)
    if receipt is None and not dry_run:
        keep_receipt(file.path, None)
    return Change(host, file.path, file.text, text, backup, notes)


@contextmanager
def turn(dry_run: bool) -> Iterator[None]:
    """Let one installer work at a time."""
    if dry_run:
        yield
        return
    platform.private_folder(platform.home())
    with platform.Lock(os.path.join(platform.home(), "install.lock")):
        yield


def _receipt_path() -> str:
    return os.path.join(platform.home(), "installed.json")


def receipts() -> dict[str, dict[str, Any]]:
    """Return, by settings file, what must be known to undo an installation exactly."""
    try:
        with open(_receipt_path(), encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return {}  # uninstalling then takes away whatever it leaves empty
    return found if isinstance(found, dict) else {}


def keep_receipt(path: str, receipt: dict[str, Any] | None) -> None:
    """Remember what undoes the change of a settings file; None forgets it."""
    known = receipts()
    if known.get(path) == receipt:
        return
    known.pop(path, None)
    if receipt is not None:
        known[path] = receipt
    platform.write_private(_receipt_path(), json.dumps(known, ensure_ascii=False).encode("utf-8"))


def _lines(text: str | None) -> list[str]:
    return (text or "").splitlines(keepends=True)
