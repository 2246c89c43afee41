"""The message of a sign-in is a press away: on the sign-in page itself, and in the inbox, which leads back."""

import re

import pytest
from playwright.sync_api import expect
from steps import Clicks, ask, be_signed_in, expect_live, expect_signed_in, new_identifier, open_inbox, sign_in_by_code
from test_accessibility import violations


def newest(watched):
    """The newest message that the browser asked for."""
    return watched.read("/api/inbox?wait=10")["messages"][-1]


@pytest.mark.one_console("needs the inbox page, which only an embedded backend has")
def test_the_inbox_leads_back_and_uses_the_code(watched):
    page, identifier, clicks = watched.page(), new_identifier(), Clicks()
    ask(page, identifier, "code", clicks)
    inbox = open_inbox(page, clicks)
    clicks.on(inbox.locator("#use-code"))
    expect_signed_in(inbox, identifier)
    assert clicks.count == 3
    assert not re.search(r"\d{6}|code=", inbox.url)
    assert inbox.evaluate("() => [sessionStorage.getItem('understudy.chosen'), sessionStorage.getItem('understudy.login')]") == [None, None]


@pytest.mark.one_console("needs the inbox page, which only an embedded backend has")
@pytest.mark.long
def test_a_tab_that_asked_for_nothing_uses_the_code_of_the_inbox(watched):
    page, identifier = watched.page(), new_identifier()
    ask(page, identifier, "code", Clicks())
    other = watched.page("/inbox")
    other.locator("#use-code").click()
    expect_signed_in(other, identifier)
    # The tab that waited for the code moves on too.
    expect_signed_in(page, identifier)


@pytest.mark.one_console("needs the offer of the message, which only an embedded backend has")
def test_a_code_that_was_pressed_for_somebody_else_is_not_used(watched):
    page, sent = watched.page(), []
    ask(page, new_identifier(), "code", Clicks())
    theirs = newest(watched)
    watched.spoil()
    page.on("request", lambda request: sent.append(request.url) if request.url.endswith("/verify") else None)
    page.evaluate("([key, id]) => { sessionStorage.clear(); sessionStorage.setItem(key, id); }", ["understudy.chosen", theirs["id"]])
    ask(page, new_identifier(), "code", Clicks())
    expect(page.locator("#offer-code")).to_be_visible()
    assert page.evaluate("() => sessionStorage.getItem('understudy.chosen')") is None
    page.locator("#offer-code").click()
    page.wait_for_url("**/settings*")
    assert len(sent) == 1


