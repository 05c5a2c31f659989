"""What the database could not take: one file per hook call, written whole, drained by the next process that can write.

A shared log would be torn by concurrent writers; a file per call cannot be. What cannot even be spooled is counted, and
`pith status` shows the count: losses are never silent.
"""

from __future__ import annotations

import json
import os
import time

from pith import platform
from pith.domain.events import Sighting
from pith.errors import PithError
from pith.services import location, project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pith.services.workspace import Workspace

FOLDER = "spool"
_LOSSES = "losses.log"
_ABANDONED_AFTER = 60  # seconds; writing a draft takes milliseconds
_CAREFULLY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # no link; no waiting at a pipe
_LOSSES_LIMIT = 1_000_000  # bytes; further losses of a flood are not worth a larger file


def put(folder: str, sightings: Sequence[Sighting], cwd: str = "") -> str:
    """Write prepared (masked) sightings into the spool below `folder`; the path of the new file.

    `cwd` is told where the project is not known yet: below the home, from where `sort_in` fetches them.
    """
    name = f"{platform.new_id(platform.now_ms())}.json"
    platform.private_folder(os.path.join(folder, FOLDER))
    path = os.path.join(folder, FOLDER, name)
    fields = [{"cwd": cwd, **seen.as_dict()} if cwd else seen.as_dict() for seen in sightings]
    platform.write_private(path, json.dumps(fields, ensure_ascii=False).encode())
    return path


def waiting(folder: str) -> list[str]:
    """Paths of the spooled files below `folder`, oldest first."""
    return [path for path in _files(folder) if path.endswith(".json")]


def _files(folder: str) -> list[str]:
    spool = os.path.join(folder, FOLDER)
    try:
        return [os.path.join(spool, name) for name in sorted(os.listdir(spool))]
    except OSError:
        return []


def drain(ws: Workspace, most: int = 1_000_000) -> int:
    """Bring spooled sightings of this project into its store; how many files were done.

    Another process that drains already is left alone. A file that cannot be read is set aside as `.damaged`.
    """
    files = _files(ws.folder)
    for path in files:
        if path.endswith(".draft"):
            _remove_abandoned(path)
    paths = [path for path in files if path.endswith(".json")][:most]
    if not paths:
        return 0
    lock = platform.try_lock(os.path.join(ws.folder, FOLDER, "drain.lock"))
    if lock is None:
        return 0
    try:
        read = {path: sightings for path in paths if (sightings := _read(path)) is not None}
        beside = [seen for sightings in read.values() for seen in sightings]
        for path, sightings in read.items():
            try:
                _bring_in(ws, path, sightings, beside)
            except (ValueError, KeyError, TypeError, AttributeError):
                platform.replace(path, f"{path}.damaged")  # its fields are none: it must not stop those after it
    finally:
        lock.release()
    return len(paths)


def sort_in(home: str, most: int = 1_000_000) -> None:
    """Move what waits in the home, its project unregistered at the time, to the projects that are known by now.

    With more than `most` files another part of them is looked at each time: some wait for ever, others must not.
    """
    paths = waiting(home)
    if len(paths) > most:
        start = platform.now_ms() % len(paths)
        paths = [*paths[start:], *paths[:start]][:most]
    for path in paths:
        try:
            with open(path, "rb") as file:
                cwd = json.loads(file.read())[0]["cwd"]
            found = project.find(home, location.locate(cwd))
            if found is not None:
                platform.private_folder(os.path.join(found.folder, FOLDER))
                platform.replace(path, os.path.join(found.folder, FOLDER, os.path.basename(path)))
        except (OSError, PithError):
            continue  # another process was faster, or it waits on
        except (ValueError, KeyError, TypeError, IndexError):
            platform.replace(path, f"{path}.damaged")


def _remove_abandoned(draft: str) -> None:
    """Remove what a process that was killed while writing has left."""
    try:
        if time.time() - os.stat(draft).st_mtime > _ABANDONED_AFTER:
            os.remove(draft)
    except OSError:
        pass  # its writer has just finished, or another process was faster


def _read(path: str) -> list[Sighting] | None:
    try:
        with open(path, "rb") as file:
            return [Sighting.from_dict(fields) for fields in json.loads(file.read())]
    except FileNotFoundError:
        return None  # who drained before us has done it
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        platform.replace(path, f"{path}.damaged")
        return None


def _bring_in(ws: Workspace, path: str, sightings: Sequence[Sighting], beside: Sequence[Sighting]) -> None:
    from pith.services import capture

    name = os.path.basename(path)
    with ws.db.transaction():
        for number, seen in enumerate(sightings):
            # The file's name makes a second drain, after a crash before the file was removed, find the same events.
            seen.record = seen.record or f"spool:{name}#{number}"
            event = capture.record(ws.db, seen, beside)
            if event is not None:
                capture.join(ws.db, event, seen, ws.settings)
    os.remove(path)


def lose(home: str, reason: str) -> None:
    """Count something that could neither be stored nor spooled; where the home cannot be written, beside it in /tmp."""
    line = f"{platform.now()} {reason}\n".encode()
    for path in _loss_files(home):
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _CAREFULLY, 0o600)
        except OSError:
            continue
        try:
            if not _is_own(descriptor):
                continue
            if os.fstat(descriptor).st_size < _LOSSES_LIMIT:
                os.write(descriptor, line)
            return
        except OSError:
            continue
        finally:
            os.close(descriptor)


def _is_own(descriptor: int) -> bool:
    """Whether an open file is an ordinary one of this user: in a shared folder others may put anything in its place."""
    import stat

    found = os.fstat(descriptor)
    return stat.S_ISREG(found.st_mode) and (not hasattr(os, "getuid") or found.st_uid == os.getuid())


def losses(home: str) -> dict[str, int]:
    """What was lost, by reason."""
    counted: dict[str, int] = {}
    for path in _loss_files(home):
        try:
            lines = _own_lines(path)
        except OSError:
            continue
        for line in lines:
            reason = line.partition(" ")[2]
            counted[reason] = counted.get(reason, 0) + 1
    return counted


def _own_lines(path: str) -> list[str]:
    descriptor = os.open(path, os.O_RDONLY | _CAREFULLY)
    try:
        # As much as is ever written, and a line: more than that is not ours.
        data = os.read(descriptor, _LOSSES_LIMIT + 4096) if _is_own(descriptor) else b""
    finally:
        os.close(descriptor)
    return data.decode("utf-8", "replace").splitlines()


def settle_losses(home: str) -> None:
    """Start counting anew, after the person has seen the count."""
    for path in _loss_files(home):
        try:
            os.remove(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise PithError(f"{path} cannot be removed ({error.strerror}).") from error


def _loss_files(home: str) -> tuple[str, ...]:
    owner = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
    shared = os.environ.get("TMPDIR") or os.environ.get("TEMP") or "/tmp"  # noqa: S108 (own name, no following of links)
    return os.path.join(home, _LOSSES), os.path.join(shared, f"pith-{owner}-{_LOSSES}")
