"""What happens while somebody watches: every new event, as it is written, as server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from pith.errors import PithError
from pith.interfaces.web import view
from pith.interfaces.web.failure import failure
from pith.interfaces.web.site import Site, listening
from pith.services import dates
from pith.services.answers import event as answer
from pith.store import events as stored
from pith.store import search

PAUSE = 0.5  # seconds between two looks; each reads one number
BEAT = 30  # looks after which a word is sent, so that a page which is gone is noticed
MOST = 20  # events of one look; of an import nobody wants to see each


async def events(request: Request) -> Response:
    """The stream; it ends with the server."""
    site = view.site(request)
    try:
        listening(site, 1)
    except PithError as error:
        return failure("live", error)
    return StreamingResponse(_watch(request, site), media_type="text/event-stream")


async def _watch(request: Request, site: Site) -> AsyncIterator[str]:
    try:
        seen = await run_in_threadpool(_last, site)
        yield "retry: 2000\n\nevent: ready\ndata: {}\n\n"
        quiet = 0
        while not site.is_ending() and not await request.is_disconnected():
            last = await run_in_threadpool(_last, site)
            if last > seen:
                told = await run_in_threadpool(_told, site, seen, last)
                yield f"event: news\ndata: {json.dumps(told, ensure_ascii=False)}\n\n"
                seen, quiet = last, 0
            quiet += 1
            if quiet % BEAT == 0:
                yield ": still here\n\n"
            await asyncio.sleep(PAUSE)
    finally:
        listening(site, -1)


def _last(site: Site) -> int:
    """The number of the event that was written last; nothing while the store cannot be read."""
    try:
        with site.reading() as db:
            return search.last(db)
    except PithError:
        return 0


def _told(site: Site, seen: int, last: int) -> dict[str, Any]:
    """The events since then that somebody said or did, and how many there are."""
    numbers = range(max(seen, last - MOST) + 1, last + 1)
    with site.reading() as db:
        rows = [row for row in stored.read(db, numbers) if row["session"]] if numbers else []
        rows.sort(key=lambda row: row["seq"])
        return {"last": last, "events": [_line(db, row) for row in rows if not row["forgotten_at"]]}


def _line(db: Any, row: Any) -> dict[str, str]:
    facts = answer.facts(db, row)
    return {
        "citation": facts["citation"],
        "kind": facts["kind"],
        "what": view.shown(facts["tool"] or facts["kind"]),
        "session": facts["session"],
        "at": dates.local(facts["at"]),
        "text": view.shown(answer.shortened(row["text"])),
    }
