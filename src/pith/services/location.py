"""Where is work done: a work tree, a bare repository, or a folder without git? Read from git's files only."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_PACKED_REFS_LIMIT = 8_000_000  # bytes; a commit that would cost more to find stays unknown
_WORKTREES, _MODULES = f"{os.sep}worktrees{os.sep}", f"{os.sep}modules{os.sep}"


class Place:
    """Where work is done: a work tree, a bare repository, or a folder without git."""

    __slots__ = ("branch", "commit", "common_dir", "directory", "root")

    def __init__(
        self, root: str, common_dir: str | None, branch: str | None, commit: str | None, directory: str
    ) -> None:
        self.root = root  # top of the work tree, or the folder
        self.common_dir = common_dir  # the git folder that all worktrees of a clone share
        self.branch = branch
        self.commit = commit
        self.directory = directory  # inside the root, with forward slashes; "" at the top


def working_folder() -> str:
    """Where this process was started. Raises NotFound where that folder is gone."""
    try:
        return os.getcwd()
    except OSError as error:
        from pith.errors import NotFound

        raise NotFound("This folder does not exist any more.", hint="Go to one that does, then try again.") from error


def locate(cwd: str, project_dir: str | None = None) -> Place:
    """Say where `cwd` is, from git's files only; it need not exist any more.

    `project_dir` is where the host's session began. It decides which project this is, because an agent that
    steps into another folder for one command is still at the same work; `cwd` gives worktree and directory.
    """
    here = _locate(cwd)
    if not project_dir or project_dir == cwd:
        return here
    begun = _locate(project_dir)
    if here.common_dir == begun.common_dir and (here.common_dir or here.root == begun.root):
        return here
    begun.directory = _inside(begun.root, _real(cwd))
    return begun


def _locate(cwd: str) -> Place:
    real = _real(cwd)
    for folder in upwards(real):
        found = _git_dir(folder)
        if found:
            git_dir, common = found
            root = os.path.dirname(folder) if os.path.basename(folder) == ".git" else folder
            branch, commit = _head(git_dir, common)
            return Place(root, common, branch, commit, _inside(root, real))
    root = _marked_root(real) or real
    return Place(root, None, None, None, _inside(root, real))


def _real(path: str) -> str:
    """Follow symbolic links; what no file system could have as a name is read as far as it makes sense."""
    try:
        return os.path.realpath(path)
    except ValueError:
        return os.path.realpath(_clean(path).partition("\0")[0])


def upwards(folder: str) -> Iterator[str]:
    """Give the folder and those above it, to the top of the file system."""
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def _inside(root: str, path: str) -> str:
    """Write the path below the root with forward slashes; "" for the root itself and for what is outside."""
    top = root.rstrip(os.sep) + os.sep
    below = path[len(top) :] if path.startswith(top) else ""
    return _clean(below.replace(os.sep, "/"))


def _clean(text: str) -> str:
    """Make text that a database can keep: a name in a foreign encoding has halves of characters in it."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _marked_root(folder: str) -> str | None:
    """Find the nearest folder with a project memory of its own, where there is no git."""
    for above in upwards(folder):
        if os.path.isfile(shared_settings(above)):
            return above
    return None


# -- Git's files ------------------------------------------------------------------------------------------


def _git_dir(folder: str) -> tuple[str, str] | None:
    """Give the git folder that serves this folder, and the one its worktrees share; None if there is none."""
    inner = os.path.join(folder, ".git")
    if os.path.isfile(inner):
        return _linked_git_dir(folder, _first_line(inner))
    for git_dir in (inner, folder):  # a folder that is itself a git folder is a bare repository
        if os.path.isfile(os.path.join(git_dir, "HEAD")) and os.path.isdir(os.path.join(git_dir, "objects")):
            real = os.path.realpath(git_dir)
            return real, real
    return None


def _linked_git_dir(folder: str, line: str) -> tuple[str, str] | None:
    """Follow the `.git` file of a worktree, a submodule or a repository with its git folder elsewhere."""
    if not line.startswith("gitdir:"):
        return None
    git_dir = os.path.realpath(os.path.join(folder, line[len("gitdir:") :].strip()))
    shared = _first_line(os.path.join(git_dir, "commondir"))
    if shared:
        return git_dir, os.path.realpath(os.path.join(git_dir, shared))
    before, mark, after = git_dir.partition(_WORKTREES)
    if not mark:
        return git_dir, git_dir
    # Either git has forgotten this worktree, or the repository moved without it: the name still tells whose
    # it was. Or it is a submodule inside a worktree, which is the same project as in the main work tree.
    _name, modules, rest = after.partition(_MODULES)
    return git_dir, before + modules + rest


def _head(git_dir: str, common: str) -> tuple[str | None, str | None]:
    """Give branch and commit; both may be unknown (no commit yet, or references in another format)."""
    line = _first_line(os.path.join(git_dir, "HEAD"))
    branch = None
    if line.startswith("ref: refs/heads/") and line != "ref: refs/heads/.invalid":
        branch = _clean(line[len("ref: refs/heads/") :])
    for _ in range(5):  # a reference may name a reference, though not for ever
        if not line.startswith("ref: "):
            break
        line = _reference(git_dir, common, line[len("ref: ") :].strip())
    return branch, line if _is_commit(line) else None


def _reference(git_dir: str, common: str, name: str) -> str:
    for folder in (git_dir, common):
        line = _first_line(os.path.join(folder, name))
        if line:
            return line
    return _packed(os.path.join(common, "packed-refs"), os.fsencode(name))


def _packed(path: str, name: bytes) -> str:
    try:
        if not os.path.isfile(path) or os.stat(path).st_size > _PACKED_REFS_LIMIT:
            return ""
        with open(path, "rb") as file:
            text = file.read()
    except OSError:
        return ""
    end = text.replace(b"\r\n", b"\n").find(b" " + name + b"\n")
    start = text.rfind(b"\n", 0, max(end, 0)) + 1
    return text[start:end].decode("ascii", "replace") if end > 0 else ""


def _is_commit(text: str) -> bool:
    return len(text) in (40, 64) and not text.strip("0123456789abcdef")


def _first_line(path: str) -> str:
    """Read the first line of a small file, as the file system writes names; "" when there is none."""
    if not os.path.isfile(path):
        return ""  # a terminal or a pipe under the name of a file would keep us waiting for ever
    try:
        with open(path, "rb") as file:
            return os.fsdecode(file.read(4096).partition(b"\n")[0].rstrip())
    except OSError:
        return ""


def shared_settings(root: str) -> str:
    """Where a repository's own settings are."""
    return os.path.join(root, ".orange-hyper", "config.json")


def shared_index(root: str, directory: str = "") -> str | None:
    """Find the index of accepted nodes of the nearest project memory from a directory up to the root above it.

    Never through a link: what a repository brings must not name files outside of it.
    """
    folder = os.path.join(root, directory) if directory else root
    while True:
        base = os.path.join(folder, ".orange-hyper")
        path = os.path.join(base, "graph", "index.json")
        if os.path.isfile(path):
            return None if any(map(os.path.islink, (base, os.path.dirname(path), path))) else path
        if len(folder) <= len(root):
            return None
        folder = os.path.dirname(folder)
