"""The dashboard in a real browser: the real program, a real hook, and what a person does with keys and eyes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from conftest import git, isolated_environment, program
from web_kit import QUOTE, Shop, shop

pytest.importorskip("starlette")
pytestmark = pytest.mark.browser

SCREENS = Path(__file__).parents[2] / "build" / "screens"
SERIOUS = ("serious", "critical")
KOREAN_A = "dispatchEvent(new KeyboardEvent('keydown', {key: 'ㅁ', code: 'KeyA', bubbles: true}))"
TOO_WIDE = """
    document.documentElement.scrollWidth <= innerWidth ? [] :
    [...document.querySelectorAll("body *")].filter(each => each.getBoundingClientRect().right > innerWidth)
        .map(each => each.outerHTML.slice(0, 100))
"""


@dataclass
class Running:
    """The program, its project, and the address that it printed."""

    shop: Shop
    env: dict[str, str]
    process: subprocess.Popen[str]
    address: str

    @property
    def root(self) -> str:
        return self.address.partition("?")[0].rstrip("/")

    def hook(self, prompt: str, session: str = "live") -> None:
        """Let a host's hook see a prompt, as a process of its own."""
        payload = {
            "session_id": session,
            "cwd": str(self.shop.root),
            "hook_event_name": "UserPromptSubmit",
            "prompt": prompt,
        }
        command = [*program("pith-hook"), "claude"]
        subprocess.run(command, input=json.dumps(payload).encode(), env=self.env, check=True, capture_output=True)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """`pith dashboard` on a project worth looking at; it ends within two seconds of SIGTERM, with code 0."""
    place = tmp_path_factory.mktemp("dashboard")
    root = place / "shop"
    root.mkdir()
    env = isolated_environment(place)
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ.keys() - env.keys():
            patch.delenv(name)
        for name, value in env.items():
            patch.setenv(name, value)
        git(root, "init", "--quiet", "--initial-branch=main")
        git(root, "config", "user.name", "Reviewer One")
        git(root, "commit", "--quiet", "--allow-empty", "--message", "Begin")
        filled = shop(root)
    process = subprocess.Popen(
        [*program("pith"), "dashboard"], cwd=root, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    yield Running(filled, env, process, process.stdout.readline().strip())
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (0, "")
    assert "Traceback" not in err


@dataclass
class Tab:
    """A page that was let in, with everything that it said."""

    page: Any
    root: str
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def go(self, path: str) -> Any:
        return self.page.goto(self.root + path)

    def text(self) -> str:
        return str(self.page.inner_text("main"))


@pytest.fixture
def tab(browser: Any, running: Running) -> Iterator[Callable[..., Tab]]:
    """`tab(width=360)`: a new browser that opened the first address; its silence is checked at the end."""
    contexts, tabs = [], []

    def open_tab(*, width: int = 1280, height: int = 900, **how: Any) -> Tab:
        context = browser.new_context(viewport={"width": width, "height": height}, **({"locale": "en-US"} | how))
        contexts.append(context)
        found = Tab(context.new_page(), running.root)
        found.page.on("console", lambda message: found.said.append(message.text))
        found.page.on("pageerror", lambda error: found.said.append(str(error)))
        found.page.on("request", lambda request: found.asked.append(request.url))
        found.page.goto(running.address)
        tabs.append(found)
        return found

    yield open_tab
    for each in tabs:
        assert each.said == []
        assert [url for url in each.asked if not url.startswith(running.root)] == []
    for context in contexts:
        context.close()


def test_the_first_address_leaves_no_token_behind(tab, running):
    page = tab().page
    assert page.url == f"{running.root}/"
    assert page.evaluate("document.cookie") == ""
    assert running.address.partition("=")[2] not in page.content()


def test_a_question_in_korean_leads_to_the_words_it_rests_on(tab):
    here = tab(locale="ko-KR")
    here.go("/search")
    here.page.keyboard.type("환불 재시도는 몇 번까지")
    here.page.keyboard.press("Enter")
    here.page.locator("a.title", has_text=QUOTE).first.click()
    assert here.page.locator("blockquote mark").inner_text() == QUOTE
    here.page.get_by_role("link", name="말한 곳 열기").click()
    assert here.page.locator("mark#quote").inner_text() == QUOTE
    assert "사람이 본다" in here.text()
    assert here.page.locator("mark#quote").is_visible()


def test_a_hooks_event_arrives_while_somebody_watches(tab, running):
    here = tab()
    here.page.wait_for_selector(".pulse.on")
    before = int(here.page.locator("[data-events]").get_attribute("data-events"))
    running.hook("정산 배치는 새벽 네 시로 옮기자 <b>bold</b>")
    item = here.page.locator("[data-feed] > li", has_text="정산 배치는 새벽 네 시로 옮기자 <b>bold</b>")
    item.first.wait_for(timeout=10_000)
    assert here.page.locator("[data-feed] b").count() == 0
    assert int(here.page.locator("[data-events]").get_attribute("data-events")) == before + 1
    item.locator("a.cite").click()
    assert "정산 배치는" in here.text()


def test_G28_a_proposal_is_read_edited_and_accepted_by_keyboard_alone(tab, running):
    here = tab()
    keys = here.page.keyboard
    here.go("/review")
    keys.press("j")
    keys.press("Enter")
    here.page.wait_for_selector("ins")
    assert here.page.locator("del").inner_text().strip() == "세"
    assert here.page.locator("blockquote mark").inner_text() == QUOTE
    keys.press("e")
    keys.press("Control+A")
    keys.type("환불 호출은 여섯 번 재시도한다.")
    for _ in range(3):
        keys.press("Tab")
    keys.press("Enter")
    here.page.wait_for_url("**said=revised")
    assert "여섯" in here.page.locator("ins").inner_text()
    here.page.evaluate(KOREAN_A)
    assert here.page.evaluate("document.activeElement.textContent").startswith("Accept")
    here.page.evaluate("document.activeElement.blur()")
    keys.press("a")
    assert here.page.evaluate("document.activeElement.textContent").startswith("Accept")
    keys.press("Enter")
    here.page.wait_for_url("**said=accepted")
    folder = running.shop.root / ".orange-hyper" / "graph" / "nodes" / "constraint"
    texts = [path.read_text("utf-8") for path in folder.glob("*.md")]
    written = next(text for text in texts if "여섯 번" in text)
    assert "accepted_via: web" in written
    assert not (running.shop.root / f".orange-hyper/proposals/memory-delta/pending/{running.shop.proposal}.md").exists()


PAGES = {
    "overview": "/",
    "search": "/search?q=환불 재시도",
    "sessions": "/sessions",
    "session": "/sessions/s1",
    "statements": "/entries",
    "tasks": "/tasks",
    "memories": "/memories",
    "preferences": "/preferences",
    "review": "/review?status=all",
    "graph": "/graph",
    "doctor": "/doctor",
    "settings": "/settings",
    "nothing": "/nowhere",
}
LEADING = {"entry": ("/entries", ".rows a.title"), "task": ("/tasks", ".rows a.title"), "node": ("/graph", ".rows a.title"), "memory": ("/sessions/s1", "a.cite"), "proposal": ("/review?status=all", ".rows a.title")}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("light", {"width": 1280, "color_scheme": "light", "locale": "en-US"}),
        ("narrow-dark", {"width": 360, "height": 740, "color_scheme": "dark", "locale": "ko-KR"}),
    ],
)
def test_M16_every_page_says_nothing_wrong_fits_and_keeps_nobody_out(tab, running, name, how):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    SCREENS.mkdir(parents=True, exist_ok=True)
    here = tab(bypass_csp=True, **how)  # axe is put into the page by us, which its policy rightly forbids
    for title, path in [*PAGES.items(), *LEADING.items()]:
        if isinstance(path, tuple):
            here.go(path[0])
            here.page.locator(path[1]).first.click()
        else:
            here.go(path)
        if title == "nothing":
            here.said.clear()  # the browser itself says that it was answered 404
        assert here.page.evaluate(TOO_WIDE) == [], title
        found = [each for each in axe.run(here.page).response["violations"] if each["impact"] in SERIOUS]
        assert not found, f"{title}: {[(each['id'], each['nodes'][0]['html']) for each in found]}"
        here.page.screenshot(path=SCREENS / f"dashboard-{title}-{name}.png", full_page=True)
    assert here.said == []


def test_everything_can_be_read_and_done_without_a_script(tab, running):
    here = tab(java_script_enabled=False, locale="ko-KR")
    page = here.page
    here.go("/search")
    page.fill("#q", "환불 재시도")
    page.locator("form[role=search] button").click()
    assert QUOTE in here.text()
    here.go("/preferences")
    page.locator("button", has_text="확인").first.click()
    assert "said=confirmed" in page.url
    assert "확인했습니다" in here.text()
    here.go("/doctor")
    page.locator("button", has_text="지금 점검").click()
    page.wait_for_selector("text=/점검 항목|모두 통과/", timeout=20_000)  # the page reloads itself until it is done
    here.go("/settings")
    form = page.locator("form", has=page.locator('input[value="recall.maxItems"]'))
    form.locator('input[name="value"]').fill("7")
    form.locator("button", has_text="저장").click()
    assert (
        page.locator("form", has=page.locator('input[value="recall.maxItems"]')).locator('[name="value"]').input_value()
        == "7"
    )
    assert re.search(r"거두기", here.text())
