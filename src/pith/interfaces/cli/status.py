"""`pith status`: which project this is, what is stored, and what needs attention, readable in ten seconds."""

from __future__ import annotations

import os

from pith import platform
from pith.interfaces.cli.command import command, option
from pith.interfaces.cli.output import counted
from pith.services import dates, lookup, overview, spool
from pith.services.answers.here import here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal

KINDS = {
    "prompt": ("prompt", "prompts"),
    "response": ("response", "responses"),
    "tool": ("tool call", "tool calls"),
    "summary": ("summary", "summaries"),
    "note": ("note", "notes"),
}


@command("status", option("--seen-losses", flag=True, help="You have seen what was lost: count anew."))
def status(seen_losses: bool) -> dict[str, Any]:
    """Show which project this is, what is stored, what is excluded or lost."""
    place = here()
    if seen_losses:
        settled = spool.losses(platform.home())
        spool.settle_losses(platform.home())
        return {**overview.overview(place.home, place.place, place.project), "settled": settled}
    return overview.overview(place.home, place.place, place.project)


@status.text
def show(data: Any, terminal: Terminal) -> None:
    """Warnings first, then one line for each thing one may want to know."""
    for warning in data["warnings"]:
        terminal.line(("! ", "yellow"), warning)
    if data.get("settled"):
        seen = sum(data["settled"].values())
        terminal.line(f"Counted anew; {'1 loss was' if seen == 1 else f'{seen:,} losses were'} seen.")
    if data["aged"]["forgotten"]:
        count = data["aged"]["forgotten"]
        many = counted(count, "memory", "memories")
        terminal.line(("! ", "yellow"), f"{many} older than {data['keep_days']} days forgotten just now, as agreed.")
    for name, value in _lines(data):
        terminal.line((f"{name:<9}", "dim"), value)


def _lines(data: Any) -> list[tuple[str, str]]:
    found = [("project", _project(data))]
    if data["project"]["known"]:
        known = data["project"]
        found.append(("key", f"{known['key']} ({known['reason'].rstrip('.')})"))
        found += [("also", alias) for alias in known["alias"]]
        found += [("aside", f"store {store}, kept by `pith link`") for store in known["set_aside"]]
    found += zip(("memories", ""), _memories(data), strict=False)
    found.append(("hooks", "; ".join(_hooks(name, hooks) for name, hooks in data["hooks"].items())))
    if data["stored"]:
        found += [("imports", _imports(data)), ("asked", _usage(data))]
        found += zip(("known", ""), _knowledge(data), strict=False)
        if data["stored"]["meaning"]:
            found.append(("meaning", _meaning(data["stored"]["meaning"])))
    if data["worker"]:
        found.append(("worker", _worker(data["worker"])))
    found.append(("excluded", _excluded(data)))
    if data["keep_days"]:
        found.append(("policy", f"events are kept for {counted(data['keep_days'], 'day', 'days')}"))
    done = data["spool"]["brought_in"]
    if done:
        files = "1 waiting file was" if done == 1 else f"{done:,} waiting files were"
        found.append(("spool", f"{files} brought in just now"))
    if data["sizes"]:
        found.append(("size", _sizes(data)))
    found.append(("home", data["home"]))
    return found


def _project(data: Any) -> str:
    place = data["place"]
    where = f"{os.path.basename(place['root']) or place['root']}, in {place['root']}"
    if place["branch"]:
        where += f", on {place['branch']}"
    return where + (f", at {place['directory']}" if place["directory"] else "")


def _memories(data: Any) -> list[str]:
    stored = data["stored"]
    if not stored or not stored["events"]:
        return [] if data["problem"] else [f"none yet. {lookup.BEGIN}"]
    counts = [(stored["kinds"].get(kind, 0), names) for kind, names in KINDS.items()]
    kinds = ", ".join(f"{count:,} {names[count != 1]}" for count, names in counts if count)
    first, last = dates.local(stored["first_at"], day_only=True), dates.local(stored["last_at"])
    forgotten = f", {stored['forgotten']:,} of them forgotten" if stored["forgotten"] else ""
    return [
        f"{stored['events']:,} in {counted(stored['sessions'], 'session', 'sessions')}, {first} to {last}{forgotten}",
        kinds,
    ]


