"""What differs between systems; the branches of the others are walked here too, on doubles of their modules."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
import types
import uuid
from pathlib import Path
from typing import Any

import pytest

from pith import platform
from pith.errors import FileUnwritable, PithError
from pith.platform import Lock, LockTimeout, try_lock

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="permissions are another thing there")

# -- The home ---------------------------------------------------------------------------------------------


def test_pith_home_comes_first(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setenv("PITH_HOME", "~/자료 모음")
    assert platform.home() == str(home / "자료 모음")
    monkeypatch.chdir(home)
    monkeypatch.setenv("PITH_HOME", "here")
    assert platform.home() == str(home / "here")


XDG = [None, "", "relative/share", "~/share", "  ", "/srv/데이터", "/srv/data/"]


@pytest.mark.parametrize("xdg", XDG)
def test_the_home_is_where_platformdirs_would_put_it(monkeypatch: pytest.MonkeyPatch, xdg: str | None) -> None:
    platformdirs = pytest.importorskip("platformdirs")
    use_xdg(monkeypatch, xdg)
    assert platform.home() == platformdirs.user_data_dir("pith", appauthor=False)


@posix_only
@pytest.mark.parametrize("xdg", XDG)
@pytest.mark.parametrize(("system", "module"), [("linux", "unix.Unix"), ("darwin", "macos.MacOS")])
def test_the_home_is_where_platformdirs_would_put_it_on_other_systems(
    monkeypatch: pytest.MonkeyPatch, system: str, module: str, xdg: str | None
) -> None:
    pytest.importorskip("platformdirs")
    file, _, name = module.partition(".")
    rules = getattr(__import__(f"platformdirs.{file}", fromlist=[name]), name)
    use_xdg(monkeypatch, xdg)
    monkeypatch.setattr(sys, "platform", system)
    assert platform.home() == rules("pith", appauthor=False).user_data_dir


def use_xdg(monkeypatch: pytest.MonkeyPatch, xdg: str | None) -> None:
    monkeypatch.delenv("PITH_HOME")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    if xdg is not None:
        monkeypatch.setenv("XDG_DATA_HOME", xdg)


@pytest.mark.parametrize(
    ("system", "xdg", "expected"),
    [
        ("linux", "", "{home}/.local/share/pith"),
        ("linux", "relative", "{home}/.local/share/pith"),
        ("linux", "/srv/data", "/srv/data/pith"),
        ("darwin", "", "{home}/Library/Application Support/pith"),
    ],
)
@posix_only
def test_the_home_on_unix_and_macos(
    monkeypatch: pytest.MonkeyPatch, home: Path, system: str, xdg: str, expected: str
) -> None:
    use_xdg(monkeypatch, xdg)
    monkeypatch.setattr(sys, "platform", system)
    assert platform.home() == expected.format(home=home)


def test_the_home_on_windows_is_the_local_application_data(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    use_xdg(monkeypatch, "/srv/data")
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", "C:/Users/me/AppData/Local")
    assert platform.home() == os.path.join("C:/Users/me/AppData/Local", "pith")
    monkeypatch.delenv("LOCALAPPDATA")
    assert platform.home() == str(home / "AppData" / "Local" / "pith")


# -- Folders and whole files ------------------------------------------------------------------------------


@posix_only
def test_a_private_folder_and_the_parents_it_lacks_are_for_their_owner_only(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    before = os.umask(0)
    try:
        platform.private_folder(str(tmp_path / "a" / "b"))
        platform.private_folder(str(tmp_path / "a" / "b"))
    finally:
        os.umask(before)
    assert [path.stat().st_mode & 0o777 for path in (tmp_path / "a", tmp_path / "a" / "b")] == [0o700] * 2
    assert tmp_path.stat().st_mode & 0o777 == 0o755


@posix_only
def test_a_private_file_is_for_its_owner_only_even_if_it_was_open_to_all(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text("old", encoding="utf-8")
    file.chmod(0o666)
    platform.write_private(str(file), "새 것".encode())
    assert file.read_text(encoding="utf-8") == "새 것"
    assert file.stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["settings.json"]


@pytest.mark.parametrize("data", [b"", b"\r\n\x1a\x00", b"x" * 3_000_000])
def test_any_bytes_arrive_as_they_are(tmp_path: Path, data: bytes) -> None:
    platform.write_private(str(tmp_path / "file"), data)
    assert (tmp_path / "file").read_bytes() == data


def test_a_file_name_as_long_as_a_name_may_be_can_be_written(tmp_path: Path) -> None:
    platform.write_private(str(tmp_path / ("쿠" * 85)), b"x")
    platform.write_private(str(tmp_path / ("x" * 255)), b"x")


@pytest.mark.parametrize("where", ["file/x", "file/deep/er", "missing/x"])
def test_what_cannot_be_written_is_said_in_a_sentence_and_leaves_no_draft(tmp_path: Path, where: str) -> None:
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(FileUnwritable, match=r"cannot be written: .+\.$"):
        platform.write_private(str(tmp_path / where), b"new")
    if where.startswith("file"):
        with pytest.raises(FileUnwritable):
            platform.private_folder(str(tmp_path / where))
    assert os.listdir(tmp_path) == ["file"]


def test_a_full_disk_leaves_the_old_file_and_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")

    def full(descriptor: int, data: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(FileUnwritable, match="No space left on device"):
            platform.write_private(str(file), b"new")
    assert file.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_readers_see_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    file, stop = tmp_path / "file", threading.Event()
    platform.write_private(str(file), b"0" * 50_000)
    seen = set()

    def read() -> None:
        while not stop.is_set():
            data = file.read_bytes()
            seen.add((len(data), len(set(data))))

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(40):
        platform.write_private(str(file), str(number % 10).encode() * 50_000)
    stop.set()
    reader.join()
    assert seen == {(50_000, 1)}


def refusing(times: int) -> Any:
    """An os.replace that finds the target in use so many times."""
    left, real = [times], os.replace

    def attempt(src: str, dst: str) -> None:
        left[0] -= 1
        if left[0] >= 0:
            raise PermissionError(errno.EACCES, "The process cannot access the file")
        real(src, dst)

    return attempt


def test_on_windows_a_target_in_use_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(time, "sleep", lambda _: None)
    monkeypatch.setattr(os, "replace", refusing(5))
    platform.write_private(str(tmp_path / "file"), b"new")
    assert (tmp_path / "file").read_bytes() == b"new"


def test_on_windows_a_target_in_use_for_ever_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(time, "sleep", lambda _: None)
    monkeypatch.setattr(os, "replace", refusing(1000))
    with pytest.raises(FileUnwritable, match="cannot access"):
        platform.write_private(str(tmp_path / "file"), b"new")
    assert os.listdir(tmp_path) == []


@posix_only
def test_elsewhere_a_refusal_is_final(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "replace", refusing(1))
    (tmp_path / "a").write_bytes(b"")
    with pytest.raises(PermissionError):
        platform.replace(str(tmp_path / "a"), str(tmp_path / "b"))


# -- Locks ------------------------------------------------------------------------------------------------

HOLD = """
import sys
from pith.platform import Lock
with Lock(sys.argv[1], timeout=20):
    print("held", flush=True)
    sys.stdin.readline()
