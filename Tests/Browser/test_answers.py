"""Answers of the user's own: from a row to a rule, its dialog, its row, and its way back."""

import json
import re

import pytest
from catalogue import messages
from playwright.sync_api import expect
from steps import Clicks, be_signed_in, expect_live, grid_row, new_identifier, row_with_status, tab_to, wait_until
from test_accessibility import violations
from watched_context import WatchedContext

BODY = '{"error":{"code":"internal","message":"of my own"}}'


def open_row(visitor, text="/rpc/me", query=""):
    """Signs in and opens the network page; gives the page and the first row with that text."""
    page = visitor.page()
    be_signed_in(page, new_identifier(), at=f"/network{query}")
    row = grid_row(page, text).first
    expect(row).to_be_visible()
    return page, row


def open_dialog(visitor, text="/rpc/me"):
    """The dialog of a row's answer: (page, dialog)."""
    page, row = open_row(visitor, text)
    row.click()
    page.locator("#edit-answer").click()
    dialog = page.locator("dialog#answer")
    expect(dialog.locator("#answer-body")).to_be_focused()
    return page, dialog


def rules(visitor):
    """The rules of the device."""
    return visitor.read("/api/faults")["faults"]


def newest(visitor, endpoint="me"):
    """The newest row of an endpoint that no cache answered, whole."""
    rows = [row for row in visitor.read(f"/api/network?endpoint={endpoint}")["events"] if row["source"] != "cache"]
    return visitor.read(f"/api/network/{rows[-1]['id']}")


def test_a_500_with_a_body_of_ones_own_takes_four_clicks_of_the_mouse(watched):
    page, row = open_row(watched)
    clicks = Clicks()
    clicks.on(row)
    clicks.on(page.locator("#edit-answer"))
    dialog = page.locator("dialog#answer")
    body = dialog.locator("#answer-body")
    expect(body).to_be_focused()
    expect(body).to_have_value(re.compile("‹email:[0-9a-f]{8}›"))
    clicks.on(dialog.locator("[data-status='500']"))
    # The focus is still where one types.
    page.keyboard.press("Control+A")
    page.keyboard.type(BODY)
    clicks.on(dialog.locator("#save-answer"))
    assert clicks.count <= 4
    expect(dialog).to_have_count(0)
    expect(page.locator("#toast")).to_contain_text("Turned on: 500 GET /rpc/me")
    (rule,) = rules(watched)
    assert rule["match"] == {"method": "GET", "path": "/rpc/me"}
    assert (rule["action"]["kind"], rule["action"]["status"], rule["action"]["body"]) == ("answer", 500, BODY)
    # The client reads it as the backend's, and the row says who answered.
    watched.expect_answers(502)
    watched.page("/settings")
    expect(row_with_status(page, 500).first).to_be_visible()
    answered = newest(watched)
    assert (answered["status"], answered["source"], answered["fault_id"]) == (500, "fault", rule["id"])
    assert json.loads(answered["response"]["body"]) == json.loads(BODY)


def test_row_leads_to_its_rule_and_names_it_after_removal(visitor):
    page, dialog = open_dialog(visitor)
    dialog.locator("[data-status='204']").click()
    dialog.locator("#save-answer").click()
    visitor.expect_answers(502)
    page.locator("#toast-again").click()
    link = page.locator("network-detail [data-fault-link]")
    said = "Fault rule “204 GET /rpc/me” responded; no request was sent to the backend."
    expect(link).to_have_text(said)
    assert newest(visitor)["status"] == 204
    link.click()
    (rule,) = rules(visitor)
    line = page.locator(f"#faults [data-fault='{rule['id']}']")
    expect(line).to_be_focused()
    expect(line).to_contain_text("GET calls to /rpc/me: mocked with status 204.")
    expect(line).to_contain_text("1 hit")
    line.get_by_role("button", name="Remove").click()
    page.keyboard.press("Escape")
    page.locator("#close-detail").click()
    row_with_status(page, 204).first.click()
    expect(page.locator("network-detail .fault-link")).to_have_text(said)


