"""SHA-256 of large files, each read once: what was hashed before is known by path, size and time."""

from __future__ import annotations

import json
import os
from typing import Any

from pith import platform
from pith.errors import PithError

_MOST = 20  # files remembered


def sha256(path: str, remembered: str) -> str:
    """The hash of a file; `remembered` is the file that keeps what is known. Raises OSError when it cannot be read."""
    found = os.stat(path)
    stamp = [found.st_size, found.st_mtime_ns, found.st_ino, found.st_ctime_ns]
    known = _read(remembered)
    if known.get(path, {}).get("stamp") == stamp:
        return str(known[path]["sha256"])
    import hashlib  # OpenSSL takes longer to load than looking up what is known

    with open(path, "rb") as file:
        hashed = hashlib.file_digest(file, "sha256").hexdigest()
    kept = dict([*((name, each) for name, each in known.items() if name != path)][-_MOST + 1 :])
    try:
        platform.write_private(remembered, json.dumps({**kept, path: {"stamp": stamp, "sha256": hashed}}).encode())
    except PithError:
        pass  # a disk that takes nothing: it is hashed again next time
    return hashed


def _read(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            known = json.loads(file.read())
        return {name: each for name, each in known.items() if isinstance(each["sha256"], str)}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}
