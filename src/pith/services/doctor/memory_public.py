"""The audit of what git would carry to everybody: credentials, personal data, and paths of somebody's machine."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from pith.files.layout import FOLDER
from pith.services.doctor.finding import Symptom
from pith.services.doctor.memory import PERSONAL
from pith.services.doctor.patient import Patient

_MOST = 5  # findings a file; who mends these sees the others
# Each match holds one of these; looking for them first is ten times as fast as the expression.
_MARKS = ("/home/", "/Users/", "/root", "/private/", "/var/folders/", "\\Users\\", "debug")
_PRIVATE_PATH = re.compile(
    r"(?<![\w./:-])(?:/(?:home|Users)/[^/\s\"'`]+/|/root(?=/)|/private/var/|/var/folders/)"
    r"|(?<![\w])[A-Za-z]:\\{1,2}Users\\{1,2}[^\\\s]+\\|\bnpm-debug\.log\b|(?<![\w])_logs/[\w.-]+-debug\S*\.log"
)


def credentials(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    for name in memory.carried():
        if name.rpartition("/")[2].startswith(".env"):
            shown = f"{FOLDER}/{name}"
            yield Symptom(f"{shown} is a file of environment variables, which git would carry.", shown, line=1)
    yield from _told([each for each in memory.private if each[2] not in PERSONAL], "what looks like a credential")


def personal(patient: Patient) -> Iterator[Symptom]:
    yield from _told([each for each in patient.memory.private if each[2] in PERSONAL], "personal data")


def _told(found: list[tuple[str, int, str]], what: str) -> Iterator[Symptom]:
    count = Counter[str]()
    for name, line, kind in found:
        count[name] += 1
        if count[name] <= _MOST:
            shown = f"{FOLDER}/{name}"
            yield Symptom(f"{shown}:{line} holds {what} ({kind}).", shown, line=line)


def private_paths(patient: Patient) -> Iterator[Symptom]:
    for name, text in patient.memory.texts:
        match = _PRIVATE_PATH.search(text) if any(mark in text for mark in _MARKS) else None
        if match:
            shown, line = f"{FOLDER}/{name}", text.count("\n", 0, match.start()) + 1
            yield Symptom(f"{shown}:{line} names a place on somebody's machine.", shown, line=line)
