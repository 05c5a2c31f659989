"""Proposals: what a quest taught is proposed, shown, revised, and accepted or rejected by a person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pith.domain import citing, selection, titles
from pith.domain import proposals as domain
from pith.domain.nodes import LIST, OWN_FIELDS, RELATIONS
from pith.domain.proposals import PENDING, STATUSES, Proposal, ProposalAlreadyDecided, ProposalInvalid, Quality
from pith.domain.quests import Quest
from pith.domain.validity import FIELDS as VALIDITY
from pith.errors import InputError
from pith.files import intent, kept, layout, nodes, proposals, quests
from pith.files.front_matter import MemoryFileInvalid
from pith.files.kept import Kept
from pith.services.project_memory import quests as quest_service
from pith.services.project_memory.shared import Masking, Shared, change, writing


@dataclass(frozen=True, slots=True)
class Proposed:
    """The proposal that now waits; `duplicated` when one that says the same did already."""

    proposal: Proposal
    file: str
    duplicated: bool
    warnings: tuple[str, ...]
    type_reason: str
    masked: int = 0

    def as_json(self) -> dict[str, Any]:
        return {
            "duplicated": self.duplicated,
            "warnings": list(self.warnings),
            "proposal": as_json(self.proposal, self.file, duplicated=self.duplicated),
            "type_reason": self.type_reason,
        } | ({"masked": self.masked} if self.masked else {})


def propose(
    shared: Shared,
    quest: str,
    *,
    node_type: str | None = None,
    candidate: str | None = None,
    why: str | None = None,
    confidence: str | None = None,
    further: Mapping[str, Any] | None = None,
    force_reason: str | None = None,
) -> Proposed:
    """Propose what a completed quest taught.

    `further` holds validity, the kind's own fields, `links` (`applies_to:component.x`), `scope_paths` and `entries`.
    """
    if not quest.strip():
        raise InputError("remember propose requires --quest <quest-id>.", hint="See `pith quest list --completed`.")
    masking = Masking()
    with writing(shared):
        source = quest_service.find(shared, quest).value
        domain.demand_proposable(source, force_reason=force_reason)
        inferred = domain.node_type_of(source)
        kind = node_type or inferred.node_type
        domain.demand_type(kind)
        draft = _draft(shared, source, kind, candidate, why, confidence, masking)
        draft = replace(draft, further=_further(shared, kind, {"reason": force_reason, **(further or {})}, masking))
        pending = proposals.read_all_of(shared.layout, PENDING)
        same = domain.duplicate(draft, (each.value for each in pending.items))
        reason = "it was given" if node_type else inferred.reason
        if same:
            file = shared.layout.shown(proposals.path_of(shared.layout, same.id, PENDING))
            return Proposed(same, file, True, domain.quality(same).warnings, reason)
        return _kept(shared, draft, reason, masking)


def _draft(
    shared: Shared,
    source: Quest,
    kind: str,
    candidate: str | None,
    why: str | None,
    confidence: str | None,
    masking: Masking,
) -> Proposal:
    """The proposal without its id."""
    sure = confidence or domain.confidence_of(source)
    domain.demand_confidence(sure)
    now = shared.now()
    draft = Proposal(
        id="",
        status=PENDING,
        source_quest=source.id,
        node_type=kind,
        confidence=sure,
        created_at=now,
        updated_at=now,
        title=titles.cut(masking.text(source.title)),
        candidate=masking.text(_given(candidate, "--candidate") or domain.candidate_of(source)),
        why=masking.text(_given(why, "--why") or domain.why_of(source)),
        evidence=masking.text(domain.evidence_of(source)),
        project_id=shared.config.project_id,
        project_name=shared.config.project_name,
    )
    return replace(draft, suggested=domain.suggested_of(draft))


def _given(text: str | None, flag: str) -> str:
    """What a flag was given; an empty value is an error, no flag is nothing."""
    if text is not None and not text.strip():
        raise InputError(f"{flag} requires a value.", hint="Leave the flag out to keep what is there.")
    return (text or "").strip()


def _further(shared: Shared, kind: str, given: Mapping[str, Any], masking: Masking) -> dict[str, Any]:
    """The fields for the node, in shape and checked; those that are None are left out."""
    known = (*VALIDITY, *OWN_FIELDS[kind], "links", "scope_paths", "entries", "reason")
    found: dict[str, Any] = {}
    for name, value in given.items():
        if value is None or value in ("", (), []):
            continue
        if name not in known:
            owners = [each for each, fields in OWN_FIELDS.items() if name in fields]
            hint = f"It belongs to {', '.join(owners)}." if owners else f"A {kind} has {', '.join(OWN_FIELDS[kind])}."
            raise InputError(f"A {kind} has no field `{name}`.", hint=hint)
        is_list = OWN_FIELDS[kind].get(name) == LIST or name in ("links", "scope_paths", "entries")
        if name == "entries":
            found[name] = _cited(_listed(value))
            continue
        found[name] = masking.value(_listed(value) if is_list else titles.one_line(str(value)))
    for link in found.get("links", ()):
        demand_link(shared, link)
    return found


def _cited(texts: list[str]) -> list[str]:
    """Entries as shared files name them. Raises InputError for what names none."""
    for text in texts:
        if not citing.cited([text]):
            raise InputError(f"`{titles.cut(text)}` is no entry.", hint="Give an id that `pith entries` lists.")
    return [str(one) for one in citing.cited(texts)]


def _listed(value: Any) -> list[str]:
    items = [value] if isinstance(value, str) else list(value)
    return [line for item in items if (line := titles.one_line(str(item)))]


def demand_link(shared: Shared, link: str) -> tuple[str, str]:
    """The relation and the node of `REL:NODE`. Raises InputError for an unknown relation, NoSuchItem for a node."""
    relation, _, node = link.partition(":")
    if relation not in RELATIONS:
        raise InputError(
            f"`{titles.cut(link)}` is no link.", hint=f"Write REL:NODE with one of {', '.join(RELATIONS)}."
        )
    return relation, selection.pick(layout.checked_id(node, "Graph node"), nodes.paths(shared.layout), "Graph node")


def _kept(shared: Shared, draft: Proposal, reason: str, masking: Masking) -> Proposed:
    """Give the draft its id and keep it."""
    taken = set(proposals.paths(shared.layout))
    proposal = replace(draft, id=domain.id_for(draft.source_quest, draft.node_type, taken))
    judged = domain.quality(proposal)
    if not judged.valid:
        raise ProposalInvalid("; ".join(judged.errors) + ".")
    path = proposals.path_of(shared.layout, proposal.id, PENDING)
    change(shared, "remember.propose", proposal.id, [intent.made(shared.layout, path, proposals.text_of(proposal))])
    written = proposals.read(path).value
    warnings = (*judged.warnings, *masking.said)
    return Proposed(written, shared.layout.shown(path), False, warnings, reason, masking.count)


# -- Looking -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Proposals:
    """Proposals, the newest change first, what they were filtered by, and sentences about files left out."""

    items: tuple[Kept[Proposal], ...]
    filters: dict[str, str | None]
    warnings: tuple[str, ...]

    def as_json(self, place: layout.Layout) -> dict[str, Any]:
        found = [as_json(each.value, place.shown(each.path)) for each in self.items]
        return {"filters": self.filters, "proposals": found} | (
            {"warnings": list(self.warnings)} if self.warnings else {}
        )


def listed(
    shared: Shared, *, status: str | None = None, node_type: str | None = None, quest: str | None = None
) -> Proposals:
    """The proposals of this project, of one status, type or quest."""
    if status is not None and status not in (*STATUSES, "all"):
        raise InputError(
            f"Unsupported memory proposal status: {titles.cut(status)}", hint=f"Use {', '.join(STATUSES)}."
        )
    if node_type is not None:
        domain.demand_type(node_type)
    found = proposals.read_all_of(shared.layout, *([status] if status and status != "all" else []))
    ours, foreign = quest_service.own(shared, found.items)
    chosen = [
        each
        for each in ours
        if (node_type is None or each.value.node_type == node_type)
        and (quest is None or each.value.source_quest == quest)
    ]
    chosen.sort(key=lambda each: (each.value.updated_at, each.value.id), reverse=True)
    warnings = kept.warnings(shared.layout, found.problems) + foreign
    return Proposals(tuple(chosen), {"status": status or "all", "type": node_type, "quest": quest}, tuple(warnings))


def find(shared: Shared, selector: str) -> Kept[Proposal]:
    """The proposal that was meant, whatever its status."""
    if not selector.strip():
        raise InputError("Proposal selector is required.", hint="Give the id that `pith remember list` prints.")
    wanted = layout.checked_id(selector.strip().removesuffix(".md"), "Proposal")
    known = proposals.paths(shared.layout)
    return proposals.read(known[selection.pick(wanted, known, "Memory proposal")])


def show(shared: Shared, selector: str) -> dict[str, Any]:
    """The answer of `remember.show`: the proposal and its whole file."""
    found = find(shared, selector)
    document = found.document
    told = as_json(found.value, shared.layout.shown(found.path)) | {"body": document.body, "content": document.text}
    return {"proposal": told}


def validate(shared: Shared, selector: str) -> dict[str, Any]:
    """The answer of `remember.validate`, for a proposal of any status."""
    found = find(shared, selector)
    return _validated(shared, found, judge(shared, found))


def _validated(shared: Shared, found: Kept[Proposal], judged: Quality) -> dict[str, Any]:
    return {"proposal": as_json(found.value, shared.layout.shown(found.path)), "validation": judged.as_json()}


def judge(shared: Shared, found: Kept[Proposal]) -> Quality:
    """What is wrong with a proposal: its fields and sections, its quality, and whether its quest is there."""
    proposal = found.value
    judged = domain.quality(proposal, proposals.missing(found.document))
    errors = list(judged.errors)
    if proposal.id != found.path.stem:
        errors.append(f"memory proposal {proposal.id} stands in a file of another name, {found.path.name}")
    if proposal.status != found.path.parent.name:
        errors.append(f"memory proposal {proposal.id} says {proposal.status}, but stands in {found.path.parent.name}/")
    if proposal.project_id not in ("", shared.config.project_id):
        errors.append(f"memory proposal {proposal.id} belongs to another project, {proposal.project_id}")
    errors += _quest_problems(shared, proposal)
    return Quality(tuple(errors), judged.warnings)


def _quest_problems(shared: Shared, proposal: Proposal) -> list[str]:
    path = quests.paths(shared.layout).get(proposal.source_quest)
    if path is None:
        return [f"memory proposal {proposal.id} names a source quest that is not there, {proposal.source_quest}"]
    try:
        source = quests.read(path).value
    except MemoryFileInvalid as problem:
        return [f"memory proposal {proposal.id}: its source quest cannot be read ({problem})"]
    if source.project_id not in ("", proposal.project_id):
        return [f"memory proposal {proposal.id} and its source quest belong to different projects"]
    return []


# -- Revising ------------------------------------------------------------------------------------------------


def revise(
    shared: Shared,
    selector: str,
    *,
    candidate: str | None = None,
    why: str | None = None,
    confidence: str | None = None,
    further: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Change a pending proposal; the answer of `remember.revise`."""
    given = {"candidate": candidate, "why": why, "confidence": confidence, **(further or {})}
    revisions = [name for name, value in given.items() if value is not None]
    if not revisions:
        raise InputError(
            "remember revise requires --candidate, --why, or --confidence.", hint="Say what is to be changed."
        )
    masking = Masking()
    with writing(shared):
        found = find(shared, selector)
        demand_pending(found)
        revised = _revised(shared, found.value, candidate, why, confidence, further or {}, masking)
        path = found.path
        text = proposals.text_changed(found, revised)
        steps = [intent.changed(shared.layout, path, text, found.document.read_hash)]
        change(shared, "remember.revise", revised.id, steps)
        after = proposals.read(path)
        judged = judge(shared, after)
    answer = {"revised": True, "revisions": revisions, **_validated(shared, after, judged)}
    return answer | ({"masked": masking.count} if masking.count else {})


