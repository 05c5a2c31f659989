"""Invented sessions, and what the two channels show of them: hook calls as a host makes them, and its transcript.

A session is a list of steps, written once:

    [Prompt("why one cent?", id="p1"), Say("Looking."), Tool("t1", "Read", {...}, "text"), Answer("반올림입니다.")]
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pith import platform
from pith.domain import tools
from pith.interfaces.hook.main import serve
from pith.services.history import import_history
from pith.services.workspace import open_workspace

START_MS = 1_777_712_400_000  # 2026-05-02T09:00:00Z


@dataclass(frozen=True)
class Prompt:
    """A person's words; the id is what newer hosts give to hooks and transcripts."""

    text: str
    id: str = ""


@dataclass(frozen=True)
class Say:
    """Words of the agent in the middle of a turn: no hook shows them."""

    text: str


@dataclass(frozen=True)
class Answer:
    """The last words of a turn."""

    text: str


@dataclass(frozen=True)
class Tool:
    """A call of a tool and its result."""

    id: str
    name: str
    input: dict[str, Any] = field(default_factory=dict, hash=False)
    response: str = ""


Step = Prompt | Say | Answer | Tool
Event = tuple[str, str, str, str]  # session, agent, kind, text


def expected(session: str, steps: Iterable[Step], *, hooks_only: bool = False) -> Counter[Event]:
    """The events of a session, as often as they happened."""
    found: Counter[Event] = Counter()
    for step in steps:
        if isinstance(step, Prompt):
            found[session, "", "prompt", step.text] += 1
        elif isinstance(step, Tool):
            text, _ = tools.digest(step.name, step.input, step.response, False)
            found[session, "", "tool", text] += 1
        elif isinstance(step, Answer) or not hooks_only:
            found[session, "", "response", step.text] += 1
    return found


class Clock:
    """The time that everything in a test goes by, in milliseconds."""

    def __init__(self, step: int = 7_000) -> None:
        self.ms = START_MS
        self.step = step

    def __call__(self) -> int:
        return self.ms

    def at(self, number: int) -> None:
        """The moment of a session's step."""
        self.ms = START_MS + number * self.step


class Claude:
    """Claude Code: one session in one repository."""

    host = "claude"

    def __init__(self, session: str, cwd: Path | str, folder: Path) -> None:
        self.session, self.cwd = session, str(cwd)
        self.path = folder / f"{session}.jsonl"

    def payload(self, step: Step) -> dict[str, Any] | None:
        """What a hook is told of a step, if it is told of it."""
        common = {"session_id": self.session, "cwd": self.cwd, "transcript_path": str(self.path)}
        if isinstance(step, Prompt):
            ids = {"prompt_id": step.id} if step.id else {}
            return {**common, **ids, "hook_event_name": "UserPromptSubmit", "prompt": step.text}
        if isinstance(step, Answer):
            return {**common, "hook_event_name": "Stop", "last_assistant_message": step.text}
        if isinstance(step, Tool):
            return {
                **common,
                "hook_event_name": "PostToolUse",
                "tool_name": step.name,
                "tool_input": step.input,
                "tool_response": step.response,
                "tool_use_id": step.id,
            }
        return None

    def records(self, steps: Sequence[Step], clock: Clock, prefix: str = "u") -> list[dict[str, Any]]:
        """The lines of the transcript."""
        found: list[dict[str, Any]] = []
        for number, step in enumerate(steps):
            clock.at(number)
            common = {
                "sessionId": self.session,
                "uuid": f"{self.session}-{prefix}{number}",
                "cwd": self.cwd,
                "timestamp": platform.stamp(clock.ms),
            }
            if isinstance(step, Prompt):
                ids = {"promptId": step.id} if step.id else {}
                found.append({"type": "user", **common, **ids, "message": {"role": "user", "content": step.text}})
            elif isinstance(step, Tool):
                call = {"type": "tool_use", "id": step.id, "name": step.name, "input": step.input}
                result = {"type": "tool_result", "tool_use_id": step.id, "content": step.response}
                first = {**common, "uuid": common["uuid"] + "-call"}
                found.append({"type": "assistant", **first, "message": {"role": "assistant", "content": [call]}})
                found.append({"type": "user", **common, "message": {"role": "user", "content": [result]}})
            else:
                content = [{"type": "text", "text": step.text}]
                found.append({"type": "assistant", **common, "message": {"role": "assistant", "content": content}})
        return found

    def forked(self, steps: Sequence[Step], clock: Clock, own: Sequence[Step]) -> tuple[Claude, list[dict[str, Any]]]:
        """A fork: a new session whose file begins with a copy of this one's records, under new ids."""
        fork = Claude(f"{self.session}-fork", self.cwd, self.path.parent)
        copies = []
        for number, record in enumerate(self.records(steps, clock)):
            origin = {"sessionId": self.session, "messageUuid": record["uuid"]}
            copies.append({**record, "sessionId": fork.session, "uuid": f"copy-{number}", "forkedFrom": origin})
        return fork, copies + fork.records([*steps, *own], clock, "f")[len(copies) :]


