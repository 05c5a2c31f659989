"""The personal store: one to a home, for what holds in every project of one person. Never written into a repository.

It has the schema of any store, and the same care: it is backed up, examined, forgotten in. Only confirmed preferences
are put into it, and it is made when the first of them says that it holds everywhere.
"""

from __future__ import annotations

import os

from pith import platform
from pith.services import config, location
from pith.services.project import Project, personal_store
from pith.services.workspace import Workspace
from pith.store.database import BUSY_MS, FILE

KEY = "personal:"


def exists(home: str) -> bool:
    """Whether anything was ever kept in it."""
    return os.path.exists(os.path.join(personal_store(home), FILE))


def open_personal(home: str = "") -> Workspace:
    """The personal store with its resources; its database is made when it is first asked for."""
    home = home or platform.home()
    found = Project(home, KEY, {KEY: "personal"})
    found.folder = personal_store(home)
    place = location.Place(found.folder, None, None, None, "")
    return Workspace(home, place, found, config.load(home, None), BUSY_MS)


def opened(home: str = "") -> Workspace | None:
    """The personal store, or None where there is none; never makes one."""
    home = home or platform.home()
    return open_personal(home) if exists(home) else None
