"""The open resources of one project: where it is, which store it has, its settings, its database. No behaviour."""

from __future__ import annotations

from pith import platform
from pith.services import config, location, project
from pith.store import branches
from pith.store.database import BUSY_MS, Db, open_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pith.services.config import Settings
    from pith.services.location import Place
    from pith.services.project import Project


class Workspace:
    """One project, found from a folder; its database is opened when it is first asked for."""

    __slots__ = ("_db", "busy_ms", "home", "place", "project", "settings")

    def __init__(self, home: str, place: Place, found: Project, settings: Settings, busy_ms: int) -> None:
        self.home = home
        self.place = place
        self.project = found
        self.settings = settings
        self.busy_ms = busy_ms
        self._db: Db | None = None

    @property
    def folder(self) -> str:
        """Where the project's store, spool and backups are."""
        return self.project.folder

    @property
    def db(self) -> Db:
        """The project's store, made when there is none yet."""
        if self._db is None:
            self._db = open_store(self.folder, busy_ms=self.busy_ms)
            self._db.unmerged = branches.unmerged(self._db, self.place.commit or "")
        return self._db

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_workspace(cwd: str | None = None, project_dir: str | None = None, busy_ms: int = BUSY_MS) -> Workspace:
    """The workspace of the project that `cwd` belongs to, registered when it is new."""
    home = platform.home()
    place = location.locate(cwd or location.working_folder(), project_dir)
    found = project.resolve(home, place)
    return Workspace(home, place, found, config.load(home, found.folder, place.root), busy_ms)
