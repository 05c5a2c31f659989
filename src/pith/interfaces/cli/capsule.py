"""`pith capsule`: what one quest or request needs to know, in one file within a budget."""

from __future__ import annotations

from pith.errors import InputError
from pith.interfaces.cli.command import argument, command, option
from pith.interfaces.cli.shared_here import shared_here, warn
from pith.services.project_memory import capsule as service

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal


@command(
    "capsule.build",
    argument("id", required=False, help="The quest it is for; without one, the active quest that changed last."),
    option("--quest", help="The same, by name."),
    option("--request", help="What is to be done, where there is no quest."),
    option("--layer", help="How much care it needs, L0 to L4, whatever the quest says."),
    option("--deep", flag=True, help="Read project memory deeply, where the level is L4."),
)
def capsule(id: str | None, quest: str | None, request: str | None, layer: str | None, deep: bool) -> dict[str, Any]:
    """Write capsules/current.md: the request, its limits, and the accepted nodes that it needs."""
    if request is not None and not request.strip():
        raise InputError("The request is empty.", hint='Say what is to be done: `pith capsule --request "..."`.')
    if id is not None and quest is not None:
        raise InputError("The quest is named twice.", hint="Give its id once, with or without `--quest`.")
    return service.build(shared_here(), quest if id is None else id, request=request or "", layer=layer, deep=deep)


@capsule.text
def show(data: Any, terminal: Terminal) -> None:
    """Where it is, what it costs, what it tells and what it leaves out."""
    made = data["capsule"]
    terminal.line("Wrote ", (made["file"], "bold"))
    memory = made["memory"]
    terminal.line(
        ("memory   ", "dim"),
        f"{memory['budget']}: {len(memory['nodes'])} of at most {memory['nodes_at_most']} nodes,"
        f" {memory['tokens']} of {memory['tokens_at_most']} tokens; {made['memory']['capsule_tokens']} in all",
    )
    for name in ("potentially_stale", "superseded", "conflicting"):
        if memory[name]:
            terminal.line((f"{name.replace('_', ' ')}: ", "dim"), ", ".join(each["id"] for each in memory[name]))
    if memory["left_out"]:
        terminal.line(("left out ", "dim"), f"{len(memory['left_out'])}")
    if memory["notice"]:
        terminal.note(f"! {memory['notice']}")
    warn(data, terminal)
