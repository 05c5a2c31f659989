"""What a person has agreed may be forgotten for its age; without that `capture.keepDays` only makes pith tell.

The setting can come from a file that somebody edited in passing, or from the environment. What it takes is gone for
good, so it takes nothing before somebody was told how much that is and said yes, once: in `pith config set`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass

from pith import platform
from pith.errors import PithError
from pith.services import config, project
from pith.services.settings import PROJECT
from pith.store import database
from pith.store import events as stored

FILE = "agreed.json"
KEY = "capture.keepDays"
_ALL = ""  # in the file: agreed for every project that has no value of its own
_DAY_MS = 86_400_000


@dataclass(frozen=True)
class Taken:
    """How much a number of days would take, now."""

    events: int = 0
    projects: int = 0


def would_take(home: str, store: str | None, days: int) -> Taken:
    """What would be forgotten in one store, or in every one that the setting of the home decides for."""
    limit = platform.stamp(max(0, platform.now_ms() - days * _DAY_MS))
    counts = [_older(folder, limit) for folder in _stores(home, store)] if days else []
    return Taken(sum(counts), sum(1 for count in counts if count))


def _stores(home: str, store: str | None) -> Iterator[str]:
    if store is not None:
        yield project.store_folder(home, store)
        return
    for folder in project.store_folders(home):
        if config.load(home, folder, None).source(KEY) != PROJECT:
            yield folder


def _older(folder: str, limit: str) -> int:
    try:
        with database.open_to_read(folder) as db:
            return stored.count_older(db, limit)
    except PithError:
        return 0  # nothing is stored there, or nothing of it can be read


def agree(home: str, store: str | None, days: int) -> None:
    """Note what a person agreed to, for one store or for all; 0 takes it back."""
    agreed = _agreed(home)
    name = store or _ALL
    if agreed.get(name, 0) == days:
        return
    agreed[name] = days
    told = {each: number for each, number in agreed.items() if number}
    platform.private_folder(home)
    platform.write_private(os.path.join(home, FILE), json.dumps({"keepDays": told}).encode() + b"\n")


def is_agreed(home: str, store: str, days: int) -> bool:
    """Whether a person agreed to forgetting what is so old, or what is not as old yet."""
    agreed = _agreed(home)
    return any(0 < agreed.get(name, 0) <= days for name in (store, _ALL))


def _agreed(home: str) -> dict[str, int]:
    try:
        with open(os.path.join(home, FILE), "rb") as file:
            found = json.loads(file.read())["keepDays"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    return {name: days for name, days in found.items() if isinstance(days, int)} if isinstance(found, dict) else {}
