"""A project memory as the doctor meets it: every file read once, whatever it holds, and nothing changed."""

from __future__ import annotations

import os
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

from pith.adapters import git
from pith.domain import secrets
from pith.domain.nodes import Node
from pith.domain.origin import NAMES
from pith.domain.proposals import ACCEPTED, Proposal
from pith.domain.quests import Quest
from pith.errors import PithError
from pith.files import config, edges, graph_index, layout, nodes, proposals, quests
from pith.files.config import Config
from pith.files.edges import Line
from pith.files.front_matter import Document, MemoryFileInvalid
from pith.files.kept import Kept
from pith.files.layout import FOLDER, INDEX, KINDS, NODES, PROPOSALS, STATUSES, Layout
from pith.services import location
from pith.services.project_memory.shared import Shared, open_shared

T = TypeVar("T")

QUESTS = (layout.ACTIVE, layout.COMPLETED)
DECIDED = tuple(f"{PROPOSALS}/{status}" for status in STATUSES)
PERSONAL = ("resident-number", "card", "phone", "account", "email")
FOLDERS = (*QUESTS, *DECIDED, *(f"{NODES}/{kind}" for kind in KINDS))


def name_of(path: Path) -> str:
    """The id that a file's name says, in composed letters: some systems take these apart."""
    return unicodedata.normalize("NFC", path.stem)


@dataclass
class Shelf(Generic[T]):
    """The files of one sort: those that could be read, and what is wrong with each other one."""

    items: list[Kept[T]] = field(default_factory=list)
    problems: list[MemoryFileInvalid] = field(default_factory=list)

    @property
    def documents(self) -> list[Document]:
        return [each.document for each in self.items]

    @cached_property
    def stems(self) -> set[str]:
        """The names of all files, also of those that cannot be read: what they hold is not missing."""
        unread = [problem.path for problem in self.problems if problem.path]
        return {name_of(path) for path in (*(each.path for each in self.items), *unread)}


