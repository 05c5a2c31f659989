"""What a new statement means for those that stand: it is said again, takes the place of one, or contradicts it.

A later decision takes the place of an earlier one; facts and insights that are at odds are both contested, whichever
came first. Everything is kept, whatever becomes of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pith.domain import agreement, knowledge, words
from pith.domain.entries import Entry
from pith.domain.extraction import STATED
from pith.services.knowledge.fold import Command
from pith.store import entries, entry_words
from pith.store.database import Db

_LIVE = ("active", "contested")
_TERMS, _HOLDING = 8, 50  # of the rarest words, so many of the newest entries each


def reconcile(command: Command, ids: Iterable[str], *, sources: Iterable[str] = ()) -> None:
    """Compare new entries with those that stand, in the transaction that stated them."""
    for id in ids:
        entry = entries.by_id(command.db, id)
        if entry is not None and entry.status in _LIVE and _is_stated(entry):
            for other in _alike(command.db, entry):
                _settle(command, entry, other, sources)


def _is_stated(entry: Entry) -> bool:
    return entry.content.get("standing", STATED) == STATED and entry.entry_type in ("fact", "decision", "insight")


def _alike(db: Db, entry: Entry) -> Iterator[Entry]:
    """Live entries of the same type that share rare words with one."""
    terms = {term: entry_words.frequency(db, term) for term in words.terms(_text(entry))}
    numbers: set[int] = set()
    for term in sorted(terms, key=lambda term: (terms[term], term))[:_TERMS]:
        numbers.update(entry_words.holding(db, term, _HOLDING))
    for row in entry_words.read(db, sorted(numbers)):
        if row["entry_id"] != entry.entry_id and row["entry_type"] == entry.entry_type and row["status"] in _LIVE:
            other = entries.by_id(db, row["entry_id"])
            if other is not None and _is_stated(other):
                yield other


def _text(entry: Entry) -> str:
    return str(entry.content.get("text") or entry.title)


def _settle(command: Command, entry: Entry, other: Entry, sources: Iterable[str]) -> None:
    older, newer = (other, entry) if other.created_ts <= entry.created_ts else (entry, other)
    decides = entry.entry_type == "decision"
    stand = agreement.compare(_text(older), _text(newer), decides=decides)
    if stand != agreement.AT_ODDS:
        return
    if decides:
        payload = {"entry": older.entry_id, "to": "superseded", "superseded_by": newer.entry_id}
        payload["reason"] = "a later decision on the same subject"
        command.append(knowledge.ENTRY_STATUS_MOVED, payload, sources=sources)
        return
    for one, against in ((older, newer), (newer, older)):
        payload = {"entry": one.entry_id, "to": "contested", "contradicts": against.entry_id}
        payload["reason"] = "another statement says otherwise"
        command.append(knowledge.ENTRY_STATUS_MOVED, payload, sources=sources)
