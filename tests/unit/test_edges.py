"""Relations and their ends: refused by a static checker, at run time, and (test_knowledge_tables.py) by the database."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from pith.domain.edges import (
    LEGAL,
    NODE_TYPES,
    RELATIONS,
    ArtifactRef,
    BlockedBy,
    ConditionRef,
    EntityRef,
    EntryRef,
    EventRef,
    EvidenceOf,
    IllegalEdge,
    NewEdge,
    ResolvesTo,
    TaskRef,
    check_legal,
    edge,
    meta_dict,
    read_meta,
)

ROOT = Path(__file__).parents[2]
EVIDENCE = EvidenceOf(0.9, "fuzzy", "e1")
BLOCKED = BlockedBy("replace", "the vendor")
RESOLVED = ResolvesTo("user_confirmed", 1.0, "2026-05-02T09:00:00.000Z")
ENDS = {
    "entry": EntryRef("n"), "entity": EntityRef("x"), "task": TaskRef("t"), "condition": ConditionRef("c"),
    "artifact": ArtifactRef("a"), "event": EventRef("e"),
}  # fmt: skip
METAS = {"evidence_of": EVIDENCE, "blocked_by": BLOCKED, "blocked_by_suggested": BLOCKED, "resolves_to": RESOLVED}

HEAD = """
from pith.domain.edges import *
from pith.domain.edges import ArtifactRef, BlockedBy, ConditionRef, EntityRef, EntryRef, EventRef, EvidenceOf
from pith.domain.edges import ResolvesTo, TaskRef, edge
n, x, t, c, a, e = EntryRef("n"), EntityRef("x"), TaskRef("t"), ConditionRef("c"), ArtifactRef("a"), EventRef("e")
evidence = EvidenceOf(0.9, "fuzzy", "e1")
blocked = BlockedBy("replace", "the vendor")
resolved = ResolvesTo("user_confirmed", 1.0, "now")
"""
PASS = """
edge(n, "derived_from", n); edge(n, "supersedes", n); edge(n, "contradicts", n)
edge(n, "evidence_of", t, evidence); edge(n, "evidence_of", x, evidence); edge(n, "mentions", a)
edge(t, "blocked_by", t, blocked); edge(t, "blocked_by", c, blocked); edge(t, "blocked_by_suggested", a, blocked)
edge(c, "resolves_to", t, resolved); edge(t, "depends_on", a); edge(x, "depends_on", x)
edge(e, "produced", n); edge(e, "produced", t); edge(e, "source_of", n); edge(e, "source_of", c)
"""
FAIL = """
edge(n, "blocked_by", n, blocked)
edge(n, "evidence_of", n, evidence)
edge(n, "derived_from", t)
edge(t, "derived_from", n)
edge(t, "evidence_of", n, evidence)
edge(x, "blocked_by", t, blocked)
edge(c, "blocked_by", t, blocked)
edge(a, "blocked_by_suggested", t, blocked)
edge(t, "resolves_to", c, resolved)
edge(e, "produced", e)
edge(n, "source_of", n)
edge(e, "mentions", t)
edge(n, "evidence_of", t)
edge(n, "evidence_of", t, blocked)
edge(t, "blocked_by", c, resolved)
edge(c, "resolves_to", t, evidence)
edge(t, "likes", t)
edge(n, "depends_on", t)
"""


def lines(text: str) -> list[str]:
    return [line for line in text.strip().splitlines() if line]


def test_E04_mypy_refuses_each_wrong_edge_and_no_right_one(tmp_path):
    first = len(HEAD.splitlines()) + 1
    file = tmp_path / "snippet.py"
    wrong = lines(FAIL)
    file.write_text(HEAD + "\n".join(wrong) + "\n" + PASS, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--no-error-summary", "--hide-error-context", str(file)],
        cwd=tmp_path, env={**os.environ, "MYPYPATH": str(ROOT / "src")}, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    told = [line for line in done.stdout.splitlines() if "snippet.py:" in line and ": error:" in line]
    refused = {int(line.split(":")[1]) for line in told}
    assert refused == set(range(first, first + len(wrong))), done.stdout + done.stderr


def test_E04_the_same_edges_are_refused_and_made_at_run_time():
    names = {
        "n": ENDS["entry"], "x": ENDS["entity"], "t": ENDS["task"], "c": ENDS["condition"], "a": ENDS["artifact"],
        "e": ENDS["event"], "edge": edge, "evidence": EVIDENCE, "blocked": BLOCKED, "resolved": RESOLVED,
    }  # fmt: skip
    for line in lines(PASS):
        for call in line.split("; "):
            assert isinstance(eval(call, dict(names)), NewEdge), call
    for line in lines(FAIL):
        if line != 'edge(x, "blocked_by", t, blocked)':  # of an entity of unknown type the database knows more
            with pytest.raises(IllegalEdge):
                eval(line, dict(names))


def test_E04_there_are_eleven_relations_and_only_their_combinations_pass():
    assert len(RELATIONS) == 11
    legal = set()
    for src, relation, dst in product(NODE_TYPES, RELATIONS, NODE_TYPES):
        try:
            check_legal(src, relation, dst)
        except IllegalEdge:
            continue
        legal.add((src, relation, dst))
    assert legal == {
        *(("entry", relation, "entry") for relation in ("derived_from", "supersedes", "contradicts")),
        *(("entry", relation, "entity") for relation in ("evidence_of", "mentions")),
        *(
            ("entity", relation, "entity")
            for relation in ("blocked_by", "blocked_by_suggested", "resolves_to", "depends_on")
        ),
        *(("event", relation, dst) for relation in ("produced", "source_of") for dst in ("entry", "entity")),
    }
    assert {relation: LEGAL[relation][2] for relation in RELATIONS if LEGAL[relation][2]} == {
        "blocked_by": "task", "blocked_by_suggested": "task", "resolves_to": "condition",
    }  # fmt: skip
    with pytest.raises(IllegalEdge, match="neither an entry"):
        edge("n", "mentions", ENDS["task"])


@pytest.mark.parametrize(
    ("relation", "stored"),
    [
        (
            "evidence_of",
            {
                "confidence": 0.9,
                "alignment_method": "fuzzy",
                "source_event_id": "e",
                "span": {"start": 1, "end": 3},
                "판": 1,
            },
        ),
        ("evidence_of", {"confidence": 1, "alignment_method": "exact", "source_event_id": "e"}),
        ("blocked_by", {"mode": "replace", "raw_text": "벤더", "resolved_at": "t", "resolved_by": "e", "new": [1]}),
        ("resolves_to", {"resolution_type": "auto_resolved", "confidence": 0.5, "resolved_at": "t", "x": None}),
        ("mentions", {"anything": True}),
    ],
)
def test_E05_metadata_is_typed_and_unknown_keys_survive(relation, stored):
    assert meta_dict(read_meta(relation, stored)) == stored


@pytest.mark.parametrize(
    ("relation", "stored"),
    [
        ("evidence_of", {"confidence": 1.1, "alignment_method": "fuzzy", "source_event_id": "e"}),
        ("evidence_of", {"confidence": True, "alignment_method": "fuzzy", "source_event_id": "e"}),
        ("evidence_of", {"confidence": 0.5, "alignment_method": "guess", "source_event_id": "e"}),
        ("evidence_of", {"confidence": 0.5, "alignment_method": "exact"}),
        (
            "evidence_of",
            {"confidence": 0.5, "alignment_method": "exact", "source_event_id": "e", "span": {"start": 3, "end": 1}},
        ),
        ("blocked_by", {"mode": "maybe", "raw_text": ""}),
        ("blocked_by_suggested", {"mode": "suggest"}),
        ("resolves_to", {"resolution_type": "magic", "confidence": 1, "resolved_at": "t"}),
        ("resolves_to", {"resolution_type": "exact_match", "confidence": 1}),
    ],
)
def test_E05_metadata_that_cannot_be_is_refused(relation, stored):
    with pytest.raises(IllegalEdge):
        read_meta(relation, stored)
    src = "entry" if relation == "evidence_of" else "entity"
    with pytest.raises(IllegalEdge):
        NewEdge(src, "1", relation, "entity", "2", stored)
