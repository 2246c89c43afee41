"""People who sign in at an OpenID Connect provider, by way of Apache: whom the console believes, and what they share."""

import http.client
import json
import re

import pytest
from playwright.sync_api import expect


@pytest.fixture
def people(browser, site):
    """Opens a browser of its own for a person, signed in at the provider: a function of the name."""
    opened = []

    def sign_in(name, path="/login"):
        opened.append(browser.new_context())
        page = opened[-1].new_page()
        page.goto(site.url + path)
        page.get_by_role("button", name=name).click()
        page.wait_for_url(f"{site.url}{path}")
        expect(page.locator("#connection, [data-state=live]").first).to_be_visible()
        return page

    yield sign_in
    for context in opened:
        context.close()


def call(port, path, fields=()):
    """The status and the text of a call without a browser."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path, headers={"Host": f"localhost:{port}"} | dict(fields))
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def who(page):
    """Whom the console takes the page's browser for."""
    return page.evaluate("async () => (await (await fetch('/api/person')).json()).name")


def test_who_signs_in_at_the_provider_is_that_person_on_every_browser(people):
    work = people("ann@example.com")
    assert who(work) == "ann@example.com"
    device = work.evaluate("async () => (await (await fetch('/api/person')).json()).person_id")
    name = work.locator("#device").inner_text()
    work.locator("#device").click()
    work.locator("#device-name").fill("Phone of Ann")
    work.locator("#add-device").click()
    expect(work.locator("#device")).to_contain_text("Phone of Ann")
    home = people("ann@example.com", "/team")
    assert home.evaluate("async () => (await (await fetch('/api/person')).json()).person_id") == device
    home.locator("#device").click()
    listed = home.locator("dialog#devices li")
    expect(listed).to_have_count(2)
    expect(listed.filter(has_text=name.strip())).to_have_count(1)
    other = people("ben@example.com", "/team")
    other.locator("#device").click()
    expect(other.locator("dialog#devices li")).to_have_count(1)
    assert who(other) == "ben@example.com"


def test_a_page_has_its_stream_through_the_proxy(people):
    page = people("ann@example.com")
    expect(page.locator("[data-state=live]")).to_be_visible()


def test_what_a_client_says_of_itself_is_replaced(people, site):
    page = people("ann@example.com")
    for fields in ({"X-Forwarded-Email": "olga@example.com"}, {"X-Forwarded-Email": "olga@example.com", "X-Understudy-Proxy-Secret": site.secret}):
        told = page.evaluate("async (headers) => (await (await fetch('/api/person', { headers })).json())", fields)
        assert (told["name"], told["role"]) == ("ann@example.com", "tester")
    # Without a session of the provider, not even with the secret.
    forged = {"X-Forwarded-Email": "olga@example.com", "X-Understudy-Proxy-Secret": site.secret}
    status, text = call(site.port, "/api/person", forged)
    assert status == 401 and "olga" not in text
    assert call(site.port, "/login", forged)[0] == 401


def test_who_reaches_the_console_beside_the_proxy_is_nobody(site):
    for fields in ({}, {"X-Forwarded-Email": "olga@example.com"}, {"X-Forwarded-Email": "olga@example.com", "X-Understudy-Proxy-Secret": "guess"}):
        status, text = call(site.console.port, "/api/person", fields)
        assert status == 401 and json.loads(text)["code"] == "access_required"


def test_the_proxys_session_stays_with_the_proxy(people, site):
    """A cookie of Apache is neither in the console's log nor reaches it."""
    page = people("ann@example.com")
    cookies = {one["name"]: one["value"] for one in page.context.cookies()}
    assert "mod_auth_openidc_session" in cookies
    assert cookies["mod_auth_openidc_session"] not in site.console.logs
    assert not re.search(r"error|crit", site.apache.log), site.apache.log[-1000:]


def test_a_page_whose_session_ended_says_what_to_do(people, site):
    page = people("ann@example.com", "/team")
    page.context.clear_cookies(name="mod_auth_openidc_session")
    page.locator("#workspace-name").fill("Release 7")
    page.locator("#add-workspace").click()
    page.locator("#proxy-sign-in").click()
    page.get_by_role("button", name="ann@example.com").click()
    page.wait_for_url(f"{site.url}/team")
    expect(page.locator("#workspace-list")).to_be_visible()
