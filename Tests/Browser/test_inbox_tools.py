"""What the inbox page does with the embedded backend beside showing its messages."""

import pytest
from moments import until
from playwright.sync_api import expect
from steps import Clicks, ask, be_signed_in, expect_live, expect_signed_in, new_identifier, open_inbox


@pytest.mark.one_console("needs the inbox page, which only an embedded backend has")
def test_a_simulated_mail_scanner_leaves_the_link_good(watched):
    page, identifier = watched.page(), new_identifier()
    ask(page, identifier, "link", Clicks())
    inbox = open_inbox(page, Clicks())
    button = inbox.locator("#scan-link")
    expect(button).to_be_visible()
    button.focus()
    inbox.keyboard.press("Enter")
    expect(inbox.locator("#scan-result")).to_contain_text("HEAD 200 · GET 200 · GET 200")
    expect(inbox.locator("#scan-result")).to_contain_text("still work")
    inbox.goto(inbox.locator("#open-link").get_attribute("href"))
    inbox.locator("#sign-in").click()
    expect_signed_in(inbox, identifier)
    # It was used now: a scanner has nothing left to prove.
    inbox.goto("/inbox")
    expect(inbox.locator("#inbox-expiry")).to_have_text("This message was used and no longer works.")
    expect(button).to_be_hidden()


@pytest.mark.one_console("needs the inbox page, which only an embedded backend has")
def test_limits_are_seen_changed_and_forgotten(watched, console):
    page, identifier = watched.page(), new_identifier()
    ask(page, identifier, "link", Clicks())
    inbox = open_inbox(page, Clicks())
    limits = inbox.locator("backend-limits")
    expect(limits.locator("summary")).to_be_visible()
    limits.locator("summary").focus()
    inbox.keyboard.press("Enter")
    expect(limits.locator("#limits-entries")).to_contain_text(identifier)
    limits.locator("#limits-mode").select_option("prod")
    expect(limits.locator("#limits-entries")).to_contain_text("next in")
    limits.locator("#limits-reset").click()
    expect(limits.locator("#limits-entries")).to_contain_text("No messages in the last hour")
    expect(limits.locator("#limits-mode")).to_have_value("relaxed")


@pytest.mark.one_console("needs the inbox page, which only an embedded backend has")
def test_the_clock_is_moved_signed_out_and_every_page_says_so(watched):
    places = "[...document.querySelectorAll('.nav, #device, [data-fact=backend], [data-fact=connection], main h1')].map(" \
        "(one) => JSON.stringify(one.getBoundingClientRect()))"
    page = watched.page("/inbox")
    expect_live(page)
    page.set_viewport_size({"width": 1440, "height": 800})
    ahead = page.locator("clock-ahead")
    expect(ahead).to_be_hidden()
    before = page.evaluate(places)
    page.locator("[data-advance='960']").click()
    expect(ahead).to_contain_text("Backend clock +16 min", use_inner_text=True)
    assert page.evaluate(places) == before, "what the clock does not concern moved"
    page.goto("/network")
    expect(ahead).to_be_visible()
    page.locator("#reset-clock").click()
    expect(ahead).to_be_hidden()
    # A longer time shortens its own label, not the name of the backend.
    be_signed_in(page, new_identifier(), at="/inbox")
    page.locator("[data-advance='960']").click()
    page.locator("[data-advance='86400']").click()
    expect(ahead).to_contain_text("+1 day 16 min", use_inner_text=True)
    assert page.locator("[data-fact=host]").evaluate("(host) => [host, host.firstElementChild ?? host].every((one) => one.scrollWidth <= one.clientWidth)")


@pytest.mark.one_console("needs the inbox page, which only an embedded backend has")
def test_only_who_is_signed_out_is_sent_to_sign_in(visitor):
    page = visitor.page("/inbox")
    expect(page.locator('[data-view="empty"]')).to_be_visible()
    expect(page.get_by_role("main").get_by_role("link", name="Go to sign-in")).to_be_visible()
    be_signed_in(page, new_identifier())
    # Calls of the page before may still be under way, and show up after the log was emptied.
    page.goto("/network")
    expect_live(page)
    until(lambda: all(row["state"] != "pending" for row in visitor.read("/api/network")["events"]), "a call is still pending")
    page.locator("#clear-log").click()
    expect(page.locator('[data-view="empty"]')).to_contain_text("Log cleared")
    expect(page.get_by_role("main").get_by_role("link", name="Go to sign-in")).to_have_count(0)
