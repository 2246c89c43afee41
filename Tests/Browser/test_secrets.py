"""No secret leaves the pages that are made to show it."""

import base64
import json
import re
from urllib.parse import quote

import pytest
from console_team import is_team
from event_stream import EventStream
from playwright.sync_api import expect
from steps import expect_live, grid_row, new_identifier, sign_in_by_code, sign_in_by_link, sign_out

# Tokens are 32 random bytes or more: in base64url 43 characters without a break, in hexadecimal more. Pins are public.
OPAQUE = re.compile(r"(?<!sha256/)(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43,}(?![A-Za-z0-9_-])")
ACCOUNT_LEFT_OUT = """() => {
  const copy = document.documentElement.cloneNode(true);
  copy.querySelector("#account-facts").remove();
  return copy.outerHTML;
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


@pytest.mark.arguments("--log-level", "trace", "--access-log")
def test_no_secret_is_in_the_logs_the_network_the_stream_or_other_pages(watched, console):
    canaries, page = Canaries(), watched.page("/login")
    expect_live(page)
    stream = EventStream(watched)

    by_code, by_link = new_identifier(), new_identifier()
    sign_in_by_code(page, by_code)
    page.locator("#refresh-session").click()
    expect(page.locator("#session-result")).to_have_attribute("data-tone", "ok")
    sign_out(page)
    settings, _ = sign_in_by_link(page, by_link)
    for message in watched.read("/api/inbox?wait=10")["messages"]:
        canaries.learn(message)
    assert canaries.codes and by_code in canaries.values and by_link in canaries.values
    # The check itself: where secrets belong, it finds them.
    inbox = watched.call("GET", "/api/inbox").text()
    assert canaries.found_in(inbox) and OPAQUE.findall(inbox)

    events = watched.read("/api/network")["events"]
    assert {"request_login_code", "login_with_code", "refresh_tokens", "login_with_magic_token"} <= {
        event["endpoint"].rsplit("/", 1)[-1] for event in events
    }
    canaries.assert_absent("/api/network", json.dumps(events, ensure_ascii=False))
    for event in events:
        detail = watched.call("GET", f"/api/network/{event['id']}")
        assert detail.ok
        canaries.assert_absent(f"the row of {event['path']}", detail.text())

    stream.wait_for("login_with_magic_token")
    sent = stream.close()
    assert "event: session" in sent and "event: network" in sent and ("event: inbox" in sent or is_team(console))
    canaries.assert_absent("the event stream", sent)

    network = watched.page("/network")
    grid_row(network, "login_with_magic_token").first.click()
    expect(network.locator("#tab-overview")).to_be_visible()
    for tab in network.get_by_role("tab").all():
        tab.click()
        canaries.assert_absent("the network page", network.content())
    canaries.assert_absent("the settings page", settings.evaluate(ACCOUNT_LEFT_OUT))

    # What the page asks for in that moment.
    watched.expect_answers(503)
    console.stop()
    assert console.logs.count("\n") > 1, "nothing was logged, so nothing was checked"
    watched.expect_lost_connection()
    canaries.assert_absent("the log", console.logs)
