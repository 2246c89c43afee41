"""What a page has to tell floats over it: nothing moves, and it goes by itself or when it is closed."""

from console_team import is_team
import pytest
from playwright.sync_api import expect
from steps import be_signed_in, expect_live, grid_row, new_identifier, refuse


def places(page):
    """Where the parts of the page lie."""
    # In one go: Settings draws its facts again when the account was read.
    return page.evaluate("""() => [...document.querySelectorAll("main section, main h1, main .button")]
      .filter((one) => !one.closest(".notices")).map((one) => JSON.stringify(one.getBoundingClientRect()))""")


def settings_with_a_clock(visitor, *statuses):
    """The Settings of a new person; the test moves the page's clock, and expects answers with these statuses."""
    page = visitor.page()
    visitor.spoil()
    page.clock.install()
    if statuses:
        visitor.expect_answers(*statuses)
    be_signed_in(page, new_identifier())
    expect(page.locator("#account-facts")).to_be_visible()
    return page


def test_a_notice_moves_nothing_and_goes_by_itself(visitor):
    page = settings_with_a_clock(visitor)
    before = places(page)
    page.locator("#refresh-session").click()
    notice = page.locator("#session-result")
    expect(notice).to_have_text("Session refreshed.")
    assert places(page) == before
    expect(page.locator("#refresh-session")).to_have_attribute("data-done", "")
    # Not while it is pointed at.
    notice.hover()
    page.clock.fast_forward(9_000)
    expect(notice).to_be_visible()
    page.mouse.move(0, 0)
    page.clock.fast_forward(9_000)
    expect(notice).to_be_hidden()
    expect(page.locator("#refresh-session[data-done]")).to_have_count(0)


def test_a_failure_stays_until_it_is_closed(visitor):
    page = settings_with_a_clock(visitor, 502)
    before = places(page)
    refuse(page, "/api/session/refresh", 502, "backend_error")
    page.locator("#refresh-session").click()
    notice = page.locator("#session-result")
    expect(notice).to_have_attribute("data-tone", "bad")
    assert places(page) == before
    page.clock.fast_forward(60_000)
    expect(notice).to_be_visible()
    notice.get_by_role("button", name="Close this message").click()
    expect(notice).to_be_hidden()


@pytest.mark.long
def test_the_end_of_a_page_is_scrolled_out_from_under_a_notice(visitor):
    page = visitor.page()
    be_signed_in(page, new_identifier())
    page.set_viewport_size({"width": 390, "height": 600})
    visitor.expect_answers(502)
    refuse(page, "/api/session/refresh", 502, "backend_error")
    page.locator("#refresh-session").click()
    expect(page.locator("#session-result")).to_be_visible()
    page.evaluate("() => scrollTo(0, document.documentElement.scrollHeight)")
    last, notice = page.locator("#delete-account").bounding_box(), page.locator("#session-result").bounding_box()
    assert last["y"] + last["height"] < notice["y"], (last, notice)


def test_a_notice_closes_with_escape_and_the_focus_stays_on_the_page(visitor):
    page = visitor.page()
    be_signed_in(page, new_identifier())
    page.locator("#refresh-session").click()
    notice = page.locator("#session-result")
    notice.get_by_role("button", name="Close this message").focus()
    page.keyboard.press("Escape")
    expect(notice).to_be_hidden()
    expect(page.locator("#main")).to_be_focused()


def test_every_button_whose_work_is_done_says_so_in_place(visitor):
    page = visitor.page()
    be_signed_in(page, new_identifier())
    of_embedded = ("/inbox", None, "[data-advance='0']"), ("/inbox", "backend-limits summary", "#limits-reset")
    for path, opener, button in (
        ("/settings", None, "#refresh-session"), ("/profiles", None, "#create-profile"), ("/cues", None, "#shuffle"),
        *(() if is_team(visitor.console) else of_embedded), ("/cues", "#device", "#relaunch"),
    ):
        page.goto(path)
        expect_live(page)
        if opener:
            page.locator(opener).click()
        page.locator(button).click()
        expect(page.locator(f"{button}[data-done]"), f"{button} on {path}").to_have_count(1)
        # It ends after a moment: the style is read in the same step that sets the state.
        tick = "(one) => { one.dataset.done = ''; return getComputedStyle(one, '::after').content; }"
        assert page.locator(button).evaluate(tick) != "none", button


@pytest.mark.long
def test_what_is_left_of_days_is_said_as_people_say_it(visitor):
    page = visitor.page()
    be_signed_in(page, new_identifier())
    expect(page.locator("[data-session='refresh']")).to_contain_text("Expires in 14 days (")


def test_an_undo_outlasts_the_notices_that_come_after_it(visitor):
    page = visitor.page()
    be_signed_in(page, new_identifier(), at="/network")
    expect(page.locator("[data-row]").first).to_be_visible()
    before = [row["id"] for row in visitor.read("/api/network")["events"]]
    page.locator("#clear-log").click()
    expect(page.locator("[data-view=empty]")).to_be_visible()
    # Rows arrive again; one of them is copied from its menu.
    visitor.call("GET", "/api/account")
    for _ in range(2):
        grid_row(page, "/rpc/me").first.click(button="right")
        page.locator('[data-item="copy-url"]').click()
        expect(page.locator("#toast:not([data-old])")).to_contain_text("Copied")
        page.locator("#toast").evaluate("(toast) => { toast.dataset.old = ''; }")
    expect(page.locator(".toast")).to_have_count(2)
    assert page.evaluate("navigator.clipboard.readText()").endswith("/rpc/me")
    page.locator("#undo-clear").click()
    expect(page.locator("#undo-clear")).to_have_count(0)
    expect(page.locator(f"[data-row='{before[0]}']")).to_be_visible()
    assert set(before) < {row["id"] for row in visitor.read("/api/network")["events"]}


def test_a_wait_of_the_backend_is_counted_and_asked_for_three_times(visitor):
    page = settings_with_a_clock(visitor, 429)
    asked = []
    page.on("request", lambda request: asked.append(1) if request.url.endswith("/api/account") else None)
    refuse(page, "/api/account", 429, "too_many_attempts", retry_after=20, reason="backend_wait")
    page.reload()
    expect_live(page)
    again = page.get_by_role("alert").get_by_role("button", name="Try again")
    for times in (1, 2, 3):
        expect(again).to_have_attribute("aria-disabled", "true")
        page.clock.fast_forward(18_000)
        assert len(asked) == times
        with page.expect_request("**/api/account"):
            page.clock.fast_forward(4_000)
    # From now on it waits for the person.
    expect(again).to_have_attribute("aria-disabled", "true")
    page.clock.fast_forward(22_000)
    expect(again).not_to_have_attribute("aria-disabled", "true")
    page.clock.fast_forward(120_000)
    assert len(asked) == 4
    with page.expect_request("**/api/account"):
        again.click()
