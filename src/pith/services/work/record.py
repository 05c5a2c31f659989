"""What the worker of a store did last and what went wrong: a small file beside the store, and a log of failures.

Neither holds a word that a person or an agent said: of errors only our own sentences are kept, of others the name.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pith import platform
from pith.errors import PithError
from pith.services.work.start import STATE

LOG = "work.log"
LOG_LIMIT = 200_000  # bytes; then it becomes `work.log.1`, in the place of the one before

IDLE, ONCE, STOPPED, TIME, MEMORY = "idle", "once", "stopped", "time", "memory"
ENDED_WELL = (IDLE, ONCE, STOPPED, TIME)


@dataclass
class Failure:
    """A chore that failed when it was last tried: how often since it last worked, and how."""

    times: int
    at: str
    error: str


@dataclass
class Done:
    """What a chore did when it last did something."""

    at: str
    said: str


@dataclass
class Record:
    """One run of a worker. Without `ended`, and while no worker runs, it was killed.

    What chores did, and which of them fail, is carried over from the runs before.
    """

    began: str = ""
    ended: str = ""
    why: str = ""  # why it ended
    until: str = ""
    passes: int = 0
    did: dict[str, Done] = field(default_factory=dict)
    failures: dict[str, Failure] = field(default_factory=dict)

    @property
    def is_well(self) -> bool:
        """Whether it ended as it should and no chore failed."""
        return self.why in ENDED_WELL and not self.failures


def read(folder: str) -> Record | None:
    """The last run of a store's worker; None where none ever ran, or its file cannot be read."""
    try:
        with open(os.path.join(folder, STATE), "rb") as file:
            return _from(json.loads(file.read(LOG_LIMIT)))
    except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return None


def _from(data: Mapping[str, Any]) -> Record:
    failures = {
        str(name): Failure(int(f["times"]), str(f["at"]), str(f["error"])) for name, f in data["failures"].items()
    }
    did = {str(name): Done(str(d["at"]), str(d["said"])) for name, d in data["did"].items()}
    texts = {name: str(data[name]) for name in ("began", "ended", "why", "until")}
    return Record(passes=int(data["passes"]), did=did, failures=failures, **texts)


def write(folder: str, record: Record) -> None:
    """Put down what the worker does; where that cannot be written, it works on."""
    try:
        platform.write_private(os.path.join(folder, STATE), json.dumps(asdict(record), ensure_ascii=False).encode())
    except PithError:
        pass


def told(error: BaseException) -> str:
    """What may be kept of an error: our own sentence, with a next step of its own; of another its name and place.

    Another's own words may quote somebody.
    """
    if isinstance(error, PithError):
        return f"{error} {vars(error).get('hint', '')}".rstrip()
    where = error.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    if where is None:
        return type(error).__name__
    return f"{type(error).__name__} in {os.path.basename(where.tb_frame.f_code.co_filename)}:{where.tb_lineno}"


def log(folder: str, line: str) -> None:
    """Add a line to the store's log of failures; never raises."""
    path = os.path.join(folder, LOG)
    try:
        if os.path.exists(path) and os.path.getsize(path) > LOG_LIMIT:
            platform.replace(path, f"{path}.1")
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, f"{platform.now()} {' '.join(line.split())}\n".encode())
        finally:
            os.close(descriptor)
    except OSError:
        pass


def count(folder: str) -> int:
    """How many lines the log holds."""
    try:
        with open(os.path.join(folder, LOG), "rb") as file:
            return sum(1 for _ in file)
    except OSError:
        return 0
