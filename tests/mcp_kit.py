"""What tests of the MCP server share: the SDK's own client, in this process or with a server of its own."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters, types

from conftest import program
from pith.interfaces.mcp import server as face

LEGACY = "legacy"  # the handshake that today's hosts speak


def with_client(work: Callable[[Client], Awaitable[Any]], folder: Path | None = None, **how: Any) -> Any:
    """Do some work with a client of a server in this process."""
    chosen = how.pop("tools", "default")

    async def run() -> Any:
        made = face.create(str(folder) if folder else None, chosen)
        async with Client(made, **{"mode": LEGACY, **how}) as client:
            return await work(client)

    return anyio.run(run)


def with_process(work: Callable[[Client], Awaitable[Any]], folder: Path, *words: str, **how: Any) -> Any:
    """The same with a server that the client starts, as a host does."""
    started = StdioServerParameters(command=program("pith")[0], args=["mcp", *words], env=dict(os.environ), cwd=folder)

    async def run() -> Any:
        async with Client(started, **{"mode": LEGACY, **how}) as client:
            return await work(client)

    return anyio.run(run)


def call(folder: Path | None, tool: str, /, **arguments: Any) -> types.CallToolResult:
    """One call of a tool in this process, of all tools."""
    return with_client(lambda client: client.call_tool(tool, arguments), folder, tools="full")


def said(found: Any) -> str:
    """The text that the model sees of a call that went well."""
    assert not found.is_error, found.content
    return text_of(found)


def text_of(found: Any) -> str:
    """The text that the model sees."""
    return "\n".join(each.text for each in found.content)


class Server:
    """A server in a child process, spoken to line by line."""

    def __init__(self, folder: Path, *words: str, command: list[str] | None = None) -> None:
        self.process = subprocess.Popen(
            command or [*program("pith"), "mcp", *words],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def send(self, line: bytes | dict[str, Any]) -> None:
        """Write one line."""
        assert self.process.stdin
        data = line if isinstance(line, bytes) else json.dumps(line).encode()
        self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def ask(self, id: int, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and read one answer."""
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        return self.answer()

    def answer(self) -> dict[str, Any]:
        """Read one line, which is JSON-RPC."""
        assert self.process.stdout
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        assert found["jsonrpc"] == "2.0"
        return found

    def begin(self, **able: Any) -> Server:
        """Shake hands, as a client that is able to do these things."""
        about = {"protocolVersion": "2025-06-18", "capabilities": able, "clientInfo": {"name": "test", "version": "1"}}
        assert self.ask(0, "initialize", **about)["id"] == 0
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def end(self) -> tuple[int, bytes, bytes]:
        """Close its input; exit code, the rest of stdout, stderr."""
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err
