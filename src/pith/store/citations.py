"""Citations: twelve characters that name one stored thing, shown as its shortest clear prefix of six or more."""

from __future__ import annotations

from pith.errors import Ambiguous, NotFound
from pith.platform import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pith.store.database import Db

LENGTH = 12
SHORTEST = 6
EVENT = "event"

_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


def name(item_kind: str, item_id: str) -> str:
    """The citation of a thing: the first sixty bits of a hash over its kind and id, in base32."""
    number = int.from_bytes(sha256(f"{item_kind}\0{item_id}".encode())[:8], "big") >> 4
    letters = []
    for _ in range(LENGTH):
        letters.append(_LETTERS[number & 31])
        number >>= 5
    return "".join(reversed(letters))


def give(db: Db, item_kind: str, item_id: str) -> str:
    """Register a thing under its citation."""
    cited = name(item_kind, item_id)
    db.execute(
        "INSERT INTO citations (id, item_kind, item_id) VALUES (:id, :kind, :item) ON CONFLICT DO NOTHING",
        {"id": cited, "kind": item_kind, "item": item_id},
    )
    return cited


def short(db: Db, cited: str) -> str:
    """The shortest prefix that names only this one today."""
    for length in range(SHORTEST, LENGTH):
        prefix = cited[:length]
        if len(_beginning(db, prefix, 2)) < 2:
            return prefix
    return cited


def find(db: Db, text: str) -> tuple[str, str]:
    """The kind and id that a citation names: `mem:abc123`, `[mem:abc123]` or `abc123`, six characters or more.

    Raises NotFound, and Ambiguous with the candidates when an old prefix has become too short.
    """
    prefix = text.strip().strip("[]").lower().removeprefix("mem:").strip()
    if len(prefix) < SHORTEST or len(prefix) > LENGTH or not set(prefix) <= set(_LETTERS):
        raise NotFound(
            f"`{text}` is not a citation.", hint="A citation looks like `mem:k7q2mf`; `pith recall` prints them."
        )
    rows = _beginning(db, prefix, 10)
    if not rows:
        raise NotFound(
            f"Nothing in this project is cited as mem:{prefix}.",
            hint="`pith recall` prints the citations that there are.",
        )
    if len(rows) > 1:
        fits = ", ".join(f"mem:{row[0]}" for row in rows)
        raise Ambiguous(f"mem:{prefix} fits several: {fits}.")
    return rows[0][1], rows[0][2]


def _beginning(db: Db, prefix: str, limit: int) -> list[tuple[str, str, str]]:
    rows = db.execute(
        "SELECT id, item_kind, item_id FROM citations WHERE id >= :low AND id < :high ORDER BY id LIMIT :limit",
        {"low": prefix, "high": prefix + "~", "limit": limit},
    )
    return [(row["id"], row["item_kind"], row["item_id"]) for row in rows]
