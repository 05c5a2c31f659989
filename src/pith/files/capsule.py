"""`capsules/current.md`: everything that one piece of work needs to know, within a budget; made anew each time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pith.domain import titles, tokens
from pith.domain.nodes import Node
from pith.domain.origin import ORIGIN
from pith.domain.quests import Quest
from pith.domain.retrieval import Apart, Slice
from pith.domain.routes import Contract
from pith.files import atomic
from pith.files.config import Config
from pith.files.front_matter import plain
from pith.files.layout import CAPSULE, Layout
from pith.files.quests import bullets

NOT_SAID = "Not specified."
_APART_SHARE = 3  # a third of the tokens, at most, goes to nodes that do not simply hold
_WORTH_CUTTING = 60  # tokens; a shorter beginning of a node says too little


@dataclass(frozen=True, slots=True)
class Told:
    """A node of the slice, with what else there is to say of it; without its node, only its line in the index."""

    id: str
    title: str
    found_by: str
    node: Node | None = None
    moved: str = ""


@dataclass(frozen=True, slots=True)
class Memory:
    """The section of project memory: its text, what it costs, and which nodes found no room in it."""

    text: str
    tokens: int
    told: tuple[Told, ...]
    apart: tuple[Apart, ...]
    left_out: tuple[str, ...]


# -- The section of project memory ---------------------------------------------------------------------------


def memory(slice_: Slice, told: Sequence[Told], notice: str = "") -> Memory:
    """The nodes in their order, as many as the budget of tokens holds, and the others apart; never a token more."""
    budget = slice_.budget
    apart = _fitting(slice_.apart, budget.tokens // _APART_SHARE)
    kept = list(told)
    texts = [_block(each, budget.bodies) for each in kept]
    while True:
        missing = [*slice_.left_out, *(each.id for each in told if each not in kept)]
        missing += [each.id for each in slice_.apart if each not in apart]
        text = _section(slice_, texts, apart, missing, notice)
        cost = tokens.estimate(text)
        if cost <= budget.tokens or not (kept or apart):
            shown = cost <= budget.tokens
            return Memory(text if shown else "", cost if shown else 0, tuple(kept), tuple(apart), tuple(missing))
        _shorten(kept, texts, apart, cost - budget.tokens)


def _shorten(kept: list[Told], texts: list[str], apart: list[Apart], excess: int) -> None:
    """Make the section cheaper: cut the last node where that leaves something worth reading, else drop it."""
    if not kept:
        apart.pop()
        return
    cost = tokens.estimate(texts[-1])
    if excess < cost - _WORTH_CUTTING and not texts[-1].endswith("…"):
        texts[-1] = tokens.cut(texts[-1], cost - excess - 4)
        return
    kept.pop()
    texts.pop()


def _fitting(apart: Sequence[Apart], room: int) -> list[Apart]:
    kept = []
    for each in apart:
        room -= tokens.estimate(each.line) + 1
        if room >= 0:
            kept.append(each)
    return kept


def _section(slice_: Slice, texts: Sequence[str], apart: Sequence[Apart], missing: Sequence[str], notice: str) -> str:
    budget = slice_.budget
    if not budget.nodes:
        return ""
    parts = [f"Budget {budget.name}: at most {budget.nodes} nodes and {budget.tokens} tokens."]
    if missing:
        parts[0] += f" Left out: {len(missing)}."
    if notice:
        parts.append(notice)
    if not (texts or apart):
        parts.append("No accepted node is about this.")
    if texts:
        parts.append(("\n\n" if budget.bodies else "\n").join(texts))
    for heading, of in (
        ("Potentially stale:", slice_.stale),
        ("Superseded:", slice_.superseded),
        ("Conflicting:", slice_.conflicting),
    ):
        lines = [each.line for each in of if each in apart]
        if lines:
            parts.append("\n".join([heading, *lines]))
    return "\n\n".join(parts)


def _block(told: Told, with_body: bool) -> str:
    if not with_body or told.node is None:
        return f"- {told.id}: {titles.one_line(told.title)}"
    node = told.node
    facts = [f"- Type: {node.kind}, confidence {node.confidence}, right as of {node.since[:10]}"]
    facts.append(f"- Found by: {titles.one_line(told.found_by)}")
    if told.moved:
        facts.append(f"- Files: {told.moved}")
    facts += [f"- {_name(name)}: {_value(value)}" for name, value in node.own.items() if value]
    quoted = "\n".join(f"> {line}".rstrip() for line in node.summary.strip().split("\n"))
    return "\n".join([f"### {node.id}", "", *facts, "", quoted])


def _name(field: str) -> str:
    return field.replace("_", " ").capitalize()


def _value(value: Any) -> str:
    return titles.one_line(value if isinstance(value, str) else ", ".join(map(str, value)))


# -- The whole file ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Work:
    """What a capsule is about: a request with its contract, and the quest and its file where there is one."""

    request: str
    contract: Contract
    quest: Quest | None = None
    file: str = ""


def text_of(config: Config, work: Work, memory: Memory, now: str, clean: Callable[[str], str] = str) -> str:
    """The capsule as its file holds it, every text in it made `clean`; it states what it costs itself."""
    sections = {name: clean(text) for name, text in _sections(config, work, memory).items()}
    cost = 0
    for _ in range(4):  # the number is part of what it counts
        text = _whole(config, work, sections, now, cost)
        if (counted := tokens.estimate(text)) <= cost:
            break
        cost = counted
    return _whole(config, work, sections, now, cost)


def cost_of(text: str) -> int:
    """The token estimate that a capsule states."""
    line = next(line for line in text.split("\n") if line.startswith(_COST))
    return int(line.removeprefix(_COST))


_COST = "Token estimate: "


def _whole(config: Config, work: Work, sections: Mapping[str, str], now: str, cost: int) -> str:
    head = [
        "# Current Capsule",
        "",
        f"Generated by: {ORIGIN['generated_by']} {ORIGIN['generator_version']}",
        f"Source repository: {ORIGIN['source_repository']}",
        f"Official package: {ORIGIN['official_package']}",
        "",
        f"Generated: {now}",
        f"Source quest: {work.file or 'none'}",
        f"Project name: {config.project_name}",
        f"Project id: {config.project_id}",
        f"{_COST}{cost}",
    ]
    body = "\n\n".join(f"## {name}\n\n{text}" for name, text in sections.items())
    return "\n".join(head) + f"\n\n{body}\n"


def _sections(config: Config, work: Work, memory: Memory) -> dict[str, str]:
    quest, contract = work.quest, work.contract
    boundary = [
        f"- Project name: {config.project_name}",
        f"- Project id: {config.project_id}",
        "- Project memory is what carries this project id: quests, proposals and accepted nodes, nothing else.",
        "- Reports that were pasted, and documents of other projects, are not part of it unless somebody says so.",
    ]
    found = {"Project Boundary": "\n".join(boundary)}
    if quest:
        found["Quest"] = "\n".join(
            (
                f"- ID: {quest.id}",
                f"- Title: {titles.one_line(quest.title)}",
                f"- Status: {quest.status}",
                f"- Output contract: {contract.output_contract}",
                f"- Quest policy: {contract.quest_policy}",
            )
        )
    found["Route Contract"] = f"Route: {' · '.join(contract.route.split('/'))}"
    found["Request"] = plain(work.request) or NOT_SAID
    found["Constraints"] = bullets(quest.constraints if quest else (), NOT_SAID)
    found["Unknowns"] = bullets(quest.unknowns if quest else (), NOT_SAID)
    found["Verification"] = _verification(work)
    if memory.text:
        found["Project Memory"] = memory.text
    found["Working Notes"] = (
        "- Stay within what is asked here; a wider task is a new request.\n"
        "- This says what is known, not what to do next. Check what matters before relying on it."
    )
    return found


def _verification(work: Work) -> str:
    quest = work.quest
    lines = [f"- Expected level: V{work.contract.layer[1]}"]
    if quest and quest.completed_at:
        lines.append(f"- Status: {quest.verification_status}")
    return "\n".join(lines + [f"- {titles.one_line(each)}" for each in (quest.expected_verification if quest else ())])


def write(layout: Layout, text: str) -> str:
    """Put the capsule in its place; the file as it is shown."""
    path = layout.path(CAPSULE)
    atomic.write(path, text.encode("utf-8", "surrogatepass"))
    return layout.shown(path)


def read(layout: Layout) -> str | None:
    """The capsule as it stands; None where there is none."""
    path = layout.path(CAPSULE)
    return atomic.read(path).decode("utf-8", "replace") if path.is_file() and layout.is_inside(path) else None
