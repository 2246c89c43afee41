"""How a session ends under a page: every page says why and leads to the sign-in; an answer that cannot be read leads to its row."""

from playwright.sync_api import expect
from steps import be_signed_in, expect_live, grid_row, new_identifier
from test_faults import rows, signed_in, words

# A code that the reference backend does not send.
REFUSED = {"match": {"endpoint": "refresh_tokens"}, "action": {"kind": "status", "status": 400, "code": "invalid_grant"}}

BY_FAULT = words("reason.by_fault", name="status")

PASS_ON = """([device, data]) =>
  new BroadcastChannel(`understudy-events-${device}`).postMessage({ type: "event", event: "session", data, id: null })"""


def end_session(visitor):
    """Lets the backend refuse a refresh."""
    visitor.call("POST", "/api/faults", REFUSED)
    assert visitor.call("POST", "/api/session/refresh", {}).status == 409
    visitor.call("DELETE", "/api/faults")
    session = visitor.read("/api/state")["session"]
    assert session["state"] == "signed_out" and session["reason"] == "refresh_refused"


def test_pages_that_stay_open_say_why_and_lead_to_the_sign_in(visitor):
    tabs = [signed_in(visitor, "/network")]
    for path in ("/timeline", "/inbox"):
        tabs.append(visitor.page(path))
        expect_live(tabs[-1])
    for tab in tabs:
        expect(tab.locator("session-over")).to_have_count(0)
    end_session(visitor)
    for tab in tabs:
        expect(tab.locator("session-over")).to_contain_text(BY_FAULT)
    page = tabs[0]
    banner = page.locator("session-over")
    expect(page.get_by_role("region", name=words("shell.session_over"))).to_be_visible()
    # The notice takes its height from the log, not from what is below it.
    expect(page.locator("#row-totals")).to_be_in_viewport(ratio=1)
    # One click from the notice to the cause.
    banner.get_by_role("link", name=words("state.open_row")).click()
    page.wait_for_url("**/network?row=*")
    expect(page.locator("network-detail .fault-link")).to_have_text(words("detail.fault.responded", name="status"))
    expect(page.locator(".histogram-time").first).not_to_be_empty()
    banner.get_by_role("link", name=words("nav.login")).click()
    page.wait_for_url("**/login*")
    expect(page.locator("#login-notice")).to_contain_text(BY_FAULT)
    expect(page.locator("#login-notice").get_by_role("link", name=words("state.open_row"))).to_be_visible()
    # In front of an audience, only what may name somebody is covered.
    expect(page.locator("#login-notice > [data-secret]")).to_have_count(0)
    expect(page.locator("session-over")).to_have_count(0)
    # After the next sign-in nothing is left of it.
    be_signed_in(page, new_identifier(), at="/network")
    for tab in tabs:
        expect(tab.locator("session-over")).to_be_hidden()


def test_what_another_tab_passes_on_late_ends_no_session(watched):
    first = watched.page("/network")
    expect_live(first)
    page = watched.page()
    # The first tab reads the stream for both.
    be_signed_in(page, new_identifier())
    expect_live(page)
    left = []
    watched.spoil()
    page.on("framenavigated", lambda frame: left.append(frame.url))
    state = watched.read("/api/state")
    late = state | {"session": {"state": "signed_out", "since": "2026-01-01T00:00:00Z"}}
    with page.expect_response("**/api/state"):
        first.evaluate(PASS_ON, [state["device_id"], late])
    # What the page asked for then is the truth.
    later = state | {"name": "Renamed"}
    first.evaluate(PASS_ON, [state["device_id"], later])
    expect(page.locator("[data-fact=device]")).to_have_text("Renamed")
    assert left == []


def test_pages_of_the_account_go_to_the_sign_in_which_says_why(visitor):
    tabs = [signed_in(visitor, "/settings")]
    for path in ("/profiles", "/cues", "/delete-account"):
        tabs.append(visitor.page(path))
        expect_live(tabs[-1])
    visitor.expect_answers(401, 409)
    end_session(visitor)
    for tab in tabs:
        tab.wait_for_url("**/login*")
        expect(tab.locator("#login-notice")).to_contain_text(BY_FAULT)


def test_an_answer_that_cannot_be_read_leads_to_its_row(visitor):
    page = signed_in(visitor, "/settings")
    visitor.expect_answers(502)
    visitor.call("POST", "/api/faults", {"match": {"endpoint": "me"}, "action": {"kind": "malformed_body"}})
    page.reload()
    error = page.locator("#settings-error")
    expect(error).to_contain_text(words("error.unexpected_payload"))
    error.get_by_role("link", name=words("state.open_row")).click()
    page.wait_for_url("**/network?row=*")
    expect(page.locator("network-detail")).to_contain_text("the body is not JSON")
    row = grid_row(page, "me").filter(has_text=words("row.undecodable")).first
    expect(row).to_have_attribute("data-tone", "bad")
    visitor.call("DELETE", "/api/faults")
    found = [one for one in rows(visitor, "?status=err") if one["endpoint"] == "me"]
    assert found and all(one["status"] == 200 and one["error_detail"] == "the body is not JSON" for one in found)