@pytest.mark.one_console("needs the inbox page, which only an embedded backend has")
def test_a_code_of_the_inbox_that_does_not_work_says_so_at_the_field(watched):
    page, identifier = watched.page(), new_identifier()
    ask(page, identifier, "code", Clicks())
    old = newest(watched)
    assert watched.call("POST", "/api/backend/clock", {"advance_seconds": 7}).ok
    assert watched.call("POST", "/api/login/code", {"identifier": identifier}).status in (202, 429)
    assert watched.call("POST", "/api/backend/clock", {"advance_seconds": 3600}).ok
    watched.expect_answers(422, 429)
    page.goto(f"/inbox?message={old['id']}")
    expect(page.locator("#inbox-expiry")).to_have_text("Expired because the backend’s clock is ahead")
    page.locator("#use-code").click()
    expect(page.locator("#code")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#code-error")).to_have_text(re.compile(r"\w+ \w+"))
    expect(page.locator("#offer")).to_be_hidden()


@pytest.mark.one_console("needs the inbox page, which only an embedded backend has")
def test_a_link_that_is_pressed_in_the_inbox_signs_in_and_no_other_does(watched):
    page, identifier = watched.page(), new_identifier()
    ask(page, identifier, "link", Clicks())
    message = newest(watched)
    # A link from elsewhere is asked about, whatever was pressed in this tab before.
    page.evaluate("(id) => sessionStorage.setItem('understudy.chosen', id)", message["id"])
    page.goto("/callback#token=another-token-of-somebody")
    expect(page.locator("#sign-in")).to_be_visible()
    expect_live(page)
    expect(page.locator("#sign-in")).not_to_have_attribute("aria-busy", "true")
    assert watched.read("/api/state")["session"]["state"] == "signed_out"
    page.goto("/inbox")
    page.locator("#open-link").click()
    expect_signed_in(page, identifier)


@pytest.mark.one_console("needs the inbox page, which only an embedded backend has")
def test_a_link_that_would_end_a_session_is_asked_about(watched):
    page, identifier = watched.page(), new_identifier()
    sign_in_by_code(page, identifier)
    assert watched.call("POST", "/api/backend/limits", {"mode": "off"}).ok
    assert watched.call("POST", "/api/login/magic-link", {"identifier": new_identifier()}).status == 202
    page.goto("/inbox")
    expect(page.locator("#open-link")).to_be_visible()
    expect(page.locator("#use-code")).to_be_hidden()
    page.locator("#open-link").click()
    expect(page.locator("#replaces")).to_be_visible()
    expect(page.locator("#sign-in")).not_to_have_attribute("aria-busy", "true")
    assert watched.read("/api/state")["session"]["user"]["email"] == identifier


@pytest.mark.one_console("needs the offer of the message, which only an embedded backend has")
def test_only_the_message_of_this_tab_is_offered(watched):
    mine, theirs = new_identifier(), new_identifier()
    other = watched.page()
    ask(other, theirs, "code", Clicks())
    page = watched.page()
    ask(page, f"  {mine.upper()} ", "code", Clicks())
    code = next(one["code"] for one in watched.read("/api/inbox?wait=10")["messages"] if one["to"] == mine)
    expect(page.locator("#offer-code")).to_contain_text(f"{code[:3]} {code[3:]}")
    expect(page.locator("#code")).to_be_focused()
    # Whoever starts over is offered nothing until they ask.
    page.locator("#use-another").click()
    expect(page.locator("#offer")).to_be_hidden()


@pytest.mark.one_console("needs the offer of the message, which only an embedded backend has")
@pytest.mark.long
def test_a_new_message_takes_the_place_of_the_old_one(watched):
    page = watched.page("/login")
    expect_live(page)
    assert watched.call("POST", "/api/backend/limits", {"mode": "off"}).ok
    ask(page, new_identifier(), "code", Clicks())
    first = page.locator("#offer-code").inner_text()
    expect(page.locator("#resend")).not_to_have_attribute("aria-disabled", "true")
    page.locator("#resend").click()
    expect(page.locator("#offer-code")).not_to_have_text(first)


@pytest.mark.one_console("needs the offer of the message, which only an embedded backend has")
def test_a_refused_code_is_not_sent_again(watched):
    page, identifier, sent = watched.page(), new_identifier(), []
    watched.spoil()
    page.on("request", lambda request: sent.append(request.post_data_json["code"]) if request.url.endswith("/verify") else None)
    ask(page, identifier, "code", Clicks())
    code = newest(watched)["code"]
    wrong = [f"{(int(code) + one) % 1_000_000:06d}" for one in (1, 2)]
    watched.expect_answers(422)
    page.locator("#code").fill(wrong[0])
    expect(page.locator("#code-error")).to_contain_text("4 attempts left")
    for act in (lambda: page.keyboard.press("Enter"), page.locator("#verify").click, lambda: page.keyboard.press("Enter")):
        act()
        expect(page.locator("#code-error")).to_contain_text("already rejected")
    assert sent == wrong[:1]
    page.locator("#code").fill(wrong[1])
    expect(page.locator("#code-error")).to_contain_text("3 attempts left")
    # Typed anew it is somebody's wish.
    page.locator("#code").fill("")
    page.locator("#code").fill(wrong[1])
    expect(page.locator("#code-error")).to_contain_text("2 attempts left")
    page.locator("#offer-code").click()
    expect_signed_in(page, identifier)
    assert sent == [*wrong, wrong[1], code]


@pytest.mark.long
def test_a_code_that_is_typed_while_another_is_checked_is_checked_too(watched):
    page, identifier, held = watched.page(), new_identifier(), []
    ask(page, identifier, "code", Clicks())
    code = newest(watched)["code"]
    watched.expect_answers(422)
    page.route("**/api/login/code/verify", lambda route: held.append(route) if not held else route.continue_())
    page.locator("#code").fill(f"{(int(code) + 1) % 1_000_000:06d}")
    expect(page.locator("#verify")).to_have_attribute("aria-busy", "true")
    page.locator("#code").fill(code)
    held[0].continue_()
    expect_signed_in(page, identifier)


@pytest.mark.one_console("needs the offer of the message, which only an embedded backend has")
@pytest.mark.long
def test_what_shows_for_a_moment_is_as_readable_as_the_rest(watched):
    page = watched.page()
    ask(page, new_identifier(), "code", Clicks())
    expect(page.locator("#offer-code")).to_be_visible()
    assert violations(page) == []
    inbox = open_inbox(page, Clicks())
    for scheme in ("light", "dark"):
        inbox.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        inbox.locator("#copy-code").click()
        expect(inbox.locator("#copy-code[data-copied=true] .copy-label")).to_have_text("Copied")
        assert violations(inbox) == [], scheme
        expect(inbox.locator("#copy-code[data-copied]")).to_have_count(0)
    be_signed_in(page, new_identifier())
    page.locator("#refresh-session").click()
    expect(page.locator("#session-result")).to_be_visible()
    assert violations(page) == []
