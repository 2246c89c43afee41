"""The profiles of an account: made, switched, found, and what is said when that fails."""

import re

from playwright.sync_api import expect
from steps import be_signed_in, expect_live, new_identifier, refused, tab_to


def profile(page, name):
    """The line of a profile."""
    return page.locator("#profile-list > li").filter(has_text=name)


def open_profiles(visitor):
    """Signs in and opens the page."""
    page = visitor.page()
    be_signed_in(page, new_identifier(), at="/profiles")
    expect(profile(page, "English")).to_contain_text("Active")
    return page


def test_a_profile_is_made_for_a_language_and_then_used(visitor):
    page = open_profiles(visitor)
    page.locator("#new-language").select_option("de")
    page.locator("#create-profile").click()
    expect(page.locator("#profiles-result")).to_contain_text("Deutsch")
    expect(profile(page, "Deutsch")).to_be_visible()
    expect(page.locator("#new-language option[value=de]")).to_have_count(0)
    profile(page, "Deutsch").get_by_role("button").click()
    expect(profile(page, "Deutsch")).to_contain_text("Active")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    active = visitor.read("/api/profiles")
    assert [one["language_code"] for one in active["profiles"] if one["profile_id"] == active["active_profile_id"]] == ["de"]


def test_profiles_take_no_mouse(visitor):
    page = open_profiles(visitor)
    tab_to(page, "#new-language")
    page.keyboard.press("ArrowDown")
    chosen = page.locator("#new-language").input_value()
    tab_to(page, "#create-profile")
    page.keyboard.press("Enter")
    expect(page.locator("#profile-list > li")).to_have_count(2)
    page.locator("body").evaluate("() => document.activeElement?.blur()")
    tab_to(page, "#profile-list button")
    page.keyboard.press("Enter")
    expect(page.locator(f"#profile-list > li[aria-current] [lang='{chosen}']")).to_be_visible()


def test_a_filter_that_matches_nothing_says_so_and_can_be_cleared(visitor):
    page = open_profiles(visitor)
    page.locator("#profile-filter").fill("<b>zzz</b>")
    expect(page.locator("#profiles-none")).to_contain_text("<b>zzz</b>")
    page.locator("#clear-filter").click()
    expect(profile(page, "English")).to_be_visible()
    expect(page.locator("#profile-filter")).to_be_focused()


def test_a_refusal_keeps_the_old_profile_and_says_what_to_do(visitor):
    page = open_profiles(visitor)
    visitor.expect_answers(429, 502)
    with refused(page, "/api/profiles", 502, "unexpected_payload"):
        page.locator("#create-profile").click()
    expect(page.locator("#profiles-result")).to_have_attribute("data-tone", "bad")
    expect(page.locator("#profiles-result")).not_to_have_text(re.compile(r"502|undefined"))
    with refused(page, "/api/profiles", 429, "too_many_attempts", retry_after=3):
        button = page.locator("#create-profile")
        button.click()
        expect(button).to_have_text(re.compile(r"0:0[1-3]"))
        expect(button).to_have_attribute("aria-disabled", "true")
    expect(button).not_to_have_attribute("aria-disabled", "true")
    expect(button).to_have_text("Create profile")
    expect(profile(page, "English")).to_contain_text("Active")


def test_a_page_that_cannot_load_says_so_and_recovers_by_itself(visitor):
    page = open_profiles(visitor)
    visitor.expect_answers(502)
    with refused(page, "/api/profiles", 502, "backend_error"):
        page.reload()
        expect(page.locator("[data-view=error]")).to_be_visible()
    expect(profile(page, "English")).to_be_visible()
    expect_live(page)
