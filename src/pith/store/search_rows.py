"""The full-text rows as a whole: which words they were made of, a sample of them, and making them anew."""

from __future__ import annotations

from pith.domain import words
from pith.store import search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pith.store.database import Db

_BATCH = 500
_BATCH_CHARACTERS = 200_000  # a hook waits 150 ms for the write lock: a batch must be over before


class State:
    """Which words the rows were made of, and whether they are being made anew.

    `sizes_hold` says that the sizes kept with events count these words: sizes never change, words may.
    """

    __slots__ = ("rebuilding", "sizes_hold", "version")

    def __init__(self, version: int, *, rebuilding: bool, sizes_hold: bool) -> None:
        self.version = version
        self.rebuilding = rebuilding
        self.sizes_hold = sizes_hold


def state(db: Db) -> State:
    """How the rows stand."""
    known = {row["name"]: row["value"] for row in db.execute("SELECT name, value FROM meta")}
    version = known.get("words", "")
    return State(
        int(version) if version.isdecimal() else 0,
        rebuilding="rebuilding" in known,
        sizes_hold="words_before" not in known,
    )


def sample(db: Db, count: int) -> list[tuple[int, str]]:
    """Number and text of up to `count` events, from everywhere in the store, the newest included."""
    rows = db.execute(
        "WITH span AS (SELECT max(seq) AS last, max(1, max(seq) / :count) AS step FROM event_bodies)"
        " SELECT seq, text FROM event_bodies, span WHERE forgotten_at IS NULL AND (last - seq) % step = 0"
        " ORDER BY seq DESC LIMIT :count",
        {"count": count},
    )
    return [(row["seq"], row["text"]) for row in rows]


def rebuild_text(db: Db) -> int:
    """Make every row anew from the bodies, in transactions of its own; how many events there are.

    Killed anywhere it can be run again and ends the same; two at once share the work; hooks write in between.
    """
    with db.transaction():
        _begin(db)
    going = True
    while going:
        with db.transaction():
            going = _add_some(db)
    with db.transaction():
        search.optimize(db)
    return int(db.execute("SELECT count(*) FROM event_bodies WHERE forgotten_at IS NULL")[0][0])


def _begin(db: Db) -> None:
    """Take all rows away and note up to which event they must be made; what is written later brings its own."""
    before = state(db).version
    if before != words.VERSION:
        _note(db, "words_before", str(before))
        _note(db, "words", str(words.VERSION))
    db.execute("INSERT INTO event_terms (event_terms) VALUES ('delete-all')")
    _note(db, "rebuilding", f"0 {search.total(db)}")


def _add_some(db: Db) -> bool:
    """Add the rows of some events and note how far it came; False when nothing is left."""
    noted = db.execute("SELECT value FROM meta WHERE name = 'rebuilding'")
    if not noted:
        return False
    done, last = (int(number) for number in noted[0]["value"].split())
    rows = db.execute(
        "SELECT seq, text FROM event_bodies WHERE seq > :done AND seq <= :last AND forgotten_at IS NULL"
        " ORDER BY seq LIMIT :most",
        {"done": done, "last": last, "most": _BATCH},
    )
    characters = 0
    for row in rows:
        search.add(db, row["seq"], words.terms(row["text"]))
        done, characters = row["seq"], characters + len(row["text"])
        if characters > _BATCH_CHARACTERS:
            break
    if rows:
        _note(db, "rebuilding", f"{done} {last}")
    else:
        db.execute("DELETE FROM meta WHERE name = 'rebuilding'")
    return bool(rows)


def _note(db: Db, name: str, value: str) -> None:
    db.execute(
        "INSERT INTO meta (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = :value",
        {"name": name, "value": value},
    )
