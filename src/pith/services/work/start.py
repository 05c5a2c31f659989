"""Should a worker be started after this hook? A look at two files and a few hundred rows; then one process, detached.

A worker that dies, or whose chores fail, leaves the note of its start behind: the longer it goes on so, the longer
nobody starts another.
"""

from __future__ import annotations

import os
import sys
import time

from pith import platform
from pith.store import due

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pith.services.workspace import Workspace
    from pith.store.database import Db

LOCK = "work.lock"  # held by the one worker of a store
ASKED = "work.asked"  # a byte for each start since a worker last ended well; its age is that of the last start
STATE = "work.json"  # what the last worker did; its age is that of its end

MANY = 20  # new events from which on it is worth starting a process
PATIENCE = 3600.0  # seconds after which fewer are worth it too
_BACK_OFF, _BACK_OFF_MOST = 300.0, 3600.0  # seconds; doubled with each start that did not end well

# What may wait in a database, each counted cheaply. To add one: a function of the store, and a line here.
WAITING: tuple[Callable[[Db, str], int], ...] = (lambda db, _now: due.unread(db), due.jobs)


def after_hook(workspace: Workspace, *, ending: bool = False) -> list[str]:
    """The command line of the worker that should run now; empty where none should.

    `ending` says that a session ends, or is about to be compacted.
    """
    settings = workspace.settings
    if settings.get("worker.start") != "auto" or settings.get("capture.paused"):
        return []
    now = time.time()
    consolidates = is_to_consolidate(workspace, now, ending=ending)
    if back_off(workspace.folder, now) or not (consolidates or is_worthwhile(workspace, now)):
        return []
    if not is_free(workspace.folder):
        return []
    return command(workspace)


def start(folder: str, words: list[str]) -> bool:
    """Start a worker, detached, and note it; whether it began."""
    _note(os.path.join(folder, ASKED))
    return platform.detach(words)


def command(workspace: Workspace) -> list[str]:
    """How a worker of this project is started, without the folder it is for or the environment lending it code."""
    place = workspace.place
    folder = os.path.join(place.root, *place.directory.split("/")) if place.directory else place.root
    minutes = str(workspace.settings.get("worker.maxMinutes"))
    if not sys.executable:
        return []
    python = os.path.abspath(sys.executable)
    words = ["work", "--until-idle", "--minutes", minutes, "--in", folder]
    return [python, "-E", "-P", "-m", "pith.interfaces.cli.main", *words]


def is_worthwhile(workspace: Workspace, now: float) -> bool:
    """Whether much is to be done, or something and a while has passed."""
    if is_spooled(workspace.folder):
        return True
    most = sum(count(workspace.db, platform.stamp(int(now * 1000))) for count in WAITING)
    return most >= MANY or (most > 0 and not 0 <= now - changed(workspace.folder, STATE) < PATIENCE)


def is_to_consolidate(workspace: Workspace, now: float, *, ending: bool = False) -> bool:
    """Whether memories are to be made, in endless mode."""
    if not workspace.settings.is_endless:
        return False
    from pith.services.endless import due as consolidation

    look = consolidation.ask if ending else consolidation.is_due
    return look(workspace.db, workspace.settings, int(now * 1000))


def back_off(folder: str, now: float) -> float:
    """For how many more seconds no worker is to be started, since the last ones did not end well."""
    try:
        found = os.stat(os.path.join(folder, ASKED))
    except OSError:
        return 0.0
    wait = min(_BACK_OFF * 2 ** min(max(found.st_size - 1, 0), 10), _BACK_OFF_MOST)
    passed = now - found.st_mtime
    return wait - passed if 0 <= passed < wait else 0.0  # a clock that was set back must not stop work for years


def settle(folder: str) -> None:
    """Forget failed starts: a worker has ended well."""
    try:
        os.remove(os.path.join(folder, ASKED))
    except OSError:
        pass


def is_free(folder: str) -> bool:
    """Whether no worker of this store runs."""
    lock = platform.try_lock(os.path.join(folder, LOCK))
    if lock is None:
        return False
    lock.release()
    return True


def is_spooled(folder: str) -> bool:
    """Whether a hook could not write into the store, and wrote beside it."""
    try:
        return any(name.endswith(".json") for name in os.listdir(os.path.join(folder, "spool")))
    except OSError:
        return False


def changed(folder: str, name: str) -> float:
    """When a file of the store last changed; 0 where there is none."""
    try:
        return os.stat(os.path.join(folder, name)).st_mtime
    except OSError:
        return 0.0


def _note(path: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, b".")
    finally:
        os.close(descriptor)
