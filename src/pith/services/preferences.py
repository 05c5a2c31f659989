"""Standing preferences: found in what the person said, confirmed, added and withdrawn by the person alone.

What holds in this project stands in its store, what holds everywhere in the personal one; both as changes of knowledge
of which the rows are a fold. A candidate is only where a prompt says something: it holds nothing, and is told nobody
but the person. Functions take the workspace of the project and return what every face prints.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from pith.domain import knowledge, preferences, secrets
from pith.domain.evidence import quote_hash
from pith.domain.preferences import CANDIDATE, CONFIRMED, EVERYWHERE, LONGEST, PROJECT, WITHDRAWN, Preference
from pith.errors import Ambiguous, InputError, NotFound
from pith.services import lookup, personal
from pith.services.knowledge.fold import Cause, Command, catch_up
from pith.services.project_memory import review
from pith.services.project_memory.review import TERMINAL, Ask
from pith.services.workspace import Workspace
from pith.store import citations, events, meta
from pith.store import knowledge as changes
from pith.store import preferences as stored
from pith.store.database import Db

BATCH = 200  # prompts that are read before what was found in them is written
BEFORE_ANSWERING = 2.0  # seconds that a command spends on new prompts before it answers
_FOUND = "preferences.found"
_RULES = "preferences.rules"
_LEAST_OF_AN_ID = 4

Told = dict[str, Any]


# -- Looking -------------------------------------------------------------------------------------------------


def listed(ws: Workspace, *, all: bool = False, seconds: float = BEFORE_ANSWERING) -> Told:
    """What holds here and everywhere, then what may be meant to; with `all` what was withdrawn too."""
    done = find(ws.db, seconds)
    shown = [each for each in _known(ws) if all or each["state"] != WITHDRAWN]
    order = (CONFIRMED, CANDIDATE, WITHDRAWN)
    return {"preferences": sorted(shown, key=lambda each: order.index(each["state"])), "unread": not done}


def one(ws: Workspace, name: str) -> Told:
    """The preference that a citation, an id or the beginning of one names. Raises NotFound and Ambiguous."""
    find(ws.db)
    return _named(_known(ws), name)


def look(ws: Workspace, name: str) -> Told:
    """The same among what was found and decided so far; writes nothing."""
    return _named(_known(ws, writing=False), name)


def find(db: Db, seconds: float = BEFORE_ANSWERING) -> bool:
    """Look for candidates in the prompts that were not read yet; False where some are left for the next time."""
    _begin_again_if_older(db)
    ends = time.monotonic() + seconds
    while True:
        after, last = changes.offset(db, _FOUND), stored.last_observed(db)
        if after >= last:
            return True
        if time.monotonic() > ends:
            return False
        rows = stored.prompts(db, after, BATCH)
        found = [(row["seq"], preferences.find(row["text"])) for row in rows]
        with db.transaction():
            for seq, wishes in found:
                stored.add_candidates(db, seq, wishes)
            changes.set_offset(db, rows[-1]["seq"] if len(rows) == BATCH else last, _FOUND)


def _begin_again_if_older(db: Db) -> None:
    if meta.get(db, _RULES) == preferences.VERSION:
        return
    with db.transaction():
        stored.clear_candidates(db)
        changes.set_offset(db, 0, _FOUND)
        meta.put(db, _RULES, preferences.VERSION)


def _known(ws: Workspace, *, writing: bool = True) -> list[Told]:
    """Every preference, each once: what holds everywhere goes before the same words for this project."""
    if writing:
        catch_up(ws.db)
    found: dict[str, Told] = {}
    for each in _everywhere(ws.home, writing):
        found[each.preference_id] = _told(ws.db, each)
    for each in stored.listed(ws.db):
        if found.get(each.preference_id, {}).get("state") != CONFIRMED:
            found[each.preference_id] = _told(ws.db, each)
    for candidate in _candidates(ws.db):
        found.setdefault(candidate["id"], candidate)
    return _cited(found.values())


def _everywhere(home: str, writing: bool) -> list[Preference]:
    own = personal.opened(home)
    if own is None:
        return []
    with own:
        if writing:
            catch_up(own.db)
        return stored.listed(own.db)


def _told(db: Db, each: Preference) -> Told:
    return {
        "id": each.preference_id,
        "text": each.text,
        "state": each.state,
        "scope": each.scope,
        "said_at": each.said_at,
        "confirmed_at": each.confirmed_at,
        "withdrawn_at": each.withdrawn_at,
        "event": next(filter(None, (_event(db, found["event_id"]) for found in each.evidence)), None),
        "evidence": list(each.evidence),
    }


def _event(db: Db, id: str) -> str | None:
    """The citation of the prompt that says it; None where that is in another project."""
    row = events.by_id(db, id)
    return lookup.cited(db, row) if row else None


def _candidates(db: Db) -> list[Told]:
    """What prompts say and nobody decided on, each wish once, in the words in which it was said last."""
    found: dict[str, Told] = {}
    for row in stored.candidates(db):
        text = row["text"][row["start"] : row["end"]]
        if row["preference_id"] in found or quote_hash(text) != row["quote_hash"]:
            continue
        wish = preferences.Wish(row["start"], row["end"], text)
        said = Preference(wish.id, text, PROJECT, CANDIDATE, row["at"], None, None, "", (wish.evidence(row["id"]),))
        found[wish.id] = {**_told(db, said), "scope": None}
    return list(found.values())


def _cited(found: Iterable[Told]) -> list[Told]:
    """Each with its citation, as short as tells them apart."""
    listed = list(found)
    names = {each["id"]: citations.name(stored.PREFERENCE, each["id"]) for each in listed}
    for each in listed:
        name = names[each["id"]]
        others = [other for other in names.values() if other != name]
        length = citations.SHORTEST
        while length < citations.LENGTH and any(other.startswith(name[:length]) for other in others):
            length += 1
        each["citation"] = f"mem:{name[:length]}"
    return listed


def _named(known: list[Told], name: str) -> Told:
    wanted = name.strip().strip("[]").lower()
    bare = wanted.removeprefix("mem:")
    found = [
        each
        for each in known
        if (len(bare) >= citations.SHORTEST and citations.name(stored.PREFERENCE, each["id"]).startswith(bare))
        or (len(bare) >= _LEAST_OF_AN_ID and wanted == bare and each["id"].startswith(bare))
    ]
    if not found:
        raise NotFound(f"There is no preference {name[:60]}.", hint="`pith prefer list --all` lists them.")
    if len(found) > 1:
        raise Ambiguous(f"{name[:60]} fits several: {', '.join(each['citation'] for each in found[:5])}.")
    return found[0]


# -- Deciding ------------------------------------------------------------------------------------------------


def confirm(ws: Workspace, name: str, *, everywhere: bool = False, via: str = TERMINAL, ask: Ask | None = None) -> Told:
    """Let a candidate, or what was withdrawn, hold from now on; a person's decision. Raises NeedsAPerson."""
    review.demand_via(via)
    found = one(ws, name)
    if _holds(found, everywhere):
        return {"preference": found, "changed": False}
    _demand_person(ws, "hold", found["text"], everywhere, ask)
    return _confirmed(ws, found, everywhere, via)


