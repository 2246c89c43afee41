"""The faults beside the log: hits as they happen, presets as one thing, and a form whose button stays in sight."""

import re

import pytest
from playwright.sync_api import expect
from steps import expect_live, grid_row, new_identifier, row_with_status, wait_until
from test_accessibility import violations
from test_faults import new_rule, open_faults, signed_in
from test_grid import network


def test_the_faults_are_beside_the_log_and_hits_are_seen_as_they_happen(visitor):
    page = visitor.page("/network")
    expect_live(page)
    page.locator("#open-faults").click()
    dock = page.locator("section#faults")
    expect(dock.locator("[data-preset]").first).to_be_visible()
    expect(page.locator("dialog[open]")).to_have_count(0)
    # Both are worked with at once.
    dock.locator("[data-preset='backend-down']").click()
    expect(dock.locator("[data-preset='backend-down']")).to_have_attribute("aria-pressed", "true")
    expect(dock.locator("[data-fault]")).to_contain_text("0 hits")
    visitor.expect_answers(502, 503)
    visitor.call("POST", "/api/login/code", {"identifier": new_identifier()})
    expect(dock.locator("[data-fault]")).to_contain_text(re.compile(r"[1-9] hits?"))
    grid_row(page, "request_login_code").first.click()
    expect(page.locator("network-detail")).to_be_visible()
    expect(dock).to_be_visible()
    # The log, too: hits show while a row is open, in a window of 1280 pixels.
    expect(grid_row(page, "request_login_code").first).to_be_visible()
    # What is armed is disarmed by the same press.
    dock.locator("[data-preset='backend-down']").click()
    expect(dock.locator("[data-fault]")).to_have_count(0)
    dock.get_by_role("button", name="Close fault rules").click()
    expect(dock).to_have_count(0)
    expect(page.locator("#open-faults")).to_be_focused()


def test_the_line_of_a_fault_and_its_row_say_what_the_client_did(visitor):
    page = signed_in(visitor, "/network")
    page.locator("#open-faults").click()
    dock = page.locator("section#faults")
    action = {"kind": "rate_limit", "retry_after_seconds": 1}
    visitor.call("POST", "/api/faults", {"match": {"endpoint": "me"}, "when": {"count": 1}, "action": action})
    expect(dock.locator("[data-fault]")).to_contain_text("0 hits")
    expect(dock.locator(".fault-promises")).to_be_hidden()
    visitor.call("GET", "/api/account")
    said = dock.locator("[data-fault] [data-promise='retry_after']")
    expect(said).to_have_text(re.compile(r"^Asked to wait 1 sec, waited 1(\.\d)? sec ✓\(kept\)$"))
    expect(dock.get_by_role("list", name="What the client did")).to_be_visible()
    expect(dock.locator("[data-promise='attempt_limit']")).to_contain_text("Attempts: 2 of at most 3")
    row_with_status(page, 429).last.click()
    page.get_by_role("tab", name="Fault rules").click()
    expect(page.locator("network-detail [data-promise='retry_after']")).to_have_text(said.text_content())


@pytest.mark.parametrize("width", [1024, pytest.param(1200, marks=pytest.mark.long)])
def test_an_open_row_beside_the_faults_leaves_room_for_the_log(visitor, width):
    page = network(visitor)
    for _ in range(4):
        visitor.call("GET", "/api/account")
    page.set_viewport_size({"width": width, "height": 720})
    page.locator("#open-faults").click()
    expect(page.locator("section#faults [data-preset]").first).to_be_visible()
    # Others may come after it.
    last = page.locator("#network-grid [data-row]").last.get_attribute("data-row")
    row = page.locator(f"#network-grid [data-row='{last}']")
    row.click()
    expect(page.locator("network-detail")).to_be_visible()
    expect(row).to_be_in_viewport(ratio=0.9)
    wait_until(page, """async () => {
      const seen = await Promise.all([...document.querySelectorAll(".grid-window [role=row]")].map((row) => new Promise((tell) =>
        new IntersectionObserver(([entry], observer) => { observer.disconnect(); tell(entry.intersectionRatio > 0.9); }).observe(row))));
      return seen.filter(Boolean).length >= 4;
    }""")


