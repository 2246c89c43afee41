"""Every code of the console's problems that a tester can reach, by what they do in the pages, and the words that they see then."""

import re

import pytest
from catalogue import messages
from console_team import start_console
from playwright.sync_api import expect
from running_console import PROJECT
from steps import Clicks, ask, expect_live, new_identifier
from test_faults import arm, signed_in
from watched_context import WatchedContext

LANGUAGE = "de"
CATALOGUE = messages(LANGUAGE)
# Codes that no page can bring about, because the pages never send such a request; who does is in the attack tests.
OF_OTHER_CLIENTS = {
    "method_not_allowed": "pages call routes by their own method",
    "unsupported_media_type": "api.js sends JSON alone",
    "origin_refused": "pages call their own origin",
    "too_many_streams": "the tabs of a device share one stream",
    "internal_error": "a fault of the console itself, which the pages show as an unknown error",
    "export_refused": "no export holds a secret as long as redaction works; test_exports.py fakes the answer",
}


def shown(code):
    """What a page says of a code, whatever time it counts."""
    timed = CATALOGUE.get(f"error.{code}.wait")
    plain = re.escape(CATALOGUE[f"error.{code}"])
    if timed is None:
        return re.compile(plain)
    return re.compile(f"{plain}|" + r"[\d:]+".join(map(re.escape, timed.split("{time}"))))


def speak(page):
    """Shows the page in the language whose words are looked for."""
    address = page.url.split("?")[0].split("#")[0]
    page.goto(f"{address}?lang={LANGUAGE}")
    expect(page.locator("html")).to_have_attribute("lang", LANGUAGE)
    expect_live(page)


def says(page, code):
    """The page says what the code means."""
    expect(page.locator("main, dialog[open]").filter(has_text=shown(code)).first).to_be_visible()


pytestmark = pytest.mark.long
# A code, and the preset under which asking for a sign-in code meets it.
BY_PRESET = [
    ("offline", "airplane"), ("offline", "lost-answers"), ("unavailable", "backend-down"), ("too_many_attempts", "rate-limited"),
    ("unexpected_payload", "garbage-json"), ("timeout", "silent-backend"), ("signature_rejected", "bad-signature"),
    ("pin_mismatch", "wrong-pin"), ("tls_failed", "untrusted-certificate"), ("backend_error", "backend-error"),
    ("not_found", "not-found"), ("conflict", "conflict"),
]


@pytest.mark.parametrize(("code", "preset"), BY_PRESET)
def test_a_preset_brings_its_code(visitor, code, preset):
    visitor.expect_answers(404, 409, 429, 502, 503, 504)
    page = visitor.page("/login")
    expect_live(page)
    page.locator("body").evaluate("() => document.activeElement?.blur()")
    arm(page, preset)
    speak(page)
    identifier = new_identifier()
    page.locator("#identifier").fill(identifier)
    page.locator("#send-code").click()
    says(page, code)
    expect(page.locator("#identifier")).to_have_value(identifier)
    # It recovers with the rule.
    page.locator("#disarm-all").click()
    expect(page.locator("armed-banner")).to_be_hidden()
    if code != "too_many_attempts":
        page.locator("#send-code").click()
        expect(page.locator("#code")).to_be_visible()


def test_a_full_device_cannot_keep_a_sign_in(visitor):
    visitor.expect_answers(503)
    page = visitor.page("/login")
    ask(page, new_identifier(), "code", Clicks())
    digits = visitor.read("/api/inbox?wait=10")["messages"][-1]["code"]
    page.locator("body").evaluate("() => document.activeElement?.blur()")
    arm(page, "storage-full")
    speak(page)
    page.locator("#code").fill(digits)
    says(page, "storage_full")


def test_what_is_typed_wrong_is_told(visitor):
    visitor.expect_answers(409, 422)
    page = visitor.page("/login")
    expect_live(page)
    speak(page)
    page.locator("#identifier").fill("nobody@nowhere..example")
    page.locator("#send-code").click()
    says(page, "invalid_identifier")
    page.locator("#identifier").fill(new_identifier())
    page.locator("#send-code").click()
    expect(page.locator("#code")).to_be_visible()
    page.locator("#code").fill("000000")
    says(page, "login_code_invalid")
    page.locator("#code").fill("https://elsewhere.example/callback#token=" + "a" * 43)
    says(page, "link_untrusted")
    page.goto("about:blank")
    page.goto(f"/callback?lang={LANGUAGE}#token=" + "a" * 43)
    # A link that this device did not ask for is asked about first.
    page.locator("#sign-in").click()
    page.locator("#sign-in-foreign").click()
    says(page, "login_link_invalid")


def test_a_text_without_end_is_too_long(visitor):
    visitor.expect_answers(413)
    page = signed_in(visitor, "/settings")
    speak(page)
    expect(page.locator("#account-facts")).to_be_visible()
    page.locator("#account-language").evaluate("""(field) => {
      field.selectedOptions[0].value = 'x'.repeat(2 ** 21);
      field.dispatchEvent(new Event("change"));
    }""")
    says(page, "payload_too_large")


def test_another_word_does_not_confirm(visitor):
    page = signed_in(visitor, "/delete-account")
    speak(page)
    page.locator("#open-deletion").click()
    page.locator("#deletion-word").fill("REMOVE")
    page.locator("#deletion-word").press("Enter")
    says(page, "confirmation_mismatch")


