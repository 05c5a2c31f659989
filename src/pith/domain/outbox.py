"""Jobs of the vector outbox: their states and moves, what may go wrong with one, and when it is tried again."""

from __future__ import annotations

from pith.errors import PithError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

EVENT, ENTRY, TASK_TITLE, MEMORY, NODE = "event", "entry", "task_title", "memory", "node"
KINDS = (EVENT, ENTRY, TASK_TITLE, MEMORY, NODE)

PENDING, PROCESSING, DONE, FAILED = "pending", "processing", "done", "failed"
STATES = (PENDING, PROCESSING, DONE, FAILED)
MOVES: dict[str, tuple[str, ...]] = {
    PENDING: (PROCESSING,),
    PROCESSING: (DONE, FAILED, PENDING),  # back to pending: recovered, or wanted again meanwhile
    DONE: (PENDING,),
    FAILED: (PENDING,),
}

RETRYABLE, PERMANENT = "retryable", "permanent"
EMBEDDED, UNCHANGED, GONE = "embedded", "unchanged", "content_not_found"  # how a job was done

BATCH = 50
LEASE_SECONDS = 300  # in a shared store a claim returns then; on one machine the lock tells sooner
KEEP_DONE_DAYS = 7


class InvalidTransition(PithError):
    """A job cannot move to that state from where it is."""

    code = "INVALID_TRANSITION"
    hint = "`pith outbox status` shows where the jobs are."
    http_status = 409


def check_move(before: str, after: str) -> None:
    """Raise InvalidTransition unless a job may move so."""
    if after not in MOVES.get(before, ()):
        raise InvalidTransition(f"A vector job cannot move from {before} to {after}.")


class Retryable(PithError):
    """An embedder or an index cannot do it now, and may be able to later; `retry_after` is what it said itself."""

    code = "EMBEDDING_RETRYABLE"
    hint = "It is tried again by itself; `pith outbox status` shows when."
    http_status = 503

    def __init__(self, message: str, *, retry_after: float | None = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class Permanent(PithError):
    """An embedder or an index will never do it: trying again changes nothing."""

    code = "EMBEDDING_PERMANENT"
    hint = "`pith outbox status` shows the items, and `pith outbox retry` tries them once more."
    http_status = 422


def kind_of(error: BaseException) -> str:
    """Whether trying again may help. What an adapter did not name may be chance; a refused vector is none."""
    return PERMANENT if isinstance(error, (Permanent, ValueError)) else RETRYABLE


class RetryPolicy:
    """How often a job is tried again, and how many seconds each time waits."""

    __slots__ = ("most", "waits")

    def __init__(self, most: int = 3, waits: Sequence[float] = (1, 5, 30)) -> None:
        self.most, self.waits = most, tuple(waits) or (0,)

    def may_retry(self, retry_count: int, kind: str) -> bool:
        """Whether a job that failed so is tried again."""
        return kind == RETRYABLE and retry_count < self.most

    def wait(self, retry_count: int, retry_after: float | None = None) -> float:
        """Seconds until the next try; what a provider asked for wins."""
        if retry_after is not None:
            return max(0.0, retry_after)
        return float(self.waits[min(retry_count, len(self.waits) - 1)])
