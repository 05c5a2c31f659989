"""`pith verify`: read every quote again from the event that it was taken from."""

from __future__ import annotations

from pith.errors import Ambiguous, NotFound
from pith.interfaces.cli.command import Answer, argument, command, option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal
    from pith.store.database import Db

SHOWN = 20


@command(
    "verify",
    argument("entry", required=False, help="An entry's id, or its beginning; all entries without."),
    option("--bytes", flag=True, help="List every span with its place in bytes as well as in characters."),
)
def verify(entry: str | None, bytes: bool, terminal: Terminal) -> Answer:
    """Check that every entry still rests on the very words that it quotes."""
    from dataclasses import asdict

    from pith.services import lookup
    from pith.services.knowledge import fold as knowledge
    from pith.services.knowledge import verify as verifying
    from pith.services.workspace import open_workspace
    from pith.store import evidence

    with open_workspace() as ws:
        lookup.open_to_ask(ws.folder).close()
        knowledge.catch_up(ws.db)
        with terminal.progress("Reading", evidence.count(ws.db)) as bar:
            at = [0]

            def move(reached: int) -> None:
                bar.add(reached - at[0])
                at[0] = reached

            done = verifying.verify(ws.db, _named(ws.db, entry) if entry else "", bytes=bytes, progress=move)
    return Answer(asdict(done), code=0 if done.is_sound else 1)


def _named(db: Db, name: str) -> str:
    from pith.store import entries

    found = entries.matching(db, name)
    if not found:
        raise NotFound(f"There is no entry {name}.", hint="`pith entries` lists them.")
    if len(found) > 1:
        raise Ambiguous(f"{name} fits several entries: {', '.join(found)}.")
    return found[0]


@verify.text
def show(data: Any, terminal: Terminal) -> None:
    """What is broken first, then one line of counts."""
    for span in data["spans"]:
        places = f"{span['start']}–{span['end']} (bytes {span['byte_start']}–{span['byte_end']})"
        terminal.line((span["entry"], "dim"), f" {span['method']} {places} of event {span['event']}")
    for one in data["bad"][:SHOWN]:
        terminal.line(("broken ", "red"), f"{one['entry']} {one['title']}: {one['reason']} (event {one['event']}).")
    if data["broken"] > SHOWN:
        terminal.line(f"… and {data['broken'] - SHOWN:,} more; `--json` lists up to a thousand.")
    terminal.line(_counts(data))


def _counts(data: Any) -> str:
    told = [f"{data['checked']:,} spans read: {data['sound']:,} hold, {data['broken']:,} broken"]
    told += [
        f"{data[name]:,} {words}"
        for name, words in (
            ("forgotten", "forgotten"),
            ("failed", "never found"),
            ("older", "of the older shape, which names no event"),
        )
        if data[name]
    ]
    return "; ".join(told) + "."
