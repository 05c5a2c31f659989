"""The two pipes between a client and this process: one JSON-RPC message a line, and nothing else, ever.

The SDK's own transport reads lines of any length, answers nothing to a line that it cannot read, and stops at once
when its input ends. Here a line is bounded, whoever sent a bad one is told, and what was asked is still answered.
"""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    jsonrpc_message_adapter,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Incoming = ObjectReceiveStream[SessionMessage | Exception]
    Outgoing = ObjectSendStream[SessionMessage]

LONGEST = 4_000_000  # bytes of one message
WAITING = 200  # requests that are not answered yet, after which no more are read: a client may never read itself
GRACE = 1.0  # seconds for what was asked before the input ended
_KEPT = 4_096  # bytes of a line that is too long
_ID = rb'"id"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?\d{1,18}(?![\d.eE]))'


@asynccontextmanager
async def opened(source: int, target: int) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """The streams that the server reads and writes; they end a moment after the input does."""
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    wire = _Wire(source, target)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wire.read, to_server)
        tasks.start_soon(wire.write, from_server)
        yield incoming, outgoing
        tasks.cancel_scope.cancel()


class _Wire:
    """Reads and writes lines; knows which requests were not answered yet."""

    def __init__(self, source: int, target: int) -> None:
        self._source = os.fdopen(source, "rb", closefd=False)
        self._target = target
        self._unanswered: set[Any] = set()
        self._writing = anyio.Lock()

    async def read(self, to_server: ObjectSendStream[SessionMessage | Exception]) -> None:
        """Give the server every message; answer a line that is none."""
        async with to_server:
            while line := await anyio.to_thread.run_sync(_line, self._source, abandon_on_cancel=True):
                if isinstance(line, bytes) and not line.strip():
                    continue
                message = read(line)
                if isinstance(message, Unread):
                    await self._send(message.answer)
                    continue
                self._note(message)
                await to_server.send(SessionMessage(message))
                await self._fewer(WAITING)
            with anyio.move_on_after(GRACE):
                await self._fewer(1)

    def _note(self, message: Any) -> None:
        """Remember what must be answered; whoever cancels awaits no answer."""
        if isinstance(message, JSONRPCRequest):
            self._unanswered.add(message.id)
        elif getattr(message, "method", "") == "notifications/cancelled":
            cancelled = (message.params or {}).get("requestId")
            if isinstance(cancelled, str | int):
                self._unanswered.discard(cancelled)

    async def _fewer(self, count: int) -> None:
        """Wait until fewer requests than that are unanswered."""
        while len(self._unanswered) >= count:
            await anyio.sleep(0.01)

    async def write(self, from_server: ObjectReceiveStream[SessionMessage]) -> None:
        """Write every message of the server."""
        async with from_server:
            async for item in from_server:
                await self._send(item.message)
                if not isinstance(item.message, JSONRPCRequest):  # the server's own have ids of their own
                    self._unanswered.discard(getattr(item.message, "id", None))

    async def _send(self, message: Any) -> None:
        async with self._writing:
            await anyio.to_thread.run_sync(_write, self._target, text(message) + b"\n", abandon_on_cancel=True)


class Unread:
    """A line that is no message, and the error that answers it."""

    __slots__ = ("answer",)

    def __init__(self, answer: JSONRPCError) -> None:
        self.answer = answer


class TooLong:
    """A line that nobody should send: what is kept of its beginning and its end."""

    __slots__ = ("head", "tail")

    def __init__(self, head: bytes, tail: bytes) -> None:
        self.head = head[:_KEPT]
        self.tail = tail[-_KEPT:]


def _line(source: io.BufferedReader) -> bytes | TooLong:
    """The next line; nothing when the input has ended."""
    line = source.readline(LONGEST + 1)
    if len(line) <= LONGEST or line.endswith(b"\n"):
        return line
    end = b""
    while (more := source.readline(LONGEST)) and not more.endswith(b"\n"):
        end = more[-_KEPT:]
    return TooLong(line, end + more)


def _write(target: int, data: bytes) -> None:
    """Write all of it; a client that has gone is no error, its end of the other pipe ends us."""
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(target, view) :]
    except OSError:
        pass


def text(message: Any) -> bytes:
    """A message on one line of UTF-8; halves of characters, which no JSON has, become question marks."""
    try:
        written: str = message.model_dump_json(by_alias=True, exclude_unset=True)
    except ValueError:
        written = json.dumps(message.model_dump(by_alias=True, exclude_unset=True), ensure_ascii=False)
    return written.encode("utf-8", "replace")


def read(line: bytes | TooLong) -> Any:
    """The message of a line, or what answers it. A client may send errors as well: those are messages."""
    if isinstance(line, TooLong):
        said = f"The message is longer than {LONGEST:,} bytes; send less at once."
        return _unread(line.head, line.tail, INVALID_REQUEST, said)
    try:
        return _message(line)
    except ValueError:
        pass
    try:  # what the strict reader refuses may only hold halves of characters, or bytes in another encoding
        mended = json.dumps(json.loads(line.decode("utf-8", "replace")), ensure_ascii=False)
        return _message(mended.encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        pass
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return _unread(line[:_KEPT], line[-_KEPT:], PARSE_ERROR, "The message is no JSON that can be read.")
    return _unread(line[:_KEPT], line[-_KEPT:], INVALID_REQUEST, "The message is no JSON-RPC 2.0 request.")


def _message(line: bytes) -> Any:
    """The message that a line holds; raises ValueError for none."""
    found = jsonrpc_message_adapter.validate_json(line, by_name=False)
    if isinstance(found, JSONRPCNotification) and b'"id"' in line and "id" in json.loads(line):
        raise ValueError("a request with an id that none may have")  # the SDK would take it for a notification
    return found


def _unread(head: bytes, tail: bytes, code: int, message: str) -> Unread:
    """The answer to a line that is no message, with the id that it seems to have."""
    found = re.search(_ID, head.partition(b'"params"')[0]) or re.search(_ID + rb"\s*}\s*$", tail)
    id = json.loads(found[1]) if found else None
    return Unread(JSONRPCError(jsonrpc="2.0", id=id, error=ErrorData(code=code, message=message)))