@pytest.mark.long
def test_undo_removes_a_new_rule_and_restores_an_edited_one(visitor):
    page, dialog = open_dialog(visitor)
    dialog.locator("[data-status='404']").click()
    dialog.locator("#save-answer").click()
    page.locator("#toast-undo").click()
    expect(page.locator("#toast")).to_have_count(0)
    assert rules(visitor) == []
    page.locator("#edit-answer").click()
    dialog.locator("#save-answer").click()
    expect(page.locator("#toast-undo")).to_be_visible()
    (before,) = rules(visitor)
    page.keyboard.press("f")
    page.locator(f"#edit-{before['id']}").click()
    expect(dialog.locator("#answer-body")).to_have_value(before["action"]["body"])
    dialog.locator("[data-status='503']").click()
    dialog.locator("#answer-times").select_option("1")
    dialog.locator("#answer-latency").fill("30")
    dialog.locator("#save-answer").click()
    expect(page.locator("#faults [data-fault]")).to_contain_text("mocked with status 503. It takes 30 ms.")
    (edited,) = rules(visitor)
    assert (edited["id"], edited["action"]["status"], edited["when"]) == (before["id"], 503, {"count": 1})
    # The toast is pressed although the drawer is open.
    page.locator("#toast-undo").click()
    expect(page.locator("#faults [data-fault]")).to_contain_text("mocked with status 200.")
    (restored,) = rules(visitor)
    assert (restored["action"], restored["when"], restored["match"]) == (before["action"], before["when"], before["match"])


@pytest.mark.long
def test_a_rule_can_be_limited_to_the_query_and_the_body(visitor):
    page = visitor.page()
    be_signed_in(page, new_identifier(), at="/cues")
    expect(page.get_by_role("button", name="Move").first).to_be_visible()
    page.goto("/network")
    grid_row(page, "get_cues").first.click()
    page.locator("#edit-answer").click()
    dialog = page.locator("dialog#answer")
    expect(dialog.locator("#answer-request")).to_have_count(0)
    dialog.get_by_label("Only with the same query").check()
    dialog.locator("#save-answer").click()
    expect(dialog).to_have_count(0)
    (rule,) = rules(visitor)
    assert rule["match"]["query"].startswith("profile_id=") and "body" not in rule["match"]
    assert rule["match"]["query"] == newest(visitor, "get_cues")["url"].split("?")[1]


def test_what_is_wrong_stands_at_its_field_and_nothing_is_lost(visitor, tmp_path):
    page, dialog = open_dialog(visitor)
    body = dialog.locator("#answer-body")
    body.fill("{not JSON")
    expect(dialog.locator("#answer-body-hint")).to_contain_text("not valid JSON")
    dialog.locator("#answer-status").fill("99")
    dialog.locator("#save-answer").click()
    expect(dialog.locator("#answer-status")).to_be_focused()
    expect(dialog.locator("#answer-status-error")).to_have_text("Enter a whole number from 200 to 599.")
    dialog.locator("#answer-status").fill("200")
    expect(dialog.locator("#answer-status-error")).to_be_empty()
    dialog.locator("summary").first.click()
    headers = dialog.locator("#answer-headers")
    assert "content-length" not in headers.input_value().lower() and "‹" not in headers.input_value()
    headers.fill("X-Mine: yes\nContent-Length: 3")
    dialog.locator("#save-answer").click()
    expect(headers).to_be_focused()
    expect(dialog.locator("#answer-headers-error")).to_contain_text("Line 2")
    headers.fill("X-Mine: yes")
    # What the console alone refuses is told at its field too.
    visitor.expect_answers(409)
    body.fill('{"a":"‹token:00000000›"}')
    dialog.locator("#save-answer").click()
    expect(dialog.locator("#answer-body-error")).to_contain_text("no longer known")
    expect(body).to_be_focused()
    # Files: one that is not text, and one that is.
    for name, content, told in (("image.bin", b"\xff\xd8\xff", "not UTF-8"), ("large.json", b" " * 524_289, "512 KiB")):
        file = tmp_path / name
        file.write_bytes(content)
        with page.expect_file_chooser() as chosen:
            dialog.locator("#load-answer").click()
        chosen.value.set_files(file)
        expect(dialog.locator("#answer-body-error")).to_contain_text(told)
    file = tmp_path / "body.json"
    file.write_bytes('{"name":"é"}'.encode())
    with page.expect_file_chooser() as chosen:
        dialog.locator("#load-answer").click()
    chosen.value.set_files(file)
    expect(body).to_have_value('{"name":"é"}')
    dialog.locator("#save-answer").click()
    expect(dialog).to_have_count(0)
    (rule,) = rules(visitor)
    assert rule["action"] == {"kind": "answer", "status": 200, "headers": [["X-Mine", "yes"]], "body": '{"name":"é"}'}


