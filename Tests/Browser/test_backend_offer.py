"""What the pages show of a backend that a file describes: the fields of its sign-in, and nothing that the file lacks."""

import pytest
from playwright.sync_api import expect
from steps import at_rest, be_signed_in, expect_live, new_identifier

WAYS = [
    {"call": "login_with_password", "fields": ["identifier", "password"]},
    {"call": "request_login_code", "fields": ["identifier"]},
    {"call": "login_with_code", "fields": ["code"]},
    {"call": "login_with_magic_token", "fields": ["link"]},
]
LACKED = ["refresh", "account", "profiles", "cues", "deletion", "logout"]
PASSWORD = "correct horse 9"
OVERFLOW = "() => document.documentElement.scrollWidth - innerWidth"


def described(visitor, page, sign_in=WAYS, hidden=(), **backend):
    """From now on the console's state is the one of a backend that a file describes."""
    state = visitor.read("/api/state")
    config = {**(state.get("config") or {}), "by_file": True, "sign_in": sign_in, "hidden": list(hidden)}
    state = {**state, "config": config, "backend": {**state["backend"], "embedded": False, **backend}}
    page.route("**/api/state", lambda route: route.fulfill(json=state))
    return state


def sign_in_page(visitor, sign_in=WAYS):
    """The sign-in of such a backend."""
    page = visitor.page("/login")
    at_rest(page)
    described(visitor, page, sign_in)
    page.reload()
    expect(page.locator("#offered-form")).to_be_visible()
    at_rest(page)
    return page


def asked(page):
    """The ids of the fields that the page shows."""
    return page.locator("main input:visible").evaluate_all("(all) => all.map((one) => one.id)")


def answers(page, path, status, body):
    """Answers a call in the console's place; gives the bodies that were sent."""
    sent = []
    page.route(f"**{path}", lambda route: (sent.append(route.request.post_data_json), route.fulfill(status=status, json=body)))
    return sent


@pytest.mark.parametrize(("look", "width"), [("light", 1280), ("dark", 390)])
def test_sign_in_has_a_tab_for_each_way_and_asks_for_exactly_its_fields(visitor, look, width):
    page = sign_in_page(visitor)
    page.emulate_media(color_scheme=look)
    page.set_viewport_size({"width": width, "height": 800})
    assert page.get_by_role("tab").all_inner_texts() == ["Password", "Code", "Link"]
    assert asked(page) == ["offered-identifier", "offered-password"]
    assert page.locator("#offered-identifier").get_attribute("inputmode") is None
    assert page.evaluate(OVERFLOW) <= 0
    page.get_by_role("tab", name="Password").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Code")).to_be_focused()
    assert asked(page) == ["offered-identifier"]
    page.keyboard.press("End")
    expect(page.get_by_role("tab", name="Link")).to_have_attribute("aria-selected", "true")
    assert asked(page) == ["offered-link"]
    assert page.evaluate(OVERFLOW) <= 0


def test_the_tabs_walk_backwards_where_a_page_is_read_from_the_right(visitor):
    page = visitor.page("/login?lang=ar")
    at_rest(page)
    described(visitor, page)
    page.reload()
    page.get_by_role("tab").first.focus()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("tab").nth(1)).to_be_focused()


def test_a_password_is_sent_and_kept_nowhere(visitor):
    page = sign_in_page(visitor)
    visitor.expect_answers(422)
    sent = answers(page, "/api/login/password", 422, {"code": "password_invalid", "field": "password", "status": 422})
    password = page.locator("#offered-password")
    assert password.get_attribute("autocomplete") == "current-password"
    page.locator("#offered-identifier").fill("ada")
    page.locator("#offered-submit").click()
    expect(page.locator("#offered-password-error")).to_have_text("Fill in this field.")
    password.fill(PASSWORD)
    show = page.get_by_role("button", name="Show password")
    show.click()
    expect(password).to_have_attribute("type", "text")
    expect(show).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Tab")
    page.locator("#offered-submit").click()
    expect(page.locator("#offered-password-error")).to_contain_text("password is wrong")
    expect(password).to_be_focused()
    expect(password).to_have_attribute("type", "password")
    assert sent == [{"identifier": "ada", "password": PASSWORD}]
    kept = page.evaluate("() => JSON.stringify([{...localStorage}, {...sessionStorage}, history.state, location.href])")
    assert PASSWORD not in kept and "ada" not in kept, kept
    page.evaluate("() => dispatchEvent(new PageTransitionEvent('pagehide'))")
    expect(password).to_have_value("")


