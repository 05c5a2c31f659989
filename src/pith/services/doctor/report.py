"""The doctor's findings on project memory in the shape that orange-hyper's `doctor --json` has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pith.files import layout, traces
from pith.files.layout import FOLDER
from pith.services.doctor.examination import Treatment
from pith.services.doctor.finding import ERROR, NOTE, WARNING
from pith.services.doctor.memory import DECIDED, QUESTS, Memory
from pith.services.doctor.memory_structure import BEGUN

BOUNDARY = (
    "CONFIG_PROJECT_ID_MISSING", "GRAPH_NODE_PROJECT_MISMATCH", "PROJECT_ID_MISMATCH", "LEGACY_PROJECT_ID_MISSING",
)  # fmt: skip
REPAIRED = "LEGACY_PROJECT_ID_REPAIRED"
_AGAIN = "Run `pith doctor --shared` again to see that it is so."


def recorded(
    memory: Memory, findings: Sequence[dict[str, Any]], filled: Sequence[str], repaired: Iterable[Treatment]
) -> dict[str, Any]:
    """The data of `doctor.run`: sentences, and the same as diagnostics with code, message, hint and severity.

    `filled` is what `--repair-project-id` did.
    """
    repairs = [{"code": REPAIRED, "message": said, "hint": _AGAIN} for said in filled]
    repairs += [{"code": each.code, "message": each.message, "hint": _AGAIN} for each in repaired if each.worked]
    failed = [_failed(each) for each in repaired if not each.worked]
    found = [*findings, *failed]
    boundary = [each for each in found if each["code"] in BOUNDARY]
    return {
        "ok": not any(each["severity"] == ERROR for each in found),
        **_sentences(found, repairs, tuple(checks(memory))),
        "notes": [each["message"] for each in found if each["severity"] == NOTE],
        "project_boundary": {
            "project_id": memory.project_id or None,
            "project_name": memory.config.project_name if memory.config else memory.layout.root.name,
            **_sentences(boundary, [each for each in repairs if each["code"] == REPAIRED]),
        },
    }


def _sentences(
    found: Sequence[dict[str, Any]], repairs: Sequence[dict[str, str]], made: tuple[str, ...] | None = None
) -> dict[str, Any]:
    by = {f"{name}s": [each for each in found if each["severity"] == name] for name in (ERROR, WARNING)}
    notes = {"notes": [each for each in found if each["severity"] == NOTE]} if made is not None else {}
    return {
        **{name: [each["message"] for each in group] for name, group in by.items()},
        **({"checks": list(made)} if made is not None else {}),
        "repairs": [each["message"] for each in repairs],
        "diagnostics": {**by, **notes, "repairs": list(repairs)},
    }


def _failed(treatment: Treatment) -> dict[str, str]:
    message = f"{treatment.code} was not repaired: {treatment.message}"
    return {"code": treatment.code, "message": message, "hint": "", "severity": WARNING, "subject": ""}


def checks(memory: Memory) -> Iterator[str]:
    """What was looked at, in the words of the recorded answers."""
    if memory.is_open:
        yield f"{FOLDER} root exists"
        for name in BEGUN:
            if memory.layout.path(name).exists():
                yield f"{FOLDER}/{name} exists" if name == layout.IGNORE else f"{name} exists"
        if memory.config:
            yield f"{layout.CONFIG} parses"
        yield f"{FOLDER}/{layout.IGNORE} policy checked"
        yield from _parsed(memory, QUESTS)
        yield f"{layout.TRACES} has {traces.count(memory.layout)} entries"
        yield from _parsed(memory, DECIDED)
        if isinstance(memory.index, dict):
            yield f"{layout.INDEX} parses"
        yield f"{layout.EDGES} has {sum(line.edge is not None for line in memory.edges)} entries"
    yield "public memory content audit checked"


def _parsed(memory: Memory, folders: tuple[str, ...]) -> Iterator[str]:
    shelf = memory.quests if folders == QUESTS else memory.proposals
    for folder in folders:
        base = memory.layout.path(folder)
        yield from (f"{folder}/{each.path.name} parses" for each in shelf.items if each.path.parent == base)
