"""A stand-in for a model's service: the hosts' own protocols, on this machine, with answers that a test wrote.

What is answered depends only on the conversation that a request carries, so it does not matter how often a host asks.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Tool:
    """A tool that the model asks for."""

    name: str
    input: Mapping[str, Any] = field(default_factory=dict)
    space: str = ""  # Codex keeps the tools of a server in a namespace


Step = Tool | str | Callable[["Request"], "Tool | str"]  # the last where an answer needs what the host said
_Events = Iterator[tuple[str, dict[str, Any]]]


@dataclass(frozen=True)
class Request:
    """One request of a host: where it went, and what it said."""

    path: str
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """All that reached the model, as one text."""
        return json.dumps(self.body, ensure_ascii=False)

    @property
    def tools(self) -> list[str]:
        """The names of the tools that the model may ask for."""
        names = []
        for tool in self.body.get("tools") or ():
            inner = tool.get("tools") if tool.get("type") == "namespace" else None
            name = str(tool.get("name") or tool.get("type"))
            names += [f"{name}{each['name']}" for each in inner] if inner else [name]
        return names

    @property
    def blocks(self) -> list[dict[str, Any]]:
        """All parts of its messages, in order."""
        contents = (message.get("content") for message in self.body.get("messages") or ())
        return [block for content in contents if isinstance(content, list) for block in content]

    @property
    def words(self) -> list[tuple[str, str]]:
        """Who said what, in order; `call` stands for each tool that the model asked for."""
        said: list[tuple[str, str]] = []
        for message in self.body.get("messages") or self.body.get("input") or ():
            if message.get("type") in ("function_call", "custom_tool_call"):
                said.append(("call", ""))
            content = message.get("content")
            blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or ()
            for block in blocks:
                if block.get("type") == "tool_use":
                    said.append(("call", ""))
                elif isinstance(block.get("text"), str):
                    said.append((str(message.get("role")), block["text"]))
        return said


class Model:
    """The service itself; `says` tells it what to answer to a prompt, step by step."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.hold: threading.Event | None = None  # while it is there and not set, no answer comes
        self.asked = threading.Event()
        self._script: dict[str, Sequence[Step]] = {}
        self._numbers = itertools.count(1)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        if self.hold:
            self.hold.set()
        self._server.shutdown()
        self._server.server_close()

    def says(self, prompt: str, *steps: Step) -> None:
        """What it does when this text is the last of its kind in a conversation: tools one after another, then words."""
        self._script[prompt] = steps

    def asked_about(self, text: str) -> list[Request]:
        """The requests with tools in which somebody said this."""
        return [each for each in self.requests if each.tools and any(text in said for _, said in each.words)]

    # -- What is answered ------------------------------------------------------------------------------------

    def _step(self, request: Request) -> Tool | str:
        if not request.tools:
            return "A title"
        words = request.words
        for place in range(len(words) - 1, -1, -1):
            who, text = words[place]
            known = next((prompt for prompt in self._script if prompt in text), None) if who == "user" else None
            if known is not None:
                steps = self._script[known]
                done = sum(1 for other, _ in words[place:] if other == "call")
                step = steps[min(done, len(steps) - 1)]
                return step(request) if callable(step) else step
        return "Nothing was written for this."

    def _answer(self, path: str, body: dict[str, Any]) -> tuple[str, bytes]:
        request = Request(path, body)
        self.requests.append(request)
        step, number = self._step(request), next(self._numbers)
        if request.tools:
            self.asked.set()
            if self.hold:
                self.hold.wait(60)
        if path.split("?", maxsplit=1)[0].endswith("/count_tokens"):
            return "application/json", b'{"input_tokens": 10}'
        events = list((_responses if "/responses" in path else _messages)(step, number, str(body.get("model", "m"))))
        if not body.get("stream"):
            return "application/json", json.dumps(_message(step, number)).encode()
        lines = (f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n" for kind, data in events)
        return "text/event-stream", "".join(lines).encode()

    def _handler(model) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                """Nothing is told on the terminal."""

            def do_HEAD(self) -> None:
                self._send("application/json", b"")

            def do_GET(self) -> None:
                self._send("application/json", b'{"data": [], "models": []}')

            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers.get("content-length") or 0))
                try:
                    body = json.loads(data)
                except ValueError:
                    body = {}
                try:
                    self._send(*model._answer(self.path, body if isinstance(body, dict) else {}))
                except (BrokenPipeError, ConnectionResetError):
                    return  # a host that was killed waits for nothing

            def _send(self, kind: str, data: bytes) -> None:
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

        return Handler


# -- Anthropic's messages ------------------------------------------------------------------------------------

_USAGE = {"input_tokens": 10, "output_tokens": 5}


def _message(step: Tool | str, number: int) -> dict[str, Any]:
    text = step if isinstance(step, str) else "A title"
    return {
        "id": f"msg_{number}", "type": "message", "role": "assistant", "model": "m", "usage": _USAGE,
        "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "stop_sequence": None,
    }  # fmt: skip


def _messages(step: Tool | str, number: int, model: str) -> _Events:
    began = {**_message("", number), "model": model, "content": [], "stop_reason": None}
    yield "message_start", {"message": began}
    if isinstance(step, Tool):
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": step.name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(dict(step.input), ensure_ascii=False)}
        why = "tool_use"
    else:
        block, delta, why = {"type": "text", "text": ""}, {"type": "text_delta", "text": step}, "end_turn"
    yield "content_block_start", {"index": 0, "content_block": block}
    yield "content_block_delta", {"index": 0, "delta": delta}
    yield "content_block_stop", {"index": 0}
    yield "message_delta", {"delta": {"stop_reason": why, "stop_sequence": None}, "usage": {"output_tokens": 5}}
    yield "message_stop", {}


# -- OpenAI's responses --------------------------------------------------------------------------------------


def _responses(step: Tool | str, number: int, model: str) -> _Events:
    response = {"id": f"resp_{number}", "object": "response", "model": model, "status": "in_progress", "output": []}
    item: dict[str, Any]
    if isinstance(step, Tool) and step.name == "apply_patch":
        item = {"type": "custom_tool_call", "id": f"ctc_{number}", "call_id": f"call_{number}"}
        item |= {"name": step.name, "input": str(step.input["input"])}
    elif isinstance(step, Tool):
        item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": step.name}
        item["arguments"] = json.dumps(dict(step.input), ensure_ascii=False)
        if step.space:
            item["namespace"] = step.space
    else:
        content = [{"type": "output_text", "text": step, "annotations": []}]
        item = {"type": "message", "id": f"out_{number}", "role": "assistant", "content": content}
    item["status"] = "completed"
    yield "response.created", {"response": response}
    yield "response.output_item.added", {"output_index": 0, "item": {**item, "status": "in_progress"}}
    yield "response.output_item.done", {"output_index": 0, "item": item}
    usage = {
        "input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15,
    }  # fmt: skip
    yield "response.completed", {"response": {**response, "status": "completed", "output": [item], "usage": usage}}
