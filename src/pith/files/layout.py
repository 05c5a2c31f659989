"""Where things are under `.orange-hyper/`, and that nothing named in a file or a command leads out of it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from pith.domain import nodes, proposals
from pith.errors import InputError, PithError

FOLDER = ".orange-hyper"
KINDS = nodes.KINDS
STATUSES = proposals.STATUSES

CONFIG = "config.json"
IGNORE = ".gitignore"
ATTRIBUTES = ".gitattributes"
ACTIVE, COMPLETED = "quests/active", "quests/completed"
PROPOSALS = "proposals/memory-delta"
NODES, INDEX, EDGES = "graph/nodes", "graph/index.json", "graph/edges.jsonl"
CAPSULE, TRACES = "capsules/current.md", "traces/route.jsonl"
INTENT, LOCK = "local/intent.json", "local/write.lock"
IDENTITY, SUMMARY = "identity/orange-hyper.html", "identity/summary.json"
STRUCTURE = "structure/structure.json"
NODE_CACHE, READY_LIST, READY_INDEX = "local/nodes.json", "local/list.ready", "local/index.ready"

_WRITTEN = (
    "quests", ACTIVE, COMPLETED, "proposals", PROPOSALS, "graph", NODES, "capsules", "traces", "local", LOCK,
    "identity", "structure", *(f"{PROPOSALS}/{status}" for status in STATUSES), *(f"{NODES}/{kind}" for kind in KINDS),
)  # fmt: skip

LARGEST = 2_000_000  # bytes of one Markdown file; larger ones are a finding, never read whole

_ID = re.compile(r"[^\W_][\w.\-]*", re.UNICODE)


class NotInitialized(PithError):
    """There is no `.orange-hyper/` here or above."""

    code = "USER_INPUT_ERROR"
    hint = "Run `pith init --shared`, which is also `orange init`, in the repository first."
    http_status = 404

    def __init__(self) -> None:
        super().__init__("There is no project memory here: neither this folder nor one above holds `.orange-hyper/`.")


class OutsideMemory(PithError):
    """A path or a link leads out of `.orange-hyper/`."""

    code = "USER_INPUT_ERROR"
    hint = "Replace the link by a real folder."
    http_status = 400


class Layout:
    """The project memory of one repository: `root` is the folder that holds `.orange-hyper/`."""

    __slots__ = ("base", "root")

    def __init__(self, root: Path) -> None:
        self.root = root
        self.base = root / FOLDER

    def path(self, name: str) -> Path:
        """The path of something under `.orange-hyper/`, given with forward slashes."""
        return self.base / name

    def shown(self, path: Path) -> str:
        """A path as it is printed and stored: relative to the repository, with forward slashes."""
        return path.relative_to(self.root).as_posix()

    def proposals(self, status: str) -> Path:
        return self.base / PROPOSALS / status

    def nodes(self, kind: str) -> Path:
        return self.base / NODES / kind

    def is_inside(self, path: Path) -> bool:
        """Whether a path, links followed, stays under `.orange-hyper/`."""
        return path.resolve().is_relative_to(self.base.resolve())

    def demand_no_links(self) -> None:
        """Raise OutsideMemory where a folder that commands write into is a link: a repository may hold any link."""
        for name in ("", *_WRITTEN):
            path = self.base / name
            if path.is_symlink():
                raise OutsideMemory(f"{path} is a symbolic link; project memory must be real folders.")

    def files(self, folder: str) -> list[Path]:
        """The Markdown files of a folder, by name; links out of the memory and folders named so are left out."""
        return [self.base / folder / entry.name for entry in self.entries(folder)]

    def entries(self, folder: str) -> list[os.DirEntry[str]]:
        """The same as the system lists them, for who asks about thousands."""
        try:
            with os.scandir(self.base / folder) as found:
                kept = [
                    entry
                    for entry in found
                    if entry.name.endswith(".md") and not entry.name.startswith(".") and self._is_readable(entry)
                ]
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted(kept, key=lambda entry: entry.name)

    def _is_readable(self, entry: os.DirEntry[str]) -> bool:
        try:
            if entry.is_symlink() and not self.is_inside(Path(entry.path)):
                return False
            return entry.is_file()
        except OSError:
            return False


def find(start: Path) -> Layout:
    """The project memory of the nearest folder above `start` that has one; never a linked `.orange-hyper`.

    Raises NotInitialized when there is none.
    """
    here = Path(os.path.abspath(start))
    for folder in (here, *here.parents):
        base = folder / FOLDER
        if base.is_symlink():
            raise OutsideMemory(f"{base} is a symbolic link; project memory must be a real folder of the repository.")
        if base.is_dir():
            return Layout(folder)
    raise NotInitialized


def checked_id(text: str, what: str) -> str:
    """An id as it was typed, refused when it is a path or holds what no id holds (`..`, a slash, NUL, a newline)."""
    if "/" in text or "\\" in text or text in (".", "..") or ".." in text:
        raise InputError(
            f"{what} selector must be an id, not a path.", hint="Give the id that the list command prints."
        )
    if not text or not _ID.fullmatch(text):
        raise InputError(
            f"{what} id is empty or has characters that no id has.", hint="Give the id that the list prints."
        )
    return text
