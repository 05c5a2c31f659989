"""What tests of the dashboard share: a project worth looking at, and requests as somebody else could send them."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlencode

import pytest

pytest.importorskip("starlette")  # the extra `web`
pytest.importorskip("jinja2")

from knowledge_kit import AT, extract, say, statement
from pith.interfaces.web.app import build
from pith.interfaces.web.guard import Guard, Secrets
from pith.interfaces.web.site import Site
from pith.services.knowledge import tasks
from pith.services.project_memory import accepted, decide, quests, remember, shared, shared_init
from pith.services.workspace import open_workspace

PORT = 8765
HOST = f"127.0.0.1:{PORT}"
ORIGIN = f"http://{HOST}"
TOKEN = "the-token-of-this-test"
SAID = "환불은 세 번까지만 재시도한다. 그 뒤에는 사람이 본다."
QUOTE = "환불은 세 번까지만 재시도한다"
ENGLISH = "We decided to cap the export at 500 rows because the report timed out."


@dataclass
class Answer:
    """What came back."""

    status: int = 0
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key == name), "")

    def secret(self, name: str = "form") -> str:
        """What a hidden field of a form on the page holds."""
        found = re.search(rf'name="{name}" value="([^"]*)"', self.text)
        assert found, f"no field {name}"
        return unescape(found[1])


class Visitor:
    """Sends requests to the dashboard of a folder; a browser that was let in unless it says otherwise."""

    def __init__(self, folder: Path) -> None:
        self.known = Secrets(TOKEN)
        self.site = Site(str(folder), self.known)
        self.app = Guard(build(self.site), self.known, PORT)
        self.cookie = f"{self.app.cookie}={self.known.session}"

    def ask(
        self,
        path: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str] | Iterable[tuple[str, str]] | None = None,
        body: bytes = b"",
        chunks: int = 1,
    ) -> Answer:
        """One request with exactly these headers."""
        target, _, query = path.partition("?")
        given = headers.items() if isinstance(headers, Mapping) else headers or ()
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(target),
            "raw_path": target.encode(),  # as a server hands both on
            "root_path": "",
            "query_string": quote(query, safe="=&%+-_.~:,/@").encode(),  # as a browser sends it
            "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in given],
            "client": ("127.0.0.1", 50_000),
            "server": ("127.0.0.1", PORT),
        }
        return asyncio.run(self._run(scope, body, chunks))

    def get(self, path: str, **headers: str) -> Answer:
        """A page, as its own browser asks for it."""
        return self.ask(path, headers={"host": HOST, "cookie": self.cookie} | headers)

    def post(self, path: str, form: Mapping[str, str], **headers: str) -> Answer:
        """A form, as its own browser sends it."""
        own = {
            "host": HOST,
            "cookie": self.cookie,
            "origin": ORIGIN,
            "content-type": "application/x-www-form-urlencoded",
        }
        filled = {"form": self.known.form} | dict(form)
        return self.ask(path, method="POST", headers=own | headers, body=urlencode(filled).encode())

    async def _run(self, scope: dict[str, Any], body: bytes, chunks: int) -> Answer:
        answer = Answer()
        size = max(1, -(-len(body) // chunks))
        parts = [body[at : at + size] for at in range(0, len(body), size)] or [b""]

        async def receive() -> dict[str, Any]:
            part = parts.pop(0) if parts else b""
            return {"type": "http.request", "body": part, "more_body": bool(parts)}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                answer.status = message["status"]
                answer.headers = [(name.decode().lower(), value.decode()) for name, value in message["headers"]]
            else:
                answer.body += message.get("body", b"")

        await self.app(scope, receive, send)
        return answer


@dataclass
class Shop:
    """A project with a session, statements, a blocked task, a node, and a proposal that would replace it."""

    root: Path
    event: str
    entry: str
    node: str
    proposal: str


def shop(root: Path) -> Shop:
    """Fill a repository's memory; the same each time."""
    shared_init.init(root, "데모 shop")
    memory = shared.open_shared(root)
    with open_workspace(str(root)) as ws:
        event = say(ws.db, SAID)
        say(ws.db, ENGLISH, AT.replace("09:00", "09:05"), session="s2")
        say(ws.db, "앞으로는 커밋하기 전에 항상 테스트를 돌려 줘", AT.replace("09:00", "09:10"), session="s2")
        entry = extract(ws.db, event, [statement(ws.db, event, QUOTE, QUOTE, type="decision")])[0]
        task = tasks.create(ws.db, ws.project.id, "smoke test against the sandbox")
        tasks.block(ws.db, ws.project.id, task.entity_id, ["the sandbox key has no refund scope"], "it failed")
    first = _proposed(memory, "환불 호출은 세 번 재시도한다.", "The provider times out in bursts.")
    node = decide.accept(memory, first).node.id
    links = {"links": [f"supersedes:{node}"], "entries": [entry]}
    second = _proposed(memory, "환불 호출은 다섯 번 재시도한다.", "Three were too few.", links)
    accepted.after_change(root)
    return Shop(root, event, entry, node, second)


def _proposed(memory: shared.Shared, candidate: str, why: str, further: dict[str, Any] | None = None) -> str:
    quest = quests.new(memory, candidate, layer="L2").quest.id
    quests.done(memory, quest, evidence=["테스트 9개 통과"])
    made = remember.propose(memory, quest, node_type="constraint", candidate=candidate, why=why, further=further)
    return made.proposal.id
