"""The capsule: what one quest or request needs to know, written to `capsules/current.md`."""

from __future__ import annotations

from typing import Any

from pith.domain import retrieval as domain
from pith.domain import routes, secrets
from pith.domain.origin import ORIGIN
from pith.domain.quests import Quest
from pith.errors import InputError, NotFound
from pith.files import capsule
from pith.files.capsule import Memory, Work
from pith.files.kept import Kept
from pith.services.project_memory import quests, retrieval
from pith.services.project_memory import route as route_service
from pith.services.project_memory.retrieval import Retrieved
from pith.services.project_memory.shared import Shared, writing


def build(
    shared: Shared,
    selector: str | None = None,
    *,
    request: str = "",
    layer: str | None = None,
    deep: bool = False,
    keep: bool = True,
) -> dict[str, Any]:
    """The answer of `capsule.build`: for a quest, for a request without one, or for the quest worked on last.

    Without `keep` it is told only, and whatever capsule there is stays in its place.
    """
    if selector is not None and request.strip():
        raise InputError("A capsule is made for a quest or for a request, not for both.", hint="Leave one out.")
    found = None if request.strip() else _quest(shared, selector)
    work = _work(shared, found, request, layer)
    got = retrieval.retrieve(shared, _asked(work), work.contract.memory, deep=deep)
    memory = capsule.memory(got.slice, got.told, got.notice)
    text = capsule.text_of(shared.config, work, memory, shared.now(), _masked)
    file = _written(shared, text) if keep else None
    answer: dict[str, Any] = {
        "capsule": {
            **ORIGIN,
            "file": file,
            "content": text,
            "memory": _memory_as_json(got, memory) | {"capsule_tokens": capsule.cost_of(text)},
        },
        "quest": quests.as_json(found.value, work.file) if found else None,
    }
    return answer | ({"warnings": list(got.warnings)} if got.warnings else {})


def _written(shared: Shared, text: str) -> str:
    with writing(shared):
        return capsule.write(shared.layout, text)


def current(shared: Shared) -> str:
    """The capsule as it was written last. Raises NotFound."""
    text = capsule.read(shared.layout)
    if text is None:
        raise NotFound("There is no capsule yet.", hint="`pith capsule` writes one.")
    return text


def _masked(text: str) -> str:
    return secrets.mask(text)[0]


def _quest(shared: Shared, selector: str | None) -> Kept[Quest]:
    """The quest that was meant, or the active one that changed last."""
    if selector is not None:
        found = quests.find(shared, selector)
        if found.value.project_id not in ("", shared.config.project_id):
            raise InputError(
                f"Quest belongs to another project: {found.value.id}", hint="Run `pith quest list` to see your own."
            )
        return found
    active = quests.listed(shared).items
    if not active:
        raise InputError(
            "No active quest found.", hint='Name one (`pith capsule <quest>`), or begin one: `pith quest new "..."`.'
        )
    return active[0]


def _work(shared: Shared, found: Kept[Quest] | None, request: str, layer: str | None) -> Work:
    if found is None:
        return Work(request.strip(), routes.contract(request.strip(), layer))
    quest = found.value
    contract = route_service.of_quest(quest, layer)
    return Work(quest.request or quest.title, contract, quest, shared.layout.shown(found.path))


def _asked(work: Work) -> domain.Asked:
    """The entities and the action of the work; a quest's title, constraints and paths count as its request does."""
    quest, action = work.quest, work.contract.output_contract
    if quest is None:
        return domain.asked(work.request, action=action)
    text = "\n".join([work.request, quest.title, *quest.constraints, *quest.unknowns])
    return domain.asked(text, quest.scope_paths, action)


def _memory_as_json(got: Retrieved, memory: Memory) -> dict[str, Any]:
    budget = got.slice.budget
    shown = {each.id for each in memory.apart}
    return {
        "budget": budget.name,
        "nodes_at_most": budget.nodes,
        "tokens_at_most": budget.tokens,
        "tokens": memory.tokens,
        "nodes": [{"id": each.id, "title": each.title, "found_by": each.found_by} for each in memory.told],
        "potentially_stale": _apart(got.slice.stale, shown),
        "superseded": _apart(got.slice.superseded, shown),
        "conflicting": _apart(got.slice.conflicting, shown),
        "left_out": list(memory.left_out),
        "notice": got.notice or None,
    }


def _apart(of: list[domain.Apart], shown: set[str]) -> list[dict[str, str]]:
    return [retrieval.apart_as_json(each) for each in of if each.id in shown]
