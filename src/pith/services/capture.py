"""Keep what happened: masked before the first write, findable by words at once, and once however often it is seen."""

from __future__ import annotations

import os

from pith import platform
from pith.domain import events, secrets, words
from pith.domain.events import HOOK, PROMPT, RESPONSE, TOOL, TRANSCRIPT, Sighting
from pith.store import citations, search, sessions
from pith.store import events as stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pith.services.config import Settings
    from pith.store.database import Db

DOUBLE_SECONDS = 5
_LOOKED_BACK = 50  # equal texts of one session that are compared one by one
OWN_COMMANDS = ("pith", "orange")
# Where a command begins in a line of a shell, with what may stand before its name.
_RUNS_OWN = (
    r"(?:^|[;&|(`\n])[ \t]*(?:(?:\w+=\S*|sudo|env|time|xargs|-\S+|(?:\S*/)?python[0-9.]*)\s+)*"
    r"(?:[^\s;&|'\"]*/)?(?:pith|pith-hook|orange)(?:\.exe)?(?=$|[\s;&|)`])"
)
_NAMES = ("session", "agent", "turn", "tool", "record", "branch", "commit", "directory")
_TOO_LARGE_TO_READ = 16_000_000  # characters; of more than that only the beginning is looked at
_SPARE = 16_384  # characters read beyond what is kept, so that a cut can be moved to where it does no harm


def prepare(seen: Sighting, settings: Settings) -> Sighting | None:
    """The sighting as it may be written: without private sections, own blocks, secrets; None when nothing is left."""
    if is_excluded(seen, settings) or _is_own(seen):
        return None
    for name in _NAMES:
        if not (value := getattr(seen, name)).isascii():
            setattr(seen, name, writable(value))
    seen.branch, _ = secrets.mask(seen.branch)  # people name branches after all sorts of things
    personal = bool(settings.get("capture.maskPersonal"))
    limit = int(settings.get("capture.maxTextBytes"))
    seen.text = clean(seen.text, personal, limit)
    if not seen.text:
        return None
    if seen.details:
        seen.details = {name: _clean_detail(value, personal) for name, value in seen.details.items()}
    return seen


def _is_own(seen: Sighting) -> bool:
    """Whether a tool event shows what pith itself told: learning from that would feed memory with memory."""
    if seen.kind != TOOL:
        return False
    tool = str(seen.details.get("tool", ""))
    if tool.startswith("mcp__") and tool.split("__")[1] in ("pith", "plugin_pith_pith"):
        return True
    command = str(seen.details.get("command", ""))
    if not any(name in command for name in OWN_COMMANDS):
        return False
    import re

    return re.search(_RUNS_OWN, command) is not None


def writable(name: str) -> str:
    """A name as a database takes it: a folder's may hold bytes that are no text, an id half a character."""
    return name if name.isascii() else name.encode("utf-8", "replace").decode()


def is_excluded(seen: Sighting, settings: Settings) -> bool:
    """Whether the person's settings say that this must not be kept."""
    tools = settings.get("capture.exclude.tools")
    paths = settings.get("capture.exclude.paths")
    if seen.kind != TOOL or not (tools or paths):
        return False
    from fnmatch import fnmatchcase

    name = seen.details.get("tool", "")
    if any(fnmatchcase(name, pattern) for pattern in tools):
        return True
    return any(is_within(path, paths) for path in seen.details.get("files", ()))


def is_within(path: str, patterns: Sequence[str]) -> bool:
    """Whether a path fits one of the patterns, or lies below what fits."""
    return any(_is_under(path, os.path.expanduser(pattern)) for pattern in patterns)


def _is_under(path: str, pattern: str) -> bool:
    """Whether a path, or the end of it from any folder on, fits the pattern: `secrets/**` fits `/a/b/secrets/x`."""
    from fnmatch import fnmatchcase

    steps = path.replace("\\", "/").split("/")
    tails = ["/".join(steps[at:]) for at in range(len(steps))]
    return any(fnmatchcase(tail, pattern) or fnmatchcase(tail, pattern.rstrip("/") + "/*") for tail in tails)


def clean(text: str, personal: bool, limit: int) -> str:
    """Text as it may be stored, at most about `limit` bytes of it: head and tail, with a mark between."""
    text = text.strip()
    if len(text) > _TOO_LARGE_TO_READ:
        # Only a beginning is safe to keep unread: an end could start inside a key whose first line is gone.
        text = text[: text.rfind("\n", 0, _TOO_LARGE_TO_READ) + 1 or _TOO_LARGE_TO_READ]
    if not text.isascii():
        text = _normal(text)
    if "<" in text:
        from pith.domain.context import without_own

        text, _ = secrets.without_private(without_own(text))
    head, left_out, tail = _ends(text, limit)
    head, _ = secrets.mask(head, personal)
    if not left_out:
        return trim(head.strip(), limit)
    tail, _ = secrets.mask(tail, personal)
    return _joined(head, left_out, tail, limit)


