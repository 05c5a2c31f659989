"""What stands in a host's settings about pith, and what keeps it from working."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pith.adapters import hook_program, host_claude, hosts
from pith.adapters.hook_program import Program
from pith.adapters.hosts import Host
from pith.errors import PithError
from pith.files import json_edit, settings_file
from pith.services.setup.install import Hook, ours


@dataclass(frozen=True, slots=True)
class InstalledHook:
    """One hook of pith in a host's settings file."""

    host: str
    path: str
    event: str
    group: int
    index: int
    words: tuple[str, ...]  # the program and its arguments
    line: tuple[str, ...]  # what the host starts, a shell perhaps included
    timeout: int | None  # seconds
    current: bool  # exactly what this pith would install


def installed(name: str) -> list[InstalledHook]:
    """Return the hooks of any pith in the host's settings; raise PithError if these cannot be read."""
    host = hosts.host(name)
    return [_described(hook, host) for hook in ours(_root(host), host)]


def problems(name: str) -> list[str]:
    """Say in one sentence each why the host's hooks would not work, work twice, or run something else."""
    host = hosts.host(name)
    try:
        root = _root(host)
    except PithError as error:
        return [f"{host.settings()} cannot be used: {error}"]
    hooks = [_described(hook, host) for hook in ours(root, host)]
    settings = root.plain() if root.kind == "object" else {}
    found = [*_layout(host), *_presence(host, hooks), *_programs(host, hooks)]
    return found + host.complaints(settings, [(hook.event, hook.group, hook.index) for hook in hooks])


def waits_for(name: str) -> str:
    """Say what a person has to do in the host before it runs the hooks, which no installing does; or nothing."""
    host = hosts.host(name)
    try:
        root = _root(host)
    except PithError:
        return ""  # told by `problems`
    places = [(hook.event, hook.group, hook.index) for hook in ours(root, host)]
    return host.waits_for(root.plain() if root.kind == "object" else {}, places)


def plugin(name: str) -> str:
    """Return the plugin by which the host calls pith, with hooks or without; nothing where none does."""
    host = hosts.host(name)
    try:
        root = _root(host)
    except PithError:
        return ""  # told by `problems`
    return host.plugin(root.plain() if root.kind == "object" else {})


def cleanup_days(claude_home: str) -> int:
    """Return after how many days Claude Code deletes a transcript; 30 unless its settings say otherwise."""
    try:
        file = settings_file.read(os.path.join(claude_home, "settings.json"))
        settings = {} if file.blank else json_edit.parse(file.text or "").plain()
    except PithError:
        settings = {}  # unreadable for the host too, which then keeps to its default
    return host_claude.days_kept(settings if isinstance(settings, Mapping) else {})


def _root(host: Host) -> json_edit.Node:
    file = settings_file.read(host.settings())
    return json_edit.parse("{}" if file.blank else file.text or "")


def _described(hook: Hook, host: Host) -> InstalledHook:
    seconds: Any = hook.handler.get("timeout")
    return InstalledHook(
        host=host.name,
        path=host.settings(),
        event=hook.event,
        group=hook.group,
        index=hook.index,
        words=tuple(host.words(hook.handler)),
        line=tuple(host.line(hook.handler)),
        timeout=seconds if isinstance(seconds, int) else None,
        current=hook.event in host.events and hook.handler == host.handler(hook.event, hook_program.here()),
    )


def _layout(host: Host) -> list[str]:
    file = settings_file.read(host.settings())
    if file.blank or json_edit.is_strict(file.text or ""):
        return []
    return [f"{host.title} may ignore {file.path}: it accepts no comments and no trailing commas."]


def _presence(host: Host, hooks: list[InstalledHook]) -> list[str]:
    again = f"run `pith install {host.name}`."
    if not hooks:
        return [f"The hooks of pith are not in {host.settings()}; {again}"]
    count = Counter(hook.event for hook in hooks)
    found = []
    missing = [event for event in host.events if not count[event]]
    if missing:
        found.append(f"{host.title} does not call pith at {', '.join(missing)}; {again}")
    doubles = [event for event, times in count.items() if times > 1]
    if doubles:
        found.append(f"{host.title} calls pith more than once at {', '.join(doubles)}; {again}")
    return found


def _programs(host: Host, hooks: list[InstalledHook]) -> list[str]:
    """Say what is wrong with the programs that the hooks name, once for each program."""
    again = f"run `pith install {host.name}`."
    found = []
    for words in dict.fromkeys(hook.words for hook in hooks):
        program = hook_program.find(list(words))
        sentence = _wrong(program) if program else _wrong_script(words)
        if sentence:
            found.append(f"{sentence}; {again}")
    if not found and not all(hook.current for hook in hooks):
        found.append(f"The hooks in {host.settings()} were written by another version of pith; {again}")
    return list(dict.fromkeys(found))


def _wrong(program: Program) -> str | None:
    if not os.path.exists(program.python):
        return f"The hooks start {program.python}, which does not exist"
    if not os.access(program.python, os.X_OK):
        return f"The hooks start {program.python}, which cannot be executed"
    if not os.path.isfile(program.start):
        return f"The hooks run {program.start}, which does not exist"
    if not _same(program.start, hook_program.here().start):
        return f"The hooks run another pith, {program.start}"
    return None


def _wrong_script(words: tuple[str, ...]) -> str | None:
    """Judge a hook that calls `pith-hook` by name, as somebody may have written it by hand."""
    if os.path.isabs(words[0]) and not os.access(words[0], os.X_OK):
        return f"The hooks start {words[0]}, which is not there or cannot be executed"
    return None


def _same(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
