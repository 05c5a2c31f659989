"""`pith-hook claude|codex`: read one JSON object, keep what happened, answer with context, and never get in the way.

Whatever happens it exits 0 and prints nothing or exactly one JSON object. Capture comes first: what the database cannot
take within its patience goes to the spool, what cannot be spooled is counted. Standard library only, and little of it.
"""

from __future__ import annotations

import json
import os
import sys
import time

from pith import platform
from pith.errors import PithError
from pith.interfaces.hook.payload import HOSTS, Call
from pith.services import capture, config, location, project, spool
from pith.services.workspace import Workspace
from pith.store.database import BUSY_HOOK_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from pith.domain.events import Sighting
    from pith.services.config import Settings
    from pith.services.location import Place

LARGEST = 64 * 1024 * 1024  # bytes of standard input
GONE = "gone"  # below the home: one project for all folders that are gone
SORTED = 200  # files that wait for their project to be known, looked at by one call
DRAINED = 20  # spooled files brought in by one call
_LOG_LIMIT = 1_000_000


def main(arguments: list[str] | None = None) -> NoReturn:
    """Serve one hook call and leave with 0, whatever happens."""
    started = time.monotonic()
    words = sys.argv[1:] if arguments is None else arguments
    try:
        answer = serve(words[0] if words else "", _read(), started)
        if answer:
            sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
            sys.stdout.buffer.flush()
    except BaseException as error:
        _note(error)
    # Nothing is left to tidy: skipping the interpreter's own shutdown saves a tenth of the whole call.
    os._exit(0)


def serve(host: str, data: bytes, started: float) -> dict[str, Any] | None:
    """Keep what one call tells; what to answer, or None."""
    home = platform.home()
    payload = _parsed(home, data)
    if payload is None or host not in HOSTS:
        return None
    if payload.get("hook_event_name") == "PreToolUse":
        from pith.interfaces.hook import guard

        return guard.refused(payload)
    call = Call(host, payload, platform.now())
    try:
        workspace = _workspace(home, call)
        if workspace is None or _is_left_alone(workspace.settings, workspace.place):
            return None
        _keep(workspace, call)
    except Exception as error:
        _note(error)
        if call.seen:
            spool.lose(home, f"an event that met an unexpected {type(error).__name__}")
        return None
    answer = _answered(workspace, call, started)
    worker = _due(workspace, call)
    _leave(workspace)
    if worker:
        _start(workspace, worker)
    return answer


def _leave(workspace: Workspace) -> None:
    """Close the store, so that the last one to leave moves its log into the database.

    A process that ends with the store open leaves the log to the next one, which reads all of it, copies all of it at
    its commit, and leaves it as well: it would grow for ever, and every hook with it.
    """
    try:
        workspace.close()
    except Exception as error:
        _note(error)


def _read() -> bytes:
    if sys.stdin is None or sys.stdin.buffer.isatty():
        return b""
    return sys.stdin.buffer.read(LARGEST + 1)


