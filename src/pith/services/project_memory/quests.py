"""Quests: begin one, list them, show one, complete one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pith.domain import quests as domain
from pith.domain import routes, selection, titles
from pith.domain.quests import ACTIVE, COMPLETED, Quest
from pith.domain.routes import Contract
from pith.errors import InputError
from pith.files import intent, kept, layout, quests
from pith.files.kept import Kept
from pith.files.layout import FOLDER, Layout
from pith.services.project_memory.shared import Masking, Shared, change, writing

LIGHT = "This looks like light work: a quest was made because you asked for it, but {layer} does not need one."


@dataclass(frozen=True, slots=True)
class NewQuest:
    """A quest that was just begun."""

    quest: Quest
    contract: Contract
    file: str
    masked: int

    def as_json(self, program: str = "pith") -> dict[str, Any]:
        """The answer of `quest.new`; `program` is the name it was called by."""
        quest = as_json(self.quest, self.file)
        light = self.contract.quest_policy == routes.NOT_RECOMMENDED
        return {
            "quest": {name: quest[name] for name in _NEW},
            "contract": self.contract.as_json(),
            "next": {
                "route": f"{program} route --quest {self.quest.id}",
                "capsule": f"{program} capsule --quest {self.quest.id}",
            },
            "warning": LIGHT.format(layer=self.contract.layer) if light else None,
        } | ({"masked": self.masked} if self.masked else {})


def new(
    shared: Shared,
    request: str,
    *,
    title: str | None = None,
    layer: str | None = None,
    contract: str | None = None,
    verify: Sequence[str] = (),
    constraints: Sequence[str] = (),
    paths: Sequence[str] = (),
) -> NewQuest:
    """Begin a quest. Raises InputError without a request, or for a level or output that does not exist."""
    masking = Masking()
    asked = masking.text(request).strip()
    if not titles.one_line(asked):
        raise InputError("Quest request is required.", hint='Say what is to be done: `pith quest new "..."`.')
    agreed = routes.contract(asked, layer, contract)
    now = shared.now()
    quest = Quest(
        id="",
        title=titles.cut(masking.text(title or "") or asked),
        status=ACTIVE,
        created_at=now,
        updated_at=now,
        layer=agreed.layer,
        route=agreed.route,
        quest_policy=agreed.quest_policy,
        output_contract=agreed.output_contract,
        request=asked,
        scope_paths=_lines(masking.texts(paths)),
        constraints=_lines(masking.texts(constraints)),
        expected_verification=_lines(masking.texts(verify)),
        project_id=shared.config.project_id,
        project_name=shared.config.project_name,
    )
    with writing(shared):
        taken = set(quests.paths(shared.layout))
        quest = replace(quest, id=domain.id_for(now, quest.title, taken))
        path = quests.path_of(shared.layout, quest.id, ACTIVE)
        text = quests.text_of(quest, agreed.reason_summary)
        change(shared, "quest.new", quest.id, [intent.made(shared.layout, path, text)])
    return NewQuest(quests.read(path).value, agreed, shared.layout.shown(path), masking.count)


def _lines(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(line for text in texts if (line := titles.one_line(text)))


@dataclass(frozen=True, slots=True)
class Quests:
    """Quests, the newest change first, and sentences about files that were left out."""

    items: tuple[Kept[Quest], ...]
    warnings: tuple[str, ...]

    def as_json(self, place: Layout) -> dict[str, Any]:
        return {
            "quests": [as_json(each.value, place.shown(each.path)) for each in self.items],
            "warnings": list(self.warnings),
        }


def listed(shared: Shared, *statuses: str) -> Quests:
    """The quests of these statuses (active ones unless told otherwise) that belong to this project."""
    found = quests.read_all_of(shared.layout, *(statuses or (ACTIVE,)))
    ours, foreign = own(shared, found.items)
    warnings = kept.warnings(shared.layout, found.problems) + foreign
    order = sorted(ours, key=lambda each: (each.value.updated_at, each.value.id), reverse=True)
    return Quests(tuple(order), tuple(warnings))


def own(shared: Shared, items: Sequence[Kept[Any]]) -> tuple[list[Kept[Any]], list[str]]:
    """Those of this project (files of an older tool may have no project yet), and a sentence for each other one."""
    ours = [each for each in items if each.value.project_id in ("", shared.config.project_id)]
    foreign = [
        f"{shared.layout.shown(each.path)}: it belongs to another project ({each.value.project_id}); it was left out"
        for each in items
        if each.value.project_id not in ("", shared.config.project_id)
    ]
    return ours, foreign


def find(shared: Shared, selector: str) -> Kept[Quest]:
    """The quest that was meant: by its id, by a beginning that fits one only, or by its file under `.orange-hyper`."""
    known = quests.paths(shared.layout)
    id = _id_of(selector)
    return quests.read(known[selection.pick(id, known, "Quest")])


def shown(shared: Shared, selector: str) -> dict[str, Any]:
    """The answer of `quest.show`: the quest and its whole file."""
    found = find(shared, selector)
    told = as_json(found.value, shared.layout.shown(found.path))
    return {"quest": told | {"body": found.document.body, "content": found.document.text}}


def _id_of(selector: str) -> str:
    wanted = selector.strip().replace("\\", "/").removesuffix(".md")
    for folder in (layout.ACTIVE, layout.COMPLETED):
        wanted = wanted.removeprefix(f"{FOLDER}/{folder}/")
    if not wanted:
        raise InputError("Quest selector is required.", hint="Give the id that `pith quest list` prints.")
    if "/" in wanted:
        raise InputError(
            f"Quest path must stay inside {FOLDER}/quests.", hint="Give the id that `pith quest list` prints."
        )
    return layout.checked_id(wanted, "Quest")


@dataclass(frozen=True, slots=True)
class Done:
    """A quest that was just completed."""

    quest: Quest
    file: str
    masked: int

    def as_json(self) -> dict[str, Any]:
        quest = as_json(self.quest, self.file)
        return {"quest": {name: quest[name] for name in _DONE}} | ({"masked": self.masked} if self.masked else {})


def done(shared: Shared, selector: str, *, evidence: Sequence[str] = (), unverified: str = "") -> Done:
    """Complete a quest with evidence, or with the reason why there is none; its file moves to `completed/`."""
    masking = Masking()
    proof, reason = masking.texts(evidence), masking.text(unverified)
    with writing(shared):
        found = find(shared, selector)
        quest = domain.completed(found.value, proof, reason, shared.now())
        path = quests.path_of(shared.layout, found.path.stem, COMPLETED)
        steps = [
            intent.made(shared.layout, path, quests.text_completed(found, quest)),
            intent.changed(shared.layout, found.path, None, found.document.read_hash),
        ]
        change(shared, "quest.done", quest.id, steps)
    return Done(quest, shared.layout.shown(path), masking.count)


def as_json(quest: Quest, file: str) -> dict[str, Any]:
    """Everything that answers say of a quest."""
    return {
        "id": quest.id,
        "file": file,
        "project_id": quest.project_id,
        "project_name": quest.project_name,
        **quest.origin,
        "status": quest.status,
        "title": quest.title,
        "layer": quest.layer,
        "quest_policy": quest.quest_policy,
        "output_contract": quest.output_contract,
        "verification_status": quest.verification_status,
        "verification_evidence": list(quest.verification_evidence),
        "unverified_reason": quest.unverified_reason,
        "completed_at": quest.completed_at or None,
    }


_COMMON = (
    "id", "file", "project_id", "project_name", "generated_by", "generator_package", "generator_version",
    "source_repository", "official_package", "status",
)  # fmt: skip
_NEW = (*_COMMON, "layer", "quest_policy", "output_contract", "verification_status")
_DONE = (
    *_COMMON, "title", "layer", "quest_policy", "output_contract", "verification_status", "verification_evidence",
    "unverified_reason", "completed_at",
)  # fmt: skip
