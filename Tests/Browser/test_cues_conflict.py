"""Two devices move the same cue: the later move is put on top of the other's, and what cannot be settled is asked about."""

import sqlite3

from console_team import start_console
from moments import until
import pytest
from playwright.sync_api import expect
from steps import be_signed_in, expect_live, expect_signed_in, new_identifier, tab_to
from watched_context import WatchedContext


def newest_code(inbox, identifier):
    """The code of the latest message to that identifier."""
    messages = [one for one in inbox.read("/api/inbox?all=1&wait=10")["messages"] if one["to"] == identifier]
    return max(messages, key=lambda one: one["delivered_at"])["code"]


def away_with_a_move(browser, staging, tmp_path):
    """A device whose move waits for a backend that is away, and another device of the same account: (console, watched, page, cue)."""
    other, relay, flags = staging
    console = start_console(tmp_path / "console", arguments=flags)
    watched = WatchedContext(browser, console)
    page, identifier = watched.page("/login"), new_identifier()
    expect_live(page)
    page.locator("#identifier").fill(identifier)
    page.locator("#send-code").click()
    expect(page.locator("#code")).to_be_visible()
    page.locator("#code").fill(newest_code(other, identifier))
    expect_signed_in(page, identifier)
    other.call("POST", "/api/login/code", {"identifier": identifier})
    signed_in = other.call("POST", "/api/login/code/verify", {"identifier": identifier, "code": newest_code(other, identifier)})
    assert signed_in.ok, signed_in.text()
    page.goto("/cues")
    expect(page.locator("[data-stage=new] .cue").first).to_be_visible()
    relay.stop()
    watched.expect_answers(409, 502, 503, 504)
    card = page.locator("[data-stage=new] .cue").first
    cue = card.get_attribute("data-cue")
    card.focus()
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator(f"[data-stage=learning] [data-cue='{cue}']")).to_contain_text("Not sent yet")
    # The move is kept, and nobody waits for what becomes of it.
    expect(page.locator("#cues-result")).to_have_attribute("data-tone", "info")
    return console, watched, page, cue


def test_a_kept_move_is_put_on_top_of_what_another_device_did(browser, staging, tmp_path):
    other, relay, _ = staging
    console, watched, page, cue = away_with_a_move(browser, staging, tmp_path)
    other.read("/api/cues")
    moved = other.call("POST", f"/api/cues/{cue}/stage", {"stage": "mastered"})
    assert moved.ok, moved.text()
    relay.start()
    card = page.locator(f"[data-cue='{cue}']")
    expect(card.locator(".badge")).to_have_count(0, timeout=40_000)
    expect(page.locator(f"[data-stage=learning] [data-cue='{cue}']")).to_have_count(1)
    sent = [row["status"] for row in watched.read("/api/network")["events"] if row["endpoint"] == "update_cue_stage" and row.get("status")]
    assert sent[-2:] == [409, 200], sent
    watched.close()
    assert console.stop() == 0, console.logs[-2000:]


def test_a_move_of_a_cue_that_is_gone_is_given_up_and_said(browser, staging, tmp_path):
    _, relay, _ = staging
    console, watched, page, cue = away_with_a_move(browser, staging, tmp_path)
    watched.expect_answers(404)
    with sqlite3.connect(tmp_path / "staging" / "backend" / "backend.sqlite", timeout=10) as backend:
        assert backend.execute("DELETE FROM cue WHERE cue_id = ?", (cue,)).rowcount == 1
    backend.close()
    relay.start()
    expect(page.locator("#cues-result")).to_contain_text("rejected the move", timeout=40_000)
    expect(page.locator("#cues-result")).to_have_attribute("data-tone", "bad")
    expect(page.locator(f"[data-cue='{cue}']")).to_have_count(0)
    expect(page.locator("#cues-pending")).to_be_hidden()
    watched.close()
    assert console.stop() == 0, console.logs[-2000:]


@pytest.mark.long
def test_a_conflict_is_settled_by_keyboard(visitor):
    page = visitor.page()
    be_signed_in(page, new_identifier(), at="/cues")
    expect(page.locator(".cue").first).to_be_visible()
    deck = visitor.read("/api/cues")
    cue = deck["cues"][0]
    asked = {**cue, "stage": "review", "pending": True, "conflict": {"stage": "mastered", "updated_at": cue["updated_at"]}}
    conflicting = {**deck, "cues": [asked, *deck["cues"][1:]]}
    settled = []
    # Whenever the page reads the list again, the conflict is in it until the answer is sent.
    page.route("**/api/cues", lambda route: route.continue_() if settled else route.fulfill(json=conflicting))
    page.route(f"**/api/cues/{cue['cue_id']}/stage", lambda route: (settled.append(1), route.continue_()))
    page.reload()
    card = page.locator(f"[data-stage=review] [data-cue='{cue['cue_id']}']")
    expect(card).to_contain_text("Changed elsewhere")
    expect(card).to_contain_text("On the backend")
    expect(card.locator(".badge")).to_have_count(1)
    card.focus()
    tab_to(page, f"[data-cue='{cue['cue_id']}'] .cue-conflict button >> nth=0")
    page.keyboard.press("Enter")
    expect(card.locator(".cue-conflict")).to_have_count(0)
    expect(card).to_be_focused()
    # The page shows the choice before the console has heard of it.
    until(
        lambda: [one["stage"] for one in visitor.read("/api/cues")["cues"] if one["cue_id"] == cue["cue_id"]] == ["review"],
        "the cue is not moved")
