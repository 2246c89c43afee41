"""What a person does on the pages, a step a function."""

import itertools
import json
import re
from contextlib import contextmanager
from urllib.parse import quote

from console_team import team_of
from playwright.sync_api import expect

_numbers = itertools.count(1)


def new_identifier():
    """An address that no other test uses."""
    return f"person{next(_numbers)}.journey@example.org"


def wait_until(page, condition, argument=None):
    """Waits until a JavaScript function gives true. (Playwright's own wait evaluates text, which the policy forbids.)"""
    page.evaluate(
        """async (argument) => {
          const deadline = performance.now() + 10_000;
          while (!(await condition(argument))) {
            if (performance.now() > deadline) throw new Error("the condition did not come true within 10 s");
            await new Promise((resume) => setTimeout(resume, 20));
          }
        }""".replace("await condition(", f"await ({condition})("),
        argument,
    )


def from_menu(page, button, item):
    """Chooses an item of the menu that a button opens."""
    page.locator(button).click()
    page.locator(f"#context-menu [data-item='{item}']").click()


class Clicks:
    """Counts the clicks that a journey takes."""

    def __init__(self):
        """Starts at none."""
        self.count = 0

    def on(self, locator):
        """Clicks, and counts it."""
        locator.click()
        self.count += 1


def ask(page, identifier, kind, clicks):
    """Types the identifier and asks for a `code` or a `link`."""
    page.goto("/login")
    expect(page.locator(f"#send-{kind}")).to_be_visible()
    page.locator("#identifier").fill(identifier)
    clicks.on(page.locator(f"#send-{kind}"))
    expect(page.locator("#code")).to_be_visible()


def open_inbox(page, clicks):
    """Follows the link to the inbox, in this tab or a new one; gives the inbox's page."""
    link = page.locator("#open-inbox")
    if link.get_attribute("target") == "_blank":
        with page.context.expect_page() as opened:
            clicks.on(link)
        inbox = opened.value
    else:
        clicks.on(link)
        inbox = page
    inbox.wait_for_url("**/inbox*")
    return inbox


def copied_code(inbox, clicks):
    """Copies the code of the newest message; gives what lies on the clipboard then."""
    shown = inbox.locator("#copy-code")
    expect(shown).to_contain_text(re.compile(r"\d"))
    digits = re.sub(r"\D", "", shown.inner_text())
    clicks.on(shown)
    wait_until(inbox, "async (code) => (await navigator.clipboard.readText()).replace(/\\D/g, '') === code", digits)
    return digits


def sign_in_by_code(page, identifier):
    """The whole way by a code; ends on Settings."""
    clicks = Clicks()
    ask(page, identifier, "code", clicks)
    if team := team_of(page):
        # Their backend's messages are on no page.
        code = team.messages({identifier}, wait=10)[-1]["code"]
        page.locator("#code").fill(code)
        expect_signed_in(page, identifier)
        return code
    inbox = open_inbox(page, clicks)
    code = copied_code(inbox, clicks)
    if inbox is page:
        page.go_back()
    else:
        inbox.close()
        page.bring_to_front()
    clicks.on(page.locator("#code"))
    page.keyboard.press("Control+V")
    expect_signed_in(page, identifier)
    return code


SHELVES = """() => {
  const devices = JSON.parse(localStorage.getItem("understudy.devices") ?? "[]");
  const id = sessionStorage.getItem("understudy.device");
  return (devices.find((one) => one.device_id === id) ?? devices[0])?.device_key ?? null;
}"""
SHELVE = """(device) => {
  localStorage.setItem("understudy.devices", JSON.stringify([device]));
  sessionStorage.setItem("understudy.device", device.device_id);
}"""


# Where a tab was before the page that `be_signed_in` ends on.
BEFORE_SIGNED_IN = "**/healthz"


def be_signed_in(page, identifier, at="/settings"):
    """Signs the tab's device in by calls beside the page, and makes one for a tab without; ends on Settings or the page `at`."""
    # Not a page of the console, which would move on by itself as soon as it hears of the session: only its origin's storage is needed.
    if not page.url.endswith("/healthz"):
        page.goto("/healthz")
    key = page.evaluate(SHELVES)

    def call(method, path, body=None):
        headers = {"X-Device-Key": key} if key else {}
        return page.context.request.fetch(
            path, method=method, data=body, headers=headers, fail_on_status_code=True, timeout=20_000).json()

    if not key:
        device = call("POST", "/api/devices", {})
        key = device["device_key"]
        page.evaluate(SHELVE, device)
    call("POST", "/api/login/code", {"identifier": identifier})
    if team := team_of(page):
        messages = team.messages({identifier}, wait=10)
    else:
        messages = call("GET", f"/api/inbox?to={quote(identifier, safe='')}&wait=10")["messages"]
    call("POST", "/api/login/code/verify", {"identifier": identifier, "code": messages[-1]["code"]})
    if at != "/settings":
        # What Settings would have asked for, so that the log has a call of somebody who is inside.
        call("GET", "/api/account")
    page.goto(at)
    if at == "/settings":
        expect_signed_in(page, identifier)
    else:
        expect_live(page)


