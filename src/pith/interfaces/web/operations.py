"""What the API can be asked: each operation gives what a command's `--json` gives. All of them only read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pith import platform
from pith.domain import entities, entries, nodes, proposals
from pith.domain.events import KINDS
from pith.errors import InputError
from pith.interfaces.web.site import BEFORE_ANSWERING, Site
from pith.services import dates, overview, preferences
from pith.services.answers import activity, knowledge, recall, sessions, settings, show, timeline
from pith.services.endless import status as endless
from pith.services.knowledge import lookup as look
from pith.services.meaning import upkeep
from pith.services.project_memory import graph, remember
from pith.services.project_memory.shared import open_shared

LONGEST = 1_000  # characters of a text
MOST = 200  # of a list

Values = Mapping[str, Any]
PATH, QUERY = "path", "query"
TEXT, NUMBER, SWITCH = "string", "integer", "boolean"


@dataclass(frozen=True)
class Parameter:
    """One value of a request: what it is called, where it stands, what it may be."""

    name: str
    about: str
    kind: str = TEXT
    where: str = QUERY
    required: bool = False
    many: bool = False
    choices: tuple[str, ...] = ()
    default: Any = None
    least: int = 1
    most: int = MOST

    def read(self, given: list[str]) -> Any:
        """The value that was given. Raises InputError for what it cannot be."""
        if not given:
            if self.required:
                raise InputError(f"`{self.name}` is missing.", hint=self.about)
            return () if self.many else self.default
        read = [self._one(text) for text in given]
        if not self.many and len(read) > 1:
            raise InputError(f"`{self.name}` is given twice.", hint=self.about)
        return tuple(read) if self.many else read[0]

    def _one(self, text: str) -> Any:
        if self.kind == NUMBER:
            return self._number(text)
        if self.kind == SWITCH:
            if text not in ("true", "false"):
                raise InputError(f"`{self.name}` must be true or false.", hint=self.about)
            return text == "true"
        if not text.strip() or len(text) > LONGEST:
            raise InputError(f"`{self.name}` must have 1 to {LONGEST:,} characters.", hint=self.about)
        if self.choices and text not in self.choices:
            raise InputError(f"`{self.name}` must be one of {', '.join(self.choices)}.", hint=self.about)
        return text

    def _number(self, text: str) -> int:
        digits = text.removeprefix("-")
        number = int(text) if digits.isascii() and digits.isdigit() and len(digits) < 10 else self.least - 1
        if not self.least <= number <= self.most:
            raise InputError(f"`{self.name}` must be from {self.least} to {self.most:,}.", hint=self.about)
        return number


@dataclass(frozen=True)
class Operation:
    """An address, the id of the command whose answer it gives, and the function that finds it."""

    path: str
    command: str
    about: str
    parameters: tuple[Parameter, ...]
    find: Callable[[Site, Values], Any]


def _limit(default: int, about: str = "How many at most.") -> Parameter:
    return Parameter("limit", about, NUMBER, default=default)


def _named(name: str, about: str) -> Parameter:
    return Parameter(name, about, where=PATH, required=True)


# -- Finding -------------------------------------------------------------------------------------------------


def _status(site: Site, _: Values) -> Any:
    here = site.here()
    return overview.overview(here.home, here.place, here.project)


def _recall(site: Site, given: Values) -> Any:
    narrowed = {name: given[name] for name in ("session", "file", "since", "until", "branch", "words", "explain")}
    question = recall.Question(given["q"], limit=given["limit"], kinds=given["kind"], **narrowed)
    return recall.recall(site.here(), question, face="web", budget=given["budget"])


def _show(site: Site, given: Values) -> Any:
    return show.show(site.here(), [given["citation"]])[0]


def _timeline(site: Site, given: Values) -> Any:
    return timeline.timeline(site.here(), given["citation"], given["before"], given["after"])


def _sessions(site: Site, given: Values) -> Any:
    return sessions.sessions(site.here(), given["limit"])


def _session(site: Site, given: Values) -> Any:
    return sessions.session(site.here(), given["session"], given["limit"])


def _entries(site: Site, given: Values) -> Any:
    statuses = given["status"] or knowledge.LIVE
    with site.knowing() as ws:
        return knowledge.entries(
            ws, types=given["type"], stages=given["stage"], statuses=statuses, limit=given["limit"]
        )


def _entry(site: Site, given: Values) -> Any:
    with site.knowing(reading=False) as ws:
        return {"entry": look.whole_entry(ws.db, look.entry(ws.db, given["entry"]))}


def _lineage(site: Site, given: Values) -> Any:
    with site.knowing(reading=False) as ws:
        return knowledge.lineage(ws, given["entry"], given["depth"])


def _evidence(site: Site, given: Values) -> Any:
    with site.knowing(reading=False) as ws:
        return knowledge.evidence(ws, given["what"])


def _tasks(site: Site, given: Values) -> Any:
    with site.knowing() as ws:
        return knowledge.tasks(ws, statuses=given["status"], blocked=given["blocked"], limit=given["limit"])


def _task(site: Site, given: Values) -> Any:
    with site.knowing() as ws:
        return knowledge.task(ws, given["task"])


def _proposals(site: Site, given: Values) -> Any:
    shared = open_shared(site.folder)
    return remember.listed(shared, status=given["status"], node_type=given["type"]).as_json(shared.layout)


def _proposal(site: Site, given: Values) -> Any:
    return remember.show(open_shared(site.folder), given["proposal"])


def _nodes(site: Site, given: Values) -> Any:
    return graph.listed(open_shared(site.folder), graph.Filters(node_type=given["type"]))


def _node(site: Site, given: Values) -> Any:
    return graph.show(open_shared(site.folder), given["node"])


def _endless(site: Site, _: Values) -> Any:
    with site.reading() as db:
        return endless.status(db, site.here().settings, platform.now_ms())


def _endless_timeline(site: Site, given: Values) -> Any:
    with site.reading() as db:
        return endless.timeline(db, site.here().settings, platform.now_ms(), given["hours"])


def _preferences(site: Site, given: Values) -> Any:
    with site.knowing(reading=False) as ws:
        return preferences.listed(ws, all=given["all"], seconds=BEFORE_ANSWERING)


def _outbox(site: Site, _: Values) -> Any:
    with site.reading() as db:
        return upkeep.overview(db, platform.now_ms())


def _settings(site: Site, _: Values) -> Any:
    return settings.every(site.here())


def _activity(site: Site, given: Values) -> Any:
    with site.reading() as db:
        today = dates.local(platform.now(), day_only=True)
        return {**activity.activity(db, today, given["days"]), **activity.questions(db, given["limit"])}


_CITED = _named("citation", "As answers give it: mem:k7q2mf.")
_STATUSES = (*proposals.STATUSES, "all")

OPERATIONS = (
    Operation("/status", "status", "Which project this is, what is stored, what needs attention.", (), _status),
    Operation(
        "/recall",
        "recall",
        "What is known about a question, with how sure each answer is.",
        (
            Parameter("q", "The question, in any language.", required=True),
            _limit(recall.LIMIT),
            Parameter("kind", "Only this kind; may be repeated.", many=True, choices=KINDS),
            Parameter("session", "Only this session; the beginning of its id is enough."),
            Parameter("file", "Only events about this file."),
            Parameter("since", "Only from then on: 2026-11-01, 7d, yesterday, 어제."),
            Parameter("until", "Only until then; a day is meant whole."),
            Parameter("branch", "Only what happened on this branch."),
            Parameter("words", "By words alone, even where there is an embedder.", SWITCH, default=False),
            Parameter("explain", "Which part of each score came from where.", SWITCH, default=False),
            Parameter("budget", "Also the text an agent would be given, in so many tokens.", NUMBER, most=20_000),
        ),
        _recall,
    ),
    Operation("/memories/{citation}", "show", "One memory in full, whatever its citation names.", (_CITED,), _show),
    Operation(
        "/timeline/{citation}",
        "timeline",
        "What happened around a memory in its session.",
        (
            _CITED,
            Parameter("before", "How many events before it.", NUMBER, default=timeline.AROUND, least=0),
            Parameter("after", "How many events after it.", NUMBER, default=timeline.AROUND, least=0),
        ),
        _timeline,
    ),
    Operation("/sessions", "sessions", "The sessions kept, the latest first.", (_limit(sessions.LIMIT),), _sessions),
    Operation(
        "/sessions/{session}",
        "sessions",
        "What happened in one session.",
        (_named("session", "Its id, or the beginning of it."), _limit(MOST)),
        _session,
    ),
    Operation(
        "/entries",
        "entries",
        "What was stated, the newest first.",
        (
            Parameter("type", "Only this type; may be repeated.", many=True, choices=entries.TYPES),
            Parameter("stage", "Only on this rung; may be repeated.", many=True, choices=entries.STAGES),
            Parameter("status", "Only of this status; may be repeated.", many=True, choices=entries.STATUSES),
            _limit(knowledge.ENTRIES),
        ),
        _entries,
    ),
    Operation(
        "/entries/{entry}",
        "entry.show",
        "One statement with its evidence.",
        (_named("entry", "A citation, an id or the beginning of one."),),
        _entry,
    ),
    Operation(
        "/entries/{entry}/lineage",
        "lineage",
        "What a statement was derived from, and what was derived from it.",
        (
            _named("entry", "A citation, an id or the beginning of one."),
            Parameter("depth", "How many steps to follow.", NUMBER, default=10, most=10),
        ),
        _lineage,
    ),
    Operation(
        "/evidence",
        "evidence",
        "The quotes that a statement rests on, or the statements that prove something about a task.",
        (Parameter("what", "A citation, an id, or a task's title.", required=True),),
        _evidence,
    ),
    Operation(
        "/tasks",
        "tasks",
        "The tasks, each with what effectively blocks it.",
        (
            Parameter("status", "Only in this state.", many=True, choices=(*entities.TASK_STATES, knowledge.ALL)),
            Parameter("blocked", "Only blocked ones.", SWITCH, default=False),
            _limit(knowledge.TASKS),
        ),
        _tasks,
    ),
    Operation("/tasks/{task}", "task.show", "One task.", (_named("task", "A citation, an id, or the title."),), _task),
    Operation(
        "/proposals",
        "remember.list",
        "Proposals, the latest change first.",
        (
            Parameter("status", "Only of this status.", choices=_STATUSES),
            Parameter("type", "Only this kind of node.", choices=nodes.KINDS),
        ),
        _proposals,
    ),
    Operation(
        "/proposals/{proposal}",
        "remember.show",
        "One proposal as its file has it.",
        (_named("proposal", "Its id, or a beginning that fits one only."),),
        _proposal,
    ),
    Operation(
        "/nodes",
        "graph.list",
        "What people accepted, in order of ids.",
        (Parameter("type", "Only this kind.", choices=nodes.KINDS),),
        _nodes,
    ),
    Operation(
        "/nodes/{node}",
        "graph.show",
        "One node with its evidence, provenance and links.",
        (_named("node", "Its id, or a beginning that fits one only."),),
        _node,
    ),
    Operation("/endless", "endless.status", "Where endless mode stands.", (), _endless),
    Operation(
        "/endless/timeline",
        "endless.timeline",
        "The last hours: what happened in each, the contexts and how they followed each other, the memories made.",
        (Parameter("hours", "How many hours.", NUMBER, default=24, most=168),),
        _endless_timeline,
    ),
    Operation(
        "/preferences",
        "prefer.list",
        "What the person wants always or never.",
        (Parameter("all", "What was withdrawn too.", SWITCH, default=False),),
        _preferences,
    ),
    Operation("/outbox", "outbox.status", "What waits to be embedded, and what failed.", (), _outbox),
    Operation("/settings", "config", "Every setting, its value, and where that comes from.", (), _settings),
    Operation(
        "/activity",
        "activity",
        "Events by day, and what recall was asked.",
        (
            Parameter("days", "How many days.", NUMBER, default=activity.DAYS, most=366),
            _limit(20, "How many questions."),
        ),
        _activity,
    ),
)
