"""The cues board while the backend is away: what is moved is kept, marked, asked about, and sent once it is back."""

import re

from playwright.sync_api import expect
from steps import be_signed_in, expect_live, new_identifier


def test_moves_are_kept_while_the_backend_is_away_and_sent_afterwards(watched):
    page = watched.page()
    be_signed_in(page, new_identifier(), at="/cues")
    expect(page.locator(".cue").first).to_be_visible()

    assert watched.call("POST", "/api/faults/presets/airplane", {}).ok
    watched.expect_answers(502, 503, 504)
    # Cues that were fetched a moment ago are old as well once an update fails, also if its end is told before they come.
    held = []
    page.route("**/api/cues", lambda route: held.append(route))
    page.reload()
    expect_live(page)
    for route in held:
        route.continue_()
    page.unroute("**/api/cues")
    expect(page.locator("#cues-notice")).to_contain_text("cannot be reached")
    page.locator(".cue").first.focus()
    page.keyboard.press("Shift+ArrowRight")
    moved = page.locator("[data-stage=learning] .cue")
    expect(moved).to_contain_text("Not sent yet")
    expect(page.locator("#cues-pending")).to_contain_text("1 move waits")
    expect(page.locator("#cues-result")).to_contain_text("sent when the backend is back")
    page.locator("#shuffle").click()
    expect(page.locator("#cues-result")).to_contain_text("needs the backend")
    page.reload()
    expect(moved).to_contain_text("Not sent yet")
    # It says what happened, and how old the cues are.
    expect(page.locator("#cues-notice")).to_contain_text("cannot be reached")
    synced = watched.read("/api/cues")["synced_at"]
    clock = page.evaluate("(at) => new Date(at).toTimeString().slice(0, 8)", synced)
    expect(page.locator("#cues-notice")).to_contain_text(f"These are the cues as of {clock}.")

    # Signing out would lose the move, so it is asked about first.
    watched.expect_answers(409)
    page.goto("/settings")
    sign_out = page.locator("#confirm-sign-out")
    expect(page.locator("#sign-out")).to_be_visible()
    page.locator("#sign-out").click()
    sign_out.click()
    expect(page.locator("#sign-out-why")).to_have_text(re.compile("not been sent yet"))
    expect(sign_out).to_have_text("Discard and sign out")
    page.keyboard.press("Escape")

    assert watched.call("DELETE", "/api/faults").ok
    page.goto("/cues")
    expect(moved).to_have_count(1)
    expect(moved.locator(".badge")).to_have_count(0, timeout=40_000)
    expect(page.locator("#cues-pending")).to_be_hidden()
    expect(page.locator("#cues-notice")).to_be_hidden()
    assert [cue["stage"] for cue in watched.read("/api/cues")["cues"] if cue["stage"] != "new"] == ["learning"]
