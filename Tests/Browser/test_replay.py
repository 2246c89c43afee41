"""Sending a row again, changed or as it was, and requests of one's own."""

import re

from moments import until
import pytest
from playwright.sync_api import expect
from steps import be_signed_in, grid_row, new_identifier


def open_row(watched, endpoint):
    """The network page with the newest row of an endpoint open: (page, the row)."""
    page = watched.page()
    be_signed_in(page, new_identifier(), at="/network")
    expect(grid_row(page, "/rpc/me").first).to_be_visible()
    row = watched.read(f"/api/network?endpoint={endpoint}")["events"][-1]
    return page, show_row(watched, page, row["id"])


def show_row(watched, page, row_id):
    """Opens a row with its actions."""
    page.goto(f"/network?row={row_id}")
    expect(page.locator("#detail-title")).not_to_be_empty()
    expect(page.locator("#replay-row")).to_be_visible()
    return watched.read(f"/api/network/{row_id}")


def composed(page):
    """Sends what the composer has, and opens the row of the answer."""
    page.get_by_role("dialog").locator("[type=submit]").click()
    expect(page.locator("#compose-status")).to_be_visible()
    page.locator("#composed-row").click()
    expect(page.get_by_role("dialog")).to_have_count(0)


def ended(watched, page, parent):
    """The row that a row was sent again as, once it has ended."""
    page.wait_for_url(lambda url: "row=" in url and parent not in url)
    row_id = page.url.split("row=")[1].split("&")[0]
    row = watched.read(f"/api/network/{row_id}")

    def has_ended():
        row.update(watched.read(f"/api/network/{row_id}"))
        return row["state"] not in ("pending", "waiting")

    until(has_ended, lambda: row)
    return row


def test_a_safe_row_is_sent_again_at_once(watched):
    page, original = open_row(watched, "me")
    page.locator("#pause-log").click()
    page.locator("#replay-row").click()
    row = ended(watched, page, original["id"])
    assert (row["source"], row["parent_id"], row["status"]) == ("replay", original["id"], 200)
    # It is the active row of the list, also of one that was paused, and no news.
    expect(page.locator(f"[data-row='{row['id']}'][data-active]")).to_be_in_viewport()
    expect(page.locator("#new-rows")).to_be_hidden()


def test_call_that_is_never_sent_again_says_so_at_once(watched):
    page, _ = open_row(watched, "me")
    paths = watched.read("/api/state")["never_sent_again"]
    row = next(one for one in watched.read("/api/network")["events"] if one["path"] in paths)
    show_row(watched, page, row["id"])
    expect(page.locator("#replay-row")).to_have_attribute("aria-disabled", "true")
    expect(page.locator("#edit-row")).to_have_attribute("aria-disabled", "true")
    expect(page.locator("#never-again")).to_have_text("Sign-in, refresh and sign-out calls cannot be sent again.")
    page.locator(f"[data-row='{row['id']}']").click(button="right")
    item = page.locator("[data-item=again]")
    expect(item).to_have_attribute("aria-disabled", "true")
    expect(item).to_contain_text("cannot be sent again")


def test_a_row_that_may_change_something_is_confirmed_first(watched):
    page, _ = open_row(watched, "me")
    assert watched.call("POST", "/api/cues/shuffle", {}).ok
    original = watched.read("/api/network?endpoint=shuffle_cues")["events"][-1]
    show_row(watched, page, original["id"])
    page.locator("#replay-row").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("POST /rpc/shuffle_cues")
    page.keyboard.press("Escape")
    assert len(watched.read("/api/network?endpoint=shuffle_cues")["events"]) == 1
    page.locator("#replay-row").click()
    page.locator("#confirm-replay").click()
    row = ended(watched, page, original["id"])
    assert row["parent_id"] == original["id"] and row["status"] == 200


def test_a_row_is_changed_and_sent_again(watched):
    page, original = open_row(watched, "me")
    page.locator("#edit-row").click()
    path = page.locator("#compose-path")
    expect(path).to_be_focused()
    expect(path).to_have_value("/rpc/me")
    path.fill("//elsewhere.example/")
    page.keyboard.press("Enter")
    expect(page.locator("#compose-path-fault")).not_to_be_empty()
    expect(path).to_be_focused()
    path.fill("/rpc/app_config")
    composed(page)
    row = ended(watched, page, original["id"])
    assert row["path"] == "/rpc/app_config" and row["parent_id"] == original["id"]


def test_a_login_is_not_sent_again(watched):
    watched.expect_answers(403)
    page, row = open_row(watched, "login_with_code")
    for control in ("#replay-row", "#edit-row"):
        expect(page.locator(control)).to_have_attribute("aria-disabled", "true")
        expect(page.locator(control)).to_have_accessible_description(re.compile(r"\w+ \w+"))
    answer = watched.call("POST", f"/api/network/{row['id']}/replay", {"body": "{}", "confirm": True})
    assert answer.status == 403


@pytest.mark.long
def test_a_request_of_ones_own_is_composed_with_the_keyboard(watched):
    page, original = open_row(watched, "me")
    page.locator("#compose").focus()
    page.keyboard.press("Enter")
    page.locator("#compose-method").select_option("POST")
    page.locator("#compose-path").fill("/rpc/shuffle_cues")
    page.locator("#compose-body").fill("{not json")
    expect(page.locator("#compose-body-note")).not_to_be_empty()
    page.locator("#compose-path").press("Enter")
    expect(page.locator("#compose-confirm-fault")).not_to_be_empty()
    page.locator("#compose-confirm").check()
    page.locator("#compose-path").press("Enter")
    expect(page.locator("#compose-status")).to_contain_text("400")
    page.locator("#composed-row").press("Enter")
    row = ended(watched, page, original["id"])
    assert (row["method"], row["path"], row["source"]) == ("POST", "/rpc/shuffle_cues", "composed")
    assert row["status"] == 400


@pytest.mark.long
def test_a_row_is_copied_as_text_without_its_secrets(watched):
    page, _ = open_row(watched, "me")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for kind, wanted in (("curl", '"$ACCESS_TOKEN"'), ("swift", "URLSession.shared"), ("markdown", "### `GET /rpc/me`")):
        page.locator("#copy-row").click()
        page.locator(f'[data-item="{kind}"]').click()
        expect(page.locator("#copy-row")).to_have_attribute("data-copied", "true")
        # The sign of the copy before may still show.
        copied = lambda wanted=wanted: next((text for text in [page.evaluate("navigator.clipboard.readText()")] if wanted in text), None)  # noqa: E731
        text = until(copied, f"{wanted} is not copied")
