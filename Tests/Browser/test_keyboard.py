"""The main job without a mouse."""

import pytest
from playwright.sync_api import expect
from steps import expect_signed_in, new_identifier, sign_in_by_code, tab_to, wait_until

# The text of the row that the keyboard stands on.
ACTIVE_ROW = """() => {
  const holder = document.activeElement;
  return document.getElementById(holder.getAttribute("aria-activedescendant"))?.textContent ?? holder.textContent;
}"""


@pytest.mark.one_console("needs the inbox page, which only an embedded backend has")
def test_signing_in_and_out_takes_no_mouse(watched):
    page, identifier = watched.page("/login"), new_identifier()
    expect(page.locator("#send-code")).to_be_visible()
    page.locator("body").evaluate("() => document.activeElement?.blur()")
    tab_to(page, "#identifier")
    page.keyboard.type(identifier)
    tab_to(page, "#send-code")
    page.keyboard.press("Enter")
    expect(page.locator("#code")).to_be_focused()

    inbox = watched.page("/inbox")
    # The clipboard is the machine's: what another test left there is no code of this one.
    inbox.evaluate("() => navigator.clipboard.writeText('-')")
    tab_to(inbox, "#copy-code")
    inbox.keyboard.press("Enter")
    wait_until(inbox, "async () => /\\d/.test(await navigator.clipboard.readText())")
    inbox.close()

    page.bring_to_front()
    expect(page.locator("#code")).to_be_focused()
    page.keyboard.press("Control+V")
    expect_signed_in(page, identifier)

    tab_to(page, "#sign-out")
    page.keyboard.press("Enter")
    expect(page.locator("#confirm-sign-out")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#confirm-sign-out")).to_be_hidden()
    expect(page.locator("#sign-out")).to_be_focused()
    page.keyboard.press("Enter")
    tab_to(page, "#confirm-sign-out")
    page.keyboard.press("Enter")
    page.wait_for_url("**/login*")


def test_network_rows_are_walked_with_the_keyboard(watched):
    page = watched.page()
    sign_in_by_code(page, new_identifier())
    page.goto("/network")
    grid = page.locator("#network-grid")
    expect(grid.get_by_role("row").nth(2)).to_be_visible()
    tab_to(page, "#network-grid")
    page.keyboard.press("Home")
    first = page.evaluate(ACTIVE_ROW)
    page.keyboard.press("j")
    wait_until(page, f"(before) => ({ACTIVE_ROW})() !== before", first)
    page.keyboard.press("k")
    wait_until(page, f"(before) => ({ACTIVE_ROW})() === before", first)
    # The first is the head of a group; below it are its requests.
    page.keyboard.press("j")
    wait_until(page, f"(before) => ({ACTIVE_ROW})() !== before", first)
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("tab").first).to_be_hidden()
    expect(page.locator("#network-grid:focus, #network-grid :focus")).to_have_count(1)


@pytest.mark.one_console("needs the inbox page, which only an embedded backend has")
@pytest.mark.long
def test_a_link_is_followed_without_a_mouse(watched):
    page, identifier = watched.page("/login"), new_identifier()
    expect(page.locator("#send-link")).to_be_visible()
    page.locator("#identifier").focus()
    page.keyboard.type(identifier)
    page.keyboard.press("Enter")
    expect(page.locator("#code")).to_be_focused()
    inbox = watched.page("/inbox")
    tab_to(inbox, "#open-link")
    inbox.keyboard.press("Enter")
    expect_signed_in(inbox, identifier)
    # The tab that waited for the code moves on too.
    expect_signed_in(page, identifier)


@pytest.mark.one_console("needs the inbox page, which only an embedded backend has")
def test_messages_are_walked_with_the_keyboard(visitor):
    page = visitor.page("/inbox")
    expect(page.locator("[data-view=empty]")).to_be_visible()
    for _ in range(2):
        visitor.call("POST", "/api/login/code", {"identifier": new_identifier()})
    expect(page.locator("#inbox-list button")).to_have_count(2)
    page.locator("body").evaluate("() => document.activeElement?.blur()")
    newest = page.locator("#inbox-list [aria-current]").get_attribute("data-message")
    page.keyboard.press("j")
    expect(page.locator("#inbox-list [aria-current]")).not_to_have_attribute("data-message", newest)
    expect(page.locator("#inbox-list [aria-current]")).to_be_focused()
    page.keyboard.press("k")
    expect(page.locator("#inbox-list [aria-current]")).to_have_attribute("data-message", newest)
    page.keyboard.press("c")
    wait_until(page, "async () => /^\\d{4,}$/.test((await navigator.clipboard.readText()).replace(/\\s/g, ''))")


@pytest.mark.long
def test_a_filter_of_profiles_is_cleared_without_a_mouse(visitor):
    page = visitor.page()
    sign_in_by_code(page, new_identifier())
    page.goto("/profiles")
    tab_to(page, "#profile-filter")
    page.keyboard.type("zzz")
    expect(page.locator("#clear-filter")).to_be_visible()
    tab_to(page, "#clear-filter")
    page.keyboard.press("Enter")
    expect(page.locator("#profile-filter")).to_be_focused()
    expect(page.locator("#profile-list > li")).to_have_count(1)
