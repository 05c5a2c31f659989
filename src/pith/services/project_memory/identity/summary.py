"""`identity/summary.json`: the project in counts, in the shape that readers of orange-hyper's summary expect."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pith.domain import nodes
from pith.domain.origin import ORIGIN
from pith.domain.proposals import ACCEPTED, PENDING, REJECTED
from pith.domain.quests import ACTIVE, COMPLETED, UNVERIFIED, VERIFIED
from pith.services.project_memory.identity.sources import Sources
from pith.services.project_memory.shared import Shared

MESSAGES = (
    "Memory proposal review is active.",
    "Graph preview is read-only.",
    "Graph editing is not supported.",
    "Accepted memory nodes are candidate project memory.",
)
# Nothing grows, unlocks or runs by itself: the boundaries are facts, not settings.
_BOUNDARIES = (
    "auto_role_creation", "mcp_auto_install", "mcp_auto_run", "hook_policy_auto_change", "subagent_auto_run",
    "project_memory_auto_mutation", "config_auto_mutation", "graph_node_auto_creation", "workflow_enforcement",
)  # fmt: skip


def of(sources: Sources, shared: Shared) -> dict[str, Any]:
    """The summary; `generatedAt` is the time of the newest source, so that the same state gives the same bytes."""
    config = shared.config
    quests = list(sources.quests.values())
    done = [quest for quest in quests if quest.status == COMPLETED]
    statuses = [proposal.status for proposal, _ in sources.proposals]
    return {
        **ORIGIN,
        "project_id": config.project_id,
        "project_name": config.project_name,
        "projectId": config.project_id,
        "projectName": config.project_name,
        "generatedAt": sources.newest,
        "activeCount": sum(quest.status == ACTIVE for quest in quests),
        "completedCount": len(done),
        "verifiedCount": sum(quest.verification_status == VERIFIED for quest in done),
        "unverifiedCount": sum(quest.verification_status == UNVERIFIED for quest in done),
        "routeDistribution": dict(sources.layers),
        "pendingMemoryProposals": statuses.count(PENDING),
        "pendingMemoryProposalsWithWarnings": sum(
            proposal.status == PENDING and bool(warnings) for proposal, warnings in sources.proposals
        ),
        "acceptedMemoryProposals": statuses.count(ACCEPTED),
        "rejectedMemoryProposals": statuses.count(REJECTED),
        "acceptedMemoryNodes": len(sources.memories),
        "projectBoundaryActive": bool(config.project_id),
        "topProposalNodeTypes": _by_count(proposal.node_type for proposal, _ in sources.proposals),
        "graphPreview": _graph_preview(sources),
        "growthPreview": _growth_preview(sources, len(done), statuses.count(PENDING)),
        "graphWarnings": list(sources.problems),
        "origin": dict(ORIGIN),
        "statusMessages": list(MESSAGES),
    }


def _by_count(kinds: Iterable[str]) -> list[dict[str, Any]]:
    counts: dict[str, int] = {}
    for kind in kinds:
        counts[kind] = counts.get(kind, 0) + 1
    return [
        {"nodeType": kind, "count": count}
        for kind, count in sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    ]


_SOURCE_LINK = ("node_type", "title", "source_quest", "source_proposal", "accepted_at")


def _graph_preview(sources: Sources) -> dict[str, Any]:
    entries = [nodes.index_entry(memory.node, memory.file) for memory in sources.memories]
    for entry in entries:
        del entry["file"], entry["license"]
    return {
        "readOnly": True,
        "editingSupported": False,
        "acceptedMemoryNodes": len(entries),
        "nodeTypeDistribution": sources.kinds,
        "nodes": entries,
        "sourceLinks": [{"node_id": each["id"]} | {name: each[name] for name in _SOURCE_LINK} for each in entries],
    }


def _growth_preview(sources: Sources, completed: int, pending: int) -> dict[str, Any]:
    """The growth preview with its counts. It also graded projects and suggested roles; here nothing grows by itself."""
    verified = sum(
        quest.status == COMPLETED and quest.verification_status == VERIFIED for quest in sources.quests.values()
    )
    kinds = _by_count(memory.node.kind for memory in sources.memories)
    return {
        "readOnly": True,
        "autoUnlock": False,
        "growthLevel": "not graded",
        "growthLevelReason": "Memory is counted, not graded.",
        "growthLevelDescription": "What is accepted was accepted by a person; nothing else follows from it.",
        "acceptedMemoryNodes": len(sources.memories),
        "nodeTypeDistribution": sources.kinds,
        "nodeTypeDiversity": len(kinds),
        "dominantAcceptedNodeType": kinds[0] if kinds else None,
        "questVerification": {
            "completed": completed,
            "verified": verified,
            "unverified": completed - verified,
            "verifiedRatio": round(verified / completed, 4) if completed else 0,
            "unverifiedRatio": round((completed - verified) / completed, 4) if completed else 0,
        },
        "pendingMemoryProposals": pending,
        "hookWarningCount": 0,
        "mcpAdvisorSignalCount": 0,
        "candidateCount": 0,
        "topCandidates": [],
        "growthConfidenceSummary": "nothing is suggested",
        "noAutomaticUnlocks": "No automatic unlocks",
        "suggestedCommand": "orange remember list --status pending",
        "boundaries": dict.fromkeys(_BOUNDARIES, False),
    }