def test_a_preset_of_several_rules_is_armed_and_disarmed_as_one(visitor):
    page = visitor.page("/network")
    expect_live(page)
    faults = open_faults(page)
    faults.locator("[data-preset='train-wifi']").click()
    expect(faults.locator(".fault-name")).to_have_text(["Train Wi-Fi"])
    expect(faults.locator("[data-fault]")).to_have_count(3)
    expect(faults.locator("[data-fault]").first).to_be_hidden()
    faults.locator("summary").filter(has_text="3 rules").click()
    expect(faults.locator("[data-fault]").first).to_contain_text("This affects 70 % of calls.")
    expect(page.locator("armed-banner")).to_contain_text("Fault rules on: Train Wi-Fi.")
    faults.get_by_role("switch", name="Train Wi-Fi").click()
    expect(page.locator("armed-banner")).to_be_hidden()
    assert {fault["state"] for fault in visitor.read("/api/faults")["faults"]} == {"off"}
    faults.get_by_role("switch", name="Train Wi-Fi").click()
    expect(page.locator("armed-banner")).to_be_visible()
    faults.locator("[data-preset='airplane']").click()
    faults.get_by_role("button", name="Move Airplane up").click()
    expect(faults.locator(".fault-name")).to_have_text(["Airplane", "Train Wi-Fi"])
    assert [fault["preset"] for fault in visitor.read("/api/faults")["faults"]] == ["airplane", *["train-wifi"] * 3]
    faults.get_by_role("button", name="Remove Train Wi-Fi").click()
    expect(faults.locator(".fault-name")).to_have_text(["Airplane"])
    assert len(visitor.read("/api/faults")["faults"]) == 1


def test_what_is_pressed_while_rules_are_moved_comes_afterwards(visitor):
    page = visitor.page("/network")
    expect_live(page)
    faults = open_faults(page)
    for name in ("airplane", "train-wifi"):
        faults.locator(f"[data-preset='{name}']").click()
    expect(faults.locator(".fault-name")).to_have_text(["Airplane", "Train Wi-Fi"])
    sent, held = [], []
    page.route("**/api/faults/*", lambda route: (sent.append(route.request.method), held.append(route)))
    page.route("**/api/faults/presets/*", lambda route: (sent.append(route.request.method), route.continue_()))
    with page.expect_request(lambda request: request.method == "PATCH"):
        faults.get_by_role("button", name="Move Train Wi-Fi up").click()
    faults.get_by_role("button", name="Remove Train Wi-Fi").click()
    page.unroute("**/api/faults/*")
    with page.expect_response(lambda response: response.request.method == "DELETE"):
        held[0].continue_()
    assert sent[:1] == ["PATCH"] and sent[-1] == "DELETE"
    expect(faults.locator(".fault-name")).to_have_text(["Airplane"])


@pytest.mark.parametrize("size", [pytest.param({"width": 1440, "height": 700}, marks=pytest.mark.long), {"width": 390, "height": 600}])
def test_the_button_that_arms_is_always_in_sight_and_only_fields_that_matter_are_shown(visitor, size):
    page = visitor.page("/network")
    page.set_viewport_size(size)
    expect_live(page)
    faults = open_faults(page)
    new_rule(faults)
    faults.locator("fault-form summary").click()
    assert violations(page) == []
    for field in ("#fault-kind", "#fault-name"):
        page.locator(field).scroll_into_view_if_needed()
        expect(page.locator("#arm-fault")).to_be_in_viewport(ratio=1)
        covered = page.locator(field).evaluate("(one) => one.getBoundingClientRect().bottom > document.querySelector('form .fault-foot').getBoundingClientRect().top")
        assert not covered, f"{field} is below the button"
    expect(page.locator("#fault-seed")).to_be_hidden()
    page.locator("#fault-probability").fill("50")
    expect(page.locator("#fault-seed")).to_be_visible()
    page.locator("#fault-kind").select_option("clock_skew")
    expect(page.locator("fault-form [data-field]:visible")).to_have_count(4)
    expect(page.locator("#fault-skew_seconds")).to_be_visible()
    page.locator("#cancel-fault").click()
    expect(page.locator("#new-rule")).to_be_focused()
