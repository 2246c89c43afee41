"""Several devices in one browser: each tab shows one, a link finds the one that asked, and one can be reset."""

import re

import pytest
from playwright.sync_api import expect
from steps import Clicks, ask, connection, expect_live, expect_signed_in, new_identifier, sign_in_by_code, tab_to


def add_device(page, name):
    """Adds a device by the switcher; the tab shows it then."""
    page.locator("#device").click()
    page.locator("#device-name").fill(name)
    page.locator("#add-device").click()
    expect(page.locator("[data-fact=device]")).to_have_text(name)
    expect_live(page)


def test_two_tabs_show_two_devices_with_sessions_of_their_own(watched):
    first, identifier = watched.page(), new_identifier()
    sign_in_by_code(first, identifier)
    second = watched.page("/login")
    second.wait_for_url("**/settings*")
    add_device(second, "Tablet אב")
    second.goto("/settings")
    second.wait_for_url("**/login*")
    # The other tab keeps its own, also when it is read anew.
    first.reload()
    expect_signed_in(first, identifier)
    expect(first.locator("[data-fact=device]")).to_have_text("Phone 1")
    second.locator("#device").click()
    expect(second.locator(".device-list li")).to_have_count(2)
    second.get_by_role("button", name="Switch to Phone 1").click()
    expect_signed_in(second, identifier)


def test_a_link_is_led_back_to_the_device_that_asked(watched):
    page, identifier = watched.page("/login"), new_identifier()
    expect_live(page)
    ask(page, identifier, "link", Clicks())
    link = watched.read("/api/inbox?wait=10")["messages"][0]["link"]
    other = watched.page("/login")
    expect_live(other)
    add_device(other, "Second")
    watched.expect_answers(409)
    other.goto(link)
    other.locator("#sign-in").click()
    expect(other.locator("#foreign-why")).to_contain_text("Phone 1")
    other.get_by_role("button", name="Sign in on Phone 1").click()
    expect_signed_in(other, identifier)
    expect(other.locator("[data-fact=device]")).to_have_text("Phone 1")
    # The tab that waited for it moves on by itself.
    expect_signed_in(page, identifier)


def test_a_foreign_link_may_be_used_here_after_it_was_asked(watched):
    page, identifier = watched.page("/login"), new_identifier()
    expect_live(page)
    ask(page, identifier, "link", Clicks())
    link = watched.read("/api/inbox?wait=10")["messages"][0]["link"]
    add_device(page, "Second")
    watched.expect_answers(409)
    page.goto(link)
    page.locator("#sign-in").click()
    page.get_by_role("button", name="Sign in here, on Second").click()
    expect_signed_in(page, identifier)
    expect(page.locator("[data-fact=device]")).to_have_text("Second")


def test_a_reset_leaves_nothing_of_the_device(watched):
    page = watched.page()
    sign_in_by_code(page, new_identifier())
    before = watched.read("/api/state")["device_id"]
    watched.expect_answers(401)
    page.locator("#device").click()
    page.locator("#factory-reset").click()
    page.locator("#confirm-reset").click()
    page.wait_for_url("**/login*")
    expect_live(page)
    assert watched.read("/api/state")["device_id"] != before
    assert [one["device_id"] for one in watched.read("/api/devices")["devices"]] == [watched.read("/api/state")["device_id"]]
    assert not [row for row in watched.read("/api/network")["events"] if "login_with_code" in row["path"]]


def test_relaunching_the_app_restores_the_session(watched):
    page, identifier = watched.page(), new_identifier()
    sign_in_by_code(page, identifier)
    page.locator("#device").click()
    page.locator("#relaunch").click()
    expect(page.locator("#device-result")).to_have_attribute("data-tone", "ok")
    page.keyboard.press("Escape")
    expect_signed_in(page, identifier)
    expect(connection(page)).to_have_attribute("data-state", "live")


def test_a_bad_name_is_refused_at_the_field(watched):
    page = watched.page("/login")
    expect_live(page)
    page.locator("#device").click()
    for name in ("", "   ", "x" * 61, "a\u202eb", "x" * 10_000):
        page.locator("#device-name").fill(name)
        page.locator("#add-device").click()
        expect(page.locator("#device-name")).to_have_attribute("aria-invalid", "true")
        expect(page.locator("#device-name-error")).to_have_text(re.compile(r"\w+ \w+"))
        expect(page.locator("#device-name")).to_have_value(name)
    page.locator("#device-name").fill("<b>QA</b> 🎭")
    page.locator("#add-device").click()
    expect(page.locator("[data-fact=device]")).to_have_text("<b>QA</b> 🎭")


def test_any_device_is_renamed_and_deleted_from_the_list_which_says_who_is_signed_in(watched):
    page = watched.page()
    sign_in_by_code(page, new_identifier())
    add_device(page, "Tablet")

    def line(name):
        return page.locator(".device-list li").filter(has_text=name)

    def act(name, action):
        line(name).get_by_role("button", name=f"Actions for {name}").click()
        page.get_by_role("menuitem", name=action).click()

    page.locator("#device").click()
    expect(line("Phone 1")).to_contain_text("Signed in as p•••@example.org")
    expect(line("Tablet")).to_contain_text("Signed out")
    act("Phone 1", "Rename")
    expect(page.locator("#new-device-name")).to_be_focused()
    page.keyboard.type("a\u202eb")
    page.keyboard.press("Enter")
    expect(page.locator("#new-device-name")).to_have_attribute("aria-invalid", "true")
    page.locator("#new-device-name").fill("Work phone")
    page.keyboard.press("Enter")
    expect(line("Work phone").get_by_role("button", name="Actions for")).to_be_focused()
    act("Tablet", "Rename")
    page.keyboard.type("Tablet אב")
    page.keyboard.press("Enter")
    expect(page.locator("[data-fact=device]")).to_have_text("Tablet אב")
    act("Work phone", "Delete")
    page.locator("#confirm-delete-device").click()
    expect(line("Work phone")).to_have_count(0)
    assert [one["name"] for one in watched.read("/api/devices")["devices"]] == ["Tablet אב"]
    # The only one is reset, not deleted.
    line("Tablet").get_by_role("button", name="Actions for").click()
    expect(page.get_by_role("menuitem")).to_have_count(1)


@pytest.mark.long
def test_the_switcher_takes_no_mouse(watched):
    page = watched.page("/login")
    expect_live(page)
    tab_to(page, "#device")
    page.keyboard.press("Enter")
    tab_to(page, "#device-name")
    page.keyboard.type("Third")
    page.keyboard.press("Enter")
    expect(page.locator("[data-fact=device]")).to_have_text("Third")
    expect_live(page)
    tab_to(page, "#device")
    page.keyboard.press("Enter")
    tab_to(page, "[aria-label='Switch to Phone 1']")
    page.keyboard.press("Enter")
    expect(page.locator("[data-fact=device]")).to_have_text("Phone 1")
