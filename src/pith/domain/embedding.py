"""What embedders have in common: what is put before a text, and how one that cannot work says so."""

from __future__ import annotations

from pith.errors import PithError


class EmbedderMissing(PithError):
    """What turns texts into vectors is not installed, not found, or not the one that was expected."""

    code = "EMBEDDER_MISSING"
    hint = "Choose another one: `pith config set meaning.embedder none` goes on with words alone."
    http_status = 503


class Prefixes:
    """What a model was trained to see before a question and before a document."""

    __slots__ = ("document", "question")

    def __init__(self, question: str = "", document: str = "") -> None:
        self.question, self.document = question, document

    def __str__(self) -> str:
        return f"question {self.question!r}, document {self.document!r}"


def plain(text: str) -> str:
    """A text that any model takes: nothing that ends a C string, no half of a surrogate pair, never empty."""
    whole = text.replace("\0", " ").encode("utf-8", "replace").decode()
    return whole if whole.strip() else "-"
