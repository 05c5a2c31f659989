"""Checks of the agents on this machine: they call pith, and their history is imported before it is gone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pith import platform
from pith.adapters import hook_program, hosts
from pith.adapters.hosts import Host
from pith.errors import PithError
from pith.services.doctor.finding import ERROR, NOTE, WARNING, Symptom
from pith.services.doctor.patient import Patient
from pith.services.history import import_history
from pith.services.setup import installed
from pith.store import health

LONG_ENOUGH_DAYS = 90
DAY_MS = 86_400_000
CLAUDE = "claude"
_ONCE = "Nothing is kept twice: it only costs time, at every event."


def uninstalled(_patient: Patient) -> Iterator[Symptom]:
    for host in _present():
        try:
            if not installed.installed(host.name) and not installed.plugin(host.name):
                hint = f"Run `pith install {host.name}`, and from then on its sessions are remembered."
                yield Symptom(f"{host.title} does not call pith.", host.settings(), hint)
        except PithError:
            continue  # told by `broken`


def broken(_patient: Patient) -> Iterator[Symptom]:
    for host in _present():
        try:
            hooks = installed.installed(host.name)
        except PithError:
            hooks = []
            severity = WARNING
        else:
            if not hooks:
                continue
            programs = [hook_program.find(list(hook.words)) for hook in hooks]
            severity = ERROR if any(found and not found.exists for found in programs) else WARNING
        again = f"Run `pith install {host.name}`, which changes nothing else in its settings."
        for problem in installed.problems(host.name):
            hint = _ONCE if "arrives twice" in problem else again
            yield Symptom(problem, host.settings(), hint, severity)
        if waits := installed.waits_for(host.name):
            yield Symptom(waits, host.settings(), "Only you can do that; installing again changes nothing.", WARNING)


def deleting(_patient: Patient) -> Iterator[Symptom]:
    if not _has_home(CLAUDE):
        return
    days = installed.cleanup_days(hosts.host(CLAUDE).home())
    if days < LONG_ENOUGH_DAYS:
        told = f"Claude Code deletes a session's transcript after {days} days."
        yield Symptom(told, hosts.host(CLAUDE).settings())


def unimported(patient: Patient) -> Iterator[Symptom]:
    if not _has_home(CLAUDE) or not patient.is_readable or not _has_history():
        return
    days = installed.cleanup_days(hosts.host(CLAUDE).home())
    last = health.last_import(patient.db)
    if not last:
        yield Symptom("The history that Claude Code wrote has not been imported into this project.", "", "", NOTE)
    elif last < platform.stamp(platform.now_ms() - days * DAY_MS):
        told = f"The last import was on {last[:10]}, and Claude Code deletes after {days} days."
        yield Symptom(told, last)


def _present() -> list[Host]:
    """Give the agents that have a home on this machine."""
    return [host for host in hosts.HOSTS.values() if os.path.isdir(host.home())]


def _has_home(name: str) -> bool:
    return os.path.isdir(hosts.host(name).home())


def _has_history() -> bool:
    try:
        return bool(import_history.find_files(CLAUDE, Path(hosts.host(CLAUDE).home())))
    except (OSError, PithError):
        return False
