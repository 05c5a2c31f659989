"""What the worker does for the outbox: claim a batch, read its texts, embed them once, write the index once, finish.

The caller holds the project's lock, so that nobody else writes the index. Killed anywhere, the next pass ends with the
same index: a claim is taken back, a text that is there already is not embedded again, a job that was asked for again
meanwhile stays pending.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pith import platform
from pith.domain import outbox, secrets
from pith.domain.outbox import BATCH, EMBEDDED, GONE, RETRYABLE, UNCHANGED, Permanent, RetryPolicy
from pith.domain.ports import Embedder, VectorIndex, VectorRow
from pith.errors import PithError
from pith.services.meaning import texts, versions
from pith.services.work import record
from pith.store import jobs
from pith.store.database import Db
from pith.store.items import Item
from pith.store.jobs import Job

PIECES = 128  # in one call of the embedder: between two calls a worker can be stopped
_DOWN = 3  # failures in a row, without a success, from which on nothing answers
_CLEANED = 1_000  # jobs removed in one transaction
_TOLD = 300  # characters of an error
_DAY_MS = 86_400_000

GoOn = Callable[[], bool]
Clock = Callable[[], int]


@dataclass
class Progress:
    """What a pass did; `next_due` is when the next job may be tried: '' for now, None for never."""

    embedded: int = 0
    unchanged: int = 0
    gone: int = 0
    failed: int = 0
    retried: int = 0
    recovered: int = 0
    cleaned: int = 0
    enqueued: int = 0
    batches: int = 0
    became_ready: bool = False
    next_due: str | None = None


@dataclass
class _Pass:
    """One pass of a worker over the jobs of one version."""

    db: Db
    embedder: Embedder
    index: VectorIndex
    version: str
    policy: RetryPolicy
    go_on: GoOn
    clock: Clock
    worker: str = field(default_factory=lambda: platform.new_id(platform.now_ms()))
    done: Progress = field(default_factory=Progress)
    failures: int = 0  # calls in a row that could not be done just now

    def now(self, later: float = 0) -> str:
        return platform.stamp(self.clock() + int(later * 1000))


class _Task(NamedTuple):
    """A claimed job with its text."""

    job: Job
    item: Item
    pieces: list[str]


def is_due(db: Db, now: str, most_retries: int = 3) -> bool:
    """Whether a worker would find something to do for the version in use; cheap enough for a hook."""
    return jobs.is_due(db, now, most_retries)


def prepare(db: Db, now_ms: int) -> tuple[int, int]:
    """On every start: take every claim back, remove old done jobs; how many of each. The caller holds the lock."""
    with db.transaction():
        recovered = jobs.recover(db, platform.stamp(now_ms))
    cleaned, before = 0, platform.stamp(now_ms - outbox.KEEP_DONE_DAYS * _DAY_MS)
    while True:
        with db.transaction():
            some = jobs.clean_up(db, before, _CLEANED)
        cleaned += some
        if some < _CLEANED:
            return recovered, cleaned


def serve(
    db: Db,
    embedder: Embedder,
    index: VectorIndex,
    *,
    version: str = "",
    policy: RetryPolicy | None = None,
    go_on: GoOn = lambda: True,
    clock: Clock = platform.now_ms,
) -> Progress:
    """Do what is due for the embedder's version until nothing is left, or `go_on` says no; never waits for anything.

    The version is registered where it is not; the caller holds the project's lock.
    """
    name = version or versions.register(db, embedder, platform.stamp(clock())).version
    work = _Pass(db, embedder, index, name, policy or RetryPolicy(), go_on, clock)
    work.done.recovered, work.done.cleaned = prepare(db, clock())
    while go_on() and work.failures < _DOWN:
        claimed = _claim(work)
        if claimed:
            work.done.batches += 1
            _serve_batch(work, claimed)
        elif some := versions.enqueue_some(db, name, work.now()):
            work.done.enqueued += some
        else:
            break
    work.done.became_ready = versions.settle(db, name, work.now())
    work.done.next_due = jobs.next_due(db, name, work.policy.most)
    return work.done


def _claim(work: _Pass) -> list[Job]:
    now = work.now()
    with work.db.transaction() as db:
        work.done.retried += jobs.retry_due(db, work.version, now, work.policy.most)
        return jobs.claim(db, work.version, work.worker, now, work.now(outbox.LEASE_SECONDS), BATCH)


def _serve_batch(work: _Pass, claimed: list[Job]) -> None:
    found = texts.read(work.db, [job.item for job in claimed])
    gone = [job for job in claimed if job.item not in found]
    try:
        held = work.index.digests([job.item for job in claimed])
        if gone:
            work.index.delete([job.item for job in gone])
    except Exception as error:
        _fail(work, claimed, error)
        return
    same = [job for job in claimed if job.item in found and held.get(job.item) == texts.digest(found[job.item])]
    _finish(work, gone, GONE, 0.0)
    _finish(work, same, UNCHANGED, 0.0)
    settled = {job.job_id for job in (*gone, *same)}
    rest = [job for job in claimed if job.job_id not in settled]
    for portion in _portions([_Task(job, found[job.item], texts.pieces(found[job.item])) for job in rest]):
        if not work.go_on():
            _put_off(work, [task.job for task in portion], "")
        else:
            _embed(work, portion)


def _portions(rest: list[_Task]) -> Iterator[list[_Task]]:
    """A batch in parts that one call of the embedder takes: the whole batch, unless its texts are long."""
    portion: list[_Task] = []
    size = 0
    for task in rest:
        if portion and size + len(task.pieces) > PIECES:
            yield portion
            portion, size = [], 0
        portion.append(task)
        size += len(task.pieces)
    if portion:
        yield portion


def _embed(work: _Pass, tasks: list[_Task]) -> None:
    """Embed and index these together; where that cannot be, each half alone, until the poisoned one stands alone."""
    if work.failures >= _DOWN:  # nothing answers; what was not tried is not charged with a try
        _put_off(work, [task.job for task in tasks], work.now(work.policy.wait(work.policy.most)))
        return
    began = work.clock()
    try:
        work.index.upsert(_rows(work.embedder, tasks))
    except Exception as error:
        if len(tasks) == 1 or _may_wait(work, tasks, error):
            _fail(work, [task.job for task in tasks], error)
        else:
            middle = len(tasks) // 2
            _embed(work, tasks[:middle])
            _embed(work, tasks[middle:])
        return
    work.failures = 0
    _finish(work, [task.job for task in tasks], EMBEDDED, (work.clock() - began) / len(tasks))


def _rows(embedder: Embedder, tasks: Sequence[_Task]) -> list[VectorRow]:
    """One call of the embedder for all pieces of these."""
    pieces = [(task.item, part, piece) for task in tasks for part, piece in enumerate(task.pieces)]
    vectors = embedder.embed_documents([piece for _, _, piece in pieces])
    if len(vectors) != len(pieces):
        raise Permanent(f"The embedder gave {len(vectors)} vectors for {len(pieces)} texts.")
    return [texts.row(item, part, piece, vector) for (item, part, piece), vector in zip(pieces, vectors, strict=True)]


def _may_wait(work: _Pass, tasks: Sequence[_Task], error: Exception) -> bool:
    """Whether all of a batch is simply tried again later; the last time, the poisoned one is looked for."""
    kind = outbox.kind_of(error)
    return all(work.policy.may_retry(task.job.retry_count, kind) for task in tasks)


def _finish(work: _Pass, done: list[Job], reason: str, took_ms: float) -> None:
    if done:
        with work.db.transaction() as db:
            jobs.finish(db, done, work.worker, work.now(), reason, took_ms)
    count = {EMBEDDED: "embedded", UNCHANGED: "unchanged", GONE: "gone"}[reason]
    setattr(work.done, count, getattr(work.done, count) + len(done))


def _fail(work: _Pass, failed: Sequence[Job], error: Exception) -> None:
    """Note why, and when these may be tried again."""
    kind = outbox.kind_of(error)
    work.failures = work.failures + 1 if kind == RETRYABLE else 0
    retry_after = getattr(error, "retry_after", None)
    with work.db.transaction() as db:
        for job in failed:
            not_before = work.now(work.policy.wait(job.retry_count, retry_after)) if kind == RETRYABLE else ""
            jobs.fail(db, job, work.worker, work.now(), _told(error), kind, not_before)
    work.done.failed += len(failed)


def _put_off(work: _Pass, claimed: list[Job], not_before: str) -> None:
    """Give jobs back that were not tried."""
    with work.db.transaction() as db:
        jobs.release(db, claimed, work.worker, work.now(), not_before)


def _told(error: Exception) -> str:
    """The error as it is stored: our own sentence, secrets masked; of another its name and place: it may quote."""
    sentence = str(error) if isinstance(error, PithError) else record.told(error)
    return secrets.mask(" ".join(sentence.split())[:_TOLD])[0]
