"""Entries as a person names them, turned into what shared files name: the id and the hash of the words it rests on."""

from __future__ import annotations

from collections.abc import Iterable

from pith import platform
from pith.domain.citing import Cited, cited
from pith.domain.entries import FAILED, Entry
from pith.services import location, lookup, project
from pith.services.knowledge import lookup as knowledge_lookup


def named(folder: str, texts: Iterable[str]) -> tuple[str, ...]:
    """`ID@HASH` for each citation, id or beginning of one. Raises NotFound for what this project's store does not know.

    What has a hash already is taken as it is: the entry may be in the store of somebody else.
    """
    given = tuple(texts)
    if all(one.quote_hash for text in given for one in cited([text]) or [Cited("")]):
        return tuple(str(one) for one in cited(given))
    found = project.find(platform.home(), location.locate(folder))
    with lookup.open_to_ask(found.folder if found else None) as db:
        return tuple(
            text if any(one.quote_hash for one in cited([text])) else str(_cited(knowledge_lookup.entry(db, text)))
            for text in given
        )


def _cited(entry: Entry) -> Cited:
    """The entry with the hash of the first of its quotes that was found; a note may rest on none."""
    found = [one for one in entry.evidence or () if one.get("method") != FAILED and "quote_hash" in one]
    return Cited(entry.entry_id, str(found[0]["quote_hash"]) if found else "")
