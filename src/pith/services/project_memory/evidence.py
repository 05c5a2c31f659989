"""Evidence that stands in a file of the repository."""

from __future__ import annotations

import stat
from pathlib import Path

from pith.errors import InputError
from pith.services.project_memory.shared import Shared

LARGEST = 64_000  # bytes: a log belongs beside the quest, not into it

_INSIDE = "Name a text file inside the repository, or copy the telling lines into `--evidence`."


def of_file(shared: Shared, name: str) -> str:
    """The text of a file; a quest is shared, so nothing from outside the repository gets into it."""
    path = _path(shared, name)
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise InputError(f"{name} is no file.", hint=_INSIDE)
        if found.st_size > LARGEST:
            raise InputError(f"{name} is larger than {LARGEST // 1000} KB.", hint=_INSIDE)
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{name} cannot be read ({error.strerror}).", hint=_INSIDE) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is no UTF-8 text.", hint=_INSIDE) from error
    if not text.strip():
        raise InputError(f"{name} is empty.", hint=_INSIDE)
    return text


def _path(shared: Shared, name: str) -> Path:
    """Where the file is, links followed. Raises InputError outside the repository and in git's own folder."""
    root = shared.layout.root.resolve()
    try:
        path = Path(name).resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError("The name of the evidence file is no path.", hint=_INSIDE) from error
    if not path.is_relative_to(root) or ".git" in path.relative_to(root).parts:
        raise InputError(f"{name} is outside the repository, whose quests are shared.", hint=_INSIDE)
    return path
