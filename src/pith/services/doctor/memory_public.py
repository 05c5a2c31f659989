"""The audit of what git would carry to everybody: credentials, personal data, and paths of somebody's machine."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pith.domain import secrets
from pith.files.layout import FOLDER
from pith.services.doctor.finding import Symptom
from pith.services.doctor.patient import Patient

_PERSONAL = ("resident-number", "card", "phone", "account", "email")
_MOST = 5  # findings a file; who mends these sees the others
_PRIVATE_PATH = re.compile(
    r"(?<![\w./:-])(?:/(?:home|Users)/[^/\s\"'`]+/|/root(?=/)|/private/var/|/var/folders/)"
    r"|(?<![\w])[A-Za-z]:\\{1,2}Users\\{1,2}[^\\\s]+\\|\bnpm-debug\.log\b|(?<![\w])_logs/[\w.-]+-debug\S*\.log"
)


def credentials(patient: Patient) -> Iterator[Symptom]:
    for name, text in patient.memory.texts:
        shown = f"{FOLDER}/{name}"
        if name.rpartition("/")[2].startswith(".env"):
            yield Symptom(f"{shown} is a file of environment variables, which git would carry.", shown, line=1)
        found = secrets.find(text)
        for each in found[:_MOST]:
            line = _line(text, each.start)
            yield Symptom(f"{shown}:{line} holds what looks like a credential ({each.kind}).", shown, line=line)


def personal(patient: Patient) -> Iterator[Symptom]:
    for name, text in patient.memory.texts:
        if not name.endswith(".md"):
            continue
        shown = f"{FOLDER}/{name}"
        # Front matter holds hashes and times, in which a card's number may stand by chance.
        start = max(0, text.find("\n---", 3))
        found = [each for each in secrets.find(text[start:], personal=True) if each.kind in _PERSONAL]
        for each in found[:_MOST]:
            line = _line(text, start + each.start)
            yield Symptom(f"{shown}:{line} holds personal data ({each.kind}).", shown, line=line)


def private_paths(patient: Patient) -> Iterator[Symptom]:
    for name, text in patient.memory.texts:
        match = _PRIVATE_PATH.search(text)
        if match:
            shown, line = f"{FOLDER}/{name}", _line(text, match.start())
            yield Symptom(f"{shown}:{line} names a place on somebody's machine.", shown, line=line)


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
