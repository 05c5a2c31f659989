"""A real browser for the pages, without a network."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def _program() -> str | None:
    return next((path for name in PROGRAMS if (path := shutil.which(name))), None)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, started once a file; skips with what to install where there is none.

    Its driver keeps an event loop running in this thread: left open for a session, no other test could have its own.
    """
    program = _program()
    if program is None:
        pytest.skip(f"None of {', '.join(PROGRAMS)} is installed; on Debian: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        # Without its sandbox, because it refuses to start with it for root; it opens only files of these tests.
        chromium = driver.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--force-prefers-reduced-motion"]
        )
        yield chromium
        chromium.close()


@dataclass
class Opened:
    """A page, with everything that it said or asked for."""

    page: Any
    file: Path
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def titles(self) -> list[str]:
        """The titles of the rows that are shown."""
        return [text.strip() for text in self.page.locator("tbody tr:not([hidden]) .open").all_inner_texts()]

    def numbers(self) -> set[str]:
        """The numbers of the memories that are shown; titles that were cut may be alike."""
        return set(self.page.eval_on_selector_all("tbody tr:not([hidden])", "rows => rows.map(row => row.id)"))

    def focus(self) -> str:
        """The id of what has the focus, or its number among the memories."""
        return str(
            self.page.evaluate(
                "document.activeElement.id || document.activeElement.dataset.i || document.activeElement.tagName"
            )
        )


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Opened]]:
    """`opened(file, width=360, color_scheme="dark")`: the page of a file, offline; silence is checked at the end."""
    contexts, pages = [], []

    def open_file(file: Path, *, width: int = 1440, height: int = 1000, fragment: str = "", **how: Any) -> Opened:
        how = {"locale": "en-US", "offline": True} | how
        context = browser.new_context(viewport={"width": width, "height": height}, **how)
        contexts.append(context)
        found = Opened(context.new_page(), file)
        found.page.on("console", lambda message: found.said.append(message.text))
        found.page.on("pageerror", lambda error: found.said.append(str(error)))
        found.page.on("request", lambda request: found.asked.append(request.url))
        found.page.goto(file.as_uri() + fragment)
        pages.append(found)
        return found

    yield open_file
    for each in pages:
        assert each.said == []
        assert [url for url in each.asked if not url.startswith(each.file.as_uri())] == []
    for context in contexts:
        context.close()
