"""On which branch something was said, and whether that is merged into what is checked out, as git was last asked."""

from __future__ import annotations

import json

from pith.store import meta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pith.store.database import Db

_UNMERGED = "branches.unmerged"


def note(db: Db, head: str, unmerged: Sequence[str]) -> None:
    """Keep which branches the commit that is checked out does not hold."""
    meta.put(db, _UNMERGED, json.dumps({"head": head, "branches": sorted(unmerged)}, ensure_ascii=False))


def asked_at(db: Db) -> str:
    """The commit that was checked out when git was last asked; empty before."""
    kept = meta.get(db, _UNMERGED)
    return str(json.loads(kept)["head"]) if kept else ""


def are_others(db: Db, branch: str) -> bool:
    """Whether anything was said on a branch other than this one."""
    return bool(db.execute("SELECT 1 FROM places WHERE branch NOT IN ('', :branch) LIMIT 1", {"branch": branch}))


def unmerged(db: Db, head: str) -> frozenset[str]:
    """The branches that `head` does not hold; none where git was not asked since it is checked out."""
    kept = meta.get(db, _UNMERGED)
    if not kept:
        return frozenset()
    noted = json.loads(kept)
    return frozenset(noted["branches"] if noted["head"] == head else ())


def said_on(db: Db, branch: str) -> str:
    """The end of a label: ` on feature/x, not merged`; empty where no branch is known."""
    if not branch:
        return ""
    return f" on {branch}" + (", not merged" if branch in db.unmerged else "")