def _hooks(name: str, hooks: Any) -> str:
    if not hooks["present"]:
        return f"{name} is not here"
    if not hooks["events"]:
        return f"{name} not installed (`pith install {name}`)"
    trust = ", not trusted yet: open `/hooks` in it" if hooks["waits_for"] else ""
    return f"{name} installed ({hooks['events']} of {hooks['of']} events){trust}"


def _imports(data: Any) -> str:
    imports = data["stored"]["imports"]
    if not imports["files"]:
        return "none"
    files, lines = counted(imports["files"], "file", "files"), counted(imports["lines"], "line", "lines")
    return f"{files}, {lines}, last {dates.local(imports['last_at'])}"


def _usage(data: Any) -> str:
    usage = data["stored"]["usage"]
    if not usage["asked"]:
        return "nothing yet"
    asked = counted(usage["asked"], "question", "questions")
    return f"{asked}, {usage['answered']:,} answered with {usage['tokens']:,} tokens"


def _knowledge(data: Any) -> list[str]:
    """What was drawn from events; what a model took for it, where one is asked or was."""
    known = data["stored"]["knowledge"]
    unread = f", {known['unread']:,} events unread (`pith extract`)" if known["unread"] else ""
    lines = [
        f"{known['entries']:,} statements, {known['open_tasks']:,} open task{'s' * (known['open_tasks'] != 1)}{unread}"
    ]
    model = known["model"]
    if model["enabled"] or model["total"]:
        name = model["model"] or "a model"
        state = "" if model["enabled"] else ", off now"
        lines.append(
            f"{name} took {model['today']:,} of {model['cap']:,} tokens today, {model['total']:,} in all{state}"
        )
    return lines


def _meaning(meaning: Any) -> str:
    """By which model memories are found too, and what is still to be embedded."""
    waiting, failed = meaning["pending"] + meaning["processing"], meaning["failed"]
    state = f"{meaning['model']}, {'ready' if meaning['state'] == 'ready' else 'being built'}"
    waits = f", {waiting:,} waiting" if waiting else ""
    return state + waits + (f", {failed:,} failed (`pith outbox status`)" if failed else "")


def _worker(worker: Any) -> str:
    """Whether one runs, how the last one ended, what it last did, and what waits for the next."""
    last, due = worker["last"], worker["due"]
    if worker["running"]:
        state = f"at work since {dates.local(last['began'])}" if last else "at work"
    elif last is None:
        state = "none ran yet"
    elif worker["killed"]:
        state = f"killed after {dates.local(last['began'])}"
    else:
        state = f"last ran {dates.local(last['ended'])}"
    done = max(last["did"].values(), key=lambda each: each["at"], default=None) if last else None
    waiting = [f"{count:,} {name}" for name, count in due.items() if count]
    parts = [state, *([done["said"]] if done else []), f"due: {', '.join(waiting)}" if waiting else "nothing is due"]
    if worker["start"] == "never":
        parts.append("hooks start none (`worker.start`)")
    elif worker["waits_seconds"]:
        parts.append(f"hooks start none for {worker['waits_seconds'] // 60 + 1} minutes")
    return "; ".join(parts)


def _excluded(data: Any) -> str:
    parts = [f"{name.rsplit('.', 1)[1]}: {', '.join(what)}" for name, what in data["excluded"].items() if what]
    return "; ".join(parts) or "nothing"


def _sizes(data: Any) -> str:
    sizes = data["sizes"]
    parts = [f"{name} {readable(sizes[name])}" for name in ("database", "wal", "spool", "backups") if sizes[name]]
    if data["log_bytes"]:
        parts.append(f"log {readable(data['log_bytes'])}")
    return f"{readable(sizes['total'])} ({', '.join(parts)})" if parts else readable(sizes["total"])


def readable(size: int) -> str:
    """Bytes as people read them."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} bytes"
