"""The table of memories with everything that is known of each: the part of the page that needs no script at all."""

from __future__ import annotations

from collections.abc import Mapping

from pith.domain import titles
from pith.domain.structure import Structure
from pith.files.edges import Edge
from pith.services.project_memory.identity.html import attribute, escape, lang
from pith.services.project_memory.identity.sources import Memory, Sources

_LONGEST = 6_000  # characters of one text; the file has the rest
_COLUMNS = ("Memory", "Type", "State", "Confidence", "Source quest", "Accepted")


def section(sources: Sources, drawn: Structure, homes: Mapping[str, list[str]]) -> str:
    """The table, one row a memory."""
    rows = _Rows(sources, drawn, homes)
    body = "\n".join(rows.row(number) for number in range(len(sources.memories)))
    head = "".join(f'<th scope="col" class="c{at}" data-t>{name}</th>' for at, name in enumerate(_COLUMNS))
    empty = "" if sources.memories else f'<p class="empty" data-t>{_EMPTY}</p>'
    return (
        '<section class="card tablebox" id="memory" tabindex="-1" aria-labelledby="table-title">'
        '<div class="cardhead"><h2 id="table-title" data-t>Memory</h2></div>'
        f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>{empty}"
        '<p class="empty" id="nothing" hidden data-t>Nothing matches these filters.</p>'
        '<button id="more" type="button" hidden></button></section>'
    )


_EMPTY = "No memory is accepted yet. Complete a quest, run `pith remember propose`, then accept what is worth keeping."


class _Rows:
    """Makes rows; knows the links of every memory and the names of what they lead to."""

    def __init__(self, sources: Sources, drawn: Structure, homes: Mapping[str, list[str]]) -> None:
        self.sources = sources
        self.homes = homes
        self.parts = {part.id: part for part in drawn.parts}
        self.numbers = {memory.node.id: number for number, memory in enumerate(sources.memories)}
        self.links: dict[str, list[tuple[bool, Edge]]] = {}
        for edge in sources.edges:
            self.links.setdefault(edge.source, []).append((True, edge))
            self.links.setdefault(edge.target, []).append((False, edge))

    def row(self, number: int) -> str:
        memory = self.sources.memories[number]
        node = memory.node
        quest = self.sources.quests.get(node.source_quest)
        shown = titles.cut(quest.title, 48) if quest else node.source_quest[:32]
        return (
            f'<tr id="n{number}"><td><details><summary{lang(node.title)}>{escape(node.title)}</summary>'
            f'<div class="node">{self._body(memory)}</div></details></td>'
            f'<td class="c1"><span class="chip k-{node.kind}">{node.kind}</span></td>'
            f'<td class="c2">{"".join(_state(state) for state in memory.states)}</td>'
            f'<td class="c3">{escape(node.confidence)}</td>'
            f'<td class="c4"{lang(shown)}>{escape(shown)}</td><td class="c5">{escape(node.accepted_at[:10])}</td></tr>'
        )

    # -- what is known of one

    def _body(self, memory: Memory) -> str:
        node = memory.node
        lists = (
            f'<div class="summary"{lang(node.summary)}>{escape(_cut(node.summary))}</div>',
            self._facts(memory),
            _block("Evidence", _text(_without_source(node.evidence, node.source_quest))),
            self._linked(node.id),
            _own(memory),
            self._provenance(memory),
        )
        return "".join(lists)

    def _facts(self, memory: Memory) -> str:
        node, valid = memory.node, memory.node.validity
        said = (
            ("Why so", _reason(memory)),
            ("Last verified", escape(valid.last_verified_at[:10])),
            ("Stability", escape(valid.stability)),
            ("Stale after", escape(valid.stale_after)),
            ("Valid from", escape(valid.valid_from)),
            ("Valid to", escape(valid.valid_to)),
            ("Superseded by", self._to(valid.superseded_by) if valid.superseded_by else ""),
            ("About", ", ".join(escape(self.parts[place].path) for place in self.homes[node.id])),
        )
        return _list("Validity", said)

    def _linked(self, id: str) -> str:
        """Links from it, then links to it."""
        items = "".join(
            f"<li><span>{'→' if outward else '←'} {edge.relation}</span> "
            f"{self._to(edge.target if outward else edge.source)}"
            f"{f' <small>{escape(edge.confidence)}</small>' if edge.confidence else ''}</li>"
            for outward, edge in self.links.get(id, ())
        )
        return _block("Links", f"<ul>{items}</ul>" if items else "")

    def _to(self, id: str) -> str:
        number = self.numbers.get(id)
        if number is None:
            return f"<code>{escape(id)}</code>"
        title = self.sources.memories[number].node.title
        return f'<a href="#n{number}"{lang(title)}>{escape(title)}</a>'

    def _provenance(self, memory: Memory) -> str:
        node = memory.node
        quest = self.sources.quests.get(node.source_quest)
        title = f"<span{lang(quest.title)}>{escape(quest.title)}</span><br>" if quest else ""
        made_by = " ".join(
            part for part in (node.origin.get("generated_by", ""), node.origin.get("generator_version", "")) if part
        )
        return _list(
            "Provenance",
            (
                ("Quest", f"{title}<code>{escape(node.source_quest)}</code>" if node.source_quest else ""),
                ("Proposal", _code(node.source_proposal)),
                ("Hash", _code(node.source_proposal_hash[:16])),
                ("Written by", escape(made_by)),
                ("Id", _code(node.id)),
            ),
        )


def _without_source(evidence: str, quest: str) -> str:
    """The evidence without the line that names the quest, which stands under its provenance."""
    return "\n".join(line for line in evidence.split("\n") if not (quest and line.strip().endswith(quest)))


def _state(name: str) -> str:
    return f'<span class="state s-{name}">{name}</span>'


def _reason(memory: Memory) -> str:
    return "" if memory.states == ("fresh",) else escape(memory.reason)


def _own(memory: Memory) -> str:
    """The fields of its kind."""
    pairs = []
    for name, value in memory.node.own.items():
        texts = [value] if isinstance(value, str) else [str(each) for each in value]
        text = "<br>".join(f"<span{lang(each)}>{escape(_cut(each))}</span>" for each in texts if each)
        pairs.append((name.replace("_", " "), text))
    return _list(memory.node.kind, tuple(pairs))


def _list(title: str, pairs: tuple[tuple[str, str], ...]) -> str:
    items = "".join(f"<dt>{attribute(name)}</dt><dd>{value}</dd>" for name, value in pairs if value)
    return _block(title, f"<dl>{items}</dl>" if items else "")


def _block(title: str, inside: str) -> str:
    return f"<h3>{title}</h3>{inside}" if inside else ""


def _text(text: str) -> str:
    return f'<div class="pre"{lang(text)}>{escape(_cut(text))}</div>' if text else ""


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>" if text else ""


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " …"
