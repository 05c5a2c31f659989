"""`pith dashboard` as a command: it starts, says where it is, ends, and says what it lacks; what its pages draw."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from conftest import Run, program
from knowledge_kit import say
from meaning_kit import DIMENSIONS, LONG, Clock, Words
from pith import platform
from pith.services.meaning import outbox, versions
from pith.services.meaning.exact import ExactIndex
from pith.services.workspace import open_workspace
from web_kit import Visitor, shop

pytest.importorskip("starlette")

from pith.interfaces.web import charts, difference, numbers

SAMPLES = Path(__file__).parents[2] / "samples"
TODAY = (
    ("refunds", "환불 재시도 횟수를 다섯 번으로 바꾸자. 세 번은 11월 장애 때 모자랐어"),
    ("refunds", "환불 재시도 간격은 최대 30초로 정하자"),
    ("refunds", "the refund retry worker must write a dead-letter row after the last attempt"),
    ("coupons", "쿠폰 만료 배치는 자정에 한 번만 돌리기로 결정"),
    ("coupons", "쿠폰 만료 7일 전 알림도 같은 배치에서"),
    ("coupons", "쿠폰 만료 배치 실패하면 관리자에게 메일"),
)


@contextmanager
def running(folder: Path, *words: str, command: list[str] | None = None) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The program, and the first line that it printed."""
    process = subprocess.Popen(
        command or [*program("pith"), "dashboard", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_it_says_where_it_is_and_ends_cleanly_even_while_somebody_watches(git_repo: Path, sign: signal.Signals):
    shop(git_repo)
    with running(git_repo) as (process, address):
        root, _, token = address.partition("/?token=")
        assert root.startswith("http://127.0.0.1:")
        asked = urllib.request.Request(f"{root}/live", headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(asked, timeout=20) as stream:
            assert stream.readline() == b"retry: 2000\n"
            process.send_signal(sign)
            out, err = process.communicate(timeout=20)
        assert (process.returncode, out) == (0, "")
        assert "Traceback" not in err


def test_it_answers_on_loopback_only(git_repo: Path):
    with running(git_repo) as (_, address):
        port = int(address.split(":")[2].partition("/")[0])
        others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
        for other in others - {"127.0.0.1"}:
            if not other.startswith("127."):
                with pytest.raises(OSError):
                    socket.create_connection((other, port), timeout=2).close()


def test_json_is_one_object_with_the_address(git_repo: Path):
    with running(git_repo, "--json") as (process, line):
        told = json.loads(line)
        assert (told["ok"], told["command"]) == (True, "dashboard")
        address = told["data"]["address"]
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(address + "x", timeout=20)
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=20) == ("", "")
        assert process.returncode == 0


IMPATIENT = """
import sys
from pith.interfaces.web import serve
serve.LATE, serve.CONNECTIONS = 0.2, 5
from pith.interfaces.cli.main import main
sys.exit(main(["dashboard"]))
"""


def test_connections_that_ask_for_nothing_keep_nobody_out_for_long(git_repo: Path):
    shop(git_repo)
    with running(git_repo, command=[sys.executable, "-c", IMPATIENT]) as (_, address):
        root, _, token = address.partition("/?token=")
        live = urllib.request.Request(f"{root}/live", headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(live, timeout=20) as stream:
            port = int(root.rpartition(":")[2])
            silent = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(6)]
            for each in silent[1:]:
                each.sendall(b"GET / HTTP/1.1\r\nHost: ")
            assert [each.recv(1) for each in silent] == [b""] * len(silent)
            page = urllib.request.Request(f"{root}/settings", headers={"Authorization": f"Bearer {token}"})
            with urllib.request.urlopen(page, timeout=20) as answer:
                assert answer.status == 200
            with open_workspace(str(git_repo)) as ws:
                say(ws.db, "보고 있는 동안 한 말")
            assert any(line == b"event: news\n" for line in stream), "who listens is not silent"


def test_a_page_tells_what_was_read_before_while_somebody_writes(git_repo: Path):
    shop(git_repo)
    visitor = Visitor(git_repo)
    visitor.get("/entries")
    with open_workspace(str(git_repo)) as ws:
        say(ws.db, "결정: 쿠폰은 하루에 한 장만 준다.")
        with visitor.site.knowing(reading=False) as page:
            assert page.busy_ms < 5_000
        with ws.db.transaction():
            for path in ("/", "/entries", "/tasks", "/review", "/sessions", "/api/entries"):
                assert visitor.get(path).status == 200, path


def test_a_port_that_is_taken_is_told(git_repo: Path, run_pith: Callable[..., Run]):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        run = run_pith("dashboard", "--port", str(taken.getsockname()[1]), "--json", cwd=git_repo)
    assert run.json["error"]["code"] == "PORT_TAKEN"
    assert run_pith("dashboard", "--port", "70000", "--json", cwd=git_repo).json["error"]["code"] == "USER_INPUT_ERROR"


def test_without_its_packages_it_says_how_to_install_them(git_repo: Path):
    code = (
        "import sys\nfrom importlib import util\nfound = util.find_spec\n"
        "util.find_spec = lambda name, *more: None if name in ('starlette', 'uvicorn') else found(name, *more)\n"
        "from pith.interfaces.cli.main import main\nsys.exit(main(['dashboard']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=git_repo, env=os.environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == (
        "The dashboard needs starlette, uvicorn, which this installation lacks.\n"
        'Install it with `pip install "pith-memory[web]"`.\n'
    )


def test_a_page_of_a_project_without_anything_says_how_to_begin(git_repo: Path):
    visitor = Visitor(git_repo)
    for path in ("/", "/sessions", "/entries", "/tasks", "/memories", "/preferences", "/search?q=a"):
        answer = visitor.get(path)
        assert answer.status == 200, path
        assert "pith init" in answer.text, path
    assert not (Path(os.environ["PITH_HOME"]) / "projects").exists(), "looking registers nothing"


def test_M16_the_page_of_memories_shows_the_last_day_and_what_was_made_of_it(git_repo: Path, pith: Callable[..., Run]):
    pith("import", str(SAMPLES), cwd=git_repo, check=True)  # words are topics only where others are said too
    for session, prompt in TODAY:
        payload = {
            "session_id": session,
            "cwd": str(git_repo),
            "hook_event_name": "UserPromptSubmit",
            "prompt": prompt,
        }
        command = [*program("pith-hook"), "claude"]
        subprocess.run(command, input=json.dumps(payload).encode(), check=True, capture_output=True)
    pith("endless", "enable", cwd=git_repo, check=True)
    pith("endless", "consolidate", cwd=git_repo, check=True)
    told = pith("endless", "status", "--json", cwd=git_repo, check=True).json["data"]
    visitor = Visitor(git_repo)
    page = visitor.get("/memories").text
    assert told["memories"] >= 1
    assert f"<strong>{told['working_set']['events']}</strong>" in page
    assert 'class="strip c-' in page
    assert 'class="point"' in page
    assert "쿠폰 만료 배치는 자정에" in page
    day = visitor.get("/api/endless/timeline").json["data"]
    assert len(day["hours"]) == 25
    assert sum(sum(each["events"].values()) for each in day["hours"]) == len(TODAY)
    made = day["memories"][0]["citation"]
    one = visitor.get(f"/memory/{made}")
    assert one.header("location") == f"/memories/{made.replace(':', '%3A')}"
    assert visitor.get(f"/memories/{made}").text.count('class="cite"') >= 3


def test_V12_the_overview_shows_what_waits_to_be_embedded_and_what_is_alarming(git_repo: Path):
    words = Words()
    with open_workspace(str(git_repo)) as ws:
        say(ws.db, "hello there")
        for number in range(10):
            say(ws.db, f"{LONG} {number}", session=f"s{number}")
        outbox.serve(
            ws.db, words, ExactIndex(ws.db, versions.name_of(words), DIMENSIONS), clock=Clock(platform.now_ms())
        )
        say(ws.db, "still to do", session="late")
        ws.db.execute("UPDATE vector_outbox SET created_at = '2026-01-01T00:00:00.000Z' WHERE status = 'pending'")
    page = Visitor(git_repo).get("/").text
    facts = dict(re.findall(r"<dt>(waiting|failed|done|oldest waiting|mean time|last)</dt><dd>(.*?)</dd>", page))
    assert (facts["waiting"], facts["failed"], facts["done"]) == ("1", "10", "1")
    assert facts.keys() >= {"oldest waiting", "mean time", "last"}
    assert versions.name_of(words) in page
    alerts = re.findall(r'<p class="alert">(.*?)</p>', page)
    assert any("10 vectors could not be made." in each for each in alerts)
    assert any("A vector has been wanted for" in each for each in alerts)


def _examined(visitor: Visitor) -> str:
    """The page of the doctor when the examination is done."""
    assert visitor.post("/doctor/examine", {}).status == 303
    for _ in range(200):
        page = visitor.get("/doctor").text
        if 'http-equiv="refresh"' not in page:
            return page
        time.sleep(0.05)
    raise AssertionError("the examination did not end")


def test_the_doctor_examines_when_asked_and_repairs_what_somebody_confirmed(git_repo: Path):
    filled = shop(git_repo)
    index = filled.root / ".orange-hyper" / "graph" / "index.json"
    index.unlink()
    visitor = Visitor(git_repo)
    assert "Not examined yet." in visitor.get("/doctor").text
    page = _examined(visitor)
    code = re.search(r'/doctor/repair\?code=(GRAPH_\w+)"', page)
    assert code, page
    assert not index.exists(), "looking repairs nothing"
    asked = visitor.get(f"/doctor/repair?code={code[1]}")
    assert (asked.status, code[1] in asked.text, index.exists()) == (200, True, False)
    assert visitor.get("/doctor/repair?code=NOTHING").status == 404
    assert visitor.post("/doctor/repair", {"code": "NOTHING"}).status == 404
    assert visitor.post("/doctor/repair", {"code": code[1]}).status == 303
    assert index.exists()
    assert f"code={code[1]}" not in _examined(visitor)


def test_a_setting_is_set_taken_back_and_asks_before_anything_is_forgotten(git_repo: Path, pith: Callable[..., Run]):
    shop(git_repo)  # whose events are of a day in May
    visitor = Visitor(git_repo)

    def value(name: str) -> tuple[object, str]:
        told = pith("config", "get", name, "--json", cwd=git_repo, check=True).json["data"]
        return told["value"], told["source"]

    def post(**given: str) -> int:
        return visitor.post("/settings/set", {"act": "set", "where": "project", **given}).status

    assert post(name="recall.maxItems", value="9") == 303
    assert value("recall.maxItems") == (9, "project")
    assert post(name="recall.maxItems", value="many") == 400
    assert post(name="recall.dreams", value="1") == 400
    assert post(name="recall.maxItems", act="unset") == 303
    assert value("recall.maxItems") == (6, "default")
    assert post(name="capture.keepDays", value="30") == 200, "it shows how much would go"
    assert value("capture.keepDays") == (0, "default")
    assert visitor.get("/api/status").json["data"]["stored"]["forgotten"] == 0
    assert post(name="capture.keepDays", value="30", agreed="yes") == 303
    assert value("capture.keepDays") == (30, "project")


def test_preferences_are_added_and_withdrawn_on_the_page(git_repo: Path, pith: Callable[..., Run]):
    shop(git_repo)
    visitor = Visitor(git_repo)
    assert visitor.post("/preferences/decide", {"act": "add", "text": "Always answer in Korean."}).status == 303
    told = pith("prefer", "list", "--json", cwd=git_repo, check=True).json["data"]["preferences"]
    added = next(each for each in told if each["state"] == "confirmed")
    assert added["text"] == "Always answer in Korean."
    assert visitor.post("/preferences/decide", {"act": "withdraw", "name": added["citation"]}).status == 303
    assert "Withdrawn" in visitor.get("/preferences").text
    assert visitor.post("/preferences/decide", {"act": "confirm", "name": "mem:zzzzzz"}).status == 404


# -- Drawings ------------------------------------------------------------------------------------------------


def test_a_circle_of_tasks_is_drawn_and_ends():
    nodes = [{"id": name, "title": name} for name in "abc"]
    drawn = charts.graph(nodes, [("a", "b"), ("b", "c"), ("c", "a"), ("a", "x")])
    assert len(drawn["boxes"]) == 3
    assert len(drawn["lines"]) == 3


def test_what_waits_stands_right_of_what_it_waits_for():
    nodes = [{"id": name, "title": name * 60} for name in ("task", "blocker", "deeper")]
    boxes = {box["id"]: box for box in charts.graph(nodes, [("task", "blocker"), ("blocker", "deeper")])["boxes"]}
    assert boxes["deeper"]["x"] < boxes["blocker"]["x"] < boxes["task"]["x"]
    assert all(box["label"].endswith("…") for box in boxes.values())


@pytest.mark.parametrize(("most", "top"), [(0, 2), (1, 2), (3, 4), (9, 10), (11, 20), (100, 100), (101, 200)])
def test_a_scale_ends_at_a_round_number(most, top):
    drawn = charts.bars([{"day": "2026-11-30", "n": most}], ["n"])
    assert drawn["lines"][-1]["value"] == top


def test_korean_counts_double_in_a_box():
    assert charts.cut("쿠폰 만료 배치", 7) == "쿠폰 만…"
    assert charts.cut("coupon", 7) == "coupon"


def test_a_difference_is_told_word_by_word():
    assert difference.words("retry three times", "retry five times now") == [
        ("same", "retry "), ("gone", "three"), ("new", "five"), ("same", " times"), ("new", " now")
    ]  # fmt: skip
    assert difference.words("", "") == []


@pytest.mark.parametrize(
    ("text", "number"), [("", 5), ("x", 5), ("0", 1), ("-3", 1), ("9" * 30, 9), ("7", 7), ("٣", 3)]
)
def test_a_number_in_an_address_stays_within_its_bounds(text, number):
    assert numbers.bounded(text, 5, 1, 9) == number


def test_every_page_says_how_many_proposals_wait(git_repo: Path):
    filled = shop(git_repo)
    visitor = Visitor(git_repo)
    assert 'class="badge" title="pending">1<' in visitor.get("/settings").text
    read = visitor.get(f"/review/{filled.proposal}").secret("read_hash")
    visitor.post(f"/review/{filled.proposal}/reject", {"read_hash": read, "reason": "아직 이르다"})
    assert 'class="badge"' not in visitor.get("/settings").text


def test_a_superseded_answer_names_what_took_its_place(git_repo: Path):
    filled = shop(git_repo)
    visitor = Visitor(git_repo)
    read = visitor.get(f"/review/{filled.proposal}").secret("read_hash")
    assert visitor.post(f"/review/{filled.proposal}/accept", {"read_hash": read}).status == 303
    text = visitor.get("/search?q=환불 호출은 세 번 재시도").text
    assert "superseded_by=" not in text
    assert re.search(r'Superseded by <a href="/graph/[^"]+">환불 호출은 다섯 번 재시도한다.</a>', text)


def test_a_damaged_store_is_told_with_what_to_do_and_the_doctor_still_looks(git_repo: Path):
    shop(git_repo)
    store = next((Path(os.environ["PITH_HOME"]) / "projects").rglob("store.db"))
    for name in ("", "-wal", "-shm"):
        store.with_name(f"store.db{name}").unlink(missing_ok=True)
    store.write_bytes(b"no database at all" * 1_000)
    visitor = Visitor(git_repo)
    for path in ("/", "/sessions", "/entries", "/memories", "/search?q=a", "/api/sessions"):
        answer = visitor.get(path)
        assert answer.status == 503, path
        assert "pith doctor --repair" in answer.text
    assert "STORE_CORRUPT" in _examined(visitor)
    assert visitor.get("/review").status == 200, "project memory is files, and needs no store"


def test_pain_27_a_marked_part_cannot_cut_a_credential_in_two():
    from pith.interfaces.web.pages import events

    key = "AKIA" + "ABCDEFGHIJKLMNOP"
    assert events.parts(f"the key is {key}.", 0, 20) == (f"the key is {key}.", "", "")
    assert events.parts("환불은 세 번", 0, 3) == ("", "환불은", " 세 번")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux says how much a process takes")
def test_pain_36_many_pages_leave_its_memory_as_it_was(git_repo: Path):
    shop(git_repo)
    with running(git_repo) as (process, address):
        root, _, token = address.partition("/?token=")

        def look(times: int) -> int:
            for number in range(times):
                page = ("/", "/search?q=%ED%99%98%EB%B6%88", "/sessions", "/api/recall?q=refund")[number % 4]
                asked = urllib.request.Request(f"{root}{page}", headers={"Authorization": f"Bearer {token}"})
                with urllib.request.urlopen(asked, timeout=20) as answer:
                    answer.read()
            lines = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii").splitlines()
            return int(next(line for line in lines if line.startswith("VmRSS")).split()[1])

        before = look(40)
        assert look(160) < before + 12_000  # kilobytes