class Codex:
    """Codex: one thread in one repository. Every prompt begins a turn."""

    host = "codex"

    def __init__(self, session: str, cwd: Path | str, folder: Path) -> None:
        self.session, self.cwd = session, str(cwd)
        self.path = folder / f"rollout-2026-05-02T09-00-00-{session}.jsonl"
        self.turn = ""

    def payload(self, step: Step) -> dict[str, Any] | None:
        """What a hook is told of a step, if it is told of it."""
        if isinstance(step, Prompt):
            self.turn = step.id
        common = {"session_id": self.session, "cwd": self.cwd, "transcript_path": None, "model": "m"}
        if self.turn:
            common["turn_id"] = self.turn
        if isinstance(step, Prompt):
            return {**common, "hook_event_name": "UserPromptSubmit", "prompt": step.text}
        if isinstance(step, Answer):
            return {**common, "hook_event_name": "Stop", "last_assistant_message": step.text}
        if isinstance(step, Tool):
            return {
                **common,
                "hook_event_name": "PostToolUse",
                "tool_name": step.name,
                "tool_input": step.input,
                "tool_response": step.response,
                "tool_use_id": step.id,
            }
        return None

    def records(self, steps: Sequence[Step], clock: Clock, meta: dict[str, Any] | None = None) -> list[dict[str, Any]]:
        """The lines of the rollout."""
        clock.at(0)
        about = {"id": self.session, "timestamp": platform.stamp(clock.ms), "cwd": self.cwd, **(meta or {})}
        found: list[dict[str, Any]] = [_line(clock, "session_meta", about)]
        for number, step in enumerate(steps):
            clock.at(number)
            found += self._step(step, clock)
        return found

    def _step(self, step: Step, clock: Clock) -> list[dict[str, Any]]:
        if isinstance(step, Prompt):
            item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": step.text}]}
            turn = [_line(clock, "turn_context", {"turn_id": step.id, "cwd": self.cwd})] if step.id else []
            shown = {"type": "user_message", "message": step.text}
            return [*turn, _line(clock, "response_item", item), _line(clock, "event_msg", shown)]
        if isinstance(step, Tool):
            call = {"type": "function_call", "name": step.name, "arguments": json.dumps(step.input), "call_id": step.id}
            output = {"type": "function_call_output", "call_id": step.id, "output": step.response}
            return [_line(clock, "response_item", call), _line(clock, "response_item", output)]
        item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": step.text}]}
        shown = {"type": "agent_message", "message": step.text}
        return [_line(clock, "response_item", item), _line(clock, "event_msg", shown)]

    def forked(self, steps: Sequence[Step], clock: Clock, own: Sequence[Step]) -> tuple[Codex, list[dict[str, Any]]]:
        """A fork: a new thread whose file holds a copy of this one's lines after its own beginning."""
        fork = Codex(f"{self.session}-fork", self.cwd, self.path.parent)
        copies = self.records(steps, clock)
        clock.at(len(steps))
        began = {
            "id": fork.session,
            "forked_from_id": self.session,
            "timestamp": platform.stamp(clock.ms),
            "cwd": fork.cwd,
        }
        lines = [_line(clock, "session_meta", began), *copies]
        for number, step in enumerate(own):
            clock.at(len(steps) + 1 + number)
            lines += fork._step(step, clock)
        return fork, lines


def _line(clock: Clock, type: str, payload: dict[str, Any]) -> dict[str, Any]:
    return {"timestamp": platform.stamp(clock.ms), "type": type, "payload": payload}


Host = Claude | Codex


def written(path: Path, records: Iterable[dict[str, Any]], torn: int = 0) -> Path:
    """Write a transcript; `torn` cuts so many bytes off its end."""
    data = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()
    path.write_bytes(data[: len(data) - torn] if torn else data)
    return path


def call(host: Host, step: Step, times: int = 1) -> bool:
    """Let the host's hook see a step, as often as the host says it; whether the host says it at all."""
    payload = host.payload(step)
    for _ in range(times if payload else 0):
        serve(host.host, json.dumps(payload).encode(), time.monotonic())
    return payload is not None


def watch(host: Host, steps: Sequence[Step], clock: Clock, *, times: int = 1, first: int = 0) -> None:
    """Let hooks see the steps from a number on."""
    for number, step in enumerate(steps):
        clock.at(number)
        if number >= first:
            call(host, step, times)
        elif isinstance(host, Codex):
            host.payload(step)  # the turn goes on, though no hook was there when it began


def bring_in(cwd: Path | str, *paths: Path) -> None:
    """Import transcripts into the project of a folder."""
    with open_workspace(str(cwd)) as workspace:
        report = import_history.import_files(workspace.db, paths, workspace.settings)
        assert report.errors == []


def kept(cwd: Path | str) -> Counter[Event]:
    """The events of the project of a folder, as often as each is there."""
    with open_workspace(str(cwd)) as workspace:
        rows = workspace.db.execute(
            "SELECT s.id AS session, s.agent, e.kind, b.text FROM events e"
            " JOIN event_bodies b ON b.seq = e.seq JOIN sessions s ON s.num = e.session"
        )
        return Counter((row["session"], row["agent"], row["kind"], row["text"]) for row in rows)