def test_a_code_of_letters_is_asked_for_after_its_message_and_after_a_reload(visitor):
    page = sign_in_page(visitor, WAYS[1:3])
    visitor.expect_answers(422)
    expect(page.get_by_role("tab")).to_have_count(0)
    receipt = {"identifier_masked": "a•a", "cooldown_seconds": 0, "expires_in_seconds": 600}
    asks = answers(page, "/api/login/code", 202, receipt)
    tries = answers(page, "/api/login/code/verify", 422, {"code": "login_code_invalid", "status": 422})
    page.locator("#offered-identifier").fill("ada")
    page.keyboard.press("Enter")
    expect(page.locator("#offered-code")).to_be_focused()
    assert asked(page) == ["offered-code"] and asks == [{"identifier": "ada"}]
    page.reload()
    expect(page.locator("#offered-code")).to_be_visible()
    page.locator("#offered-code").fill(" KBQM-JXLT ")
    page.locator("#offered-submit").click()
    expect(page.locator("#offered-code-error")).not_to_be_empty()
    assert tries == [{"identifier": "ada", "code": "KBQM-JXLT"}]
    page.locator("#offered-restart").click()
    assert asked(page) == ["offered-identifier"]


def test_a_step_without_fields_says_what_failed_and_nobody_is_named(visitor):
    page = sign_in_page(visitor, [{"call": "request_login_code", "fields": []}, {"call": "login_with_code", "fields": ["code"]}])
    visitor.expect_answers(502)
    assert asked(page) == []
    refused = answers(page, "/api/login/code", 502, {"code": "backend_error", "status": 502})
    page.locator("#offered-submit").click()
    expect(page.locator("#offered-error")).to_contain_text("backend")
    page.unroute("**/api/login/code")
    receipt = {"identifier_masked": "", "cooldown_seconds": 0, "expires_in_seconds": 600}
    accepted = answers(page, "/api/login/code", 202, receipt)
    page.locator("#offered-submit").click()
    expect(page.locator("#offered-code")).to_be_focused()
    expect(page.locator("#offered-error")).to_be_hidden()
    expect(page.get_by_text("Enter the code for")).to_be_hidden()
    expect(page.locator("#offered-resend")).to_be_visible()
    page.reload()
    expect(page.locator("#offered-code")).to_be_visible()
    assert refused == accepted == [{}]


def test_a_wait_for_a_code_ends_with_its_step(visitor):
    page = sign_in_page(visitor)
    visitor.expect_answers(429)
    page.route("**/api/login/code", lambda route: route.fulfill(
        status=429, json={"code": "too_many_attempts", "status": 429}, headers={"Retry-After": "60"}))
    page.get_by_role("tab", name="Code").click()
    page.locator("#offered-identifier").fill("ada")
    submit = page.locator("#offered-submit")
    submit.click()
    expect(submit).to_have_attribute("aria-disabled", "true")
    page.get_by_role("tab", name="Password").click()
    expect(submit).to_have_text("Sign in")
    assert submit.get_attribute("aria-disabled") is None
    # The next second does not write on the button either.
    page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    expect(submit).to_have_text("Sign in")


def test_a_pasted_link_signs_in_by_itself(visitor):
    page = sign_in_page(visitor, WAYS[3:])
    visitor.expect_answers(422)
    sent = answers(page, "/api/login/magic-link/complete", 422, {"code": "login_link_invalid", "status": 422})
    page.locator("#offered-link").fill("https://app.example/callback?code=x")
    page.locator("#offered-submit").click()
    expect(page.locator("#offered-link-error")).not_to_be_empty()
    assert sent == [{"url": "https://app.example/callback?code=x"}]


