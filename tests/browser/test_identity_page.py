"""The identity page as people meet it: with a mouse, with a keyboard, on a telephone, without a script.

`opened` checks at the end of each test that the page wrote nothing to the console and asked for nothing but itself.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import memory_project as sample
from pith.files.layout import IDENTITY
from pith.services.project_memory.identity.build import build
from pith.services.project_memory.shared import open_shared

pytestmark = pytest.mark.browser

SCREENS = Path(__file__).parents[2] / "build" / "screens"


def _built(root: Path) -> Path:
    shared = open_shared(root, lambda: "2026-11-30T00:00:00.000Z")
    build(shared)
    return shared.layout.path(IDENTITY)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a shop with 60 memories."""
    root = tmp_path_factory.mktemp("sixty") / "shop"
    sample.make(root, 60)
    return _built(root)


def _snapshot(root: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in sorted(root.rglob("*")) if path.is_file()
    }


# -- Filters -------------------------------------------------------------------------------------------------


def test_G26_filters_narrow_the_table_and_the_map_and_change_nothing_on_disk(shop, opened):
    before = _snapshot(shop.parents[2])
    found = opened(shop)
    page = found.page
    _counts(page, "60 of 60 memories")
    page.select_option("#f-type", "decision")
    _counts(page, "6 of 60 memories")
    assert len(found.titles()) == 6
    assert page.locator("#dots .dot:not(.dim)").count() == 6
    page.select_option("#f-state", "stale")
    assert found.titles() == [] or all(page.locator("tbody tr:not([hidden]) .s-stale").all())
    page.locator("#reset").click()
    _counts(page, "60 of 60 memories")
    for state in ("fresh", "stale", "superseded", "conflicting"):
        page.select_option("#f-state", state)
        shown = page.locator("tbody tr:not([hidden])")
        assert shown.count() == page.locator(f"tbody tr .c2 .s-{state}").count() > 0, state
    page.locator("#reset").click()
    page.fill("#f-text", "쿠폰함 만료된")  # in its own words, or in those of its quest
    assert 0 < len(found.titles()) < 60
    assert "쿠폰함을 조회할 때 만료된 쿠폰은 서버에서 걸러서 내려준다. (3)" in found.titles()
    page.locator("#reset").click()
    page.select_option("#f-quest", index=1)
    assert 0 < len(found.titles()) < 60
    page.fill("#f-text", "no such words at all")
    assert page.locator("#nothing").is_visible()
    assert _snapshot(shop.parents[2]) == before


def test_a_bar_of_the_overview_and_a_part_of_the_structure_are_filters_too(shop, opened):
    found = opened(shop)
    page = found.page
    bar = page.locator('[data-filter="type"][data-value="risk"]')
    bar.click()
    assert bar.get_attribute("aria-pressed") == "true"
    assert page.locator("#f-type").input_value() == "risk"
    bar.click()
    page.locator('nav [data-part="module:packages/payment"]').click()
    inside = found.numbers()
    assert 0 < len(inside) < 60
    page.locator('nav [data-part="unmapped-memory"]').click()
    assert found.numbers()
    assert not inside & found.numbers()
    page.locator('nav [data-part="project"]').click()
    assert len(found.titles()) == 60


# -- One memory ----------------------------------------------------------------------------------------------


def test_G26_a_memory_shows_its_evidence_provenance_validity_and_links(shop, opened):
    found = opened(shop)
    page = found.page
    page.select_option("#f-state", "stale")
    page.locator("tbody tr:not([hidden]) .open").first.click()
    panel = page.locator("#panel")
    for said in (
        "Evidence",
        "14 passed",
        "Provenance",
        "quest_20261102",
        "mem_delta_quest",
        "Stale after",
        "30d",
        "2020-01-01",
    ):
        assert said in panel.inner_text(), said
    page.locator("#reset").click()
    page.select_option("#f-state", "conflicting")
    page.locator("tbody tr:not([hidden]) .open").first.click()
    assert "conflicts_with" in panel.inner_text()
    title = page.locator("#panel-title").inner_text()
    link = panel.locator("a[href^='#n']").first
    other = link.inner_text()
    link.click()
    assert page.locator("#panel-title").inner_text() == other != title


