"""`pith doctor`: is everything as it should be, and if not, what to do about it."""

from __future__ import annotations

from pith.interfaces.cli.command import Answer, command, option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal
    from pith.services.doctor.examination import Examination

BROKEN = 2  # the exit code when there are errors
COLOURS = {"error": "red", "warning": "yellow", "note": "dim"}


@command(
    "doctor",
    option("--repair", flag=True, help="Repair what is safe to repair, after asking."),
    option("--yes", "-y", flag=True, help="Repair without asking."),
    option("--deep", flag=True, help="Compare every index and every word; slower."),
    option("--strict", flag=True, help="Count warnings as errors."),
)
def doctor(repair: bool, yes: bool, deep: bool, strict: bool, terminal: Terminal) -> Answer:
    """Check the program, the home, the store and the hooks; say what to do about what is wrong."""
    from pith.services.doctor import examination
    from pith.services.doctor.patient import admit

    treatments: list[examination.Treatment] = []
    with admit(deep=deep) as patient:
        found = examination.examine(patient)
    codes = examination.repairable(found.findings) if repair else []
    asked = bool(codes) and (yes or _agreed(found, codes, terminal))
    for code in codes if asked else ():
        with admit(deep=deep) as patient:
            treatments.append(examination.repair(patient, code))
    if treatments:
        with admit(deep=deep) as patient:
            found = examination.examine(patient)
    data = _data(found, strict)
    data["repaired"] = [{"code": each.code, "message": each.message, "worked": each.worked} for each in treatments]
    data["unrepaired"] = [] if asked else codes
    return Answer(data, code=BROKEN if data["errors"] else 0)


def _agreed(found: Examination, codes: list[str], terminal: Terminal) -> bool:
    for finding in found.findings if terminal.is_screen else ():
        if finding.code in codes:
            terminal.note(f"{finding.code}: {finding.message}")
    return terminal.confirm("Repair them now?")


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


def _summary(data: Any) -> list[Any]:
    if not data["findings"]:
        return [(f"All {data['checks']} checks passed.", "green")]
    told = [_count(data[f"{name}s"], name) for name in COLOURS if data[f"{name}s"]]
    left_out = len(data["left_out"])
    rest = f"; {_count(left_out, 'check')} must wait until the database can be read" if left_out else ""
    return [f"{_count(data['checks'], 'check')}: {', '.join(told)}{rest}."]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