"""


def holder(path: Path) -> subprocess.Popen[str]:
    """A process that has the lock when this returns."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_lock_is_had_by_one(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    with Lock(path) as lock:
        assert lock.held
        assert try_lock(path) is None
        assert not lock.acquire()
    assert not lock.held
    again = try_lock(path)
    assert again is not None
    again.release()
    again.release()


def test_a_lock_kept_by_another_process_ends_in_a_sentence(tmp_path: Path) -> None:
    process = holder(tmp_path / "lock")
    with (
        pytest.raises(LockTimeout, match=r"is still locked after 0\.05 seconds\.") as caught,
        Lock(str(tmp_path / "lock"), timeout=0.05),
    ):
        pytest.fail("two have the lock")
    assert isinstance(caught.value, PithError)
    process.communicate("go\n")
    with Lock(str(tmp_path / "lock"), timeout=20):
        pass


def test_a_killed_process_cannot_keep_a_lock(tmp_path: Path) -> None:
    process = holder(tmp_path / "lock")
    process.kill()
    process.communicate()
    with Lock(str(tmp_path / "lock"), timeout=20) as lock:
        assert lock.held


def test_a_child_does_not_keep_the_lock_of_its_parent(tmp_path: Path) -> None:
    with Lock(str(tmp_path / "lock")):
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False)
    free = try_lock(str(tmp_path / "lock"))
    assert free is not None
    free.release()
    child.communicate(b"\n")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_neither_keeps_nor_ends_the_lock_of_its_parent(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    lock = Lock(path).__enter__()
    child = os.fork()
    if child == 0:
        lock.release()  # as leaving the `with` would
        os._exit(0 if not lock.held and try_lock(path) is None else 1)
    assert os.waitpid(child, 0)[1] == 0
    sleeper = os.fork()
    if sleeper == 0:
        time.sleep(60)
        os._exit(0)
    lock.release()
    free = try_lock(path)
    os.kill(sleeper, signal.SIGKILL)
    os.waitpid(sleeper, 0)
    assert free is not None
    free.release()


@posix_only
def test_a_lock_on_a_removed_file_is_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with Lock(str(path)):
        path.unlink()
        with Lock(str(path)) as second:  # whoever comes now meets at the new file
            assert second.held
            assert try_lock(str(path)) is None


def test_a_lock_where_nothing_can_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FileUnwritable):
        try_lock(str(tmp_path / "file" / "lock"))


