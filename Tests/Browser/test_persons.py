"""Persons behind an authenticating proxy, which the browser's own headers stand for here."""

import re
import secrets

import pytest
from catalogue import messages
from playwright.sync_api import expect
from running_console import RunningConsole
from steps import expect_live, new_identifier
from watched_context import WatchedContext


@pytest.fixture
def proxied(browser, tmp_path):
    """Opens a browser of a person: (name, its context)."""
    file = tmp_path / "person-secret"
    file.write_text(secrets.token_urlsafe(32))
    file.chmod(0o600)
    running = RunningConsole(tmp_path / "data", arguments=(
        "--limits", "off", "--person-header", "X-Forwarded-Email", "--person-secret-file", file, "--person-owner", "olga@example.com",
    ))
    opened = []

    def open_as(name):
        headers = {"X-Forwarded-Email": name, "X-Understudy-Proxy-Secret": file.read_text()}
        opened.append(WatchedContext(browser, running, extra_http_headers=headers))
        return opened[-1]

    yield open_as
    for context in opened:
        context.close()
    assert running.stop() == 0, running.logs[-2000:]
    assert file.read_text() not in running.logs and "ann@example.com" not in running.logs


def open_devices(page):
    """Opens the device menu with the mouse."""
    page.locator("#device").click()
    dialog = page.locator("dialog#devices[open]")
    expect(dialog.locator("li").first).to_be_visible()
    return dialog


def test_a_further_browser_goes_on_with_the_device(proxied):
    work, home = proxied("ann@example.com"), proxied("ann@example.com")
    page = work.page("/login")
    expect_live(page)
    name = page.locator("#device").inner_text().strip()
    page = home.page("/login")
    expect_live(page)
    dialog = open_devices(page)
    expect(dialog.locator("#devices-lead")).to_have_text(re.compile(r"^You are ann@example\.com \(tester\)\."))
    expect(dialog.locator("li")).to_have_count(1)
    expect(dialog.locator("li")).to_contain_text(name)


def test_a_viewer_reads_that_the_role_does_not_allow_it(proxied):
    vera, olga = proxied("vera@example.com"), proxied("olga@example.com")
    page = vera.page("/login")
    expect_live(page)
    expect_live(olga.page("/login"))
    person = next(one for one in olga.read("/api/persons")["persons"] if one["name"] == "vera@example.com")
    assert olga.call("PATCH", f"/api/persons/{person['person_id']}", {"role": "viewer"}).status == 200
    vera.expect_answers(403)
    page.locator("#identifier").fill(new_identifier())
    page.keyboard.press("Enter")
    expect(page.get_by_text(messages("en")["error.role_refused"])).to_be_visible()
    lines = olga.call("GET", "/api/audit").text().splitlines()
    assert any('"person":"vera@example.com"' in line and '"status":403' in line and "POST /api/login/" in line for line in lines)


def test_who_did_not_start_the_console_is_offered_a_test_account_and_no_other_backend(proxied):
    tester = proxied("ann@example.com")
    tester.expect_answers(404)
    page = tester.page("/login")
    expect_live(page)
    expect(page.locator("#test-account")).to_be_visible()
    expect(page.locator("#connect")).to_be_hidden()
    page.locator("#test-account").click()
    page.wait_for_url("**/settings*")
