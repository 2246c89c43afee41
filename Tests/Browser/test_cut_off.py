"""The console is cut off, slow, out of its mind or overrun in the middle of each step: the page says so and the next try works."""

import json
import re

import pytest
from playwright.sync_api import expect
from steps import Clicks, ask, expect_live, expect_signed_in, new_identifier, sign_in_by_code

PROBLEM = {"Content-Type": "application/problem+json", "Retry-After": "1"}
WAYS = {
    "cut off": lambda route: route.abort("connectionreset"),
    "garbage": lambda route: route.fulfill(status=200, content_type="application/json", body="<html>\u0000no"),
    "another's page": lambda route: route.fulfill(status=502, content_type="text/html", body="<h1>Bad gateway 502</h1>"),
    "failed": lambda route: route.fulfill(status=500, headers=PROBLEM, body=json.dumps({"status": 500, "code": "never heard of"})),
    "overrun": lambda route: route.fulfill(
        status=429, headers=PROBLEM, body=json.dumps({"status": 429, "code": "too_many_attempts", "retry_after_seconds": 1})),
}


def inside(visitor, path):
    """A page of somebody who is signed in."""
    page = visitor.page()
    identifier = new_identifier()
    sign_in_by_code(page, identifier)
    if path != "/settings":
        page.goto(path)
    expect(page.locator("[data-view=ready]").first).to_be_visible()
    return page


def request_code(visitor):
    """Asking for a code."""
    page = visitor.page("/login")
    expect_live(page)
    page.locator("#identifier").fill(new_identifier())
    return page, "/api/login/code", "#send-code", "#identifier-error", lambda: expect(page.locator("#code")).to_be_visible()


def request_link(visitor):
    """Asking for a link."""
    page = visitor.page("/login")
    expect_live(page)
    page.locator("#identifier").fill(new_identifier())
    return page, "/api/login/magic-link", "#send-link", "#identifier-error", lambda: expect(page.locator("#code")).to_be_visible()


def enter_code(visitor):
    """Entering the code."""
    page, identifier = visitor.page("/login"), new_identifier()
    ask(page, identifier, "code", Clicks())
    secret = visitor.read("/api/inbox?wait=10")["messages"][0]["code"]
    visitor.expect_failed_requests("/api/login/code/verify")
    visitor.expect_lost_connection()
    page.route("**/api/login/code/verify", WAYS["cut off"], times=1)
    page.locator("#code").fill(secret)
    expect(page.locator("#code-error")).to_have_text(re.compile(r"\w+ \w+"))
    return page, "/api/login/code/verify", "#verify", "#code-error", lambda: expect_signed_in(page, identifier)


def refresh(visitor):
    """Refreshing the session."""
    page = inside(visitor, "/settings")
    done = lambda: expect(page.locator("#session-result")).to_have_attribute("data-tone", "ok")  # noqa: E731
    return page, "/api/session/refresh", "#refresh-session", "#session-result", done


def sign_out(visitor):
    """Signing out."""
    page = inside(visitor, "/settings")
    page.locator("#sign-out").click()
    return page, "/api/logout", "#confirm-sign-out", "#sign-out-error", lambda: page.wait_for_url("**/login*")


def make_profile(visitor):
    """Making a profile."""
    page = inside(visitor, "/profiles")
    done = lambda: expect(page.locator("#profile-list > li")).to_have_count(2)  # noqa: E731
    return page, "/api/profiles", "#create-profile", "#profiles-result", done


def shuffle(visitor):
    """Shuffling the cues."""
    page = inside(visitor, "/cues")
    return page, "/api/cues/shuffle", "#shuffle", "#cues-result", lambda: expect(page.locator("#cues-result")).to_contain_text("shuffled")


def analytics(visitor):
    """Turning analytics off."""
    page = inside(visitor, "/settings")
    return page, "/api/account/analytics", "#analytics", "#analytics-result", lambda: expect(page.locator("#analytics")).not_to_be_checked()


ALWAYS = [request_code]
MORE = [enter_code, shuffle, request_link, refresh, sign_out, make_profile, analytics]


@pytest.mark.parametrize("step", [*ALWAYS, *(pytest.param(step, marks=pytest.mark.long) for step in MORE)])
def test_a_step_that_is_broken_off_says_so_and_works_the_next_time(visitor, step):
    visitor.expect_answers(429, 500, 502)
    page, path, button, told, done = step(visitor)
    visitor.expect_failed_requests(path)
    visitor.expect_lost_connection()
    for way, answer in WAYS.items():
        expect(page.locator(button), way).not_to_have_attribute("aria-disabled", "true")
        page.route(f"**{path}", answer)
        # The text of the way before may still stand there.
        with page.expect_event("requestfailed" if way == "cut off" else "requestfinished", lambda one: one.url.endswith(path)):
            page.locator(button).click()
        expect(page.locator(button), way).not_to_have_attribute("aria-busy", "true")
        expect(page.locator(told), way).to_have_text(re.compile(r"\w+ \w+"))
        expect(page.locator(told), way).not_to_have_text(re.compile(r"50\d|429|undefined|\[object|never heard|<h1>"))
        page.unroute(f"**{path}")
    expect(page.locator(button)).not_to_have_attribute("aria-disabled", "true")
    # A slow answer is waited for, and a second press meanwhile is no second request.
    asked = []

    def slowly(route):
        asked.append(route)

    page.route(f"**{path}", slowly)
    page.locator(button).click()
    if page.locator(button).get_attribute("type") != "checkbox":
        expect(page.locator(button)).to_have_attribute("aria-busy", "true")
        page.locator(button).click()
    assert len(asked) == 1
    asked[0].continue_()
    done()
