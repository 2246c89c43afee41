"""Drift from the OpenAPI document: the mark on the row, the filter, the details and the section, by mouse alone."""

import json
import re

import pytest
from console_team import start_console
from drifting import differing_in_me
from playwright.sync_api import expect
from steps import Clicks, be_signed_in, from_menu, grid_row, new_identifier
from test_accessibility import violations
from watched_context import WatchedContext


@pytest.fixture
def drifting(browser, tmp_path):
    """A context on a console that compares with a document which differs from the backend in `GET /rpc/me`."""
    running = start_console(tmp_path / "data", arguments=("--openapi", differing_in_me(tmp_path)))
    context = WatchedContext(browser, running)
    yield context
    context.close()
    assert running.stop() == 0, running.logs[-2000:]


def test_drift_is_found_with_the_mouse_alone(drifting):
    page, clicks = drifting.page(), Clicks()
    be_signed_in(page, new_identifier(), at="/network")
    marked = grid_row(page, "/rpc/me").first
    mark = marked.get_by_role("img", name="differs from the OpenAPI document")
    expect(mark).to_be_visible()
    expect(grid_row(page, "login_with_code").first.get_by_role("img", name="differs")).to_have_count(0)

    section = page.locator("#drift")
    expect(section).to_be_hidden()
    clicks.on(page.locator("#view"))
    clicks.on(page.get_by_role("menuitemcheckbox", name="Drift", checked=False))
    expect(section).to_be_visible()
    expect(section).to_contain_text("Understudy reference backend 1.0.0")
    expect(section).to_contain_text("other.json")
    endpoint = section.locator("details").first
    expect(section.locator("details")).to_have_count(1)
    expect(endpoint.get_by_role("table")).to_be_hidden()
    clicks.on(endpoint.locator("summary"))
    expect(endpoint.get_by_role("table")).to_contain_text("/user_id")
    expect(endpoint.get_by_role("table")).to_contain_text("integer")

    clicks.on(endpoint.get_by_role("button", name="Show rows", exact=True))
    expect(page.locator("#filter")).to_have_value(re.compile("^drift:any method:GET endpoint:"))
    expect(grid_row(page, "/rpc/login_with_code")).to_have_count(0)
    expect(marked).to_be_visible()
    expect(page.locator("#filter-says .chip").first).to_contain_text("it differs from the OpenAPI document")

    clicks.on(marked)
    clicks.on(page.get_by_role("tab", name="Drift"))
    panel = page.get_by_role("tabpanel").filter(visible=True)
    expect(panel).to_contain_text("/user_id")
    expect(panel).to_contain_text("missing")
    assert clicks.count == 6
    assert violations(page) == []


def test_new_drift_appears_while_the_section_is_open(drifting):
    page = drifting.page("/network")
    from_menu(page, "#view", "drift")
    expect(page.locator("#drift")).to_contain_text("No call of this device differs from the document.")
    other = drifting.page()
    be_signed_in(other, new_identifier())
    expect(page.locator("#drift details")).to_have_count(1)
    page.locator("#drift summary").click()
    rows = page.locator("#drift summary")
    before = rows.inner_text()
    other.reload()
    other.locator("#refresh-session").click()
    expect(rows).not_to_have_text(before)
    expect(page.locator("#drift details")).to_have_attribute("open", "")


@pytest.mark.long
def test_the_section_says_that_the_backends_own_document_fits(watched):
    page = watched.page()
    be_signed_in(page, new_identifier(), at="/network")
    from_menu(page, "#view", "drift")
    section = page.locator("#drift")
    expect(section).to_contain_text("/swagger.json")
    expect(section).to_contain_text("No call of this device differs from the document.")
    from_menu(page, "#view", "drift")
    expect(section).to_be_hidden()


