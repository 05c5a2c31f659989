"""Where accepted nodes come from when somebody asks: the store's table, or the index itself. On the hook's path.

The table serves while it copies what stands in the work tree. When `graph/index.json` is another than the copied one (a
pull, a checkout), that is read, as long as it is small; else nodes are left out, and that is said.
"""

from __future__ import annotations

import json
import os

from pith.domain import ranking, words
from pith.services.location import shared_index
from pith.store import citations, meta, nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from pith.services.location import Place
    from pith.store.database import Db

FOLDER = ".orange-hyper"
GONE = "gone"  # the mark of an index that stood in the work tree once, and stands there no more
LARGEST = 200_000  # bytes of index.json that a hook reads itself
HOLDING = 2_000  # nodes looked at for one term
FIRST = ("constraint", "decision", "risk", "convention", "component")  # what a session should know before it begins
CURRENT, SUPERSEDED = "current", "superseded"
LEFT_OUT = "The accepted project memory changed and is too large to be read here; `pith recall` reads it anew."
NOT_KNOWN = "validity not checked"


class Copied:
    """Which state of which work tree the store's table copies."""

    __slots__ = ("commit", "day", "index", "root", "words")

    def __init__(self, root: str, commit: str, index: str, day: str, words_version: int) -> None:
        self.root, self.commit, self.index, self.day = root, commit, index, day
        self.words = words_version

    @classmethod
    def of(cls, db: Db) -> Copied | None:
        """What the table was last copied from, if ever."""
        try:
            return cls(**json.loads(meta.get(db, nodes.COPIED) or ""))
        except (ValueError, TypeError):
            return None

    def as_json(self) -> str:
        return json.dumps(
            {
                "root": self.root,
                "commit": self.commit,
                "index": self.index,
                "day": self.day,
                "words_version": self.words,
            }
        )

    def is_of(self, index: Index) -> bool:
        """Whether that is the index that stands in the work tree."""
        return (self.root, self.index, self.words) == (index.root, index.mark, words.VERSION)


def is_gone(copied: Copied | None, place: Place) -> bool:
    """Whether the project memory that was copied stood in this work tree, is there no more, and nobody noticed yet."""
    if copied is None or copied.index == GONE:
        return False
    is_here = copied.root == place.root or copied.root.startswith(place.root.rstrip(os.sep) + os.sep)
    return is_here and index_of(copied.root) is None


class Index:
    """`graph/index.json` of a work tree: where it is, and a mark that changes with it."""

    __slots__ = ("mark", "path", "root", "size")

    def __init__(self, root: str, path: str, size: int, mark: str) -> None:
        self.root, self.path, self.size, self.mark = root, path, size, mark


def index_of(root: str, directory: str = "") -> Index | None:
    """The index of the nearest project memory from a directory up to the root above it; None without one."""
    path = shared_index(root, directory)
    if path is None:
        return None
    folder = os.path.dirname(os.path.dirname(os.path.dirname(path)))
    try:
        size = os.stat(path).st_size
    except OSError:
        return None
    # What edges say (this replaces that) decides with the nodes themselves whether one holds.
    return Index(folder, path, size, f"{_stamp(path)} {_stamp(os.path.join(os.path.dirname(path), 'edges.jsonl'))}")


def _stamp(path: str) -> str:
    try:
        found = os.stat(path)
    except OSError:
        return "none"
    return f"{found.st_size}:{found.st_mtime_ns}"


class Known:
    """A node as it is told: its id and kind, its text, whether it holds, and how well it fits."""

    __slots__ = (
        "accepted_at", "confidence", "covered", "found", "id", "kind", "label", "score", "state", "substance", "text",
        "title",
    )  # fmt: skip

    def __init__(self, row: Any, state: str, label: str, number: int) -> None:
        self.id, self.kind = str(row["node_id"]), str(row["kind"])
        self.title, self.text = str(row["title"]), str(row["summary"])
        self.accepted_at = str(row["accepted_at"])
        self.state = state
        self.label = label  # empty for a node that simply holds
        self.score = self.confidence = self.covered = self.substance = 0.0
        self.found = ranking.Found(number, 0, self.accepted_at, "note", 1, "")
        self.found.text = f"{self.title}\n{self.text}"
        self.found.folded = self.found.text.casefold()

    @property
    def holds(self) -> bool:
        return self.state == "current"

    @property
    def cited(self) -> str:
        return citations.name(nodes.NODE, self.id)

    @property
    def about(self) -> str:
        """What stands before its text: kind, id, since when, and what is to be held against it."""
        return f"accepted {self.kind} {self.id}, {self.accepted_at[:10]}" + (f" ({self.label})" if self.label else "")


# -- Where nodes come from -----------------------------------------------------------------------------------


