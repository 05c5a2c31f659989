"""The dashboard's guard, attacked as other sites, other names, other programs and stored texts could."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from urllib.parse import quote

import pytest

pytest.importorskip("starlette")
pytest.importorskip("jinja2")

from knowledge_kit import extract, statement
from pith.domain.entries import TYPES
from pith.domain.events import HOOK, PROMPT, TOOL, Sighting
from pith.interfaces.web import catalogue, guard
from pith.interfaces.web.app import ROUTES
from pith.services import capture
from pith.services.knowledge import tasks
from pith.services.project_memory import remember, shared
from pith.services.project_memory.review import WEB
from pith.services.workspace import open_workspace
from pith.store import sessions
from web_kit import HOST, ORIGIN, PORT, QUOTE, TOKEN, Shop, Visitor, shop

SCRIPT = "<script>alert(1)</script>"
BREAKOUT = "\"'><img src=x onerror=alert(1)>{{7*7}}<svg/onload=alert(1)>"


@pytest.fixture
def filled(git_repo: Path) -> Shop:
    return shop(git_repo)


@pytest.fixture
def visitor(filled: Shop) -> Visitor:
    return Visitor(filled.root)


@pytest.fixture
def bare(git_repo: Path) -> Visitor:
    """The dashboard of a project of which nothing is stored yet."""
    return Visitor(git_repo)


# -- Who may ask ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        f"evil.example:{PORT}",
        "127.0.0.1",
        f"127.0.0.1:{PORT + 1}",
        f"127.0.0.1.evil.example:{PORT}",
        f"{HOST}, {HOST}",
        f"0.0.0.0:{PORT}",
        f"user@{HOST}",
    ],
)
def test_a_name_that_was_pointed_here_is_not_answered(bare, host):
    """DNS rebinding: the browser of a victim sends our cookie's name to us under the attacker's own host."""
    answer = bare.ask("/", headers={"host": host, "cookie": bare.cookie})
    assert answer.status == 421
    assert TOKEN not in answer.text


def test_two_host_headers_are_none(bare):
    assert bare.ask("/", headers=[("host", HOST), ("host", HOST), ("cookie", bare.cookie)]).status == 421


@pytest.mark.parametrize("host", [HOST, f"localhost:{PORT}", f"LOCALHOST:{PORT}", f"[::1]:{PORT}"])
def test_our_own_names_are_answered(bare, host):
    assert bare.ask("/", headers={"host": host, "cookie": bare.cookie}).status == 200


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        f"https://{HOST}",
        f"http://127.0.0.1:{PORT + 1}",
        "http://localhost",
        f"{ORIGIN}.evil.example",
        "",
    ],
)
@pytest.mark.parametrize("path", ["/", "/api/status", "/live", "/static/pith.css"])
def test_another_sites_page_cannot_ask(bare, origin, path):
    assert bare.get(path, origin=origin).status == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_sites_fetch_or_image_cannot_ask(bare, site):
    assert bare.get("/", **{"sec-fetch-site": site, "sec-fetch-mode": "no-cors"}).status == 403
    assert bare.get("/", **{"sec-fetch-site": "same-origin"}).status == 200


def test_without_the_token_nothing_is_shown(visitor):
    for path in ("/", "/search?q=a", "/api/status", "/live", "/static/pith.css", "/review", "/nowhere"):
        answer = visitor.ask(path, headers={"host": HOST})
        assert answer.status == 401
        assert "환불" not in answer.text
        assert not answer.header("set-cookie")


@pytest.mark.parametrize(
    "cookie",
    [
        "pith_8765=",
        "pith_8765=wrong",
        "pith_9999={session}",
        "other={session}",
        "pith_8765={token}",
        "pith_8765={session}x",
        "pith_8765=\x7f\xff",
    ],
)
def test_a_wrong_cookie_is_none(bare, cookie):
    value = cookie.format(session=bare.known.session, token=TOKEN)
    assert bare.ask("/", headers={"host": HOST, "cookie": value}).status == 401


@pytest.mark.parametrize("token", ["wrong", "", TOKEN[:-1], TOKEN + "x", "%ED%86%A0%ED%81%B0", "%00"])
def test_a_wrong_token_lets_nobody_in(bare, token):
    answer = bare.ask(f"/?token={token}", headers={"host": HOST})
    assert answer.status == 401
    assert not answer.header("set-cookie")


def test_the_first_address_becomes_a_cookie_and_leaves_the_token_behind(bare):
    answer = bare.ask(f"/search?q=a+b&token={TOKEN}", headers={"host": HOST})
    assert (answer.status, answer.header("location")) == (303, "/search?q=a+b")
    cookie = answer.header("set-cookie")
    assert cookie.startswith(f"{bare.cookie};")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert TOKEN not in cookie
    assert answer.header("referrer-policy") == "same-origin"


def test_who_comes_by_a_link_of_another_page_goes_on_from_one_of_ours(bare):
    """A strict cookie is not sent with a redirect that another site began: a terminal in the browser, say."""
    headers = {"host": HOST, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    answer = bare.ask(f"/sessions?q=%22%3E%3Cscript%3E&token={TOKEN}", headers=headers)
    assert (answer.status, answer.header("location")) == (200, "")
    assert answer.header("set-cookie").startswith(f"{bare.cookie};")
    assert 'content="0;url=/sessions?q=%22%3E%3Cscript%3E"' in answer.text
    assert TOKEN not in answer.text


def test_a_ticket_admits_once_and_soon(bare, monkeypatch):
    """It stands on a browser's command line, which every user of the machine can read."""
    ticket, late = bare.known.ticket(), bare.known.ticket()
    assert bare.ask(f"/?token={ticket}", headers={"host": HOST}).status == 303
    assert bare.ask(f"/?token={ticket}", headers={"host": HOST}).status == 401
    assert bare.ask("/api/settings", headers={"host": HOST, "authorization": f"Bearer {ticket}"}).status == 401
    now = guard.time.monotonic()
    monkeypatch.setattr(guard.time, "monotonic", lambda: now + guard.TICKET_SECONDS + 1)
    assert bare.ask(f"/?token={late}", headers={"host": HOST}).status == 401
    assert bare.ask(f"/?token={TOKEN}", headers={"host": HOST}).status == 303


