"""Checks of which project files belong to; and the one repair that is asked for by its own name: missing ids."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pith.errors import PithError
from pith.files import atomic, config, front_matter, intent, proposals
from pith.files.config import Config
from pith.files.front_matter import Document
from pith.files.intent import Step
from pith.files.layout import CONFIG, FOLDER, INDEX
from pith.services.doctor.finding import Symptom
from pith.services.doctor.memory import Memory
from pith.services.doctor.memory_files import line_of
from pith.services.doctor.patient import Patient
from pith.services.project_memory.shared import change, open_shared, writing


def config_without_id(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    if memory.config and not memory.config.project_id:
        shown = f"{FOLDER}/{CONFIG}"
        yield Symptom(f"{shown} has no project_id.", shown, line=1)


def foreign_nodes(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    for document in memory.nodes.documents:
        block = document.fields.get("provenance")
        said = block.get("project_id") if isinstance(block, dict) else ""
        yield from _foreign(memory, document, document.get("project_id") or said or "")


def foreign_files(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    for shelf in (memory.quests, memory.proposals):
        for document in shelf.documents:
            yield from _foreign(memory, document, document.get("project_id"))
    index = memory.index
    said = index.get("project_id") if isinstance(index, dict) else ""
    if memory.project_id and isinstance(said, str) and said not in ("", memory.project_id):
        shown = f"{FOLDER}/{INDEX}"
        yield Symptom(f"{shown} belongs to another project, {said}.", shown, "Run `pith graph rebuild-index`.")


def _foreign(memory: Memory, document: Document, said: str) -> Iterator[Symptom]:
    if memory.project_id and said and said != memory.project_id:
        shown, line = memory.shown(document.path), line_of(document, "project_id")
        yield Symptom(f"{shown}:{line}: it belongs to another project, {said}.", shown, line=line)


def without_id(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    for document in _without_id(memory) if memory.project_id else ():
        shown = memory.shown(document.path)
        yield Symptom(f"{shown} has no project_id; it is of an older time.", shown, line=1)


def _without_id(memory: Memory) -> list[Document]:
    return [
        document
        for shelf in memory.shelves
        for document in shelf.documents
        if not document.get("project_id") or ("provenance" in document.fields and not _said_in_block(document))
    ]


def _said_in_block(document: Document) -> bool:
    block = document.fields["provenance"]
    return not isinstance(block, dict) or bool(block.get("project_id"))


# -- `doctor --repair-project-id` ----------------------------------------------------------------------------


def fill(memory: Memory) -> list[str]:
    """Give the project's id to the configuration and to every file that has none, as one change; what was done.

    An id that stands there is never touched, whatever it is. Where the hash of an accepted proposal fitted its node
    before, it does afterwards.
    """
    found = memory.config
    if found is None:
        raise PithError(f"{FOLDER}/{CONFIG} cannot be read.", hint=config.ConfigInvalid.hint)
    said = []
    if not found.project_id:
        with atomic.writing(memory.layout):
            found = config.with_identity(found, _common_id(memory) or config.new("").project_id, found.project_name)
            config.write(memory.layout, found)
        said.append(f"{FOLDER}/{CONFIG}: project_id filled in")
        memory = Memory(memory.layout.root)
    shared = open_shared(memory.layout.root)
    with writing(shared):
        steps = _steps(memory, found)
        if steps:
            change(shared, "doctor.repairProjectId", found.project_id, steps, reindex=True)
    return said + [f"{step.file}: project_id filled in" for step in steps]


def _common_id(memory: Memory) -> str:
    """The one id that every file names which names any."""
    ids = {document.get("project_id") for shelf in memory.shelves for document in shelf.documents} - {""}
    return ids.pop() if len(ids) == 1 else ""


def _steps(memory: Memory, found: Config) -> list[Step]:
    texts: dict[Any, tuple[Document, dict[str, Any]]] = {}
    hashes: dict[str, str] = {}
    for document in _without_id(memory):
        updates = _identity(document, found)
        texts[document.path] = document, updates
        text = front_matter.changed(document, updates)
        hashes[proposals.hash_of(document)] = proposals.text_hash(text)
    for document in memory.nodes.documents:
        new = hashes.get(document.get("source_proposal_hash"))
        if new:
            _, updates = texts.setdefault(document.path, (document, {}))
            updates["source_proposal_hash"] = new
            block = updates.get("provenance") or document.fields.get("provenance")
            if isinstance(block, dict) and block.get("source_proposal_hash"):
                updates["provenance"] = {**block, "source_proposal_hash": new}
    return [
        intent.changed(memory.layout, document.path, front_matter.changed(document, updates), document.read_hash)
        for document, updates in texts.values()
    ]


def _identity(document: Document, found: Config) -> dict[str, Any]:
    """The fields of the project that a file lacks."""
    wanted = found.as_json()
    updates: dict[str, Any] = {name: value for name, value in wanted.items() if not document.get(name)}
    block = document.fields.get("provenance")
    if isinstance(block, dict):
        lacking = {name: value for name, value in wanted.items() if not block.get(name)}
        if lacking:
            updates["provenance"] = {**block, **lacking}
    return updates
