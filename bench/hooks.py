"""What a hook costs as a whole process, called as a host calls it."""

from __future__ import annotations

import json

from bench import questions, stores, texts
from bench.figures import Figure, Outcome
from bench.processes import HOOK, Contestant, compare

SECRETS = f" token ghp_{'a1B2' * 9} and AKIA{'ABCDEFGH12345678'} password=hunter2secret! "  # three, none of them real
SIZES = (
    ("capture, 600 characters", 600, 3.0, 2.5),
    ("capture, 64 KB of Korean, code and three secrets", 64 * 1024, 4.0, 3.2),
    ("capture, 1 MB", 1024 * 1024, 10.0, 7.0),
)


def capture(quick: bool) -> Outcome:
    """The hook after a response, into a store that grows with every call."""
    with stores.empty() as made:
        author = texts.Author(5)
        contestants = [
            Contestant(name, HOOK, lambda number, size=size: _response(author, str(made.folder), number, size))
            for name, size, _, _ in SIZES
        ]
        found = compare(contestants, stores.environment(made.home), 5 if quick else 21)
    figures = [
        Figure(name, found.ratios[name], "x", must, stretch, note=f"{found.milliseconds[name]:.1f} ms")
        for name, _, must, stretch in SIZES
    ]
    return Outcome(figures, found.remarks)


def answers(quick: bool) -> Outcome:
    """The hooks that answer with context, over a large store."""
    count = stores.QUICK_EVENTS if quick else stores.EVENTS
    asked = [question for question, _ in questions.varied(60, count)]
    prompt, start = f"prompt with recall, {count:,} events", f"session start with a brief, {count:,} events"
    with stores.copied(count) as made:
        folder = str(made.folder)

        def ask(number: int) -> bytes:
            return _payload(folder, number, "UserPromptSubmit", prompt=asked[number % len(asked)])

        def begin(number: int) -> bytes:
            # A session that begins twice within moments is told once.
            return _payload(folder, number, "SessionStart", source="startup", session_id=f"start-{number}")

        contestants = [Contestant(prompt, HOOK, ask), Contestant(start, HOOK, begin)]
        found = compare(contestants, stores.environment(made.home), 5 if quick else 21)
    bounds = {prompt: (5.0, 4.0), start: (None, None)}
    figures = [
        Figure(name, found.ratios[name], "x", *bounds[name], note=f"{found.milliseconds[name]:.1f} ms")
        for name in (prompt, start)
    ]
    # A hook hides every failure, and failing is fast: how often it spoke shows that it worked.
    figures += [Figure(f"  spoke at: {name}", found.spoken[name], "of 1") for name in (prompt, start)]
    return Outcome(figures, found.remarks)


def _response(author: texts.Author, folder: str, number: int, size: int) -> bytes:
    text = author.speech(size) if size < 1_000 else author.mixed(size)
    middle = len(text) // 2
    text = text[:middle] + (SECRETS if size > 1_000 else " ") + text[middle:]
    return _payload(folder, number, "Stop", last_assistant_message=text)


def _payload(folder: str, number: int, event: str, **fields: str) -> bytes:
    common = {"session_id": f"bench-{number % 7}", "cwd": folder, "hook_event_name": event, "prompt_id": f"p{number}"}
    return json.dumps({**common, **fields}, ensure_ascii=False).encode()
