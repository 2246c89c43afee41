"""The canary gate in the browser: what a session is made of is in no page that is not made to show it, nor in what a page keeps."""

import io
import json
import os
import zipfile

from console_team import is_team
from playwright.sync_api import expect
from steps import grid_row, new_identifier, sign_in_by_code, wait_until
from test_secrets import Canaries

# The rows that carried a secret to the backend or back. `make verify` opens every row.
SECRET_ENDPOINTS = ("login_with_code", "refresh_tokens", "request_login_code")
KEPT = """async () => {
  const entries = (storage) => Object.entries(storage).filter(([name]) => !name.includes("device"));
  const databases = (await indexedDB.databases()).map((one) => one.name);
  return JSON.stringify({
    local: entries(localStorage), session: entries(sessionStorage), databases, caches: await caches.keys(),
    url: location.href, title: document.title, state: history.state, name: window.name, cookie: document.cookie,
  });
}"""


def learned(watched):
    """A context in which somebody has signed in by link and by code, and everything secret of that."""
    canaries, page = Canaries(), watched.page("/login")
    sign_in_by_code(page, new_identifier())
    page.locator("#refresh-session").click()
    expect(page.locator("#session-result")).to_have_attribute("data-tone", "ok")
    for message in watched.read("/api/inbox?wait=10")["messages"]:
        canaries.learn(message)
    assert canaries.codes and canaries.values
    return canaries, page


def secret_rows(watched):
    """One row of each endpoint that had a secret, or every row if BROWSER_TESTS is `all`."""
    rows = watched.read("/api/network")["events"]
    if os.environ.get("BROWSER_TESTS") == "all":
        return rows
    found = {row["endpoint"]: row for row in rows if row["endpoint"] in SECRET_ENDPOINTS}
    assert len(found) == len(SECRET_ENDPOINTS), rows
    return list(found.values())


def test_no_page_keeps_a_secret_and_the_network_page_shows_none(watched):
    canaries, page = learned(watched)
    # The look itself: where the secrets belong, it finds them. A backend of its own has no inbox.
    if not is_team(watched.console):
        page.goto("/inbox")
        expect(page.locator("#copy-code")).to_be_visible()
        assert canaries.found_in(page.content())
    for path in ("/settings", "/profiles", "/cues", "/delete-account", "/timeline", "/network"):
        page.goto(path)
        expect(page.locator("main")).to_be_visible()
        canaries.assert_absent(f"what {path} keeps", page.evaluate(KEPT))
    for row in secret_rows(watched):
        opened = grid_row(page, row["path"]).first
        opened.click()
        expect(page.locator("#tab-overview")).to_be_visible()
        for tab in page.get_by_role("tab").all():
            tab.click()
            canaries.assert_absent(f"the row of {row['path']}", page.content())
    canaries.assert_absent("what the network page keeps", page.evaluate(KEPT))


def test_nothing_secret_comes_onto_the_clipboard_or_into_a_file(watched):
    canaries, page = learned(watched)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/network")
    grid_row(page, "/rpc/login_with_code").first.click()
    expect(page.locator("#copy-row")).to_be_visible()
    for row in secret_rows(watched):
        page.goto(f"/network?row={row['id']}")
        page.locator("#copy-row").click()
        expect(page.get_by_role("menu")).to_be_visible()
        kinds = [item.get_attribute("data-item") for item in page.get_by_role("menuitem").all()]
        assert {"url", "curl", "swift", "markdown", "har", "request_headers"} <= set(kinds)
        page.keyboard.press("Escape")
        for kind in kinds:
            page.evaluate("navigator.clipboard.writeText('')")
            page.locator("#copy-row").click()
            page.locator(f'[data-item="{kind}"]').click()
            wait_until(page, "async () => (await navigator.clipboard.readText()) !== ''")
            copied = page.evaluate("navigator.clipboard.readText()")
            assert copied and (kind not in ("swift", "markdown", "har") or row["method"] in copied), copied
            canaries.assert_absent(f"{kind} of {row['path']} on the clipboard", copied)
    for kind in ("har", "json", "zip"):
        body = watched.call("GET", f"/api/network/export?format={kind}").body()
        if kind == "zip":
            archive = zipfile.ZipFile(io.BytesIO(body))
            body = b"\n".join(name.encode() + b"\n" + archive.read(name) for name in archive.namelist() if name != "SHA256SUMS")
        text = body.decode()
        assert len(text) > 1000 and (kind == "zip" or json.loads(text))
        assert not canaries.found_in(text), f"{kind} holds {canaries.found_in(text)}"