def test_a_dot_on_the_map_opens_its_memory(shop, opened):
    found = opened(shop)
    page = found.page
    dot = page.locator("#dots .dot").nth(7)
    dot.scroll_into_view_if_needed()
    box = dot.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    label = dot.get_attribute("aria-label")
    assert label.startswith(page.locator("#panel-title").inner_text())
    assert "chosen" in dot.get_attribute("class")


def test_the_map_zooms_pans_and_fits_again(shop, opened):
    found = opened(shop)
    page = found.page
    view = lambda: [float(each) for each in page.locator("#map").get_attribute("viewBox").split()]  # noqa: E731
    first = view()
    page.locator("#zoom-in").click()
    assert view()[2] < first[2]
    box = page.locator("#map").bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    before = view()
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 90, middle[1] + 40, steps=5)
    page.mouse.up()
    assert view()[0] < before[0]
    page.keyboard.down("Control")
    page.mouse.wheel(0, 300)
    page.keyboard.up("Control")
    _until(page, lambda: view()[2] > before[2])
    page.locator("#zoom-fit").click()
    assert view() == first


# -- Everybody -----------------------------------------------------------------------------------------------


def test_G26_the_keyboard_alone_reaches_everything(shop, opened):
    found = opened(shop)
    page, keys = found.page, found.page.keyboard
    keys.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    keys.press("Enter")
    assert found.focus() == "memory"
    keys.press("Tab")
    assert found.focus() == "0"
    keys.press("ArrowDown")
    keys.press("ArrowDown")
    assert found.focus() == "2"
    keys.press("End")
    assert found.focus() == "59"
    keys.press("Home")
    keys.press("Enter")
    assert found.focus() == "panel"
    assert page.locator("#panel-title").inner_text() == found.titles()[0]
    keys.press("Escape")
    assert found.focus() == "0"
    keys.press("/")
    assert found.focus() == "f-text"
    keys.type("integers (22)")
    assert len(found.titles()) == 1
    page.locator("#map").focus()
    keys.press("ArrowRight")
    one = found.focus()
    for way in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"):
        keys.press(way)
    keys.press("Enter")
    assert one.isdigit()
    assert found.focus() == "panel"
    keys.press("Escape")
    assert found.focus().isdigit()


def test_the_focus_can_be_seen(shop, opened):
    page = opened(shop).page
    for id in ("f-text", "f-type", "reset", "zoom-in", "map"):
        page.locator("body").press("Tab")  # so that the browser knows a keyboard is used
        page.locator(f"#{id}").focus()
        style = page.locator(f"#{id}").evaluate(
            "e => [getComputedStyle(e).outlineStyle, parseFloat(getComputedStyle(e).outlineWidth)]"
        )
        assert style[0] == "solid", id
        assert style[1] >= 2, id


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 1000, 360])
@pytest.mark.parametrize("locale", ["en-US", "ko-KR"])
def test_G26_axe_finds_nothing_that_keeps_people_out(shop, opened, scheme, width, locale):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    # axe is put into the page by us, which the page's own policy rightly forbids.
    page = opened(shop, width=width, color_scheme=scheme, locale=locale, bypass_csp=True).page
    page.locator("tbody .open").nth(3).click()
    violations = axe.Axe().run(page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"][:200]) for each in violations] == []


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_G26_nothing_sticks_out_at_any_width(shop, opened, width):
    page = opened(shop, width=width).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("tbody .open").first.click()
    assert page.locator("#panel").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if width == 360:
        page.locator("#close").click()
        assert not page.locator("#panel").is_visible()


def test_G26_without_a_script_the_table_and_the_details_are_there(shop, opened):
    page = opened(shop, java_script_enabled=False).page
    assert page.locator("tbody tr").count() == 60
    first = page.locator("tbody details").first
    assert not first.locator(".node").is_visible()
    first.locator("summary").click()
    assert "14 passed" in first.inner_text()
    assert page.locator("svg#map").is_visible()
    assert not page.locator("#filters").is_visible()


def test_korean_is_as_good_as_english(shop, opened):
    page = opened(shop, locale="ko-KR").page
    assert page.locator("html").get_attribute("lang") == "ko"
    _counts(page, "기억 60개 중 60개")
    assert page.locator("h2#map-title").inner_text() == "지도"
    page.locator("#language").click()
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("h2#map-title").inner_text() == "Map"
    korean = page.locator("tbody .open[lang=ko]").first
    assert "쿠폰함" in korean.inner_text() or "재가입" in korean.inner_text() or "배송지" in korean.inner_text()
    assert korean.evaluate("e => getComputedStyle(e).wordBreak") == "keep-all"


def test_a_print_holds_every_memory_that_fits_the_filters(shop, opened):
    page = opened(shop).page
    page.emulate_media(media="print")
    assert not page.locator("#filters").is_visible()
    assert page.locator("tbody tr").first.is_visible()


# -- Any text, any size --------------------------------------------------------------------------------------

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)><b>bold</b> & \"'`{{7*7}}"


