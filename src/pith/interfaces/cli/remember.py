"""`pith remember`: propose what a quest taught, look at proposals, and accept or reject them."""

from __future__ import annotations

from pith.domain.nodes import LIST, OWN_FIELDS
from pith.errors import InputError
from pith.interfaces.cli import called
from pith.interfaces.cli.command import Answer, argument, command, option
from pith.interfaces.cli.shared_here import asker, refreshed, shared_here, show_rows, warn
from pith.services.project_memory import decide
from pith.services.project_memory import remember as service

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.command import Parameter
    from pith.interfaces.cli.output import Terminal
    from pith.services.project_memory.shared import Shared

INVALID = 1  # the exit code when a proposal breaks a rule

VALIDITY = ("stability", "stale_after", "valid_from", "valid_to")


def _own_options() -> list[Parameter]:
    """An option for each field that only some kinds of node have."""
    owners: dict[str, list[str]] = {}
    for kind, fields in OWN_FIELDS.items():
        for name in fields:
            owners.setdefault(name, []).append(kind)
    shapes = {name: shape for fields in OWN_FIELDS.values() for name, shape in fields.items()}
    return [
        option(f"--{name.replace('_', '-')}", many=shapes[name] == LIST, help=_owned(kinds, shapes[name]))
        for name, kinds in owners.items()
    ]


def _owned(kinds: list[str], shape: str) -> str:
    return f"Only of the kind {' or '.join(kinds)}{'; may be repeated' if shape == LIST else ''}."


_CONTENT = (
    option("--candidate", help="What is to be remembered."),
    option("--why", help="Why it should be remembered."),
    option("--confidence", help="low, medium, high, or a number from 0 to 1."),
)
_FURTHER = (
    option("--link", many=True, help="A relation to a node, RELATION:NODE; may be repeated."),
    option("--path", many=True, help="A file or folder that it is about; may be repeated."),
    option("--entry", many=True, help="An entry that it rests on, by citation or id; may be repeated."),
    option("--stability", help="stable, slow_change or volatile."),
    option("--stale-after", help="When it needs a look again: 30d, 90d, or path:src/auth/**."),
    option("--valid-from", help="The first day on which it holds."),
    option("--valid-to", help="The last day on which it holds."),
    *_own_options(),
)


def _further(shared: Shared, given: dict[str, Any]) -> dict[str, Any]:
    """The fields for the node; what was not given is None."""
    if given["entry"]:
        from pith.services.project_memory import citing_entries

        given["entry"] = citing_entries.named(str(shared.layout.root), given["entry"])
    names = {"link": "links", "path": "scope_paths", "entry": "entries"}
    return {names.get(name, name): None if value == () else value for name, value in given.items()}


@command(
    "remember.propose",
    option("--quest", help="The completed quest that taught it."),
    option("--type", help=f"The kind of node: {', '.join(OWN_FIELDS)}; otherwise judged by rules."),
    *_CONTENT,
    option("--force", flag=True, help="Propose from a quest of level L0 or L1; needs `--reason`."),
    option("--reason", help="Why so small a quest is worth remembering."),
    *_FURTHER,
)
def propose(
    quest: str | None,
    type: str | None,
    candidate: str | None,
    why: str | None,
    confidence: str | None,
    force: bool,
    reason: str | None,
    **further: Any,
) -> dict[str, Any]:
    """Propose what a completed quest taught; it becomes memory only when a person accepts it."""
    if force != bool((reason or "").strip()):
        raise InputError("`--force` and `--reason` go together.", hint="Say why so small a quest is worth remembering.")
    shared = shared_here()
    proposed = service.propose(
        shared,
        quest or "",
        node_type=type,
        candidate=candidate,
        why=why,
        confidence=confidence,
        further=_further(shared, further),
        force_reason=reason,
    )
    return proposed.as_json()


@propose.text
def show_proposed(data: Any, terminal: Terminal) -> None:
    """The proposal, why it has its type, and what to do next."""
    proposal = data["proposal"]
    if data["duplicated"]:
        terminal.line("The same is proposed already:")
    terminal.line((proposal["id"], "bold"))
    terminal.line(("type     ", "dim"), f"{proposal['node_type']}: {data['type_reason']}")
    terminal.line(("file     ", "dim"), proposal["file"])
    terminal.line(("next     ", "dim"), f"{called.name()} remember show {proposal['id']}")
    warn({"warnings": data["warnings"]}, terminal)


