"""A press that needs a file while the console is away says so, and works as soon as the console is back."""

import pytest
from playwright.sync_api import expect
from steps import be_signed_in, expect_live, new_identifier

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
    expect(told).to_contain_text("The console is not responding")
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
    pytest.param("#export", "#context-menu", marks=pytest.mark.long),
    pytest.param("#open-faults", "#faults", marks=pytest.mark.long),
])
def test_every_button_over_the_log_says_so_and_tries_again(visitor, button, opened):
    page = visitor.page("/network")
    expect_live(page)
    expect(page.locator("network-histogram:not(:defined)")).to_have_count(0)
    check(visitor, page, button, opened)


def test_a_press_while_the_network_page_loads_acts_as_soon_as_it_can(visitor):
    page, held = visitor.page("/login"), []
    expect_live(page)
    page.route("**/network-console.js", lambda route: held.append(route))
    with page.expect_request("**/network-console.js"):
        page.goto("/network")
    expect(page.locator("network-console[inert][aria-busy=true]")).to_be_visible()
    box = page.locator("#open-faults").bounding_box()
    page.mouse.click(box["x"] + 5, box["y"] + 5)
    expect(page.locator("#faults")).to_have_count(0)
    held[0].continue_()
    expect(page.locator("#faults")).to_be_visible()
    expect(page.locator("network-console:is([inert], [aria-busy=true])")).to_have_count(0)


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