def add(ws: Workspace, text: str, *, everywhere: bool = False, via: str = TERMINAL, ask: Ask | None = None) -> Told:
    """Let something hold that the person states here and now. Raises NeedsAPerson, and InputError for no fit text."""
    review.demand_via(via)
    shown, masked = secrets.mask(secrets.without_private(" ".join(text.split()))[0])
    said = shown.strip()
    if not said.replace("[private]", "").strip():
        raise InputError("There is nothing to prefer.", hint='Run `pith prefer add "Always run the tests first"`.')
    if len(said) > LONGEST:
        raise InputError(
            f"That has {len(said):,} characters; a preference may have {LONGEST}.",
            hint="Say it in one sentence, or in several preferences.",
        )
    known = {each["id"]: each for each in _known(ws)}
    stated = Preference(preferences.id_of(said), said, PROJECT, CANDIDATE, None, None, None, "")
    found = known.get(stated.preference_id) or _told(ws.db, stated)
    extra = {"masked": masked} if masked else {}
    if _holds(found, everywhere):
        return {"preference": found, "changed": False, **extra}
    _demand_person(ws, "hold", said, everywhere, ask)
    return _confirmed(ws, found, everywhere, via) | extra


def withdraw(ws: Workspace, name: str, *, via: str = TERMINAL, ask: Ask | None = None) -> Told:
    """Let a preference hold no longer, here and everywhere, or refuse a candidate; a person's decision."""
    review.demand_via(via)
    found = one(ws, name)
    if found["state"] == WITHDRAWN:
        return {"preference": found, "changed": False}
    _demand_person(ws, "no longer hold", found["text"], found["scope"] == EVERYWHERE, ask)
    if found["state"] == CANDIDATE or _in_force(ws.db, found["id"]):
        _append(ws.db, knowledge.PREFERENCE_WITHDRAWN, found, PROJECT, via)
    own = personal.opened(ws.home)
    if own is not None:
        with own:
            if _in_force(own.db, found["id"]):
                _append(own.db, knowledge.PREFERENCE_WITHDRAWN, found, EVERYWHERE, via)
    return {"preference": one(ws, found["id"]), "changed": True}


def _holds(found: Told, everywhere: bool) -> bool:
    """Whether a preference holds already at least as far as is asked."""
    return found["state"] == CONFIRMED and (found["scope"] == EVERYWHERE or not everywhere)


def _in_force(db: Db, id: str) -> bool:
    known = stored.by_id(db, id)
    return known is not None and known.state == CONFIRMED


def _demand_person(ws: Workspace, what: str, text: str, everywhere: bool, ask: Ask | None) -> None:
    where = "in every project" if everywhere else "in this project"
    review.demand_person(ws.place.root, f"Shall `{text}` {what} {where}?", ask)


def _confirmed(ws: Workspace, found: Told, everywhere: bool, via: str) -> Told:
    if everywhere:
        with personal.open_personal(ws.home) as own:
            _append(own.db, knowledge.PREFERENCE_CONFIRMED, found, EVERYWHERE, via)
    else:
        _append(ws.db, knowledge.PREFERENCE_CONFIRMED, found, PROJECT, via)
    return {"preference": one(ws, found["id"]), "changed": True}


def _append(db: Db, kind: str, found: Told, scope: str, via: str) -> None:
    """Append the decision, with the words and where they stand: forgetting the prompt takes them along."""
    payload = {
        "preference": found["id"],
        "text": found["text"],
        "scope": scope,
        "said_at": found["said_at"],
        "evidence": found["evidence"],
        "via": via,
    }
    sources = [each["event_id"] for each in found["evidence"]]
    with Command(db, Cause()) as command:
        command.append(kind, payload, sources=sources)
