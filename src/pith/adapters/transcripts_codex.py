"""Codex's rollouts: `sessions/YYYY/MM/DD/rollout-<time>-<uuid>.jsonl`.

Nothing in a rollout has an id but turns and tool calls, and much is said twice: as an item for the model and
as an event for the screen. So words get an id made of session, text and ordinal, counted from the start of
the file in each of the two streams: a second import and a fork's copy come to the same id. That is why a
rollout is always read from its start, also when only what follows an offset is wanted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pith.adapters import codex_records, jsonl
from pith.adapters.jsonl import Found, Item, part, word
from pith.domain import events, tools
from pith.domain.events import Sighting

HOST = "codex"

_ITEM, _EVENT = 0, 1

_HEAD = re.compile(
    rb'\{"timestamp":"[^"\\]{1,40}",(?:"ordinal":\d{1,19},)?'
    rb'"type":"([a-z_]{1,40})"(?:,"payload":\{"type":"([a-z_]{1,40})")?'
)
_INJECTIONS = (
    "<environment_context",
    "<user_instructions",
    "<permissions",
    "<turn_aborted",
    "<user_shell_command",
    "<skill",
    "<subagent_notification",
    "<collaboration_mode",
    "<system-reminder",
    "<INSTRUCTIONS",
    "# AGENTS.md instructions",
)


def read(path: str | Path, offset: int = 0, line: int = 0) -> Reading:  # noqa: ARG001 (as of the other reader)
    """The items of a rollout that follow an offset; the number of lines before it is counted anew."""
    return Reading(path, offset)


def find_transcripts(home: str | Path) -> list[Path]:
    """The rollouts in a home of Codex, or in any folder, oldest first."""
    place = Path(home)
    if place.is_file():
        return [place]
    folders = [place / name for name in ("sessions", "archived_sessions") if (place / name).is_dir()]
    found = [path for folder in folders or [place] for path in folder.rglob("*.jsonl")]
    return jsonl.oldest_first(path for path in found if path.name.startswith("rollout-") or not folders)


class Reading(jsonl.Reading):
    """One rollout of Codex."""

    host = HOST

    def __init__(self, path: str | Path, offset: int = 0) -> None:
        super().__init__(path)
        self._wanted_after = self.read_to = offset
        self._own = ""
        self._parent = ""
        self._root = ""
        self._started = ""
        self.session = self.path.stem
        self.turn = ""
        self._branch = self._commit = ""
        self._origin = events.PERSON
        self._ended: set[str] = set()
        self._counts: tuple[dict[bytes, int], dict[bytes, int]] = ({}, {})
        self._has_events_of_prompts = self._has_items_of_answers = False

    def __iter__(self) -> Iterator[Item]:
        self._has_events_of_prompts = _holds(self.path, b'"user_message"')
        self._has_items_of_answers = _holds(self.path, b'"payload":{"type":"message","role":"assistant"')
        return super().__iter__()

    def _items(self, line: jsonl.Line) -> Iterator[Item]:
        if line.end > self._wanted_after:
            yield from super()._items(line)
        else:
            # Only facts are told of what is before: cwd and branch still hold for what follows.
            yield from (item for item in super()._items(line) if isinstance(item, jsonl.SessionFact))

    def skim(self, data: bytes) -> str:
        found = _HEAD.match(data)
        if found is None or data[-2:] != b"}\n":
            return ""
        kind, sort = found.group(1).decode(), (found.group(2) or b"").decode()
        if kind == "event_msg":
            return codex_records.EVENTS.get(sort, "")
        return codex_records.ITEMS.get(sort, "") if kind == "response_item" else codex_records.TYPES.get(kind, "")

    def take(self, record: dict[str, Any]) -> Iterator[Found]:
        kind, payload = word(record, "type"), part(record, "payload")
        self.at = jsonl.moment(record.get("timestamp"), self.at)
        if kind == "session_meta":
            return self._meta(payload)
        if kind == "turn_context":
            return self._context(payload)
        if kind == "compacted":
            return self._words(events.SUMMARY, payload.get("message"), _ITEM)
        if kind == "response_item":
            return self._item(word(payload, "type"), payload)
        if kind == "event_msg":
            return self._event(word(payload, "type"), payload)
        return iter((codex_records.TYPES.get(kind, jsonl.UNKNOWN),))

    # -- Where and when --------------------------------------------------------------------------------------

    def _meta(self, meta: dict[str, Any]) -> Iterator[Found]:
        id = word(meta, "id") or word(meta, "session_id")
        is_own = not self._own or self.path.stem.endswith(id)
        if id and is_own:
            self._own = id
            self._parent = word(meta, "forked_from_id") or self._parent
            root = word(meta, "session_id")
            self._root = root if root != id and _is_subagent(meta) else ""
            self._started = jsonl.moment(meta.get("timestamp"), self.at)
        if is_own or not self.path.stem.endswith(self._own):
            self.session = id or self.session
            git = part(meta, "git")
            self._branch, self._commit = word(git, "branch"), word(git, "commit_hash")
            yield from self._place(meta)
        if is_own:
            yield from self._kinship(meta)
        yield jsonl.FACT

    def _place(self, meta: dict[str, Any]) -> Iterator[Found]:
        yield from self._fact("started", jsonl.moment(meta.get("timestamp"), self.at))
        yield from self._fact("cwd", word(meta, "cwd"))
        yield from self._fact("branch", self._branch)
        yield from self._fact("commit", self._commit)

    def _kinship(self, meta: dict[str, Any]) -> Iterator[Found]:
        """What a session descends from: a fork's origin, or the session that started it as a subagent."""
        spawn = part(part(part(meta, "source"), "subagent"), "thread_spawn")
        self._origin = events.AGENT if _is_subagent(meta) else events.PERSON
        if not self._root:
            yield from self._fact("parent", self._parent or word(spawn, "parent_thread_id"))
        yield from self._fact("agent_type", word(meta, "agent_role") or word(spawn, "agent_role"))

    def _fact(self, name: str, value: str) -> Iterator[jsonl.SessionFact]:
        session, agent = self._whose(self.session)
        return self.fact(session, name, value, agent)

    def _whose(self, thread: str) -> tuple[str, str]:
        """Session and agent of a thread: a subagent's is kept with the session it works for, as hooks tell it."""
        return (self._root, thread) if self._root and thread == self._own else (thread, "")

    def _context(self, context: dict[str, Any]) -> Iterator[Found]:
        self._begin_turn(word(context, "turn_id"))
        session, agent = self._whose(self._session())
        yield from self.fact(session, "cwd", word(context, "cwd"), agent)
        yield jsonl.META

    def _begin_turn(self, turn: str) -> None:
        if turn and turn != self.turn:
            self.turn = turn
            self._ended.clear()

    def _session(self) -> str:
        """The session that first wrote the present line: a fork begins with a copy of its parent's lines."""
        if not self._parent or not self._own:
            return self.session
        copied = self.at < self._started or _is_earlier(self.turn, self._own)
        return self._parent if copied else self._own

    # -- Words -----------------------------------------------------------------------------------------------

    def _item(self, kind: str, item: dict[str, Any]) -> Iterator[Found]:
        if kind == "message":
            return self._message(word(item, "role"), item)
        if kind in ("function_call", "custom_tool_call"):
            given = item.get("arguments") if kind == "function_call" else item.get("input")
            return self._called(item, tools.Call(_name(item), given))
        if kind == "local_shell_call":
            return self._called(item, tools.Call("local_shell", item.get("action")))
        if kind in ("function_call_output", "custom_tool_call_output"):
            return self._answered(item)
        if kind == "web_search_call":
            return self._searched(part(item, "action"), _ITEM)
        return iter((codex_records.ITEMS.get(kind, jsonl.UNKNOWN),))

    def _message(self, role: str, item: dict[str, Any]) -> Iterator[Found]:
        if role == "assistant":
            return self._words(events.RESPONSE, _said(item.get("content")), _ITEM)
        if role != "user":
            return iter((jsonl.INJECTED,))
        if self._has_events_of_prompts:
            return iter((jsonl.MIRROR,))
        if _is_of_host(item):
            return iter((jsonl.INJECTED,))
        return self._prompt(_said(item.get("content")), _ITEM)

    def _event(self, kind: str, event: dict[str, Any]) -> Iterator[Found]:
        if kind == "user_message":
            is_typed = event.get("kind") in (None, "plain")
            return self._prompt(event.get("message"), _EVENT) if is_typed else iter((jsonl.INJECTED,))
        if kind == "agent_message" and self._has_items_of_answers:
            return iter((jsonl.MIRROR,))
        if kind == "agent_message":
            return self._words(events.RESPONSE, event.get("message"), _EVENT)
        if kind in ("task_started", "turn_started"):
            self._begin_turn(word(event, "turn_id"))
            return iter((jsonl.META,))
        if kind in ("exec_command_end", "patch_apply_end", "mcp_tool_call_end"):
            return self._ended_event(kind, event)
        if kind == "web_search_end":
            return self._searched(part(event, "action") or event, _EVENT)
        return iter((codex_records.EVENTS.get(kind, jsonl.UNKNOWN),))

    def _prompt(self, text: object, stream: int) -> Iterator[Found]:
        if isinstance(text, str) and text.lstrip()[:40].startswith(_INJECTIONS):
            yield jsonl.INJECTED
            return
        self.forget_pending()
        yield from self._words(events.PROMPT, text, stream)

    def _words(self, kind: str, text: object, stream: int, **more: Any) -> Iterator[Found]:
        """A sighting of words, unless the other stream told them already."""
        if not isinstance(text, str) or not text or text.isspace():
            yield jsonl.EMPTY
            return
        session = self._session()
        key = events.anchor("codex", session, kind, text.strip())
        own, other = self._counts[stream], self._counts[1 - stream]
        own[key] = ordinal = own.get(key, 0) + 1
        if ordinal <= other.get(key, 0):
            yield jsonl.MIRROR
            return
        if kind == events.PROMPT:
            more["origin"] = self._origin
        yield self._sighting(kind, text, record=events.anchor(key.hex(), ordinal).hex(), **more)

    def _searched(self, action: dict[str, Any], stream: int) -> Iterator[Found]:
        asked = {name: value for name in ("query", "url", "pattern") if (value := word(action, name))}
        if not asked:
            return iter((jsonl.EMPTY,))
        text, details = tools.digest("web_search", asked, None, False)
        return self._words(events.TOOL, text, stream, origin=events.WEB, details=details)

    # -- Tools -----------------------------------------------------------------------------------------------

    def _called(self, item: dict[str, Any], call: tools.Call) -> Iterator[Found]:
        id = word(item, "call_id") or word(item, "id")
        if id:
            self.wait(id, call)
            yield jsonl.JOINED
        else:
            yield from self._tool(call, None, "")

    def _answered(self, item: dict[str, Any]) -> Iterator[Found]:
        id = word(item, "call_id")
        if id and id in self._ended:
            yield jsonl.MIRROR
            return
        waiting = self.pending.pop(id, None)
        yield from self._tool(waiting.call if waiting else tools.Call("", None), item.get("output"), id)

    def _ended_event(self, kind: str, event: dict[str, Any]) -> Iterator[Found]:
        """The screen's copy of a result; it is taken where the model's item is not there."""
        id = word(event, "call_id")
        waiting = self.pending.get(id)
        if waiting:
            waiting.call.add(event.get("exit_code"), part(event, "changes"))
            yield jsonl.MIRROR
        elif id in self._ended:
            yield jsonl.MIRROR
        else:
            yield from self._tool(_call_of(kind, event), _response_of(kind, event), id)

    def _tool(self, call: tools.Call, response: object, id: str) -> Iterator[Found]:
        text, details = call.ended(response, False)
        if id:
            self._ended.add(id)
        if not text:
            yield jsonl.EMPTY
            return
        record = "" if id else f"{self._session()}@{self.place.start}"
        origin = tools.origin(call.tool)
        yield self._sighting(events.TOOL, text, record=record, tool=id, details=details, origin=origin)

    def _sighting(self, kind: str, text: str, **more: Any) -> Sighting:
        session, agent = self._whose(self._session())
        return Sighting(
            kind,
            session,
            text,
            self.at,
            agent=agent,
            host=HOST,
            channel=events.TRANSCRIPT,
            turn=self.turn,
            branch=self._branch,
            commit=self._commit,
            **more,
        )


