"""How many presses the way from a typed address to Settings takes, with a mouse and with a finger."""

import pytest
from playwright.sync_api import expect
from steps import expect_live, expect_signed_in, new_identifier
from watched_context import WatchedContext

pytestmark = [
    pytest.mark.whole_browser, pytest.mark.one_console("the second press is on the offer of the message, which only an embedded backend has")]

# What is asked for, and which offer of its message is pressed.
WAYS = (("code", "code"), *(pytest.param("link", offer, marks=pytest.mark.long) for offer in ("link", "code")))


def place_of(page, selector):
    """The middle of what is seen."""
    target = page.locator(selector)
    expect(target).to_be_visible()
    box = target.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def walk(page, press, kind, offer):
    """Types the address, and presses until Settings is there; gives how many presses it took."""
    identifier, presses = new_identifier(), 0
    page.goto("/login")
    expect_live(page)
    press(*place_of(page, "#identifier"))
    page.keyboard.type(identifier)
    for selector in (f"#send-{kind}", f"#offer-{offer}"):
        press(*place_of(page, selector))
        presses += 1
    expect_signed_in(page, identifier)
    return presses


def test_a_test_account_takes_one_click_and_goes_through_the_client(watched):
    page = watched.page("/login")
    expect_live(page)
    expect(page.locator("#identifier")).to_be_focused()
    page.mouse.click(*place_of(page, "#test-account"))
    expect_signed_in(page, "tester-")
    flows = {row["flow"] for row in watched.read("/api/network")["events"]}
    assert {"request_login_code", "login_with_code"} <= flows, flows


@pytest.mark.parametrize("kind, offer", WAYS)
def test_a_mouse_takes_two_clicks(watched, kind, offer):
    page = watched.page()

    def click(x, y):
        page.mouse.move(x, y)
        page.mouse.click(x, y)

    assert walk(page, click, kind, offer) == 2


@pytest.mark.parametrize("kind, offer", WAYS)
def test_a_finger_takes_two_taps(browser, console, kind, offer):
    phone = WatchedContext(browser, console, has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844})
    page = phone.page()
    assert walk(page, page.touchscreen.tap, kind, offer) == 2
    phone.close()
