"""One memory in full, whatever its citation names; an event with what happened around it and what was drawn from it."""

from __future__ import annotations

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from pith.domain import secrets
from pith.interfaces.web import numbers, view
from pith.services import lookup
from pith.services.answers import event as answer
from pith.services.knowledge import lookup as look
from pith.store import citations, entries, entry_words, memories, nodes
from pith.store import events as stored

AROUND = 4
LONGEST = 200_000  # characters of a text that are shown
ELSEWHERE = {entry_words.ENTRY: "/entries/", entry_words.ENTITY: "/entities/", memories.MEMORY: "/memories/"}


@view.page
def page(request: Request) -> Response:
    """The event; an entry, a task or a node has a page of its own."""
    cited = request.path_params["citation"]
    with view.site(request).reading() as db:
        kind, id = citations.find(db, cited)
        if kind in ELSEWHERE:
            return view.go(ELSEWHERE[kind] + quote(cited))
        if kind == nodes.NODE:
            return view.go("/graph/" + quote(id))
        row = lookup.event(db, cited)
        found = {**answer.facts(db, row), "text": row["text"][:LONGEST]}
        around = [
            {**answer.facts(db, each), "text": answer.shortened(each["text"]), "is_this": each["seq"] == row["seq"]}
            for each in stored.around(db, row["seq"], AROUND, AROUND)
        ]
        drawn = [look.told_entry(db, one) for one in entries.of_event(db, row["id"])]
        values = {
            "title": "Memory",
            "memory": found,
            "is_cut": len(row["text"]) > LONGEST,
            "parts": parts(found["text"], *span(request, len(row["text"]))),
            "around": around,
            "drawn": drawn,
        }
    return view.render(request, "memory.html", values)


def span(request: Request, length: int) -> tuple[int, int]:
    """The part of a text that an address marks with `start` and `end`; nothing where it marks none."""
    start = numbers.bounded(request.query_params.get("start"), 0, 0, length)
    end = numbers.bounded(request.query_params.get("end"), 0, 0, length)
    return (start, end) if start < end else (0, 0)


def parts(text: str, start: int, end: int) -> tuple[str, str, str]:
    """A text before, in and after the part that is marked; one that holds a credential in one piece.

    Each piece is masked by itself when it is shown, and half of a credential is none.
    """
    if secrets.find(text):
        return text, "", ""
    return text[:start], text[start:end], text[end:]
