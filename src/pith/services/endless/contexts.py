"""Contexts of this project, what each was about, and how each followed the one before it. On the hook's path."""

from __future__ import annotations

from pith import platform
from pith.domain import continuity
from pith.domain.continuity import Context, Moment, Snapshot
from pith.domain.endless import DAY_MS
from pith.domain.times import milliseconds
from pith.services.endless import about
from pith.services.endless.rules import CANDIDATE_MS
from pith.store import continuity as stored
from pith.store import meta, search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from pith.domain.topics import Commonness
    from pith.services.endless.rules import Rules
    from pith.store.database import Db

TOPICS = 10  # of a context that are compared
_LOOKED_AT = 30  # of its events, half of them from its beginning
_LATEST = 300  # events that a hook looks at
_SETTLED = 2  # events from which on a context says what it is about; one that is over says what it said


class Link:
    """How a context follows the one before it."""

    __slots__ = ("context", "kind", "previous", "score")

    def __init__(self, context: Context, previous: Context | None, score: float | None, kind: str) -> None:
        self.context, self.previous, self.score, self.kind = context, previous, score, kind

    @property
    def meaning(self) -> str:
        """What that means, as a sentence ends."""
        return continuity.MEANING[self.kind]


class Snapshots:
    """What contexts were about, looked up once each."""

    __slots__ = ("_common", "_db", "_known")

    def __init__(self, db: Db, common: Commonness) -> None:
        self._db, self._common = db, common
        self._known: dict[tuple[str, int], Snapshot] = {}

    def of(self, context: Context) -> Snapshot:
        """Topics, files and entities of a context."""
        key = (continuity.context_id(context), len(context.events))
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._made(context)
        return known

    def shown(self, context: Context) -> list[str]:
        """Its topics as they are shown, the most frequent first."""
        topics = self.of(context).topics
        return list(topics.values()) if isinstance(topics, dict) else list(topics)

    def _made(self, context: Context) -> Snapshot:
        events = context.events
        if len(events) > _LOOKED_AT:
            events = events[: _LOOKED_AT // 2] + events[-_LOOKED_AT // 2 :]
        counted: dict[str, int] = {}
        forms: dict[str, str] = {}
        files: dict[str, None] = {}
        for row in stored.told(self._db, [event.seq for event in events], about.READ):
            for key, form in about.topics_of(row, self._common).items():
                counted[key] = counted.get(key, 0) + 1
                forms.setdefault(key, form)
            files |= dict.fromkeys(about.files_of(row))
        best = sorted(counted, key=lambda key: (-counted[key], key))[:TOPICS]
        entities = stored.entities(self._db, [event.id for event in events])
        return Snapshot({key: forms[key] for key in best}, files, entities)


def moments(rows: Sequence[Any]) -> list[Moment]:
    """Rows of events as contexts are made of them."""
    return [Moment(row["seq"], row["id"], row["session"], milliseconds(row["at"]), row["branch"]) for row in rows]


def since(db: Db, now_ms: int, days: float) -> list[Context]:
    """The contexts of sessions that went on in the last days, whole, in the order in which they began."""
    return continuity.contexts(moments(stored.moments(db, platform.stamp(max(0, now_ms - int(days * DAY_MS))))))


def latest(db: Db) -> list[Context]:
    """The last contexts, as far as a hook looks; the first of them may lack its beginning."""
    return continuity.contexts(moments(stored.latest_moments(db, _LATEST)))


def link(context: Context, earlier: Sequence[Context], snapshots: Snapshots, rules: Rules) -> Link:
    """How a context follows the one before it on its branch."""
    previous = continuity.predecessor(context, earlier)
    if previous is None:
        return Link(context, None, None, continuity.UNKNOWN)
    score = continuity.score(
        snapshots.of(context), snapshots.of(previous), continuity.apart(context, previous), rules.decay_hours
    )
    return Link(context, previous, score, continuity.transition(score, rules.seamless))


def known_link(db: Db, context: Context, earlier: Sequence[Context], snapshots: Snapshots, rules: Rules) -> Link:
    """The same, as it was written down where it was."""
    row = stored.of_context(db, continuity.context_id(context))
    if row is None:
        return link(context, earlier, snapshots, rules)
    previous = continuity.predecessor(context, earlier)
    return Link(context, previous, row["continuity_score"], row["transition_type"])


def present(db: Db, context: Context, earlier: Sequence[Context], snapshots: Snapshots, rules: Rules) -> Link:
    """How the context that goes on just now follows; while it has said nothing at all, time alone tells."""
    found = known_link(db, context, earlier, snapshots, rules)
    now = snapshots.of(context)
    if found.previous is None or now.topics or now.files or now.entities:
        return found
    nothing = Snapshot()
    score = continuity.score(nothing, nothing, continuity.apart(context, found.previous), rules.decay_hours)
    return Link(context, found.previous, score, continuity.transition(score, rules.seamless))


def log_new(db: Db, rules: Rules, now_ms: int) -> int:
    """Write down how each new context followed another, once; how many were new."""
    found = since(db, now_ms, CANDIDATE_MS / DAY_MS)
    known = stored.logged(db) if found else set()
    snapshots = Snapshots(db, about.common(db))
    new = [
        link(context, found, snapshots, rules)
        for context in found
        if continuity.context_id(context) not in known and _is_settled(context, now_ms)
    ]
    if not new:
        return 0
    with db.transaction():
        return sum([_log(db, one, platform.stamp(now_ms)) for one in new])


def _is_settled(context: Context, now_ms: int) -> bool:
    return len(context.events) >= _SETTLED or now_ms - context.ended >= continuity.REST_MS


def _log(db: Db, one: Link, now: str) -> bool:
    id = continuity.context_id(one.context)
    return stored.log(
        db,
        id=platform.sha256(f"transition\0{id}".encode())[:16].hex(),
        previous=continuity.context_id(one.previous) if one.previous else None,
        context=id,
        score=one.score,
        kind=one.kind,
        now=now,
        began=platform.stamp(one.context.began),
        session=one.context.session,
    )


# -- A chore of the worker -----------------------------------------------------------------------------------

LOOKED = "endless.contexts"  # up to which event contexts were looked at


def is_new(db: Db) -> bool:
    """Whether anything was written since contexts were looked at."""
    return search.last(db) > int(meta.get(db, LOOKED) or 0)


def look(db: Db, rules: Rules, now_ms: int) -> int:
    """Write down how new contexts followed, and note how far that was looked."""
    until = search.last(db)
    new = log_new(db, rules, now_ms)
    with db.transaction():
        meta.put(db, LOOKED, str(until))
    return new
