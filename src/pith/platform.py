"""What differs between operating systems or must survive a sudden stop: folders, files, locks, ids, time.

Every hook imports this module, so it loads nothing but what Python has loaded already. The system is asked
for inside each function: that keeps imports away, and lets a test stand on another system's branch.
"""

from __future__ import annotations

import os
import sys
import time
from _thread import allocate_lock

from pith.errors import FileUnwritable, PithError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

APP = "pith"


# -- The home ------------------------------------------------------------------------------------------------


def home() -> str:
    """Return the absolute path of the user's data folder; `PITH_HOME` comes first."""
    chosen = os.environ.get("PITH_HOME")
    if chosen:
        return os.path.abspath(os.path.expanduser(chosen))
    return os.path.join(_data_folder(), APP)


def _data_folder() -> str:
    """Where this system keeps programs' data for one user, by the rules of platformdirs."""
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA") or os.path.join(os.path.expanduser("~"), "AppData", "Local")
    else:
        chosen = os.environ.get("XDG_DATA_HOME", "")
        if os.path.isabs(chosen):  # the specification says that a relative path is to be ignored
            return chosen
        rest = ("Library", "Application Support") if sys.platform == "darwin" else (".local", "share")
        return os.path.join(os.path.expanduser("~"), *rest)


# -- Folders and whole files ---------------------------------------------------------------------------------


def private_folder(path: str) -> None:
    """Make the folder, and the parents it lacks, for this user only; raise FileUnwritable when that fails."""
    try:
        _make_private(os.path.abspath(path))
    except OSError as error:
        raise _unwritable(path, error) from error


def _make_private(path: str) -> None:
    if os.path.isdir(path):
        return
    parent = os.path.dirname(path)
    if parent != path:
        _make_private(parent)
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        if not os.path.isdir(path):  # else another process was faster
            raise


def write_private(path: str, data: bytes) -> None:
    """Put the bytes at the path in one step, readable by this user only, and durable when this returns.

    A reader sees the old file or the new one. After FileUnwritable the old file stands, without a draft.
    """
    folder, name = os.path.split(os.path.abspath(path))
    draft = os.path.join(folder, f".{name[:60]}.{os.getpid()}-{os.urandom(4).hex()}.draft")
    try:
        _write_draft(draft, data)
        replace(draft, path)
        _flush_folder(folder)
    except OSError as error:
        _remove(draft)
        raise _unwritable(path, error) from error


def _write_draft(draft: str, data: bytes) -> None:
    binary = getattr(os, "O_BINARY", 0)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | binary, 0o600)
    try:
        rest = memoryview(data)
        while rest:  # a pipe-like or nearly full disk takes less than it was given
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


def _flush_folder(folder: str) -> None:
    """Make a rename in the folder durable, where the system has such a thing."""
    if sys.platform != "win32":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        except OSError:
            pass  # some network file systems refuse; the file itself is safe
        finally:
            os.close(descriptor)


def replace(src: str, dst: str) -> None:
    """Move `src` over `dst` in one step; on Windows wait a second for whoever has `dst` open."""
    patience = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.3) if sys.platform == "win32" else ()
    for pause in patience:
        try:
            os.replace(src, dst)
            return
        except PermissionError:  # a virus scanner, an indexer or another reader has it open just now
            time.sleep(pause)
    os.replace(src, dst)


def _unwritable(path: str, error: OSError) -> FileUnwritable:
    return FileUnwritable(f"{path} cannot be written: {error.strerror or error}.")


# -- Locks ---------------------------------------------------------------------------------------------------


class LockTimeout(PithError):
    """Another process kept a lock for longer than this one could wait."""

    code = "LOCK_TIMEOUT"
    hint = "Another pith is busy with the same files; try again when it has finished."
    http_status = 503


class Lock:
    """A lock that the operating system keeps on a file: `with Lock(path, timeout=5): ...`.

    It ends with the process that took it, however that ends; children do not get it. The file stays, empty.
    Entering raises LockTimeout after `timeout` seconds, and FileUnwritable where the file cannot be made.
    """

    __slots__ = ("_descriptor", "path", "timeout")

    def __init__(self, path: str, timeout: float = 5.0) -> None:
        self.path = path
        self.timeout = timeout
        self._descriptor = -1

    def __enter__(self) -> Lock:
        end = time.monotonic() + self.timeout
        pause = 0.002
        while not self.acquire():
            if time.monotonic() >= end:
                raise LockTimeout(f"{self.path} is still locked after {self.timeout:g} seconds.")
            time.sleep(pause)
            pause = min(pause * 1.5, 0.05)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    @property
    def held(self) -> bool:
        """Whether this object has the lock now."""
        return self._descriptor >= 0

    def acquire(self) -> bool:
        """Take the lock if it is free, without waiting."""
        if self.held:
            return False
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise _unwritable(self.path, error) from error
        if not (_lock(descriptor) and _is_still(self.path, descriptor)):
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        _remember(self)
        return True

    def release(self) -> None:
        """Give the lock back; safe to call twice."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            _held.discard(self)
            _unlock(descriptor)
            os.close(descriptor)

    def let_go(self) -> None:
        """Close the file in a forked child; unlocking it would take the lock from the parent."""
        descriptor, self._descriptor = self._descriptor, -1
        os.close(descriptor)


def try_lock(path: str) -> Lock | None:
    """Return the lock on the path, taken, or None if somebody else has it."""
    lock = Lock(path)
    return lock if lock.acquire() else None


def _lock(descriptor: int) -> bool:
    """Lock an open file if nobody else has; flock and msvcrt both forget it when the process ends."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _unlock(descriptor: int) -> None:
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(descriptor, 0, os.SEEK_SET)  # Windows locks bytes from the current position
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_UN)
    except OSError:
        pass  # closing the file gives it back too


