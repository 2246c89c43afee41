"""The details of a row: what failed and why, what can be copied, how long it took, and the way back."""

import json
import re

from catalogue import messages
import pytest
from playwright.sync_api import expect
from steps import BEFORE_SIGNED_IN, be_signed_in, grid_row, new_identifier, wait_until

words = messages().__getitem__


def open_log(watched, **size):
    """The network page of a device on which somebody has signed in."""
    page = watched.page()
    if size:
        page.set_viewport_size(size)
    be_signed_in(page, new_identifier(), at="/network")
    expect(grid_row(page, "/rpc/me").first).to_be_visible()
    return page


def test_a_failed_row_says_once_and_in_words_why(watched):
    page = open_log(watched)
    rule = {"name": "Tunnel", "match": {"endpoint": "me"}, "when": {"count": 1}, "action": {"kind": "offline"}}
    assert watched.call("POST", "/api/faults", rule).ok
    watched.call("GET", "/api/account")
    row = next(one for one in watched.read("/api/network")["events"] if one.get("error") == "offline")
    assert row["error_detail"] == "the device has no network connection"
    page.goto(f"/network?row={row['id']}")
    story = page.locator(".detail-story")
    expect(story).to_contain_text("Nothing was sent to the backend.")
    expect(page.get_by_text("Nothing was sent to the backend.")).to_have_count(1)
    expect(page.locator("network-detail")).not_to_contain_text("(kind:")
    for tab in page.get_by_role("tab").all():
        tab.click()
        expect(story).to_be_visible()
        assert story.bounding_box()["y"] < tab.bounding_box()["y"]
    story.get_by_role("button", name=re.compile("Tunnel")).click()
    expect(page.locator("#faults")).to_contain_text("Tunnel")


@pytest.mark.long
def test_every_copy_answers_on_its_button(watched):
    page = open_log(watched)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    grid_row(page, "/rpc/app_config").first.click()
    button = page.locator("#copy-row")
    for kind, wanted in (("url", "https://"), ("har", '"entries"'), ("response_headers", "Content-Type: "), ("response_body", "{")):
        button.click()
        page.locator(f'[data-item="{kind}"]').click()
        expect(button).to_have_text("Copied")
        expect(button.locator("use")).to_have_attribute("href", "/assets/icons/sprite.svg#check")
        assert wanted in page.evaluate("navigator.clipboard.readText()")
        expect(button).to_have_text("Copy")


def test_the_menu_follows_the_keyboard_and_gives_the_focus_back(watched):
    page = open_log(watched)
    grid_row(page, "/rpc/me").first.click()
    page.locator("#copy-row").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator('[data-item="url"]')).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("menuitem").last).to_be_focused()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("menuitem").nth(1)).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#copy-row")).to_be_focused()
    expect(page.get_by_role("menu")).to_have_count(0)
    expect(page.locator("network-detail")).to_be_visible()
    page.keyboard.press("Enter")
    page.mouse.click(400, 500)
    expect(page.get_by_role("menu")).to_have_count(0)


@pytest.mark.long
def test_phases_add_up_and_a_reused_connection_has_no_handshake(watched):
    page = open_log(watched)
    rows = [watched.read(f"/api/network/{one['id']}") for one in watched.read("/api/network")["events"]]
    seen = set()
    for row in rows:
        timings = row["timings"]
        if "wait_ms" not in timings:
            continue
        is_reused = "tls_ms" not in timings
        seen.add(is_reused)
        page.goto(f"/network?row={row['id']}")
        page.locator("#tab-timing").click()
        expect(page.locator(".timing tfoot")).to_be_visible()
        *parts, total = [float(text.split()[0].replace(",", "")) for text in page.locator(".timing td.nums").all_inner_texts()]
        assert round(sum(parts), 1) == total, (parts, total)
        panel = page.locator("#detail-panel")
        if is_reused:
            expect(panel).to_contain_text("Connection reused")
            expect(panel.get_by_role("rowheader", name="TLS")).to_have_count(0)
        else:
            expect(panel.get_by_role("rowheader", name="TLS")).to_have_count(1)
        expect(panel).not_to_contain_text("unknown")
    # A device keeps its connection; the first call may have found it open already.
    assert True in seen


def test_the_answer_of_a_login_is_there_without_its_secrets(watched):
    page = open_log(watched)
    grid_row(page, "login_with_code").first.click()
    page.locator("#tab-response").click()
    expect(page.get_by_role("tree")).to_contain_text("refresh_token")
    expect(page.get_by_role("tree")).to_contain_text("‹token:")
    row = next(one for one in watched.read("/api/network")["events"] if one["endpoint"] == "login_with_code")
    body = json.loads(watched.read(f"/api/network/{row['id']}")["response"]["body"])
    assert body["expires_in"] > 0 and body["token_type"] == "Bearer"
    for name in ("access_token", "refresh_token", "session_id"):
        assert re.fullmatch(r"‹[a-z]+:[0-9a-f]{8}›", body[name]), name


