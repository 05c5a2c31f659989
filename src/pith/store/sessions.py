"""The sessions that events belong to, and the places (branch, commit, directory) where they happened."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from pith.store.database import Db

FACTS = ("title", "cwd", "parent", "ended_at", "end_reason")
TELLING = ("title", "cwd")  # those that go when the session is forgotten
NAMELESS = "recovered-"  # with a number: a session of which a damaged database told nothing but that
UNKNOWN_HOST = "unknown"


def number(db: Db, session: str, agent: str, host: str) -> int:
    """The number of a session (or of a subagent of it), given when it is first seen."""
    values = {"id": session, "agent": agent, "host": host}
    rows = db.execute("SELECT num FROM sessions WHERE id = :id AND agent = :agent", values)
    if rows:
        return int(rows[0]["num"])
    return db.insert("INSERT INTO sessions (id, agent, host) VALUES (:id, :agent, :host)", values)


def learn(db: Db, session: str, agent: str, host: str, fact: str, value: str) -> None:
    """Keep a fact about a session; the last one told counts, but a forgotten one (it stands empty) stays forgotten."""
    if fact not in FACTS:
        raise ValueError(f"{fact} is no fact of a session")
    num = number(db, session, agent, host)
    if value:
        db.execute(
            f"UPDATE sessions SET {fact} = :value WHERE num = :num AND coalesce({fact}, '-') != ''",
            {"value": value, "num": num},
        )


def facts(db: Db, session: str, agent: str) -> Any | None:
    """All facts of a session or of a subagent of it, if it is known."""
    rows = db.execute("SELECT * FROM sessions WHERE id = :id AND agent = :agent", {"id": session, "agent": agent})
    return rows[0] if rows else None


def forget_facts(db: Db, session: str, facts: Sequence[str] = TELLING, agent: str | None = None) -> None:
    """Take telling facts away from a session and its subagents, or from one of them, so that they never come back."""
    for fact in facts:
        if fact not in TELLING:
            raise ValueError(f"{fact} is no telling fact of a session")
        db.execute(
            f"UPDATE sessions SET {fact} = '' WHERE id = :session AND agent = coalesce(:agent, agent)",
            {"session": session, "agent": agent},
        )


def without_facts(db: Db, fact: str) -> list[str]:
    """Ids of the sessions from which that fact was taken away."""
    if fact not in TELLING:
        raise ValueError(f"{fact} is no telling fact of a session")
    return [row["id"] for row in db.execute(f"SELECT DISTINCT id FROM sessions WHERE {fact} = '' ORDER BY id")]


def titles(db: Db, session: str) -> list[str]:
    """What a session and its subagents are called."""
    rows = db.execute("SELECT title FROM sessions WHERE id = :session AND title != ''", {"session": session})
    return [str(row["title"]) for row in rows]


def is_remembered(db: Db, session: str) -> bool:
    """Whether anything that was said or done in the session is not forgotten."""
    return bool(
        db.execute(
            "SELECT 1 FROM sessions s JOIN events e ON e.session = s.num JOIN event_bodies b ON b.seq = e.seq"
            " WHERE s.id = :session AND b.forgotten_at IS NULL LIMIT 1",
            {"session": session},
        )
    )


def each(db: Db) -> list[Any]:
    """Every session with all its facts, in a lasting order."""
    return db.execute("SELECT * FROM sessions ORDER BY id, agent")


def place(db: Db, branch: str, commit: str, directory: str) -> int:
    """The number of a place, given when it is first seen."""
    values = {"branch": branch, "commit": commit, "directory": directory}
    rows = db.execute(
        "SELECT num FROM places WHERE branch = :branch AND commit_id = :commit AND directory = :directory", values
    )
    if rows:
        return int(rows[0]["num"])
    return db.insert("INSERT INTO places (branch, commit_id, directory) VALUES (:branch, :commit, :directory)", values)


def is_nameless(session: str) -> bool:
    """Whether the session's own name was lost."""
    return session.startswith(NAMELESS)


def has_nameless(db: Db) -> bool:
    """Whether the own name of any session was lost."""
    return bool(matching(db, NAMELESS))


def name(db: Db, nameless: str, session: str, agent: str, host: str) -> None:
    """Give a session its own name back.

    Where others have that name by now, events of both cannot become those of one: they never change. Then the session
    is noted as their parent.
    """
    values = {"was": nameless, "id": session, "agent": agent, "host": host}
    taken = db.execute("SELECT 1 FROM sessions WHERE id = :id AND agent = :agent", values)
    if taken:
        db.execute("UPDATE sessions SET parent = :id, host = :host WHERE id = :was", values)
    else:
        db.execute("UPDATE sessions SET id = :id, agent = :agent, host = :host WHERE id = :was", values)


# Which sessions are the latest the index tells; only their own events are read.
LATEST = """
    WITH chosen AS MATERIALIZED (
        SELECT s.id, max((SELECT max(e.at) FROM events e WHERE e.session = s.num)) AS last_at
        FROM sessions s WHERE :session = '' OR s.id = :session
        GROUP BY s.id HAVING last_at IS NOT NULL ORDER BY last_at DESC, s.id LIMIT :limit OFFSET :skip
    )
    SELECT s.id, s.host, max(CASE s.agent WHEN '' THEN s.title ELSE '' END) AS title,
           max(s.parent) AS parent, max(s.ended_at) AS ended_at,
           min(e.at) AS first_at, max(e.at) AS last_at, count(*) AS events,
           sum(e.kind = 'prompt') AS prompts, group_concat(DISTINCT nullif(p.branch, '')) AS branches,
           group_concat(DISTINCT nullif(s.agent, '')) AS agents,
           sum(b.forgotten_at IS NOT NULL) AS forgotten
    FROM chosen c CROSS JOIN sessions s ON s.id = c.id CROSS JOIN events e ON e.session = s.num
         JOIN event_bodies b ON b.seq = e.seq JOIN places p ON p.num = e.place
    GROUP BY s.id ORDER BY max(e.at) DESC, s.id
"""


def latest(db: Db, limit: int, skip: int = 0, session: str = "") -> list[Any]:
    """Sessions with their span, size and branches, the latest first; or the one that is named."""
    return db.execute(LATEST, {"limit": limit, "skip": skip, "session": session})


def matching(db: Db, prefix: str) -> list[str]:
    """Ids of the sessions that begin with `prefix`."""
    rows = db.execute(
        "SELECT DISTINCT id FROM sessions WHERE id >= :p AND id < :p || char(1114111) ORDER BY id", {"p": prefix}
    )
    return [row["id"] for row in rows]


def count(db: Db) -> int:
    """How many sessions have events, those of their subagents included; one that only began has none."""
    return int(
        db.execute(
            "SELECT count(DISTINCT s.id) FROM sessions s WHERE EXISTS (SELECT 1 FROM events e WHERE e.session = s.num)"
        )[0][0]
    )


BEFORE = """
    SELECT s.id, (SELECT e.at FROM events e WHERE e.session = s.num AND e.kind IN ('prompt', 'response', 'summary')
                  ORDER BY e.at DESC LIMIT 1) AS last_at
    FROM sessions s WHERE s.agent = '' AND s.id != :session AND last_at IS NOT NULL
    ORDER BY last_at DESC LIMIT :limit
"""


def before(db: Db, session: str, limit: int) -> list[str]:
    """The sessions that were spoken in last, this one left out, the latest first."""
    return [row["id"] for row in db.execute(BEFORE, {"session": session, "limit": limit})]
