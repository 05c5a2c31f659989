"""A host's settings file: read it whole, keep a copy, put another text in its place, and nothing else."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass

from pith import platform
from pith.errors import FileUnwritable, PithError
from pith.files import atomic

BACKUP = ".pith-backup-"
BACKUPS_KEPT = 3
_BOM = b"\xef\xbb\xbf"


class SettingsUnusable(PithError):
    """A host's settings file is there but cannot be edited."""

    code = "SETTINGS_UNUSABLE"
    hint = "Put that right, then try again; nothing was changed."
    http_status = 409


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """What stood at a path when it was read. `target` is the file behind the path's links."""

    path: str
    target: str
    data: bytes | None
    mode: int

    @property
    def text(self) -> str | None:
        """The text without its byte order mark; None for a file that is not there."""
        return None if self.data is None else self.data.removeprefix(_BOM).decode("utf-8")

    @property
    def blank(self) -> bool:
        """Whether there is nothing in it."""
        return not (self.text or "").strip()


def read(path: str) -> SettingsFile:
    """Read the file; a missing one has no text."""
    target = os.path.realpath(path)
    try:
        data, mode = atomic.read(target), stat.S_IMODE(os.stat(target).st_mode)
    except FileNotFoundError:
        return SettingsFile(path, target, None, 0o600)
    except OSError as error:
        raise SettingsUnusable(f"{path} cannot be read: {error.strerror}.") from error
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SettingsUnusable(f"{path} is not UTF-8: see its byte {error.start}.") from error
    return SettingsFile(path, target, data, mode)


def write(file: SettingsFile, text: str | None) -> None:
    """Put the text in the place of what was read, or take the file away; links and modes stay as they are."""
    _demand_unchanged(file)
    if text is None:
        _remove(file)
        return
    platform.private_folder(os.path.dirname(file.target))
    mark = _BOM if (file.data or b"").startswith(_BOM) else b""
    platform.write_private(file.target, mark + text.encode("utf-8"))
    if file.mode != 0o600:
        os.chmod(file.target, file.mode)


def back_up(file: SettingsFile, now_ms: int) -> str:
    """Keep a copy of what was read beside the path, readable by its owner only; the newest three stay."""
    # Beside the path, not beside a link's target: that one may be in somebody's repository of settings.
    when = platform.stamp(now_ms).translate({ord(mark): None for mark in "-:."})
    copy = f"{file.path}{BACKUP}{when}"
    platform.write_private(copy, file.data or b"")
    for old in backups(file.path)[:-BACKUPS_KEPT]:
        os.unlink(old)
    return copy


def backups(path: str) -> list[str]:
    """Return the copies kept beside a settings file, the oldest first."""
    folder, name = os.path.split(path)
    if not os.path.isdir(folder):
        return []
    return sorted(os.path.join(folder, each) for each in os.listdir(folder) if each.startswith(name + BACKUP))


def demand_writable(file: SettingsFile) -> None:
    """Raise FileUnwritable for a file that its owner protected; replacing it would go around that."""
    if file.data is not None and not (file.mode & 0o222 and os.access(file.target, os.W_OK)):
        raise FileUnwritable(f"{file.path} is read-only.", hint="Allow writing to it, then try again.")


def remove_backups(path: str) -> list[str]:
    """Delete the copies kept beside a settings file; return those that the system keeps."""
    left = []
    for copy in backups(path):
        try:
            os.unlink(copy)
        except OSError:
            left.append(copy)
    return left


def _demand_unchanged(file: SettingsFile) -> None:
    if read(file.path).data != file.data:
        raise SettingsUnusable(f"{file.path} was changed by another program just now.", hint="Try again.")


def _remove(file: SettingsFile) -> None:
    try:
        os.unlink(file.target)
    except OSError as error:
        raise FileUnwritable(f"{file.path} cannot be removed: {error.strerror}.") from error
