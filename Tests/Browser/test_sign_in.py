"""Signing in and out, the right way and the wrong ways."""

import json
import re

import pytest
from console_team import team_of
from playwright.sync_api import expect
from steps import (
    Clicks,
    ask,
    at_rest,
    expect_live,
    expect_signed_in,
    new_identifier,
    open_inbox,
    refused,
    sign_in_by_code,
    sign_in_by_link,
    sign_out,
)


@pytest.mark.one_console("needs the inbox page, which only an embedded backend has")
@pytest.mark.one_console("a test account needs an embedded backend")
def test_a_sign_in_leads_back_to_the_page_that_wanted_it(watched):
    page = watched.page()
    for start, path in (("/cues", "/cues"), ("/network?q=host", "/network?q=host"), ("/login?return=evil.example", "/settings")):
        page.goto(start)
        if start.startswith("/network"):
            page.locator("[data-nav=login]").click()
        page.wait_for_url("**/login*")
        page.locator("#test-account").click()
        page.wait_for_url(f"**{path}")
        expect_live(page)
        # What it still reads would be refused after the session.
        at_rest(page)
        assert watched.call("POST", "/api/logout", {}).status == 200
        if not path.startswith("/network"):
            page.wait_for_url("**/login")
    # What somebody else may have stored leads nowhere else.
    page.evaluate("() => sessionStorage.setItem('understudy.return', '//evil.example/cues')")
    page.locator("#test-account").click()
    page.wait_for_url("**/settings")


def test_only_an_embedded_backend_offers_a_test_account(watched):
    page = watched.page()

    def answer(route):
        state = route.fetch().json()
        state["backend"]["embedded"] = False
        route.fulfill(json=state)

    page.route("**/api/state", answer)
    page.goto("/login")
    expect(page.locator("[data-fact=backend]")).to_be_visible()
    expect(page.locator("#send-code")).to_be_visible()
    expect(page.locator("#test-account")).to_be_hidden()


def test_login_code_off_hides_every_word_of_codes(watched):
    page, identifier = watched.page("/login"), new_identifier()
    expect_live(page)
    body = json.dumps({"features": {"login_code": False}})
    rule = {"name": "no login codes", "match": {"path": "/rpc/app_config"}, "action": {"kind": "answer", "status": 200, "body": body}}
    assert watched.call("POST", "/api/faults", rule).status == 201
    watched.call("POST", "/api/session/relaunch", {})
    expect(page.locator("#send-code")).to_be_hidden()

    def expect_no_word_of_codes():
        expect(page.locator("main")).not_to_have_text(re.compile(r"\bcodes?\b", re.IGNORECASE), use_inner_text=True)

    expect_no_word_of_codes()
    page.locator("#identifier").fill(identifier)
    page.locator("#have-code").click()
    expect(page.locator("#code")).to_be_visible()
    expect_no_word_of_codes()
    page.locator("#code").fill("123456")
    page.locator("#verify").click()
    expect(page.locator("#code-error")).to_contain_text("Copy the complete link")
    expect_no_word_of_codes()
    page.locator("#use-another").click()
    page.locator("#send-link").click()
    if team_of(page):
        # Their backend's messages are on no page.
        expect(page.locator("#code")).to_be_visible()
    else:
        expect(page.locator("#offer-link")).to_be_visible()
    expect_no_word_of_codes()
    assert not [row for row in watched.read("/api/network")["events"] if row["path"] == "/rpc/login_with_code"]
    if team_of(page):
        page.goto("/network")
    else:
        page.goto("/inbox")
        expect(page.locator("#open-link")).to_be_visible()
        expect(page.locator("#use-code, #copy-code")).to_have_count(0)
    page.keyboard.press("?")
    expect(page.locator("dialog[open]")).to_contain_text("Next")
    expect(page.locator("dialog[open]")).not_to_have_text(re.compile(r"\bcodes?\b", re.IGNORECASE), use_inner_text=True)


def test_signing_out_leads_back_and_ends_the_session(watched):
    page = watched.page()
    sign_in_by_code(page, new_identifier())
    sign_out(page)
    assert watched.read("/api/state")["session"]["state"] == "signed_out"
    page.goto("/settings")
    page.wait_for_url("**/login*")


@pytest.mark.one_console("needs the inbox page, which only an embedded backend has")
def test_reading_a_link_signs_nobody_in(watched):
    page = watched.page()
    ask(page, new_identifier(), "link", Clicks())
    inbox = open_inbox(page, Clicks())
    link = inbox.locator("#open-link").get_attribute("href")
    token = re.search(r"token=([^&]+)", link)[1]

    reader = watched.page(link)
    expect(reader.locator("#sign-in")).to_be_visible()
    assert token not in reader.url
    assert token not in reader.evaluate("JSON.stringify(history.state) + location.href")
    # A mail scanner sees the query of the other form; it must not redeem either.
    for path in (f"/callback?token={token}", f"/api/login/magic-link/complete?token={token}"):
        watched.call("GET", path)
        watched.call("HEAD", path)
    assert watched.read("/api/state")["session"]["state"] == "signed_out"

    reader.locator("#sign-in").click()
    reader.wait_for_url("**/settings*")