def demand_pending(found: Kept[Proposal]) -> None:
    """Raise ProposalAlreadyDecided for a proposal that was accepted or rejected, by its file or by its folder."""
    for status in (found.value.status, found.path.parent.name):
        if status != PENDING and status in STATUSES:
            raise ProposalAlreadyDecided(found.value.id, status)


def _revised(
    shared: Shared,
    old: Proposal,
    candidate: str | None,
    why: str | None,
    confidence: str | None,
    further: Mapping[str, Any],
    masking: Masking,
) -> Proposal:
    domain.demand_type(old.node_type)
    if confidence is not None:
        domain.demand_confidence(confidence)
    new = replace(
        old,
        candidate=masking.text(_given(candidate, "--candidate")) or old.candidate,
        why=masking.text(_given(why, "--why")) or old.why,
        confidence=confidence or old.confidence,
        updated_at=max(shared.now(), old.updated_at),
        further={**old.further, **_further(shared, old.node_type, further, masking)},
    )
    new = replace(new, suggested=domain.suggested_of(new))
    others = proposals.read_all_of(shared.layout, PENDING).items
    if candidate is not None and (same := domain.repeated(new, (each.value for each in others))):
        raise ProposalInvalid(
            f"Another pending proposal says the same: {same.id}",
            hint=f"Revise that one, or reject it first: `pith remember reject {same.id}`.",
        )
    judged = domain.quality(new)
    if not judged.valid:
        raise ProposalInvalid("; ".join(judged.errors) + ".")
    return new


def as_json(proposal: Proposal, file: str, *, duplicated: bool = False) -> dict[str, Any]:
    """What answers say of a proposal."""
    return {
        "id": proposal.id,
        "file": file,
        "project_id": proposal.project_id,
        "project_name": proposal.project_name,
        **proposal.origin,
        "status": proposal.status,
        "source_quest": proposal.source_quest,
        "node_type": proposal.node_type,
        "confidence": proposal.confidence,
        "created_at": proposal.created_at,
        "updated_at": proposal.updated_at,
        "title": proposal.title,
        "duplicated": duplicated,
    }
