"""Export and import: the same bytes again, the same ids and citations, once however often, damaged lines counted."""

from __future__ import annotations

import json
import os
import stat
import tempfile
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pith.domain.events import HOOK, KINDS, TRANSCRIPT, Sighting
from pith.services import capture, config, recall
from pith.services.keeping import exchange, forget
from pith.services.location import Place
from pith.services.project import Project
from pith.services.workspace import Workspace, open_workspace
from pith.store import citations, exports, sessions
from pith.store import events as stored

TEXT = st.text(
    st.sampled_from("abzAZ09 .,:/_-'\"\\\n\t{}[]가나다쿠폰함\u1112é😀\u2028<>") | st.characters(codec="utf-8"),
    min_size=1,
    max_size=60,
)
WORD = st.sampled_from(["", "main", "기능/쿠폰", "src/pay"])
SESSIONS = st.sampled_from(["s-1", "s-2", "0b9e2c44-8d7c-4f7e-9a59-1f3f3d5e7a10"])


@st.composite
def sightings(draw: st.DrawFn) -> Sighting:
    kind = draw(st.sampled_from(KINDS))
    details = (
        {"tool": "Bash", "command": draw(TEXT), "files": draw(st.lists(TEXT, max_size=2))} if kind == "tool" else None
    )
    return Sighting(
        kind,
        draw(SESSIONS),
        draw(TEXT),
        f"2026-05-{draw(st.integers(1, 28)):02}T09:00:{draw(st.integers(0, 59)):02}.000Z",
        host=draw(st.sampled_from(["claude", "codex"])),
        channel=draw(st.sampled_from([HOOK, TRANSCRIPT])),
        agent=draw(st.sampled_from(["", "a-1"])),
        record=draw(st.sampled_from(["", "u-1", "u-2", "u-3"])),
        tool=draw(st.sampled_from(["", "t-1"])) if kind == "tool" else "",
        turn=draw(st.sampled_from(["", "p-1"])),
        details=details,
        branch=draw(WORD),
        commit=draw(st.sampled_from(["", "a" * 40])),
        directory=draw(WORD),
    )


FACTS = st.tuples(SESSIONS, st.sampled_from(["", "a-1"]), st.sampled_from(sessions.FACTS), TEXT)


def workspace(folder: str, root: str = "/nowhere") -> Workspace:
    found = Project(folder, f"path:{root}", {f"path:{root}": "a-store"})
    return Workspace(folder, Place(root, None, None, None, ""), found, config.defaults(), 5000)


def put(ws: Workspace, *seen: Sighting) -> None:
    for one in seen:
        ready = capture.prepare(one, ws.settings)
        if ready:
            capture.keep(ws.db, ready)


def body(ws: Workspace, path: Path) -> bytes:
    """An export without its header, which tells the time."""
    exchange.export_file(ws, str(path))
    return path.read_bytes().partition(b"\n")[2]


@given(st.lists(sightings(), max_size=12), st.lists(FACTS, max_size=4), st.sets(st.integers(1, 12), max_size=3))
def test_an_export_taken_into_an_empty_store_exports_the_same_bytes(seen, facts, gone):
    with (
        tempfile.TemporaryDirectory() as folder,
        workspace(f"{folder}/a") as first,
        workspace(f"{folder}/b") as second,
    ):
        put(first, *seen)
        with first.db.transaction():
            for session, agent, fact, value in facts:
                sessions.learn(first.db, session, agent, "claude", fact, value.encode("utf-8", "replace").decode())
        forget.forget(first, forget.Choice(tuple(gone)))
        out, back = Path(folder, "a.jsonl"), Path(folder, "b.jsonl")
        lines = body(first, out)
        taken = exchange.bring_in(second, str(out))
        assert (taken.damaged, taken.known, taken.new) == (0, 0, stored_events(first))
        assert body(second, back) == lines
        again = exchange.bring_in(second, str(out))
        assert (again.new, again.known, again.damaged) == (0, taken.new, 0)
        assert body(second, back) == lines


def stored_events(ws: Workspace) -> int:
    return int(ws.db.execute("SELECT count(*) FROM events")[0][0])


