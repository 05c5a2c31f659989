"""Where somebody asks: the home, the folder, the project it belongs to, and the settings there."""

from __future__ import annotations

from pith import platform
from pith.services import config, location, lookup, project
from pith.services.workspace import Workspace
from pith.store.database import BUSY_HOOK_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pith.services.location import Place
    from pith.services.project import Project


class Here:
    """The place that is asked about; looking creates nothing, save the alias of a project that has moved."""

    __slots__ = ("home", "place", "project")

    def __init__(self, home: str, place: Place, project: Project | None) -> None:
        self.home = home
        self.place = place
        self.project = project

    @property
    def folder(self) -> str | None:
        """The folder of the project's store, if the project is known."""
        return self.project.folder if self.project else None

    @property
    def settings(self) -> config.Settings:
        """The settings that hold here."""
        return config.load(self.home, self.folder, self.place.root)

    def reading(self) -> Workspace:
        """The workspace to ask; raises StoreUnavailable where nothing was stored yet."""
        lookup.open_to_ask(self.folder).close()
        assert self.project is not None
        return Workspace(self.home, self.place, self.project, self.settings, BUSY_HOOK_MS)

    def registered(self) -> Project:
        """Return the project; one that pith has not met yet is registered."""
        return project.resolve(self.home, self.place)


def here(folder: str | None = None) -> Here:
    """Say where this process works, or what belongs to a folder; of all that is new about it only a move is noted."""
    home = platform.home()
    place = location.locate(folder or location.working_folder())
    return Here(home, place, project.find(home, place) or project.recognise(home, place))