def _ends(text: str, limit: int) -> tuple[str, int, str]:
    """What of a text can be kept at all, as beginning and end, and how many characters stand between.

    Masking a megabyte of which a quarter is kept would be most of a hook's time. Both cuts are made where no secret is
    cut in two: at white space, and never inside a private key, whose first line tells what the others are.
    """
    head_end, tail_start = limit * 3 // 4 + _SPARE, len(text) - limit // 4 - _SPARE
    if tail_start - head_end < _SPARE:
        return text, 0, ""
    spaces = (text.rfind(space, head_end - _SPARE, head_end) for space in "\n ")
    head_end = max(0, *spaces) or head_end
    line = text.find("\n", tail_start, tail_start + _SPARE)
    tail_start = line + 1 if line >= 0 else tail_start
    key = text.rfind("-----BEGIN", 0, tail_start)
    if key >= 0 and text.find("-----END", key, tail_start) < 0:
        end = text.find("-----END", tail_start)
        tail_start = text.find("\n", end) if end >= 0 else len(text)
        tail_start = tail_start if tail_start >= 0 else len(text)
    return text[:head_end], tail_start - head_end, text[tail_start:]


def _normal(text: str) -> str:
    from unicodedata import is_normalized, normalize

    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-8", "replace").decode()
    return text if is_normalized("NFC", text) else normalize("NFC", text)


def trim(text: str, limit: int) -> str:
    """At most `limit` bytes: three quarters from the beginning, one from the end, and a mark of what is missing."""
    if len(text) * 4 <= limit:
        return text
    if len(text.encode()) <= limit:
        return text
    return _joined(text, 0, "", limit)


