"""What the plugin keeps an agent from: accepting its own proposals. A guard, not a proof; a person decides.

A command line is taken apart as a shell would, roughly: what is run counts, however it is started, and what is only
quoted, searched for or written into a file does not.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

REASON = (
    "A person accepts proposals, an agent does not. Show the proposal and let them run `pith remember accept` in a"
    " terminal of their own, or use `pith dashboard`."
)
_OURS = ("pith", "orange", "pith-memory")
_SPEAKERS = ("echo", "printf", "cat", "grep", "egrep", "rg", "ag", "sed", "awk", "git", "gh", "man", "which", "#")
_RUNNERS = ("sh", "bash", "zsh", "dash", "fish", "eval", "ssh", "su", "script", "watch", "xargs", "parallel")
_PIECES = r"""\\.|'[^']*'|"(?:\\.|[^"\\])*"|\$\(|[;&|()`\n]|[^\S\n]+|[^\s;&|()`'"\\$]+|."""
_HEREDOC = r"<<-?\s*['\"]?(\w+)"
_FED = r"sh\b[^|;&]*<<"  # a shell that reads its commands from there
_DEPTH = 4  # shells within shells


def refused(payload: Mapping[str, Any]) -> dict[str, Any] | None:
    """The answer to a tool that is about to run: a refusal when it would accept a proposal, else nothing."""
    given = payload.get("tool_input")
    command = given.get("command") if isinstance(given, dict) else None
    if not isinstance(command, str) or not _runs_accept(command, _DEPTH):
        return None
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": REASON,
        }
    }


def _runs_accept(text: str, depth: int) -> bool:
    if depth == 0 or "accept" not in text or "remember" not in text:
        return False
    return any(_accepts(words, depth) for words in _commands(_without_documents(text.replace("\\\n", " "))))


def _without_documents(text: str) -> str:
    """The text without what is given to commands line by line, unless a shell is to run it."""
    if "<<" not in text:
        return text
    import re

    kept, ends = [], ""
    for line in text.split("\n"):
        if ends:
            ends = "" if line.strip() == ends else ends
            continue
        kept.append(line)
        begun = re.search(_HEREDOC, line)
        if begun and not re.search(_FED, line):
            ends = begun[1]
    return "\n".join(kept)


def _commands(text: str) -> Iterator[list[str]]:
    """The words of each command, as a shell reads them; quotes are taken off."""
    import re

    words: list[str] = []
    word: str | None = None
    for piece in re.findall(_PIECES, text, re.DOTALL):
        is_end = piece in (";", "&", "|", "(", ")", "`", "\n", "$(")
        if is_end or piece.isspace():
            if word is not None:
                words.append(word)
            word = None
            if is_end:
                yield words
                words = []
        else:
            word = (word or "") + _plain(piece)
    yield [*words, *([word] if word is not None else [])]


def _plain(piece: str) -> str:
    if piece[0] in "'\"" and len(piece) > 1:
        return piece[1:-1]
    return piece[1:] if piece[0] == "\\" else piece


def _accepts(words: list[str], depth: int) -> bool:
    """Whether one command accepts a proposal, by itself or through what it starts."""
    first = next((at for at, word in enumerate(words) if "=" not in word or word[0] in "-="), len(words))
    names = [word.rsplit("/", 1)[-1].removesuffix(".exe") for word in words]
    inner = [word for word in words if "$(" in word or "`" in word]
    if first < len(words) and not names[first].startswith(_SPEAKERS[-1]) and names[first] not in _SPEAKERS:
        for at in range(first, len(words)):
            if names[at] in _OURS and _is_accept(words[at + 1 :]):
                return True
            if names[at] in _OURS and at == first:
                break  # what it is given are words of its own
        if any(name in _RUNNERS for name in names):
            inner += [word for word in words if " " in word]
    return any(_runs_accept(word, depth - 1) for word in inner)


def _is_accept(rest: list[str]) -> bool:
    said = [word for word in rest if not word.startswith("-")]
    return said[:2] == ["remember", "accept"] and "--help" not in rest and "-h" not in rest
