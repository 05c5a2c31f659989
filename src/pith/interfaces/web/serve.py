"""The dashboard's server: loopback only, a free port, a new token each time, and a clean end."""

from __future__ import annotations

import socket
import threading
import time
import webbrowser
from collections.abc import Callable
from typing import Any

import uvicorn

from pith.errors import PithError
from pith.interfaces.web.app import build
from pith.interfaces.web.guard import TOKEN, Guard, Secrets
from pith.interfaces.web.site import Site

ADDRESS = "127.0.0.1"
PATIENCE = 1  # seconds that requests which are under way get when it ends
CONNECTIONS = 200
LATE = 10.0  # seconds in which a connection must have asked for something: who says nothing keeps others out


class PortTaken(PithError):
    """The port that was asked for cannot be had."""

    code = "PORT_TAKEN"
    hint = "Leave `--port` out: a free one is found."


def serve(folder: str, port: int, open_browser: bool, begun: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM. `begun` is told the address when it answers."""
    listener = _listener(port)
    known = Secrets()
    port = listener.getsockname()[1]
    root = f"http://{ADDRESS}:{port}/?{TOKEN}="
    site = Site(folder, known)
    config = uvicorn.Config(
        Guard(build(site), known, port),
        log_level="critical",
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        http="h11",
        proxy_headers=False,
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=PATIENCE,
    )
    server = _Server(config, lambda: _ready(root, known, open_browser, begun))
    site.is_ending = lambda: server.should_exit
    try:
        server.run(sockets=[listener])
    finally:
        listener.close()


class _Server(uvicorn.Server):
    """Tells when it answers; the signal that ended it has done its work then, and is not raised once more."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready
        self._idle: dict[Any, Any] = {}  # connections without a request under way, with the last one that they had
        self._looked = 0.0

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    async def on_tick(self, counter: int) -> bool:
        now = time.monotonic()
        if now - self._looked > LATE:
            self._looked = now
            self._close_the_idle()
        return await super().on_tick(counter)

    def _close_the_idle(self) -> None:
        """Close connections that asked for nothing since the last look; uvicorn waits for a request for ever."""
        before, self._idle = self._idle, {}
        for each in list(self.server_state.connections):
            asked: Any = getattr(each, "cycle", None)
            if asked is not None and not asked.response_complete:
                continue
            if each in before and before[each] is asked:
                each.transport.close()
            else:
                self._idle[each] = asked

    def handle_exit(self, sig: int, frame: object) -> None:  # noqa: ARG002 - as it is called
        self.should_exit = True  # a second one forces nothing: a second is all that it waits


def _listener(port: int) -> socket.socket:
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        found.bind((ADDRESS, port))
        found.listen(64)
    except OSError as error:
        found.close()
        raise PortTaken(f"Port {port} cannot be had ({error.strerror}).") from error
    return found


def _ready(root: str, known: Secrets, open_browser: bool, begun: Callable[[str], None]) -> None:
    begun(root + known.token)
    if open_browser:
        threading.Thread(target=webbrowser.open, args=(root + known.ticket(),), daemon=True).start()