@command(
    "remember.list",
    option("--status", help="pending, accepted or rejected; otherwise all."),
    option("--type", help="Only this kind of node."),
    option("--quest", help="Only proposals of this quest, by its whole id."),
)
def list_(status: str | None, type: str | None, quest: str | None) -> dict[str, Any]:
    """List proposals, the latest change first."""
    shared = shared_here()
    return service.listed(shared, status=status, node_type=type, quest=quest).as_json(shared.layout)


@list_.text
def show_list(data: Any, terminal: Terminal) -> None:
    """A row a proposal."""
    if not data["proposals"]:
        terminal.line("No proposal is here.")
    rows = [
        (each["status"], each["id"], each["node_type"], each["confidence"], each["title"]) for each in data["proposals"]
    ]
    show_rows(rows, terminal, id=1)
    warn(data, terminal)


_PROPOSAL = argument("proposal", help="Its id, or a beginning that fits one only.")


@command("remember.show", _PROPOSAL)
def show(proposal: str) -> dict[str, Any]:
    """Show a proposal as its file has it."""
    return service.show(shared_here(), proposal)


@show.text
def show_one(data: Any, terminal: Terminal) -> None:
    """The file."""
    terminal.line(data["proposal"]["content"].rstrip("\n"))


@command("remember.validate", _PROPOSAL)
def validate(proposal: str) -> Answer:
    """Check a proposal of any status against the rules."""
    found = service.validate(shared_here(), proposal)
    return Answer(found) if found["validation"]["valid"] else Answer(found, code=INVALID, error=_failure(found))


def _failure(found: dict[str, Any]) -> dict[str, str]:
    """What the envelope of a proposal that breaks a rule says beside its data."""
    id, file = found["proposal"]["id"], found["proposal"]["file"]
    return {
        "code": "MEMORY_PROPOSAL_INVALID",
        "message": f"Memory proposal {id} breaks a rule: {found['validation']['errors'][0]}.",
        "hint": f"`pith remember revise {id}` changes it; what it cannot change, mend by hand in {file}.",
    }


@validate.text
def show_validation(data: Any, terminal: Terminal) -> None:
    """What is wrong with it, or that nothing is."""
    validation = data["validation"]
    for severity, colour in (("error", "red"), ("warning", "yellow")):
        for sentence in validation[f"{severity}s"]:
            terminal.line((severity, colour), f" {sentence}")
    if validation["valid"]:
        terminal.line((data["proposal"]["id"], "bold"), " is valid.")


@command("remember.revise", _PROPOSAL, *_CONTENT, *_FURTHER)
def revise(
    proposal: str, candidate: str | None, why: str | None, confidence: str | None, **further: Any
) -> dict[str, Any]:
    """Change a pending proposal before somebody decides on it."""
    shared = shared_here()
    return service.revise(
        shared, proposal, candidate=candidate, why=why, confidence=confidence, further=_further(shared, further)
    )


@revise.text
def show_revised(data: Any, terminal: Terminal) -> None:
    """What was changed, and what is wrong with it now."""
    terminal.line((data["proposal"]["id"], "bold"), f": changed {', '.join(data['revisions'])}.")
    warn(data["validation"], terminal)
    warn(data, terminal)


@command("remember.accept", _PROPOSAL)
def accept(proposal: str, terminal: Terminal) -> dict[str, Any]:
    """Make a pending proposal a node of the project's memory; a person's decision."""
    shared = shared_here()
    return refreshed(shared, decide.accept(shared, proposal, ask=asker(terminal)).as_json())


@accept.text
def show_accepted(data: Any, terminal: Terminal) -> None:
    """The node, and what belongs into git."""
    terminal.line(("accepted ", "green"), (data["node"]["id"], "bold"))
    terminal.line(("node     ", "dim"), data["node"]["file"])
    terminal.line(("proposal ", "dim"), data["proposal"]["file"])
    terminal.line(("next     ", "dim"), "git add .orange-hyper, and commit it with the work it belongs to")
    warn(data, terminal)


@command("remember.reject", _PROPOSAL, option("--reason", help="Why it is not to be remembered."))
def reject(proposal: str, reason: str | None) -> dict[str, Any]:
    """Put a pending proposal aside; no node comes of it."""
    return decide.reject(shared_here(), proposal, reason=reason)


@reject.text
def show_rejected(data: Any, terminal: Terminal) -> None:
    """Where it is now."""
    terminal.line("rejected ", (data["proposal"]["id"], "bold"))
    terminal.line(("file     ", "dim"), data["proposal"]["file"])
    warn(data, terminal)
