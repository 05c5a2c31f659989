"""Which route a request or a quest takes, and the trace of having asked."""

from __future__ import annotations

from typing import Any

from pith.domain import routes, secrets
from pith.domain.origin import ORIGIN
from pith.domain.quests import Quest
from pith.domain.routes import Contract
from pith.errors import InputError, PithError
from pith.files import traces
from pith.services.project_memory import quests
from pith.services.project_memory.shared import Shared, writing


def show(shared: Shared, request: str = "", *, quest: str | None = None, layer: str | None = None) -> dict[str, Any]:
    """The answer of `route.show`; the trace that it holds is also appended to `traces/route.jsonl`.

    A trace that cannot be written is no reason to leave a question without its answer.
    """
    asked, id, agreed = _agreed(shared, request, quest, layer)
    now = shared.now()
    trace = {
        "trace_id": f"route_{now[:10].replace('-', '')}_{now[11:19].replace(':', '')}Z",
        **ORIGIN,
        "created_at": now,
        "input": secrets.mask(secrets.without_private(asked)[0])[0],
        "quest_id": id,
        "contract": agreed.as_json(),
    }
    warnings = _kept(shared, trace)
    return {"trace": trace, "contract": agreed.as_json()} | ({"warnings": warnings} if warnings else {})


def _agreed(shared: Shared, request: str, selector: str | None, layer: str | None) -> tuple[str, str | None, Contract]:
    """What was asked, the quest's id if it is one, and the contract."""
    if selector is None:
        if not request.strip():
            raise InputError("Route request is required, or pass --quest <id>.", hint='Run `pith route "..."`.')
        return request.strip(), None, routes.contract(request.strip(), layer)
    if request.strip():
        raise InputError("A route is asked for a request or for a quest, not for both.", hint="Leave one out.")
    quest = quests.find(shared, selector).value
    return quest.request or quest.title, quest.id, of_quest(quest, layer)


def of_quest(quest: Quest, layer: str | None = None) -> Contract:
    """What was agreed when the quest began; what its file does not say, the rules do."""
    known = quest.layer if quest.layer in routes.LAYERS else None
    expected = quest.output_contract if quest.output_contract in routes.CONTRACTS else None
    return routes.contract(quest.request or quest.title, layer or known, expected)


def _kept(shared: Shared, trace: dict[str, Any]) -> list[str]:
    try:
        with writing(shared):
            traces.add(shared.layout, trace)
    except (PithError, OSError) as error:
        said = str(error) if isinstance(error, PithError) else f"{error.strerror}"
        return [f"The trace was not kept: {said}"]
    return []
