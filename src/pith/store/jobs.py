"""Jobs of the vector outbox: asked for by triggers, claimed in batches, finished only where nobody asked again.

Every function takes part in the caller's transaction where there is one. On the hook's path: is work due?
"""

from __future__ import annotations

from pith.domain.outbox import DONE, FAILED, PENDING, PROCESSING, STATES, check_move

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from pith.store.database import Db


class Job:
    """A claimed job: which item is to be embedded for which version, and up to which asking it will be served."""

    __slots__ = ("item_id", "job_id", "kind", "retry_count", "version", "wanted")

    def __init__(self, row: Any) -> None:
        self.job_id, self.kind, self.item_id = row["job_id"], row["item_kind"], row["item_id"]
        self.version, self.wanted, self.retry_count = row["embedding_version"], row["wanted"], row["retry_count"]

    @property
    def item(self) -> tuple[str, str]:
        """What it is about: kind and id."""
        return self.kind, self.item_id


# -- Asking --------------------------------------------------------------------------------------------------


def enqueue(db: Db, kind: str, item_id: str) -> bool:
    """Ask for the vector of an item in every version; whether a job is new. Writers need not: triggers ask for them."""
    named = {"kind": kind, "id": item_id}
    count = "SELECT count(*) FROM vector_outbox WHERE item_kind = :kind AND item_id = :id"
    before = db.execute(count, named)[0][0]
    db.execute("INSERT INTO vector_wants (item_kind, item_id) VALUES (:kind, :id)", named)
    return bool(db.execute(count, named)[0][0] > before)


def enqueue_for(db: Db, version: str, items: Iterable[tuple[str, str]], now: str) -> int:
    """Ask for items in one version only, those left alone that have a job there; how many jobs are new."""
    return sum(
        db.changed(
            "INSERT INTO vector_outbox (job_id, item_kind, item_id, embedding_version, status, created_at, updated_at)"
            " VALUES (:kind || ':' || :id || '@' || :version, :kind, :id, :version, 'pending', :now, :now)"
            " ON CONFLICT (item_kind, item_id, embedding_version) DO NOTHING",
            {"kind": kind, "id": item_id, "version": version, "now": now},
        )
        for kind, item_id in items
    )


def want(db: Db, version: str, items: Sequence[tuple[str, str]], now: str) -> int:
    """Ask for items in one version once more, also where a job was done or failed; how many that changed."""
    again = sum(
        db.changed(
            "UPDATE vector_outbox SET status = 'pending', wanted = wanted + 1, retry_count = 0, not_before = '',"
            " error = NULL, error_kind = NULL, created_at = :now, updated_at = :now"
            " WHERE item_kind = :kind AND item_id = :id AND embedding_version = :version"
            " AND status IN ('done', 'failed')",
            {"kind": kind, "id": item_id, "version": version, "now": now},
        )
        for kind, item_id in items
    )
    return again + enqueue_for(db, version, items, now)


_UNSETTLED = """
    SELECT 1 FROM vector_outbox
    WHERE embedding_version = :version AND status != 'done'
      AND (status IN ('pending', 'processing') OR error_kind = 'retryable')
"""
DUE = f"""
    SELECT EXISTS (
        SELECT 1 FROM vector_outbox
        WHERE embedding_version = v.version AND status != 'done' AND status = 'pending' AND not_before <= :now
    ) OR EXISTS (
        SELECT 1 FROM vector_outbox
        WHERE embedding_version = v.version AND status != 'done' AND status = 'failed' AND not_before <= :now
          AND error_kind = 'retryable' AND retry_count < :most
    ) OR EXISTS (  -- claimed: by a worker that has died, if nobody holds the lock
        SELECT 1 FROM vector_outbox
        WHERE embedding_version = v.version AND status != 'done' AND status = 'processing'
    ) OR v.enqueue_kind != '' OR v.state = 'building' AND NOT EXISTS ({_UNSETTLED.replace(":version", "v.version")})
    FROM embedding_versions v WHERE v.state != 'retired' ORDER BY v.chosen_at DESC LIMIT 1
"""


def is_due(db: Db, now: str, most_retries: int = 3) -> bool:
    """Whether the version in use has something that a worker could do now; ask only where none is at work."""
    rows = db.execute(DUE, {"now": now, "most": most_retries})
    return bool(rows and rows[0][0])


# -- Working -------------------------------------------------------------------------------------------------

CLAIM = """
    UPDATE vector_outbox SET status = 'processing', claimed_by = :worker, lease_until = :lease, updated_at = :now
    WHERE rowid IN (
        SELECT rowid FROM vector_outbox
        WHERE embedding_version = :version AND status != 'done' AND status = 'pending' AND not_before <= :now
        ORDER BY not_before, created_at, rowid LIMIT :limit
    )
    RETURNING rowid, job_id, item_kind, item_id, embedding_version, wanted, retry_count
"""