@pytest.fixture
def two(tmp_path: Path) -> Any:
    with workspace(str(tmp_path / "a")) as first, workspace(str(tmp_path / "b")) as second:
        yield first, second


PROMPT = {"host": "claude", "channel": HOOK}


def seen(text: str, at: int = 0, **more: Any) -> Sighting:
    return Sighting("prompt", "s-1", text, f"2026-05-02T09:00:{at:02}.000Z", **{**PROMPT, **more})


def test_ids_citations_and_recall_are_the_same_in_another_project(two, tmp_path):
    first, second = two
    put(first, seen("쿠폰함을 결제 화면에 옮기자", turn="p-1"), seen("we decided to retry twice", 1, turn="p-2"))
    put(second, seen("something of the other project", 3, turn="p-9"))
    exchange.export_file(first, str(tmp_path / "x.jsonl"))
    assert exchange.bring_in(second, str(tmp_path / "x.jsonl")).new == 2
    for row in stored.each(first.db):
        cited = citations.name(citations.EVENT, row["id"])
        kind, id = citations.find(second.db, cited)
        assert (kind, stored.by_id(second.db, id)["text"]) == ("event", row["text"])
    assert recall.recall(second.db, "쿠폰함은 어디로")[0].text == "쿠폰함을 결제 화면에 옮기자"


def test_what_was_exported_is_not_captured_again_by_hook_or_import(two, tmp_path):
    first, second = two
    put(first, seen("retry twice", turn="p-1"))
    exchange.export_file(first, str(tmp_path / "x.jsonl"))
    exchange.bring_in(second, str(tmp_path / "x.jsonl"))
    put(second, seen("retry twice", turn="p-1"), seen("retry twice", channel=TRANSCRIPT, record="u-1", turn="p-1"))
    assert stored_events(second) == 1


def test_an_event_that_another_machine_saw_itself_is_the_same_event(two, tmp_path):
    first, second = two
    put(first, seen("retry twice", turn="p-1"), seen("ok", 1, turn="p-2"))
    put(second, seen("retry twice", turn="p-1"))
    exchange.export_file(first, str(tmp_path / "x.jsonl"))
    taken = exchange.bring_in(second, str(tmp_path / "x.jsonl"))
    assert (taken.known, taken.new) == (1, 1)


def test_a_forgotten_event_stays_forgotten_on_the_other_machine(two, tmp_path):
    first, second = two
    put(first, seen("retry twice", turn="p-1"))
    forget.forget(first, forget.Choice((1,)))
    exchange.export_file(first, str(tmp_path / "x.jsonl"))
    assert exchange.bring_in(second, str(tmp_path / "x.jsonl")).forgotten == 1
    put(second, seen("retry twice", turn="p-1"))
    assert stored.newest(second.db, 9) == []


def test_damaged_lines_are_counted_with_their_numbers_and_the_rest_is_taken(two, tmp_path):
    first, second = two
    put(first, *(seen(f"decision number {number}", number, turn=f"p-{number}") for number in range(6)))
    path = tmp_path / "x.jsonl"
    exchange.export_file(first, str(path))
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2][:40] + b"\n"
    lines[3] = lines[3].replace(b"number 1", b"number 7")
    lines[4] = b'{"type": "event", "id": "x"}\n'
    lines[5] = b"\xff\xfe\x00[[[[\n"
    lines.append(b'{"type": "of a later version"}\n')
    lines.append(b"\n")
    path.write_bytes(b"".join(lines))
    taken = exchange.bring_in(second, str(path))
    assert (taken.new, taken.damaged) == (2, 4)
    assert [number for number, _ in taken.bad] == [3, 4, 5, 6]
    assert taken.bad[1][1] == "the text does not fit its checksum"


@given(
    st.binary(max_size=300)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | TEXT,
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.sampled_from(["type", "id", "kind", "text", "anchors"]), inner)
        ),
    ).map(lambda value: json.dumps(value).encode())
)
def test_any_line_is_taken_or_counted(line):
    with tempfile.TemporaryDirectory() as folder, workspace(f"{folder}/a") as ws:
        put(ws, seen("retry twice"))
        path = Path(folder, "x.jsonl")
        exchange.export_file(ws, str(path))
        path.write_bytes(path.read_bytes() + line.replace(b"\n", b" ") + b"\n")
        taken = exchange.bring_in(ws, str(path))
        assert (taken.known, taken.new) == (1, 0)