@pytest.mark.parametrize("width", [390, 1440])
def test_back_closes_details_and_forward_opens_them_again(watched, width):
    page = open_log(watched, width=width, height=844)
    detail, row = page.locator("network-detail"), grid_row(page, "/rpc/app_config").first
    row.click()
    expect(page.locator("#detail-title")).to_contain_text("/rpc/app_config")
    expect(row).to_be_visible(visible=width > 1000)
    if width > 1000:
        page.locator("#filter").fill("app_config")
    page.go_back()
    expect(detail).to_be_hidden()
    expect(row).to_be_visible()
    page.wait_for_url(lambda url: "row=" not in url and ("q=app_config" in url) == (width > 1000))
    page.go_forward()
    expect(page.locator("#detail-title")).to_contain_text("/rpc/app_config")
    page.reload()
    expect(page.locator("#detail-title")).to_contain_text("/rpc/app_config")
    page.go_back()
    expect(detail).to_be_hidden()
    expect(row).to_be_visible()
    # Closed by hand, they leave no place behind that Back would have to pass; one opened at once is a place again.
    row.click()
    page.evaluate("""() => {
      document.querySelector("#close-detail").click();
      document.querySelector("network-grid [data-row]").click();
    }""")
    wait_until(page, "() => history.state?.detail && location.search.includes('row=')")
    expect(detail).to_be_visible()
    page.locator("#close-detail").click()
    expect(detail).to_be_hidden()
    expect(row).to_be_visible()
    page.go_back()
    page.wait_for_url(BEFORE_SIGNED_IN)


def mocked(watched, body, query):
    """Sends a request that a fault rule answers with this body; the id of its row."""
    rule = {"name": "Mock", "match": {"endpoint": "me"}, "when": {"count": 1}, "action": {"kind": "answer", "status": 200, "body": body}}
    assert watched.call("POST", "/api/faults", rule).ok
    return watched.call("POST", "/api/network/requests", {"method": "GET", "path": "/rpc/me", "query": query, "auth": True}).json()["id"]


def test_a_body_and_a_query_are_read_as_characters_or_as_they_were_sent(watched):
    page = open_log(watched)
    body = r'{"name":"\u05e9\u05dc","list":[{"deep":{"er":[1]}}]}'
    query = "tag=red&tag=a+b%2Bc"
    long = json.dumps({"data": {"name": "a", "list": [*range(20)]}})
    page.goto(f"/network?row={mocked(watched, long, query)}")
    page.locator("#tab-response").click()
    # A long body is open where it has few lines.
    expect(page.get_by_role("treeitem")).to_have_count(4)
    page.goto(f"/network?row={mocked(watched, body, query)}")
    page.locator("#tab-request").click()
    panel = page.locator("#detail-panel")
    expect(panel.locator("table").first.locator("tr")).to_have_text(["tagred", "taga b+c"])
    raw = panel.get_by_role("button", name=words("detail.raw"))
    raw.click()
    expect(panel.locator("pre")).to_have_text(query)
    page.locator("#tab-response").click()
    # A short body is open down to its leaves.
    expect(panel.get_by_role("treeitem").last).to_have_text("0: 1")
    expect(panel.get_by_role("tree")).to_contain_text("של")
    raw.click()
    expect(panel.locator("pre")).to_have_text(body)
    expect(raw).to_have_attribute("aria-pressed", "true")
    raw.click()
    expect(panel.get_by_role("tree")).to_be_visible()


def test_the_overview_names_the_connection_and_what_sent_the_row(watched):
    page = open_log(watched)
    rule = {"name": "Expired", "match": {"endpoint": "me"}, "when": {"count": 1}, "action": {"kind": "expire_access_token"}}
    assert watched.call("POST", "/api/faults", rule).ok
    watched.call("GET", "/api/account")
    refresh = watched.read("/api/network?endpoint=refresh_tokens")["events"][-1]
    page.goto(f"/network?row={refresh['id']}")
    panel = page.locator("#detail-panel")
    connection = watched.read(f"/api/network/{refresh['id']}")["connection"]
    expect(panel).to_contain_text(f"{connection['http_version']}, {connection['server_address']}")
    panel.get_by_role("button", name=re.compile(r"GET .rpc.me #\d+ \(401\)")).click()
    expect(page.locator("#detail-title")).to_contain_text("/rpc/me")
