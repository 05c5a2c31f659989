"""Whether nodes hold today: their dates, and what git says of the files that they name."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pith.adapters import git
from pith.domain import validity
from pith.domain.validity import STALE, State, Validity
from pith.services.project_memory.shared import Shared

PATIENCE = 2.0  # seconds for all questions to git together
_WILD = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class Moved:
    """Files that a node names and that changed since it was known to be right."""

    changed: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """The sentence for what changed; empty when nothing did."""
        if not self.changed:
            return ""
        first, more = self.changed[0], len(self.changed) - 1
        return f"{first} changed since" if not more else f"{first} and {more} more changed since"


class Freshness:
    """Judges nodes as of today; git is asked once for each time and path, and never longer than the patience."""

    def __init__(self, shared: Shared, *, patience: float = PATIENCE, many: bool = False) -> None:
        """With `many` nodes to judge, the history is read once instead of being asked for each time."""
        self._folder = str(shared.layout.root)
        self._today = shared.today
        self._ends = time.monotonic() + patience
        self._commits: dict[str, str | None] = {}
        self._moved: dict[tuple[str, str], dict[str, bool] | None] = {}
        self._history = git.History(self._folder, patience=patience) if many else None
        self.unanswered = False  # git was missing, slow or did not know: conditions on files were not all checked

    def state(self, entry: Mapping[str, Any]) -> State:
        """What a node is today. One that names a file which was deleted since is stale, too."""
        found = validity.state(Validity(**entry["validity"]), entry["since"], self._today, self._changed)
        if not found.holds:
            return found
        missing = [path for path in map(_plain, entry["scope_paths"]) if self._is_missing(path)]
        gone = tuple(path for path in missing if self._differing(path, entry["since"]))
        if gone:
            since = entry["since"][:10] or "never"
            after = entry["validity"].get("stale_after", "null")
            return State(STALE, f"last_verified_at={since}, stale_after={after} ({gone[0]} is gone)", gone)
        return found

    def _is_missing(self, path: str) -> bool:
        """Whether a path that is spelled out is not in the work tree; a glob never is."""
        if not path or "\0" in path or _WILD.search(path):
            return False
        return not os.path.lexists(os.path.join(self._folder, path))

    def moved(self, entry: Mapping[str, Any]) -> Moved:
        """Which of the files that a node names changed since it was last known to be right."""
        files: dict[str, bool] = {}
        for pattern in entry["scope_paths"]:
            files |= self._differing(pattern, entry["since"])
        return Moved(tuple(sorted(files)))

    def _changed(self, pattern: str, since: str) -> Iterable[str]:
        return sorted(self._differing(pattern, since))

    def _differing(self, pattern: str, since: str) -> dict[str, bool]:
        """Files that match and differ from what they were, and whether each is still there."""
        if validity.day(since) is None or not pattern.strip():
            return {}
        commit = self._commit(_moment(since))
        files = self._since(commit, _fixed(pattern)) if commit else None
        if files is None:
            self.unanswered = True
            return {}
        return {path: there for path, there in files.items() if validity.matches(pattern, path)}

    def _commit(self, moment: str) -> str | None:
        if moment not in self._commits:
            self._commits[moment] = self._asked(moment)
        return self._commits[moment]

    def _asked(self, moment: str) -> str | None:
        seconds = validity.seconds(moment) if self._history else None
        if self._history and seconds is not None:
            return self._history.at(seconds)
        left = self._left()
        return git.commit_at(self._folder, moment, patience=left) if left else None

    def _since(self, commit: str, path: str) -> dict[str, bool] | None:
        key = commit, path
        if key not in self._moved:
            left = self._left()
            self._moved[key] = git.changed_since(self._folder, commit, [path], patience=left) if left else None
        return self._moved[key]

    def _left(self) -> float:
        return max(0.0, self._ends - time.monotonic())


def warnings(freshness: Freshness, entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """The sentence for conditions that git could not tell about."""
    asked = any(validity.pattern_of(each["validity"].get("stale_after", "")) for each in entries)
    if not (freshness.unanswered and asked):
        return []
    return ["git did not answer, so conditions on files (`stale_after: path:...`) were not all checked"]


def _moment(since: str) -> str:
    """A day means its end: what changed on the day of verification was there to be seen."""
    return since if "T" in since else f"{since[:10]}T23:59:59Z"


def _plain(pattern: str) -> str:
    return pattern.strip().replace("\\", "/").removeprefix("./").rstrip("/")


def _fixed(pattern: str) -> str:
    """The folder or file before a pattern's first wildcard; git is asked about all below it."""
    plain = _plain(pattern)
    wild = _WILD.search(plain)
    if not wild:
        return plain or "."
    return plain[: wild.start()].rpartition("/")[0] or "."
