"""A prompt is answered from other sessions: its own is left out, with all its subagents, and nothing else is."""

from __future__ import annotations

from pathlib import Path

from pith.domain.events import HOOK, PROMPT, Sighting
from pith.services import capture
from pith.store import search
from pith.store.database import open_store
from pith.store.search import Filter


def test_all_of_a_session_and_nothing_else_is_left_out(tmp_path: Path) -> None:
    said = [("s1", ""), ("s1", "helper"), ("s2", ""), ("s1", ""), ("s3", "helper"), ("s10", "")]
    with open_store(str(tmp_path)) as db:
        for number, (session, agent) in enumerate(said):
            at = f"2026-11-30T10:00:{number:02}.000Z"
            capture.record(
                db, Sighting(PROMPT, session, f"the cart {number}", at, host="claude", channel=HOOK, agent=agent)
            )
        for session in ("s1", "s2", "s10", "nobody"):
            only = Filter(not_session=session)
            assert only.leaves_out
            found = search.holding(db, "cart", 100, only)
            assert sorted(found) == [seq for seq, (told, _) in enumerate(said, 1) if told != session]
            assert search.holding(db, "cart", 1, only) == [max(found)]
            both = Filter(not_session=session, since="2026-11-30T10:00:02.000Z")
            assert not both.leaves_out
            assert sorted(search.holding(db, "cart", 100, both)) == [seq for seq in sorted(found) if seq > 2]
