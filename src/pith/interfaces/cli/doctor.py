"""`pith doctor`: is everything as it should be, and if not, what to do about it."""

from __future__ import annotations

from pith.interfaces.cli.command import Answer, command, option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal
    from pith.services.doctor.examination import Examination, Treatment
    from pith.services.doctor.patient import Patient

BROKEN = 2  # the exit code when there are errors
COLOURS = {"error": "red", "warning": "yellow", "note": "dim"}


@command(
    "doctor.run",
    option("--repair", flag=True, help="Repair what is safe to repair, after asking."),
    option("--yes", "-y", flag=True, help="Repair without asking."),
    option("--deep", flag=True, help="Compare every index and every word; slower."),
    option("--strict", flag=True, help="Count warnings as errors."),
    option("--shared", flag=True, help="Only the project memory that git carries, in .orange-hyper/."),
    option("--repair-project-id", flag=True, help="Give project memory files without a project id the project's."),
)
def doctor(
    repair: bool, yes: bool, deep: bool, strict: bool, shared: bool, repair_project_id: bool, terminal: Terminal
) -> Answer:
    """Check the program, the home, the store, the hooks and project memory; say what to do about what is wrong."""
    from pith.services.doctor import examination
    from pith.services.doctor.patient import admit

    def met() -> Patient:
        return admit(deep=deep, shared=shared)

    filled = _filled(met) if repair_project_id else []
    treatments: list[Treatment] = []
    with met() as patient:
        found = _examined(patient)
    codes = examination.repairable(found.findings) if repair else []
    asked = bool(codes) and (yes or _agreed(found, codes, terminal))
    for code in codes if asked else ():
        with met() as patient:
            treatments.append(examination.repair(patient, code))
    if treatments:
        with met() as patient:
            found = _examined(patient)
    return _answer(patient, found, strict, treatments, filled, [] if asked else codes)


def _filled(met: Any) -> list[str]:
    from pith.services.doctor import memory_identity

    with met() as patient:
        return memory_identity.fill(patient.memory)


def _examined(patient: Patient) -> Examination:
    from pith.services.doctor import checks, examination

    made = [each for each in checks.CHECKS if each.group == checks.MEMORY or not patient.shared]
    return examination.examine(patient, made)


def _agreed(found: Examination, codes: list[str], terminal: Terminal) -> bool:
    for finding in found.findings if terminal.is_screen else ():
        if finding.code in codes:
            terminal.note(f"{finding.code}: {finding.message}")
    return terminal.confirm("Repair them now?")


def _answer(
    patient: Patient,
    found: Examination,
    strict: bool,
    treatments: list[Treatment],
    filled: list[str],
    unrepaired: list[str],
) -> Answer:
    """The findings in the shape of `pith doctor`, or, about project memory alone, in that of orange-hyper."""
    from pith.services.doctor import report

    data = _data(found, strict)
    data["repaired"] = [{"code": each.code, "message": each.message, "worked": each.worked} for each in treatments]
    data["unrepaired"] = unrepaired
    errors = data["errors"]
    if patient.shared:
        data = report.recorded(patient.memory, data["findings"], filled, treatments)
        data["memory"] = {"checks": found.made, "unrepaired": unrepaired}
    else:
        data["repaired"] += [{"code": report.REPAIRED, "message": said, "worked": True} for said in filled]
        data["shared"] = _shared(patient, data["findings"])
    return Answer(data, code=BROKEN, error=_failure(errors)) if errors else Answer(data)


def _failure(errors: int) -> dict[str, str]:
    return {
        "code": "DOCTOR_FAILED",
        "message": f"doctor found {_count(errors, 'error')}.",
        "hint": "Each finding in `data` has its own next step; `pith doctor --repair` does what is safe.",
    }


def _shared(patient: Patient, findings: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Where the project memory is and how many of the findings are its own; None where there is none."""
    from pith.services.doctor.checks import CHECKS, MEMORY

    if not patient.has_memory:
        return None
    codes = [each.code for each in CHECKS if each.group == MEMORY]
    own = [each["severity"] for each in findings if each["code"] in codes]
    project = patient.memory.config.as_json() if patient.memory.config else None
    counts = {f"{name}s": own.count(name) for name in COLOURS}
    return {"root": str(patient.memory.layout.root), "project": project, "checks": len(codes), **counts}


def _data(found: Examination, strict: bool) -> dict[str, Any]:
    findings = [finding.as_dict() for finding in found.findings]
    for finding in findings if strict else ():
        if finding["severity"] == "warning":
            finding["severity"] = "error"
    counts = {f"{name}s": sum(each["severity"] == name for each in findings) for name in COLOURS}
    return {"findings": findings, "checks": found.made, "left_out": list(found.left_out), **counts}


@doctor.text
def show(data: Any, terminal: Terminal) -> None:
    """Tell what is wrong, the worst first, each with its next step."""
    if "diagnostics" in data:
        data = _as_findings(data)
    for each in data["repaired"]:
        word = ("repaired", "green") if each["worked"] else ("not repaired", "red")
        terminal.line(word, f" {each['code']}: {each['message']}")
    for finding in data["findings"]:
        severity = finding["severity"]
        terminal.line((severity, COLOURS[severity]), f" {finding['code']}: {finding['message']}")
        terminal.line("  ", (finding["hint"], "dim"))
    if data["unrepaired"]:
        terminal.line("Nothing was repaired; `pith doctor --repair --yes` does it without asking.")
    terminal.line(*_summary(data))


def _as_findings(data: Any) -> dict[str, Any]:
    """The answer about project memory as the other one has it."""
    told = data["diagnostics"]
    groups = {f"{name}s": told[f"{name}s"] for name in COLOURS}
    return {
        "findings": [each for group in groups.values() for each in group],
        "checks": data["memory"]["checks"],
        "left_out": [],
        **{name: len(group) for name, group in groups.items()},
        "repaired": [{**each, "worked": True} for each in told["repairs"]],
        "unrepaired": data["memory"]["unrepaired"],
    }


def _summary(data: Any) -> list[Any]:
    if not data["findings"]:
        return [(f"All {data['checks']} checks passed.", "green")]
    told = [_count(data[f"{name}s"], name) for name in COLOURS if data[f"{name}s"]]
    left_out = len(data["left_out"])
    rest = f"; {_count(left_out, 'check')} must wait until the database can be read" if left_out else ""
    return [f"{_count(data['checks'], 'check')}: {', '.join(told)}{rest}."]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
