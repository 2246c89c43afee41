"""Breaking calls on purpose: presets, rules, the banner, addresses that ask for a scenario."""

import re

import pytest
from catalogue import messages
from playwright.sync_api import expect
from steps import be_signed_in, expect_live, new_identifier, tab_to
from watched_context import WatchedContext


def words(key, language="en", **parameters):
    """A message of the catalogue, filled in."""
    return messages(language)[key].format(**parameters)


def open_faults(page):
    """Opens the faults by their key; gives them: beside the log on a wide page, else in a drawer."""
    page.keyboard.press("f")
    faults = page.locator("#faults")
    expect(faults.locator("#new-rule")).to_be_visible()
    return faults


def new_rule(faults):
    """Opens the form for a rule."""
    faults.locator("#new-rule").click()
    expect(faults.locator("#fault-kind")).to_be_focused()


def arm(page, preset):
    """Arms a preset as a tester does, and closes the drawer."""
    drawer = open_faults(page)
    drawer.locator(f"[data-preset='{preset}']").click()
    expect(drawer.locator(".fault-name").first).to_have_text(words(f"fault.preset.{preset}"))
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)


def signed_in(visitor, path):
    """Signs in and opens a page."""
    page = visitor.page()
    be_signed_in(page, new_identifier())
    if path != "/settings":
        page.goto(path)
    expect_live(page)
    return page


def rows(visitor, query=""):
    """The rows of the log."""
    return visitor.read(f"/api/network{query}")["events"]


def test_a_preset_is_armed_seen_on_every_page_and_disarmed(visitor):
    page = signed_in(visitor, "/network")
    visitor.expect_answers(503)
    arm(page, "backend-down")
    visitor.call("POST", "/api/faults", {"match": {"endpoint": "none"}, "action": {"kind": "answer", "status": 200, "body": "{}"}})
    banner = page.locator("armed-banner")
    expect(banner).to_contain_text("Fault rules on: ")
    for path in ("/settings", "/profiles", "/cues", "/inbox", "/network"):
        page.goto(path)
        expect(banner).to_contain_text("Fault rules on: ")
    page.locator("#disarm-all").click()
    expect(banner).to_be_hidden()
    # A response that somebody wrote is turned off, not lost.
    assert [(fault["action"]["kind"], fault["state"]) for fault in visitor.read("/api/faults")["faults"]] == [("answer", "off")]
    page.goto("/settings")
    expect(page.locator("#account-facts")).to_be_visible()
    expect(banner).to_have_count(0)


def test_a_rule_is_described_in_words_armed_and_counted(visitor):
    page = signed_in(visitor, "/network")
    drawer = open_faults(page)
    new_rule(drawer)
    page.locator("#fault-method").select_option("GET")
    page.locator("#fault-endpoint").fill("/rpc/me")
    page.locator("#fault-status").fill("403")
    drawer.locator("summary").click()
    page.locator("#fault-every").fill("2")
    page.locator("#fault-count").fill("3")
    expect(page.locator("#fault-meaning")).to_have_text(
        "GET calls to /rpc/me: the response has status 403. Only every second one is affected. It happens 3 times, then it stops."
    )
    met = len([row for row in rows(visitor) if row["path"] == "/rpc/me" and row["source"] != "cache"])
    asked = len([row for row in rows(visitor) if row["source"] != "cache"])
    expect(page.locator("#fault-matched")).to_have_text(f"Matches {met} of the last {asked} calls.")
    page.locator("#arm-fault").click()
    line = drawer.locator("[data-fault]")
    expect(line).to_contain_text("0 hits")
    expect(line).to_contain_text(re.compile(r"14:\d\d left"))
    page.keyboard.press("Escape")
    visitor.expect_answers(502)
    settings = visitor.page("/settings")
    expect(settings.locator("#account-facts")).to_be_visible()
    settings.reload()
    expect(settings.get_by_role("main")).to_contain_text(words("error.backend_error"))
    faulted = [row for row in rows(visitor) if row["source"] == "fault"]
    assert [row["status"] for row in faulted] == [403]
    expect(open_faults(page).locator("[data-fault]")).to_contain_text("1 hit")


@pytest.mark.long
def test_what_is_wrong_stands_at_its_field(visitor):
    page = visitor.page("/network")
    expect_live(page)
    drawer = open_faults(page)
    new_rule(drawer)
    page.locator("#fault-status").fill("1000")
    expect(page.locator("#fault-status-error")).to_have_text("Enter a whole number from 300 to 599.")
    page.locator("#arm-fault").click()
    expect(page.locator("#fault-status")).to_be_focused()
    page.locator("#fault-status").fill("")
    page.locator("#fault-endpoint").fill("<img src=x>")
    expect(page.locator("#fault-endpoint-error")).to_contain_text("letters, digits")
    page.locator("#fault-endpoint").fill("")
    page.locator("#fault-kind").select_option("latency")
    page.locator("#arm-fault").click()
    expect(page.locator("#fault-latency_ms")).to_be_focused()
    expect(page.locator("#fault-status")).to_be_hidden()
    # What the console alone refuses is told too, and nothing is lost.
    visitor.expect_answers(400)
    page.locator("#fault-latency_ms").fill("5")
    drawer.locator("summary").click()
    page.locator("#fault-name").fill("a\u202eb")
    page.locator("#arm-fault").click()
    expect(page.locator("#fault-problem")).to_have_text(words("error.invalid_request"))
    expect(page.locator("#fault-latency_ms")).to_have_value("5")
    assert visitor.read("/api/faults")["faults"] == []


