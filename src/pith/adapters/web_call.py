"""One request to an address that a person set: to there and nowhere else, and within one deadline as a whole.

A timeout of a socket is for each wait alone: an address that sends a byte now and then would hold its caller for hours.
"""

from __future__ import annotations

import socket
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from pith.adapters.web_address import is_here


@contextmanager
def opened(request: urllib.request.Request, seconds: float) -> Iterator[HTTPResponse]:
    """The answer, to be read within; what urllib raises, and TimeoutError when the deadline has passed by then."""
    deadline = _Deadline()
    handlers: list[Any] = [_NoRedirects, _Plain(deadline), _Encrypted(deadline)]
    if is_here(urlsplit(request.full_url).hostname or ""):
        handlers.append(urllib.request.ProxyHandler({}))  # what is said to this machine leaves it by no proxy
    timer = threading.Timer(seconds, deadline.pass_by)
    timer.daemon = True
    timer.start()
    try:
        with urllib.request.build_opener(*handlers).open(request, timeout=seconds) as response:
            deadline.demand()
            yield response
            deadline.demand()
    finally:
        timer.cancel()


class _Deadline:
    """Ends the connection of a call when its time is over: whoever reads it reads its end then."""

    def __init__(self) -> None:
        self._is_over = False
        self._sockets: list[socket.socket] = []

    def watch(self, connected: socket.socket) -> None:
        """This is the call's connection."""
        self._sockets.append(connected)
        self.demand()

    def pass_by(self) -> None:
        """The time is over."""
        self._is_over = True
        for each in self._sockets:
            try:
                socket.socket.shutdown(each, socket.SHUT_RDWR)  # under the encryption, whose state its reader holds
            except OSError:  # it is closed
                pass

    def demand(self) -> None:
        """Raise TimeoutError where the time is over."""
        if self._is_over:
            raise TimeoutError("slow")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The key goes to the address that was configured, and nowhere else."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class _Plain(urllib.request.HTTPHandler):
    def __init__(self, deadline: _Deadline) -> None:
        super().__init__()
        self._connected = partial(_PlainConnection, deadline)

    def http_open(self, request: urllib.request.Request) -> HTTPResponse:
        return self.do_open(self._connected, request)


class _Encrypted(urllib.request.HTTPSHandler):
    def __init__(self, deadline: _Deadline) -> None:
        super().__init__()
        self._connected = partial(_EncryptedConnection, deadline)

    def https_open(self, request: urllib.request.Request) -> HTTPResponse:
        return self.do_open(self._connected, request)


class _PlainConnection(HTTPConnection):
    def __init__(self, deadline: _Deadline, host: str, **how: Any) -> None:
        super().__init__(host, **how)
        self._deadline = deadline

    def connect(self) -> None:
        super().connect()
        self._deadline.watch(self.sock)


class _EncryptedConnection(_PlainConnection, HTTPSConnection):
    """The same over TLS: what `super()` reaches is HTTPSConnection here."""
