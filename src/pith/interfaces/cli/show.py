"""`pith show`: one memory, or several, in full."""

from __future__ import annotations

from pith.errors import Ambiguous, NotFound
from pith.interfaces.cli import event_line, knowledge_line, node_line
from pith.interfaces.cli.command import Answer, argument, command
from pith.interfaces.cli.here import here
from pith.services import dates, lookup
from pith.services.project_memory import accepted
from pith.store import citations, entry_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal
    from pith.services.location import Place
    from pith.store.database import Db

ORIGINS = {
    "person": "said by the person",
    "agent": "said by the agent",
    "tool": "output of a tool",
    "web": "text from the web",
    "import": "the host's own notes",
}


@command("show", argument("citation", many=True, help="As `pith recall` prints it: mem:k7q2mf."))
def show(citation: tuple[str, ...]) -> Answer:
    """Print memories in full, with everything known about them."""
    place = here()
    found, missing = [], []
    with lookup.open_to_ask(place.folder) as db:
        for cited in citation:
            try:
                found.append(_memory(db, place.place, cited))
            except (NotFound, Ambiguous) as error:
                if len(citation) == 1:
                    raise
                missing.append(error)
    data = {"memories": found, "missing": [{"message": str(each), "hint": each.hint} for each in missing]}
    if not missing:
        return Answer(data)
    first = missing[0]
    return Answer(data, code=1, error={"code": first.code, "message": str(first), "hint": first.hint})


def _memory(db: Db, place: Place, cited: str) -> dict[str, Any]:
    node = accepted.cited(db, place, cited)
    if node is not None:
        return node_line.facts(db, node)
    known = _of_knowledge(db, cited)
    if known is not None:
        return known
    row = lookup.event(db, cited)
    return {**event_line.facts(db, row), "text": row["text"]}


def _of_knowledge(db: Db, cited: str) -> dict[str, Any] | None:
    """The entry or entity that a citation names; None when it names something else."""
    kind, id = citations.find(db, cited)
    if kind not in (entry_words.ENTRY, entry_words.ENTITY):
        return None
    from pith.services.knowledge import lookup as look

    named = f"mem:{citations.name(kind, id)}"
    if kind == entry_words.ENTRY:
        return look.whole_entry(db, look.entry(db, named))
    return look.whole_entity(db, look.entity(db, "", named))


@show.text
def show_memories(data: Any, terminal: Terminal) -> None:
    """What is known of each, then its text as it was kept."""
    for number, memory in enumerate(data["memories"]):
        if number:
            terminal.line()
        if memory["kind"] in (entry_words.ENTRY, entry_words.ENTITY):
            knowledge_line.show_whole(memory, terminal)
            continue
        terminal.line((memory["citation"], "bold"))
        for name, value in node_line.told(memory) if memory["kind"] == node_line.NODE else _facts(memory):
            terminal.line((f"{name:<10}", "dim"), value)
        terminal.line()
        if memory.get("forgotten_at"):
            terminal.line(f"Forgotten on {dates.local(memory['forgotten_at'])}; its text is gone.")
        else:
            terminal.line(memory["text"])

    for each in data["missing"]:
        terminal.flush()
        terminal.note(f"{each['message']}\n{each['hint']}")


def _facts(memory: Any) -> list[tuple[str, str]]:
    what = f"{memory['kind']}, {ORIGINS[memory['origin']]}"
    session = memory["session"] + (f" ({memory['title']})" if memory["title"] else "")
    place = memory["branch"] + (f" at {memory['commit'][:12]}" if memory["commit"] else "")
    ended = memory["exit"] if memory["exit"] is not None else ""
    if memory["details"].get("failed"):
        ended = f"{ended} (failed)".strip()
    found = [
        ("when", dates.local(memory["at"])),
        ("what", what),
        ("session", session),
        ("subagent", memory["agent"]),
        ("host", memory["host"]),
        ("branch", place),
        ("directory", memory["directory"]),
        ("tool", memory["tool"] or ""),
        ("command", memory["command"] or ""),
        ("files", ("\n" + " " * 10).join(memory["files"] or ())),
        ("exit", str(ended)),
    ]
    return [(name, value) for name, value in found if value]
