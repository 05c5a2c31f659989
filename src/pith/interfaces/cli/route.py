"""`pith route`: how much effort a request deserves, and what is to come out of it."""

from __future__ import annotations

from pith.interfaces.cli.command import argument, command, option
from pith.interfaces.cli.shared_here import said, shared_here, warn
from pith.services.project_memory import route as service

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal


@command(
    "route.show",
    argument("request", many=True, required=False, help="What is to be done."),
    option("--quest", help="The quest that is asked about, instead of a request."),
    option("--layer", help="How much care it needs, L0 to L4; otherwise judged by rules."),
)
def route(request: tuple[str, ...], quest: str | None, layer: str | None) -> dict[str, Any]:
    """Show the route of a request or a quest."""
    return service.show(shared_here(), said(request), quest=quest, layer=layer)


@route.text
def show(data: Any, terminal: Terminal) -> None:
    """The route, what it yields, whether it needs a quest, and why."""
    contract = data["contract"]
    terminal.line((contract["route"], "bold"))
    for name, value in (
        ("output", contract["output_contract"]),
        ("quest", contract["quest_policy"].replace("_", " ")),
        ("reason", contract["reason_summary"]),
    ):
        terminal.line((f"{name:<9}", "dim"), value)
    warn(data, terminal)
