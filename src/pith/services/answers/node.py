"""An accepted node as every face tells it to a program."""

from __future__ import annotations

from pith.domain import ranking
from pith.store import citations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.services.node_sources import Known
    from pith.store.database import Db

NODE = "node"


def facts(db: Db, known: Known, least: float = 0.0, *, explain: bool = False) -> dict[str, Any]:
    """Everything about a node; `weak` when it fits the question less well than that."""
    parts = {"parts": ranking.explained(known.found)} if explain else {}
    return {
        "citation": f"mem:{citations.short(db, known.cited)}",
        "kind": NODE,
        "id": known.id,
        "node_type": known.kind,
        "title": known.title,
        "accepted_at": known.accepted_at,
        "state": known.state,
        "validity": known.label or None,
        "confidence": round(known.confidence, 3),
        "weak": known.confidence < least,
        "text": known.text,
        **parts,
    }
