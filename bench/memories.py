"""A repository with thousands of accepted memories, complete with quests and proposals, as both programs accept it."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

from bench import texts
from bench.stores import BUILD
from pith.domain import nodes as node_domain
from pith.domain import titles
from pith.domain.nodes import Node
from pith.domain.origin import ORIGIN
from pith.domain.proposals import Proposal
from pith.domain.quests import Quest
from pith.files import config, graph_index, nodes, proposals, quests
from pith.files.layout import ATTRIBUTES, EDGES, IGNORE, Layout

PROJECT, NAME = "project_550e8400-e29b-41d4-a716-446655440000", "bench-shop"
AT, LATER = "2026-11-01T00:00:00.000Z", "2026-11-02T00:00:00.000Z"
KINDS = ("decision", "constraint", "component", "risk", "verification")  # those that orange-hyper knows
QUESTS_OF = 5  # memories that one quest taught


def made(count: int) -> Path:
    """A repository with `count` memories, built once; to be read only, but for what commands build anew."""
    place = BUILD / f"memories-{count}-{_key()}"
    if not (place / "done").exists():
        for older in BUILD.glob(f"memories-{count}-*"):
            shutil.rmtree(older)
        print(f"building a project of {count:,} memories (kept in {place}) ...", file=sys.stderr, flush=True)
        _build(place, count)
        (place / "done").touch()
    return place


def _key() -> str:
    sources = (
        Path(__file__),
        Path(texts.__file__),
        Path(nodes.__file__),
        Path(proposals.__file__),
        Path(quests.__file__),
    )
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:10]


def _build(root: Path, count: int) -> None:
    root.mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet", "."], cwd=root, check=True)
    layout = Layout(root)
    layout.base.mkdir()
    settings = config.new(NAME, PROJECT)
    config.write(layout, settings)
    (layout.base / ATTRIBUTES).write_text("* text eol=lf\ngraph/edges.jsonl merge=union\n", encoding="utf-8")
    (layout.base / IGNORE).write_text("capsules/\ntraces/\nidentity/\nlocal/\nstructure/\n", encoding="utf-8")
    author = texts.Author(11)
    ids = []
    for number in range(count):
        if number % QUESTS_OF == 0:
            quest = _quest(number // QUESTS_OF, author)
            _write(quests.path_of(layout, quest.id, quest.status), quests.text_of(quest, "bounded work"))
        ids.append(_memory(layout, quest, number, author))
    pairs = ((ids[at], ids[(at * 7 + 3) % len(ids)]) for at in range(0, count, 10))
    edges = [
        {"from": one, "type": "applies_to", "to": other, "confidence": 0.9} for one, other in pairs if one != other
    ]
    _write(layout.path(EDGES), "".join(f"{json.dumps(edge)}\n" for edge in edges))
    graph_index.rebuild(layout, settings, LATER)


def _quest(number: int, author: texts.Author) -> Quest:
    request = titles.one_line(author.speech(160))
    return Quest(
        id=f"quest_20261101_{number % 240_000:06d}Z_work-{number}",
        title=titles.cut(request),
        status="completed",
        created_at=AT,
        updated_at=AT,
        layer="L2",
        route="L2/P2/T2/V2/A0/M0/MB2",
        quest_policy="recommended",
        output_contract="implementation",
        request=request,
        verification_status="verified",
        verification_evidence=("14 tests passed",),
        completed_at=AT,
        project_id=PROJECT,
        project_name=NAME,
    )


def _memory(layout: Layout, quest: Quest, number: int, author: texts.Author) -> str:
    """Write an accepted proposal and the node that it became; the node's id."""
    kind = KINDS[number % len(KINDS)]
    text = titles.one_line(author.speech(140)) + f" (case {number})"
    proof = f"- Source Quest: {quest.id}\n- Evidence: 14 tests passed"
    id = f"mem_delta_{quest.id}_{kind}_{number}"
    proposal = Proposal(
        id, "accepted", quest.id, kind, "medium", AT, LATER, titles.cut(text), text, "It will come up again.", proof,
        f"- Type: {kind}\n- Confidence: medium", PROJECT, NAME,
    )  # fmt: skip
    file = proposals.text_of(proposal)
    path = proposals.path_of(layout, id, "accepted")
    _write(path, file)
    origin = {"project_id": PROJECT, "project_name": NAME, "proposal_id": id, "source_proposal": id}
    node = Node(
        id=node_domain.id_for(kind, id),
        kind=kind,
        status="candidate",
        confidence="medium",
        title=node_domain.title_of(text),
        summary=text,
        evidence=proof,
        source_section=f"- Proposal: {id}\n- File: {layout.shown(path)}",
        created_at=LATER,
        updated_at=LATER,
        accepted_at=LATER,
        origin_name=node_domain.ORIGIN,
        source_proposal=id,
        source_quest=quest.id,
        source_proposal_hash=proposals.text_hash(file),
        project_id=PROJECT,
        project_name=NAME,
        origin={name: value for name, value in ORIGIN.items() if name != "license"},
        provenance={
            **origin,
            "source_quest": quest.id,
            "accepted_at": LATER,
            "node_type": kind,
            "origin": node_domain.ORIGIN,
            "source_proposal_hash": proposals.text_hash(file),
        },
    )
    _write(nodes.path_of(layout, kind, node.id), nodes.text_of(node))
    return node.id


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