def test_a_name_that_turns_the_text_is_no_name(visitor):
    visitor.expect_answers(400)
    page = visitor.page("/network")
    expect_live(page)
    speak(page)
    page.keyboard.press("f")
    page.locator("#new-rule").click()
    page.locator("fault-form summary").click()
    page.locator("#fault-name").fill("a\u202eb")
    page.locator("#arm-fault").click()
    says(page, "invalid_request")


def test_a_message_just_sent_is_waited_for(watched):
    watched.expect_answers(429)
    identifier = new_identifier()
    first, second = watched.page("/login"), watched.page("/login")
    for page in (first, second):
        expect_live(page)
        speak(page)
        page.locator("#identifier").fill(identifier)
    first.locator("#send-code").click()
    expect(first.locator("#code")).to_be_visible()
    second.locator("#send-code").click()
    says(second, "cooldown")


def test_moves_that_were_not_sent_hold_the_sign_out(visitor):
    visitor.expect_answers(409, 503)
    page = signed_in(visitor, "/cues")
    expect(page.locator(".cue").first).to_be_visible()
    arm(page, "airplane")
    page.locator(".cue").first.focus()
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator("[data-stage=learning] .cue")).to_have_count(1)
    page.goto("/settings")
    speak(page)
    page.locator("#sign-out").click()
    page.locator("#confirm-sign-out").click()
    expect(page.locator("#sign-out-why")).to_be_visible()
    why = {key: message for key, message in CATALOGUE.items() if key.startswith("settings.sign_out")}
    seen = page.locator("#sign-out-why").inner_text()
    assert seen in [text for message in why.values() for text in (message.values() if isinstance(message, dict) else [message])] + [
        CATALOGUE["error.unsynced_edits"]
    ], seen


def test_a_session_that_ends_in_the_middle_leads_to_the_sign_in(visitor):
    visitor.expect_answers(409, 401)
    page = signed_in(visitor, "/profiles")
    arm(page, "refresh-revoked")
    answer = visitor.call("POST", "/api/profiles", {"language_code": "fr"})
    assert (answer.status, answer.json()["code"]) == (409, "session_ended")
    page.wait_for_url("**/login*")
    expect(page.locator("#login-notice")).to_be_visible()


def test_a_tab_that_hears_nothing_is_told_that_nobody_is_signed_in(visitor):
    visitor.expect_answers(401)
    visitor.expect_lost_connection()
    visitor.expect_failed_requests("/api/events")
    page = signed_in(visitor, "/settings")
    speak(page)
    # Its stream is cut, as by a proxy that ends long answers; so it does not hear of the sign-out elsewhere.
    page.route("**/api/events*", lambda route: route.abort("connectionreset"))
    page.reload()
    expect(page.locator("#account-facts")).to_be_visible()
    assert visitor.call("POST", "/api/logout", {"discard": True}).ok
    page.locator("#refresh-session").click()
    says(page, "signed_out")


def test_a_device_that_is_gone_is_made_anew(visitor):
    visitor.expect_answers(401)
    page = signed_in(visitor, "/settings")
    assert visitor.call("DELETE", "/api/device").status == 204
    page.goto("/network")
    expect_live(page)
    # The code heals itself: the page has a fresh device, on which nobody is signed in.
    page.goto("/")
    page.wait_for_url("**/login*")


def test_what_the_backend_does_not_offer_is_switched_off(browser, staging, tmp_path):
    inbox, _, flags = staging
    console = start_console(tmp_path / "console", arguments=flags)
    watched = WatchedContext(browser, console)
    watched.expect_answers(403)
    page = watched.page(f"/inbox?lang={LANGUAGE}")
    expect(page.get_by_role("main")).to_contain_text(CATALOGUE["error.feature_disabled"])
    watched.close()
    assert console.stop() == 0, console.logs[-2000:]


def test_a_console_with_an_access_token_asks_for_it(browser, tmp_path):
    token = tmp_path / "token"
    token.write_text("Zm9yIHRoZSB0ZXN0cyBvbmx5IQ0k7Qx2\n")
    token.chmod(0o600)
    console = start_console(tmp_path / "console", arguments=("--access-token-file", token, "--behind-proxy"))
    watched = WatchedContext(browser, console)
    watched.expect_answers(401)
    page = watched.page(f"/login?lang={LANGUAGE}")
    expect(page.get_by_role("main")).to_contain_text(CATALOGUE["error.access_required"])
    watched.close()
    assert console.stop() == 0, console.logs[-2000:]


def test_no_code_is_left_out(visitor):
    page = visitor.page("/login")
    expect_live(page)
    described = page.context.request.get("/api/openapi.json").json()["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]
    source = (PROJECT / "Tests/Browser/test_codes.py").read_text()
    reached = {code for code, _ in BY_PRESET}
    reached |= {name for found in re.findall(r'says\(\w+, "(\w+)"\)|CATALOGUE\["error\.(\w+)"\]', source) for name in found if name}
    # Two have no words of their own on a page: one leads to the sign-in page with the reason, one heals itself.
    reached |= {"session_ended", "no_device"}
    # Of a row that is a login; its journey is in test_replay.py.
    reached |= {"not_replayable"}
    assert set(described) - reached - set(OF_OTHER_CLIENTS) == set()