class Memory:
    """Everything under one `.orange-hyper/`."""

    def __init__(self, root: Path) -> None:
        self.layout = Layout(root)
        self.config_error: MemoryFileInvalid | None = None

    @property
    def exists(self) -> bool:
        return os.path.lexists(self.layout.base)

    @property
    def is_open(self) -> bool:
        """Whether it can be looked into: a real folder."""
        return self.layout.base.is_dir() and not self.layout.base.is_symlink()

    def shown(self, path: Path) -> str:
        return self.layout.shown(path)

    @cached_property
    def config(self) -> Config | None:
        """The configuration, or None where there is none or it cannot be read (`config_error`)."""
        try:
            return config.read(self.layout) if self.is_open else None
        except config.ConfigInvalid as error:
            said = str(error).removeprefix(str(self.layout.path(layout.CONFIG)))
            line, _, rest = said.removeprefix(":").partition(" ")
            path = self.layout.path(layout.CONFIG)
            self.config_error = MemoryFileInvalid(rest.rstrip("."), path, int(line) if line.isdigit() else None)
        except PithError:
            pass
        return None

    @property
    def project_id(self) -> str:
        return self.config.project_id if self.config else ""

    def shared(self) -> Shared:
        """The project memory opened for a repair."""
        return open_shared(self.layout.root)

    # -- Files

    @cached_property
    def links(self) -> list[Path]:
        """Folders and single files of the memory that lead out of it."""
        names = {layout.CONFIG, layout.IGNORE, layout.ATTRIBUTES, INDEX, layout.EDGES}
        for name in FOLDERS:
            parts = name.split("/")
            names |= {"/".join(parts[:count]) for count in range(1, len(parts) + 1)}
        found: list[Path] = []
        for path in sorted(map(self.layout.path, names)):
            within = any(path.is_relative_to(link) for link in found)
            if not within and path.is_symlink() and not self.layout.is_inside(path):
                found.append(path)
        return found

    @cached_property
    def quests(self) -> Shelf[Quest]:
        return self._shelf(QUESTS, quests.read)

    @cached_property
    def proposals(self) -> Shelf[Proposal]:
        return self._shelf(DECIDED, proposals.read)

    @cached_property
    def nodes(self) -> Shelf[Node]:
        return self._shelf([f"{NODES}/{kind}" for kind in KINDS], nodes.read)

    @property
    def shelves(self) -> tuple[Shelf[Any], ...]:
        return self.quests, self.proposals, self.nodes

    @cached_property
    def own_nodes(self) -> dict[str, Kept[Node]]:
        """The nodes of this project by id, the first where one stands twice."""
        found: dict[str, Kept[Node]] = {}
        for each in self.nodes.items:
            if each.value.project_id == self.project_id:
                found.setdefault(each.value.id, each)
        return dict(sorted(found.items()))

    @cached_property
    def own_ids(self) -> Counter[str]:
        """How often each id of this project stands in a node."""
        return Counter(each.value.id for each in self.nodes.items if each.value.project_id == self.project_id)

    @cached_property
    def accepted(self) -> dict[str, Kept[Proposal]]:
        """The accepted proposals by the name of their file."""
        return {name_of(each.path): each for each in self.proposals.items if each.path.parent.name == ACCEPTED}

    def _shelf(self, folders: Any, read: Callable[[Path], Kept[T]]) -> Shelf[T]:
        shelf: Shelf[T] = Shelf()
        for folder in folders:
            try:
                paths = self._listed(folder)
            except OSError as error:
                problem = f"cannot be read ({error.strerror})"
                shelf.problems.append(MemoryFileInvalid(problem, self.layout.path(folder)))
                continue
            self._fill(shelf, paths, read)
        return shelf

    def _fill(self, shelf: Shelf[T], paths: list[Path], read: Callable[[Path], Kept[T]]) -> None:
        for path in paths:
            try:
                self._demand_file(path)
                shelf.items.append(read(path))
            except MemoryFileInvalid as problem:
                shelf.problems.append(problem)

    def _listed(self, folder: str) -> list[Path]:
        """Everything in a folder that is named as a Markdown file, also what is none."""
        base = self.layout.path(folder)
        if not self.is_open or any(base.is_relative_to(link) for link in self.links):
            return []
        try:
            names = sorted(os.listdir(base))
        except (FileNotFoundError, NotADirectoryError):  # told as structure
            return []
        return [base / name for name in names if name.endswith(".md") and not name.startswith(".")]

    def _demand_file(self, path: Path) -> None:
        if path.is_symlink() and not self.layout.is_inside(path):
            raise MemoryFileInvalid("a link out of the project memory; it is not followed", path)
        if path.is_symlink() and not path.exists():
            raise MemoryFileInvalid("a link that leads nowhere", path)
        if path.is_dir():
            raise MemoryFileInvalid("a folder where a file belongs", path)
        if not path.is_file():
            raise MemoryFileInvalid("no ordinary file", path)

    # -- The graph

    @cached_property
    def index(self) -> dict[str, Any] | MemoryFileInvalid | None:
        """The index, what is wrong with it, or None where there is none."""
        path = self.layout.path(INDEX)
        if not self.is_open or not path.exists() or any(path.is_relative_to(link) for link in self.links):
            return None
        try:
            if path.is_file() and path.stat().st_size > edges.LARGEST:
                raise MemoryFileInvalid(f"the file is larger than {edges.LARGEST // 1_000_000} MB", path)
            return graph_index.read(self.layout)
        except MemoryFileInvalid as problem:
            return problem

    @property
    def entries(self) -> list[dict[str, Any]]:
        """What the index says of nodes, as far as it can be read."""
        held = self.index["nodes"] if isinstance(self.index, dict) else ()
        return [entry for entry in held if isinstance(entry, dict) and isinstance(entry.get("id"), str)]

    @cached_property
    def outdated(self) -> list[str]:
        """The ids of which the index says what the node's file does not."""
        wrong = []
        for entry in self.entries:
            node = self.own_nodes.get(entry["id"])
            if (
                node
                and self.own_ids[entry["id"]] == 1
                and entry != graph_index.indexed(graph_index.entry_of(node.value, self.shown(node.path)))
            ):
                wrong.append(entry["id"])
        return wrong

    @property
    def is_index_fresh(self) -> bool:
        """Whether the index says nothing beside what the nodes say."""
        if not isinstance(self.index, dict) or self.outdated or len(self.entries) != len(self.index["nodes"]):
            return False
        return {entry["id"] for entry in self.entries} == self.own_nodes.keys() and set(self.index) <= _INDEX_KEYS

    @cached_property
    def edges(self) -> list[Line]:
        """The lines of `edges.jsonl`; where it cannot be read at all, one line that says so."""
        path = self.layout.path(layout.EDGES)
        if not self.is_open or any(path.is_relative_to(link) for link in self.links):
            return []
        try:
            return edges.lines(self.layout)
        except MemoryFileInvalid as problem:
            return [Line(0, "", problem=problem)]

    # -- What git carries

    @cached_property
    def carried_by_git(self) -> set[str] | None:
        """The files below `.orange-hyper/` that git keeps or would keep; None where git does not say."""
        found = git.files(str(self.layout.base)) if self.is_open else None
        return None if found is None else set(found)

    def carried(self) -> list[str]:
        """The same, by the rules that `init` writes where git does not say."""
        if self.carried_by_git is not None:
            return sorted(self.carried_by_git)
        return sorted(_walked(self.layout.base)) if self.is_open else []

    @cached_property
    def texts(self) -> list[tuple[str, str]]:
        """The files that git carries with their texts; a fresh index repeats the nodes, and is left out."""
        found = []
        for name in self.carried():
            text = None if name == INDEX and self.is_index_fresh else self._text(name)
            if text is not None:
                found.append((name, text))
        return found

    @cached_property
    def private(self) -> list[tuple[str, int, str]]:
        """File, line and kind of everything that looks like a credential or, below front matter, like personal data."""
        found: list[tuple[str, int, str]] = []
        for name, text in self.texts:
            # Front matter holds hashes and times, in which a card's number may stand by chance.
            body = max(0, text.find("\n---", 3)) if name.endswith(".md") else len(text)
            found += [
                (name, text.count("\n", 0, each.start) + 1, each.kind)
                for each in secrets.find(text, personal=True)
                if each.kind not in PERSONAL or each.start >= body
            ]
        return found

    def _text(self, name: str) -> str | None:
        path = self.layout.path(name)
        largest = edges.LARGEST if name in (INDEX, layout.EDGES) else layout.LARGEST
        try:
            if path.is_symlink() or not path.is_file() or path.stat().st_size > largest:
                return None
            return path.read_bytes().decode("utf-8-sig", "replace")
        except OSError:
            return None


_INDEX_KEYS = {
    "schema_version", "index_version", "project_id", "project_name", "updated_at", "generated_at", "source", "nodes",
    *NAMES, "license",
}  # fmt: skip

# What `init` tells git to ignore, for folders that are in no repository.
LOCAL = (
    "capsules/", "traces/", "identity/", "local/", "structure/", "hooks/", "evals/",
    f"{PROPOSALS}/pending/", f"{PROPOSALS}/rejected/",
)  # fmt: skip


def _walked(base: Path) -> Iterator[str]:
    for folder, _, names in os.walk(base):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), base).replace(os.sep, "/")
            if not path.startswith(LOCAL) and not path.endswith(".draft"):
                yield path


def root_of(folder: str) -> Path:
    """The folder whose memory it is: the nearest above that has one, else the top of the work tree."""
    here = Path(os.path.abspath(folder))
    for each in (here, *here.parents):
        if os.path.lexists(each / FOLDER):
            return each
    return Path(location.locate(folder).root)