SLASHES = ("/", "\\", "%2F", "%5C")
WAYS_OUT = ["".join(slashes) + "evil.example" for n in (1, 2, 3, 4) for slashes in product("/", *[SLASHES] * n)]


@pytest.mark.parametrize("path", WAYS_OUT)
def test_the_first_address_leads_to_no_other_site(bare, path):
    where = bare.ask(f"{path}?token={TOKEN}", headers={"host": HOST}).header("location")
    assert re.match(r"/(?![/\\])", where), where


def test_a_program_may_show_the_token_instead(bare):
    assert bare.ask("/api/settings", headers={"host": HOST, "authorization": f"Bearer {TOKEN}"}).status == 200
    assert bare.ask("/api/settings", headers={"host": HOST, "authorization": "Bearer wrong"}).status == 401
    assert bare.ask("/api/settings", headers={"host": HOST, "authorization": f"Basic {TOKEN}"}).status == 401


def test_each_start_has_secrets_of_its_own():
    one, other = guard.Secrets(), guard.Secrets()
    assert len({one.token, other.token, one.session, other.session, one.form, other.form}) == 6
    assert len(one.token) >= 40


# -- What is asked -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get"])
def test_other_methods_are_none(bare, method):
    answer = bare.ask("/", method=method, headers={"host": HOST, "cookie": bare.cookie, "origin": ORIGIN})
    assert (answer.status, answer.header("allow")) == (405, "GET, HEAD, POST")


@pytest.mark.parametrize(
    "name",
    [
        "../guard.py",
        "..%2fguard.py",
        "%2e%2e/guard.py",
        "..\\guard.py",
        "/etc/passwd",
        "pith.css/../../guard.py",
        "pith.css%00.js",
        ".",
        "",
        "__init__.py",
        "....//guard.py",
    ],
)
def test_no_path_leads_out_of_the_pages_own_files(bare, name):
    answer = bare.get(f"/static/{name}")
    assert answer.status in (404, 307)
    assert "LARGEST_BODY" not in answer.text


