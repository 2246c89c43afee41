"""The timeline: the machine with its present state, tokens as bars, entries with the request behind them."""

import re

import pytest
from playwright.sync_api import expect
from steps import Clicks, ask, expect_live, new_identifier, sign_in_by_code, tab_to
from watched_context import WatchedContext


def entries(page, kind=None):
    """The entries, of one kind where one is given."""
    return page.locator(f"#entries tr[data-kind={kind}]" if kind else "#entries tr")


def test_a_device_that_did_nothing_is_told_what_to_do(visitor):
    page = visitor.page("/timeline")
    expect(page.locator("[data-view=empty]")).to_contain_text("No entries yet")
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
    bar = page.locator("#tokens .life").first
    assert 0 <= float(bar.locator(".life-passed").get_attribute("width")) < 5, "the bar fills from its issue on"
    assert 89 < float(bar.locator(".life-due").get_attribute("x")) < 91, "the refresh is due at nine tenths"
    expect(page.locator("#tokens .lifetime-left").first).to_have_text(re.compile(r"1[45]:\d\d left"))
    # The page may open the settings before the sign-in is noted.
    expect(entries(page, "analytics")).to_have_count(2)
    for said in ("Settings were opened", "Sign-in worked"):
        expect(entries(page, "analytics").filter(has_text=said)).to_have_count(1)

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


@pytest.mark.long
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


@pytest.mark.long
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


@pytest.mark.long
def test_a_fault_that_met_no_call_is_armed_and_disarmed_and_did_not_act(visitor):
    page = visitor.page("/timeline")
    expect_live(page)
    visitor.call("POST", "/api/faults/presets/backend-error", {})
    expect(entries(page, "fault").first).to_contain_text("Turned on: Backend error 500")
    visitor.call("DELETE", "/api/faults")
    expect(entries(page, "fault")).to_have_count(2)
    expect(entries(page, "fault").first).to_contain_text("Turned off: Backend error 500")
    expect(page.locator("#entries")).not_to_contain_text("Took effect")


def test_a_preset_of_several_rules_is_one_thing_in_every_language(visitor):
    expect_live(visitor.page("/login"))
    visitor.call("POST", "/api/faults/presets/train-wifi", {})
    page = visitor.page("/timeline?lang=de")
    expect(entries(page, "fault")).to_have_count(1)
    expect(entries(page, "fault")).to_contain_text("Eingeschaltet: WLAN im Zug")
    visitor.call("DELETE", "/api/faults/presets/train-wifi")
    expect(entries(page, "fault")).to_have_count(2)


@pytest.mark.long
def test_equal_neighbours_are_folded_and_unfolded_by_mouse_and_keys(visitor):
    page = visitor.page("/login")
    expect_live(page)
    visitor.call("POST", "/api/faults", {"name": "Down", "match": {"endpoint": "request_login_code"}, "action": {"kind": "status", "status": 403}})
    visitor.expect_answers(502)
    for _ in range(4):
        visitor.call("POST", "/api/login/code", {"identifier": new_identifier()})
    page.goto("/timeline?kind=fault")
    fold = page.locator("#entries tr[data-fold]")
    expect(fold).to_contain_text("Took effect: Down")
    expect(fold.get_by_role("button")).to_have_text("4 ×")
    expect(entries(page)).to_have_count(2)
    fold.get_by_role("button").click()
    expect(entries(page)).to_have_count(6)
    expect(fold.get_by_role("button")).to_have_attribute("aria-expanded", "true")
    expect(fold.get_by_role("button")).to_be_focused()
    expect(page.locator("#entries tr[data-event=acted] a")).to_have_count(4)
    page.keyboard.press("Enter")
    expect(entries(page)).to_have_count(2)
    # A new one joins the fold.
    visitor.call("POST", "/api/login/code", {"identifier": new_identifier()})
    expect(fold.get_by_role("button")).to_have_text("5 ×")


def marks(page, lane):
    """The marks of a lane of the axis."""
    return page.locator(f"timeline-axis [data-lane={lane}] .axis-mark")


