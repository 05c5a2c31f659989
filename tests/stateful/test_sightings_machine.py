"""Sessions that hooks see once, twice or never, transcripts imported whole or torn at any time, forks, a locked store.

The model is the list of what was said. When everything has been imported at last, the store holds exactly that.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from pith import platform
from pith.interfaces.hook import main as hook
from sessions import (
    Answer,
    Claude,
    Clock,
    Codex,
    Host,
    Prompt,
    Say,
    Step,
    Tool,
    bring_in,
    call,
    expected,
    kept,
    written,
)

WORDS = st.sampled_from(["continue", "계속", "Done.", "다시 해 줘"])
TIMES = st.sampled_from([0, 1, 1, 2])
PAUSE = st.sampled_from([10, 900, 8_000])


class Sessions(RuleBasedStateMachine):
    """One repository, two sessions, and a fork of each now and then."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="sightings-"))
        self.cwd = self.folder / "work"
        self.cwd.mkdir()
        self.clock = Clock()
        self.before = os.environ.get("PITH_HOME"), platform.now_ms, hook.BUSY_HOOK_MS
        os.environ["PITH_HOME"] = str(self.folder / "pith")
        platform.now_ms = self.clock
        hook.BUSY_HOOK_MS = 1
        self.said: list[tuple[int, Step]] = []
        self.lines: list[dict[str, Any]] = []
        self.turns = 0

    def teardown(self) -> None:
        try:
            if hasattr(self, "host"):
                self.import_everything()
        finally:
            home, platform.now_ms, hook.BUSY_HOOK_MS = self.before
            os.environ.pop("PITH_HOME") if home is None else os.environ.update(PITH_HOME=home)
            shutil.rmtree(self.folder, ignore_errors=True)

    @initialize(codex=st.booleans(), ids=st.booleans())
    def begin(self, codex: bool, ids: bool) -> None:
        self.host: Host = (Codex if codex else Claude)("shop-1", self.cwd, self.folder)
        self.ids = ids
        self.forks: list[tuple[Host, list[Step]]] = []

    def happens(self, step: Step, times: int, pause: int) -> None:
        """The session goes on by one step; hooks see it so often, and the transcript grows."""
        self.clock.ms += pause
        self.said.append((self.clock.ms, step))
        if times:
            call(self.host, step, times)
        elif isinstance(self.host, Codex):
            self.host.payload(step)

    @rule(text=WORDS, times=TIMES, pause=PAUSE)
    def prompt(self, text: str, times: int, pause: int) -> None:
        self.turns += 1
        self.happens(Prompt(text, f"p{self.turns}" if self.ids else ""), times, pause)

    @rule(text=WORDS, times=TIMES, pause=PAUSE)
    def answer(self, text: str, times: int, pause: int) -> None:
        self.happens(Answer(text), times, pause)

    @rule(text=WORDS, pause=PAUSE)
    def say(self, text: str, pause: int) -> None:
        self.happens(Say(text), 0, pause)

    @rule(times=TIMES, pause=PAUSE)
    def tool(self, times: int, pause: int) -> None:
        self.turns += 1
        name = "exec_command" if isinstance(self.host, Codex) else "Bash"
        self.happens(Tool(f"t{self.turns}", name, {"command": "make"}, "ok"), times, pause)

    @precondition(lambda self: list(self.folder.rglob("store.db")))
    @rule(text=WORDS, pause=PAUSE, times=st.sampled_from([1, 2]), is_prompt=st.booleans())
    def happens_while_the_store_is_locked(self, text: str, pause: int, times: int, is_prompt: bool) -> None:
        (path,) = self.folder.rglob("store.db")
        writer = sqlite3.connect(path, isolation_level=None)
        writer.execute("BEGIN IMMEDIATE")
        try:
            self.prompt(text, times, pause) if is_prompt else self.answer(text, times, pause)
        finally:
            writer.close()

    def records(self, steps: list[tuple[int, Step]]) -> list[dict[str, Any]]:
        return self.host.records([step for _, step in steps], Told(self.clock, [at for at, _ in steps]))

    @precondition(lambda self: self.said)
    @rule(torn=st.sampled_from([0, 0, 1, 30]), data=st.data())
    def bring_in(self, torn: int, data: st.DataObject) -> None:
        """Import what the host had written up to some step, its last line perhaps not yet whole."""
        until = data.draw(st.integers(1, len(self.said)))
        bring_in(self.cwd, written(self.host.path, self.records(self.said[:until]), torn))

    @precondition(lambda self: self.said and not self.forks)
    @rule(own=st.lists(WORDS, min_size=1, max_size=3), now=st.booleans())
    def fork(self, own: list[str], now: bool) -> None:
        steps: list[Step] = [Prompt(text, f"f{number}" if self.ids else "") for number, text in enumerate(own)]
        past = [step for _, step in self.said]
        fork, lines = self.host.forked(past, Told(self.clock, [at for at, _ in self.said]), steps)
        written(fork.path, lines)
        self.forks.append((fork, steps))
        if now:
            bring_in(self.cwd, fork.path)

    def import_everything(self) -> None:
        self.clock.ms += 60_000
        call(self.host, Answer("the end"))
        self.said.append((self.clock.ms, Answer("the end")))
        bring_in(self.cwd, written(self.host.path, self.records(self.said)), *(fork.path for fork, _ in self.forks))
        wanted: Counter[Any] = expected(self.host.session, [step for _, step in self.said])
        for fork, own in self.forks:
            wanted += expected(fork.session, own)
        assert kept(self.cwd) == wanted

    @invariant()
    def nothing_is_lost_by_failing(self) -> None:
        assert not list(self.folder.rglob("losses.log"))
        assert not list(self.folder.rglob("*.damaged"))


class Told(Clock):
    """A clock that knows when each step was; what follows them happens later."""

    def __init__(self, clock: Clock, times: list[int]) -> None:
        super().__init__()
        self.clock, self.times = clock, times

    def at(self, number: int) -> None:
        last = self.times[-1] if self.times else self.clock.ms
        self.ms = self.times[number] if number < len(self.times) else last + (number - len(self.times) + 1) * 1_000


TestSessions = Sessions.TestCase
# A whole project each: two hundred take minutes.
TestSessions.settings = settings(stateful_step_count=25, max_examples=min(200, settings().max_examples))