NOUNS = ("review", "graph", "sessions", "memory", "entries", "entities", "api/nodes", "api/proposals", "api/memories")
NAMES = (
    "..",
    "../../README.md",
    "..%2f..%2fREADME",
    "%00",
    "/etc/passwd",
    "a" * 300,
    "한글",
    "mem:zzzzzz",
    "-rf",
    "*",
    "%",
)


def test_a_name_in_an_address_opens_no_file(visitor):
    for where in NOUNS:
        for name in NAMES:
            answer = visitor.get(f"/{where}/{name}")
            assert 300 <= answer.status < 500, (where, name, answer.status)
            assert "A project" not in answer.text


def test_an_address_may_not_be_endless(bare):
    assert bare.get(f"/search?q={'a' * 9_000}").status == 414


@pytest.mark.parametrize("chunks", [1, 7])
def test_a_body_may_not_be_endless(visitor, chunks):
    headers = {
        "host": HOST,
        "cookie": visitor.cookie,
        "origin": ORIGIN,
        "content-type": "application/x-www-form-urlencoded",
    }
    body = b"reason=" + b"a" * guard.LARGEST_BODY
    path = f"/review/{'x'}/reject"
    assert visitor.ask(path, method="POST", headers=headers, body=body, chunks=chunks).status == 413
    said = headers | {"content-length": str(10**12)}
    assert visitor.ask(path, method="POST", headers=said, body=b"a").status == 413


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "multipart/form-data; boundary=x", ""])
def test_only_forms_are_read(bare, kind):
    """A page elsewhere can send text/plain and multipart without asking first."""
    answer = bare.ask(
        "/doctor/examine",
        method="POST",
        headers={"host": HOST, "cookie": bare.cookie, "origin": ORIGIN, "content-type": kind},
        body=b"form=x",
    )
    assert answer.status == 415


def test_a_form_of_thousands_of_fields_is_refused(bare):
    body = "&".join(f"a{n}=1" for n in range(5_000)).encode()
    headers = {
        "host": HOST,
        "cookie": bare.cookie,
        "origin": ORIGIN,
        "content-type": "application/x-www-form-urlencoded",
    }
    assert bare.ask("/doctor/examine", method="POST", headers=headers, body=body).status == 400


# -- Changing something --------------------------------------------------------------------------------------

POSTS = sorted({route.path for route in ROUTES if "POST" in (getattr(route, "methods", None) or ())})


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("secret", ["", "wrong", TOKEN])
def test_a_form_that_is_not_ours_changes_nothing(bare, path, secret):
    """CSRF: the cookie alone is not enough, nor is knowing the token's name."""
    answer = bare.post(path.replace("{proposal}", "x"), {"form": secret})
    assert answer.status == 403


@pytest.mark.parametrize("path", POSTS)
def test_a_form_without_an_origin_or_from_elsewhere_changes_nothing(bare, path):
    headers = {"host": HOST, "cookie": bare.cookie, "content-type": "application/x-www-form-urlencoded"}
    body = f"form={bare.known.form}".encode()
    assert bare.ask(path, method="POST", headers=headers, body=body).status == 403
    assert bare.ask(path, method="POST", headers=headers | {"origin": "http://evil.example"}, body=body).status == 403


def test_looking_changes_nothing(visitor, filled):
    """No address that is only opened decides, repairs or sets anything."""
    before = {path: path.read_bytes() for path in (filled.root / ".orange-hyper").rglob("*") if path.is_file()}
    for act in ("accept", "reject", "revise"):
        assert visitor.get(f"/review/{filled.proposal}/{act}").status == 405
    for path in ("/settings/set?name=recall.hook&value=false", "/doctor/examine", "/preferences/decide?act=add&text=x"):
        assert visitor.get(path).status == 405
    for path in ("/", "/review", f"/review/{filled.proposal}", "/graph", "/graph/map", "/settings", "/doctor"):
        assert visitor.get(path).status == 200
    assert {path: path.read_bytes() for path in before} == before


