"""The one project that a page shows: where it is, its secrets, and how a request opens its store."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pith.errors import PithError
from pith.interfaces.web.guard import Secrets
from pith.services import lookup
from pith.services.answers import knowledge, review
from pith.services.answers.here import Here, here
from pith.services.knowledge import extract
from pith.services.project_memory.shared import open_shared
from pith.services.work import start
from pith.services.workspace import Workspace
from pith.store import database
from pith.store.database import Db

BEFORE_ANSWERING = 0.05  # seconds that a page spends on new events before it answers
PATIENCE = 2_000  # milliseconds that it waits while others write; what was read before is told then
LISTENERS = 20  # pages that watch at the same time


class TooManyListeners(PithError):
    """More pages watch than anybody can look at."""

    code = "TOO_MANY_LISTENERS"
    hint = "Close some of the pages that are open."
    http_status = 503


class Site:
    """What all requests share. Nothing here is kept open: every request opens what it needs, and closes it."""

    def __init__(self, folder: str, known: Secrets) -> None:
        self.folder = folder
        self.known = known
        self.is_ending: Callable[[], bool] = lambda: False
        self.kept: OrderedDict[str, Any] = OrderedDict()  # what pages remember between requests, by their name
        self.lock = threading.Lock()
        self.listeners = 0

    def here(self) -> Here:
        """The project, as it is known now: it may have been registered since."""
        return here(self.folder)

    def has_store(self) -> bool:
        """Whether anything was ever stored."""
        return lookup.exists(self.here().folder)

    def changed(self) -> None:
        """Something was changed by a form: what was counted before is counted again."""
        for name in ("status", "sources"):
            self.kept.pop(name, None)

    def waiting(self) -> int:
        """How many proposals wait for a person; none where there is no project memory."""
        try:
            return review.waiting(open_shared(self.folder))
        except PithError:
            return 0

    def knowing(self, *, reading: bool = True) -> Workspace:
        """What was drawn from events, new ones read first; where very many wait, a worker reads the rest.

        A project that is not known stays unknown.
        """
        if not self.has_store():
            lookup.open_to_ask(None)  # which says what to do
        ws = knowledge.opened(self.folder, reading=False, patience=PATIENCE)
        if reading and extract.is_behind(ws.db):
            with suppress(database.StoreBusy):
                extract.extract(ws.db, ws.project.id, seconds=BEFORE_ANSWERING)
            if extract.is_behind(ws.db) and (words := start.after_hook(ws)):
                start.start(ws.folder, words)  # the worker that hooks start, where it may be and is worth it
        return ws

    def reading(self) -> Db:
        """The store, opened to read only: a page that is looked at cannot change it, nor wait for a writer."""
        folder = self.here().folder
        if not lookup.exists(folder):
            return lookup.open_to_ask(folder)  # which says what to do
        db = database.open_to_read(folder or "")
        if db.execute("PRAGMA user_version")[0][0] == database.VERSION:
            return db
        db.close()
        return lookup.open_to_ask(folder)  # which brings it to this version, or says that it is newer


def listening(site: Site, by: int) -> None:
    """Count a page that begins or ends to watch."""
    with site.lock:
        if by > 0 and site.listeners >= LISTENERS:
            raise TooManyListeners(f"{LISTENERS} pages are watching already.")
        site.listeners += by
