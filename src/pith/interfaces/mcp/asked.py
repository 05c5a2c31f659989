"""What a tool is asked about: the project of a folder, and the session of the agent that asks."""

from __future__ import annotations

from pith.errors import NotFound
from pith.services.answers.here import Here, here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pith.services.project_memory.shared import Shared
    from pith.services.workspace import Workspace
BUSY_MS = 5_000  # a host gives up on a call sooner than a person does at a terminal


class ProjectUnknown(NotFound):
    """pith was never told of the project."""

    code = "PROJECT_UNKNOWN"
    hint = "Ask the user to run `pith init` there, or to start this server with `pith mcp --project FOLDER`."


class Asked:
    """One call: everything is opened anew for it, since calls run beside each other in threads of their own."""

    __slots__ = ("folder", "patience", "session")

    def __init__(self, folder: str, session: str = "", patience: int = BUSY_MS) -> None:
        self.folder = folder
        self.session = session
        self.patience = patience  # milliseconds to wait while others write

    def here(self) -> Here:
        """The place and its project. Raises ProjectUnknown."""
        found = here(self.folder)
        if found.project is None:
            raise ProjectUnknown(f"pith does not know the project in {found.place.root} yet.")
        return found

    def opened(self, *, reading: bool = True) -> Workspace:
        """The project's store, with what was said a moment ago."""
        from pith.services.answers import knowledge

        self.here()
        return knowledge.opened(self.folder, reading=reading, patience=self.patience)

    def shared(self) -> Shared:
        """The project memory of the folder or the nearest one above. Raises NotInitialized."""
        from pith.services.project_memory.shared import open_shared

        return open_shared(self.folder)
