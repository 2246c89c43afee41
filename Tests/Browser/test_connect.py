"""The first page's way to another backend: what to type, and a look at the address."""

import pytest
from playwright.sync_api import expect
from steps import at_rest, expect_live

pytestmark = pytest.mark.one_console("only a console with the embedded backend offers it")


def open_connecting(watched):
    page = watched.page("/login")
    expect_live(page)
    page.locator("#connect").click()
    expect(page.locator("#connect-dialog")).to_be_visible()
    return page


def test_the_address_that_is_typed_is_looked_at(watched):
    page = open_connecting(watched)
    expect(page.locator("#connect-commands code")).to_have_text("understudy serve --backend https://staging.example")
    expect(page.locator("#connect-url")).to_be_focused()
    # The embedded backend's certificate is its own, so this machine does not trust it.
    backend = watched.read("/api/state")["backend"]["url"]
    page.keyboard.type(backend.removeprefix("https://"))
    page.keyboard.press("Enter")
    expect(page.locator("#connect-result .notice")).to_have_count(2)
    expect(page.locator("#connect-result")).to_contain_text("sha256/")
    expect(page.locator("#connect-commands code")).to_have_text(f"understudy serve --backend {backend} --ca authority.pem")
    page.keyboard.type("0")
    expect(page.locator("#connect-result")).to_be_empty()
    expect(page.locator("#connect-commands code")).to_have_text("understudy serve --backend https://staging.example")
    page.keyboard.press("Escape")
    expect(page.locator("#connect-dialog")).to_have_count(0)
    expect(page.locator("#connect")).to_be_focused()


def test_what_a_backend_lacks_is_listed_with_what_to_type(watched):
    page = open_connecting(watched)
    facts = {"url": "https://staging.example", "outcome": "answers", "missing": ["me", "logout"], "clock_ahead_seconds": 90,
             "certificate": {"subject": "CN=staging.example", "issuer": "CN=Authority", "pin": "sha256/AAAA", "valid_until": "2030-01-01T00:00:00.000Z"}}
    page.route("**/api/backend/inspection", lambda route: route.fulfill(json=facts))
    page.locator("#connect-url").fill("https://staging.example/")
    page.locator("#connect-check").click()
    expect(page.locator("#connect-result .notice")).to_have_count(3)
    expect(page.locator("#connect-result code")).to_have_text("me, logout")
    expect(page.locator("#connect-commands code")).to_have_text(
        ["understudy backend-file new > backend.yaml", "understudy serve --backend https://staging.example --backend-file backend.yaml"])


def test_a_wrong_address_is_not_sent(watched):
    page = open_connecting(watched)
    sent = []
    page.route("**/api/backend/inspection", lambda route: sent.append(route.request.url) or route.abort())
    for text in ("", "http://staging.example", "https://staging.example/api"):
        page.locator("#connect-url").fill(text)
        page.locator("#connect-check").click()
        expect(page.locator("#connect-url-error")).not_to_be_empty()
        expect(page.locator("#connect-url")).to_have_attribute("aria-invalid", "true")
    at_rest(page)
    assert not sent


@pytest.mark.parametrize("language", ["de", "ar"])
def test_it_fits_a_narrow_window_in_any_direction(watched, language):
    page = watched.page()
    page.set_viewport_size({"width": 390, "height": 720})
    page.evaluate("language => localStorage.setItem('understudy.language', language)", language)
    page.emulate_media(color_scheme="dark")
    page.goto("/login")
    expect_live(page)
    page.locator("#connect").click()
    expect(page.locator("#connect-dialog")).to_be_visible()
    page.locator("#connect-url").fill(watched.read("/api/state")["backend"]["url"])
    page.locator("#connect-check").click()
    expect(page.locator("#connect-result .notice")).to_have_count(2)
    expect(page.locator("html")).to_have_attribute("lang", language)
    inner, outer = page.evaluate("() => { const one = document.querySelector('#connect-dialog'); return [one.scrollWidth, one.clientWidth]; }")
    assert inner <= outer <= 390
