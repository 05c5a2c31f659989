"""Which folder a server speaks of: the one it was told, the host's, the client's roots, or where it was started."""

from __future__ import annotations

import os
import re
from urllib.parse import unquote, urlsplit

import anyio
from mcp import types

from pith import platform
from pith.services import location, project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcp.server.session import ServerSession

ASKED_FOR = 2.0  # seconds in which a client says its roots


class Folder:
    """The folder of one connection. Roots are asked for by the first call that needs them, never while starting:

    a host may list tools before it answers anything.
    """

    __slots__ = ("_announced", "_asking", "_given", "_started")

    def __init__(self, given: str | None) -> None:
        self._given = given or os.environ.get("CLAUDE_PROJECT_DIR") or None
        self._started = _started()
        self._announced: list[str] | None = None
        self._asking = anyio.Lock()

    async def of(self, session: ServerSession) -> str:
        """The folder that a call is about."""
        if self._given:
            return self._given
        async with self._asking:
            if self._announced is None:
                self._announced = await _roots(session)
        return await anyio.to_thread.run_sync(chosen, self._announced, self._started)

    def forget(self) -> None:
        """The client says that its roots have changed."""
        self._announced = None


def _started() -> str:
    """The folder of this process; nothing where it is gone, since a client may announce another."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def chosen(roots: list[str], started: str) -> str:
    """Where the process was started, if that is in a root or there is none; else the first root that pith knows."""
    inside = any(
        os.path.commonpath([root, started]) == root for root in roots if started and _same_drive(root, started)
    )
    if inside or not roots:
        return started or location.working_folder()
    home = platform.home()
    known = [root for root in roots if project.find(home, location.locate(root))]
    return (known or roots)[0]


def _same_drive(one: str, other: str) -> bool:
    return os.path.splitdrive(one)[0].lower() == os.path.splitdrive(other)[0].lower()


async def _roots(session: ServerSession) -> list[str]:
    """The folders that the client announces, real and absolute; none where it says none in time."""
    able = session.client_capabilities
    if able is None or able.roots is None or not session.can_send_request:
        return []
    try:
        with anyio.fail_after(ASKED_FOR):
            answer = await session.send_request(types.ListRootsRequest(), types.ListRootsResult)
    except Exception:  # a client that cannot say it has told us enough: we were started somewhere
        return []
    paths = (path_of(str(root.uri)) for root in answer.roots)
    return [os.path.realpath(path) for path in paths if path and os.path.isdir(path)]


def path_of(uri: str) -> str | None:
    """The path of a `file:` address; None for any other."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    path = unquote(parts.path)
    return path[1:] if re.match(r"/[A-Za-z]:", path) else path
