"""A press that needs a file while the console is away says so, and works as soon as the console is back."""

import pytest
from playwright.sync_api import expect
from steps import be_signed_in, expect_live, grid_row, new_identifier

pytestmark = pytest.mark.whole_browser

PALETTE = ("#commands", "dialog#palette[open]")
DEVICES = ("#device", "dialog#devices[open]")
EVERYWHERE = ["/profiles", "/cues", "/delete-account", "/inbox", "/timeline", "/recordings", "/network"]


def cut_off(watched, page):
    """From now on nothing but the open stream reaches the console; gives the function that ends it."""
    watched.expect_lost_connection()
    page.route("**/*", lambda route: route.abort("connectionrefused"))
    return lambda: page.unroute("**/*")


def check(watched, page, button, opened):
    """Presses while the console is away, which says so, and again when it is back."""
    bring_back = cut_off(watched, page)
    target = page.locator(button).first
    target.click()
    told = page.locator(".notices [role=alert]")
    expect(told).to_be_visible()
    expect(told).to_contain_text("The console is not answering")
    expect(page.locator(opened)).to_have_count(0)
    expect(target).not_to_have_attribute("aria-busy", "true")
    bring_back()
    target.click()
    expect(page.locator(opened)).to_have_count(1)


@pytest.mark.parametrize("path", ["/settings", *(pytest.param(path, marks=pytest.mark.long) for path in EVERYWHERE)])
def test_the_header_of_every_page_says_so_and_tries_again(visitor, path):
    page = visitor.page()
    be_signed_in(page, new_identifier())
    for button, opened in (PALETTE, DEVICES):
        page.goto(path)
        expect_live(page)
        expect(page.locator("main [aria-busy='true']")).to_have_count(0)
        check(visitor, page, button, opened)


@pytest.mark.parametrize(("button", "opened"), [
    ("#compose", "dialog#composer[open]"),
    pytest.param(*PALETTE, marks=pytest.mark.long),
    pytest.param("#export", "dialog#export-dialog[open]", marks=pytest.mark.long),
    pytest.param("#open-faults", "#faults", marks=pytest.mark.long),
    pytest.param("#open-drift", "#open-drift[aria-expanded=true]", marks=pytest.mark.long),
])
def test_every_button_over_the_log_says_so_and_tries_again(visitor, button, opened):
    page = visitor.page("/network")
    expect_live(page)
    expect(page.locator("network-histogram:not(:defined)")).to_have_count(0)
    check(visitor, page, button, opened)


def test_a_row_that_cannot_be_opened_says_so_and_opens_later(visitor):
    page = visitor.page()
    be_signed_in(page, new_identifier(), at="/network")
    expect(page.locator("network-histogram:not(:defined)")).to_have_count(0)
    expect(grid_row(page, "/rpc/me").first).to_be_visible()
    check(visitor, page, "#network-grid [data-row]:has-text('/rpc/me')", "network-detail:not([hidden]) #tab-overview")


@pytest.mark.long
def test_what_copies_says_so_and_copies_later(visitor):
    page = visitor.page()
    be_signed_in(page, new_identifier())
    # A page that was there before its stream reads once more, and shows the facts anew.
    expect_live(page)
    check(visitor, page, "#account-facts .copy", "#account-facts .copy[data-copied=true]")


@pytest.mark.long
def test_signing_in_says_so_before_anything_is_sent(visitor):
    page = visitor.page("/login")
    expect_live(page)
    asked = []
    visitor.spoil()
    page.on("request", lambda request: asked.append(request.url) if "/api/login/" in request.url else None)
    page.locator("#identifier").fill(new_identifier())
    bring_back = cut_off(visitor, page)
    page.locator("#send-code").click()
    expect(page.locator("#identifier-error")).to_contain_text("The console is not answering")
    assert not asked, "a message was asked for that nobody could use"
    page.locator("#have-code").click()
    expect(page.locator(".notices [role=alert]")).to_contain_text("The console is not answering")
    bring_back()
    page.locator("#send-code").click()
    expect(page.locator("#code")).to_be_visible()


@pytest.mark.long
def test_a_sign_in_that_waits_is_shown_again_after_a_start_without_its_step(visitor):
    page, identifier = visitor.page("/login"), new_identifier()
    expect_live(page)
    page.locator("#identifier").fill(identifier)
    page.locator("#send-code").click()
    expect(page.locator("#code")).to_be_visible()
    visitor.expect_lost_connection()
    page.route("**/verify-step.js", lambda route: route.abort("connectionrefused"))
    page.reload()
    expect(page.locator("#identifier")).to_have_value(identifier)
    expect(page.locator("#send-code")).to_be_visible()
    page.unroute("**/verify-step.js")
    page.reload()
    expect(page.locator("#code")).to_be_visible()


@pytest.mark.long
def test_a_banner_that_could_not_be_loaded_comes_with_the_next_change(visitor):
    page = visitor.page()
    be_signed_in(page, new_identifier())
    visitor.expect_lost_connection()
    page.route("**/armed-banner.js", lambda route: route.abort("connectionrefused"))
    with page.expect_event("requestfailed"):
        visitor.call("POST", "/api/faults/presets/slow-backend", {})
    page.unroute("**/armed-banner.js")
    visitor.call("POST", "/api/faults/presets/rate-limited", {})
    expect(page.locator("armed-banner")).to_be_visible()
    visitor.call("DELETE", "/api/faults")
