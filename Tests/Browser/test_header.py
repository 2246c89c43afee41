"""The header on a narrow screen, and the palette that knows what every page offers."""

import re

import pytest
from catalogue import languages, messages
from console_team import is_team
from playwright.sync_api import expect
from running_console import PROJECT
from steps import be_signed_in, connection, expect_live, new_identifier
from watched_context import WatchedContext

ACTION = re.compile(r'\sdata-action="([\w-]+)"')
INCLUDE = re.compile(r"<!-- include (\S+)[^>]*-->")
PAGES = ["/settings", "/profiles", "/cues", "/network", "/timeline", "/recordings", "/inbox"]


def pages(watched):
    """The pages that the header of that context's console leads to."""
    return [path for path in PAGES if path != "/inbox" or not is_team(watched.console)]


@pytest.fixture
def phone(browser, shared_console):
    """A context with a touch screen as wide as a phone."""
    context = WatchedContext(browser, shared_console, has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844})
    yield context
    context.close()


@pytest.mark.parametrize("language", ["en", pytest.param("ar", marks=pytest.mark.long)])
def test_the_header_is_one_line_on_a_phone(phone, language):
    page = phone.page()
    be_signed_in(page, new_identifier())
    for path in PAGES:
        page.goto(f"{path}?lang={language}")
        expect_live(page)
        for width in (390, 320):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.locator("understudy-shell").bounding_box()["height"] <= 56, (path, width)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, width)


def test_every_button_of_the_header_stays_on_a_phone_whatever_the_console_does(visitor):
    page = visitor.page("/login")
    expect_live(page)
    for language in languages():
        for state in ("connecting", "reconnecting", "offline"):
            said = messages(language)[f"connection.{state}"].format(n=10, time="00:00:00")
            connection(page).evaluate("(pill, [state, said]) => { pill.dataset.state = state; pill.textContent = said; }", [state, said])
            for width in (390, 320):
                page.set_viewport_size({"width": width, "height": 800})
                menu = page.locator("#menu").bounding_box()
                assert menu["x"] + menu["width"] <= width, (language, state, width)
                assert page.locator("understudy-shell").bounding_box()["height"] <= 56, (language, state, width)


def test_the_menu_of_a_phone_has_the_rest_of_the_header(phone):
    page = phone.page()
    be_signed_in(page, new_identifier())
    menu = page.locator("#menu")
    menu.tap()
    for what in ("#device", "#language", "#theme", "#help", *(f".nav a[href='{path}']" for path in pages(phone))):
        expect(page.locator(what)).to_be_visible()
        assert page.locator(what).bounding_box()["height"] >= 44, what
    page.keyboard.press("Escape")
    expect(page.locator(".nav")).to_be_hidden()
    expect(menu).to_be_focused()
    menu.tap()
    page.locator("#device").tap()
    expect(page.locator("dialog#devices[open]")).to_be_visible()
    expect(page.locator(".nav")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(menu).to_be_focused()
    menu.tap()
    page.locator(".nav a[href='/cues']").tap()
    page.wait_for_url("**/cues")
    expect(page.locator(".nav")).to_be_hidden()


def declared():
    """The actions that the pages declare in their documents, by page, with those of the parts that they include."""
    public = PROJECT / "Public"

    def text(path):
        return INCLUDE.sub(lambda part: text(public / "parts" / part[1]), path.read_text())

    found = {f"/{path.stem}": set(ACTION.findall(text(path))) for path in public.glob("*.html")}
    return {page: names for page, names in found.items() if names}


@pytest.mark.long
def test_the_palette_offers_the_actions_of_every_page_on_every_page(visitor):
    page = visitor.page()
    be_signed_in(page, new_identifier())
    by_page = declared()
    assert {"/network", "/settings", "/cues"} <= by_page.keys()
    everything = set().union(*by_page.values())
    assert {"export", "compose", "clear_log", "sign_out", "shuffle"} <= everything
    presets = visitor.read("/api/faults/presets")["presets"]
    for path in pages(visitor):
        page.goto(path)
        expect_live(page)
        expect(page.locator("main [aria-busy='true']")).to_have_count(0)
        page.locator("#commands").click()
        # What the page itself hides at the moment, such as grouping an empty log, it does not offer.
        hidden = {name for name in by_page.get(path, ()) if not page.locator(f"[data-action='{name}']").first.is_visible()}
        for name in everything - hidden:
            expect(page.locator(f"#palette-{name}"), f"{name} on {path}").to_have_count(1)
        for preset in presets:
            expect(page.locator(f"#palette-fault-{preset['id']}")).to_have_count(1)
        for other in set(pages(visitor)) - {path}:
            expect(page.locator(f"#palette-go_{other[1:]}")).to_have_count(1)
        for language in ("de", "fr", "es", "pl", "ja", "ar", "he"):
            expect(page.locator(f"#palette-language-{language}")).to_have_count(1)


@pytest.mark.parametrize(("start", "typed", "page_of_it", "opened"), [
    pytest.param("/settings", "export the network", "**/network*", "dialog#export-dialog[open]", marks=pytest.mark.long),
    ("/timeline", "compose", "**/network*", "dialog#composer[open]"),
    ("/network", "sign out", "**/settings*", "#sign-out-dialog[open]"),
    pytest.param("/settings", "sign out", "**/settings*", "#sign-out-dialog[open]", marks=pytest.mark.long),
    pytest.param("/cues", "delete the account", "**/delete-account*", "dialog[open]", marks=pytest.mark.long),
])
def test_an_action_of_another_page_goes_there_and_does_it(visitor, start, typed, page_of_it, opened):
    page = visitor.page()
    be_signed_in(page, new_identifier(), at=start)
    page.locator("#commands").click()
    page.keyboard.type(typed)
    expect(page.locator("#palette-list [role=option]").first).to_contain_text(re.compile(typed, re.IGNORECASE))
    page.locator("#palette-list [role=option]").first.click()
    page.wait_for_url(page_of_it)
    expect(page.locator(opened)).to_be_visible()
    # Once: a reload does not do it again.
    page.reload()
    expect_live(page)
    expect(page.locator(opened)).to_have_count(0)
