"""The command that a host is told to run for a hook, and how to know it again in a settings file."""

from __future__ import annotations

import os
import re
import shlex
import sys
from dataclasses import dataclass

from pith.errors import PithError

# No site-packages, no environment, no working folder on the path: the hook needs the standard library and us.
OPTIONS = ("-S", "-E", "-I")

_START = re.compile(r"pith[\\/]+interfaces[\\/]+hook[\\/]+start\.py")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


class ProgramUnusable(PithError):
    """This installation cannot be named in a host's settings."""

    code = "PROGRAM_UNUSABLE"
    hint = "Install pith with `pipx install pith-memory` or `uv tool install pith-memory`, then try again."
    http_status = 409


@dataclass(frozen=True, slots=True)
class Program:
    """An interpreter, and the file it starts the hook with; both absolute."""

    python: str
    start: str

    def words(self, host: str) -> list[str]:
        """Return the command line for one host's hooks."""
        return [self.python, *OPTIONS, self.start, host]

    @property
    def exists(self) -> bool:
        return os.access(self.python, os.X_OK) and os.path.isfile(self.start)


def here() -> Program:
    """Return this very program, so that a hook runs what installed it."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    program = Program(interpreter(), os.path.join(package, "interfaces", "hook", "start.py"))
    for path in (program.python, program.start):
        _demand_text(path)
    return program


def interpreter() -> str:
    """Return the absolute path of the running interpreter; inside an environment, of the environment's own.

    The link is not followed. An environment's python lives and dies with the package beside it, while the
    file behind the link often carries a version in its path and goes away with the next small upgrade.
    """
    if not sys.executable:
        raise ProgramUnusable("This Python does not say where it is, so a host cannot start it.")
    path = os.path.abspath(sys.executable)
    if os.path.basename(os.path.dirname(path)) == "shims":  # a script that looks for a Python, 9 x as slow
        path = os.path.realpath(getattr(sys, "_base_executable", "") or path)
    return path


def is_temporary(program: Program) -> bool:
    """Whether the program stands in a cache that the tool which made it may empty at any time."""
    folders = re.split(r"[\\/]", program.start)
    return "archive-v0" in folders or "ephemeral" in folders  # `uvx`, `uv run --with`


def _demand_text(path: str) -> None:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError as error:
        shown = path.encode("utf-8", "backslashreplace").decode()
        raise ProgramUnusable(f"{shown} is not UTF-8, and a settings file cannot hold it.") from error


def is_ours(command: str, words: list[str]) -> bool:
    """Whether a hook's command is pith's, from whatever interpreter, version or place."""
    if _START.search(" ".join([command, *words])):
        return True
    return any(_program_name(each) == "pith-hook" for each in (words, _split(command, posix=False)))


def split(command: str) -> list[str]:
    """Split a shell command into words; a command that no shell would take is one word."""
    return _split(command, posix=True) or [command]


def _split(command: str, *, posix: bool) -> list[str]:
    try:
        return shlex.split(command, posix=posix)
    except ValueError:
        return []


def _program_name(words: list[str]) -> str:
    """Return the name of the program that a line of words starts, without folder and `.exe`."""
    program = next((word for word in words if not _ASSIGNMENT.match(word)), "")
    name = re.split(r"[\\/]", program.strip("\"'"))[-1]
    return name.removesuffix(".exe")


def find(words: list[str]) -> Program | None:
    """Return the interpreter and file that a command of ours names, if it is of that form."""
    start = next((word for word in words if _START.search(word)), None)
    return Program(words[0], start) if start and words[0] != start else None
