"""Quest files: Markdown with front matter under `quests/active/` and `quests/completed/`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pith.domain import origin, titles
from pith.domain.origin import ORIGIN
from pith.domain.quests import ACTIVE, COMPLETED, Quest
from pith.files import front_matter, layout
from pith.files.front_matter import Document, meant, plain
from pith.files.kept import Found, Kept, read_all
from pith.files.layout import Layout

FOLDERS = {ACTIVE: layout.ACTIVE, COMPLETED: layout.COMPLETED}
COMPLETION = "Completion"


def path_of(place: Layout, id: str, status: str) -> Path:
    """Where a quest of that status is kept."""
    return place.path(FOLDERS[status]) / f"{id}.md"


def paths(place: Layout, *statuses: str) -> dict[str, Path]:
    """The files of all quests, or of those statuses, by id."""
    return {path.stem: path for status in statuses or FOLDERS for path in place.files(FOLDERS[status])}


def read(path: Path) -> Kept[Quest]:
    """Read one quest. Raises MemoryFileInvalid."""
    document = front_matter.read(path)
    return Kept(_quest(document), document)


def read_all_of(place: Layout, *statuses: str) -> Found[Quest]:
    """Read all quests, or those of the given statuses."""
    return read_all(paths(place, *statuses).values(), _quest)


def _quest(document: Document) -> Quest:
    get, listed = document.get, document.listed
    return Quest(
        id=get("id") or document.path.stem,
        title=get("title"),
        status=get("status") or (COMPLETED if document.path.parent.name == COMPLETED else ACTIVE),
        created_at=get("created_at"),
        updated_at=get("updated_at"),
        layer=get("layer"),
        route=get("route"),
        quest_policy=get("quest_policy"),
        output_contract=get("output_contract"),
        request=meant(document.section("Request") or ""),
        scope_paths=tuple(listed("scope_paths")),
        constraints=tuple(listed("constraints")),
        unknowns=tuple(listed("unknowns")),
        expected_verification=tuple(listed("expected_verification")),
        verification_status=get("verification_status"),
        verification_evidence=tuple(listed("verification_evidence")),
        unverified_reason=get("unverified_reason"),
        completed_at=get("completed_at"),
        project_id=get("project_id"),
        project_name=get("project_name"),
        origin=origin.of(document.fields),
    )


# -- Writing -------------------------------------------------------------------------------------------------


def text_of(quest: Quest, reason: str) -> str:
    """The file of a new quest; `reason` is the reason of its route."""
    return front_matter.dump(_fields(quest), _body(quest, reason))


def text_completed(kept: Kept[Quest], quest: Quest) -> str:
    """The quest's file as completed; what else stands in it stays as it was."""
    updates: dict[str, Any] = {
        "status": quest.status,
        "updated_at": quest.updated_at,
        "verification_status": quest.verification_status,
        "verification_evidence": list(quest.verification_evidence),
        "unverified_reason": quest.unverified_reason,
        "completed_at": quest.completed_at,
    }
    return front_matter.with_section(front_matter.changed(kept.document, updates), COMPLETION, _completion(quest))


def _fields(quest: Quest) -> dict[str, Any]:
    return {
        "schema_version": "1",
        **ORIGIN,
        "project_id": quest.project_id,
        "project_name": quest.project_name,
        "id": quest.id,
        "title": quest.title,
        "status": quest.status,
        "created_at": quest.created_at,
        "updated_at": quest.updated_at,
        "layer": quest.layer,
        "route": quest.route,
        "quest_policy": quest.quest_policy,
        "output_contract": quest.output_contract,
        "scope_paths": list(quest.scope_paths),
        "constraints": list(quest.constraints),
        "unknowns": list(quest.unknowns),
        "expected_verification": list(quest.expected_verification),
        "verification_status": quest.verification_status,
        "verification_evidence": list(quest.verification_evidence),
        "unverified_reason": quest.unverified_reason,
    }


def _body(quest: Quest, reason: str) -> str:
    steps = " · ".join(quest.route.split("/"))
    parts = {
        "Request": plain(quest.request),
        "Route Contract": f"Route: {steps}\n\n- Quest policy: {quest.quest_policy}\n- Reason: {reason}",
        "Scope": bullets(quest.scope_paths, "Not said yet."),
        "Constraints": bullets(quest.constraints, "Not said yet."),
        "Verification Plan": bullets(
            quest.expected_verification, "Choose the smallest honest check before completing."
        ),
        "Notes": bullets((), "Everything here may be edited; commands keep what they do not know."),
    }
    sections = "\n\n".join(f"## {title}\n\n{text}" for title, text in parts.items())
    return f"# {titles.one_line(quest.title)}\n\n{sections}"


def _completion(quest: Quest) -> str:
    lines = [f"- Completed at: {quest.completed_at}", f"- Verification status: {quest.verification_status}"]
    lines += [f"- Evidence: {each}" for each in quest.verification_evidence]
    if quest.unverified_reason:
        lines.append(f"- Unverified reason: {quest.unverified_reason}")
    return "\n".join(lines)


def bullets(items: tuple[str, ...], otherwise: str) -> str:
    """A list of one-line items, or the one sentence where there are none."""
    return "\n".join(f"- {titles.one_line(item)}" for item in items or (otherwise,))
