"""Write in one step, one writer at a time: a reader sees the old file or the new one, and nobody's edit is lost.

Read ordinary files only, and no more of them than there is to know: a repository can bring anything under any name.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from pathlib import Path

from pith import platform
from pith.errors import FileUnwritable, PithError
from pith.files.layout import LOCK, Layout

MOST = 200_000_000  # bytes of any file of project memory; the index of a hundred thousand nodes is half of that

# At a pipe nobody waits, and a terminal is not taken over.
_CAREFULLY = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_STEP = 65_536


class EditedMeanwhile(PithError):
    """Somebody changed a file between our reading and our writing it."""

    code = "EDITED_MEANWHILE"
    hint = "Look at the file, then run the command again."
    http_status = 409


def read(path: Path | str, most: int = MOST, *, cache: bool = False) -> bytes:
    """The bytes of an ordinary file, or of the one that a link leads to.

    Raises OSError for a pipe, a device, a folder and for more than `most` bytes; of a `cache` also where anybody may
    have written it.
    """
    _demand_ordinary(os.stat(path), path)  # merely to open a device may do something
    descriptor = os.open(path, _CAREFULLY)
    try:
        status = os.fstat(descriptor)
        _demand_ordinary(status, path)
        if cache and status.st_mode & 0o222:
            raise OSError(errno.EPERM, "it may be somebody else's", str(path))
        return _all_of(descriptor, status.st_size, most, path)
    finally:
        os.close(descriptor)


def _demand_ordinary(status: os.stat_result, path: Path | str) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is no ordinary file", str(path))


def _all_of(descriptor: int, size: int, most: int, path: Path | str) -> bytes:
    # The size is what a file says of itself: some grow, and some of the system say nothing and never end.
    parts: list[bytes] = []
    length = 0
    while length <= most and size <= most:
        part = os.read(descriptor, size + 1 if length < size else _STEP)
        if not part:
            return b"".join(parts)
        parts.append(part)
        length += len(part)
    raise OSError(errno.EFBIG, f"it is larger than {most // 1_000_000} MB", str(path))


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
    old = read(path) if path.exists() else b""
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
        return hashlib.sha256(read(path)).hexdigest()
    except FileNotFoundError:
        return None
