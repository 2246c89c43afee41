"""What outlives the program."""

import re

import pytest
from playwright.sync_api import expect
from steps import Clicks, ask, be_signed_in, connection, expect_live, expect_signed_in, new_identifier


def test_a_killed_program_comes_back_with_the_same_session(watched, console):
    page, identifier = watched.page(), new_identifier()
    be_signed_in(page, identifier)
    device = watched.read("/api/state")["device_id"]
    watched.expect_lost_connection()
    console.kill()
    console.restart()
    page.reload()
    expect_signed_in(page, identifier)
    state = watched.read("/api/state")
    assert state["device_id"] == device
    assert state["session"]["state"] == "authenticated"
    # The session is not only remembered: it still works.
    page.locator("#refresh-session").click()
    expect(page.locator("#session-result")).to_have_attribute("data-tone", "ok")


def test_an_open_page_says_that_the_server_is_away_and_recovers(watched, console):
    page, identifier = watched.page(), new_identifier()
    be_signed_in(page, identifier)
    pill = connection(page)
    expect_live(page)
    watched.expect_lost_connection()
    console.kill()
    expect(pill).not_to_have_attribute("data-state", "live")
    expect(page.get_by_role("main")).to_contain_text(identifier)
    console.restart()
    expect(pill).to_have_attribute("data-state", "live", timeout=40_000)
    expect(page.get_by_role("main")).to_contain_text(identifier)


@pytest.mark.arguments("--limits", "prod")
def test_a_cooldown_outlives_the_program(watched, console):
    page, identifier = watched.page(), new_identifier()
    ask(page, identifier, "code", Clicks())
    watched.expect_lost_connection()
    console.kill()
    console.restart()
    answer = watched.call("POST", "/api/login/code", {"identifier": identifier})
    assert answer.status == 429, answer.text()
    assert answer.json()["code"] == "cooldown"
    assert re.fullmatch(r"\d+", answer.headers["retry-after"])
