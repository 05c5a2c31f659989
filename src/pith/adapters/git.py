"""Ask the git program what git's files do not say simply: the remote, the commit history begins with, what it ignores.

Nothing else in pith runs git. Every answer may be None: git is missing, slow, or does not know.
"""

from __future__ import annotations

import os
import subprocess
import sys
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

_PATIENCE = 1.0  # seconds; a history too long for that stays unknown
_PATIENCE_WITH_FILES = 20.0
# Nothing may make git fetch: older ones ignore GIT_NO_LAZY_FETCH, and a repository names the program that fetches.
_ALONE = {"LC_ALL": "C", "GIT_NO_REPLACE_OBJECTS": "1", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
_NO_WINDOW = 0x0800_0000


def remote(git_dir: str) -> str | None:
    """Return the address of `origin`, or of the first other remote, in the form of `normal_remote`."""
    lines = (_ask(git_dir, "remote", "-v") or "").splitlines()  # with the user's `insteadOf` applied
    urls = dict(line.split(" (fetch)")[0].split("\t", 1) for line in lines if " (fetch)" in line)
    if not urls:
        return None
    return normal_remote(urls.get("origin") or urls[min(urls)])


def root_commit(git_dir: str, commit: str | None = None) -> str | None:
    """Return the oldest commit without parents that `commit` (else HEAD) descends from."""
    if os.path.exists(os.path.join(git_dir, "shallow")):
        return None  # where a shallow history ends says nothing
    answer = _ask(git_dir, "rev-list", "--max-parents=0", commit or "HEAD")
    return answer.split()[-1] if answer else None


def unmerged(folder: str) -> list[str] | None:
    """Return the branches of a repository that hold commits which HEAD does not."""
    answer = _run(folder, "git for-each-ref --no-merged=HEAD --format=%(refname:lstrip=2) refs/heads".split())
    return None if answer is None else answer.splitlines()


def user_name(folder: str) -> str | None:
    """Return the name that git writes on commits made in a folder; never the address."""
    return _run(folder, ["git", "config", "--get", "user.name"]) or None


def files(folder: str) -> list[str] | None:
    """Return what git keeps or would keep below a folder, relative to it: all but what it was told to ignore."""
    words = "-c core.fsmonitor=false ls-files -z --cached --others --exclude-standard --deduplicate".split()
    answer = _bytes(folder, ["git", *words], patience=_PATIENCE_WITH_FILES)
    return None if answer is None else [os.fsdecode(path) for path in answer.split(b"\0") if path]


def commit_at(folder: str, time: str, *, patience: float = _PATIENCE) -> str | None:
    """Return the commit that this branch stood at then; its first one when it is younger than that.

    Along first parents, so that what a merge brought later counts as later. None when nothing is known.
    """
    git = ["git", "rev-list", "--first-parent"]
    found = _run(folder, [*git, "-1", f"--before={time}", "HEAD"], patience)
    if found:
        return found
    if found is None or _run(folder, ["git", "rev-parse", "--is-shallow-repository"], patience) != "false":
        return None  # where a shallow history ends says nothing
    first = _run(folder, [*git, "--max-parents=0", "HEAD"], patience)
    return first.split()[-1] if first else None


class History:
    """The commits that a branch stood at, read once, for who asks about many times; answers as `commit_at` does."""

    def __init__(self, folder: str, *, patience: float) -> None:
        lines = (_run(folder, "git log --first-parent --format=%ct:%H HEAD".split(), patience) or "").splitlines()
        parts = [line.partition(":") for line in lines if line]
        self._commits = [commit for _, _, commit in parts]
        # The first commit on the way back that is not younger: where clocks went wrong, not the one nearest in time.
        self._oldest_so_far = list(accumulate((-int(time) for time, _, _ in parts), max))
        shallow = _run(folder, ["git", "rev-parse", "--is-shallow-repository"], patience)
        self._is_whole = bool(parts) and shallow == "false"

    def at(self, seconds: int) -> str | None:
        """The commit that the branch stood at in a second since 1970."""
        place = bisect_left(self._oldest_so_far, -seconds)
        if place < len(self._commits):
            return self._commits[place]
        return self._commits[-1] if self._is_whole else None


def changed_since(
    folder: str, commit: str, paths: Sequence[str], *, patience: float = _PATIENCE
) -> dict[str, bool] | None:
    """Return which files at or below these paths differ from a commit, in the work tree; whether each is still there.

    Paths are relative to the folder and taken letter by letter.
    """
    git = "git -c core.fsmonitor=false --no-optional-locks --literal-pathspecs".split()
    diff = "diff --name-status -z --no-renames --no-ext-diff --no-textconv --ignore-submodules=dirty --relative".split()
    answer = _bytes(folder, [*git, *diff, commit, "--", *paths], patience=patience)
    if answer is None:
        return None
    parts = [os.fsdecode(part) for part in answer.split(b"\0") if part]
    return {path: status != "D" for status, path in zip(parts[::2], parts[1::2], strict=False)}


def normal_remote(url: str) -> str:
    """Write a remote's address so that its ssh and https forms agree and no password is left.

    `git@example.org:shop/api.git` and `https://me:token@example.org/shop/api` give `example.org/shop/api`.
    """
    scheme, mark, rest = url.strip().partition("://")
    if mark and scheme.lower() != "file":
        host, _, path = rest.partition("/")
        return _host(host) + "/" + _path(path.split("?")[0].split("#")[0])
    if mark:
        return "/" + _path(rest)
    host, colon, path = scheme.partition(":")
    if colon and "/" not in host and "\\" not in host and len(host) > 1:  # else a folder, or a Windows drive
        if host.rpartition("@")[2].startswith("["):
            host, _, path = scheme.partition("]:")
        return _host(host) + "/" + _path(path)
    return ("/" if scheme.startswith("/") else "") + _path(scheme)


def _host(text: str) -> str:
    """Drop user, password and port, which differ between the forms of one address."""
    host = text.rpartition("@")[2].lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def _path(text: str) -> str:
    path = text.replace("\\", "/").strip("/")
    return path.removesuffix(".git").rstrip("/")


def _ask(git_dir: str, *words: str) -> str | None:
    """Run git on this very repository, whatever the environment says, and return its answer."""
    return _run(git_dir, ["git", f"--git-dir={git_dir}", *words])


def _run(folder: str, command: list[str], patience: float = _PATIENCE) -> str | None:
    answer = _bytes(folder, command, patience=patience)
    return None if answer is None else answer.decode("utf-8", "replace").strip()


def _bytes(folder: str, command: list[str], *, patience: float) -> bytes | None:
    settings = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=settings | _ALONE,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=patience,
            check=False,
            creationflags=_NO_WINDOW if sys.platform == "win32" else 0,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):  # ValueError: a NUL in a path that somebody wrote
        return None
    return done.stdout if done.returncode == 0 else None
