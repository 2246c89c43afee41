"""What each preset leaves behind that the pages do not put into words of an error: those are in test_codes.py."""

import pytest
from playwright.sync_api import expect
from steps import be_signed_in, grid_row, new_identifier
from test_faults import arm, rows, signed_in, words

pytestmark = pytest.mark.long


def test_train_wifi_marks_what_it_touched(visitor):
    page = signed_in(visitor, "/network")
    visitor.expect_answers(502, 503, 504)
    arm(page, "train-wifi")
    for _ in range(6):
        visitor.call("POST", "/api/session/refresh", {})
    faults = {fault["id"]: fault for fault in visitor.read("/api/faults")["faults"]}
    touched = [row for row in rows(visitor) if row.get("fault_id")]
    assert len(faults) == 3 and touched
    assert {row["fault_id"] for row in touched} <= set(faults)
    expect(grid_row(page, "refresh_tokens").first).to_be_visible()


def test_a_token_that_expires_mid_flow_is_not_noticed(visitor):
    page = signed_in(visitor, "/settings")
    arm(page, "token-expires")
    page.reload()
    expect(page.locator("#account-facts")).to_be_visible()
    assert len([row for row in rows(visitor) if row["endpoint"] == "refresh_tokens"]) == 1
    entries = visitor.read("/api/timeline")["entries"]
    assert [entry["reason"] for entry in entries if entry["kind"] == "fault" and entry.get("row_id")] == ["ErrAccessTokenExpired"]


@pytest.mark.parametrize("preset", ["refresh-revoked", "device-unregistered"])
def test_a_session_that_a_fault_ends_is_told_on_the_sign_in_page(visitor, preset):
    page = signed_in(visitor, "/settings")
    visitor.expect_answers(401, 409)
    arm(page, preset)
    page.reload()
    page.wait_for_url("**/login*")
    notice = page.locator("#login-notice")
    expect(notice).to_contain_text(words("reason.by_fault", name=words(f"fault.preset.{preset}")))
    notice.get_by_role("link", name=words("state.open_row")).click()
    page.wait_for_url("**/network?row=*")
    expect(page.locator("network-detail .fault-link")).to_have_text(
        words("detail.fault.responded", name=words(f"fault.preset.{preset}")))
    page.goto("/login")
    be_signed_in(page, new_identifier())


def test_a_slow_backend_is_waited_for(visitor):
    page = signed_in(visitor, "/settings")
    arm(page, "slow-backend")
    page.locator("#refresh-session").click()
    expect(page.locator("#session-result")).to_have_attribute("data-tone", "ok")
    row = rows(visitor, "?endpoint=refresh_tokens")[-1]
    assert row["duration_ms"] >= 3000 and row["source"] == "network" and row["fault_id"]


def test_a_wrong_clock_is_corrected_by_the_real_backend(visitor):
    page = signed_in(visitor, "/settings")
    arm(page, "clock-ahead")
    page.locator("#refresh-session").click()
    expect(page.locator("#session-result")).to_have_attribute("data-tone", "ok")
    assert [row.get("error") for row in rows(visitor, "?endpoint=refresh_tokens")] == ["invalid_signature", None]


def test_a_lost_answer_of_a_refresh_keeps_the_session(visitor):
    page = signed_in(visitor, "/settings")
    visitor.call("POST", "/api/faults", {"match": {"endpoint": "refresh_tokens"}, "when": {"count": 1}, "action": {"kind": "reset"}})
    page.locator("#refresh-session").click()
    expect(page.locator("#session-result")).to_have_attribute("data-tone", "ok")
    assert [row.get("error") for row in rows(visitor, "?endpoint=refresh_tokens")] == ["connection_lost", None]
