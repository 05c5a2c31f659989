"""The dashboard's server: loopback only, a free port, a new token each time, and a clean end."""

from __future__ import annotations

import socket
import threading
import webbrowser
from collections.abc import Callable

import uvicorn

from pith.errors import PithError
from pith.interfaces.web.app import build
from pith.interfaces.web.guard import TOKEN, Guard, Secrets
from pith.interfaces.web.site import Site

ADDRESS = "127.0.0.1"
PATIENCE = 1  # seconds that requests which are under way get when it ends
CONNECTIONS = 200


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

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

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
