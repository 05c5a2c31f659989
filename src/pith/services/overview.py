"""What `pith status` tells: which project this is, what is stored, what is wrong; looking changes nothing else."""

from __future__ import annotations

import os

from pith.adapters import hosts
from pith.errors import PithError
from pith.services import config, project, spool
from pith.services.history.import_project import is_left_alone
from pith.services.keeping import retention
from pith.services.knowledge import extractors
from pith.services.setup import installed
from pith.services.work import telling
from pith.services.workspace import Workspace
from pith.store import database, entry_words, events, exports, extracting, jobs, sessions, totals, usage, versions
from pith.store.database import BUSY_MS, FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.services.config import Settings
    from pith.services.location import Place
    from pith.services.project import Project
    from pith.store.database import Db

EXCLUDED = ("capture.exclude.projects", "capture.exclude.paths", "capture.exclude.tools")


def overview(home: str, place: Place, found: Project | None) -> dict[str, Any]:
    """Everything about this project and this home, as data."""
    settings = config.load(home, found.folder if found else None, place.root)
    data: dict[str, Any] = {
        "project": {"known": found is not None, **(project.describe(found) if found else {})},
        "place": _place(place),
        "home": home,
        **_kept_up(home, place, found, settings),
        "stored": None,
        "problem": None,
        "worker": telling.worker(found.folder, settings, None) if found else None,
        "sizes": sizes(found.folder) if found else {},
        "log_bytes": bytes_below(os.path.join(home, "log")),
        "paused": bool(settings.get("capture.paused")),
        "paused_by": settings.source("capture.paused"),
        "left_alone": is_left_alone(settings, place.root),
        "excluded": {name: list(settings.get(name)) for name in EXCLUDED},
        "keep_days": settings.get("capture.keepDays"),
        "settings_problems": settings.problems,
        "losses": spool.losses(home),
        "hooks": {name: _hooks(name) for name in hosts.HOSTS},
    }
    if found and os.path.exists(os.path.join(found.folder, FILE)):
        try:
            with database.open_store(found.folder, create=False) as db:
                data["stored"] = _stored(db, settings)
                data["worker"] = telling.worker(found.folder, settings, db)
        except PithError as error:
            data["problem"] = f"{error} {error.hint}"
    data["warnings"] = _warnings(data, settings)
    return data


def _place(place: Place) -> dict[str, Any]:
    return {
        "root": place.root,
        "branch": place.branch,
        "commit": place.commit,
        "directory": place.directory,
        "git": place.common_dir,
    }


def _kept_up(home: str, place: Place, found: Project | None, settings: Settings) -> dict[str, Any]:
    """Bring in what waits and forget what is due, and say how much that was and what is left."""
    spool.sort_in(home)
    folders = [home, found.folder] if found else [home]
    problem, done, aged = None, 0, retention.Applied()
    try:
        if found:
            with Workspace(home, place, found, settings, BUSY_MS) as ws:
                done = spool.drain(ws)
                aged = retention.keep_up(ws)
    except PithError as error:
        problem = str(error)
    waiting = sum(len(spool.waiting(folder)) for folder in folders)
    damaged = sum(map(_damaged, folders))
    return {
        "spool": {"brought_in": done, "waiting": waiting, "damaged": damaged, "problem": problem},
        "aged": {"forgotten": aged.events, "left": aged.left, "must_ask": aged.must_ask},
    }


def _damaged(folder: str) -> int:
    try:
        return sum(name.endswith(".damaged") for name in os.listdir(os.path.join(folder, spool.FOLDER)))
    except OSError:
        return 0


def _knowledge(db: Db, settings: Settings) -> dict[str, Any]:
    """What was drawn from events, what waits to be read, and what a model took for it."""
    return {
        "entries": entry_words.live(db),
        "open_tasks": len(entry_words.open_tasks(db, 1000)),
        "unread": extracting.waiting(db, "extract.rules"),
        "model": extractors.spending(db, settings),
    }


def _meaning(db: Db) -> dict[str, Any] | None:
    """The embedding version in use and its figures; None where words alone are used."""
    used = versions.in_use(db)
    if used is None:
        return None
    figures = jobs.metrics(db, used.version)
    return {"version": used.version, "model": used.model, "state": used.state, **figures}


