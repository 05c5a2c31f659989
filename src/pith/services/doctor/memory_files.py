"""Checks of the files of quests, proposals and nodes: readable, in place, each id once, and as the rules want them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any

from pith.domain import nodes as node_domain
from pith.domain import proposals as proposal_domain
from pith.domain.proposals import ACCEPTED, PENDING
from pith.errors import PithError
from pith.files import atomic, proposals
from pith.files.front_matter import Document, MemoryFileInvalid
from pith.services.doctor.finding import WARNING, Symptom
from pith.services.doctor.memory import Memory, Shelf
from pith.services.doctor.patient import Patient


def told(memory: Memory, problem: MemoryFileInvalid, hint: str = "") -> Symptom:
    """What is wrong with a file, with its place."""
    shown = memory.shown(problem.path) if problem.path else memory.layout.base.name
    where = f"{shown}:{problem.line}" if problem.line else shown
    return Symptom(f"{where}: {problem.problem}.", shown, hint, line=problem.line or 0)


def unreadable(patient: Patient) -> Iterator[Symptom]:
    for shelf in patient.memory.shelves:
        yield from (told(patient.memory, problem) for problem in shelf.problems)


def twice(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    for shelf in memory.shelves:
        for id, documents in _by_id(shelf).items():
            if len(documents) > 1:
                first, second = (memory.shown(each.path) for each in documents[:2])
                yield Symptom(f"{second} has the id of {first}: {id}.", second)


def _by_id(shelf: Shelf[Any]) -> dict[str, list[Document]]:
    found: dict[str, list[Document]] = {}
    for each in shelf.documents:
        found.setdefault(_id(each), []).append(each)
    return found


def _id(document: Document) -> str:
    return unicodedata.normalize("NFC", document.get("id") or document.path.stem)


def misplaced(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    for shelf, field in ((memory.quests, "status"), (memory.proposals, "status"), (memory.nodes, "node_type")):
        counts = {id: len(documents) for id, documents in _by_id(shelf).items()}
        for each in shelf.documents:
            if counts[_id(each)] == 1 and (wrong := _misplaced(each, field)):
                shown = memory.shown(each.path)
                yield Symptom(f"{shown}: {wrong}.", shown, line=line_of(each, wrong.partition(" ")[0]))


def _misplaced(document: Document, field: str) -> str:
    """What a file says that its place does not; where it says nothing, the place decides."""
    said, folder = document.get(field), document.path.parent.name
    if said and said != folder:
        return f"{field} is {said}, but the file stands in {folder}/"
    id = _id(document)
    if id != unicodedata.normalize("NFC", document.path.stem):
        return f"id is {id}, which is not the file's name"
    return ""


def line_of(document: Document, key: str) -> int:
    """The line of a key of the front matter; the first where it has none."""
    for number, line in enumerate(document.text.split("\n"), 1):
        if line.startswith(f"{key}:"):
            return number
    return 1


def invalid(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    for node in memory.nodes.items:
        wrong = node_domain.problems(node.document.fields)
        if wrong:
            shown = memory.shown(node.path)
            line = line_of(node.document, wrong[0].partition(" ")[0])
            yield Symptom(f"{shown}:{line}: {'; '.join(wrong)}.", shown, line=line)
    for each in memory.proposals.items:
        lacking = [name for name in proposals.missing(each.document) if name not in ("project_id", "project_name")]
        wrong = list(proposal_domain.quality(each.value, lacking).errors)
        folder = each.path.parent.name
        if wrong and folder in (PENDING, ACCEPTED):
            shown = memory.shown(each.path)
            said = "; ".join(said.removeprefix(f"memory proposal {each.value.id} ") for said in wrong)
            # What still waits can be revised, and is nobody else's yet.
            yield Symptom(f"{shown}: {said}.", shown, "" if folder == ACCEPTED else _REVISE, _severity(folder), line=1)


_REVISE = "Run `pith remember revise` on it before you accept it."


def _severity(folder: str) -> str:
    return WARNING if folder == PENDING else ""


def weak(patient: Patient) -> Iterator[Symptom]:
    memory = patient.memory
    for each in memory.proposals.items:
        judged = proposal_domain.quality(each.value)
        if judged.valid and judged.warnings and each.path.parent.name in (PENDING, ACCEPTED):
            shown = memory.shown(each.path)
            said = "; ".join(said.removeprefix(f"memory proposal {each.value.id} ") for said in judged.warnings)
            yield Symptom(f"{shown}: {said}.", shown, line=1)


# -- Form ----------------------------------------------------------------------------------------------------


def foreign_form(patient: Patient) -> Iterator[Symptom]:
    for document, said in _foreign(patient.memory):
        shown = patient.memory.shown(document.path)
        yield Symptom(f"{shown}: {said}.", shown)


def _foreign(memory: Memory) -> Iterator[tuple[Document, str]]:
    for document in (document for shelf in memory.shelves for document in shelf.documents):
        said = []
        if proposals.hash_of(document) != document.read_hash:
            mark = document.path.read_bytes().startswith(b"\xef\xbb\xbf")
            said.append("it begins with a byte order mark" if mark else "its lines end as on Windows")
        if document.path.name != unicodedata.normalize("NFC", document.path.name):
            said.append("its name is written in decomposed letters (NFD)")
        if said:
            yield document, " and ".join(said)


def put_in_form(patient: Patient) -> str:
    memory = patient.memory
    count = 0
    with atomic.writing(memory.layout):
        for document, _ in list(_foreign(memory)):
            atomic.write(document.path, document.text.encode("utf-8"), expected=document.read_hash)
            name = unicodedata.normalize("NFC", document.path.name)
            if name != document.path.name:
                _rename(document, name)
            count += 1
    return f"{count:,} file{'' if count == 1 else 's'} written with plain line ends and names; the text is the same."


def _rename(document: Document, name: str) -> None:
    target = document.path.with_name(name)
    if target.exists() and not target.samefile(document.path):
        raise PithError(f"{target} is there already.", hint="Keep one of the two files, then run it again.")
    document.path.rename(target)
