"""The palette, the keys, the sheet that lists them, and presentation mode."""

import re

import pytest
from playwright.sync_api import expect
from steps import Clicks, ask, be_signed_in, expect_live, new_identifier, open_inbox, wait_until

# Every visible text on the page that holds one of the values, unless it is drawn as dots.
READABLE = """(values) => {
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const element = node.parentElement;
    if (!element.checkVisibility() || getComputedStyle(element).webkitTextSecurity === "disc") continue;
    if (values.some((value) => node.data.includes(value))) found.push(node.data);
  }
  for (const field of document.querySelectorAll("input")) {
    const isOpen = getComputedStyle(field).webkitTextSecurity !== "disc";
    if (isOpen && field.checkVisibility() && values.some((value) => field.value.includes(value))) found.push(field.id);
  }
  return found;
}"""


def test_the_palette_finds_and_goes(visitor):
    page = visitor.page()
    be_signed_in(page, new_identifier())
    page.keyboard.press("Control+k")
    expect(page.locator("#palette-input")).to_be_focused()
    page.keyboard.type("profi")
    expect(page.locator("#palette-list [role=option]").first).to_have_text(re.compile("Profiles"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/profiles")
    page.keyboard.press("Control+k")
    page.keyboard.type("<b>nothing</b>")
    expect(page.locator(".palette-none")).to_contain_text("<b>nothing</b>")
    page.keyboard.press("Control+k")
    expect(page.locator("#palette")).to_have_count(0)
    page.keyboard.press("Control+k")
    page.keyboard.type("deutsch")
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("lang", "de")


def test_what_is_typed_before_the_palette_is_there_goes_into_it_and_so_does_enter(visitor):
    page = visitor.page()
    be_signed_in(page, new_identifier())
    held = []
    page.route("**/command-palette.js", lambda route: held.append(route))
    with page.expect_request("**/command-palette.js"):
        page.keyboard.press("Control+k")
    page.keyboard.type("deutsch")
    page.keyboard.press("Enter")
    expect(page.locator("#palette")).to_have_count(0)
    held[0].continue_()
    expect(page.locator("html")).to_have_attribute("lang", "de")


@pytest.mark.parametrize("keys, address", [
    ("gn", "/network"),
    *(pytest.param(f"g{path[1]}", path, marks=pytest.mark.long) for path in ("/settings", "/profiles", "/cues", "/timeline")),
    pytest.param("gi", "/inbox", marks=[
        pytest.mark.long, pytest.mark.one_console("needs the inbox page, which only an embedded backend has")]),
])
def test_two_keys_lead_to_a_page(visitor, keys, address):
    page = visitor.page()
    be_signed_in(page, new_identifier())
    if address == "/settings":
        page.goto("/profiles")
        expect_live(page)
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_url(f"**{address}*")


def test_the_sheet_lists_the_keys_and_turns_the_single_ones_off(visitor):
    page = visitor.page("/network")
    expect_live(page)
    page.keyboard.press("?")
    sheet = page.locator("#shortcuts")
    expect(sheet.locator("dt")).to_contain_text(["Open the commands"])
    expect(sheet).to_contain_text("On this page")
    page.locator("#single-keys").click()
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    page.locator("h1").evaluate("() => document.activeElement.blur()")
    page.keyboard.press("/")
    expect(page.locator("#filter")).not_to_be_focused()
    page.keyboard.press("Control+k")
    expect(page.locator("#palette")).to_be_visible()


def test_keys_stay_letters_in_a_field(visitor):
    page = visitor.page("/login")
    expect_live(page)
    page.locator("#identifier").fill("")
    page.locator("#identifier").press_sequentially("dt?gn@example.org")
    expect(page.locator("#identifier")).to_have_value("dt?gn@example.org")
    expect(page.locator("dialog[open]")).to_have_count(0)


@pytest.mark.one_console("needs the inbox page, which only an embedded backend has")
def test_presenting_hides_every_secret_and_identifier(visitor):
    identifier = new_identifier()
    page = visitor.page("/login")
    expect_live(page)
    page.locator("#identifier").blur()
    page.keyboard.press("Shift+P")
    expect(page.locator("[data-fact=presenting]")).to_be_visible()
    page.locator("#identifier").fill(identifier)
    assert page.evaluate(READABLE, [identifier]) == []
    ask(page, identifier, "link", Clicks())
    inbox = open_inbox(page, Clicks())
    expect(inbox.locator("#copy-code")).to_be_visible()
    message = visitor.read("/api/inbox?wait=10")["messages"][0]
    code, token = message["code"], re.search("token=([^&]+)", message["link"])[1]
    secrets = [identifier, code, f"{code[:3]} {code[3:]}", token]
    assert inbox.evaluate(READABLE, secrets) == []
    inbox.locator("#open-link").click()
    inbox.wait_for_url("**/settings*")
    expect(inbox.locator("#account-facts")).to_contain_text(identifier)
    account = visitor.read("/api/account")
    ids = [account["user"]["user_id"], account["active_profile"]["profile_id"]]
    for path in ("/settings", "/profiles", "/cues", "/network", "/timeline", "/inbox", "/delete-account"):
        inbox.goto(path)
        expect_live(inbox)
        expect(inbox.locator("[aria-busy='true']")).to_have_count(0)
        if path == "/settings":
            expect(inbox.locator("#account-facts")).to_contain_text(identifier)
        assert inbox.evaluate(READABLE, [*secrets, *ids]) == [], path
    inbox.goto("/settings")
    expect(inbox.locator("#account-facts")).to_contain_text(identifier)
    # The check itself: without the mode it finds them.
    inbox.keyboard.press("Shift+P")
    expect(inbox.locator("[data-fact=presenting]")).to_be_hidden()
    wait_until(inbox, f"(values) => ({READABLE})(values).length > 0", [identifier])