class FakeMsvcrt(types.ModuleType):
    """Windows' locking: a byte range from the current position, refused with an error while another has it."""

    LK_NBLCK, LK_UNLCK = 2, 0

    def __init__(self) -> None:
        super().__init__("msvcrt")
        self.locked: dict[int, int] = {}

    def locking(self, descriptor: int, mode: int, count: int) -> None:
        file = os.fstat(descriptor).st_ino
        assert (os.lseek(descriptor, 0, os.SEEK_CUR), count) == (0, 1)
        if mode == self.LK_UNLCK:
            assert self.locked.pop(file) == descriptor
        elif file in self.locked:
            raise PermissionError(errno.EACCES, "Permission denied")
        else:
            self.locked[file] = descriptor


def test_on_windows_a_lock_is_a_locked_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    double = FakeMsvcrt()
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "msvcrt", double)
    with Lock(str(tmp_path / "lock")):
        assert len(double.locked) == 1
        assert try_lock(str(tmp_path / "lock")) is None
    assert double.locked == {}


# -- Hashes, ids, time ------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [b"", "쿠폰함".encode(), b"x" * 699_999, b"x" * 700_001])
def test_sha256_is_sha256(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = hashlib.sha256(data).digest()
    assert platform.sha256(data) == expected
    monkeypatch.delitem(sys.modules, "hashlib")
    assert platform.sha256(data) == expected


def test_an_id_is_a_uuid_of_version_7_with_its_time() -> None:
    for ms in (platform.now_ms() + 10_000, 1 << 45, (1 << 48) - 1):
        made = uuid.UUID(platform.new_id(ms))
        assert (made.version, made.variant) == (7, uuid.RFC_4122)
        assert made.int >> 80 == ms


def test_ids_of_one_process_sort_as_they_were_made_whatever_the_clock_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(platform, "_last_id", 0)
    made = [platform.new_id(ms) for ms in [1_000_000] * 2000 + [999_000] * 100 + [1_000_001] * 100]
    assert made == sorted(set(made))


def test_threads_never_make_the_same_id() -> None:
    made: list[str] = []
    threads = [threading.Thread(target=lambda: made.extend([platform.new_id(5) for _ in range(500)])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 4000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_never_makes_the_id_that_its_parent_makes() -> None:
    platform.new_id(1 << 44)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, "".join(platform.new_id(5) for _ in range(50)).encode())
        os._exit(0)
    own = [platform.new_id(5) for _ in range(50)]
    os.waitpid(child, 0)
    other = os.read(reading, 50 * 36).decode()
    os.close(reading)
    os.close(writing)
    assert not any(text in other for text in own)


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1_796_029_200_123, "2026-11-30T09:00:00.123Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (1_796_029_200_999, "2026-11-30T09:00:00.999Z"),
    ],
)
def test_a_time_is_utc_text_with_milliseconds(ms: int, text: str) -> None:
    assert platform.stamp(ms) == text


