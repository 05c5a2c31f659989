"""How soon the dashboard shows its first page, and how soon it answers, with 100,000 events."""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from bench import questions, stores
from bench.figures import Figure, Outcome, noise, percentile

ASKED = 300
PAGES = ("/", "/sessions", "/entries", "/tasks", "/memories", "/preferences", "/settings", "/doctor")
API = ("/api/sessions", "/api/entries", "/api/tasks", "/api/activity", "/api/endless", "/api/settings")


def dashboard(quick: bool) -> Outcome:
    """The real program: from its start to the first page, then pages, searches and answers of the API in turns."""
    program = Path(sys.executable).parent / "pith"
    if not program.exists():
        return Outcome([], [f"Skipped: {program.name} is not installed beside {sys.executable}; run `make setup`."])
    count = stores.QUICK_EVENTS if quick else stores.EVENTS
    with stores.copied(count) as made, _running(program, made) as (host, token, began, pid):
        _timed(host, token, "/")
        shown, worked = (time.perf_counter() - began) * 1_000, _worked(pid)
        addresses = _addresses(host, token, 60 if quick else ASKED, count)
        for address in addresses[: len(PAGES) + len(API)]:
            _timed(host, token, address)
        clock, reference, before = [], [], _worked(pid)
        for address in addresses:
            reference.append(_reference())
            clock.append(_timed(host, token, address)[0] * 1_000)
        spent = (_worked(pid) - before) / len(addresses)
    worst = max(zip(clock, addresses, strict=True))
    return Outcome(
        [
            Figure(f"first page after `pith dashboard`, {count:,} events", shown, "ms", 1_000.0),
            Figure(f"an answer, {count:,} events, p50", percentile(clock, 0.5), "ms"),
            Figure(f"an answer, {count:,} events, p95", percentile(clock, 0.95), "ms", 200.0),
            Figure("the slowest answer", worst[0], "ms", note=worst[1][:40]),
            Figure("processor time until the first page", worked, "ms"),
            Figure("processor time of an answer, mean", spent, "ms"),
        ],
        noise(reference),
    )


@contextmanager
def _running(program: Path, made: stores.Made) -> Iterator[tuple[str, str, float, int]]:
    """The program: its host, its token, when it was started, and its number."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [str(program), "dashboard", "--json"],
        cwd=made.folder,
        env=stores.environment(made.home),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["data"]["address"]
        host, _, token = address.removeprefix("http://").partition("/?token=")
        yield host, token, began, process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=20)


def _worked(pid: int) -> float:
    """Milliseconds of processor time that a process took so far; nothing where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) * 1_000 / os.sysconf("SC_CLK_TCK")


def _timed(host: str, token: str, address: str) -> tuple[float, bytes]:
    """Seconds until an answer is there whole, and the answer; raises where it is none, since a failure is fast."""
    connection = http.client.HTTPConnection(host, timeout=60)
    began = time.perf_counter()
    connection.request("GET", address, headers={"Authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    body = answer.read()
    spent = time.perf_counter() - began
    connection.close()
    if answer.status != 200:
        raise RuntimeError(f"{address} was answered {answer.status}")
    return spent, body


def _addresses(host: str, token: str, count: int, events: int) -> list[str]:
    """Every page and list, then searches, sessions and memories, mixed; the same each time."""
    chance = random.Random(7)
    listed = json.loads(_timed(host, token, "/api/sessions?limit=100")[1])["data"]["sessions"]
    sessions = [quote(each["id"]) for each in listed]
    events_of = json.loads(_timed(host, token, f"/api/sessions/{sessions[0]}")[1])["data"]["events"]
    memories = [quote(each["citation"]) for each in events_of]
    asked = [quote(question) for question, _ in questions.varied(count // 3, events)]
    found = [f"/search?q={each}" for each in asked]
    found += [f"/api/recall?q={each}" for each in asked[: count // 6]]
    found += [f"/sessions/{chance.choice(sessions)}" for _ in range(count // 8)]
    found += [f"/memory/{chance.choice(memories)}" for _ in range(count // 8)]
    found += [chance.choice((*PAGES, *API)) for _ in range(count - len(found))]
    chance.shuffle(found)
    return [*PAGES, *API, *found]


def _reference() -> float:
    """Milliseconds for a fixed piece of work."""
    began = time.perf_counter()
    sum(range(20_000))
    return (time.perf_counter() - began) * 1_000
