"""Care for accepted nodes: relate them, replace one by another, say that one still holds."""

from __future__ import annotations

from typing import Any

from pith.domain import nodes as node_domain
from pith.domain import titles, validity
from pith.domain.nodes import CERTIFIED, RELATIONS, Node
from pith.errors import InputError, PithError
from pith.files import edges, front_matter, intent, nodes
from pith.files.edges import Edge
from pith.files.kept import Kept
from pith.files.layout import EDGES
from pith.services.project_memory import decide, graph, review
from pith.services.project_memory.review import TERMINAL, Ask
from pith.services.project_memory.shared import Masking, Shared, change, writing

VERIFICATIONS = "Verifications"


class CycleOfNodes(PithError):
    """A node would replace, by some way, itself."""

    code = "VALIDATION_ERROR"
    hint = "Look at both with `pith graph show`; one of them must be the one that holds."
    http_status = 409


class NoSuchEdge(InputError):
    """There is no such relation between the two nodes."""

    hint = "`pith graph show` names the edges of a node."
    http_status = 404


def link(shared: Shared, source: str, relation: str, target: str, *, confidence: str = "") -> dict[str, Any]:
    """Relate two nodes of this project; relating them again changes the confidence only."""
    _demand_relation(relation)
    if confidence and not node_domain.is_confidence(confidence):
        raise InputError(
            f"Unsupported edge confidence: {titles.cut(confidence)}", hint="Use low, medium, high, or 0 to 1."
        )
    with writing(shared):
        edge = Edge(graph.find(shared, source).value.id, relation, graph.find(shared, target).value.id, confidence)
        if edge.source == edge.target:
            raise InputError("A node cannot be related to itself.", hint="Give two different nodes.")
        _change_edges(shared, "graph.link", edge.source, edges.added(shared.layout, [edge]))
    return {"project": shared.config.as_json(), "edge": edge.as_json()}


def unlink(shared: Shared, source: str, relation: str, target: str) -> dict[str, Any]:
    """Take a relation away; its nodes may be gone already. Raises NoSuchEdge."""
    _demand_relation(relation)
    with writing(shared):
        text, count = edges.removed(shared.layout, {(source, relation, target)})
        if not count:
            key = graph.find(shared, source).value.id, relation, graph.find(shared, target).value.id
            text, count = edges.removed(shared.layout, {key})
        if not count:
            raise NoSuchEdge(f"{source} has no edge `{relation}` to {target}.")
        _change_edges(shared, "graph.unlink", source, text)
    return {"project": shared.config.as_json(), "removed": count}


def _demand_relation(relation: str) -> None:
    if relation not in RELATIONS:
        raise InputError(f"Unsupported edge type: {titles.cut(relation)}", hint=f"Use one of {', '.join(RELATIONS)}.")


def _change_edges(shared: Shared, command: str, subject: str, text: str) -> None:
    change(shared, command, subject, [intent.changed(shared.layout, shared.layout.path(EDGES), text)])


def supersede(shared: Shared, old: str, new: str) -> dict[str, Any]:
    """Say that one node takes the place of another. Raises CycleOfNodes."""
    with writing(shared):
        replaced, by = graph.find(shared, old), graph.find(shared, new)
        _demand_no_cycle(shared, replaced.value.id, by.value.id)
        fields = {"superseded_by": by.value.id, "updated_at": _later(shared, replaced.value)}
        edge = Edge(by.value.id, "supersedes", replaced.value.id, by.value.confidence)
        steps = [
            _changed(shared, replaced, front_matter.changed(replaced.document, fields)),
            intent.changed(shared.layout, shared.layout.path(EDGES), edges.added(shared.layout, [edge])),
        ]
        change(shared, "graph.supersede", replaced.value.id, steps, reindex=True)
    return {
        "project": shared.config.as_json(),
        "node": decide.node_as_json(nodes.read(replaced.path).value, shared.layout.shown(replaced.path)),
        "superseded_by": by.value.id,
        "edge": edge.as_json(),
    }


def _demand_no_cycle(shared: Shared, old: str, new: str) -> None:
    after = {entry["id"]: entry["validity"].get("superseded_by", "") for entry in graph.load(shared).entries}
    chain = validity.chain(new, after)
    if old == new or old in chain.nodes:
        raise CycleOfNodes(f"{new} cannot take the place of {old}, which already takes its place.")


def verify(
    shared: Shared, selector: str, evidence: str, *, via: str = TERMINAL, ask: Ask | None = None
) -> dict[str, Any]:
    """A person says that a node still holds, and on which evidence: it is certified, and its age starts anew."""
    review.demand_via(via)
    masking = Masking()
    proof = titles.one_line(masking.text(evidence))
    if not proof:
        raise InputError("graph verify requires --evidence.", hint="Say what shows that it still holds.")
    found = graph.find(shared, selector)
    review.demand_person(str(shared.layout.root), f"Does `{found.value.title}` still hold?", ask)
    who = review.name_of_person(str(shared.layout.root))
    with writing(shared):
        found = graph.find(shared, found.value.id)
        at = _later(shared, found.value)
        fields = {"status": CERTIFIED, "updated_at": at, "last_verified_at": at}
        text = front_matter.changed(found.document, fields)
        told = (found.document.section(VERIFICATIONS) or "").strip()
        record = f"{told}\n- {at}: {who} ({via}): {proof}".strip()
        steps = [_changed(shared, found, front_matter.with_section(text, VERIFICATIONS, record))]
        change(shared, "graph.verify", found.value.id, steps, reindex=True)
    node = decide.node_as_json(nodes.read(found.path).value, shared.layout.shown(found.path))
    answer = {
        "project": shared.config.as_json(),
        "node": node,
        "last_verified_at": at,
        "verified_by": who,
        "evidence": proof,
    }
    return answer | ({"masked": masking.count} if masking.count else {})


def _changed(shared: Shared, found: Kept[Node], text: str) -> intent.Step:
    return intent.changed(shared.layout, found.path, text, found.document.read_hash)


def _later(shared: Shared, node: Node) -> str:
    return max(shared.now(), node.updated_at)
