"""A backend of another process, over its pin and signature, that goes away and comes back."""

import re

from console_team import start_console
from playwright.sync_api import expect
from steps import expect_live, expect_signed_in, new_identifier
from watched_context import WatchedContext


def shows_its_port(page):
    """Whether the last characters of the backend's address lie inside what is cut off on a phone."""
    return page.locator("[data-fact=host]").evaluate("""(host) => {
      const range = document.createRange();
      range.selectNodeContents(host.lastChild);
      const [port, box] = [range.getBoundingClientRect(), host.parentElement.getBoundingClientRect()];
      return /:\\d+$/.test(host.textContent) && port.width > 20 && port.right <= box.right + 1 && port.height < 30;
    }""")


def test_the_page_says_it_keeps_what_it_shows_and_recovers(browser, staging, tmp_path):
    inbox, relay, flags = staging
    console = start_console(tmp_path / "console", arguments=flags)
    watched = WatchedContext(browser, console)
    page, identifier = watched.page("/login"), new_identifier()
    expect_live(page)
    expect(page.locator("#open-inbox")).to_be_hidden()
    page.locator("#identifier").fill(identifier)
    page.locator("#send-code").click()
    expect(page.locator("#code")).to_be_visible()
    backend = page.locator("[data-fact=backend]")
    expect(backend).to_have_attribute("data-state", "ok")
    size = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 844})
    assert shows_its_port(page)
    page.set_viewport_size(size)
    code = inbox.read("/api/inbox?all=1&wait=10")["messages"][-1]["code"]
    page.locator("#code").fill(code)
    expect_signed_in(page, identifier)

    relay.stop()
    watched.expect_answers(502, 503, 504)
    page.reload()
    expect(page.get_by_role("main")).to_contain_text(re.compile("backend", re.IGNORECASE))
    relay.start()
    expect_signed_in(page, identifier)

    relay.stop()
    page.locator("#refresh-session").click()
    expect(page.locator("#session-result")).to_have_attribute("data-tone", "bad")
    # The console is there; it is the backend that is not.
    expect(backend).to_have_attribute("data-state", "failed")
    expect(backend).to_contain_text("Last call failed")
    expect_live(page)
    expect(page.get_by_role("main")).to_contain_text(identifier)
    relay.start()
    page.locator("#refresh-session").click()
    expect(page.locator("#session-result")).to_have_attribute("data-tone", "ok")
    expect(backend).to_have_attribute("data-state", "ok")
    watched.close()
    assert console.stop() == 0, console.logs[-2000:]
