"""`pith check`: what CI runs in a repository that shares memory."""

from __future__ import annotations

from pith.interfaces.cli.command import Answer, command, option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal
    from pith.services.project_memory.check import Checked

BROKEN = 2  # the exit code when there are errors
TEXT, GITHUB = "text", "github"
COLOURS = {"error": "red", "warning": "yellow", "note": "dim"}
_ANNOTATIONS = {"error": "error", "warning": "warning", "note": "notice"}


@command(
    "check.run",
    option("--strict", flag=True, help="Count warnings as errors."),
    option("--format", choices=(TEXT, GITHUB), default=TEXT, help="`github` annotates files in a pull request."),
)
def check(strict: bool, format: str) -> Answer:
    """Check the project memory that git carries: files, provenance, index, secrets, staleness, contradictions."""
    from pith.services.project_memory import check as service

    data = {**_data(service.check(), strict), "format": format}
    if not data["errors"]:
        return Answer(data)
    error = {
        "code": "CHECK_FAILED",
        "message": f"check found {_count(data['errors'], 'error')}.",
        "hint": "Each finding in `data` has its own next step.",
    }
    return Answer(data, code=BROKEN, error=error)


def _data(checked: Checked, strict: bool) -> dict[str, Any]:
    findings = []
    for finding in checked.findings:
        severity = "error" if strict and finding.severity == "warning" else finding.severity
        place = {"file": checked.file(finding) or None, "line": finding.line or None}
        told = {"code": finding.code, "severity": severity, "message": finding.message, "hint": finding.hint}
        findings.append({**told, **place})
    counts = {f"{name}s": sum(each["severity"] == name for each in findings) for name in COLOURS}
    config = checked.memory.config
    return {
        "ok": not counts["errors"],
        "project": config.as_json() if config else None,
        "checks": checked.made,
        **counts,
        "findings": findings,
    }


@check.text
def show(data: Any, terminal: Terminal) -> None:
    """The findings, the worst first, for a person or for GitHub."""
    for finding in data["findings"]:
        if data["format"] == GITHUB:
            terminal.line(annotation(finding))
        else:
            severity = finding["severity"]
            terminal.line((severity, COLOURS[severity]), f" {finding['code']}: {finding['message']}")
            terminal.line("  ", (finding["hint"], "dim"))
    terminal.line(*_summary(data))


def annotation(finding: dict[str, Any]) -> str:
    """A finding as a workflow command of GitHub, in which some characters are written as percent and number."""
    place = {"file": finding["file"], "line": finding["line"], "title": finding["code"]}
    said = ",".join(f"{name}={_property(str(value))}" for name, value in place.items() if value)
    return f"::{_ANNOTATIONS[finding['severity']]} {said}::{_escaped(finding['message'] + ' ' + finding['hint'])}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def _summary(data: Any) -> list[Any]:
    if not data["findings"]:
        return [(f"All {data['checks']} checks passed.", "green")]
    told = [_count(data[f"{name}s"], name) for name in COLOURS if data[f"{name}s"]]
    return [f"{_count(data['checks'], 'check')}: {', '.join(told)}."]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