def claim(db: Db, version: str, worker: str, now: str, lease_until: str, limit: int) -> list[Job]:
    """Take up to `limit` jobs that are due, the oldest first; nobody else can take them until the lease ends."""
    rows = db.execute(CLAIM, {"version": version, "worker": worker, "now": now, "lease": lease_until, "limit": limit})
    return [Job(row) for row in sorted(rows, key=lambda row: row["rowid"])]


FINISH = """
    UPDATE vector_outbox
    SET status = CASE WHEN wanted = :wanted THEN 'done' ELSE 'pending' END,  -- wanted again meanwhile
        created_at = CASE WHEN wanted = :wanted THEN created_at ELSE updated_at END,
        served = :wanted, claimed_by = NULL, lease_until = NULL, error = NULL, error_kind = NULL, retry_count = 0,
        not_before = '', reason = :reason, took_ms = :took, updated_at = :now
    WHERE job_id = :job_id AND claimed_by = :worker AND status = 'processing'
"""


def finish(db: Db, jobs: Iterable[Job], worker: str, now: str, reason: str, took_ms: float) -> int:
    """Note that the index holds what the jobs asked for; how many still belonged to the worker."""
    return sum(
        db.changed(
            FINISH,
            {
                "job_id": job.job_id, "wanted": job.wanted, "worker": worker,
                "reason": reason, "took": took_ms, "now": now,
            },
        )
        for job in jobs
    )  # fmt: skip


FAIL = """
    UPDATE vector_outbox
    SET status = CASE WHEN wanted = :wanted THEN 'failed' ELSE 'pending' END,  -- another text may fare better
        claimed_by = NULL, lease_until = NULL, error = :error, error_kind = :kind,
        retry_count = CASE WHEN wanted = :wanted THEN retry_count ELSE 0 END,
        not_before = CASE WHEN wanted = :wanted OR :kind = 'retryable' THEN :not_before ELSE '' END, updated_at = :now
    WHERE job_id = :job_id AND claimed_by = :worker AND status = 'processing'
"""


def fail(db: Db, job: Job, worker: str, now: str, error: str, kind: str, not_before: str) -> None:
    """Note why a job could not be done, and from when on it may be tried again."""
    db.execute(
        FAIL,
        {
            "job_id": job.job_id, "wanted": job.wanted, "worker": worker, "now": now,
            "error": error, "kind": kind, "not_before": not_before,
        },
    )  # fmt: skip


def release(db: Db, jobs: Iterable[Job], worker: str, now: str, not_before: str = "") -> None:
    """Give jobs back that were claimed and not tried, until some time if there is one."""
    db.many(
        "UPDATE vector_outbox SET status = 'pending', claimed_by = NULL, lease_until = NULL, not_before = :not_before,"
        " updated_at = :now WHERE job_id = :job_id AND claimed_by = :worker AND status = 'processing'",
        ({"job_id": job.job_id, "worker": worker, "now": now, "not_before": not_before} for job in jobs),
    )


# -- Again ---------------------------------------------------------------------------------------------------


def retry_due(db: Db, version: str, now: str, most: int) -> int:
    """Let retryable failures whose wait is over be tried again, counting the try; how many."""
    return db.changed(
        "UPDATE vector_outbox SET status = 'pending', retry_count = retry_count + 1, not_before = '', updated_at = :now"
        " WHERE embedding_version = :version AND status != 'done' AND status = 'failed' AND not_before <= :now"
        " AND error_kind = 'retryable' AND retry_count < :most",
        {"version": version, "now": now, "most": most},
    )


def retry_one(db: Db, job_id: str, now: str) -> bool:
    """Let one job be tried as if for the first time; False where there is none.

    Raises InvalidTransition where it already waits. Only the holder of the lock may ask it of a claimed one.
    """
    for row in db.execute("SELECT status FROM vector_outbox WHERE job_id = :id", {"id": job_id}):
        check_move(row["status"], PENDING)
        db.execute(
            "UPDATE vector_outbox SET status = 'pending', retry_count = 0, not_before = '', error = NULL,"
            " error_kind = NULL, claimed_by = NULL, lease_until = NULL, created_at = :now, updated_at = :now"
            " WHERE job_id = :id",
            {"id": job_id, "now": now},
        )
        return True
    return False


