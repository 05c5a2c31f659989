"""Whether a node still holds: dates, conditions on files, and chains of nodes that replaced each other.

Nothing here knows the clock or git: today and the files that changed are passed in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

STABLE, SLOW_CHANGE, VOLATILE = "stable", "slow_change", "volatile"
STABILITIES = (STABLE, SLOW_CHANGE, VOLATILE)
FIELDS = ("stability", "stale_after", "superseded_by", "last_verified_at", "valid_from", "valid_to")

CURRENT, STALE, SUPERSEDED, EXPIRED, NOT_YET = "current", "stale", "superseded", "expired", "not_yet"
STATES = (CURRENT, STALE, SUPERSEDED, EXPIRED, NOT_YET)

_DAYS = re.compile(r"([0-9]{1,5})d")
_NOTHING = ("", "null", "~", "none")

Changed = Callable[[str, str], Iterable[str]]
"""Asked with a glob and a time; the files that match and changed since then."""


@dataclass(frozen=True, slots=True)
class Validity:
    """The six fields of a node that say how long it holds; empty means that nothing is said."""

    stability: str = ""
    stale_after: str = ""
    superseded_by: str = ""
    last_verified_at: str = ""
    valid_from: str = ""
    valid_to: str = ""

    @classmethod
    def of(cls, fields: Mapping[str, object]) -> Validity:
        """Read the fields of a node's front matter; `null` says the same as nothing."""
        return cls(**{name: _said(fields.get(name)) for name in FIELDS})


@dataclass(frozen=True, slots=True)
class State:
    """What a node is today, and the sentence that says why; files are those that changed under its condition."""

    name: str
    reason: str = ""
    files: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        return self.name == CURRENT


def _said(value: object) -> str:
    return "" if not isinstance(value, str) or value.strip().lower() in _NOTHING else value.strip()


def state(validity: Validity, since: str, today: str, changed: Changed | None = None) -> State:
    """What a node is on a day (`2026-11-30`); `since` is when it was last known to be right: verified, or accepted.

    Without `changed`, a condition on files makes nothing stale.
    """
    if validity.superseded_by:
        return State(SUPERSEDED, f"superseded_by={validity.superseded_by}")
    until, start = day(validity.valid_to), day(validity.valid_from)
    now = date.fromisoformat(today[:10])
    if until and now > until:
        return State(EXPIRED, f"valid_to={validity.valid_to}")
    if start and now < start:
        return State(NOT_YET, f"valid_from={validity.valid_from}")
    return _age(validity, validity.last_verified_at or since, now, changed)


def _age(validity: Validity, since: str, now: date, changed: Changed | None) -> State:
    shown = f"last_verified_at={since[:10] or 'never'}, stale_after={validity.stale_after}"
    days = days_of(validity.stale_after)
    last = day(since)
    if days is not None and (last is None or now > last + timedelta(days=days)):
        return State(STALE, shown)
    pattern = pattern_of(validity.stale_after)
    if pattern and changed is not None:
        files = tuple(changed(pattern, since))
        if files:
            return State(STALE, f"{shown} ({_named(files)} changed)", files)
    return State(CURRENT)


def _named(files: tuple[str, ...]) -> str:
    return files[0] if len(files) == 1 else f"{files[0]} and {len(files) - 1} more"


def days_of(stale_after: str) -> int | None:
    """The days of `30d`; None for what is no number of days."""
    match = _DAYS.fullmatch(stale_after.strip())
    return int(match[1]) if match else None


def pattern_of(stale_after: str) -> str | None:
    """The glob of `path:src/auth/**`; None for what is no condition on files."""
    head, mark, rest = stale_after.strip().partition(":")
    return rest.strip() or None if mark and head == "path" else None


def day(text: str) -> date | None:
    """The day of a date or a time; None for what is neither."""
    try:
        return date.fromisoformat(text.strip()[:10])
    except ValueError:
        return None


def seconds(text: str) -> int | None:
    """A time with its zone as whole seconds since 1970; None for what is none."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return int(moment.timestamp() // 1) if moment.tzinfo else None


def problems(fields: Mapping[str, object]) -> list[str]:
    """What is wrong with the validity fields of a node or proposal, one sentence each."""
    validity = Validity.of(fields)
    found = []
    if validity.stability and validity.stability not in STABILITIES:
        found.append(f"stability is `{validity.stability}`, but must be one of {', '.join(STABILITIES)}")
    found += [
        f"{name} is `{text}`, but must be a date such as 2026-11-30"
        for name in ("last_verified_at", "valid_from", "valid_to")
        if (text := getattr(validity, name)) and day(text) is None
    ]
    start, end = day(validity.valid_from), day(validity.valid_to)
    if start and end and end < start:
        found.append(f"valid_to {validity.valid_to} lies before valid_from {validity.valid_from}")
    return found


# -- Globs ---------------------------------------------------------------------------------------------------


def matches(pattern: str, path: str) -> bool:
    """Whether a path of the repository matches a glob: `*` stays in a folder, `**` goes through folders.

    A folder's name alone means everything in it.
    """
    pattern = pattern.strip().removeprefix("./").rstrip("/")
    return re.fullmatch(f"{_expression(pattern)}(?:/.*)?", path) is not None


def _expression(pattern: str) -> str:
    parts = re.split(r"(\*\*/?|\*|\?)", pattern)
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(meaning.get(part, re.escape(part)) for part in parts)


# -- Chains --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Chain:
    """The nodes that replaced one another, the first asked for first; `cycle` when they come back to one of them."""

    nodes: tuple[str, ...]
    cycle: bool = False

    @property
    def last(self) -> str:
        return self.nodes[-1]


def chain(node: str, superseded_by: Mapping[str, str]) -> Chain:
    """Follow `superseded_by` from a node to the one that holds now."""
    seen = [node]
    while following := superseded_by.get(seen[-1], ""):
        if following in seen:
            return Chain(tuple(seen), cycle=True)
        seen.append(following)
    return Chain(tuple(seen))