@posix_only
def test_the_time_does_not_depend_on_the_time_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Seoul")
    time.tzset()
    try:
        assert platform.stamp(1_796_029_200_123) == "2026-11-30T09:00:00.123Z"
        before, text, after = platform.now_ms(), platform.now(), platform.now_ms()
        assert platform.stamp(before) <= text <= platform.stamp(after)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text)
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()


# -- Processes --------------------------------------------------------------------------------------------

START = """
import sys
from pith.platform import detach
assert detach([sys.executable, "-c", sys.argv[1], *sys.argv[2:]])
"""

OUTLIVE = """
import os, sys, time
while os.getppid() == int(sys.argv[2]):
    time.sleep(0.01)
answer = f"{os.getsid(0) == os.getpid()} {os.getcwd()}"
open(sys.argv[1] + ".draft", "w").write(answer)
os.rename(sys.argv[1] + ".draft", sys.argv[1])
time.sleep(0.3)
"""


@posix_only
def test_a_detached_process_outlives_its_parent_and_holds_nothing_of_it(tmp_path: Path) -> None:
    """The host reads our output to its end: that end comes although the child still runs."""
    reading, writing = os.pipe()
    script = START.replace("*sys.argv[2:]", "*sys.argv[2:], str(__import__('os').getpid())")
    done = subprocess.run(
        [sys.executable, "-c", script, OUTLIVE, str(tmp_path / "answer")],
        capture_output=True,
        pass_fds=[writing],
        timeout=60,
        check=True,
    )
    os.close(writing)
    assert os.read(reading, 1) == b""
    os.close(reading)
    assert (done.stdout, done.stderr) == (b"", b"")
    while not (tmp_path / "answer").exists():
        time.sleep(0.01)
    assert (tmp_path / "answer").read_text(encoding="utf-8") == f"True {os.sep}"


def test_what_cannot_be_started_is_said(tmp_path: Path) -> None:
    assert platform.detach([str(tmp_path / "nothing")]) is False


def test_on_windows_a_process_without_window_leaves_the_hosts_job_if_it_may(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = []

    class Refusing:
        returncode = None

        def __init__(self, argv: list[str], creationflags: int, **_: object) -> None:
            tried.append(creationflags)
            if creationflags & 0x0100_0000:  # CREATE_BREAKAWAY_FROM_JOB
                raise PermissionError(errno.EACCES, "Access is denied")

    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(subprocess, "Popen", Refusing)
    assert platform.detach(["pith"]) is True
    assert tried == [0x0900_0200, 0x0800_0200]


# -- What hooks pay ---------------------------------------------------------------------------------------

HEAVY = "dataclasses enum typing pathlib subprocess uuid hashlib logging argparse inspect contextlib functools random"


def test_nothing_heavy_is_loaded_for_it() -> None:
    code = "import sys, pith.platform; print(*sys.modules)"
    source = str(Path(platform.__file__).parents[1])
    script = f"import sys; sys.path.insert(0, {source!r}); {code}"
    done = subprocess.run([sys.executable, "-S", "-I", "-c", script], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & set(HEAVY.split())
