"""Hostile names, texts, languages, errors and bodies of a backend: shown as the text that they are, on every page, and nothing runs."""

import json
import re
import sys

import pytest
from console_team import start_console
from playwright.sync_api import expect
from running_console import PROJECT
from steps import SHELVE, at_rest, expect_live, expect_signed_in, new_identifier
from watched_context import WatchedContext

sys.path.append(str(PROJECT / "Tests/Survival"))
from hostile_backend import HostileBackend  # noqa: E402

MARKUP = [
    "<script>window.hacked=1</script>",
    '<img src=x onerror="window.hacked=1">',
    '"><svg onload=window.hacked=1>',
    "'-window.hacked=1-'",
    "</textarea></title><iframe src=javascript:window.hacked=1></iframe>",
    "{{constructor.constructor('window.hacked=1')()}}${window.hacked=1}",
    "javascript:window.hacked=1",
    '<a href="javascript:window.hacked=1" style="position:fixed;inset:0">x</a>',
    "<!--<base href=//elsewhere.test/>--><meta http-equiv=refresh content=0;url=//elsewhere.test>",
]
# Text that turns what follows, has no glyph, or is longer than anything.
BIDI = "\u202eevil\u2066 \u200f\u05d0\u05d1\u05d2 abc"
CONTROL = "a\u0000b\u0007c\u001b[31md\u0085e\u2028f\u2029g\ufeffh\ud83d\ude00"
HUGE = "W" * 60_000
ZALGO = "Z" + "\u0301" * 400
HOSTILE = [*MARKUP, BIDI, CONTROL, HUGE, ZALGO]
EVERYTHING = " ".join(MARKUP)


class Rewriting(HostileBackend):
    """Passes everything on, with the texts of the answers exchanged for hostile ones."""

    def rewritten(self, path, document):
        """The document as a hostile backend would have sent it."""
        if path == "/rpc/get_cues":
            for number, cue in enumerate(document["cues"]):
                cue["prompt"], cue["answer"] = HOSTILE[number % len(HOSTILE)], HOSTILE[(number + 1) % len(HOSTILE)]
        elif path == "/rpc/me":
            document["display_name"] = EVERYTHING + BIDI
            document["roles"] = HOSTILE[:5]
            for profile in document["profiles"]:
                profile["display_name"] = EVERYTHING + CONTROL
        elif path == "/rpc/app_config":
            for language in document["supported_languages"]:
                language["name"] = EVERYTHING
        return document

    def _pass_on(self, connection, method, target, headers, body):
        headers["Accept-Encoding"] = "identity"
        super()._pass_on(_Rewriter(connection, self, target.split("?")[0]), method, target, headers, body)


class _Rewriter:
    """A connection that exchanges the body of the one answer that is sent over it."""

    def __init__(self, connection, front, path):
        self.connection, self.front, self.path = connection, front, path

    def sendall(self, data):
        head, _, body = data.partition(b"\r\n\r\n")
        try:
            body = json.dumps(self.front.rewritten(self.path, json.loads(body))).encode()
        except (ValueError, KeyError, TypeError):
            pass
        extra = b"\r\nX-Hostile: <img src=x onerror=window.hacked=1> javascript:window.hacked=1"
        head = re.sub(rb"(?i)content-length: \d+", b"Content-Length: %d" % len(body), head) + extra
        # A validator of before would keep the text of before.
        head = re.sub(rb"(?i)\r\netag: [^\r]*", b"", head)
        self.connection.sendall(head + b"\r\n\r\n" + body)


@pytest.fixture
def hostile(browser, staging, tmp_path):
    """A signed-in page of a console whose backend is hostile: (watched context, page, identifier)."""
    inbox, relay, flags = staging
    backend = tmp_path / "staging" / "backend"
    front = Rewriting(relay.target[1], backend / "certificate.pem", backend / "private-key.pem")
    own = [f"https://127.0.0.1:{front.port}" if str(flag).startswith("https://") else flag for flag in flags]
    console = start_console(tmp_path / "console", arguments=own)
    watched = WatchedContext(browser, console)
    page, identifier = watched.page("/login"), new_identifier()
    page.locator("#identifier").fill(identifier)
    page.locator("#send-code").click()
    expect(page.locator("#code")).to_be_visible()
    page.locator("#code").fill(inbox.read("/api/inbox?all=1&wait=10")["messages"][-1]["code"])
    expect_signed_in(page, identifier)
    yield watched, page, identifier
    watched.close()
    assert console.stop() == 0, console.logs[-2000:]
    front.stop()


