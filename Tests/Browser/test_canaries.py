"""The canary gate in the browser: what a session is made of is in no page that is not made to show it, nor in what a page keeps."""

import base64
import json
import os
import re
from urllib.parse import quote

from console_team import is_team
from playwright.sync_api import expect
from steps import grid_row, new_identifier, sign_in_by_code, wait_until

# Tokens are 32 random bytes or more: in base64url 43 characters without a break, in hexadecimal more. Pins are public.
OPAQUE = re.compile(r"(?<!sha256/)(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43,}(?![A-Za-z0-9_-])")
ACCOUNT_LEFT_OUT = """() => {
  const copy = document.documentElement.cloneNode(true);
  copy.querySelector("#account-facts").remove();
  return copy.outerHTML;
}"""
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


def forms(secret):
    """The spellings in which a secret may travel."""
    raw, coded = secret.encode(), set()
    # Only an address is the same in another case.
    for text in {secret, secret.upper(), secret.swapcase()} if "@" in secret else {secret}:
        for code in (base64.b64encode, base64.urlsafe_b64encode):
            coded.add(code(text.encode()).decode().rstrip("="))
    return {secret, secret.lower(), quote(secret, safe=""), quote(secret, safe="@"), json.dumps(secret)[1:-1], raw.hex()} | coded


class Canaries:
    """What was typed and delivered in the journey, to be found nowhere else."""

    def __init__(self):
        """Starts with none."""
        self.values = set()
        self.codes = set()

    def learn(self, message):
        """Takes the secrets of an inbox message."""
        self.values |= forms(message["to"])
        if message.get("code"):
            self.codes.add(message["code"])
        if message.get("link"):
            self.values |= forms(re.search(r"token=([^&]+)", message["link"])[1])

    def found_in(self, text):
        """The secrets that the text holds."""
        found = {value for value in self.values if value in text}
        for code in self.codes:
            spaced = f"{code[:3]} ?{code[3:]}"
            found |= set(re.findall(rf"(?<![0-9A-Za-z]){spaced}(?![0-9A-Za-z])", text))
        return found

    def assert_absent(self, where, text):
        """Fails with the place and the secrets, or the strings that look like tokens."""
        assert not self.found_in(text), f"{where} holds {self.found_in(text)}"
        assert not OPAQUE.findall(text), f"{where} holds what looks like a token: {OPAQUE.findall(text)}"


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
        if path == "/settings":
            canaries.assert_absent(path, page.evaluate(ACCOUNT_LEFT_OUT))
    for row in secret_rows(watched):
        opened = grid_row(page, row["path"]).first
        opened.click()
        expect(page.locator("#tab-overview")).to_be_visible()
        for tab in page.get_by_role("tab").all():
            tab.click()
            canaries.assert_absent(f"the row of {row['path']}", page.content())
    canaries.assert_absent("what the network page keeps", page.evaluate(KEPT))


def test_nothing_secret_comes_onto_the_clipboard(watched):
    """`CanaryGateTests` has what the console makes: curl, Swift, Markdown, and files."""
    canaries, page = learned(watched)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/network")
    grid_row(page, "/rpc/login_with_code").first.click()
    page.locator("#copy-row").click()
    expect(page.get_by_role("menu")).to_be_visible()
    kinds = {item.get_attribute("data-item") for item in page.get_by_role("menuitem").all()} - {"curl", "swift", "markdown", "har"}
    assert {"url", "link", "request_headers"} <= kinds
    page.keyboard.press("Escape")
    for kind in kinds:
        page.evaluate("navigator.clipboard.writeText('')")
        page.locator("#copy-row").click()
        page.locator(f'[data-item="{kind}"]').click()
        wait_until(page, "async () => (await navigator.clipboard.readText()) !== ''")
        canaries.assert_absent(f"{kind} on the clipboard", page.evaluate("navigator.clipboard.readText()"))
