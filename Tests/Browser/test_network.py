"""The network console beside a live session."""

import re

from playwright.sync_api import expect
from steps import Clicks, ask, be_signed_in, grid_row, new_identifier

CALLS_OF_A_SIGN_IN = ("request_login_code", "login_with_code", "/rpc/me")


def test_rows_appear_while_the_page_is_open(watched):
    network = watched.page("/network")
    expect(network.locator("#network-grid")).to_be_attached()
    settings = watched.page()
    be_signed_in(settings, new_identifier())
    for call in CALLS_OF_A_SIGN_IN:
        expect(grid_row(network, call).first).to_be_visible()
    before = len(watched.read("/api/network?endpoint=refresh_tokens")["events"])
    assert before == 0
    settings.locator("#refresh-session").click()
    expect(grid_row(network, "refresh_tokens").first).to_contain_text("200")


def test_a_row_opens_with_headers_and_a_tree_of_its_body(watched):
    page, identifier = watched.page(), new_identifier()
    be_signed_in(page, identifier, at="/network")
    grid_row(page, "/rpc/me").first.click()
    page.get_by_role("tab", name=re.compile("^Request")).click()
    expect(page.get_by_role("tabpanel").filter(visible=True)).to_contain_text(re.compile("x-request-id", re.IGNORECASE))
    page.get_by_role("tab", name=re.compile("^Response")).click()
    panel = page.get_by_role("tabpanel").filter(visible=True)
    expect(panel).to_contain_text(re.compile("content-type", re.IGNORECASE))
    tree = panel.get_by_role("tree")
    expect(tree).to_contain_text("user_id")
    assert identifier not in page.get_by_role("main").inner_text()


def test_from_a_failed_sign_in_to_its_cause_takes_two_clicks(watched):
    watched.expect_answers(422)
    page, clicks = watched.page(), Clicks()
    ask(page, new_identifier(), "code", Clicks())
    page.locator("#code").fill("000000")
    expect(page.locator("#code")).to_have_attribute("aria-invalid", "true")
    clicks.on(page.locator("nav a[href='/network']"))
    failed = grid_row(page, "login_with_code")
    expect(failed).to_be_in_viewport(ratio=1)
    expect(failed).to_contain_text("401")
    clicks.on(failed)
    expect(page.locator(".cause-why")).to_have_text("The code was wrong, replaced, or expired.")
    expect(page.locator(".cause-why")).to_be_in_viewport(ratio=1)
    assert clicks.count == 2


def test_a_filter_narrows_the_rows_and_stays_in_the_address(watched):
    page = watched.page()
    be_signed_in(page, new_identifier(), at="/network")
    expect(grid_row(page, "login_with_code").first).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("endpoint:me")
    expect(grid_row(page, "/rpc/login_with_code")).to_have_count(0)
    expect(grid_row(page, "/rpc/me").first).to_be_visible()
    page.reload()
    expect(grid_row(page, "/rpc/me").first).to_be_visible()
    expect(grid_row(page, "/rpc/login_with_code")).to_have_count(0)


def test_a_pinned_row_is_marked_and_found_by_the_filter(watched):
    page = watched.page()
    be_signed_in(page, new_identifier(), at="/network")
    grid_row(page, "login_with_code").first.click()
    page.locator("#pin-row").click()
    expect(page.locator("#pin-row")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-pinned]")).to_have_count(1)
    page.locator("#filter").fill("is:pinned")
    expect(page.locator("#network-grid [data-row]")).to_have_count(1)
    page.locator("[data-row]").press("p")
    expect(page.locator("[data-view=none]")).to_be_visible()


def test_a_row_that_changes_while_the_page_loads_shows_the_change(watched):
    other = watched.page()
    be_signed_in(other, new_identifier(), at="/network")
    page, held = watched.page("/settings"), []
    page.route("**/network-console.js", lambda route: held.append(route))
    page.goto("/network")
    expect(page.locator("[data-row]").first).to_be_visible()
    row = watched.read("/api/network?endpoint=login_with_code")["events"][0]
    assert watched.call("POST", f"/api/network/{row['id']}/pin", {"pinned": True}).ok
    # Both pages hear of it at once.
    expect(other.locator("[data-pinned]")).to_have_count(1)
    held[0].continue_()
    expect(page.locator("[data-pinned]")).to_have_count(1)


def test_bodies_are_searched_by_the_console_and_the_search_can_be_taken_back(watched):
    page = watched.page()
    be_signed_in(page, new_identifier(), at="/network")
    expect(grid_row(page, "login_with_code").first).to_be_visible()
    page.locator("#filter").fill('body:"supported_languages"')
    expect(grid_row(page, "app_config").first).to_be_visible()
    expect(grid_row(page, "/rpc/login_with_code")).to_have_count(0)
    expect(page.locator("#search-text")).to_contain_text(re.compile(r"body: [1-9]"))
    page.locator("#filter").fill("")
    expect(page.locator("#search-state")).to_be_hidden()
    expect(grid_row(page, "login_with_code").first).to_be_visible()


def test_a_failed_row_says_why_and_leads_to_what_the_client_did(watched):
    page = watched.page()
    be_signed_in(page, new_identifier())
    assert watched.call("POST", "/api/backend/clock", {"advance_seconds": 16 * 60}).ok
    page.reload()
    expect(page.locator("#account-facts")).to_be_visible()
    page.goto("/network?q=status:401")
    grid_row(page, "/rpc/me").first.click()
    cause = page.locator(".cause")
    expect(cause).to_contain_text("The access token had expired.")
    expect(cause).to_contain_text("The client refreshed its tokens, which worked.")
    expect(cause).to_contain_text("Then it sent the call again, which worked.")
    cause.get_by_role("button").first.click()
    expect(page.locator("#detail-title")).to_contain_text("refresh_tokens")


def test_presentation_masks_what_a_body_holds(watched):
    page = watched.page()
    be_signed_in(page, new_identifier(), at="/network?present=1")
    grid_row(page, "/rpc/me").first.click()
    page.locator("#tab-response").click()
    value = page.get_by_role("tree").locator(".tree-string").first
    expect(value).to_be_visible()
    assert value.evaluate("(one) => getComputedStyle(one).getPropertyValue('-webkit-text-security')") == "disc"