def is_clean(page):
    """Nothing ran, nothing became an element, and the page is as wide as its window."""
    found = page.evaluate(
        """() => ({
          hacked: "hacked" in window,
          foreign: [...document.querySelectorAll("img, iframe, base, meta[http-equiv=refresh], script:not([src]), [onload], [onerror]")]
            .map((one) => one.outerHTML.slice(0, 100)),
          links: [...document.querySelectorAll("a[href]")].map((one) => one.protocol).filter((one) => !/^https?:$/.test(one)),
          wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        })""")
    assert not found["hacked"], page.url
    assert found["foreign"] == [] and found["links"] == [], (page.url, found)
    assert found["wide"] <= 1, f"{page.url} is {found['wide']} px too wide"


def test_texts_of_a_hostile_backend_are_text_on_every_page(hostile):
    watched, page, identifier = hostile
    for path, shown in (
        ("/settings", "<script>window.hacked=1</script>"), ("/profiles", "<img src=x onerror="), ("/cues", "<script>window.hacked=1</script>"),
        ("/network", "/rpc/get_cues"), ("/timeline", ""), ("/delete-account", ""), ("/login", ""),
    ):
        page.goto(path)
        expect(page.locator("main")).to_contain_text(shown)
        at_rest(page)
        is_clean(page)
    page.goto("/network")
    page.locator('[role="row"]', has_text="/rpc/get_cues").last.click()
    seen = ""
    for tab in ("#tab-request", "#tab-response"):
        page.locator(tab).click()
        at_rest(page)
        # The list of cues, and the first of them.
        for _ in range(4):
            closed = page.locator('network-detail [role="treeitem"][aria-expanded="false"]')
            if left := closed.count():
                closed.first.click()
                expect(closed).not_to_have_count(left)
        seen += page.locator("network-detail").inner_text()
        is_clean(page)
    assert "window.hacked=1" in seen, "the hostile text is shown"


@pytest.mark.long
def test_a_turned_text_turns_nothing_beside_it(hostile):
    """What isolates a text that turns the direction holds nothing but that text."""
    watched, page, _ = hostile
    page.goto("/cues")
    expect(page.locator("main")).to_contain_text("evil")
    isolated = page.evaluate(
        """() => {
          const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
          const found = [];
          while (walker.nextNode()) if (walker.currentNode.data.includes("\\u202e")) found.push(walker.currentNode);
          return found.map((text) => {
            let at = text.parentElement;
            while (at.tagName !== "MAIN" && !/isolate|plaintext/.test(getComputedStyle(at).unicodeBidi)) at = at.parentElement;
            return at.textContent.trim() === text.data.trim() ? "kept" : at.outerHTML.slice(0, 120);
          });
        }""")
    assert isolated and set(isolated) == {"kept"}, isolated


def test_hostile_device_names_are_rejected_or_shown_as_text(watched):
    page = watched.page("/login")
    expect_live(page)
    accepted = []
    for name in HOSTILE:
        answer = watched.call("POST", "/api/devices", {"name": name})
        assert answer.status in ((413,) if name == HUGE else (201, 400)), (name[:40], answer.status, answer.text())
        if answer.status == 201:
            accepted.append(answer.json())
    # Markup of at most 60 characters is a name; control characters and what turns the direction are none.
    assert [one["name"] for one in accepted] == [name for name in MARKUP if len(name) <= 60], accepted
    for device in accepted:
        page.evaluate(SHELVE, device)
        page.goto("/login")
        expect(page.locator("[data-fact=device]")).to_have_text(device["name"])
        is_clean(page)
