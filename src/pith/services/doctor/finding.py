"""The nouns of the doctor: a check and its promise, the symptom it sees, the finding that is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from pith.services.doctor.patient import Patient

ERROR, WARNING, NOTE = "error", "warning", "note"
SEVERITIES = (ERROR, WARNING, NOTE)  # in the order in which they are told


@dataclass(frozen=True, slots=True)
class Symptom:
    """What a check saw, in one sentence; hint and severity only where they differ from the check's own."""

    message: str
    subject: str = ""  # the file, setting or event that it is about
    hint: str = ""
    severity: str = ""
    line: int = 0  # of the file, where that is known


@dataclass(frozen=True, slots=True)
class Finding:
    """A symptom as it is told: data, without a word about how it is shown or repaired."""

    code: str
    severity: str
    message: str
    hint: str
    subject: str
    line: int = 0

    def as_dict(self) -> dict[str, Any]:
        """The finding for programs; a line only where there is one."""
        whole = asdict(self)
        return whole if self.line else {name: value for name, value in whole.items() if name != "line"}


@dataclass(frozen=True, slots=True)
class Check:
    """One promise, and how to see that it is broken. `repair` returns a sentence about what it did."""

    code: str
    group: str
    severity: str
    promise: str
    hint: str
    find: Callable[[Patient], Iterable[Symptom]]
    repair: Callable[[Patient], str] | None = None

    def finding(self, symptom: Symptom) -> Finding:
        """Return the finding that a symptom makes."""
        severity = symptom.severity or self.severity
        return Finding(self.code, severity, symptom.message, symptom.hint or self.hint, symptom.subject, symptom.line)
