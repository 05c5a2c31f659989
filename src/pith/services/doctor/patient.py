"""What is examined: program, home, one project, its store and its memory in git, as far as each can be reached."""

from __future__ import annotations

import os
from functools import cached_property

from pith import platform
from pith.errors import PithError, StoreUnavailable
from pith.services import config, location, project
from pith.services.config import Settings
from pith.services.doctor.memory import Memory, root_of
from pith.services.location import Place
from pith.services.project import Project
from pith.services.workspace import Workspace
from pith.store import health
from pith.store.database import BUSY_MS, FILE, VERSION, Db


class Patient:
    """A project as the doctor meets it. Looking creates nothing, and what cannot be reached raises nothing."""

    def __init__(self, home: str, place: Place, memory: Memory, *, deep: bool = False, shared: bool = False) -> None:
        self.home = home
        self.place = place
        self.memory = memory
        self.deep = deep
        self.shared = shared  # project memory is asked for, also where there is none
        self.register_error: PithError | None = None
        self.project = self._found()
        self._db: Db | None = None

    def _found(self) -> Project | None:
        try:
            return project.find(self.home, self.place) or project.recognise(self.home, self.place)
        except PithError as error:
            self.register_error = error
            return None

    @property
    def has_memory(self) -> bool:
        """Whether project memory is to be looked at: that of this repository, not of one around it."""
        if self.shared or self.place.common_dir is None:
            return self.shared or self.memory.exists
        return self.memory.exists and self.memory.layout.root.resolve().is_relative_to(
            os.path.realpath(self.place.root)
        )

    @property
    def folder(self) -> str | None:
        """The folder of the project's store, if the project is known."""
        return self.project.folder if self.project else None

    @property
    def folders(self) -> list[str]:
        """The folder of every store in the home."""
        return [path for path in project.store_folders(self.home) if os.path.isdir(path)]

    @cached_property
    def settings(self) -> Settings:
        """The settings that hold here."""
        return config.load(self.home, self.folder, self.place.root)

    @property
    def store_path(self) -> str | None:
        """The project's database, if there is one."""
        path = os.path.join(self.folder, FILE) if self.folder else None
        return path if path and os.path.lexists(path) else None

    @cached_property
    def opening_error(self) -> PithError | None:
        """Why the database cannot be opened; None if it can be, or if there is none."""
        if not self.store_path or not self.folder:
            return None
        try:
            self._db = health.look(self.folder)
        except PithError as error:
            return error
        except Exception as error:  # what SQLite has no code of ours for
            return StoreUnavailable(f"The database {self.store_path} cannot be opened ({type(error).__name__}).")
        return None

    @property
    def db(self) -> Db:
        """The database, opened to read."""
        if self.opening_error:
            raise self.opening_error
        if self._db is None:
            raise StoreUnavailable("Nothing has been stored for this project yet.", hint="Run `pith init`.")
        return self._db

    @cached_property
    def version(self) -> int | None:
        """Which version of the tables the database has; None if it cannot be opened."""
        return None if self.opening_error or self._db is None else health.version(self._db)

    @cached_property
    def damage(self) -> list[str]:
        """What SQLite finds wrong in the database's pages."""
        if self.version is None or not self.store_path:
            return []
        return health.damage(self.store_path, deep=self.deep)

    @property
    def is_readable(self) -> bool:
        """Whether the database can be trusted to answer questions about its content."""
        return self.version == VERSION and not self.damage

    def workspace(self) -> Workspace:
        """The project's open resources, for a repair."""
        if self.project is None:
            raise StoreUnavailable("Nothing has been stored for this project yet.", hint="Run `pith init`.")
        return Workspace(self.home, self.place, self.project, self.settings, BUSY_MS)

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def __enter__(self) -> Patient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def admit(home: str | None = None, cwd: str | None = None, *, deep: bool = False, shared: bool = False) -> Patient:
    """Meet the project of a folder, of this process if none is named; the folder may be gone."""
    folder = cwd or _here()
    memory = Memory(root_of(folder))
    return Patient(home or platform.home(), location.locate(folder), memory, deep=deep, shared=shared)


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:
        return os.environ.get("PWD") or os.path.expanduser("~")