def test_G28_an_agent_that_opened_the_page_cannot_accept(visitor, filled, monkeypatch):
    monkeypatch.setenv("CLAUDECODE", "1")
    page = visitor.get(f"/review/{filled.proposal}")
    assert "CLAUDECODE" in page.text
    answer = visitor.post(f"/review/{filled.proposal}/accept", {"read_hash": page.secret("read_hash")})
    assert answer.status == 403
    assert visitor.post("/settings/set", {"name": "review.accept", "value": "anyone", "where": "home"}).status == 400
    assert visitor.post("/preferences/decide", {"act": "add", "text": "always accept"}).status == 403
    assert remember.find(shared.open_shared(filled.root), filled.proposal).value.status == "pending"


def test_G28_accepting_on_the_page_records_how(visitor, filled):
    read = visitor.get(f"/review/{filled.proposal}").secret("read_hash")
    answer = visitor.post(f"/review/{filled.proposal}/accept", {"read_hash": read})
    assert (answer.status, answer.header("location")) == (303, f"/review/{filled.proposal}?said=accepted")
    found = remember.find(shared.open_shared(filled.root), filled.proposal)
    assert (found.value.status, found.value.further["accepted_via"]) == ("accepted", WEB)


def test_a_proposal_that_changed_since_it_was_read_is_not_accepted(visitor, filled):
    read = visitor.get(f"/review/{filled.proposal}").secret("read_hash")
    remember.revise(shared.open_shared(filled.root), filled.proposal, candidate="환불 호출은 아홉 번 재시도한다.")
    for act in ("accept", "reject", "revise"):
        assert visitor.post(f"/review/{filled.proposal}/{act}", {"read_hash": read, "candidate": "x"}).status == 409
    assert remember.find(shared.open_shared(filled.root), filled.proposal).value.status == "pending"


# -- What is shown -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/api/settings", "/static/pith.css", "/nowhere", "/api/nowhere"])
def test_every_answer_forbids_what_is_not_ours(bare, path):
    for answer in (bare.get(path), bare.ask(path, headers={"host": "evil"}), bare.ask(path, headers={"host": HOST})):
        policy = answer.header("content-security-policy")
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.header("x-content-type-options") == "nosniff"
        assert answer.header("cross-origin-resource-policy") == "same-origin"
        assert "access-control-allow-origin" not in dict(answer.headers)


PAGES = (
    "/",
    "/search?q=refund",
    "/sessions",
    "/entries",
    "/tasks?status=all",
    "/memories",
    "/preferences",
    "/review",
    "/graph",
    "/doctor",
    "/settings",
)


def test_no_page_holds_a_script_or_a_style_of_its_own(visitor, filled):
    for path in (
        *PAGES,
        f"/review/{filled.proposal}",
        f"/graph/{filled.node}",
        "/sessions/s1",
        f"/entries/{filled.entry}",
    ):
        text = visitor.get(path).text
        assert not re.search(r"<script(?! src=\"/static/pith\.js\" defer>)", text), path
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", text), path


def _poisoned(root: Path, text: str) -> None:
    """A script in every text that is stored: of events, sessions, files, tools, branches, tasks, memory."""
    details = {"tool": text, "files": [text], "command": text, "exit": text, "other": text}
    with open_workspace(str(root)) as ws:
        for kind, more in ((PROMPT, {}), (TOOL, details)):
            seen = Sighting(
                kind, f"s-{text}", f"환불 refund {kind} {text}", "2026-05-03T09:00:00.000Z", host=text, channel=HOOK,
                agent=text, branch=text, commit=text, directory=text, details=more,
            )  # fmt: skip
            assert capture.keep(ws.db, seen) is not None
        for fact in ("title", "parent", "cwd"):
            sessions.learn(ws.db, f"s-{text}", text, text, fact, text)
    filled = shop(root)
    with open_workspace(str(root)) as ws:
        statements = [statement(ws.db, filled.event, f"refund {text} {kind}", QUOTE, type=kind) for kind in TYPES]
        extract(ws.db, filled.event, statements, build="b2")
        task = tasks.create(ws.db, ws.project.id, f"task {text}")
        tasks.block(ws.db, ws.project.id, task.entity_id, [f"condition {text}"], text)
        ws.db.execute("UPDATE usage SET query = :text", {"text": text})
    for path in (root / ".orange-hyper").rglob("*.md"):
        path.write_text(path.read_text("utf-8").replace("재시도한다.", f"재시도한다. {text}"), "utf-8")


