"""Checks of the program itself: what it runs on, and what answers to its name."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator

from pith.services.doctor.finding import NOTE, WARNING, Symptom
from pith.services.doctor.patient import Patient
from pith.store import health

OLDEST_PYTHON = (3, 11)
OLDEST_SQLITE = (3, 37, 0)
_HEAD = 4096  # bytes of a script; a launcher of Windows holds what we look for at its end
_SCRIPT = b"pith.interfaces.cli"


def old_python(_patient: Patient) -> Iterator[Symptom]:
    if sys.version_info[:2] < OLDEST_PYTHON:
        yield Symptom(f"Python {_dotted(sys.version_info[:3])} is too old.", sys.executable)


def old_sqlite(_patient: Patient) -> Iterator[Symptom]:
    if health.SQLITE < OLDEST_SQLITE:
        yield Symptom(f"SQLite {_dotted(health.SQLITE)} is too old.", sys.executable)


def elsewhere(_patient: Patient) -> Iterator[Symptom]:
    path = shutil.which("pith")
    if path is None:
        yield Symptom("No `pith` is on the PATH.", "", "Add the folder of this program to the PATH.", NOTE)
    elif not is_pith(path):
        yield Symptom(f"The `pith` on the PATH, {path}, is another program.", path, "", WARNING)
    elif not is_ours(path):
        yield Symptom(f"The `pith` on the PATH, {path}, is another installation of pith.", path, "", WARNING)


def other_orange(_patient: Patient) -> Iterator[Symptom]:
    path = shutil.which("orange")
    if path is not None and not (is_pith(path) and is_ours(path)):
        yield Symptom(f"The `orange` on the PATH, {path}, is another program.", path)


def is_pith(path: str) -> bool:
    """Whether the program at the path is a pith, of whatever installation."""
    return _SCRIPT in _ends(path)


def is_ours(path: str) -> bool:
    """Whether the program at the path runs with this interpreter's environment."""
    folder = os.path.dirname(os.path.abspath(sys.executable))
    beside = os.path.dirname(os.path.realpath(path)) == os.path.realpath(folder)
    return beside or os.fsencode(os.path.join(folder, "python")) in _ends(path)


def _ends(path: str) -> bytes:
    """Read the beginning and the end of a file; nothing where it cannot be read."""
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD)
            file.seek(max(0, os.fstat(file.fileno()).st_size - _HEAD))
            return head + file.read(_HEAD)
    except OSError:
        return b""


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
