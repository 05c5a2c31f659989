"""Read every span again from its event: does the text still hash to the quote?

Nothing is changed. A forgotten event counts as forgotten, not as broken; a quote that was never found is counted apart,
and so is evidence of the older shape, which names no event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pith.domain.entries import FAILED
from pith.domain.evidence import quote_hash
from pith.store import evidence
from pith.store.database import Db

BATCH = 500  # spans whose events are read together
BAD_SHOWN = 1_000

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Broken:
    """A span that no longer covers its quote, and why."""

    entry: str
    title: str
    event: str
    start: int
    end: int
    reason: str


@dataclass
class Verified:
    """How the spans stand; `spans` carries each with its place in bytes where that was asked for."""

    checked: int = 0
    sound: int = 0
    forgotten: int = 0
    failed: int = 0
    older: int = 0
    broken: int = 0
    bad: list[Broken] = field(default_factory=list)
    spans: list[dict[str, Any]] = field(default_factory=list)

    def add(self, other: Verified) -> None:
        """Count another's spans too."""
        for name in ("checked", "sound", "forgotten", "failed", "older", "broken"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.bad += other.bad[: BAD_SHOWN - len(self.bad)]
        self.spans += other.spans

    @property
    def is_sound(self) -> bool:
        """Whether no span is broken."""
        return not self.broken


@dataclass(frozen=True)
class _Claim:
    entry: str
    title: str
    event: str
    start: int
    end: int
    hash: str
    method: str


def verify(db: Db, entry: str = "", *, bytes: bool = False, progress: Progress | None = None) -> Verified:
    """Read the spans of one entry, or of all of them, again; `bytes` lists each with its place in UTF-8 bytes too."""
    done = Verified()
    batch: list[_Claim] = []
    for claim in _claims(db, entry, done):
        batch.append(claim)
        if len(batch) == BATCH:
            _check(db, batch, done, bytes)
            batch = []
            if progress:
                progress(done.checked)
    _check(db, batch, done, bytes)
    return done


def _claims(db: Db, entry: str, done: Verified) -> Iterator[_Claim]:
    """Every span that an entry rests on; what claims none is counted on the way."""
    for id, title, items in evidence.each(db, entry):
        for one in items:
            if "event_id" not in one:
                done.older += 1
            elif one.get("method") == FAILED:
                done.failed += 1
            else:
                yield _Claim(id, title, one["event_id"], one["start"], one["end"], one["quote_hash"], one["method"])


def _check(db: Db, batch: list[_Claim], done: Verified, bytes: bool) -> None:
    texts = evidence.texts(db, {claim.event for claim in batch})
    for claim in batch:
        done.checked += 1
        text = texts.get(claim.event, "")
        if text is None:
            done.forgotten += 1
            continue
        reason = _wrong(claim, text if claim.event in texts else None)
        if reason:
            done.broken += 1
            if len(done.bad) < BAD_SHOWN:
                done.bad.append(Broken(claim.entry, claim.title, claim.event, claim.start, claim.end, reason))
        else:
            done.sound += 1
        if bytes:
            done.spans.append(_told(claim, text, reason))


def _wrong(claim: _Claim, text: str | None) -> str:
    if text is None:
        return "its event is not stored"
    if not 0 <= claim.start < claim.end <= len(text):
        return f"the span ends beyond the {len(text)} characters of its event"
    if quote_hash(text[claim.start : claim.end]) != claim.hash:
        return "the text is another than when it was quoted"
    return ""


def _told(claim: _Claim, text: str, reason: str) -> dict[str, Any]:
    before, span = text[: claim.start], text[claim.start : claim.end]
    first = len(before.encode("utf-8", "surrogatepass"))
    return {
        "entry": claim.entry,
        "event": claim.event,
        "start": claim.start,
        "end": claim.end,
        "byte_start": first,
        "byte_end": first + len(span.encode("utf-8", "surrogatepass")),
        "method": claim.method,
        "reason": reason,
    }
