"""The files of a repository by name, what its build files say, and the drawing kept in `structure/structure.json`.

Links are never followed, so nothing outside the repository is seen.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pith.domain import structure
from pith.files import atomic
from pith.files.layout import STRUCTURE, Layout, OutsideMemory

MOST_FILES = 200_000
_LARGEST_READ = 500_000


def walk(root: Path) -> list[str]:
    """The files of a repository as relative paths with forward slashes; excluded folders are not entered."""
    found: list[str] = []
    waiting = [("", root)]
    while waiting and len(found) < MOST_FILES:
        prefix, folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                here = sorted(entries, key=lambda entry: entry.name, reverse=True)
        except OSError:
            continue
        for entry in here:
            if entry.is_symlink() or entry.name in structure.EXCLUDED:
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append((f"{prefix}{entry.name}/", Path(entry.path)))
            elif entry.is_file(follow_symlinks=False):
                found.append(prefix + entry.name)
    return sorted(found[:MOST_FILES])


def texts(root: Path, paths: Iterable[str]) -> dict[str, str]:
    """The text of those files that are ordinary, not too large, and reached through no link."""
    found = {}
    for path in paths:
        text = _text(root, path)
        if text is not None:
            found[path] = text
    return found


def _text(root: Path, path: str) -> str | None:
    here = root
    try:
        for step in path.split("/"):
            here = here / step
            status = os.lstat(here)
            if stat.S_ISLNK(status.st_mode):
                return None
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_READ:
            return None
        return atomic.read(here, _LARGEST_READ).decode("utf-8-sig", "replace")
    except (OSError, ValueError):
        return None


def write(layout: Layout, graph: dict[str, Any]) -> None:
    """Keep the drawing; where its bytes would be the same, nothing is written."""
    data = (json.dumps(graph, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "backslashreplace")
    path = layout.path(STRUCTURE)
    demand_inside(layout, path)
    if not path.is_file() or atomic.read(path) != data:
        atomic.write(path, data)


def demand_inside(layout: Layout, path: Path) -> None:
    """Raise OutsideMemory where a link would lead writing out of the project memory."""
    if not layout.is_inside(path):
        raise OutsideMemory(f"{layout.shown(path)} is a link out of the project memory; nothing was written.")
