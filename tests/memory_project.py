"""A repository with a project memory of any size, written by the same modules that commands use: fast, and the same each
time."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from pith.domain.nodes import KINDS, Node
from pith.domain.quests import Quest
from pith.domain.validity import Validity
from pith.files import config, edges, nodes, quests
from pith.files.layout import EDGES, Layout

PROJECT = "project_550e8400-e29b-41d4-a716-446655440000"
NAME = "demo-shop 데모"
AT = "2026-11-02T00:00:00.000Z"
TEXTS = (
    "The refund worker retries three times with doubling pauses, then writes a dead-letter row.",
    "재가입은 탈퇴 30일 뒤에만 허용한다: 회원 서비스가 검사한다.",
    "Service classes open the transaction; repositories never do.",
    "쿠폰함을 조회할 때 만료된 쿠폰은 서버에서 걸러서 내려준다.",
    "Prices are stored as integers in the smallest unit of the currency.",
    "배송지 변경은 출고 지시 전까지만 가능하다.",
)
SCOPES = ("packages/auth/src/api", "packages/payment", "packages/member/src/**", "docs", "db/migrations", "")


def make(root: Path, count: int = 0) -> Layout:
    """A repository with `count` accepted memories: some mapped, some stale, in conflict or superseded."""
    layout = empty(root)
    source_tree(root)
    sources = [quest(number) for number in range(max(1, count // 8))]
    for each in sources:
        put_quest(layout, each)
    made = [memory(number, sources[number % len(sources)]) for number in range(count)]
    for node in made:
        put(layout, node)
    put_edges(layout, _links([node.id for node in made]))
    return layout


def empty(root: Path) -> Layout:
    """A folder with a project memory that holds nothing."""
    root.mkdir(parents=True)
    return empty_in(root)


def empty_in(root: Path) -> Layout:
    """The same, in a folder that is there."""
    layout = Layout(root)
    layout.base.mkdir()
    config.write(layout, config.new(NAME, PROJECT))
    return layout


def source_tree(root: Path) -> None:
    """A small shop: modules, tests, documents, infrastructure and databases."""
    files = {
        "package.json": json.dumps({"name": "demo-shop", "workspaces": ["packages/*"]}),
        "docker-compose.yml": "services:\n  db:\n    image: postgres:16\n  cache:\n    image: redis:7\n",
        "db/migrations/001.sql": "create table member (id integer);\n",
    }
    files |= dict.fromkeys(
        ("README.md", "Dockerfile", ".github/workflows/ci.yml", "docs/api.md", "tests/e2e/a.spec.ts"), ""
    )
    for module in ("auth", "member", "payment"):
        files[f"packages/{module}/package.json"] = json.dumps({"name": f"@shop/{module}"})
        files |= dict.fromkeys((f"packages/{module}/src/api/routes.ts", f"packages/{module}/src/model/user.ts"), "")
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def quest(number: int, **other: object) -> Quest:
    """A completed quest."""
    text = TEXTS[number % len(TEXTS)]
    scope = SCOPES[number % len(SCOPES)]
    fields = {
        "id": f"quest_20261102_0326{number % 60:02d}Z_work-{number}",
        "title": text,
        "status": "completed",
        "created_at": AT,
        "updated_at": AT,
        "layer": "L2",
        "route": "L2/P2/T2/V2/A0/M0/MB2",
        "quest_policy": "recommended",
        "output_contract": "implementation",
        "request": text,
        "scope_paths": (scope,) if scope else (),
        "verification_status": "verified",
        "verification_evidence": ("14 passed",),
        "completed_at": AT,
        "project_id": PROJECT,
        "project_name": NAME,
    }
    return Quest(**(fields | other))


def memory(number: int, source: Quest, **other: object) -> Node:
    """An accepted memory from a quest; every ninth is long stale."""
    kind = str(other.pop("kind", KINDS[number * 7 % len(KINDS)]))
    text = f"{TEXTS[number % len(TEXTS)]} ({number})"
    proposal = f"mem_delta_{source.id}_{kind}_{number}"
    stale = Validity(stability="volatile", stale_after="30d", last_verified_at="2020-01-01")
    fields = {
        "id": f"{kind}.{proposal}",
        "kind": kind,
        "status": "candidate",
        "confidence": ("low", "medium", "high")[number % 3],
        "title": text,
        "summary": text,
        "evidence": f"- Source Quest: {source.id}\n- Evidence: 14 passed",
        "created_at": AT,
        "updated_at": AT,
        "accepted_at": AT,
        "origin_name": "memory-delta-proposal",
        "source_proposal": proposal,
        "source_quest": source.id,
        "source_proposal_hash": "0" * 64,
        "project_id": PROJECT,
        "project_name": NAME,
        "validity": stale if number % 9 == 4 else Validity(),
        "own": {"commands": ["make test"]} if kind == "verification" else {},
    }
    return Node(**(fields | other))


def put(layout: Layout, node: Node) -> Path:
    """Write a node's file."""
    path = nodes.path_of(layout, node.kind, node.id)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(nodes.text_of(node), encoding="utf-8")
    return path


def put_quest(layout: Layout, value: Quest) -> None:
    """Write a quest's file."""
    path = quests.path_of(layout, value.id, value.status)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(quests.text_of(value, "a reason"), encoding="utf-8")


def put_edges(layout: Layout, found: Iterable[edges.Edge]) -> None:
    """Write `edges.jsonl`."""
    path = layout.path(EDGES)
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(edge.as_json(), ensure_ascii=False) for edge in found)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _links(ids: list[str]) -> list[edges.Edge]:
    relations = ("depends_on", "conflicts_with", "verified_by", "supersedes", "touches", "applies_to")
    pairs = ((ids[at], ids[(at * 7 + 3) % len(ids)]) for at in range(0, len(ids), 6))
    return [
        edges.Edge(one, relations[at % len(relations)], other, "0.9")
        for at, (one, other) in enumerate(pairs)
        if one != other
    ]