class Table:
    """The nodes that the store copied."""

    __slots__ = ("_commit", "_copied", "_db", "_today")

    def __init__(self, db: Db, copied: Copied, commit: str, today: str) -> None:
        self._db, self._copied, self._commit, self._today = db, copied, commit, today

    def total(self) -> int:
        return nodes.total(self._db)

    def frequency(self, term: str) -> int:
        return nodes.frequency(self._db, term)

    def holding(self, term: str) -> list[int]:
        return nodes.holding(self._db, term, HOLDING)

    def read(self, numbers: Iterable[int]) -> dict[int, Known]:
        return {row["num"]: self._known(row) for row in nodes.read(self._db, numbers)}

    def named(self, id: str) -> Known | None:
        row = nodes.by_id(self._db, id)
        return self._known(row) if row is not None else None

    def first(self, most: int) -> list[Known]:
        """The nodes that a session should know, by kind and then the newest."""
        found: list[Known] = []
        for kind in FIRST:
            if len(found) < most:
                found += [self._known(row) for row in nodes.of_kind(self._db, kind, most - len(found))]
        return found

    def _known(self, row: Any) -> Known:
        return Known(row, *self._state(row), row["num"])

    def _state(self, row: Any) -> tuple[str, str]:
        """What a node is today, and what is to be said of that."""
        if row["state"] != "current":
            return row["state"], _label(row["state"], row["reason"])
        if row["ends_after"] and self._today > row["ends_after"]:
            return "stale", _label("stale", row["end_reason"])
        if row["on_files"] and self._commit != self._copied.commit:
            return "current", "its files were not checked at this commit"
        return "current", row["reason"]


def _label(state: str, reason: str) -> str:
    name = "potentially stale" if state in ("stale", "expired", "not_yet") else state
    return f"{name}: {reason}" if reason else name


class Listed:
    """The nodes that an index lists. It does not say whether they hold, so neither is said of them."""

    __slots__ = ("_rows", "_terms")

    def __init__(self, entries: Sequence[dict[str, Any]]) -> None:
        self._rows = sorted(entries, key=lambda entry: str(entry["node_id"]))
        self._terms = [words.terms(f"{row['node_id']} {row['title']} {row['summary']}") for row in self._rows]

    def total(self) -> int:
        return len(self._rows)

    def frequency(self, term: str) -> int:
        return sum(term in terms for terms in self._terms)

    def holding(self, term: str) -> list[int]:
        return [number for number, terms in enumerate(self._terms) if term in terms]

    def read(self, numbers: Iterable[int]) -> dict[int, Known]:
        return {number: self._known(number) for number in numbers}

    def named(self, id: str) -> Known | None:
        return next((self._known(number) for number, row in enumerate(self._rows) if row["node_id"] == id), None)

    def first(self, most: int) -> list[Known]:
        order = {kind: place for place, kind in enumerate(FIRST)}
        numbers = [number for number, row in enumerate(self._rows) if row["kind"] in order]
        numbers.sort(key=lambda number: str(self._rows[number]["accepted_at"]), reverse=True)
        numbers.sort(key=lambda number: order[self._rows[number]["kind"]])
        return [self._known(number) for number in numbers[:most]]

    def _known(self, number: int) -> Known:
        return Known(self._rows[number], "current", NOT_KNOWN, number)


def read_index(index: Index) -> Listed | None:
    """The nodes of a small index; None when it is too large, damaged, or of another project than the folder."""
    config = os.path.join(index.root, FOLDER, "config.json")
    if index.size > LARGEST or not os.path.isfile(config):
        return None
    try:
        with open(index.path, "rb") as file:
            whole = json.loads(file.read(LARGEST + 1).decode("utf-8-sig"))
        project = whole["project_id"]
        with open(config, "rb") as file:
            if json.loads(file.read(LARGEST).decode("utf-8-sig")).get("project_id") != project:
                return None
        return Listed([_row(entry) for entry in whole["nodes"] if entry["project_id"] == project])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _row(entry: dict[str, Any]) -> dict[str, Any]:
    row = {name: entry[name] for name in ("title", "summary", "accepted_at")}
    row |= {"node_id": entry["id"], "kind": entry["node_type"]}
    if not all(isinstance(value, str) for value in row.values()):
        raise ValueError("no index entry")
    return row


class Here:
    """The nodes of a place: a table or a list of them, or the sentence that says why they are left out."""

    __slots__ = ("nodes", "notice")

    def __init__(self, found: Table | Listed | None, notice: str = "") -> None:
        self.nodes = found
        self.notice = notice


NOTHING = Here(None)


def here(db: Db, root: str, directory: str, commit: str, today: str) -> Here:
    """The nodes of the work tree that somebody works in."""
    index = index_of(root, directory)
    if index is None:
        return NOTHING
    copied = Copied.of(db)
    if copied and copied.is_of(index):
        return Here(Table(db, copied, commit, today))
    listed = read_index(index)
    return Here(listed, "" if listed else LEFT_OUT)