def test_settings_hide_what_the_file_lacks_and_say_why(visitor):
    page = visitor.page()
    be_signed_in(page, new_identifier())
    expect(page.locator("#refresh-session")).to_be_visible()
    state = visitor.read("/api/state")
    session = {key: value for key, value in state["session"].items() if not key.endswith("_expires_at")}
    page.route("**/api/state", lambda route: route.fulfill(json={
        **state, "session": session, "config": {**state["config"], "by_file": True, "sign_in": WAYS, "hidden": LACKED}}))
    # The console's own stream would tell its real session, which has the times.
    page.route("**/api/events", lambda route: route.fulfill(content_type="text/event-stream", body="retry: 600000\n\n"))
    page.reload()
    expect(page.locator("#no-refresh")).to_have_text("The backend file has no refresh_tokens.")
    expect(page.locator("#no-account")).to_have_text("The backend file has no me.")
    expect(page.locator("#no-profiles")).to_contain_text("get_or_create_account_profile")
    expect(page.locator("#delete-why")).to_have_text("The backend file has no request_account_deletion.")
    for gone in ("#refresh-session", "#account-language", "[href='/profiles']", "[href='/cues']", "#delete-account"):
        expect(page.locator(gone).first).to_be_hidden()
    expect(page.locator("[data-line=access], [data-line=refresh]").locator("visible=true")).to_have_count(0)
    page.locator("#sign-out").click()
    expect(page.locator("#sign-out-why")).to_contain_text("The backend is not asked")
    page.locator("#keep-session").click()
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate(OVERFLOW) <= 0


def test_pages_that_the_file_lacks_say_why(visitor):
    page = visitor.page()
    be_signed_in(page, new_identifier())
    described(visitor, page, hidden=LACKED)
    for path, call in (("/profiles", "set_active_profile"), ("/cues", "get_cues")):
        page.goto(path)
        expect(page.locator("#why-hidden")).to_contain_text(call)
        expect(page.locator("[data-filled]")).to_be_hidden()
    page.goto("/delete-account")
    expect(page.locator("#off-why")).to_contain_text("request_account_deletion")
    expect(page.locator("#open-deletion")).to_be_hidden()


def test_an_answer_from_before_the_state_is_not_shown(visitor):
    page = visitor.page()
    be_signed_in(page, new_identifier())
    described(visitor, page, hidden=LACKED)
    held = []
    page.route("**/api/cues", lambda route: held.append(route))
    page.goto("/cues")
    expect(page.locator("#why-hidden")).to_be_visible()
    with page.expect_response("**/api/cues"):
        held[0].continue_()
    at_rest(page)
    expect(page.locator("#why-hidden")).to_be_visible()


@pytest.mark.parametrize("path", ["/profiles", "/cues"])
def test_a_page_is_filled_once_the_file_has_its_calls(visitor, path):
    page = visitor.page()
    be_signed_in(page, new_identifier())
    described(visitor, page, hidden=LACKED)
    page.goto(path)
    expect(page.locator("#why-hidden")).to_be_visible()
    expect_live(page)
    described(visitor, page)
    # Every page asks for the state again.
    visitor.call("POST", "/api/faults", {"match": {"endpoint": "logout"}, "action": {"kind": "status", "status": 503}})
    expect(page.locator("#why-hidden")).to_be_hidden()
    expect(page.locator("[data-filled]")).to_be_visible()
    expect(page.locator("[data-view=loading]")).to_be_hidden()


def test_presets_that_need_a_refresh_are_hidden_without_one(visitor):
    page = visitor.page("/network")
    at_rest(page)
    described(visitor, page, hidden=["refresh"])
    page.reload()
    at_rest(page)
    page.keyboard.press("f")
    expect(page.locator("[data-preset=rate-limited]")).to_be_visible()
    expect(page.locator("[data-preset=token-expires]")).to_be_visible()
    expect(page.locator("[data-preset=refresh-revoked]")).to_have_count(0)
    expect(page.locator("#faults .hint", has_text="refresh_tokens")).to_be_visible()


def test_a_changed_file_that_is_wrong_is_told_on_every_page(visitor):
    page = visitor.page("/network")
    at_rest(page)
    problem = "backend.yaml:4:3: header: no such key (did you mean headers?)"
    described(visitor, page, file_problem=problem)
    page.reload()
    expect(page.locator("#file-problem")).to_have_text(problem)
