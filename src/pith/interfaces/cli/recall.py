"""`pith recall`, also called `search`: what was said, decided or tried, each with its citation."""

from __future__ import annotations

from pith.domain.events import KINDS
from pith.errors import InputError
from pith.interfaces.cli import event_line, knowledge_line, memory_line, node_line
from pith.interfaces.cli.command import argument, command, option
from pith.services.answers import recall as service
from pith.services.answers.here import here
from pith.services.answers.recall import LIMIT, Question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal

_PARTS = (
    ("words", "words"), ("close_together", "close together"), ("file", "its file"), ("meaning", "meaning"),
    ("kin", "kin"), ("neighbours", "turns beside it"), ("session", "its session"),
)  # fmt: skip


@command(
    "recall",
    argument("question", many=True, help="A question or a few words, in any language."),
    option("--limit", "-n", kind=int, default=LIMIT, help="How many to show."),
    option("--session", help="Only this session; the beginning of its id is enough."),
    option("--kind", choices=KINDS, many=True, help="Only this kind; may be repeated."),
    option("--file", help="Only events about this file, by its path or the end of it."),
    option("--since", help="Only from then on: 2026-11-01, 7d, yesterday, 어제."),
    option("--until", help="Only until then; a day is meant whole."),
    option("--branch", help="Only what happened on this branch."),
    option("--words", flag=True, help="By words alone, even where there is an embedder."),
    option("--explain", flag=True, help="Show of every hit which part of its score came from where."),
    option("--budget", kind=int, help="Print what an agent would be given, in at most so many tokens."),
)
def recall(
    question: tuple[str, ...],
    limit: int,
    session: str | None,
    kind: tuple[str, ...],
    file: str | None,
    since: str | None,
    until: str | None,
    branch: str | None,
    words: bool,
    explain: bool,
    budget: int | None,
) -> dict[str, Any]:
    """Find what was said, decided or tried."""
    asked = Question(
        " ".join(question),
        limit=limit,
        session=session,
        kinds=kind,
        file=file,
        since=since,
        until=until,
        branch=branch,
        words=words,
        explain=explain,
    )
    if limit < 1 or (budget is not None and budget < 1):
        raise InputError("`--limit` and `--budget` must be at least 1.", hint="Run `pith recall --help`.")
    return service.recall(here(), asked, face="cli", budget=budget)


@recall.text
def show(data: Any, terminal: Terminal) -> None:
    """Sure hits first; the others only under their own heading."""
    if data["context"]:
        _show_context(data["context"], terminal)
        return
    hits = data["hits"][: max(0, data["limit"] - len(data["entries"]))]
    sure = [hit for hit in hits if not hit["weak"]]
    weak = [hit for hit in hits if hit["weak"]]
    _show_known(data, terminal, weak=False)
    if not (data["hits"] or data["nodes"] or data["entries"] or data["memories"]):
        more = " or without a filter" if data["narrowed"] else ""
        terminal.line(f"Nothing is remembered about this. Ask in other words{more}, or look at `pith sessions`.")
    for hit in sure:
        event_line.show(hit, terminal)
        _explain(hit, terminal)
    if weak or any(each["weak"] for each in (*data["nodes"], *data["entries"])):
        terminal.line(("weak matches:", "dim"))
    _show_known(data, terminal, weak=True)
    for hit in weak:
        event_line.show(hit, terminal, style="dim")
        _explain(hit, terminal)
    if data["meaning"]["trouble"]:
        terminal.note(f"By words alone: {data['meaning']['trouble']}")
    if terminal.is_screen and data["hits"]:
        terminal.note("`pith show` prints one in full, `pith timeline` what happened around it.")


def _explain(hit: Any, terminal: Terminal) -> None:
    """The parts of a score on a line of its own: what is added, what it is multiplied by, which words matched."""
    parts = hit.get("parts")
    if not parts:
        return
    added = [f"{parts[name]:.3f} {said}" for name, said in _PARTS if parts[name]]
    times = [f"{factor:.2f} {name}" for name, factor in parts["times"].items()]
    line = " + ".join(added) + "".join(f" x {each}" for each in times) + f" = {parts['score']:.3f}"
    terminal.line((f"{event_line.INDENT}{line}; confidence {hit['confidence']:.2f}", "dim"))
    told = [f"{word} {share:g}" for word, share in parts["matched"].items()]
    told += [f"cosine {parts['cosine']:.2f}"] if parts["cosine"] is not None else []
    told += [f"kin: {parts['kin_of']}"] if parts["kin_of"] else []
    if told:
        terminal.line((f"{event_line.INDENT}{', '.join(told)}", "dim"))


def _show_context(told: Any, terminal: Terminal) -> None:
    if told["text"]:
        terminal.line(told["text"])
    elif told["left_out"]:
        terminal.note(f"{told['budget']} tokens hold none of the {told['left_out']} memories; give more.")
    else:
        terminal.note("An agent would be told nothing: no memory fits well enough.")


def _show_known(data: Any, terminal: Terminal, *, weak: bool) -> None:
    """Accepted nodes, then entries, then memories: those that are sure, or those that are not."""
    style = "dim" if weak else "bold"
    for node in data["nodes"]:
        if node["weak"] is weak:
            node_line.show(node, terminal, style=style)
            _explain(node, terminal)
    for entry in data["entries"]:
        if entry["weak"] is weak:
            knowledge_line.show_recalled(entry, terminal, style=style)
            _explain(entry, terminal)
    for memory in data["memories"]:
        if memory["weak"] is weak:
            memory_line.show(memory, terminal, style=style)
            _explain(memory, terminal)
