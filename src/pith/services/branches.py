"""Ask git which branches are not merged, when another commit is checked out: what was said there may never hold here.

Hooks run no program. They label by what the worker or a command has asked since the commit was checked out, and else
name the branch alone.
"""

from __future__ import annotations

from pith.errors import StoreUnavailable
from pith.services.workspace import Workspace
from pith.store import branches


def is_new(ws: Workspace, _now: int = 0) -> bool:
    """Whether something was said on another branch, and git was not asked since this commit is checked out."""
    place = ws.place
    if not place.common_dir or not place.commit or branches.asked_at(ws.db) == place.commit:
        return False
    return branches.are_others(ws.db, place.branch or "")


def look(ws: Workspace) -> bool:
    """Ask git and keep the answer; whether there was one. A store that cannot be written is no reason to fail."""
    from pith.adapters import git  # what runs a program is loaded only where one is run

    found = git.unmerged(ws.place.root)
    if found is None:
        return False
    try:
        with ws.db.transaction():
            branches.note(ws.db, ws.place.commit or "", found)
    except StoreUnavailable:
        return False
    ws.db.unmerged = frozenset(found)
    return True
