"""What an event is about, from what is there already: its words, its files. On the hook's path."""

from __future__ import annotations

import json

from pith.domain import topics
from pith.domain.topics import Commonness
from pith.store import search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from pith.store.database import Db

READ = topics.READ  # characters of a text
_COMMAND = 200  # characters of a command
_STEPS = 3  # of a path that are compared: two worktrees of a project differ in what stands before


def common(db: Db) -> Commonness:
    """How common words are in this project."""
    return Commonness(search.total(db), lambda term: search.frequency(db, term))


def topics_of(row: Mapping[str, Any], common: Commonness, most: int = topics.MOST) -> dict[str, str]:
    """The topics of an event, key -> form: what was said, or the files and the command of a tool, never its output."""
    if row["kind"] == "tool":
        found = topics.of_files(files_of(row))
        told = _details(row)
        command = told.get("command")
        if isinstance(command, str):
            for key, topic in topics.candidates(command[:_COMMAND]).items():
                found.setdefault(key, topic)
    else:
        found = topics.candidates(row["text"])
    return topics.chosen(found, common, most)


def files_of(row: Mapping[str, Any]) -> list[str]:
    """The files that a tool touched, by the ends of their paths."""
    listed = _details(row).get("files", ())
    if not isinstance(listed, list):
        return []
    ends = ["/".join(str(path).replace("\\", "/").split("/")[-_STEPS:]) for path in listed]
    return list(dict.fromkeys(ends))


def _details(row: Mapping[str, Any]) -> dict[str, Any]:
    text = row["details"]
    found = json.loads(text) if text and text.startswith("{") else {}
    return found if isinstance(found, dict) else {}