def open_log(context):
    """The network page of somebody who is signed in."""
    page = context.page()
    be_signed_in(page, new_identifier(), at="/network")
    expect(grid_row(page, "/rpc/me").first).to_be_visible()
    return page


def sign_in_by_link(page, identifier):
    """The whole way by a link that is pressed in the inbox; ends on Settings, and gives that page and the link."""
    clicks = Clicks()
    ask(page, identifier, "link", clicks)
    if team := team_of(page):
        link = team.messages({identifier}, wait=10)[-1]["link"]
        page.goto(link)
        clicks.on(page.locator("#sign-in"))
        expect_signed_in(page, identifier)
        return page, link
    inbox = open_inbox(page, clicks)
    opener = inbox.locator("#open-link")
    link = opener.get_attribute("href")
    if opener.get_attribute("target") == "_blank":
        with page.context.expect_page() as opened:
            clicks.on(opener)
        callback = opened.value
    else:
        clicks.on(opener)
        callback = inbox
    expect_signed_in(callback, identifier)
    return callback, link


def connection(page):
    """The pill of the top bar that tells how the stream stands."""
    return page.locator("[data-fact='connection']")


def at_rest(page):
    """Waits until the page fetches nothing, has its modules and first state, and has painted."""
    expect(page.locator("html[data-rest]")).to_be_attached()


def expect_live(page):
    """The page has its device and its stream, and can be pressed."""
    expect(connection(page)).to_have_attribute("data-state", "live")
    expect(page.locator("network-console[inert]")).to_have_count(0)


def expect_signed_in(page, identifier):
    """Settings is shown, with the account of that identifier."""
    page.wait_for_url("**/settings*")
    expect(page.get_by_role("main")).to_contain_text(identifier)


def sign_out(page):
    """Signs out on Settings; ends on the sign-in page."""
    # A page that was there before its stream reads once more, and would be refused that after the session.
    expect_live(page)
    at_rest(page)
    page.locator("#sign-out").click()
    page.locator("#confirm-sign-out").click()
    page.wait_for_url("**/login*")
    expect(page.locator("#identifier")).to_be_visible()


def grid_row(page, text):
    """The rows of the network page that hold that text, once they can be pressed; heads of groups are none."""
    return page.locator("network-console:not([inert]) #network-grid [data-row]").filter(has_text=text)


def row_with_status(page, status):
    """The rows of the network page with that status; as a text it could be part of a duration or a size too."""
    return page.locator("[data-kind=row]").filter(has=page.locator(".status").get_by_text(str(status), exact=True))


def link_of(page, text):
    """Opens a row by mouse; gives the link to it that `y` copies."""
    grid_row(page, text).first.click()
    expect(page.locator("#detail-title")).to_contain_text(text)
    page.locator("#close-detail").focus()
    page.keyboard.press("y")
    expect(page.locator("#announcer")).not_to_be_empty()
    return page.evaluate("() => navigator.clipboard.readText()")


def tab_to(page, selector):
    """Presses Tab until the element has the focus, which must be visible there."""
    target = page.locator(selector)
    expect(target).to_be_visible()
    expect(page.locator("network-console[inert]")).to_have_count(0)
    for _ in range(80):
        page.keyboard.press("Tab")
        if target.evaluate("(element) => element === document.activeElement"):
            assert target.evaluate("(element) => element.matches(':focus-visible')"), f"no visible focus on {selector}"
            return
    raise AssertionError(f"Tab does not reach {selector}")


def refuse(page, path, status, code, *, retry_after=None, reason=None):
    """From now on the console seems to answer that path with this problem; returns what answers."""

    def answer(route):
        headers = {"Content-Type": "application/problem+json"} | ({"Retry-After": str(retry_after)} if retry_after else {})
        body = {"type": "about:blank", "title": code, "status": status, "code": code, "request_id": "of-the-test"}
        if retry_after:
            body["retry_after_seconds"] = retry_after
        if reason:
            body["reason"] = reason
        route.fulfill(status=status, headers=headers, body=json.dumps(body))

    page.route(f"**{path}", answer)
    return answer


@contextmanager
def refused(page, path, status, code, **options):
    """Meanwhile the console seems to answer that path with this problem; ends when the page is done with one such answer.

    The text of the refusal before may still stand on the page, so it does not show that this one has arrived.
    """
    answer = refuse(page, path, status, code, **options)
    with page.expect_response(f"**{path}"):
        yield
    # Until then the button takes no press.
    expect(page.locator("button[aria-busy=true]")).to_have_count(0)
    page.unroute(f"**{path}", answer)
