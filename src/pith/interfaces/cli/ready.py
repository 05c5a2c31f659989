"""Answers over thousands of nodes, of which the JSON text is ready from the last time while nothing has changed."""

from __future__ import annotations

from pith.files import graph_index, ready_nodes
from pith.files.layout import READY_INDEX, READY_LIST
from pith.services.answers.written import Written, json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pith.services.project_memory.shared import Shared

    Make = Callable[[], dict[str, Any]]
    State = Callable[[], str | None]
    Holder = Callable[[dict[str, Any]], dict[str, Any]]


def ready_list(shared: Shared, make: Make) -> dict[str, Any]:
    """The answer of a list, which `make` gives where its nodes are not ready."""
    return _ready(shared, READY_LIST, make, lambda: ready_nodes.state(shared.layout), lambda answer: answer)


def ready_index(shared: Shared, make: Make) -> dict[str, Any]:
    """The answer of a rebuilt index; where it is ready, the index on disk says the same already."""
    written: dict[str, Any] = {}

    def state() -> str | None:
        nonlocal written
        standing = graph_index.standing(shared.layout)
        if standing is None:
            return None
        told, written = standing
        return ready_nodes.state(shared.layout, told)

    answer = _ready(shared, READY_INDEX, make, state, lambda answer: answer["index"])
    answer["index"] |= written  # whoever writes the same again changes nothing but this
    return answer


def _ready(shared: Shared, name: str, make: Make, state: State, holder: Holder) -> dict[str, Any]:
    """An answer whose `holder` holds the nodes, as it was kept or made anew."""
    before = state()
    if before and (found := ready_nodes.kept(shared.layout, name, before)):
        answer, text = found
    else:
        answer = make()
        text = json_text(holder(answer)["nodes"])
        holder(answer)["nodes"] = None
        # What changed while it was made may be in it or not.
        if before and state() == before:
            ready_nodes.keep(shared.layout, name, before, answer, text)
    holder(answer)["nodes"] = Written(text)
    return answer