def shown_span(page):
    """The times of the axis's first and last tick, as they are written."""
    ticks = page.locator("timeline-axis .tick").all_inner_texts()
    return ticks[0], ticks[-1]


def with_a_story(visitor, times=6):
    """A page whose device met a fault and sent calls; gives the page at the timeline."""
    page = visitor.page("/login")
    expect_live(page)
    visitor.expect_answers(502)
    visitor.call("POST", "/api/faults", {"name": "Down", "match": {"endpoint": "request_login_code"}, "action": {"kind": "status", "status": 403}})
    for _ in range(times):
        visitor.call("POST", "/api/login/code", {"identifier": new_identifier()})
    page.goto("/timeline")
    expect(marks(page, "faults").first).to_be_visible()
    return page


def test_the_axis_is_zoomed_by_buttons_wheel_and_keys_and_reset(visitor):
    page = with_a_story(visitor)
    expect(page.locator("timeline-axis .lane-name")).to_have_text(["Session", "Calls", "Fault rules", "Tokens", "Clock"])
    expect(page.locator("#axis-all")).to_have_attribute("aria-disabled", "true")
    count = marks(page, "calls").count()
    whole = shown_span(page)
    page.locator("#axis-in").click()
    assert shown_span(page) != whole
    page.locator("#axis-all").click()
    expect(page.locator("#axis-all")).to_have_attribute("aria-disabled", "true")
    # The wheel alone scrolls the page; with Ctrl it zooms where the mouse is.
    mark = marks(page, "faults").first.bounding_box()
    page.mouse.move(mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2)
    page.mouse.wheel(0, -10)
    expect(page.locator("#axis-all")).to_have_attribute("aria-disabled", "true")
    page.keyboard.down("Control")
    for _ in range(3):
        page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    expect(page.locator("#axis-all")).not_to_have_attribute("aria-disabled", "true")
    # By keys: to a mark, closer, along, and back.
    page.locator("#axis-all").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#axis-all")).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Tab")
    expect(page.locator("timeline-axis .axis-mark:focus")).to_have_count(1)
    page.keyboard.press("+")
    expect(page.locator("#axis-all")).not_to_have_attribute("aria-disabled", "true")
    page.keyboard.press("0")
    expect(page.locator("#axis-all")).to_have_attribute("aria-disabled", "true")
    expect(page.locator("timeline-axis .axis-mark:focus")).to_have_count(1)
    assert marks(page, "calls").count() == count


def test_a_mark_leads_to_its_row_and_the_row_back_to_its_mark(visitor):
    page = with_a_story(visitor, 1)
    acted = page.locator("timeline-axis a.axis-mark[aria-label^='Fault rules: Took effect: Down']")
    # What happened at nearly the same time comes apart closer by.
    for _ in range(12):
        if acted.count():
            break
        marks(page, "faults").last.click()
        # The axis is drawn in the next frame.
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    row = acted.get_attribute("data-rows")
    acted.click()
    page.wait_for_url(f"**/network?row={row}")
    expect(page.locator("network-detail")).to_be_visible()
    page.get_by_role("link", name="Show in timeline").click()
    page.wait_for_url(f"**/timeline?row={row}")
    focused = page.locator("timeline-axis .axis-mark:focus")
    expect(focused).to_have_count(1)
    assert row in focused.get_attribute("data-rows").split()
    # A row of the table leads to the request by a press anywhere on it.
    page.locator(f"#entries tr[data-row='{row}'] .entry-name").first.click()
    page.wait_for_url(f"**/network?row={row}")


@pytest.mark.long
def test_the_axis_works_by_touch_on_a_phone(browser, console):
    visitor = WatchedContext(browser, console, viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce")
    page = with_a_story(visitor)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator("#axis-in").tap()
    expect(page.locator("#axis-all")).not_to_have_attribute("aria-disabled", "true")
    page.locator("#axis-all").tap()
    expect(page.locator("#axis-all")).to_have_attribute("aria-disabled", "true")
    for mark in page.locator("timeline-axis .axis-mark").all():
        box = mark.bounding_box()
        assert box["width"] >= 24 and box["height"] >= 24, box
    visitor.close()
