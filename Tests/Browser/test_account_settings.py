"""What a person sets on Settings: the account's language, analytics, and what only developers see."""

import pytest
from playwright.sync_api import expect
from steps import at_rest, be_signed_in, expect_live, new_identifier, refuse, tab_to


def open_settings(visitor):
    """Signs in; ends on Settings."""
    page = visitor.page()
    be_signed_in(page, new_identifier())
    expect(page.locator("#analytics")).to_be_visible()
    return page


def test_a_choice_of_the_accounts_language_leaves_that_of_the_pages(visitor):
    page = open_settings(visitor)
    supported = [one["code"] for one in visitor.read("/api/account")["config"]["supported_languages"]]
    assert page.locator("#account-language option").evaluate_all("(all) => all.map((one) => one.value)") == supported
    page.locator("#account-language").select_option("ar")
    expect(page.locator("#language-result")).to_have_attribute("data-tone", "ok")
    page.reload()
    expect(page.locator("#account-language")).to_have_value("ar")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    assert visitor.read("/api/account")["active_profile"]["language_code"] == "ar"
    # The pages' own language is chosen in their menu, which does not offer the languages of tests.
    offered = page.locator("#language option").evaluate_all("(all) => all.map((one) => one.value)")
    assert "pl" in offered and not [code for code in offered if "-X" in code], offered
    page.locator("#language").select_option("pl")
    expect(page.locator("html")).to_have_attribute("lang", "pl")
    expect(page.locator("#account-language")).to_have_value("ar")


def test_a_visit_loads_the_account_once_however_late_the_stream_opens(visitor):
    page = open_settings(visitor)
    held, loads = [], []
    page.route("**/api/events", lambda route: held.append(route))
    page.on("request", lambda request: loads.append(request.url) if request.url.endswith("/api/account") else None)
    page.reload()
    expect(page.locator("#account-facts dd").first).to_be_visible()
    for route in held:
        route.continue_()
    expect_live(page)
    at_rest(page)
    assert len(loads) == 1, loads


def test_the_session_comes_first_and_each_fact_once(visitor):
    page = open_settings(visitor)
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        top = page.locator("main section").evaluate_all(
            "(all) => all.filter((one) => one.checkVisibility()).sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)[0].innerText"
        )
        assert top.startswith("Session"), top
    terms = page.locator("main dt:visible").all_inner_texts()
    assert len(terms) == len(set(terms)) and terms.count("Active profile") == 1, terms
    # Signing out loses nothing, so it is not marked as a danger.
    assert page.locator("#session-title").evaluate("(title) => title.closest('section').contains(document.getElementById('sign-out'))")
    bad = page.locator("#delete-account").evaluate("(one) => getComputedStyle(one).color")
    assert page.locator("#sign-out").evaluate("(one) => getComputedStyle(one).color") != bad


def test_analytics_are_turned_off_and_stay_off(visitor):
    page = open_settings(visitor)
    expect(page.locator("#analytics")).to_be_checked()
    page.locator("#analytics").click()
    expect(page.locator("#analytics-result")).to_have_attribute("data-tone", "ok")
    page.reload()
    expect(page.locator("#analytics")).to_be_visible()
    expect(page.locator("#analytics")).not_to_be_checked()
    assert visitor.read("/api/account")["settings"]["analytics_opted_in"] is False


def test_a_refused_choice_goes_back_to_what_holds(visitor):
    page = open_settings(visitor)
    visitor.expect_answers(503)
    refuse(page, "/api/account/analytics", 503, "offline")
    refuse(page, "/api/account/language", 503, "offline")
    page.locator("#analytics").click()
    expect(page.locator("#analytics-result")).to_have_attribute("data-tone", "bad")
    expect(page.locator("#analytics")).to_be_checked()
    page.locator("#account-language").select_option("de")
    expect(page.locator("#language-result")).to_have_attribute("data-tone", "bad")
    expect(page.locator("#account-language")).to_have_value("en")
    expect(page.locator("html")).to_have_attribute("lang", "en")


def test_developer_tools_show_only_with_the_flag_and_the_role(visitor):
    page = open_settings(visitor)
    expect(page.locator("#developer-card")).to_be_hidden()
    account = visitor.read("/api/account")

    developed = {**account, "user": {**account["user"], "roles": ["user", "developer"]}}
    assert account["config"]["features"]["developer_tools"] is True
    # Answered here: a handler that fetches may still wait for its answer when the page is closed.
    page.route("**/api/account", lambda route: route.fulfill(json=developed))
    page.reload()
    expect(page.locator("#developer-card")).to_be_visible()
    expect(page.locator("#developer-facts")).to_contain_text(visitor.read("/api/state")["backend"]["id"])


@pytest.mark.long
def test_the_choices_take_no_mouse(visitor):
    page = open_settings(visitor)
    tab_to(page, "#analytics")
    page.keyboard.press("Space")
    expect(page.locator("#analytics")).not_to_be_checked()
    page.locator("body").evaluate("() => document.activeElement?.blur()")
    tab_to(page, "#account-language")
    page.keyboard.press("d")
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("lang", "de")