@pytest.mark.parametrize("first", [b"", b"{}\n", b'{"type": "user"}\n', b"\xff\n", b"[" * 3000])
def test_what_is_no_export_is_refused_with_a_next_step(two, tmp_path, first):
    path = tmp_path / "x.jsonl"
    path.write_bytes(first)
    with pytest.raises(exchange.InputError, match="no export of pith"):
        exchange.bring_in(two[0], str(path))
    path.write_bytes(b'{"type": "pith-export", "version": 2}\n')
    with pytest.raises(exchange.InputError, match="newer pith"):
        exchange.bring_in(two[0], str(path))


def test_a_secret_that_was_put_into_an_export_is_masked_on_the_way_in(two, tmp_path):
    first, second = two
    key = "ghp_" + "Ab1" * 12
    with first.db.transaction():
        capture.record(first.db, seen(f"kept before there was a rule: {key} <private>of two</private>"))
    path = tmp_path / "x.jsonl"
    exchange.export_file(first, str(path))
    assert key.encode() not in path.read_bytes()  # and on the way out
    assert exchange.bring_in(second, str(path)).new == 1
    text = stored.newest(second.db, 1)[0]["text"]
    assert key not in text
    assert "of two" not in text


# -- The command ---------------------------------------------------------------------------------------------


@pytest.fixture
def known(git_repo: Path) -> Path:
    with open_workspace(str(git_repo)) as ws:
        put(ws, seen("쿠폰함을 옮기자", turn="p-1"))
    return git_repo


def test_the_export_is_private_and_the_store_remembers_where_it_is(pith, known, tmp_path):
    path = tmp_path / "out.jsonl"
    answer = pith("export", "--jsonl", str(path), "--json", cwd=known, check=True).json["data"]
    assert (answer["events"], answer["sessions"], answer["path"]) == (1, 1, str(path))
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    header, session, event = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert (header["type"], header["version"]) == ("pith-export", 1)
    assert (session["type"], session["id"], event["text"]) == ("session", "s-1", "쿠폰함을 옮기자")
    with open_workspace(str(known)) as ws:
        assert exports.paths(ws.db) == [str(path)]
    pith("export", "--jsonl", str(path), cwd=known, check=True)  # over its own earlier one


def test_pain_11_an_export_is_not_written_into_the_repository_unasked(pith, known):
    refused = pith("export", "--jsonl", "memory.jsonl", cwd=known)
    assert refused.code == 1
    assert "inside the repository" in refused.stderr
    assert not (known / "memory.jsonl").exists()
    pith("export", "--jsonl", "memory.jsonl", "--into-repository", cwd=known, check=True)
    assert (known / "memory.jsonl").exists()


def test_an_export_overwrites_nothing_that_is_none(pith, known, tmp_path):
    path = tmp_path / "thesis.txt"
    path.write_text("irreplaceable", encoding="utf-8")
    refused = pith("export", "--jsonl", str(path), cwd=known)
    assert "is no export of pith" in refused.stderr
    assert path.read_text(encoding="utf-8") == "irreplaceable"


@pytest.mark.parametrize("words", [("--jsonl",), ("--jsonl", "-")])
def test_standard_output_gets_the_lines_and_nothing_else(run_pith, known, words):
    done = run_pith("export", *words, cwd=known, check=True)
    assert [json.loads(line)["type"] for line in done.stdout.splitlines()] == ["pith-export", "session", "event"]


@pytest.mark.long
def test_pain_36_a_large_export_and_its_import_need_little_memory(two, tmp_path):
    first, second = two
    text = " ".join(f"word{number}" for number in range(1_000))
    with first.db.transaction():
        for number in range(6_000):
            capture.record(first.db, seen(f"{number} {text}", turn=f"p-{number}"))
    path = tmp_path / "x.jsonl"
    exchange.export_file(first, str(path))
    size = path.stat().st_size
    tracemalloc.start()
    exchange.export_file(first, str(path))
    exchange.bring_in(second, str(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert size > 40_000_000
    assert peak < size / 2