def _parsed(home: str, data: bytes) -> dict[str, Any] | None:
    """The JSON object on standard input; what is none is counted, since a host meant to tell something."""
    if len(data) > LARGEST:
        spool.lose(home, "hook input over 64 MB")
        return None
    try:
        payload = json.loads(data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        payload = None
    if not isinstance(payload, dict):
        if data.strip():
            spool.lose(home, "hook input that is no JSON object")
        return None
    return payload


def _workspace(home: str, call: Call) -> Workspace | None:
    """The project that the call belongs to; when it cannot be registered, what was seen waits in the home's spool."""
    project_dir = os.environ.get("CLAUDE_PROJECT_DIR") if call.host == "claude" else None
    place = location.locate(call.cwd or project_dir or _working_folder(), project_dir)
    try:
        found = project.find(home, place)
        if found is None:
            if _is_left_alone(config.load(home, None, place.root), place):
                return None
            place = _lasting(home, place)
            found = project.resolve(home, place)
    except PithError as error:
        _note(error)
        found = None
    if call.seen:
        call.seen.branch, call.seen.commit = place.branch or "", place.commit or ""
        call.seen.directory = place.directory
    if found is None:
        _wait_at_home(home, call, place)
        return None
    return Workspace(home, place, found, config.load(home, found.folder, place.root), BUSY_HOOK_MS)


def _lasting(home: str, place: Place) -> Place:
    """The place itself; a folder that is gone, and in no project that is known, is kept in one for all such.

    A store of its own could never be asked: nobody can go there. What is kept says in which folder it was.
    """
    if place.common_dir or os.path.isdir(place.root):
        return place
    common = os.path.join(os.path.realpath(home), GONE)
    platform.private_folder(common)
    directory = "/".join(part for part in (place.root.replace(os.sep, "/").strip("/"), place.directory) if part)
    return location.Place(common, None, None, None, directory)


def _working_folder() -> str:
    """Where this process was started; a folder that is gone has a name still."""
    try:
        return os.getcwd()
    except OSError:
        return os.environ.get("PWD") or os.sep


def _wait_at_home(home: str, call: Call, place: Place) -> None:
    """Keep what was seen in the home's spool until its project can be registered."""
    settings = config.load(home, None, place.root)
    if call.seen and not settings.get("capture.paused") and not _is_left_alone(settings, place):
        seen = capture.prepare(call.seen, settings)
        if seen:
            _spool(home, home, seen, place.root)


def _is_left_alone(settings: Settings, place: Place) -> bool:
    """Whether the person wants nothing to be kept here."""
    patterns = settings.get("capture.exclude.projects")
    return bool(patterns) and capture.is_within(place.root, patterns)


def _keep(workspace: Workspace, call: Call) -> None:
    """Write what was seen into the store, else into the spool, else into the count of losses."""
    # Masked even where nothing is kept: a question that is answered goes into the statistics.
    seen = capture.prepare(call.seen, workspace.settings) if call.seen else None
    if workspace.settings.get("capture.paused"):
        seen = None
    try:
        if seen:
            capture.keep(workspace.db, seen, workspace.settings)
            seen = None
        if call.event in ("SessionStart", "SessionEnd"):
            capture.mark(workspace.db, call.host, call.session, call.event, call.cwd, call.reason, platform.now())
        spool.sort_in(workspace.home, SORTED)
        spool.drain(workspace, DRAINED)
    except Exception as error:
        _note(error)
        workspace.close()
        if seen:
            _spool(workspace.home, workspace.folder, seen)


def _spool(home: str, folder: str, seen: Sighting, cwd: str = "") -> None:
    try:
        spool.put(folder, [seen], cwd)
    except Exception as error:
        _note(error)
        spool.lose(home, f"an event that could not be written ({type(error).__name__})")


def _answered(workspace: Workspace, call: Call, started: float) -> dict[str, Any] | None:
    """Context for a prompt or for a beginning session, within the deadline; silence when anything is wrong."""
    if call.event not in ("UserPromptSubmit", "SessionStart"):
        return None
    from pith.interfaces.hook.answer import context_for

    try:
        text = context_for(workspace, call, started)
    except Exception as error:
        _note(error)
        return None
    if not text:
        return None
    return {"hookSpecificOutput": {"hookEventName": call.event, "additionalContext": text}}


def _due(workspace: Workspace, call: Call) -> list[str]:
    """The command line of the worker that is to be started after this call; mostly there is none."""
    if call.event not in ("Stop", "SessionEnd", "PreCompact"):
        return []
    from pith.services.work import start

    try:
        return start.after_hook(workspace, ending=call.event != "Stop")
    except Exception as error:
        _note(error)
        return []


def _start(workspace: Workspace, worker: list[str]) -> None:
    from pith.services.work import start

    try:
        start.start(workspace.folder, worker)
    except Exception as error:
        _note(error)


def _note(error: BaseException) -> None:
    """Keep a line about what went wrong in the home's log, at most a megabyte of them; never raises."""
    try:
        folder = os.path.join(platform.home(), "log")
        platform.private_folder(folder)
        path = os.path.join(folder, "hook.log")
        if os.path.exists(path) and os.path.getsize(path) > _LOG_LIMIT:
            platform.replace(path, f"{path}.1")
        where = error.__traceback__
        while where is not None and where.tb_next is not None:
            where = where.tb_next
        line = where.tb_lineno if where else 0
        name = os.path.basename(where.tb_frame.f_code.co_filename) if where else ""
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            # Messages of our own errors only: those of others may quote what a person wrote.
            said = str(error) if isinstance(error, PithError) else ""
            os.write(descriptor, f"{platform.now()} {type(error).__name__} {name}:{line} {said}\n".encode())
        finally:
            os.close(descriptor)
    except BaseException:
        pass


if __name__ == "__main__":
    main()
