"""Claude Code's transcripts: `projects/<slug>/<session>.jsonl` and the subagents' beside them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pith.adapters import jsonl
from pith.adapters.jsonl import Found, part, word
from pith.domain import events, injected, tools
from pith.domain.events import Sighting

HOST = "claude"

_RECORDS = {
    "mode": jsonl.META,
    "permission-mode": jsonl.META,
    "last-prompt": jsonl.META,
    "agent-name": jsonl.META,
    "agent-color": jsonl.META,
    "agent-setting": jsonl.META,
    "tag": jsonl.META,
    "file-history-snapshot": jsonl.META,
    "file-history-delta": jsonl.META,
    "attribution-snapshot": jsonl.META,
    "content-replacement": jsonl.META,
    "worktree-state": jsonl.META,
    "tools-used": jsonl.META,
    "cost-state": jsonl.META,
    "atis-latch": jsonl.META,
    "api-request": jsonl.META,
    "api-request-shape": jsonl.META,
    "api-request-blob": jsonl.MIRROR,
    "queue-operation": jsonl.MIRROR,
    "progress": jsonl.PROGRESS,
    "system": jsonl.META,
}
_LEADING_TYPE = re.compile(rb'\{"type": ?"([a-z-]{1,40})"')
# The type of a record stands at its top level only where nothing but plain values comes before it.
_LATER_TYPE = re.compile(
    rb'\{(?:"\w{1,40}":(?:"[^"\\]{0,1000}"|null|true|false|-?\d{1,20}),){1,30}"type":"([a-z-]{1,40})"'
)


def read(path: str | Path, offset: int = 0, line: int = 0) -> Reading:
    """The items of a transcript from an offset on; `line` is the number of lines before it."""
    return Reading(path, offset, line)


def find_transcripts(home: str | Path) -> list[Path]:
    """The transcripts in a home of Claude Code, or in any folder, oldest first; subagents included."""
    place = Path(home)
    if place.is_file():
        return [place]
    projects = place / "projects"
    if projects.is_dir():
        found = [*projects.glob("*/*.jsonl"), *projects.glob("*/*/subagents/**/*.jsonl")]
    else:
        found = [path for path in place.rglob("*.jsonl") if path.parent.name != "tool-results"]
    return jsonl.first_begun(found)


class Reading(jsonl.Reading):
    """One transcript of Claude Code, or of one of its subagents."""

    host = HOST

    def __init__(self, path: str | Path, offset: int = 0, line: int = 0) -> None:
        super().__init__(path, offset, line)
        self.session, self.agent = _named(self.path)
        self._turn = ""
        self._own_title = False

    def skim(self, data: bytes) -> str:
        found = _LEADING_TYPE.match(data)
        if found is None and b'"type":"progress"' in data[:2_000]:
            found = _LATER_TYPE.match(data)
        if found is None or data[-2:] != b"}\n":
            return ""
        kind = found.group(1).decode()
        return _RECORDS.get(kind, "") if kind != "system" else ""

    def take(self, record: dict[str, Any]) -> Iterator[Found]:
        kind = word(record, "type")
        self.at = jsonl.moment(record.get("timestamp"), self.at)
        if kind in ("user", "assistant", "attachment"):
            return _Record(self, record).found(kind)
        if kind in ("ai-title", "custom-title", "summary", "pr-link"):
            return self._facts(record, kind)
        return iter((self._reason(record, kind),))

    def _reason(self, record: dict[str, Any], kind: str) -> str:
        if kind == "system" and word(record, "subtype") == "local_command":
            return jsonl.LOCAL_COMMAND
        return _RECORDS.get(kind, jsonl.UNKNOWN)

    def _facts(self, record: dict[str, Any], kind: str) -> Iterator[Found]:
        session = word(record, "sessionId") or self.session
        if kind == "summary":
            yield from self.fact(session, "summary", word(record, "summary"))
        elif kind == "pr-link":
            yield from self.fact(session, "pr", word(record, "prUrl"))
        elif kind == "custom-title":
            self._own_title = True
            yield from self.fact(session, "title", word(record, "customTitle"))
        elif not self._own_title:
            yield from self.fact(session, "title", word(record, "aiTitle"))
        yield jsonl.FACT

    def in_turn(self, turn: str) -> str:
        """The turn that a record belongs to: its own, or the one that the last prompt began."""
        self._turn = turn or self._turn
        return self._turn


def _named(path: Path) -> tuple[str, str]:
    """Session and subagent as the names of file and folder tell them."""
    if not path.stem.startswith("agent-"):
        return path.stem, ""
    for folder in path.parents:
        if folder.name == "subagents":
            return folder.parent.name, path.stem[6:]
    return path.stem, path.stem[6:]


class _Record:
    """One `user`, `assistant` or `attachment` record of a reading."""

    __slots__ = ("agent", "branch", "fields", "id", "reading", "session", "side", "texts")

    def __init__(self, reading: Reading, fields: dict[str, Any]) -> None:
        self.reading = reading
        self.fields = fields
        fork = part(fields, "forkedFrom")
        self.session = word(fork, "sessionId") or word(fields, "sessionId") or word(fields, "session_id")
        self.session = self.session or reading.session
        self.id = word(fork, "messageUuid") or word(fields, "uuid") or f"{self.session}@{reading.place.start}"
        self.side = fields.get("isSidechain") is True
        self.agent = word(fields, "agentId") or reading.agent or ("sidechain" if self.side else "")
        branch = word(fields, "gitBranch")
        self.branch = "" if branch == "HEAD" else branch
        self.texts = 0

    def found(self, kind: str) -> Iterator[Found]:
        """Facts first, then what the record holds."""
        yield from self._facts()
        message = part(self.fields, "message")
        if kind == "attachment":
            yield from self._queued(part(self.fields, "attachment"))
        elif kind == "assistant":
            yield from self._answer(message)
        else:
            yield from self._said(message)

    def _facts(self) -> Iterator[Found]:
        reading = self.reading
        fact = reading.fact
        yield from fact(self.session, "cwd", word(self.fields, "cwd"))
        yield from fact(self.session, "branch", self.branch)
        if (self.session, "", "started") not in reading.known:
            yield from fact(self.session, "started", reading.at)
        if self.agent and (self.session, self.agent, "agent_type") not in reading.known:
            yield from self._agent_facts()
        if self.session != reading.session and not self.agent:
            yield from fact(reading.session, "parent", self.session)

    def _agent_facts(self) -> Iterator[Found]:
        meta = _meta_of(self.reading.path) if self.reading.agent else {}
        kind = word(meta, "agentType") or word(self.fields, "attributionAgent") or "subagent"
        yield from self.reading.fact(self.session, "agent_type", kind, self.agent)
        yield from self.reading.fact(self.session, "title", word(meta, "description"), self.agent)

    def _queued(self, attachment: dict[str, Any]) -> Iterator[Found]:
        if attachment.get("type") != "queued_command":
            yield jsonl.META
        elif attachment.get("commandMode", "prompt") != "prompt" or self.fields.get("isMeta") is True:
            yield jsonl.INJECTED
        else:
            yield from self._prompts(attachment.get("prompt"))

    def _answer(self, message: dict[str, Any]) -> Iterator[Found]:
        if message.get("model") == "<synthetic>" or self.fields.get("isApiErrorMessage") is True:
            yield jsonl.SYNTHETIC
            return
        for block in _blocks(message.get("content")):
            kind = block.get("type")
            if kind == "text":
                if _has_words(block.get("text")) and block["text"] != "(no content)":
                    yield self._sighting(events.RESPONSE, block["text"], turn=self.reading.in_turn(""))
            elif kind == "tool_use":
                yield from self._call(block)
            elif kind in ("thinking", "redacted_thinking"):
                yield jsonl.THINKING
            else:
                yield jsonl.IMAGE if kind == "image" else jsonl.UNKNOWN

    def _call(self, block: dict[str, Any]) -> Iterator[Found]:
        call = tools.Call(block.get("name"), block.get("input"))
        if id := word(block, "id"):
            self.reading.wait(id, call)
            yield jsonl.JOINED
        else:
            yield from self._tool(call, None, False, "")

    def _said(self, message: dict[str, Any]) -> Iterator[Found]:
        content = message.get("content")
        results = [block for block in _blocks(content) if block.get("type") == "tool_result"]
        if results:
            for block in results:
                yield from self._result(block, alone=len(results) == 1)
        elif self.fields.get("isCompactSummary") is True:
            for text in _texts(content):
                yield self._sighting(events.SUMMARY, text)
        elif reason := self._not_said():
            yield reason
        else:
            yield from self._prompts(content)

    def _not_said(self) -> str:
        """Why this user record is not somebody's words, or nothing."""
        fields = self.fields
        if fields.get("isMeta") is True or fields.get("isVisibleInTranscriptOnly") is True:
            return jsonl.INJECTED
        if fields.get("toolUseResult") is not None:
            return jsonl.NOT_A_RECORD
        source = part(fields, "origin").get("kind")
        # `sdk` is what was given to the program instead of typed, as by `claude -p`: hooks are told it as a prompt.
        if fields.get("promptSource") == "system" or (isinstance(source, str) and source != "human"):
            return "" if self.agent else jsonl.INJECTED
        return ""

    def _prompts(self, content: object) -> Iterator[Found]:
        """The words of a person, or those of the agent that set a subagent its task."""
        if not self.agent and self.fields.get("type") == "user":
            self.reading.forget_pending()
        # A turn is not the prompt's own id where it is taken over: two equal prompts would be one.
        turn = "" if self.fields.get("type") == "attachment" else word(self.fields, "promptId")
        self.reading.in_turn(turn)
        for text in _texts(content):
            if sort := injected.sort(text):
                yield jsonl.LOCAL_COMMAND if sort == injected.COMMAND else jsonl.INJECTED
            else:
                origin = events.AGENT if self.agent else events.PERSON
                yield self._sighting(events.PROMPT, text, origin=origin, turn=turn)
        if any(block.get("type") in ("image", "document") for block in _blocks(content)):
            yield jsonl.IMAGE

    def _result(self, block: dict[str, Any], alone: bool) -> Iterator[Found]:
        id = word(block, "tool_use_id")
        waiting = self.reading.pending.pop(id, None)
        call = waiting.call if waiting else tools.Call("", None)
        response = self.fields.get("toolUseResult") if alone else None
        response = block.get("content") if response in (None, "", [], {}) else response
        yield from self._tool(call, response, block.get("is_error") is True, id)

    def _tool(self, call: tools.Call, response: object, failed: bool, id: str) -> Iterator[Found]:
        text, details = call.ended(response, failed)
        if text:
            turn = self.reading.in_turn(word(self.fields, "promptId"))
            origin = tools.origin(call.tool)
            yield self._sighting(events.TOOL, text, origin=origin, tool=id, turn=turn, details=details)
        else:
            yield jsonl.EMPTY

    def _sighting(self, kind: str, text: str, **more: Any) -> Sighting:
        self.texts += 1
        record = self.id if self.texts == 1 else f"{self.id}#{self.texts}"
        return Sighting(
            kind,
            self.session,
            text,
            self.reading.at,
            host=HOST,
            channel=events.TRANSCRIPT,
            agent=self.agent,
            record=record,
            branch=self.branch,
            **more,
        )


def _blocks(content: object) -> list[dict[str, Any]]:
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _texts(content: object) -> list[str]:
    """The texts of a message, which is one text or a list of blocks."""
    if isinstance(content, str):
        return [content] if _has_words(content) else []
    found = (block.get("text") for block in _blocks(content) if block.get("type") == "text")
    return [text for text in found if isinstance(text, str) and _has_words(text)]


def _has_words(text: object) -> bool:
    return isinstance(text, str) and bool(text) and not text.isspace()


def _meta_of(path: Path) -> dict[str, Any]:
    """What stands beside a subagent's transcript about it."""
    try:
        meta = json.loads(path.with_suffix(".meta.json").read_bytes()[:100_000])
    except (OSError, ValueError, RecursionError):
        return {}
    return meta if isinstance(meta, dict) else {}
