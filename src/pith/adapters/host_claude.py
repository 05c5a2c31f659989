"""Claude Code: where its settings are, which events pith listens to, and how it runs a hook."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from pith.adapters import hook_program
from pith.adapters.hook_program import Program

# Seconds. A hook of ours is done in milliseconds; these only say when to give up on a machine that hangs.
# SessionEnd gets 1.5 seconds for all hooks together unless a hook in the settings asks for more.
EVENTS: Mapping[str, int] = {
    "SessionStart": 10,
    "UserPromptSubmit": 10,
    "PostToolUse": 10,
    "PostToolUseFailure": 10,
    "Stop": 10,
    "SubagentStop": 10,
    "PreCompact": 10,
    "PostCompact": 10,
    "SessionEnd": 5,
}
PLUGINS = ("pith", "pith-memory")
KEEPS_DAYS = 30  # what Claude Code does when `cleanupPeriodDays` is not set


class Claude:
    """Claude Code."""

    name = "claude"
    title = "Claude Code"
    events = EVENTS
    after_install: tuple[str, ...] = ("New sessions use the hooks; they need Claude Code 2.1.139 or newer.",)

    def home(self) -> str:
        """Return the folder of its settings and transcripts."""
        chosen = os.environ.get("CLAUDE_CONFIG_DIR")
        return os.path.abspath(os.path.expanduser(chosen or os.path.join("~", ".claude")))

    def settings(self) -> str:
        """Return the path of the file that holds the user's hooks."""
        return os.path.join(self.home(), "settings.json")

    def handler(self, event: str, program: Program) -> dict[str, Any]:
        """Return the hook definition: exec form, so that no shell reads a path."""
        command, *arguments = program.words(self.name)
        return {"type": "command", "command": command, "args": arguments, "timeout": EVENTS[event]}

    def words(self, handler: Mapping[str, Any]) -> list[str]:
        """Return the program and arguments that a hook definition names."""
        command, arguments = str(handler.get("command", "")), handler.get("args")
        if isinstance(arguments, list):
            return [command, *map(str, arguments)]
        return hook_program.split(command)

    def line(self, handler: Mapping[str, Any]) -> list[str]:
        """Return what the host really starts for a hook definition."""
        if isinstance(handler.get("args"), list):
            return self.words(handler)
        return [os.environ.get("SHELL") or "/bin/sh", "-c", str(handler.get("command", ""))]

    def complaints(self, settings: Mapping[str, Any], hooks: list[tuple[str, int, int]]) -> list[str]:
        """Say what in the host's own settings keeps the hooks from running, or runs them twice."""
        found = []
        if settings.get("disableAllHooks") is True:
            found.append("Claude Code runs no hooks: `disableAllHooks` is true in its settings; remove it.")
        plugin = self.plugin(settings)
        if hooks and plugin:
            found.append(
                f"Every event arrives twice: by the plugin {plugin} and by the settings; "
                "run `pith uninstall claude` or disable the plugin."
            )
        return found

    def plugin(self, settings: Mapping[str, Any]) -> str:
        """Return the enabled plugin that calls pith; nothing where there is none."""
        plugins = settings.get("enabledPlugins")
        enabled = plugins.items() if isinstance(plugins, dict) else ()
        return next((name for name, on in enabled if on and name.partition("@")[0] in PLUGINS), "")

    def waits_for(self, settings: Mapping[str, Any], hooks: list[tuple[str, int, int]]) -> str:  # noqa: ARG002
        """Say what the person still has to do in the host: nothing, it runs what stands in its settings."""
        return ""


def days_kept(settings: Mapping[str, Any]) -> int:
    """Return after how many days the host deletes a transcript."""
    days = settings.get("cleanupPeriodDays")
    return days if isinstance(days, int) and not isinstance(days, bool) and days >= 0 else KEEPS_DAYS