def _joined(before: str, left_out: int, after: str, limit: int) -> str:
    """The beginning of one text and the end of the other (or of itself), `left_out` characters being between them."""
    head = before.encode()[: limit * 3 // 4].decode(errors="ignore")
    tail = (after or before).encode()[-(limit // 4) :].decode(errors="ignore")
    missing = len(before) + left_out + len(after) - len(head) - len(tail)
    return f"{head}\n[… {missing} characters left out …]\n{tail}"


def _clean_detail(value: object, personal: bool) -> object:
    if isinstance(value, str):
        return clean(value, personal, 4096)
    if isinstance(value, list):
        return [_clean_detail(item, personal) for item in value]
    return value


def keep(db: Db, seen: Sighting, settings: Settings | None = None) -> int | None:
    """Record one sighting in a transaction of its own; with `settings` it joins the working set where they say so."""
    with db.transaction():
        event = record(db, seen)
        if event is not None and settings is not None:
            join(db, event, seen, settings)
        return event


def join(db: Db, event: int, seen: Sighting, settings: Settings) -> None:
    """In endless mode, put what a hook saw into the working set, in the transaction that wrote it."""
    if seen.kind in (PROMPT, RESPONSE, TOOL) and seen.channel == HOOK and settings.is_endless:
        from pith.services.endless import window
        from pith.services.endless.rules import Rules

        try:
            window.add(db, event, seen.at, Rules(settings))
        except Exception:
            pass  # the event counts; it is a candidate for a memory all the same


def mark(db: Db, host: str, session: str, event: str, cwd: str, reason: str, now: str) -> None:
    """Note that a session began or ended; an end that never comes is not missed."""
    session = writable(session)
    with db.transaction():
        if event == "SessionEnd":
            sessions.learn(db, session, "", host, "ended_at", now)
            sessions.learn(db, session, "", host, "end_reason", writable(reason))
        elif cwd:
            sessions.learn(db, session, "", host, "cwd", writable(cwd))


def record(db: Db, seen: Sighting, beside: Sequence[Sighting] = ()) -> int | None:
    """Record a prepared sighting inside a transaction; the new event's number, or None when the event is known.

    `beside` are sightings that are known but not recorded yet: they too tell what happened in between.
    """
    digest = events.text_hash(seen.text)
    ids = events.id_anchors(seen, digest)
    first = _first_anchors(seen, digest)
    if not stored.is_any_seen(db, [*ids, *first.values()]):  # nearly always
        session = sessions.number(db, seen.session, seen.agent, seen.host)
        return _append(db, seen, digest, session, [*ids, first[seen.channel, _is_strong(seen)]])
    known = [stored.seen_as(db, anchor) for anchor in ids]
    event = next((number for number in known if number is not None), None)
    if event is not None:
        if None in known:
            _, own = _next_ordinal(db, seen, digest)
            stored.add_anchors(db, event, [*ids, own])
        return None
    session = sessions.number(db, seen.session, seen.agent, seen.host)
    ordinal, own = _next_ordinal(db, seen, digest)
    shown = _shown(db, seen, digest, ordinal)
    event = _delivered_twice(db, seen, session, shown, beside)
    if event is not None:  # not counted: the transcript shows it once
        stored.add_anchors(db, event, ids)
        return None
    event = _seen_elsewhere(db, seen, digest, ordinal, shown)
    if event is not None:
        stored.add_anchors(db, event, [*ids, own])
        return None
    return _append(db, seen, digest, session, [*ids, own])


def _append(db: Db, seen: Sighting, digest: bytes, session: int, anchors: list[bytes]) -> int:
    id = platform.new_id(platform.now_ms())
    found_by = words.terms(seen.text)
    event = stored.append(
        db,
        seen,
        id=id,
        session=session,
        place=sessions.place(db, seen.branch, seen.commit, seen.directory),
        size=len(found_by),
        checksum=events.checksum(seen, digest),
    )
    stored.add_anchors(db, event, anchors)
    search.add(db, event, found_by)
    citations.give(db, citations.EVENT, id)
    return event


def _is_strong(seen: Sighting) -> bool:
    """Whether the sighting has the id that a sighting of its kind in the other channel would have too."""
    return bool(seen.tool) if seen.kind == TOOL else bool(seen.turn) and seen.kind == PROMPT


def _anchor(seen: Sighting, digest: bytes, channel: str, strong: bool, ordinal: int) -> bytes:
    return events.text_anchor(seen, digest, f"{channel}+id" if strong else channel, ordinal)


def _first_anchors(seen: Sighting, digest: bytes) -> dict[tuple[str, bool], bytes]:
    """The anchors under which either channel would have seen this text first."""
    ways = [(channel, strong) for channel in (HOOK, TRANSCRIPT) for strong in (False, True)]
    return {(channel, strong): _anchor(seen, digest, channel, strong, 0) for channel, strong in ways}


def _at_ordinal(db: Db, seen: Sighting, digest: bytes, ordinal: int) -> int | None:
    for strong in (False, True):
        event = stored.seen_as(db, _anchor(seen, digest, seen.channel, strong, ordinal))
        if event is not None:
            return event
    return None


def _next_ordinal(db: Db, seen: Sighting, digest: bytes) -> tuple[int, bytes]:
    """How many equal texts this channel has shown in this session (found by doubling), and the anchor of the next."""
    taken, free = -1, 0
    while _at_ordinal(db, seen, digest, free) is not None:
        taken, free = free, free * 2 + 1
    while free - taken > 1:
        middle = (taken + free) // 2
        if _at_ordinal(db, seen, digest, middle) is None:
            free = middle
        else:
            taken = middle
    return free, _anchor(seen, digest, seen.channel, _is_strong(seen), free)


def _shown(db: Db, seen: Sighting, digest: bytes, ordinal: int) -> list[int]:
    """The events that this channel has shown in these words, the last of them at least."""
    numbers = range(max(0, ordinal - 2 * _LOOKED_BACK), ordinal)
    return [event for number in numbers if (event := _at_ordinal(db, seen, digest, number)) is not None]


def _delivered_twice(
    db: Db, seen: Sighting, session: int, shown: Sequence[int], beside: Sequence[Sighting]
) -> int | None:
    """The event that a host has just delivered in the same words, nothing in between (some run each hook twice)."""
    if seen.channel != HOOK or _is_strong(seen):
        return None
    for event in reversed(shown):
        at = stored.time_of(db, event)
        if (
            _seconds_between(at, seen.at) <= DOUBLE_SECONDS
            and not stored.stand_between(db, session, event, at, seen.at)
            and not any(_stands_between(other, seen, at) for other in beside)
        ):
            return event
    return None


def _stands_between(other: Sighting, seen: Sighting, at: str) -> bool:
    """Whether another sighting of the same session happened between this one and a moment."""
    if (other.session, other.agent) != (seen.session, seen.agent):
        return False
    return (other.kind, other.text) != (seen.kind, seen.text) and min(at, seen.at) < other.at <= max(at, seen.at)


def _seen_elsewhere(db: Db, seen: Sighting, digest: bytes, ordinal: int, shown: Sequence[int]) -> int | None:
    """The first event that the other channel alone saw in the same words, unless both have an id (and it differs)."""
    other = TRANSCRIPT if seen.channel == HOOK else HOOK
    strong = _is_strong(seen)
    for number in range(max(0, ordinal - _LOOKED_BACK), ordinal + _LOOKED_BACK):
        event = stored.seen_as(db, _anchor(seen, digest, other, False, number))
        if event is None:
            event = stored.seen_as(db, _anchor(seen, digest, other, True, number))
            if event is None:
                return None
            if strong:
                continue
        if event not in shown:
            return event
    return None


def _seconds_between(earlier: str, later: str) -> float:
    return abs(_seconds(later) - _seconds(earlier))


def _seconds(at: str) -> float:
    """Seconds of a day, good enough to compare two times of one minute."""
    try:
        return int(at[8:10]) * 86400 + int(at[11:13]) * 3600 + int(at[14:16]) * 60 + float(at[17:].rstrip("Z") or 0)
    except ValueError:
        return 0.0
