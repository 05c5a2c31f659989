"""Codex: where its settings are, which events pith listens to, how it runs a hook, and whether it may."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from pith.adapters import hook_program
from pith.adapters.hook_program import Program

# Seconds. Codex allows SessionEnd 3 and warns at each start about a longer wish. Events that an older Codex
# does not know are ignored by it.
EVENTS: Mapping[str, int] = {
    "SessionStart": 10,
    "UserPromptSubmit": 10,
    "PostToolUse": 10,
    "Stop": 10,
    "SubagentStop": 10,
    "PreCompact": 10,
    "PostCompact": 10,
    "SessionEnd": 3,
}
PLUGINS = ("pith", "pith-memory")
REVIEW = "open `/hooks` in Codex"


class Codex:
    """Codex."""

    name = "codex"
    title = "Codex"
    events = EVENTS
    after_install: tuple[str, ...] = (
        f"Codex skips hooks until you trust them: {REVIEW}. It forgets that when their command changes.",
    )

    def home(self) -> str:
        """Return the folder of its settings and rollouts."""
        chosen = os.environ.get("CODEX_HOME")
        return os.path.abspath(os.path.expanduser(chosen or os.path.join("~", ".codex")))

    def settings(self) -> str:
        """Return the path of the file that holds the user's hooks."""
        return os.path.join(self.home(), "hooks.json")

    def handler(self, event: str, program: Program) -> dict[str, Any]:
        """Return the hook definition: one line for a shell, and only keys that Codex knows."""
        words = program.words(self.name)
        if sys.platform == "win32":
            line = windows_line(words)
            return {"type": "command", "command": line, "commandWindows": line, "timeout": EVENTS[event]}
        else:
            return {"type": "command", "command": shlex.join(words), "timeout": EVENTS[event]}

    def words(self, handler: Mapping[str, Any]) -> list[str]:
        """Return the program and arguments that a hook definition names."""
        command = _command(handler)
        if sys.platform == "win32":
            return [word.strip('"') for word in shlex.split(command, posix=False)]
        else:
            return hook_program.split(command)

    def line(self, handler: Mapping[str, Any]) -> list[str]:
        """Return what the host really starts for a hook definition."""
        if sys.platform == "win32":
            return [os.environ.get("COMSPEC") or "cmd.exe", "/C", _command(handler)]
        else:
            return [os.environ.get("SHELL") or "/bin/sh", "-lc", _command(handler)]

    def complaints(self, settings: Mapping[str, Any], hooks: list[tuple[str, int, int]]) -> list[str]:  # noqa: ARG002
        """Say what in the host's own settings keeps the hooks from running, or runs them twice."""
        try:
            config = self._config()
        except (OSError, ValueError) as error:
            return [f"{self._config_path()} cannot be read ({error}), so it is unknown whether Codex runs hooks."]
        found = []
        if _table(config, "features").get("hooks") is False:
            found.append("Codex runs no hooks: `hooks = false` stands under [features] in its config.toml.")
        return found + self._doubles(config, hooks)

    def plugin(self, settings: Mapping[str, Any]) -> str:  # noqa: ARG002
        """Return the enabled plugin that calls pith; nothing where there is none."""
        try:
            return _plugin(self._config())
        except (OSError, ValueError):
            return ""  # told as a complaint

    def waits_for(self, settings: Mapping[str, Any], hooks: list[tuple[str, int, int]]) -> str:
        """Say what the person still has to do in the host before it runs the hooks; nothing where all is done."""
        try:
            config = self._config()
        except (OSError, ValueError):
            return ""  # told as a complaint
        waiting = sum(1 for hook in hooks if not self._trusted(config, settings, hook))
        some = "its hooks" if waiting == len(hooks) else f"{waiting} of its hooks"
        return f"Codex skips {some} until you trust them: {REVIEW}." if waiting else ""

    def _config_path(self) -> str:
        return os.path.join(self.home(), "config.toml")

    def _config(self) -> dict[str, Any]:
        try:
            with open(self._config_path(), "rb") as file:
                return tomllib.load(file)
        except FileNotFoundError:
            return {}

    def _doubles(self, config: Mapping[str, Any], hooks: list[tuple[str, int, int]]) -> list[str]:
        if not hooks:
            return []
        twice = []
        for event, groups in _table(config, "hooks").items():
            if event in EVENTS and any(self._is_ours(handler) for handler in _handlers(groups)):
                twice.append(f"{event} arrives twice: by hooks.json and by [hooks] in config.toml; remove one.")
        if plugin := _plugin(config):
            twice.append(f"Every event arrives twice: by the plugin {plugin} and by hooks.json; disable one.")
        return twice

    def _is_ours(self, handler: Mapping[str, Any]) -> bool:
        return hook_program.is_ours(_command(handler), self.words(handler))

    def _trusted(self, config: Mapping[str, Any], settings: Mapping[str, Any], hook: tuple[str, int, int]) -> bool:
        """Whether Codex recorded the user's trust for exactly this definition, as far as can be known."""
        event, group, index = hook
        states = _table(_table(config, "hooks"), "state")
        place = f":{_label(event)}:{group}:{index}"
        paths = {self.settings(), os.path.realpath(self.settings())}
        for path in paths:
            state = _table(states, path + place)
            if state.get("trusted_hash") and state.get("enabled") is not False:
                return bool(state["trusted_hash"] == fingerprint(event, settings["hooks"][event][group], index))
        return False