def test_an_answer_is_written_from_scratch_without_a_mouse(visitor):
    page = visitor.page("/login")
    expect_live(page)
    page.locator("body").evaluate("() => document.activeElement?.blur()")
    page.keyboard.press("f")
    expect(page.locator("#new-answer")).to_be_visible()
    tab_to(page, "#new-answer")
    page.keyboard.press("Enter")
    dialog = page.locator("dialog#answer")
    expect(dialog.locator("#answer-path")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("/rpc/request_login_code")
    tab_to(page, "#answer-status")
    page.keyboard.type("429")
    tab_to(page, "#answer-method")
    page.keyboard.type("POST")
    page.keyboard.press("Shift+Tab")
    tab_to(page, "#save-answer")
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    (rule,) = rules(visitor)
    assert rule["match"] == {"method": "POST", "path": "/rpc/request_login_code"} and rule["action"]["status"] == 429
    # The sign-in page meets it.
    page.keyboard.press("Escape")
    visitor.expect_answers(429)
    page.locator("#identifier").fill(new_identifier())
    tab_to(page, "#send-code")
    with page.expect_response("**/api/login/code") as met:
        page.keyboard.press("Enter")
    assert met.value.status == 429
    assert newest(visitor, "request_login_code")["source"] == "fault"


@pytest.mark.parametrize(
    ("theme", "language"),
    [("light", "en"), *(pytest.param(*look, marks=pytest.mark.long) for look in (("dark", "ar"), ("light", "he"), ("dark", "ja")))],
)
def test_the_dialog_fits_every_width_and_takes_touch(browser, shared_console, theme, language):
    visitor = WatchedContext(
        browser, shared_console, color_scheme=theme, reduced_motion="reduce", has_touch=True, viewport={"width": 390, "height": 844}
    )
    page, row = open_row(visitor, query=f"?lang={language}")
    row.tap()
    page.locator("#edit-answer").tap()
    dialog = page.locator("dialog#answer")
    expect(dialog.locator("#answer-body")).to_be_visible()
    for summary in dialog.locator("summary").all():
        summary.tap()
    assert violations(page) == []
    for width in (390, 320, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        wait_until(page, "() => document.getAnimations().every((one) => one.playState !== 'running')")
        wide = dialog.evaluate("(element) => [element.scrollWidth, element.clientWidth]")
        assert wide[0] <= wide[1], f"the dialog overflows at {width} px: {wide}"
        expect(dialog.locator("#save-answer")).to_be_in_viewport(ratio=0.9)
    dialog.locator("[data-status='503']").tap()
    dialog.locator("#save-answer").tap()
    expect(page.locator("#toast")).to_contain_text("503 GET /rpc/me")
    assert messages(language)["answer.undo"] in page.locator("#toast").inner_text()
    page.locator("#toast-undo").tap()
    expect(page.locator("#toast")).to_have_count(0)
    visitor.close()


@pytest.mark.long
def test_the_form_keeps_what_it_has_no_fields_for(visitor):
    page = visitor.page("/network")
    expect_live(page)
    match = {"path": "/rpc/me", "query": "a=1", "body": "{}"}
    made = visitor.call("POST", "/api/faults", {"name": "Mine", "match": match, "action": {"kind": "offline"}})
    assert made.status == 201
    page.keyboard.press("f")
    page.get_by_role("button", name="Edit Mine").click()
    page.locator("#fault-method").select_option("GET")
    expect(page.locator("#fault-meaning")).to_have_text(
        "GET calls to /rpc/me: no network, nothing is sent. Only with the same query. Only with the same request body."
    )
    page.locator("#arm-fault").click()
    expect(page.locator("[data-fault]")).to_contain_text("GET calls to /rpc/me")
    assert rules(visitor)[0]["match"] == {**match, "method": "GET"}
