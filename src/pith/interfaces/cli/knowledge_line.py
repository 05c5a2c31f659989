"""Entries and entities as the commands show them to a person."""

from __future__ import annotations

from pith.interfaces.cli.output import one_line
from pith.services import dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal

MARKS = {"hypothesis": "hypothesis", "dead_end": "dead end"}


def label(entry: Any) -> str:
    """What an entry is: type, how sure, stage, and what is to be held against it."""
    parts = [entry["stage"]]
    if entry["status"] == "superseded":
        by = entry["superseded_by"]
        parts.append(f"superseded by {by}" if by else "superseded")
    elif entry["status"] == "contested":
        parts.append("contested" + (f", see {', '.join(entry['contradicts'])}" if entry["contradicts"] else ""))
    elif entry["status"] != "active":
        parts.append(entry["status"])
    kind = MARKS.get(entry["standing"], entry["type"])
    return f"{kind} ({', '.join(parts)})"


def show_entry(entry: Any, terminal: Terminal, *, style: str = "bold") -> None:
    """One line."""
    when = dates.local(entry["at"], day_only=True)
    terminal.line((f"[{entry['citation']}]", style), (f" {when} {label(entry)}: ", "dim"), one_line(entry["title"]))


def show_recalled(entry: Any, terminal: Terminal, *, style: str = "bold") -> None:
    """One line, and one for each open task or condition that it is about."""
    terminal.line((f"[{entry['citation']}]", style), (f" {entry['about']}: ", "dim"), one_line(entry["text"]))
    for other in entry["entities"]:
        state = f", {other['state']}" if other["state"] else ""
        terminal.line((f"    about {other['entity_type']}{state}: ", "dim"), one_line(other["title"]))


def show_entity(one: Any, terminal: Terminal) -> None:
    """One line, and one for each blocker."""
    about = f" {one['type']}" + (f", {one['status']}" if one["status"] else "")
    if one.get("priority") not in (None, "normal"):
        about += f", {one['priority']}"
    terminal.line((f"[{one['citation']}]", "bold"), (f"{about}: ", "dim"), one_line(one["title"]))
    for blocker in one.get("blocked_by", ()):
        terminal.line("    blocked by ", (f"[{blocker['citation']}]", "dim"), f" {one_line(blocker['title'])}")


def show_whole(one: Any, terminal: Terminal) -> None:
    """Everything about an entry or entity."""
    if one["kind"] == "entry":
        show_entry(one, terminal)
        if one["text"] != one["title"]:
            terminal.line("    ", one_line(one["text"]))
        show_evidence(one["evidence"], terminal)
        for other in one["about"]:
            terminal.line(("    about ", "dim"), f"[{other['citation']}] {other['type']} {one_line(other['title'])}")
        for cited in one["supersedes"]:
            terminal.line(("    takes the place of ", "dim"), cited)
    else:
        show_entity(one, terminal)
        if one["type"] == "condition" and one.get("evidence"):
            terminal.line(("    settled by ", "dim"), one_line(one["evidence"]))
        for name, title in (("suggested", "may be blocked by "), ("blocks", "blocks ")):
            for other in one[name]:
                terminal.line((f"    {title}", "dim"), f"[{other['citation']}] {one_line(other['title'])}")
        for proof in one["proved_by"]:
            terminal.line(("    proved by ", "dim"), f"[{proof['citation']}] {one_line(proof['title'])}")
    for move in one["moves"]:
        reason = f" ({move['reason']})" if move["reason"] else ""
        terminal.line((f"    {dates.local(move['at'])} ", "dim"), f"{move['from']} → {move['to']}{reason}")


def show_evidence(evidence: Any, terminal: Terminal) -> None:
    """One line for each quote."""
    for item in evidence:
        where = f"[{item['citation']}] {item['start']}–{item['end']}, {item['method']}" if item["citation"] else ""
        quote = item["quote"] if item["quote"] is not None else "(not found)"
        terminal.line(("    rests on ", "dim"), f"{where}: “{one_line(quote)}”" if where else one_line(quote))