def test_G26_a_script_in_any_field_is_shown_as_text(tmp_path, opened):
    layout = sample.make(tmp_path / "shop")
    source = sample.quest(0, id="quest_hostile", title=HOSTILE, request=HOSTILE, verification_evidence=(HOSTILE,))
    sample.put_quest(layout, source)
    fields = dict.fromkeys(
        ("title", "summary", "evidence", "confidence", "source_proposal", "source_proposal_hash"), HOSTILE
    )
    node = sample.memory(0, source, kind="decision", id="decision.hostile", own={"rationale": HOSTILE}, **fields)
    sample.put(layout, node)
    (layout.root / "src").mkdir()
    (layout.root / "src" / "<img src=x onerror=alert(3)>.py").write_text("", encoding="utf-8")
    found = opened(_built(layout.root))
    page = found.page
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.locator("tbody .open").first.click()
    assert page.locator("#panel-title").inner_text().startswith("</script><script>alert(1)")
    assert "<b>bold</b>" in page.locator("#panel").inner_text()
    assert page.locator("img, b, main script").count() == 0
    page.fill("#f-text", "<b>bold")
    assert len(found.titles()) == 1


def test_an_empty_memory_says_what_to_do_next(tmp_path, opened):
    sample.empty(tmp_path / "empty")
    page = opened(_built(tmp_path / "empty")).page
    assert "pith remember propose" in page.locator("#memory").inner_text()
    _counts(page, "0 of 0 memories")


def _counts(page: Any, told: str) -> None:
    """Wait until the page has counted so: clearing a form is told to its page only after the click."""
    _until(page, lambda: page.locator("#count").inner_text() == told)
    assert page.locator("#count").inner_text() == told


def _until(page: Any, holds: Callable[[], bool]) -> None:
    """Wait until something holds; the page's own policy forbids what Playwright's waiting would evaluate in it."""
    for _ in range(200):
        if holds():
            return
        page.wait_for_timeout(25)
    assert holds()


def test_two_thousand_memories_stay_usable(tmp_path, opened):
    sample.make(tmp_path / "large", 2_000)
    found = opened(_built(tmp_path / "large"))
    page = found.page
    assert page.locator("#dots .dot").count() == 2_000
    assert len(found.titles()) == 100
    page.locator("#more").click()
    assert len(found.titles()) == 200
    page.fill("#f-text", "배송지 (5)")
    _counts(page, "1 of 2,000 memories")
    # Labels stand only where they have room, so that a large map is no heap of words.
    page.locator("#reset").click()
    _until(page, lambda: page.locator("#count").inner_text().startswith("2,000"))
    assert 3 <= page.locator("#labels text").count() < 120


@pytest.mark.long
@pytest.mark.parametrize("count", [0, 3, 60, 2_000])
def test_pictures_are_taken_for_people_to_look_at(tmp_path, opened, count):
    sample.make(tmp_path / "shop", count)
    page_file = _built(tmp_path / "shop")
    SCREENS.mkdir(parents=True, exist_ok=True)
    looks: dict[str, dict[str, Any]] = {
        "light": {}, "dark": {"color_scheme": "dark"}, "korean": {"locale": "ko-KR"}, "narrow": {"width": 360, "height": 780},
    }  # fmt: skip
    for name, how in looks.items():
        page = opened(page_file, **({"height": 1300} | how)).page
        page.wait_for_timeout(300)
        page.screenshot(path=SCREENS / f"{count}-{name}.png", full_page=name == "narrow")
