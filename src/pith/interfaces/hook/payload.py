"""What Claude Code and Codex send to a hook, as sightings. Parsed leniently: fields may be missing or of any type."""

from __future__ import annotations

from pith.domain.events import AGENT, HOOK, PROMPT, RESPONSE, SUMMARY, TOOL, Sighting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

HOSTS = ("claude", "codex")


class Call:
    """One hook call: its event's name, the session, where, and what was seen, if anything."""

    __slots__ = ("agent", "cwd", "event", "host", "payload", "seen", "session")

    def __init__(self, host: str, payload: Mapping[str, Any], at: str) -> None:
        self.host = host
        self.payload = payload
        self.event = _text(payload.get("hook_event_name"))
        # Half a character, which JSON can write, is nothing that a database takes.
        self.session = _text(payload.get("session_id")).encode("utf-8", "replace").decode() or "unknown"
        self.agent = _text(payload.get("agent_id"))
        self.cwd = _text(payload.get("cwd"))
        self.seen = self._seen(at)

    @property
    def reason(self) -> str:
        """Why a session began (`startup`, `resume`, `clear`, `compact`) or ended."""
        return _text(self.payload.get("source") or self.payload.get("reason"))

    def _seen(self, at: str) -> Sighting | None:
        kind, text = self._words()
        if not kind or not text:
            return None
        seen = Sighting(
            kind,
            self.session,
            text,
            at,
            host=self.host,
            channel=HOOK,
            agent=self.agent,
            turn=_text(self.payload.get("prompt_id") or self.payload.get("turn_id")),
        )
        if kind == TOOL:
            self._add_tool(seen)
        elif self.agent:
            seen.origin = AGENT  # what a subagent is asked, another agent asks
        return seen

    def _words(self) -> tuple[str, str]:
        """The kind and text of what this call tells."""
        if self.event == "UserPromptSubmit":
            return PROMPT, _said(_text(self.payload.get("prompt")))
        if self.event == "Stop" or (self.event == "SubagentStop" and not self._is_of_host):
            return RESPONSE, _text(self.payload.get("last_assistant_message"))
        if self.event == "PostCompact":
            return SUMMARY, _text(self.payload.get("compact_summary"))
        if self.event in ("PostToolUse", "PostToolUseFailure"):
            return TOOL, "tool"
        return "", ""

    @property
    def _is_of_host(self) -> bool:
        """Whether this is an agent that the host runs for itself, as Claude Code does to summarize: it has no type."""
        return self.payload.get("agent_type") == ""

    def _add_tool(self, seen: Sighting) -> None:
        from pith.domain import tools

        failed = self.event == "PostToolUseFailure"
        name = _text(self.payload.get("tool_name"))
        response = self.payload.get("error" if failed else "tool_response")
        seen.text, seen.details = tools.digest(name, self.payload.get("tool_input"), response, failed)
        seen.origin = tools.origin(name)
        seen.tool = _text(self.payload.get("tool_use_id"))


def _said(prompt: str) -> str:
    """A prompt, unless the host wrote it: a subagent's end, for one, comes where prompts do."""
    if prompt.lstrip()[:1] != "<":
        return prompt
    from pith.domain import injected

    return "" if injected.sort(prompt) else prompt


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