def test_a_used_link_says_what_to_do_next(watched):
    page = watched.page()
    callback, link = sign_in_by_link(page, new_identifier())
    watched.expect_answers(422)
    again = watched.page(link)
    again.locator("#sign-in").click()
    expect(again.locator("#ended-why")).to_contain_text("You are signed in")
    expect(again.locator("#ended-next")).to_have_attribute("href", "/settings")
    sign_out(callback)
    used = watched.page(link)
    used.locator("#sign-in").click()
    expect(used.locator("#ended-why")).to_have_text(re.compile(r"\w+ \w+"))
    expect(used.get_by_role("main").locator("a[href='/login']").filter(visible=True)).to_have_count(1)
    assert watched.read("/api/state")["session"]["state"] == "signed_out"


def test_a_link_without_a_token_says_so(watched):
    page = watched.page("/callback")
    expect(page.locator("#ended-why")).to_have_text(re.compile(r"\w+ \w+"))
    expect(page.locator("#sign-in")).to_be_hidden()


def test_sending_again_waits_for_a_countdown_that_a_reload_keeps(watched, console):
    """On a console of its own, because the worker's has no limits."""
    page = watched.page()
    ask(page, new_identifier(), "code", Clicks())
    resend = page.locator("#resend")
    expect(resend).to_have_text(re.compile(r"0:0[1-5]"))
    expect(resend).to_have_attribute("aria-disabled", "true")
    page.reload()
    expect(resend).to_have_text(re.compile(r"0:0[1-5]"))
    expect(resend).not_to_have_text(re.compile(r"\d"))
    expect(resend).not_to_have_attribute("aria-disabled", "true")
    resend.click()
    expect(resend).to_have_text(re.compile(r"0:0[1-5]"))
    first = watched.read("/api/inbox?wait=10")["messages"][0]
    assert len(watched.read(f"/api/inbox?after={first['id']}&wait=10")["messages"]) == 1


def test_a_second_tab_shares_the_device(watched):
    first, identifier = watched.page(), new_identifier()
    first.goto("/login")
    expect_live(first)
    device = watched.read("/api/state")["device_id"]
    second = watched.page()
    sign_in_by_code(second, identifier)
    assert watched.read("/api/state")["device_id"] == device
    assert len(watched.read("/api/devices")["devices"]) == 1
    # The first tab hears of it by itself.
    expect_signed_in(first, identifier)
    sign_out(first)
    second.wait_for_url("**/login*")


@pytest.mark.one_console("only an embedded backend is known to allow five attempts")
def test_wrong_codes_count_down_to_a_new_one(watched):
    page, identifier = watched.page(), new_identifier()
    ask(page, identifier, "code", Clicks())
    code = watched.read("/api/inbox?wait=10")["messages"][0]["code"]
    watched.expect_answers(422, 429)
    for left in (4, 3):
        page.locator("#code").fill(f"{(int(code) + left) % 1_000_000:06d}")
        expect(page.locator("#code-error")).to_contain_text(f"{left} attempts left")
    field = page.locator("#code")
    expect(field).to_have_attribute("aria-invalid", "true")
    assert "code-error" in field.get_attribute("aria-describedby").split()
    assert code not in page.locator("#code-error").inner_text()
    page.reload()
    page.locator("#code").fill(f"{(int(code) + 9) % 1_000_000:06d}")
    expect(page.locator("#code-error")).to_contain_text("2 attempts left")
    page.locator("#code").fill(code)
    expect_signed_in(page, identifier)


def test_a_whole_link_pasted_into_the_code_field_signs_in(watched):
    page, identifier = watched.page(), new_identifier()
    ask(page, identifier, "link", Clicks())
    message = watched.read("/api/inbox?wait=10")["messages"][0]
    watched.expect_answers(422)
    page.locator("#code").fill("https://elsewhere.example/callback#token=abcdefgh12345678")
    expect(page.locator("#code-error")).to_contain_text("does not trust")
    page.locator("#code").fill(message["link"][:-5])
    expect(page.locator("#code-error")).to_contain_text("incomplete")
    page.locator("#code").fill(f"  Tap <{message['link'].replace('&', '&amp;')}>, please.  ")
    expect_signed_in(page, identifier)


def test_failing_backend_is_described_and_the_next_attempt_works(watched):
    page, identifier = watched.page("/login"), new_identifier()
    expect_live(page)
    page.locator("#identifier").fill(identifier)
    watched.expect_answers(429, 503)
    for status, code in ((503, "unavailable"), (429, "too_many_attempts")):
        with refused(page, "/api/login/code", status, code, retry_after=1 if status == 429 else None):
            page.locator("#send-code").click()
        expect(page.locator("#identifier-error")).to_have_text(re.compile(r"\w+ \w+"))
        expect(page.locator("#identifier-error")).not_to_have_text(re.compile(str(status)))
        expect(page.locator("#identifier")).to_have_value(identifier)
        expect(page.locator("#send-code")).not_to_have_attribute("aria-disabled", "true")
    page.locator("#send-code").click()
    expect(page.locator("#code")).to_be_visible()


def test_a_console_that_is_gone_in_the_middle_of_a_step_loses_nothing(watched, console):
    page, identifier = watched.page("/login"), new_identifier()
    ask(page, identifier, "code", Clicks())
    code = watched.read("/api/inbox?wait=10")["messages"][0]["code"]
    watched.expect_lost_connection()
    console.kill()
    page.locator("#code").fill(code)
    expect(page.locator("#code-error")).to_have_text(re.compile(r"\w+ \w+"))
    expect(page.locator("#code")).to_have_value(code)
    console.restart()
    expect(page.locator("[data-fact='connection']")).to_have_attribute("data-state", "live", timeout=40_000)
    page.locator("#verify").click()
    expect_signed_in(page, identifier)
