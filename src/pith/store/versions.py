"""Embedding versions: registered, in use, complete, retired; and how far what exists has been enqueued for one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from pith import platform
from pith.domain.times import milliseconds
from pith.store.database import Db

BUILDING, READY, RETIRED = "building", "ready", "retired"


class Version(NamedTuple):
    """A registered version."""

    version: str
    model: str
    dimensions: int
    hash: str
    opened_by: dict[str, Any]
    state: str
    registered_at: str
    chosen_at: str
    ready_at: str | None
    retired_at: str | None
    enqueue_kind: str
    enqueue_from: str


_COLUMNS = ", ".join(Version._fields)


def _of(row: Any) -> Version:
    return Version(**{**{name: row[name] for name in Version._fields}, "opened_by": json.loads(row["opened_by"])})


def by_name(db: Db, version: str) -> Version | None:
    """The version of that name."""
    rows = db.execute(f"SELECT {_COLUMNS} FROM embedding_versions WHERE version = :version", {"version": version})
    return _of(rows[0]) if rows else None


def listed(db: Db) -> list[Version]:
    """Every version ever registered, the one in use first, retired ones last."""
    return [
        _of(row)
        for row in db.execute(
            f"SELECT {_COLUMNS} FROM embedding_versions ORDER BY state = 'retired', chosen_at DESC, version"
        )
    ]


def in_use(db: Db) -> Version | None:
    """The version that was chosen last and is not retired."""
    found = listed(db)
    return found[0] if found and found[0].state != RETIRED else None


REGISTER = """
    INSERT INTO embedding_versions (version, model, dimensions, hash, opened_by, state, registered_at, chosen_at)
    VALUES (:version, :model, :dimensions, :hash, :opened_by, 'building', :now, :chosen)
    ON CONFLICT (version) DO UPDATE SET
        chosen_at = excluded.chosen_at, opened_by = excluded.opened_by,
        registered_at = CASE state WHEN 'retired' THEN excluded.registered_at ELSE registered_at END,
        ready_at = CASE state WHEN 'retired' THEN NULL ELSE ready_at END, retired_at = NULL,
        enqueue_kind = CASE state WHEN 'retired' THEN 'event' ELSE enqueue_kind END,
        enqueue_from = CASE state WHEN 'retired' THEN '' ELSE enqueue_from END,
        state = CASE state WHEN 'retired' THEN 'building' ELSE state END
"""


def put(
    db: Db, version: str, *, model: str, dimensions: int, hash: str, opened_by: Mapping[str, Any], now: str
) -> None:
    """Register a version, or choose it again; one that was retired begins anew."""
    db.execute(
        REGISTER,
        {
            "version": version, "model": model, "dimensions": dimensions, "hash": hash, "now": now,
            "chosen": _after_all(db, version, now),
            "opened_by": json.dumps(dict(opened_by), ensure_ascii=False, sort_keys=True),
        },
    )  # fmt: skip


def _after_all(db: Db, version: str, now: str) -> str:
    """A time after those at which others were chosen, whatever a clock that was set back says."""
    named = {"version": version}
    rows = db.execute("SELECT max(chosen_at) FROM embedding_versions WHERE version != :version", named)
    latest: str | None = rows[0][0]
    return now if latest is None or latest < now else platform.stamp(milliseconds(latest) + 1)


def note_enqueued(db: Db, version: str, kind: str, reached: str) -> None:
    """Note how far what exists has been enqueued; no kind means all of it."""
    db.execute(
        "UPDATE embedding_versions SET enqueue_kind = :kind, enqueue_from = :reached WHERE version = :version",
        {"version": version, "kind": kind, "reached": reached},
    )


def mark_ready(db: Db, version: str, now: str) -> bool:
    """Say that the version can answer alone; whether that is news."""
    return bool(
        db.changed(
            "UPDATE embedding_versions SET state = 'ready', ready_at = :now"
            " WHERE version = :version AND state = 'building'",
            {"version": version, "now": now},
        )
    )


def mark_retired(db: Db, version: str, now: str) -> None:
    """Say that nothing is to be written for the version any more."""
    db.execute(
        "UPDATE embedding_versions SET state = 'retired', retired_at = coalesce(retired_at, :now)"
        " WHERE version = :version",
        {"version": version, "now": now},
    )