def _said(content: object) -> str:
    """The text of a message's blocks."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = (block.get("text") for block in blocks if isinstance(block, dict))
    return "\n".join(text for text in texts if isinstance(text, str))


def _name(item: dict[str, Any]) -> str:
    """A tool's name as hooks tell it; those of a server come with its name apart."""
    space, name = word(item, "namespace"), word(item, "name")
    return f"{space.removesuffix('__')}__{name}" if space.startswith("mcp__") else name


def _is_of_host(item: dict[str, Any]) -> bool:
    """Whether Codex says of a user's message that it made all of it."""
    kinds = part(item, "internal_chat_message_metadata_passthrough").get("content_item_kinds")
    return isinstance(kinds, list) and bool(kinds) and not any(str(kind).startswith("user.") for kind in kinds)


def _is_subagent(meta: dict[str, Any]) -> bool:
    source = meta.get("source")
    return "subagent" in (source if isinstance(source, (str, dict)) else "") or meta.get("thread_source") == "subagent"


def _call_of(kind: str, event: dict[str, Any]) -> tools.Call:
    if kind == "mcp_tool_call_end":
        asked = part(event, "invocation")
        return tools.Call(f"mcp__{word(asked, 'server')}__{word(asked, 'tool')}", asked.get("arguments"))
    if kind == "patch_apply_end":
        return tools.Call("apply_patch", {"files": list(part(event, "changes"))})
    return tools.Call("exec_command", {"command": event.get("command")})


def _response_of(kind: str, event: dict[str, Any]) -> object:
    if kind == "mcp_tool_call_end":
        result = part(event, "result")
        return result.get("Ok", result.get("Err"))
    return {
        "exit_code": event.get("exit_code"),
        "output": event.get("aggregated_output") or event.get("stderr"),
    }


def _is_earlier(turn: str, session: str) -> bool:
    """Whether a turn began before a session, as their ids tell, which begin with the time (UUIDv7)."""
    if len(turn) != 36 or len(session) != 36 or turn[14] != "7" or session[14] != "7":
        return False
    return turn[:13].lower() < session[:13].lower()


def _holds(path: Path, needle: bytes) -> bool:
    """Whether a file holds these bytes; read to the first of them, in pieces."""
    rest = b""
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            if needle in rest + chunk:
                return True
            rest = chunk[-len(needle) :]
    return False
