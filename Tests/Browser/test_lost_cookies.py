"""Cookies that neighbours on this host write over, push out or fill up, and what is lost with them: nothing."""

import http.server
import threading

import pytest
from console_team import start_console
from playwright.sync_api import expect
from steps import be_signed_in, expect_live, expect_signed_in, new_identifier
from watched_context import WatchedContext


class Neighbour(http.server.BaseHTTPRequestHandler):
    """A program on another port, whose one page sets the cookies that it is told to."""

    cookies = ()

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        for cookie in self.cookies:
            self.send_header("Set-Cookie", cookie)
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>neighbour</title>")

    def log_message(self, *_):
        """Says nothing."""


@pytest.fixture
def neighbour():
    """Visits a page of another port of localhost that sets cookies; gives the cookies that were sent there."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Neighbour)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()

    def plant(watched, cookies):
        Neighbour.cookies = cookies
        address = f"http://localhost:{server.server_port}"
        watched._expected.append(f"request to elsewhere: {address}")
        page = watched.context.new_page()
        page.goto(address)
        page.close()

    yield plant
    server.shutdown()
    server.server_close()


def shelf(page):
    """What the page keeps of its devices."""
    return page.evaluate("() => localStorage.getItem('understudy.devices')")


def ours(watched):
    """The names of the console's cookies that the browser has."""
    return [one["name"] for one in watched.context.cookies() if one["name"].startswith(f"understudy_{watched.console.port}_")]


def is_as_before(page, identifier, kept, path="/settings"):
    """After a reload the same device is signed in."""
    page.goto(path)
    expect_signed_in(page, identifier)
    expect_live(page)
    assert shelf(page) == kept


@pytest.mark.long
def test_a_planted_cookie_of_the_old_name_changes_nothing(watched, neighbour):
    page, identifier = watched.page(), new_identifier()
    be_signed_in(page, identifier)
    kept = shelf(page)
    neighbour(watched, [f"understudy_{watched.console.port}=x; Path=/", f"understudy_{watched.console.port}_access=x; Path=/"])
    is_as_before(page, identifier, kept)
    assert watched.complaints == [], "nothing had to be mended"


def test_a_lost_cookie_loses_no_device(watched, neighbour):
    page, identifier = watched.page(), new_identifier()
    be_signed_in(page, identifier)
    expect_live(page)
    kept = shelf(page)
    watched.expect_answers(401)
    for loss in ("overwritten", "beside", "pushed out", "deleted"):
        [name] = set(ours(watched))
        if loss == "overwritten":
            neighbour(watched, [f"{name}=x; Path=/"])
        elif loss == "beside":
            neighbour(watched, [f"{name}=x; Path={path}" for path in ("/api", "/api/state", "/api/events", "/api/devices")])
        elif loss == "pushed out":
            neighbour(watched, [f"other{number}=x; Path=/" for number in range(240)])
            assert not ours(watched)
        else:
            watched.context.clear_cookies()
        is_as_before(page, identifier, kept)
        # Once mended it stays so.
        is_as_before(page, identifier, kept, "/")
        assert len(set(ours(watched))) == 1, loss


@pytest.mark.long
def test_two_tabs_with_two_devices_come_back_together(watched):
    first, identifier = watched.page(), new_identifier()
    be_signed_in(first, identifier)
    second = watched.page("/settings")
    expect_live(second)
    second.locator("#device").click()
    second.locator("#device-name").fill("Second")
    second.locator("#add-device").click()
    expect(second.locator("[data-fact=device]")).to_have_text("Second")
    expect_live(second)
    devices = sorted(one["device_id"] for one in watched.read("/api/devices")["devices"])
    watched.expect_answers(401)
    watched.context.clear_cookies()
    for page in (first, second):
        page.evaluate("() => setTimeout(() => location.reload())")
    expect_signed_in(first, identifier)
    second.wait_for_url("**/login*")
    for page, name in ((first, "Phone 1"), (second, "Second")):
        expect_live(page)
        expect(page.locator("[data-fact=device]")).to_have_text(name)
    assert sorted(one["device_id"] for one in watched.read("/api/devices")["devices"]) == devices


def test_a_device_that_was_deleted_elsewhere_is_forgotten(watched):
    page, identifier = watched.page(), new_identifier()
    be_signed_in(page, identifier)
    before = shelf(page)
    # The page that is open hears of it too.
    watched.expect_answers(401)
    assert watched.call("DELETE", "/api/device").status == 204
    page.goto("/settings")
    page.wait_for_url("**/login*")
    expect_live(page)
    assert shelf(page) not in (before, "[]")
    assert before not in shelf(page)


@pytest.mark.one_console("haproxy refuses so many itself, on a page of its own")
def test_cookies_that_are_too_many_are_cleared_with_one_click(watched, neighbour):
    page, identifier = watched.page(), new_identifier()
    be_signed_in(page, identifier)
    kept = shelf(page)
    page.goto("about:blank")
    # The neighbour's own icon is refused too.
    watched.expect_answers(401, 431)
    neighbour(watched, [f"big{number}={'x' * 3000}; Path=/" for number in range(40)])
    page.goto("/settings")
    expect(page.get_by_role("heading", level=1)).to_have_text("This page could not be opened")
    expect(page.get_by_role("main")).to_contain_text("cookies")
    page.get_by_role("link").click()
    expect_signed_in(page, identifier)
    expect_live(page)
    assert shelf(page) == kept
    assert len(watched.context.cookies()) == 1


def test_a_foreign_page_clears_no_cookies(watched):
    page = watched.page("/login")
    expect_live(page)
    before = watched.context.cookies()
    other = watched.page()
    other.goto("data:text/html,<a id=out href='%s/clear-cookies'>out</a>" % watched.console.url)
    other.locator("#out").click()
    expect(other.get_by_role("link")).to_have_attribute("href", "/clear-cookies")
    assert watched.context.cookies() == before


@pytest.mark.long
def test_access_is_shown_again_by_a_browser_that_lost_it(browser, tmp_path):
    token = tmp_path / "token"
    token.write_text("an-access-token-of-forty-characters-or-so\n")
    token.chmod(0o600)
    console = start_console(tmp_path / "console", arguments=("--access-token-file", token, "--behind-proxy"))
    watched = WatchedContext(browser, console)
    address = f"/login#access={token.read_text().strip()}"
    page = watched.page(address)
    expect_live(page)
    assert "access" not in page.url
    kept = shelf(page)
    watched.expect_answers(401)
    watched.context.clear_cookies()
    page.goto("about:blank")
    page.goto(address)
    expect_live(page)
    assert shelf(page) == kept
    watched.close()
    assert console.stop() == 0, console.logs[-2000:]