@pytest.mark.long
def test_rules_are_switched_moved_changed_and_removed(visitor):
    page = visitor.page("/network")
    expect_live(page)
    drawer = open_faults(page)
    for preset in ("airplane", "slow-backend"):
        drawer.locator(f"[data-preset='{preset}']").click()
        expect(drawer.locator("[data-fault]").last).to_contain_text(words(f"fault.preset.{preset}"))
    names = drawer.locator(".fault-name")
    drawer.get_by_role("button", name="Move Slow backend 3 s up").click()
    expect(names).to_have_text(["Slow backend 3 s", "Airplane"])
    drawer.get_by_role("switch", name="Airplane").click()
    expect(drawer.locator("[data-fault]").last).to_contain_text("off")
    expect(page.locator("armed-banner")).to_contain_text("Fault rules on: ")
    drawer.get_by_role("button", name="Edit Slow backend 3 s").click()
    page.locator("#fault-latency_ms").fill("7")
    page.locator("#arm-fault").click()
    expect(drawer.locator("[data-fault]").first).to_contain_text("All calls: sent 7 ms late.")
    drawer.get_by_role("button", name="Remove Airplane").click()
    expect(names).to_have_text(["Slow backend 3 s"])
    drawer.locator("#clear-faults").click()
    expect(drawer).to_contain_text("No faults turned on")
    expect(page.locator("armed-banner")).to_be_hidden()


@pytest.mark.long
def test_another_tab_sees_what_is_armed_and_what_it_hits(visitor):
    page = signed_in(visitor, "/network")
    other = visitor.page("/profiles")
    drawer = open_faults(page)
    drawer.locator("[data-preset='token-expires']").click()
    expect(other.locator("armed-banner")).to_contain_text("Fault rules on: ")
    other.reload()
    expect(drawer.locator("[data-fault]")).to_contain_text("used up")
    expect(drawer.locator("[data-fault]")).to_contain_text("1 hit")
    expect(other.locator("armed-banner")).to_be_hidden()


def test_an_address_asks_before_it_changes_anything(visitor):
    page = visitor.page("/network?scenario=rate-limited")
    dialog = page.locator("dialog#scenario")
    expect(dialog).to_contain_text("Rate limited 30 s")
    expect(dialog).to_contain_text("All calls: the response has status 429 and a wait of 30 s.")
    expect(page.locator("#arm-scenario")).to_be_focused()
    assert visitor.read("/api/faults")["faults"] == []
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert "scenario" not in page.url
    page.reload()
    expect_live(page)
    assert visitor.read("/api/state")["faults"]["armed"] == 0
    page.goto("/network?scenario=rate-limited")
    page.locator("#arm-scenario").click()
    expect(page.locator("armed-banner")).to_contain_text("Fault rules on: ")
    assert [fault["preset"] for fault in visitor.read("/api/faults")["faults"]] == ["rate-limited"]
    page.goto("/network?scenario=<b>none</b>")
    expect(dialog).to_contain_text("There is no preset “<b>none</b>”.")
    expect(page.locator("#arm-scenario")).to_have_count(0)


@pytest.mark.long
def test_the_palette_arms_a_preset_and_the_whole_takes_no_mouse(visitor):
    page = visitor.page("/login")
    expect_live(page)
    page.locator("body").evaluate("() => document.activeElement?.blur()")
    page.keyboard.press("Control+k")
    expect(page.locator("#palette")).to_be_visible()
    page.keyboard.type("turn on fault rule: airplane")
    page.keyboard.press("Enter")
    expect(page.locator("armed-banner")).to_contain_text("Fault rules on: ")
    expect(page.locator("dialog[open]")).to_have_count(0)
    # The focus is back in the field, where a letter is a letter.
    page.locator("body").evaluate("() => document.activeElement?.blur()")
    page.keyboard.press("f")
    expect(page.locator("#new-rule")).to_be_visible()
    tab_to(page, "[data-fault] [role=switch]")
    page.keyboard.press("Space")
    expect(page.locator("[data-fault]")).to_contain_text("off")
    tab_to(page, "#new-rule")
    page.keyboard.press("Enter")
    expect(page.locator("#fault-kind")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#new-rule")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    expect(page.locator("#new-rule")).to_be_visible()
    tab_to(page, "#clear-faults")
    page.keyboard.press("Enter")
    expect(page.locator("[data-fault]")).to_have_count(0)
    assert visitor.read("/api/faults")["faults"] == []


def test_the_drawer_says_when_the_console_is_not_answering(browser, console):
    watched = WatchedContext(browser, console, reduced_motion="reduce")
    page = watched.page("/network")
    expect_live(page)
    watched.expect_lost_connection()
    watched.expect_failed_requests("/api/")
    watched.expect_failed_requests("/assets/")
    open_faults(page)
    page.route(re.compile(r"/api/faults"), lambda route: route.abort("connectionrefused"))
    page.locator("[data-preset='airplane']").click()
    expect(page.locator("fault-panel .notice").first).to_contain_text(words("error.unreachable"))
    expect(page.locator("fault-panel [data-view=error]")).to_contain_text(words("error.unreachable"))
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("fault-panel")).to_contain_text("No faults turned on")
    watched.close()


@pytest.mark.long
def test_the_key_opens_the_drawer_again_in_the_moment_in_which_it_closes(visitor):
    page = visitor.page("/login")
    expect_live(page)
    page.locator("body").evaluate("() => document.activeElement?.blur()")
    page.keyboard.press("f")
    expect(page.locator("#new-rule")).to_be_visible()
    new_rule(page.locator("#faults"))
    # The dialog is still in the document, and the focus in it, until its `close` event has come.
    page.evaluate("""() => {
      document.getElementById("faults").close();
      document.getElementById("fault-kind").dispatchEvent(new KeyboardEvent("keydown", { key: "f", bubbles: true, cancelable: true }));
    }""")
    expect(page.locator("#faults[open]")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#faults")).to_have_count(0)
