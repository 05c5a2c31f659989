"""Finding and repairing: run every check that can be run, and the repairs that belong to what was found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pith.errors import PithError, StoreCorrupt
from pith.services.doctor.checks import CHECKS, CONTENT, KNOWLEDGE, MEMORY, check
from pith.services.doctor.finding import NOTE, SEVERITIES, WARNING, Check, Finding, Symptom
from pith.services.doctor.patient import Patient, admit


@dataclass(frozen=True, slots=True)
class Examination:
    """What was found, the worst first, and which checks could not be made."""

    findings: tuple[Finding, ...]
    made: int
    left_out: tuple[str, ...]

    def count(self, severity: str) -> int:
        return sum(finding.severity == severity for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Treatment:
    """What came of one repair, in a sentence."""

    code: str
    message: str
    worked: bool


def examine(patient: Patient, checks: Iterable[Check] = CHECKS) -> Examination:
    """Make every check that this patient's state allows; none of them raises."""
    found: list[Finding] = []
    made, left_out = 0, []
    for each in checks:
        if each.group == MEMORY and not patient.has_memory:
            continue
        if each.group in (CONTENT, KNOWLEDGE) and not _is_readable(patient):
            if patient.store_path:
                left_out.append(each.code)
            continue
        made += 1
        found += _findings(each, patient)
    return Examination(tuple(sorted(dict.fromkeys(found), key=_rank)), made, tuple(left_out))


def _is_readable(patient: Patient) -> bool:
    try:
        return patient.is_readable
    except Exception:  # told by the checks of the file
        return False


def _findings(each: Check, patient: Patient) -> list[Finding]:
    try:
        return [each.finding(symptom) for symptom in each.find(patient)]
    except StoreCorrupt as error:  # damage that lies deeper than a quick look at the pages goes
        return [check("STORE_CORRUPT").finding(Symptom(str(error), patient.store_path or ""))]
    except PithError as error:
        reason, hint = str(error), error.hint
    except Exception as error:  # an examination must reach its end, and texts of foreign errors may quote a person
        reason, hint = f"It met a {type(error).__name__}.", "Please report this; the other checks were made."
    severity = WARNING if each.severity == NOTE else each.severity
    promise = each.promise.rstrip(".")
    return [each.finding(Symptom(f"This could not be checked: {promise}. {reason}", each.code, hint, severity))]


def _rank(finding: Finding) -> int:
    return SEVERITIES.index(finding.severity)


def repairable(findings: Iterable[Finding]) -> list[str]:
    """Return the codes among the findings that have a repair, each repair once, in the order of the checks."""
    codes = {finding.code for finding in findings}
    chosen: dict[object, str] = {}
    for each in CHECKS:
        if each.code in codes and each.repair:
            chosen.setdefault(each.repair, each.code)
    return list(chosen.values())


def repair(patient: Patient, code: str) -> Treatment:
    """Do what puts right the findings of a code; a repair that fails says why."""
    treat = check(code).repair
    if treat is None:
        return Treatment(code, "There is no safe repair for this.", worked=False)
    try:
        return Treatment(code, treat(patient), worked=True)
    except PithError as error:
        return Treatment(code, f"{error} {error.hint}".strip(), worked=False)
    except Exception as error:  # the other repairs are to be tried too
        return Treatment(code, f"The repair met a {type(error).__name__}; please report this.", worked=False)


def repair_all(codes: Iterable[str], *, deep: bool = False) -> list[Treatment]:
    """Make these repairs, then those of what could only be seen after them: a database that can be read again."""
    made: list[Treatment] = []
    waiting = list(codes)
    while waiting:
        for code in waiting:
            with admit(deep=deep) as patient:  # met anew: a repair changes what the next one finds
                made.append(repair(patient, code))
        with admit(deep=deep) as patient:
            found = examine(patient)
        tried = {treatment.code for treatment in made}
        waiting = [code for code in repairable(found.findings) if code not in tried]
    return made
