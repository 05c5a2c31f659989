"""The tool that tells an agent what it should know before it begins: the brief of a project, or a capsule."""

from __future__ import annotations

from pith.domain import fence, routes
from pith.interfaces.mcp.tool import Told, choice, number, text, tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pith.interfaces.mcp.asked import Asked

BRIEF, CAPSULE = "brief", "capsule"
BUDGET = 800  # tokens of a brief


@tool(
    "mem-context",
    "What to know before beginning",
    choice("kind", (BRIEF, CAPSULE), default=BRIEF),
    text("request", help="capsule: what is to be done, where there is no quest."),
    text("quest", help="capsule: the quest; otherwise the active one that changed last."),
    choice("layer", routes.LAYERS, help="capsule: how much care it needs."),
    number("max_tokens", default=BUDGET, least=100, most=4_000, help="brief."),
)
def context(
    asked: Asked, kind: str, request: str | None, quest: str | None, layer: str | None, max_tokens: int
) -> Told:
    """Before work: a brief (accepted decisions, open tasks, where sessions stopped), or the capsule of a quest or
    request with the accepted memory it needs.
    """
    if kind == CAPSULE:
        from pith.services.project_memory import capsule as service

        data = service.build(asked.shared(), quest, request=request or "", layer=layer, keep=False)
        return Told(fence.fenced(data["capsule"]["content"]), data)
    from pith.services.answers import brief

    data = brief.brief(asked.here(), max_tokens, face="mcp", asker=asked.session)
    return Told(data["text"] or "There is nothing to tell yet.", data)
