"""What orange-hyper 1.0.1 answered, and how an answer of ours is compared with it.

`tests/data/orange-golden/` holds one recorded run: `commands.tsv` names each command with its exit code, the file of the
same number holds its answer, `tree-final` the project as git carried it at the end.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parents[1] / "data" / "orange-golden"

# Who wrote it, when, and in which words: never compared, though a text must stay a text.
GENERATED = {
    "generated_by", "generator_package", "generator_version", "source_repository", "official_package",
}  # fmt: skip
TIMES = {"created_at", "updated_at", "accepted_at", "completed_at", "generated_at", "generatedAt"}
WORDING = {
    "message",
    "hint",
    "content",
    "body",
    "reason_summary",
    "why",
    "evidence",
    "source_proposal_section",
    "warning",
}
SCORES = {"score", "matches"}
MADE_NEW = {"project_id", "projectId", "trace_id", "source_proposal_hash"}
# These follow from an id, which our titles make otherwise (differences.md, D01).
FROM_IDS = {"tags", "keywords"}
INFERRED = {"node_type", "kind", "type", "output_contract", "candidate_memory", "summary", "confidence"}


@dataclass(frozen=True)
class Recorded:
    """One command of the recorded run."""

    number: int
    name: str
    code: int
    words: list[str]
    file: Path

    @property
    def is_json(self) -> bool:
        return self.file.suffix == ".json"

    @property
    def answer(self) -> Any:
        """The envelope that it printed."""
        return json.loads(self.file.read_text(encoding="utf-8"))

    @property
    def lines(self) -> list[str]:
        """What it printed for a person."""
        return self.file.read_text(encoding="utf-8").splitlines()[2:]

    def __str__(self) -> str:
        return f"{self.number:03}-{self.name}"


def commands() -> dict[int, Recorded]:
    """The whole recorded run, by number."""
    found = {}
    for line in (GOLDEN / "commands.tsv").read_text(encoding="utf-8").splitlines():
        number, name, code, _, words = line.split("\t")
        file = next(GOLDEN.glob(f"{number}-*"))
        found[int(number)] = Recorded(int(number), name, int(code.removeprefix("rc=")), json.loads(words)[1:], file)
    return found


@dataclass
class Ids:
    """Which id of ours stands for which recorded one."""

    ours: dict[str, str] = field(default_factory=dict)

    def put_in(self, text: str) -> str:
        """A recorded command with our ids."""
        return self._replaced(text, self.ours)

    def taken_out(self, text: str) -> str:
        """An answer of ours with the recorded ids."""
        return self._replaced(text, {ours: theirs for theirs, ours in self.ours.items()})

    def pair(self, theirs: Any, ours: Any) -> None:
        """Learn what the two answers call the same thing."""
        for name in ("quest", "proposal", "node"):
            one, other = theirs.get("data", {}).get(name), ours.get("data", {}).get(name)
            if isinstance(one, dict) and isinstance(other, dict):
                self.ours[one["id"]] = other["id"]
                self.ours[one["file"]] = other["file"]

    @staticmethod
    def _replaced(text: str, by: dict[str, str]) -> str:
        """All in one pass, the longest first, so that the id of a quest inside a proposal's is not taken for it."""
        if not by:
            return text
        pattern = "|".join(re.escape(each) for each in sorted(by, key=len, reverse=True))
        return re.sub(pattern, lambda match: by[match[0]], text)


def differences(theirs: Any, ours: Any, *, free: set[str], more: set[str], path: str = "") -> list[str]:
    """What is not as recorded: missing or unknown fields, other types, other values.

    `free` names the fields whose values may differ, `more` those that only we have.
    """
    name = re.sub(r"\[\d+\]$", "", path.rpartition(".")[2])
    if isinstance(theirs, dict) and isinstance(ours, dict):
        found = [f"{path}.{key} is missing" for key in theirs if key not in ours]
        found += [f"{path}.{key} is new" for key in ours if key not in theirs and key not in more]
        for key in theirs:
            if key in ours:
                found += differences(theirs[key], ours[key], free=free, more=more, path=f"{path}.{key}")
        return found
    if isinstance(theirs, list) and isinstance(ours, list):
        if name in free:
            return [f"{path} holds other things"] if {*map(type, theirs)} != {*map(type, ours)} else []
        found = [] if len(theirs) == len(ours) else [f"{path} has {len(ours)} items, recorded {len(theirs)}"]
        for number, pair in enumerate(zip(theirs, ours, strict=False)):
            found += differences(*pair, free=free, more=more, path=f"{path}[{number}]")
        return found
    if type(theirs) is not type(ours):
        return [f"{path} is {ours!r}, recorded {theirs!r}"]
    return [] if name in free or theirs == ours else [f"{path} is {ours!r}, recorded {theirs!r}"]


def ids_in_rows(lines: list[str]) -> list[str]:
    """The ids of a table for people, in its order, whichever program printed it."""
    return re.findall(r"^(?:\w+\s+)?((?:quest|mem_delta|\w+\.mem_delta)_\S+)", "\n".join(lines), re.MULTILINE)
