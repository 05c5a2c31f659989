"""The store of this project with everything that was said in it read by the extractors, in bounded time."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pith.services.workspace import Workspace


def opened(*, reading: bool = True) -> Workspace:
    """The workspace of this place; raises StoreUnavailable where nothing was stored yet.

    With `reading`, events that wait are read first: the answer then tells of what was said a moment ago. Entries stand
    where the accepted nodes of this work tree put them.
    """
    from pith.services import lookup
    from pith.services.knowledge import extract
    from pith.services.knowledge import fold as knowledge
    from pith.services.project_memory import accepted
    from pith.services.workspace import open_workspace

    ws = open_workspace()
    try:
        lookup.open_to_ask(ws.folder).close()
        if reading:
            extract.keep_up(ws.db, ws.project.id)
        else:
            knowledge.catch_up(ws.db)
        accepted.up_to_date(ws.db, ws.place)
    except BaseException:
        ws.close()
        raise
    return ws