def fingerprint(event: str, group: Mapping[str, Any], index: int) -> str:
    """Return the hash under which Codex records trust in one hook: of its meaning, not of its spelling."""
    handler = group["hooks"][index]
    seconds = handler.get("timeout")
    seconds = max(seconds, 1) if isinstance(seconds, int) else 600
    meant = {
        "type": "command",
        "command": _command(handler),
        "timeout": min(seconds, EVENTS["SessionEnd"]) if event == "SessionEnd" else seconds,
        "async": bool(handler.get("async", False)),
    }
    if handler.get("statusMessage") is not None:
        meant["statusMessage"] = handler["statusMessage"]
    identity: dict[str, Any] = {"event_name": _label(event), "hooks": [meant]}
    if group.get("matcher") is not None and event not in ("UserPromptSubmit", "Stop"):
        identity["matcher"] = group["matcher"]
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def windows_line(words: list[str]) -> str:
    """Write a line for `cmd /C`, which mangles quotes: a path that needs them is given by its short name."""
    return subprocess.list2cmdline([_short(word) if re.search(r"[^\w:\\/.\-]", word) else word for word in words])


def _short(path: str) -> str:
    """Return the 8.3 name of an existing path where Windows keeps one, else the path."""
    import ctypes

    kernel = getattr(ctypes, "windll", None)
    if kernel is None:
        return path
    room = ctypes.create_unicode_buffer(1024)
    return room.value if kernel.kernel32.GetShortPathNameW(path, room, len(room)) else path


def _plugin(config: Mapping[str, Any]) -> str:
    for name, state in _table(config, "plugins").items():
        on = not isinstance(state, dict) or state.get("enabled") is not False
        if on and name.partition("@")[0] in PLUGINS:
            return name
    return ""


def _handlers(groups: object) -> Iterator[Mapping[str, Any]]:
    """Yield the hook definitions of one event's groups, leaving out what has another form."""
    for group in groups if isinstance(groups, list) else ():
        handlers = group.get("hooks") if isinstance(group, dict) else None
        yield from (each for each in handlers or () if isinstance(each, dict))


def _label(event: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()


def _command(handler: Mapping[str, Any]) -> str:
    windows = handler.get("commandWindows") if sys.platform == "win32" else None
    return str(windows or handler.get("command", ""))


def _table(table: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = table.get(key)
    return found if isinstance(found, dict) else {}
