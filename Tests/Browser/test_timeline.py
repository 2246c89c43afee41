"""The timeline: the machine with its present state, tokens as bars, entries with the request behind them."""

import re

from playwright.sync_api import expect
from steps import Clicks, ask, expect_live, new_identifier, sign_in_by_code, tab_to


def entries(page, kind=None):
    """The entries, of one kind where one is given."""
    return page.locator(f"#entries tr[data-kind={kind}]" if kind else "#entries tr")


def test_a_device_that_did_nothing_is_told_what_to_do(visitor):
    page = visitor.page("/timeline")
    expect(page.locator("[data-view=empty]")).to_contain_text("Nothing happened yet")
    expect(page.locator(".node[data-now] .node-code")).to_have_text("signed_out")
    expect(page.locator("#tokens-none")).to_be_visible()


def test_a_sign_in_and_a_refresh_appear_by_themselves_and_lead_to_their_requests(visitor):
    page = visitor.page("/timeline")
    expect(page.locator("[data-view=empty]")).to_be_visible()
    other = visitor.page()
    sign_in_by_code(other, new_identifier())
    other.locator("#refresh-session").click()
    expect(other.locator("#session-result")).to_have_attribute("data-tone", "ok")

    expect(entries(page, "session")).to_have_count(3)
    expect(entries(page, "session").first).to_contain_text("Refreshing → Signed in")
    expect(page.locator(".node[data-now] .node-code")).to_have_text("authenticated")
    expect(page.locator(".edge[data-seen]")).to_have_count(3)
    expect(page.locator(".edge[data-latest] title")).to_have_text("Refreshing to Signed in: 1 time")
    expect(page.locator("#tokens .lifetime")).to_have_count(2)
    expect(page.locator("#tokens .lifetime-left").first).to_have_text(re.compile(r"1[45]:\d\d left"))
    expect(entries(page, "analytics")).to_contain_text(["Settings were opened", "Sign-in worked"])

    page.locator("#machine-table summary").click()
    row = page.locator("#machine-rows tr").filter(has_text="Refreshing").filter(has_text="Signed in").filter(has=page.locator("a"))
    href = row.last.locator("a").get_attribute("href")
    refresh = visitor.read(f"/api/network/{href.rsplit('=', 1)[1]}")
    assert refresh["endpoint"] == "refresh_tokens"
    assert entries(page, "session").first.locator("a").get_attribute("href") == href
    # Two rows may have the same time, so that a link says which request it opens.
    assert "Refreshing → Signed in" in entries(page, "session").first.locator("a").get_attribute("aria-label")


def test_kinds_are_chosen_and_kept_in_the_address(visitor):
    page = visitor.page("/login")
    expect_live(page)
    ask(page, new_identifier(), "link", Clicks())
    page.goto("/timeline")
    expect(entries(page)).to_have_count(1)
    page.locator("label.kind").filter(has_text="Analytics").click()
    expect(page.locator("[data-view=none]")).to_contain_text("1 entry of another kind is hidden")
    expect(page).to_have_url(re.compile(r"kind=session,fault|kind=session%2Cfault"))
    page.reload()
    expect(page.locator("[data-view=none]")).to_be_visible()
    expect(page.locator("#kind-analytics")).not_to_be_checked()
    page.locator("#all-kinds").click()
    expect(entries(page)).to_have_count(1)
    expect(page).not_to_have_url(re.compile("kind="))


def test_the_timeline_takes_no_mouse(visitor):
    page = visitor.page()
    sign_in_by_code(page, new_identifier())
    page.keyboard.press("g")
    page.keyboard.press("t")
    page.wait_for_url("**/timeline")
    expect(entries(page, "session")).to_have_count(1)
    tab_to(page, "#machine-table summary")
    page.keyboard.press("Enter")
    expect(page.locator("#machine-rows tr").first).to_be_visible()
    page.keyboard.press("j")
    first = page.evaluate("document.activeElement.dataset.seq")
    page.keyboard.press("j")
    assert int(page.evaluate("document.activeElement.dataset.seq")) < int(first)
    page.keyboard.press("k")
    assert page.evaluate("document.activeElement.dataset.seq") == first
    while page.evaluate("document.activeElement.dataset.kind") != "session":
        before = page.evaluate("document.activeElement.dataset.seq")
        page.keyboard.press("ArrowDown")
        assert page.evaluate("document.activeElement.dataset.seq") != before, "no entry of the session"
    page.keyboard.press("Enter")
    page.wait_for_url("**/network?row=*")


def test_an_analytics_opt_out_is_the_last_that_is_told(visitor):
    page = visitor.page()
    sign_in_by_code(page, new_identifier())
    page.locator("#analytics").click()
    expect(page.locator("#analytics-result")).to_have_attribute("data-tone", "ok")
    page.reload()
    expect(page.locator("#analytics")).to_be_visible()
    page.goto("/timeline")
    expect(entries(page, "analytics").first).to_contain_text("The analytics setting changed")
    expect(entries(page, "analytics").first).to_contain_text("on → off")


def test_a_thousand_entries_are_shown_a_hundred_at_a_time(visitor):
    page = visitor.page("/timeline")
    expect_live(page)
    phases = ["authenticated", "refreshing"]
    many = [{"seq": n, "at": f"2026-01-01T00:{n // 60:02d}:{n % 60:02d}.000Z", "kind": "session", "from": phases[n % 2], "to": phases[(n + 1) % 2]}
            for n in range(1, 1001)]
    page.route("**/api/timeline", lambda route: route.fulfill(json={"entries": many}))
    page.reload()
    expect(entries(page)).to_have_count(100)
    page.locator("#older").click()
    expect(entries(page)).to_have_count(200)
    expect(page.locator("#entries tr:focus")).to_have_attribute("data-seq", "900")
    expect(page.locator("#older")).to_contain_text("800")


def test_what_was_read_stays_when_the_console_fails(visitor):
    page = visitor.page("/login")
    expect_live(page)
    ask(page, new_identifier(), "link", Clicks())
    page.goto("/timeline")
    expect(entries(page)).to_have_count(1)
    visitor.expect_answers(503)
    page.route("**/api/timeline", lambda route: route.fulfill(
        status=503, headers={"Content-Type": "application/problem+json"}, json={"status": 503, "code": "unavailable", "title": "", "type": "about:blank"}))
    # Whatever the device does next makes the page read again.
    visitor.call("POST", "/api/login/code", {"identifier": new_identifier()})
    expect(page.locator("#timeline-notice")).to_contain_text("not available")
    expect(entries(page)).to_have_count(1)
    page.unroute_all()
    page.locator("#timeline-notice button").click()
    expect(page.locator("#timeline-notice")).to_be_hidden()