@pytest.mark.arguments("--openapi", "http://127.0.0.1:1/api.json")
def test_the_section_says_why_nothing_is_compared(watched):
    page = watched.page("/network")
    from_menu(page, "#view", "drift")
    expect(page.locator("#drift")).to_contain_text("the OpenAPI document could not be fetched")
    expect(page.locator("#drift")).to_contain_text("http://127.0.0.1:1/api.json")
    # No row of a request to another server is kept.
    expect(page.locator("#drift").get_by_role("button")).to_have_count(0)


@pytest.mark.long
def test_the_consoles_own_requests_are_shown_only_when_asked_for(visitor):
    page = visitor.page()
    be_signed_in(page, new_identifier(), at="/network")
    expect(grid_row(page, "/rpc/me").first).to_be_visible()
    expect(grid_row(page, "/swagger.json")).to_have_count(0)
    page.locator("#filter").fill("source:tool")
    expect(grid_row(page, "/swagger.json")).to_have_count(1)
    expect(grid_row(page, "/rpc/me")).to_have_count(0)
    grid_row(page, "/swagger.json").click()
    expect(page.locator("network-detail")).to_contain_text("Understudy itself")
    expect(page.locator("row-actions").get_by_role("button").first).to_be_visible()
    for name in ("#pin-row", "#clear-log", "#pause-log", "#export", "#replay-row", "#edit-answer", ".timeline-link"):
        expect(page.locator(name)).to_be_hidden()
    page.locator("#filter").fill("-source:tool")
    expect(grid_row(page, "/rpc/me").first).to_be_visible()
    expect(grid_row(page, "/swagger.json")).to_have_count(0)
    page.locator("#pause-log").click()
    page.locator("#filter").fill("source:tool")
    expect(grid_row(page, "/swagger.json")).to_have_count(1)
    page.locator("#filter").fill("")
    expect(grid_row(page, "/rpc/me").first).to_be_visible()
    expect(page.locator("#paused")).to_be_hidden()
    page.goto(page.url.split("?")[0] + "?q=source%3Atool")
    expect(grid_row(page, "/swagger.json")).to_have_count(1)


@pytest.mark.long
def test_the_section_is_reached_and_left_with_the_keyboard(drifting):
    page = drifting.page()
    be_signed_in(page, new_identifier(), at="/network?lang=ar")
    button = page.locator("#view")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator("[role=menuitemcheckbox]:focus")).to_have_text("الانحرافات")
    page.keyboard.press("Enter")
    expect(page.locator("#drift")).to_be_focused()
    summary = page.locator("#drift summary")
    summary.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#drift table")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#drift")).to_be_hidden()
    expect(button).to_be_focused()


def test_an_import_is_compared_with_the_document(drifting):
    page = drifting.page()
    be_signed_in(page, new_identifier(), at="/recordings")
    fitting = {"startedDateTime": "2026-11-26T10:00:00Z", "request": {"method": "GET", "url": "https://api.example/rpc/me"}}
    answer = {"status": 200, "headers": [{"name": "Content-Type", "value": "application/json"}], "content": {"text": '{"user_id":"x"}'}}
    recorded = json.dumps({"log": {"entries": [fitting | {"response": answer}]}}).encode()
    page.locator("#import-file").set_input_files({"name": "a.har", "mimeType": "application/json", "buffer": recorded})
    page.locator(".recording-title").first.click()
    from_menu(page, "#view", "drift")
    section = page.locator("#drift")
    expect(section).to_contain_text("Rows compared: 1")
    expect(section).to_contain_text("Seen: 1 of")
    section.locator("details", has_text="Operations not seen").locator("summary").click()
    expect(section).to_contain_text("POST /rpc/shuffle_cues")
    endpoint = section.locator("details", has_text="GET /rpc/me")
    endpoint.locator("summary").click()
    expect(endpoint.get_by_role("table")).to_contain_text("/badge_number")
    expect(endpoint.get_by_role("button", name="Show rows", exact=True)).to_have_count(0)
    endpoint.get_by_role("button", name="Show last row").first.click()
    expect(page.locator("#detail-title")).to_contain_text("/rpc/me")
