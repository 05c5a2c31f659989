"""What a person confirmed and withdrew, folded into standing preferences."""

from __future__ import annotations

from dataclasses import replace

from pith.domain import preferences
from pith.domain.fold import Rows
from pith.domain.knowledge import Change
from pith.domain.preferences import CONFIRMED, EVERYWHERE, PROJECT, WITHDRAWN, Preference


def preference_confirmed(rows: Rows, change: Change) -> None:
    """The preference holds from now on, in the words and as far as it was confirmed last."""
    preference = _told(change, CONFIRMED)
    if preference is not None:
        rows.put_preference(replace(preference, confirmed_at=change.at))


def preference_withdrawn(rows: Rows, change: Change) -> None:
    """The preference holds no longer; a candidate that was refused is kept with its words, lest it come up again."""
    known = rows.preference(str(change.payload["preference"])) or _told(change, WITHDRAWN)
    if known is not None:
        rows.put_preference(replace(known, state=WITHDRAWN, withdrawn_at=change.at, event_id=change.id))


def _told(change: Change, state: str) -> Preference | None:
    """The preference as the change tells it; None where it has no words."""
    payload = change.payload
    text = str(payload.get("text") or "").strip()
    if not text:
        return None
    return Preference(
        preference_id=str(payload.get("preference") or preferences.id_of(text)),
        text=text,
        scope=EVERYWHERE if payload.get("scope") == EVERYWHERE else PROJECT,
        state=state,
        said_at=payload.get("said_at") or None,
        confirmed_at=None,
        withdrawn_at=None,
        event_id=change.id,
        evidence=tuple(payload.get("evidence") or ()),
    )
