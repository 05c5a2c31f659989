"""Whether work waits in a store, found by looks that a hook can afford: each reads a few hundred rows at most."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pith.store.database import Db

_LOOKED_AT = 300  # of the newest events; changes of knowledge stand between them

_UNREAD = """
    SELECT count(session) FROM (
        SELECT session FROM events WHERE seq > coalesce((
            SELECT seq FROM knowledge_offsets WHERE projection = 'extract.rules' AND origin = ''), 0)
        ORDER BY seq DESC LIMIT :most)
"""
# The first condition is what the index names; SQLite does not see that the others imply it.
_JOBS = """
    SELECT count(*) FROM (
        SELECT 1 FROM vector_outbox o
        WHERE o.embedding_version = (
                SELECT version FROM embedding_versions WHERE state != 'retired' ORDER BY chosen_at DESC LIMIT 1)
            AND o.status != 'done' AND o.not_before <= :now
            AND (o.status IN ('pending', 'processing')
                 OR o.status = 'failed' AND o.error_kind = 'retryable' AND o.retry_count < 3)
        LIMIT :most)
"""
# What was stored before its version is enqueued by the worker.
_UNENQUEUED = """
    SELECT enqueue_kind != '' FROM embedding_versions WHERE state != 'retired' ORDER BY chosen_at DESC LIMIT 1
"""


def unread(db: Db) -> int:
    """How many of the newest events nothing was drawn from yet; never more than a few hundred."""
    return int(db.execute(_UNREAD, {"most": _LOOKED_AT})[0][0])


def jobs(db: Db, now: str) -> int:
    """How many vectors of the version in use may be made now, a dead worker's included; a few hundred at most."""
    if any(row[0] for row in db.execute(_UNENQUEUED)):
        return _LOOKED_AT
    return int(db.execute(_JOBS, {"most": _LOOKED_AT, "now": now})[0][0])


def version(db: Db) -> int:
    """A number that differs when another connection has written since the last look."""
    return int(db.execute("PRAGMA data_version")[0][0])