def _stored(db: Db, settings: Settings) -> dict[str, Any]:
    counts = events.counts(db)
    first, last = totals.span(db)
    forgotten = counts.pop("forgotten")
    return {
        "kinds": counts,
        "events": sum(counts.values()),
        "forgotten": forgotten,
        "sessions": sessions.count(db),
        "first_at": first,
        "last_at": last,
        "imports": dict(totals.imports(db)),
        "usage": dict(usage.summary(db)),
        "knowledge": _knowledge(db, settings),
        "meaning": _meaning(db),
    }


def sizes(folder: str) -> dict[str, int]:
    """Bytes of a store: its database, the log of it, the spool, the backups, and all of it."""
    path = os.path.join(folder, FILE)
    return {
        "database": _size(path),
        "wal": _size(f"{path}-wal"),
        "spool": bytes_below(os.path.join(folder, spool.FOLDER)),
        "backups": bytes_below(os.path.join(folder, "backups")),
        "total": bytes_below(folder),
    }


def exported(folder: str) -> list[str]:
    """Where exports of a store still are, as far as it knows."""
    if not os.path.exists(os.path.join(folder, FILE)):
        return []
    try:
        with database.open_to_read(folder) as db:
            return [path for path in exports.paths(db) if os.path.exists(path)]
    except PithError:
        return []


def bytes_below(folder: str) -> int:
    """How much the files in a folder take, links not followed."""
    return sum(_size(os.path.join(path, name)) for path, _folders, names in os.walk(folder) for name in names)


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0


def _hooks(name: str) -> dict[str, Any]:
    """Whether the agent is here, at how many of its events it calls pith, and what is wrong with that."""
    host = hosts.host(name)
    if not os.path.isdir(host.home()):
        return {"present": False, "events": 0, "of": len(host.events), "problems": [], "waits_for": ""}
    try:
        found = {hook.event for hook in installed.installed(name)}
    except PithError as error:
        return {"present": True, "events": 0, "of": len(host.events), "problems": [str(error)], "waits_for": ""}
    problems = installed.problems(name) if found else []
    return {
        "present": True,
        "events": len(found),
        "of": len(host.events),
        "problems": problems,
        "waits_for": installed.waits_for(name) if found else "",
    }


def _warnings(data: dict[str, Any], settings: Settings) -> list[str]:
    """What needs somebody's attention, the most pressing first."""
    found = []
    if data["problem"]:
        found.append(data["problem"])
    lost = sum(data["losses"].values())
    if lost:
        reasons = "; ".join(f"{count} x {reason}" for reason, count in data["losses"].items())
        found.append(f"Lost: {lost} ({reasons}). `pith status --seen-losses` starts the count anew.")
    if data["spool"]["waiting"]:
        why = f": {data['spool']['problem']}" if data["spool"]["problem"] else "."
        count = data["spool"]["waiting"]
        wait = "1 spooled file waits" if count == 1 else f"{count:,} spooled files wait"
        found.append(f"{wait} to be brought in{why}")
    if data["spool"]["damaged"]:
        count = data["spool"]["damaged"]
        files = "1 spooled file" if count == 1 else f"{count:,} spooled files"
        found.append(f"{files} cannot be read; run `pith doctor`.")
    if data["paused"]:
        found.append(f"Paused (set by: {data['paused_by']}): nothing new is remembered; `pith resume` goes on.")
    if data["left_alone"]:
        found.append("This project is excluded by `capture.exclude.projects`: nothing of it is remembered.")
    if data["aged"]["must_ask"]:
        found.append(_waits_for_agreement(data["aged"]["left"], data["keep_days"]))
    found += _failing(data["worker"])
    found += data["settings_problems"]
    for hooks in data["hooks"].values():
        found += hooks["problems"]
    most = settings.get("capture.maxStoreMegabytes")
    if most and data["sizes"].get("total", 0) > most * 1_000_000:
        found.append(f"The store is larger than {most} MB; `pith forget` removes what is not needed.")
    return found


def _failing(worker: dict[str, Any] | None) -> list[str]:
    """The chores of the worker that failed when they were last tried."""
    failures = (worker["last"] or {}).get("failures", {}) if worker else {}
    return [
        f"The worker's chore `{name}` fails: {one['error']} `pith doctor` says more." for name, one in failures.items()
    ]


def _waits_for_agreement(count: int, days: int) -> str:
    are = "memory is" if count == 1 else "memories are"
    return (
        f"{count:,} {are} older than {days} days, and nobody agreed to forget for age yet:"
        f" `pith forget --older-than {days}d` does it now, `pith config set capture.keepDays {days}` from now on."
    )