def retry_all(db: Db, now: str, version: str = "", kind: str = "") -> int:
    """Let failed jobs be tried as if for the first time, those of one version or kind of error only; how many."""
    return db.changed(
        "UPDATE vector_outbox SET status = 'pending', retry_count = 0, not_before = '',"
        " error = NULL, error_kind = NULL, created_at = :now, updated_at = :now"
        " WHERE status != 'done' AND status = 'failed' AND (:version = '' OR embedding_version = :version)"
        " AND (:kind = '' OR error_kind = :kind)",
        {"now": now, "version": version, "kind": kind},
    )


def recover(db: Db, now: str, lease_ended: str = "") -> int:
    """Take claims back: all, for the holder of the lock, or with `lease_ended` those whose lease ended by then."""
    return db.changed(
        "UPDATE vector_outbox SET status = 'pending', claimed_by = NULL, lease_until = NULL, updated_at = :now"
        " WHERE status != 'done' AND status = 'processing' AND (:ended = '' OR coalesce(lease_until, '') <= :ended)",
        {"now": now, "ended": lease_ended},
    )


def clean_up(db: Db, before: str, limit: int) -> int:
    """Remove jobs that were done before that time, a limited number; how many."""
    return db.changed(
        "DELETE FROM vector_outbox WHERE rowid IN ("
        "SELECT rowid FROM vector_outbox WHERE status = 'done' AND updated_at < :before"
        " ORDER BY updated_at LIMIT :limit)",
        {"before": before, "limit": limit},
    )


def remove_some(db: Db, version: str, limit: int) -> int:
    """Remove jobs of a version, a limited number; how many."""
    return db.changed(
        "DELETE FROM vector_outbox WHERE rowid IN ("
        "SELECT rowid FROM vector_outbox WHERE embedding_version = :version LIMIT :limit)",
        {"version": version, "limit": limit},
    )


# -- Looking -------------------------------------------------------------------------------------------------


def state_of(db: Db, version: str, item: tuple[str, str]) -> str | None:
    """In which state the job of an item is; None where there is none."""
    rows = db.execute(
        "SELECT status FROM vector_outbox WHERE item_kind = :kind AND item_id = :id AND embedding_version = :version",
        {"kind": item[0], "id": item[1], "version": version},
    )
    return str(rows[0]["status"]) if rows else None


def metrics(db: Db, version: str) -> dict[str, Any]:
    """Counts by state, mean time of a job, how long the oldest waits (since when), and when the last was done."""
    row = db.execute(
        "SELECT avg(took_ms) FILTER (WHERE status = 'done') AS mean_ms,"
        " min(created_at) FILTER (WHERE status = 'pending') AS oldest_pending,"
        " max(updated_at) FILTER (WHERE status = 'done') AS last_processed,"
        + ", ".join(f"count(*) FILTER (WHERE status = '{state}') AS {state}" for state in STATES)
        + " FROM vector_outbox WHERE embedding_version = :version",
        {"version": version},
    )[0]
    return {name: row[name] for name in (*STATES, "mean_ms", "oldest_pending", "last_processed")}


def next_due(db: Db, version: str, most: int) -> str | None:
    """When the first job of a version may be tried; '' means now, None that none will be."""
    rows = db.execute(
        "SELECT min(not_before) FROM vector_outbox WHERE embedding_version = :version AND status != 'done'"
        " AND (status = 'pending' OR (status = 'failed' AND error_kind = 'retryable' AND retry_count < :most))",
        {"version": version, "most": most},
    )
    found: str | None = rows[0][0]
    return found


def is_settled(db: Db, version: str) -> bool:
    """Whether every job of a version is done, or failed for good by its own fault."""
    return not db.execute(f"SELECT 1 WHERE EXISTS ({_UNSETTLED})", {"version": version})


def failed(db: Db, version: str, limit: int) -> list[Any]:
    """The jobs that failed last."""
    return db.execute(
        "SELECT item_kind, item_id, embedding_version, error, error_kind, retry_count, not_before, updated_at"
        " FROM vector_outbox WHERE embedding_version = :version AND status != 'done' AND status = 'failed'"
        " ORDER BY updated_at DESC, rowid DESC LIMIT :limit",
        {"version": version, "limit": limit},
    )


def unserved(db: Db, version: str, states: Sequence[str] = (PENDING, PROCESSING, FAILED)) -> set[tuple[str, str]]:
    """The items whose jobs are in one of these states: what the index holds of them is about to change."""
    listed = ", ".join(f"'{state}'" for state in states if state in STATES and state != DONE)
    rows = db.execute(
        "SELECT item_kind, item_id FROM vector_outbox"
        f" WHERE embedding_version = :version AND status != 'done' AND status IN ({listed})",
        {"version": version},
    )
    return {(row["item_kind"], row["item_id"]) for row in rows}