@pytest.mark.parametrize("text", [SCRIPT, BREAKOUT])
def test_a_script_in_every_stored_text_stays_a_text(git_repo, text):
    _poisoned(git_repo, text)
    visitor = Visitor(git_repo)
    seen: set[str] = set()
    todo, met = [*PAGES, "/graph/map", f"/search?q={quote(text)}", f"/search?q=refund&file={quote(text)}"], 0
    while todo:
        path = todo.pop()
        if path in seen or len(seen) > 120:
            continue
        seen.add(path)
        answer = visitor.get(path)
        assert answer.status < 500, path
        if answer.status != 200 or not answer.header("content-type").startswith("text/html"):
            continue
        for raw in (SCRIPT, "<img src=x", "<svg/onload"):
            assert raw not in answer.text, path
        assert "49<" not in answer.text, path
        met += "alert(1)" in answer.text
        links = re.findall(r'href="(/(?:sessions|memory|entries|entities|review|graph)/[^"]+)"', answer.text)
        todo += [link.replace("&amp;", "&") for link in links]
    assert met > 10, "the texts were to be met, and stay harmless"


def test_pain_27_a_credential_that_got_into_the_store_is_masked_on_the_page_and_in_the_api(git_repo):
    secret = "AKIA" + "ABCDEFGHIJKLMNOP"
    shop(git_repo)
    with open_workspace(str(git_repo)) as ws:
        ws.db.execute("UPDATE sessions SET title = :text", {"text": f"the key is {secret}"})
    visitor = Visitor(git_repo)
    for path in ("/sessions", "/sessions/s1", "/api/sessions", "/api/sessions/s1"):
        answer = visitor.get(path)
        assert (answer.status, "the key is" in answer.text) == (200, True)
        assert secret not in answer.text


# -- Words ---------------------------------------------------------------------------------------------------


def test_every_text_of_the_page_is_there_in_both_languages():
    folder = Path(guard.__file__).parent
    sources = [*folder.glob("templates/*.html"), *folder.glob("pages/*.py"), folder / "view.py"]
    said = set(catalogue.SAID.values())
    for path in sources:
        text = path.read_text("utf-8")
        if path.suffix == ".html":
            said |= set(re.findall(r'\bt\("([^"]+)"(?! ~)', text))
        else:
            said |= set(re.findall(r'"title": "([^"]+)"', text))
    said |= set(re.findall(r'\("/[a-z]*", "([^"]+)",', (folder / "templates/base.html").read_text("utf-8")))
    missing = sorted(said - catalogue.KOREAN.keys())
    assert not missing
    assert catalogue.ENGLISH.keys() - {"accepted_by"} <= catalogue.KOREAN.keys() | {"source default"}
    blanks = re.compile(r"\{(\w+)\}")
    for english, korean in catalogue.KOREAN.items():
        assert set(blanks.findall(english)) == set(blanks.findall(korean)), english


def test_the_language_is_the_browsers_or_the_chosen_one(bare):
    assert 'lang="ko"' in bare.get("/", **{"accept-language": "ko-KR,ko;q=0.9"}).text
    assert '<html lang="en"' in bare.get("/", **{"accept-language": "fr"}).text
    chosen = bare.get("/?lang=ko")
    assert '<html lang="ko"' in chosen.text
    kept = next(value for name, value in chosen.headers if name == "set-cookie").partition(";")[0]
    assert '<html lang="ko"' in bare.get("/", cookie=f"{bare.cookie}; {kept}").text
    assert '<html lang="en"' in bare.get("/?lang=xx%22%3E").text
