"""What an agent or a person states itself: an entry with the words that it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pith.domain import entries as rules
from pith.domain import knowledge, secrets
from pith.domain.entities import normalised
from pith.domain.entries import Entry
from pith.domain.evidence import Body, evidence
from pith.domain.extraction import TITLE, shortened
from pith.errors import InputError
from pith.services.knowledge import reconcile
from pith.services.knowledge.fold import Cause, Command
from pith.store import entries, noting
from pith.store.database import Db

_WIDE = 0x1100  # from Hangul on, a letter is a syllable
LONGEST = 4000  # characters of a text
SHORTEST = 6  # letters of a quote, a syllable of Hangul counting as two: fewer stand in any text
LOOKED_AT = 400  # of the newest events in which a quote is looked for


def note(
    db: Db, type: str, title: str, text: str = "", quotes: Sequence[str] = (), *, cause: Cause | None = None
) -> Entry:
    """State something. Quotes are looked for in what was said lately; with all of them found it is `working`, else raw.

    Raises InputError for an unknown type or nothing to say.
    """
    if type not in rules.TYPES:
        raise InputError(f"`{type[:40]}` is no type of entry.", hint=f"Use one of {', '.join(rules.TYPES)}.")
    title, text = _clean(title), _clean(text)
    if not title and not text:
        raise InputError("There is nothing to note.", hint='Run `pith note decision "Use a queue" --quote "..."`.')
    if len(title) > TITLE:
        title, text = shortened(title), text or title
    found = [_found(db, _clean(quote)) for quote in quotes if quote.strip()]
    whole = bool(found) and all(one["method"] != "failed" for one in found)
    statement = {
        "type": type,
        "title": title or shortened(text),
        "text": (text or title)[:LONGEST],
        "quotes": [_clean(quote) for quote in quotes if quote.strip()],
        "evidence": found,
        "content": {"standing": "stated"},
        "key": f"{type}:{normalised(text or title)}",
        "stage": "working" if whole else "raw",
    }
    return _append(db, statement, cause or Cause(origin="agent"))


def _append(db: Db, statement: dict[str, Any], cause: Cause) -> Entry:
    sources = dict.fromkeys(one["event_id"] for one in statement["evidence"] if one["event_id"])
    with Command(db, replace(cause)) as command:
        payload = {"statement": statement, "stated_at": command.at}
        change = command.append(knowledge.ENTRY_NOTED, payload, sources=sources)
        if change is None:
            known = noting.noted(db, knowledge.command_anchor(command.name, 0))
            return _entry(db, known)
        id = knowledge.entry_id(change.id, 0)
        reconcile.reconcile(command, [id], sources=sources)
    return _entry(db, id)


def _entry(db: Db, id: str) -> Entry:
    entry = entries.by_id(db, id)
    assert entry is not None
    return entry


def _clean(text: str) -> str:
    return secrets.mask(secrets.without_private(text.strip())[0])[0]


def _found(db: Db, quote: str) -> dict[str, Any]:
    """Where a quote stands: in the newest event that holds it word for word, else in the one that is likest."""
    if sum(2 if ord(letter) >= _WIDE else 1 for letter in quote if letter.isalnum()) < SHORTEST:
        return evidence("", Body(""), quote)
    for row in noting.holding(db, quote):
        return evidence(row["id"], Body(row["text"]), quote)
    for row in noting.newest(db, LOOKED_AT):
        one = evidence(row["id"], Body(row["text"]), quote)
        if one["method"] != "failed":
            return one
    return evidence("", Body(""), quote)
