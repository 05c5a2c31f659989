"""`pith outbox`: what is still to be embedded, what could not be, and whether index and store agree."""

from __future__ import annotations

from pith.interfaces.cli.command import argument, command, option
from pith.interfaces.cli.output import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal

NONE = "Nothing was embedded in this project yet; everything is found by words."


@command("outbox.status")
def status() -> dict[str, Any]:
    """Show what waits to be embedded, what failed and why, for each embedding version."""
    from pith import platform
    from pith.services import lookup
    from pith.services.meaning import upkeep
    from pith.services.workspace import open_workspace

    with open_workspace() as ws:
        lookup.open_to_ask(ws.folder).close()
        return upkeep.overview(ws.db, platform.now_ms())


@status.text
def show_status(data: Any, terminal: Terminal) -> None:
    """Warnings first, then a few lines for each version that is not retired."""
    for alert in data["alerts"]:
        terminal.line(("! ", "yellow"), f"{alert['message']} {alert['hint']}")
    kept = [each for each in data["versions"] if each["state"] != "retired"]
    if not kept:
        terminal.line(NONE)
    for each in kept:
        terminal.line((each["version"], "bold"), _standing(each, data))
        terminal.line(("  jobs    ", "dim"), _jobs(each))
        if each["jobs"]["last_processed"]:
            terminal.line(("  last    ", "dim"), _last(each["jobs"]))
        for job in each["failed"]:
            terminal.line(("  failed  ", "red"), f"{job['item_kind']}:{job['item_id']} {_why(job)}")


def _standing(version: Any, data: Any) -> str:
    said = [version["state"]]
    if version["version"] == data["in_use"]:
        said.append("in use")
    if version["version"] == data["answering"] != data["in_use"]:
        said.append("answers until the new one is complete")
    return f" ({', '.join(said)})"


def _jobs(version: Any) -> str:
    jobs = version["jobs"]
    told = [f"{jobs[state]:,} {state}" for state in ("pending", "processing", "failed", "done")]
    if version["to_enqueue"]:
        told.append(f"{version['to_enqueue']:,} more to come")
    if jobs["oldest_pending_age_ms"] is not None:
        told.append(f"the oldest waits for {_span(jobs['oldest_pending_age_ms'])}")
    return ", ".join(told)


def _last(jobs: Any) -> str:
    from pith.services import dates

    return f"{dates.local(jobs['last_processed'])}, {jobs['mean_ms'] or 0:,.1f} ms each"


def _why(job: Any) -> str:
    tries = counted(job["retry_count"] + 1, "try", "tries")
    return f"({job['error_kind']}, {tries}): {job['error']}"


def _span(ms: int) -> str:
    minutes = ms // 60_000
    if minutes < 2:
        return f"{ms // 1000} s"
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h"


@command("outbox.retry", argument("item", many=True, required=False, help="Only these, as `status` names them."))
def retry(item: tuple[str, ...]) -> dict[str, Any]:
    """Let what could not be embedded be tried as if for the first time."""
    from pith.services.meaning import upkeep
    from pith.services.workspace import open_workspace

    with open_workspace() as ws:
        return upkeep.retry(ws, item)


@retry.text
def show_retry(data: Any, terminal: Terminal) -> None:
    """One line."""
    if not data["retried"]:
        terminal.line("Nothing had failed.")
    else:
        jobs = counted(data["retried"], "job waits", "jobs wait")
        terminal.line(f"{jobs} again; `pith work` does what waits.")


@command("outbox.reconcile")
def reconcile() -> dict[str, Any]:
    """Compare the vectors with what is stored, and repair both directions."""
    from pith.services.meaning import upkeep
    from pith.services.workspace import open_workspace

    with open_workspace() as ws:
        return upkeep.reconciled(ws)


@reconcile.text
def show_reconcile(data: Any, terminal: Terminal) -> None:
    """What was done, or that nothing had to be."""
    told = [
        f"{data[name]:,} {words}"
        for name, words in (
            ("enqueued_missing", "missing, to be embedded"),
            ("enqueued_outdated", "of an older text, to be embedded anew"),
            ("removed_orphans", "of nothing that is stored, removed"),
            ("recovered", "left behind by a worker that died, taken back"),
            ("retried", "that failed, to be tried again"),
        )
        if data[name]
    ]
    told += [f"{count:,} of the unused version {name}, removed" for name, count in data["removed_versions"].items()]
    for line in told:
        terminal.line(line)
    if not told:
        terminal.line(f"Index and store agree: {counted(data['held'], 'item', 'items')}.")
    if data["waiting"]:
        terminal.line(f"{counted(data['waiting'], 'job waits', 'jobs wait')}; `pith work` does what waits.")


@command(
    "outbox.retire",
    argument("version", help="Its name, as `status` shows it."),
    option("--yes", flag=True, help="Do not ask."),
)
def retire(version: str, yes: bool, terminal: Terminal) -> dict[str, Any]:
    """Give an embedding version up: its vectors and its jobs go."""
    from pith.services.meaning import upkeep
    from pith.services.workspace import open_workspace

    with open_workspace() as ws:
        if not yes and not terminal.confirm(f"Remove every vector of {version}?"):
            return {"version": version, "jobs": 0, "vectors": 0, "done": False}
        return {**upkeep.retire(ws, version), "done": True}


@retire.text
def show_retire(data: Any, terminal: Terminal) -> None:
    """One line."""
    if data["done"]:
        gone = counted(data["vectors"], "item", "items")
        terminal.line(f"{data['version']} is retired; the vectors of {gone} were removed.")
    else:
        terminal.line("Nothing was changed.")
