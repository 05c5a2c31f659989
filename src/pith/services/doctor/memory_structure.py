"""Checks of project memory as folders and files: what must be there, where links lead, what git carries, leftovers."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from pith import platform
from pith.files import atomic, layout
from pith.files.layout import FOLDER, LOCK, NODES, PROPOSALS
from pith.services.doctor.finding import NOTE, Symptom
from pith.services.doctor.home import ABANDONED_AFTER
from pith.services.doctor.memory import FOLDERS, Memory
from pith.services.doctor.patient import Patient
from pith.services.project_memory import shared, shared_init

# What is looked for where nothing has been begun, in the order in which orange-hyper tells it.
BEGUN = (
    layout.CONFIG, layout.IGNORE, layout.ACTIVE, layout.COMPLETED, layout.CAPSULE, f"{PROPOSALS}/pending",
    f"{PROPOSALS}/accepted", f"{PROPOSALS}/rejected", f"{NODES}/decision", f"{NODES}/constraint",
    f"{NODES}/component", f"{NODES}/risk", f"{NODES}/verification", layout.INDEX, layout.EDGES, layout.TRACES,
)  # fmt: skip
# What every clone has. git carries no empty folder, and ignores the rest.
REQUIRED = (layout.CONFIG, layout.IGNORE, layout.INDEX, layout.EDGES)
RULES = (
    "capsules/", "traces/", "identity/", "local/", f"{PROPOSALS}/pending/", f"{PROPOSALS}/rejected/",
)  # fmt: skip
_SHOWN = {layout.IGNORE: f"{FOLDER}/{layout.IGNORE}"}


def graph_missing(patient: Patient) -> Iterator[Symptom]:
    yield from (each for name, each in _missing(patient.memory) if name.startswith("graph/"))


def missing(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    if not memory.exists:
        yield Symptom(f"missing {FOLDER} root", FOLDER)
    for name, each in _missing(memory):
        if not name.startswith("graph/"):
            yield each
    for name in FOLDERS if memory.is_open else ():
        path = memory.layout.path(name)
        stops = next((each for each in (path.parent, path) if each.exists() and not each.is_dir()), None)
        if stops:
            shown = memory.shown(stops)
            yield Symptom(
                f"{shown} is a file where a folder belongs.", shown, "Move it away, or take it from git again."
            )


def _missing(memory: Memory) -> Iterator[tuple[str, Symptom]]:
    if memory.exists and not memory.is_open:
        return  # told as a link
    for name in BEGUN if not memory.exists else REQUIRED:
        path = memory.layout.path(name)
        if not os.path.lexists(path):
            hint = _HINT_CONFIG if memory.exists and name == layout.CONFIG else ""
            yield name, Symptom(f"missing {_SHOWN.get(name, name)}", f"{FOLDER}/{name}", hint)


_HINT_CONFIG = (
    f"Take {FOLDER}/{layout.CONFIG} from git again: the project's id stands in it, and a new one fits no other file."
)


def make_missing(patient: Patient) -> str:
    memory = patient.memory
    memory.shared()  # raises where nothing was begun: a repair gives no project a memory that it did not want
    written = shared_init.init(memory.layout.root).written
    return f"Made: {', '.join(written)}." if written else "Nothing was missing."


def linked(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    if memory.layout.base.is_symlink():
        yield Symptom(f"{FOLDER} is a symbolic link; project memory must be a real folder.", FOLDER)
    elif memory.exists and not memory.is_open:
        yield Symptom(f"{FOLDER} should be a folder and is none.", FOLDER)
    for path in memory.links if memory.is_open else ():
        shown = memory.shown(path)
        yield Symptom(f"{shown} leads out of the project memory; what is there was not looked at.", shown)


# -- git -----------------------------------------------------------------------------------------------------


def rules_missing(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    lacking = [name for name in RULES if name not in _rules(memory, layout.IGNORE)]
    if lacking and memory.layout.path(layout.IGNORE).exists():
        shown = f"{FOLDER}/{layout.IGNORE}"
        yield Symptom(f"{shown} does not keep out {', '.join(lacking)}.", shown)
    lacking = [name for name in shared_init.ATTRIBUTES if name not in _rules(memory, layout.ATTRIBUTES)]
    if lacking and memory.config is not None:
        shown = f"{FOLDER}/{layout.ATTRIBUTES}"
        yield Symptom(f"{shown} does not say `{'`, `'.join(lacking)}`.", shown, "", NOTE)


def _rules(memory: Memory, name: str) -> set[str]:
    try:
        text = atomic.read(memory.layout.path(name), layout.LARGEST).decode("utf-8-sig", "replace")
    except OSError:
        return set()
    return {line.strip() for line in text.splitlines()}


def not_carried(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    carried = memory.carried_by_git
    if carried is None or memory.config is None:
        return
    kept = [path for name in (layout.CONFIG, layout.INDEX) if (path := memory.layout.path(name)).exists()]
    kept += [each.path for each in memory.accepted.values()] + [each.path for each in memory.nodes.items]
    kept += [each.path for each in memory.quests.items if each.path.parent.name == "completed"]
    left = [path for path in kept if memory.shown(path).removeprefix(f"{FOLDER}/") not in carried]
    if left:
        shown = memory.shown(left[0])
        more = f" and {len(left) - 1:,} more" if len(left) > 1 else ""
        yield Symptom(f"git is told to ignore {shown}{more}; other clones do not get it.", shown)


# -- What commands left --------------------------------------------------------------------------------------


def unfinished(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    path = memory.layout.path(layout.INTENT)
    if not (memory.is_open and os.path.lexists(path)) or _is_written_now(memory):
        return
    shown = memory.shown(path)
    yield Symptom(f"{shown}: a command was interrupted in the middle of its change.", shown)


def _is_written_now(memory: Memory) -> bool:
    """Whether a command is at work; where the lock cannot be tried, nobody can be."""
    path = memory.layout.path(LOCK)
    if not path.exists():
        return False
    lock = platform.Lock(str(path))
    try:
        if not lock.acquire():
            return True
    except Exception:  # a tree that cannot be written
        return False
    lock.release()
    return False


def finish(patient: Patient) -> str:
    with_memory = patient.memory.shared()
    with atomic.writing(with_memory.layout):
        outcome = shared.recover(with_memory)
    return f"The interrupted change was {outcome or 'dropped: it had not begun'}."


def drafts(patient: Patient) -> Iterator[Symptom]:
    for path in _drafts(patient.memory):
        shown = patient.memory.shown(path)
        yield Symptom(f"{shown} is left of an interrupted write.", shown)


def remove_drafts(patient: Patient) -> str:
    paths = _drafts(patient.memory)
    for path in paths:
        atomic.remove(path)
    return f"{len(paths):,} draft{'' if len(paths) == 1 else 's'} removed; the files that they were for are whole."


def _drafts(memory: Memory) -> list[Path]:
    before = time.time() - ABANDONED_AFTER
    found = []
    for folder, folders, names in os.walk(memory.layout.base) if memory.is_open else ():
        folders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            if name.startswith(".") and name.endswith(".draft") and os.lstat(path).st_mtime < before:
                found.append(path)
    return found


# -- The configuration ---------------------------------------------------------------------------------------


def config_unreadable(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    if memory.config is None and memory.config_error:
        shown = memory.shown(memory.layout.path(layout.CONFIG))
        line = memory.config_error.line or 0
        where = f"{shown}:{line}" if line else shown
        yield Symptom(f"{where}: {memory.config_error.problem}.", shown, line=line)
