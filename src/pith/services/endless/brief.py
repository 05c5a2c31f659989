"""What the brief of a session tells besides turns: where we are, what was decided, what is open, memories, files.

The same in both modes. On the hook's path: made from what is stored, right also where no worker has run yet.
"""

from __future__ import annotations

from pith import platform
from pith.domain import briefing, context
from pith.services import dates, memory_recall
from pith.services.endless import about, contexts
from pith.services.endless.contexts import Snapshots
from pith.services.endless.rules import Rules
from pith.store import branches, citations, entry_words, memories, search
from pith.store import continuity as stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pith.domain.context import Line
    from pith.domain.continuity import Context
    from pith.services.config import Settings
    from pith.store.database import Db

DECISIONS, UNREAD, MEMORIES, FILES, TOPICS = 4, 4, 3, 6, 4
_TURNS = 30  # that nobody has read yet, and in which decisions are looked for
_MINUTE, _HOUR, _DAY = 60_000, 3_600_000, 86_400_000


BEFORE_TASKS = 3  # accepted nodes; more of them would leave open tasks no room


def order(
    db: Db,
    settings: Settings,
    session: str,
    branch: str,
    accepted: list[Line],
    tasks: list[Line],
    *,
    same_session: bool = False,
) -> tuple[list[Line], list[Line]]:
    """What a brief tells before all else, in its order, whoever asks for it; and the memories that follow."""
    stands = where(db, settings, session, branch, same_session=same_session)
    stands += files(db, session, branch, same_session=same_session)
    said = unread(db) + decided(db)
    first = stands + accepted[:BEFORE_TASKS] + tasks + said + accepted[BEFORE_TASKS:]
    return first, remembered(db)


def where(
    db: Db, settings: Settings, session: str, branch: str, now_ms: int = 0, *, same_session: bool = False
) -> list[Line]:
    """Where we are: what the last context was about, how long ago, and how it followed the one before it.

    `same_session` is for one that was resumed or compacted: its own last context is meant then, else that of another.
    """
    found = contexts.latest(db)
    last = _last(found, session, branch, same_session)
    if last is None:
        return []
    common = about.common(db)
    snapshots, rules = Snapshots(db, common), Rules(settings)
    link = contexts.known_link(db, last, found, snapshots, rules)
    text = _ago((now_ms or platform.now_ms()) - last.ended)
    text += branches.said_on(db, last.events[-1].branch)
    if link.score is not None:
        text += f", continuity {link.score:.2f} ({link.kind}): {link.meaning}"
    if topics := snapshots.shown(last)[:TOPICS]:
        text += f"; about {', '.join(topics)}"
    return [context.Line(_cited(db, last.events[-1].id), "where we are, last work", text)]


def _last(found: Sequence[Context], session: str, branch: str, same_session: bool) -> Context | None:
    """The context that a session goes on from: its own where it goes on, else the last on the branch, else the last."""
    own = [one for one in found if one.session == session] if same_session else []
    others = [one for one in found if one.session != session]
    same = [one for one in others if branch in one.branches]
    return max(own or same or others, key=lambda one: one.ended, default=None)


def _ago(ms: int) -> str:
    if ms < _MINUTE:
        return "a moment ago"
    for unit, name in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute")):
        if ms >= unit:
            count = ms // unit
            return f"{count} {name}{'s' * (count != 1)} ago"
    return ""


def decided(db: Db) -> list[Line]:
    """What was decided last, of that which the worker has read."""
    lines = []
    for row in entry_words.latest(db, "decision", DECISIONS) if search.has_entries(db) else ():
        cited = citations.short(db, citations.name(entry_words.ENTRY, row["entry_id"]))
        day = dates.local(row["created_ts"], day_only=True)
        what = f"{day} decision ({row['stage']}){branches.said_on(db, row['branch'])}"
        lines.append(context.Line(cited, what, row["text"] or row["title"]))
    return lines


def unread(db: Db) -> list[Line]:
    """What turns that the worker has not read yet plainly say was decided or is open, the newest first."""
    lines: dict[str, Line] = {}
    for row in stored.unread_turns(db, _TURNS):
        for kind, sentence in reversed(briefing.telling(row["text"])):
            what = f"{dates.local(row['at'], day_only=True)} {kind}{branches.said_on(db, row['branch'])}"
            line = context.Line(_cited(db, row["id"]), what, sentence)
            lines.setdefault(sentence.casefold(), line)
    return list(lines.values())[:UNREAD]


def remembered(db: Db) -> list[Line]:
    """The newest memories."""
    return memory_recall.lines(db, memory_recall.latest(db, MEMORIES)) if memories.any_are_there(db) else []


def files(db: Db, session: str, branch: str, *, same_session: bool = False) -> list[Line]:
    """Which files the last context touched, the latest first, cited by the event that touched the latest."""
    last = _last(contexts.latest(db), session, branch, same_session)
    if last is None:
        return []
    touched: dict[str, str] = {}
    rows = sorted(stored.told(db, [event.seq for event in last.events], 1), key=lambda row: -row["seq"])
    for row in rows:
        for path in about.files_of(row):
            touched.setdefault(path, row["id"])
    if not touched:
        return []
    first = next(iter(touched.values()))
    return [context.Line(_cited(db, first), "files touched last", ", ".join(list(touched)[:FILES]))]


def _cited(db: Db, event: str) -> str:
    return citations.short(db, citations.name(citations.EVENT, event))
