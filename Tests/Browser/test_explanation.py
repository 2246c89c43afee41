"""Why a session ended: a file that is dropped on the page says it above its rows, and every row that it names is one click away."""

import re

import pytest
from catalogue import messages
from playwright.sync_api import expect
from running_console import PROJECT
from watched_context import WatchedContext

SESSIONS = PROJECT / "Tests/Fixtures/sessions"
LOOKS = {
    "narrow-dark-en": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark", "locale": "en-GB"},
    "wide-light-ar": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "light", "locale": "ar-EG"},
    "narrow-light-ar": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light", "locale": "ar-EG"},
    "wide-dark-en": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "dark", "locale": "en-GB"},
}


def text(key, language="en"):
    """A message of the catalogue."""
    return messages(language)[key]


@pytest.fixture
def looking(browser, shared_console):
    """Opens contexts on the worker's console, each with a look of its own."""
    contexts = []

    def begin(look="wide-dark-en"):
        context = WatchedContext(browser, shared_console, reduced_motion="reduce", **LOOKS[look])
        contexts.append(context)
        return context

    yield begin
    for context in contexts:
        context.close()


def drop(page, name):
    """Drops a file on the recordings page, and opens what it became by a click."""
    page.goto("/recordings")
    expect(page.locator("#import-recording")).to_be_visible()
    transfer = page.evaluate_handle(
        """([name, text]) => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([text], name, { type: "application/json" }));
          return transfer;
        }""", [name, (SESSIONS / name).read_text()])
    page.dispatch_event("recordings-view", "drop", {"dataTransfer": transfer})
    page.locator("#open-imported").click()
    page.wait_for_url("**/network?recording=*")
    return page.locator(".explanation")


@pytest.mark.parametrize("look", [pytest.param(look, marks=() if place < 2 else pytest.mark.long) for place, look in enumerate(LOOKS)])
def test_a_dropped_har_says_why_and_leads_to_the_row(looking, look):
    page = looking(look).page()
    said = drop(page, "01-harborline.har")
    language = look[-2:]
    expect(said.get_by_role("heading", level=2)).to_have_text(
        re.compile(re.escape(text("explain.signed_out_at", language)).replace(r"\{time\}", r"\S+")))
    sentence = said.locator("[data-kind=refresh_race]")
    expect(sentence).to_contain_text("invalid_grant")
    expect(sentence.get_by_role("link")).to_have_text(["5", "8"])
    expect(page.locator("html")).to_have_attribute("dir", "rtl" if language == "ar" else "ltr")
    # It leaves the rows their place.
    assert said.bounding_box()["height"] <= 0.41 * page.viewport_size["height"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    sentence.get_by_role("link", name="8", exact=True).click()
    expect(page.locator("#detail-title")).to_have_text("POST /rpc/refresh_tokens")
    # The other of the two was granted.
    expect(page.locator("#detail-panel")).to_contain_text("400")
    assert "recording=" in page.url, "the row opens in place"


def test_rows_and_gaps_are_listed_below_the_sentence(looking):
    page = looking().page()
    said = drop(page, "cleaned-refused.har")
    expect(said.get_by_role("heading", level=3)).to_have_text(text("explain.lacks"))
    expect(said.locator("li").filter(has_text=text("explain.missing_differences"))).to_be_visible()
    said.locator("summary").click()
    rows = said.locator(".explanation-rows > li")
    expect(rows.first).to_contain_text(re.compile(r"\d\d:\d\d:\d\d\.\d{3}.*(GET|POST) /"))
    rows.last.get_by_role("link").click()
    expect(page.locator("network-detail")).to_be_visible()


def test_a_log_whose_session_was_kept_says_so(looking):
    said = drop(looking().page(), "kept-rotation.har")
    expect(said).to_have_text(text("explain.session_kept"))
    expect(said).to_have_attribute("data-tone", "ok")


def test_the_timeline_has_a_line_for_each_refresh_token(looking):
    page = looking().page()
    drop(page, "01-harborline.har")
    page.goto(page.url.replace("/network", "/timeline"))
    line = page.locator(".family")
    expect(line).to_have_count(1)
    names = [text(f"explain.{what}") for what in ("sent", "sent", "replaced", "issued", "refused")]
    expect(line.locator(".family-name")).to_have_text(names)
    line.get_by_role("link").last.click()
    page.wait_for_url(re.compile(r"/network\?recording=.*row="))
    expect(page.locator("#detail-title")).to_have_text("POST /rpc/refresh_tokens")


def test_a_masked_token_says_how_long_it_was_valid(looking):
    page = looking("narrow-dark-en").page()
    drop(page, "clock-behind.har")
    page.goto(f"{page.url.split('&row=')[0]}&row=3")
    page.locator("#tab-request").click()
    note = page.locator(".token-note")
    expect(note).to_have_count(1)
    expect(note).to_contain_text(re.compile(r"^Access token, issued .*, valid 15 min, expired 1\.7 min before"))
    expect(note).to_contain_text("RS256 · kid k1 · sub")
    assert "eyJ" not in page.locator("network-detail").inner_text()