def _is_still(path: str, descriptor: int) -> bool:
    """Whether the open file is the one at the path: somebody may have removed its folder while we waited."""
    if sys.platform == "win32":
        return True  # an open file cannot be removed there
    else:
        try:
            return os.path.samestat(os.stat(path), os.fstat(descriptor))
        except OSError:
            return False


_held: set[Lock] = set()
_watching_forks = False


def _remember(lock: Lock) -> None:
    """Note a lock that a forked child must let go of: a descriptor kept there would keep the lock alive."""
    global _watching_forks
    _held.add(lock)
    if not _watching_forks and hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_forget_parents_locks)
        _watching_forks = True


def _forget_parents_locks() -> None:
    for lock in _held:
        lock.let_go()
    _held.clear()


# -- Hashes, ids, time ---------------------------------------------------------------------------------------

_HASHLIB_PAYS = 700_000  # bytes from which OpenSSL's speed is worth loading it


def _light_sha256() -> Any:
    """Find a SHA-256 that does without OpenSSL, whose loading costs a hook more than hashing what it sees."""
    for name in ("_sha2", "_sha256"):  # Python 3.12 and later; 3.11
        try:
            return __import__(name).sha256
        except (ImportError, AttributeError):
            continue
    return __import__("hashlib").sha256


_small_sha256 = _light_sha256()


def sha256(data: bytes) -> bytes:
    """Return the 32 bytes of SHA-256."""
    if len(data) >= _HASHLIB_PAYS or "hashlib" in sys.modules:
        import hashlib

        return hashlib.sha256(data).digest()
    digest: bytes = _small_sha256(data).digest()
    return digest


_RANDOM_BITS = 74
_last_id = 0
_id_guard = allocate_lock()


def new_id(now_ms: int) -> str:
    """Return a UUIDv7 as text; later ones of one process sort after earlier ones, whatever the clock does."""
    global _last_id
    with _id_guard:
        number = now_ms << _RANDOM_BITS | _random(_RANDOM_BITS)
        if number <= _last_id or now_ms == _last_id >> _RANDOM_BITS:
            number = _last_id + 1 + _random(32)  # a random step: a forked child goes on from the same one
        _last_id = number
    return _uuid7(number)


def _random(bits: int) -> int:
    return int.from_bytes(os.urandom(10), "big") & ((1 << bits) - 1)


def _uuid7(number: int) -> str:
    """Write 48 bits of time and 74 of chance as a UUID, with version and variant put between them."""
    when, high, low = number >> 74, number >> 62 & 0xFFF, number & ((1 << 62) - 1)
    text = f"{(when & (1 << 48) - 1) << 80 | 7 << 76 | high << 64 | 2 << 62 | low:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def now_ms() -> int:
    """Return the milliseconds since 1970 by the system's clock."""
    return time.time_ns() // 1_000_000


def now() -> str:
    """Return the present time as UTC text: `2026-11-30T09:00:00.123Z`."""
    return stamp(now_ms())


def stamp(ms: int) -> str:
    """Write milliseconds since 1970 as UTC text."""
    seconds, rest = divmod(ms, 1000)
    year, month, day, hour, minute, second = time.gmtime(seconds)[:6]
    return f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}.{rest:03d}Z"


# -- Processes -----------------------------------------------------------------------------------------------

_NO_WINDOW, _NEW_GROUP, _LEAVE_JOB = 0x0800_0000, 0x0000_0200, 0x0100_0000


def detach(argv: list[str]) -> bool:
    """Start a process that outlives this one and shares nothing with it; say whether it started.

    No window, no terminal, no inherited handle: a host that reads our output to its end would wait for it.
    """
    if sys.platform == "win32":
        return _popen_detached(argv)
    elif not os.access(argv[0], os.X_OK):
        return False
    try:
        child = os.fork()  # half a millisecond; loading `subprocess` costs a hook more than all else that it does
        if child == 0:
            _become(argv)
        os.waitpid(child, 0)
    except OSError:
        return False
    return True


def _become(argv: list[str]) -> None:
    """Turn the forked child's child into the program, so that the system itself waits for it; never returns."""
    try:
        if sys.platform != "win32" and os.fork() == 0:
            os.setsid()
            os.chdir(os.sep)  # a folder that someone wants to delete must not be kept in use
            for standard in (0, 1, 2):
                os.dup2(os.open(os.devnull, os.O_RDWR), standard)
            most = os.sysconf("SC_OPEN_MAX")  # which may be said to be without end
            os.closerange(3, most if 0 < most < 0x100000 else 0x100000)
            os.execv(argv[0], argv)  # noqa: S606  there is nothing for a shell to read
    finally:
        os._exit(0)


def _popen_detached(argv: list[str]) -> bool:
    import subprocess

    nothing = subprocess.DEVNULL
    # A host may end all of its job with itself, and may forbid leaving it: try, then settle for less.
    for flags in (_NO_WINDOW | _NEW_GROUP | _LEAVE_JOB, _NO_WINDOW | _NEW_GROUP):
        try:
            child = subprocess.Popen(
                argv, stdin=nothing, stdout=nothing, stderr=nothing, cwd=os.sep, creationflags=flags
            )
        except OSError:
            continue
        child.returncode = 0  # we never wait for it, and do not want to be warned of that
        return True
    return False
