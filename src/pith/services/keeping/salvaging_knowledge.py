"""Changes of knowledge that can be read in a damaged store: those that are as they were written, folded anew."""

from __future__ import annotations

import json

from pith.domain.knowledge import Change
from pith.services.knowledge import fold as knowledge
from pith.store import knowledge as stored
from pith.store.database import Db
from pith.store.salvage import Damaged, Row


class Changes:
    """The changes of one store and its backups, each taken from the first in which it is as it was written."""

    def __init__(self, fresh: Db) -> None:
        self.fresh = fresh
        self.added = 0
        self._gone: set[str] = set()
        self._found: dict[str, tuple[Row, str, list[str], bytes]] = {}

    @property
    def known(self) -> int:
        """How many are kept or were forgotten on purpose."""
        return self.added + len(self._gone)

    def take(self, damaged: Damaged) -> None:
        """Look for changes; one that was forgotten in any of the files stays forgotten."""
        for row in damaged.changes():
            body = damaged.body(row["seq"])
            if body is None:
                continue
            if body["forgotten_at"]:
                self._gone.add(row["id"])
                continue
            details, anchors = str(body["details"]), damaged.anchors.get(row["seq"], [])
            right = stored.checksum(row["kind"], row["at"], row["origin"], details) == row["checksum"]
            if right and anchors and row["id"] not in self._found:
                place = damaged.places.get(row["place"]) or {"branch": "", "commit_id": ""}
                whole = {**row, "branch": place["branch"], "commit": place["commit_id"]}
                self._found[row["id"]] = (whole, details, damaged.sources.get(row["seq"], []), anchors[0])

    def take_over(self) -> None:
        """Append what was found, in the order of recording, and fold it."""
        with self.fresh.transaction():
            for id in sorted(self._found.keys() - self._gone):
                self.added += self._append(*self._found[id]) is not None
        knowledge.catch_up(self.fresh)

    def _append(self, row: Row, details: str, sources: list[str], anchor: bytes) -> Change | None:
        if stored.quotes_forgotten(self.fresh, sources) or stored.has_id(self.fresh, row["id"]):
            return None
        return stored.append(
            self.fresh,
            row["kind"],
            json.loads(details),
            at=row["at"],
            anchor=anchor,
            origin=row["origin"],
            sources=sorted(sources),
            branch=row["branch"],
            commit=row["commit"],
            id=row["id"],
        )
