"""Who may ask: nobody but the browser that was given the first address, from this machine, about this page.

It stands before everything else. A page on some other site cannot ask (Host, Origin and Sec-Fetch-Site are checked,
the cookie is SameSite=Strict), a name that was pointed here cannot (DNS rebinding: the Host must be ours), and whoever
has not the token cannot. What changes something needs a second secret that only our own pages hold. Every answer
forbids scripts, styles, frames and connections that are not our own.
"""

from __future__ import annotations

import hmac
import html
import json
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from hashlib import sha256
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlencode

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

HOSTS = ("127.0.0.1", "localhost", "[::1]")
METHODS = ("GET", "HEAD", "POST")
LARGEST_BODY = 256 * 1024  # bytes: a proposal is a few hundred
LONGEST_QUERY = 8 * 1024
TICKET_SECONDS = 60.0
TOKEN = "token"  # noqa: S105 - the name of the parameter

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with `no-referrer` a form would name no Origin either
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


class Secrets:
    """What only the person and their browser know; made anew each time the page is opened."""

    __slots__ = ("_key", "_tickets", "token")

    def __init__(self, token: str = "") -> None:
        self.token = token or secrets.token_urlsafe(32)
        self._key = secrets.token_bytes(32)
        self._tickets: dict[str, float] = {}

    def ticket(self) -> str:
        """A token that admits once, and soon: every user of the machine can read a browser's command line."""
        made = secrets.token_urlsafe(32)
        self._tickets[made] = time.monotonic() + TICKET_SECONDS
        return made

    def admits(self, given: str) -> bool:
        """Whether it is the token, or a ticket that nobody used."""
        return _same(given, self.token) or self._tickets.pop(given, 0.0) > time.monotonic()

    @property
    def session(self) -> str:
        """What the cookie holds: not the token, which stands in a terminal's scrollback."""
        return self._of("session")

    @property
    def form(self) -> str:
        """What a form of ours carries."""
        return self._of("form")

    def _of(self, use: str) -> str:
        return hmac.new(self._key, use.encode(), sha256).hexdigest()


class Refused(Exception):
    """A request that gets no further, and the sentence for it."""

    def __init__(self, status: int, message: str, hint: str = "", headers: Iterable[tuple[str, str]] = ()) -> None:
        super().__init__(message)
        self.status, self.message, self.hint, self.headers = status, message, hint, tuple(headers)


class Admitted(Exception):
    """A first visit with the right token: where it goes on to, and the cookie that it gets."""

    def __init__(self, where: str, cookie: str, *, by_link: bool) -> None:
        super().__init__(where)
        self.where, self.cookie, self.by_link = where, cookie, by_link


class Guard:
    """Asks every request for its papers, and gives every answer the headers that it must have."""

    def __init__(self, app: App, known: Secrets, port: int) -> None:
        self.app, self.known = app, known
        self.hosts = tuple(f"{host}:{port}" for host in HOSTS) + (HOSTS if port == 80 else ())
        self.cookie = f"pith_{port}"  # cookies know no ports, and several projects may be open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # a socket that nobody here serves: the server closes it
        try:
            self._check(scope)
            if scope["method"] == "POST":
                receive = await self._read(scope, receive)
        except Refused as refused:
            await _refuse(scope, send, refused)
            return
        except Admitted as admitted:
            await _admit(send, admitted)
            return
        await self.app(scope, receive, _with_headers(send))

    def _check(self, scope: Scope) -> None:
        headers = _headers(scope)
        self._check_address(scope, headers)
        query = scope.get("query_string", b"").decode("latin-1")
        if len(query) > LONGEST_QUERY:
            raise Refused(414, "The address is too long.", "Ask in fewer words.")
        given = parse_qs(query).get(TOKEN, [""])[0]
        if given and scope["method"] == "GET":
            self._admit(scope, headers, given, query)
        if not self._is_known(headers):
            raise Refused(
                401,
                "This page is only for who opened it.",
                "Open the address that `pith dashboard` printed, with its token.",
            )

    def _check_address(self, scope: Scope, headers: dict[str, str]) -> None:
        """Where the request was sent to, where it comes from, and how."""
        if headers.get("host", "").lower() not in self.hosts:
            raise Refused(421, "This page answers under its own address only.", f"Open http://{self.hosts[0]}/.")
        if scope["method"] not in METHODS:
            allowed = ", ".join(METHODS)
            raise Refused(405, "Pages are read with GET and changed with POST.", headers=[("allow", allowed)])
        origin = headers.get("origin")
        if origin is not None and origin.lower().removeprefix("http://") not in self.hosts:
            raise Refused(403, "Another site asked for this page.", "Open it in a window of its own.")
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not _is_visit(scope, headers):
            raise Refused(403, "Another site asked for this page.", "Open it in a window of its own.")
        if scope["method"] == "POST" and origin is None and "authorization" not in headers:
            raise Refused(403, "A change must say where it comes from.", "Use the forms of this page.")

    def _admit(self, scope: Scope, headers: dict[str, str], given: str, query: str) -> None:
        """Exchange the token of the first address for a cookie, and leave an address without it."""
        if not self.known.admits(given):
            raise Refused(401, "The token is not the one of this page.", "Open the address that was printed last.")
        rest = {name: values for name, values in parse_qs(query).items() if name != TOKEN}
        path = "/" + "/".join(
            re.split(r"[/\\]+", str(scope["path"]).lstrip("/\\"))
        )  # `//other.example` is another site
        where = path + (f"?{urlencode(rest, doseq=True)}" if rest else "")
        cookie = f"{self.cookie}={self.known.session}; Path=/; HttpOnly; SameSite=Strict"
        raise Admitted(_ascii(where), cookie, by_link=headers.get("sec-fetch-site", "none") != "none")

    def _is_known(self, headers: dict[str, str]) -> bool:
        """Whether the cookie or, for programs, `Authorization: Bearer TOKEN` is ours."""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and _same(given.strip(), self.known.token):
            return True
        cookies = (each.strip().partition("=") for each in headers.get("cookie", "").split(";"))
        return any(name == self.cookie and _same(value, self.known.session) for name, _, value in cookies)

    async def _read(self, scope: Scope, receive: Receive) -> Receive:
        """Read a form whole, within bounds, and see that it came from one of our pages."""
        headers = _headers(scope)
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/x-www-form-urlencoded":
            raise Refused(415, "Only the forms of this page are read.", "Use them.")
        body = await _body(headers, receive)
        try:
            form = parse_qs(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=200)
        except ValueError as error:
            raise Refused(400, "The form cannot be read.", "Go back, and send it again.") from error
        if not _same(form.get("form", [""])[0], self.known.form):
            raise Refused(403, "This form is not from a page that is open now.", "Reload the page, and try again.")
        scope["pith.form"] = {name: values[-1] for name, values in form.items() if name != "form"}

        async def receive_again() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        return receive_again


