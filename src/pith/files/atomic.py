"""Write in one step, one writer at a time: a reader sees the old file or the new one, and nobody's edit is lost."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from pith import platform
from pith.errors import FileUnwritable, PithError
from pith.files.layout import LOCK, Layout


class EditedMeanwhile(PithError):
    """Somebody changed a file between our reading and our writing it."""

    code = "EDITED_MEANWHILE"
    hint = "Look at the file, then run the command again."
    http_status = 409


def writing(layout: Layout) -> platform.Lock:
    """The lock under which one process at a time writes this project's memory, which must hold no linked folder."""
    layout.demand_no_links()
    lock = layout.path(LOCK)
    make_folder(lock.parent)
    return platform.Lock(str(lock), timeout=30)


def write(path: Path, data: bytes, *, expected: str | None = None, cache: bool = False) -> None:
    """Put bytes in place of a file, whole; with `expected`, only where the present bytes have that SHA-256.

    Work tree files keep the permissions that git gives them, unlike those of the home. A cache can be read by its owner
    only, and may be lost with the power.
    """
    if expected is not None and hash_of(path) != expected:
        raise EditedMeanwhile(f"{path} was changed by somebody else in the meantime.")
    make_folder(path.parent)
    # Cut by bytes: a name of Korean letters is three times as long on disk as it looks.
    name = path.name.encode("utf-8", "replace")[:60].decode("utf-8", "ignore")
    draft = path.with_name(f".{name}.{os.getpid()}-{os.urandom(4).hex()}.draft")
    try:
        with open(draft, "wb") as file:
            file.write(data)
            file.flush()
            if not cache:
                os.fsync(file.fileno())
        if cache:
            os.chmod(draft, 0o400)
        platform.replace(str(draft), str(path))
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise FileUnwritable(f"{path} cannot be written ({error.strerror}).") from error


def append(path: Path, line: str) -> None:
    """Add one line to a file of lines, mending a last line that was left without its end."""
    old = path.read_bytes() if path.exists() else b""
    if old and not old.endswith(b"\n"):
        old += b"\n"
    write(path, old + line.encode("utf-8") + b"\n")


def remove(path: Path) -> None:
    """Take a file away; one that is gone already is no error."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise FileUnwritable(f"{path} cannot be removed ({error.strerror}).") from error


def make_folder(folder: Path) -> None:
    """Make a folder of the work tree, with those above it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileUnwritable(f"{folder} cannot be made ({error.strerror}).") from error


def hash_of(path: Path) -> str | None:
    """SHA-256 of a file's bytes, or None where there is none."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None
