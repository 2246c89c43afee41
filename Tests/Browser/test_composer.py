"""The composer: headers, the answer in place, earlier requests, and a pasted curl command."""

import json

from playwright.sync_api import expect
from test_detail import open_log


def open_composer(page):
    """Opens the composer with the mouse and gives its dialog."""
    page.locator("#compose").click()
    expect(page.locator("#compose-path")).to_be_focused()
    return page.get_by_role("dialog")


def send(dialog):
    """Sends what is typed."""
    dialog.locator("[type=submit]").click()


def test_a_header_goes_out_and_the_answer_is_shown_in_place(watched):
    page = open_log(watched)
    dialog = open_composer(page)
    page.locator("#compose-path").fill("/rpc/me")
    page.locator("#add-header").click()
    page.keyboard.type("Accept-Language")
    page.keyboard.press("Tab")
    page.keyboard.type("ja")
    send(dialog)
    expect(page.locator("#compose-status")).to_contain_text("200")
    expect(page.locator("#compose-answer").get_by_role("tree")).to_contain_text("user_id")
    page.locator("#composed-row").click()
    page.wait_for_url("**row=*")
    row = watched.read(f"/api/network/{page.url.split('row=')[1].split('&')[0]}")
    assert ["accept-language", "ja"] in [[name.lower(), value] for name, value in row["request"]["headers"]]
    assert row["source"] == "composed" and "parent_id" not in row
    expect(page.locator("#detail-panel")).to_contain_text("composed")
    expect(page.locator("#detail-panel")).not_to_contain_text("replay")


def test_headers_of_the_app_are_refused_before_anything_is_sent(watched):
    page = open_log(watched)
    dialog = open_composer(page)
    before = watched.read("/api/network")["events"]
    for name, words in (("Authorization", "The app writes this header itself."), ("X Flag", "without spaces")):
        page.locator("#add-header").click()
        page.keyboard.type(name)
        send(dialog)
        expect(page.locator("#compose-headers-fault")).to_contain_text(words)
        expect(dialog.get_by_label("Name").last).to_be_focused()
        dialog.get_by_role("button", name="Remove header").last.click()
        expect(page.locator("#add-header")).to_be_focused()
        expect(page.locator("#compose-headers-fault")).to_be_empty()
    assert watched.read("/api/network")["events"] == before


def test_a_pasted_curl_command_fills_the_fields(watched):
    page = open_log(watched)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    dialog = open_composer(page)
    page.get_by_text("From cURL").click()
    command = "curl -u ann:hunter2 'https://api.test/rpc/shuffle_cues?x=1' \\\n  -H 'X-Flag: on' --json '{\"a\":1}' --compressed"
    page.evaluate("text => navigator.clipboard.writeText(text)", command)
    page.locator("#compose-curl").click()
    page.keyboard.press("Control+v")
    expect(page.locator("#compose-path")).to_have_value("/rpc/shuffle_cues")
    expect(page.locator("#compose-method")).to_have_value("POST")
    expect(page.locator("#compose-query")).to_have_value("x=1")
    expect(page.locator("#compose-body")).to_have_value('{"a":1}')
    expect(dialog.get_by_label("Name")).to_have_value("X-Flag")
    expect(dialog.get_by_label("Value")).to_have_value("on")
    note = page.locator("#compose-curl-note")
    expect(note).to_contain_text("https://api.test")
    expect(note).to_contain_text("-u, --compressed")
    expect(note).not_to_contain_text("hunter2")
    page.locator("#compose-curl").fill("wget https://api.test/")
    page.locator("#take-curl").click()
    expect(note).to_contain_text("not a complete curl command")
    expect(page.locator("#compose-path")).to_have_value("/rpc/shuffle_cues")


def test_an_earlier_request_can_be_sent_again_and_none_of_it_is_stored(watched):
    page = open_log(watched)
    dialog = open_composer(page)
    page.locator("#compose-path").fill("/rpc/get_cues")
    page.locator("#compose-query").fill("updated_since=canary-4711")
    page.locator("#add-header").click()
    page.keyboard.type("X-Flag")
    page.keyboard.press("Tab")
    page.keyboard.type("canary-0815")
    watched.expect_answers(400)
    send(dialog)
    expect(page.locator("#compose-status")).to_be_visible()
    kept = json.dumps(page.evaluate("[{ ...localStorage }, { ...sessionStorage }]"))
    assert "canary" not in kept and "understudy.composed" in kept
    page.reload()
    dialog = open_composer(page)
    page.get_by_text("Earlier requests").click()
    dialog.get_by_role("button", name="/rpc/get_cues").click()
    expect(page.locator("#compose-path")).to_have_value("/rpc/get_cues")
    expect(page.locator("#compose-query")).to_have_value("updated_since=canary-4711")
    # The value was masked before it was stored, so nobody has it any more.
    expect(dialog.get_by_label("Name")).to_have_value("X-Flag")
    expect(dialog.get_by_label("Value")).to_have_value("")
