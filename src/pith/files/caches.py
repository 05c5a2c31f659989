"""Files under `local/` that save time, and that are believed only where this machine wrote them.

A repository can hold any file, also one that looks like a cache of ours and tells something false. Ours can be read by
their owner and written by nobody, which no checkout makes: git gives whoever owns a file the right to write it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pith.errors import PithError
from pith.files import atomic


def read(path: Path) -> bytes:
    """What a cache holds; nothing where it is missing, unreadable or may be somebody else's."""
    try:
        return atomic.read(path, cache=True)
    except OSError:
        return b""


def write(path: Path, data: bytes) -> None:
    """Keep a cache, where that is possible; a read-only tree is no reason to fail."""
    try:
        _permit(path)
        atomic.write(path, data, cache=True)
    except (PithError, OSError):
        pass


def remove(path: Path) -> None:
    """Take a cache away, where that is possible."""
    try:
        _permit(path)
        path.unlink(missing_ok=True)
    except OSError:
        pass


def _permit(path: Path) -> None:
    # What cannot be written can be neither replaced nor removed there.
    if sys.platform == "win32" and path.exists():
        path.chmod(0o600)