def _is_visit(scope: Scope, headers: dict[str, str]) -> bool:
    """Whether somebody followed a link to here; the strict cookie keeps such a visit outside all the same."""
    return scope["method"] in ("GET", "HEAD") and headers.get("sec-fetch-mode") == "navigate"


async def _body(headers: dict[str, str], receive: Receive) -> bytes:
    too_large = Refused(413, "This is too much for one form.", "Shorten the text.")
    said = headers.get("content-length", "0")
    if said.isdigit() and int(said) > LARGEST_BODY:
        raise too_large
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refused(400, "The form did not arrive whole.", "Send it again.")
        body += message.get("body", b"")
        if len(body) > LARGEST_BODY:
            raise too_large
        more = message.get("more_body", False)
    return body


def _headers(scope: Scope) -> dict[str, str]:
    """Headers by name; one that is given twice holds both, and so matches nothing."""
    found: dict[str, str] = {}
    for name, value in scope.get("headers", ()):
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        joint = "; " if key == "cookie" else ", "
        found[key] = f"{found[key]}{joint}{text}" if key in found else text
    return found


def _same(given: str, known: str) -> bool:
    """Compare without telling by the time it takes how much was right."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), known.encode("ascii"))


def _ascii(address: str) -> str:
    from urllib.parse import quote

    return quote(address, safe="/?&=%+:,;@!$'()*-._~")


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", ()))
            named = {name.lower() for name, _ in given}
            own = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in named]
            message = {**message, "headers": [*given, *own]}
        await send(message)

    return sending


async def _admit(send: Send, admitted: Admitted) -> None:
    """Go on without the token.

    Whoever came by a link of another page (a terminal in the browser) goes on from a page of ours: a redirect would
    still be that other page's, and a strict cookie is not sent for it.
    """
    headers = [("set-cookie", admitted.cookie), ("content-type", "text/html; charset=utf-8")]
    text = ""
    if admitted.by_link:
        where = html.escape(admitted.where)
        text = f'<!doctype html><meta http-equiv="refresh" content="0;url={where}"><title>pith</title>'
    else:
        headers.append(("location", admitted.where))
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    sending = _with_headers(send)
    await sending({"type": "http.response.start", "status": 200 if admitted.by_link else 303, "headers": raw})
    await sending({"type": "http.response.body", "body": text.encode()})


async def _refuse(scope: Scope, send: Send, refused: Refused) -> None:
    """Answer in plain text, which no browser takes for a page, or in JSON where a program asked."""
    is_api = str(scope.get("path", "")).startswith("/api")
    if is_api and refused.status >= HTTPStatus.BAD_REQUEST:
        kind = "application/json"
        error = {"code": HTTPStatus(refused.status).name, "message": refused.message, "hint": refused.hint}
        text = json.dumps({"ok": False, "contract_version": "0.1", "command": "web", "error": error})
    else:
        kind, text = "text/plain; charset=utf-8", f"{refused.message}\n{refused.hint}\n".strip() + "\n"
    body = text.encode() if scope["method"] != "HEAD" else b""
    headers = [("content-type", kind), ("content-length", str(len(text.encode()))), *refused.headers]
    sending = _with_headers(send)
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    await sending({"type": "http.response.start", "status": refused.status, "headers": raw})
    await sending({"type": "http.response.body", "body": body})
