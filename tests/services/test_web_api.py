"""The dashboard's API: the JSON of the command line, described as it is, and nothing that any request can break."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from conftest import Run
from web_kit import QUOTE, TOKEN, Shop, Visitor, shop

pytest.importorskip("starlette")

from pith.interfaces.web.app import build
from pith.interfaces.web.guard import Guard, Secrets
from pith.interfaces.web.operations import OPERATIONS
from pith.interfaces.web.site import Site

# What passes from one question to the next: clocks, counters of questions, figures of the file.
MOVING = ("last_at", "usage", "sizes", "log_bytes", "age_ms", "accessed_at", "access_count")


@pytest.fixture
def filled(git_repo: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    monkeypatch.chdir(git_repo)
    return shop(git_repo)


@pytest.fixture
def visitor(filled: Shop) -> Visitor:
    return Visitor(filled.root)


def _still(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _still(each) for name, each in value.items() if name not in MOVING}
    return [_still(each) for each in value] if isinstance(value, list) else value


def _asked(filled: Shop) -> list[tuple[str, tuple[str, ...]]]:
    """Addresses of the API and the commands that ask the same."""
    return [
        ("/recall?q=환불 재시도&limit=3", ("recall", "환불 재시도", "--limit", "3")),
        (
            "/recall?q=export rows&kind=prompt&budget=300",
            ("recall", "export rows", "--kind", "prompt", "--budget", "300"),
        ),
        ("/sessions", ("sessions",)),
        ("/sessions/s1", ("sessions", "s1")),
        ("/entries?type=decision", ("entries", "--type", "decision")),
        (f"/entries/{filled.entry}", ("entry", "show", filled.entry)),
        (f"/entries/{filled.entry}/lineage", ("lineage", filled.entry)),
        (f"/evidence?what={filled.entry}", ("evidence", filled.entry)),
        ("/tasks?blocked=true", ("tasks", "--blocked")),
        ("/tasks/smoke test against the sandbox", ("task", "show", "smoke test against the sandbox")),
        ("/proposals?status=pending", ("remember", "list", "--status", "pending")),
        (f"/proposals/{filled.proposal}", ("remember", "show", filled.proposal)),
        ("/nodes", ("graph", "list")),
        (f"/nodes/{filled.node}", ("graph", "show", filled.node)),
        ("/endless", ("endless", "status")),
        ("/preferences", ("prefer", "list")),
        ("/outbox", ("outbox", "status")),
        ("/settings", ("config",)),
        ("/status", ("status",)),
    ]


def test_the_page_answers_with_the_json_of_the_command_line(filled: Shop, visitor: Visitor, pith: Callable[..., Run]):
    pith("tasks")  # reads what was said, so that both ask the same store
    for path, words in _asked(filled):
        said = pith(*words, "--json", check=True).json
        answer = visitor.get(f"/api{path}")
        assert answer.status == 200, (path, answer.text)
        assert _still(answer.json) == _still(said), path
    cited = visitor.get("/api/sessions/s1").json["data"]["events"][0]["citation"]
    for path, words in (
        (f"/memories/{cited}", ("show", cited)),
        (f"/timeline/{cited}?before=1", ("timeline", cited, "-b", "1")),
    ):
        assert visitor.get(f"/api{path}").json == pith(*words, "--json", check=True).json


def test_pain_38_three_faces_answer_one_question_with_one_json(
    filled: Shop, visitor: Visitor, pith: Callable[..., Run]
):
    pytest.importorskip("mcp")
    from mcp_kit import call

    pith("tasks")
    question = "환불은 몇 번까지 재시도하지"
    told = pith("recall", question, "--limit", "5", "--json", check=True).json["data"]
    tool = call(filled.root, "mem-search", question=question, limit=5, format="json").structured_content
    page = visitor.get(f"/api/recall?q={question}&limit=5").json["data"]
    assert tool == told == page
    assert any(QUOTE in one["text"] for one in told["entries"])


def test_a_mistake_is_answered_like_on_the_command_line(visitor: Visitor, pith: Callable[..., Run]):
    for path, words, status in (
        ("/memories/mem:zzzzzz", ("show", "mem:zzzzzz"), 404),
        ("/memories/%20%20x", ("show", "  x"), 404),
        ("/sessions/nobody", ("sessions", "nobody"), 404),
        ("/nodes/nothing", ("graph", "show", "nothing"), 404),
        ("/recall?q=a&since=someday", ("recall", "a", "--since", "someday"), 400),
    ):
        answer = visitor.get(f"/api{path}")
        said = pith(*words, "--json").json
        assert (answer.status, answer.json["error"]) == (status, said["error"]), path


@pytest.mark.parametrize(
    "path",
    [
        "/recall",
        "/recall?q=",
        "/recall?q=a&limit=0",
        "/recall?q=a&limit=x",
        "/recall?q=a&limit=1&limit=2",
        "/recall?q=a&kind=dream",
        "/tasks?blocked=maybe",
        "/entries?type=x",
        "/timeline/mem:abcdef?before=-1",
        "/activity?days=9999",
        "/sessions?limit=99999999999",
    ],
)
def test_what_cannot_be_asked_is_refused_with_a_next_step(visitor: Visitor, path: str):
    answer = visitor.get(f"/api{path}")
    assert answer.status == 400
    assert answer.json["error"].keys() == {"code", "message", "hint"}
    assert answer.json["error"]["hint"]


def test_every_operation_is_described_and_every_description_is_an_operation(visitor: Visitor):
    described = visitor.get("/api/openapi.json").json
    assert described["paths"].keys() == {each.path for each in OPERATIONS}
    for operation in OPERATIONS:
        told = described["paths"][operation.path]["get"]
        assert [each["name"] for each in told["parameters"]] == [each.name for each in operation.parameters]
        assert {"200", "400", "401", "404"} <= told["responses"].keys()


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """The page on a port of its own, as long as it is needed; its address."""
    uvicorn = pytest.importorskip("uvicorn")
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        known = Secrets(TOKEN)
        site = Site(str(folder), known)
        guarded = Guard(build(site), known, port)
        server = uvicorn.Server(uvicorn.Config(guarded, log_level="critical", lifespan="off", ws="none"))
        site.is_ending = lambda: server.should_exit
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}/api"
        finally:
            server.should_exit = True
            thread.join()


def _fuzz(visitor: Visitor, examples: int) -> None:
    """Send what the description allows and what it does not; every answer must be one that it describes."""
    schemathesis = pytest.importorskip("schemathesis")
    schema = schemathesis.openapi.from_dict(visitor.get("/api/openapi.json").json)
    how = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck), "derandomize": True}
    with _served(Path(visitor.site.folder)) as address:
        for found in schema.get_all_operations():
            _send_any(found.ok(), address, settings(max_examples=examples, **how))


def _send_any(operation: Any, address: str, how: settings) -> None:
    from schemathesis.checks import CHECKS

    # An id, a date in words or the order of two dates can be wrong in ways that a schema cannot say.
    left_out = [CHECKS.get_one("positive_data_acceptance")]

    @how
    @given(case=operation.as_strategy())
    def ask(case: Any) -> None:
        case.call_and_validate(base_url=address, excluded_checks=left_out, headers={"Authorization": f"Bearer {TOKEN}"})

    ask()


def test_a_few_of_any_requests_break_nothing(visitor: Visitor):
    _fuzz(visitor, 2)


@pytest.mark.long
def test_thousands_of_any_requests_break_nothing(visitor: Visitor):
    _fuzz(visitor, 150)
