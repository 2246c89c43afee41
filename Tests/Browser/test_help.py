"""The help: F1 and the header lead to the page's section, and the search shows what it finds."""

import pytest
from playwright.sync_api import expect
from steps import be_signed_in, expect_live, new_identifier, wait_until


def expect_section(page, name):
    """The help stands at that section."""
    page.wait_for_url(f"**/help#{name}")
    expect_live(page)
    expect(page.locator(f"#{name}")).to_be_in_viewport()


def test_f1_and_the_header_lead_to_the_section_of_the_page(visitor):
    page = visitor.page("/login")
    expect_live(page)
    # In a field too: it is no letter.
    page.locator("#identifier").press("F1")
    expect_section(page, "login")
    page.go_back()
    expect_live(page)
    page.locator("#help").click()
    expect_section(page, "login")
    be_signed_in(page, new_identifier())
    page.goto("/network?lang=ar")
    expect_live(page)
    page.keyboard.press("F1")
    expect_section(page, "network")
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    expect(page.locator(".help")).to_have_css("direction", "ltr")


def test_f1_keeps_what_is_typed_in_a_dialog(visitor):
    page = visitor.page()
    be_signed_in(page, new_identifier())
    page.goto("/network")
    page.locator("#compose").click()
    page.locator("#compose-path").fill("/rpc/mine")
    with page.context.expect_page() as opened:
        page.keyboard.press("F1")
    expect_section(opened.value, "network")
    expect(page.locator("#compose-path")).to_have_value("/rpc/mine")
    opened.value.close()


def test_the_list_of_shortcuts_and_the_palette_lead_to_the_help(visitor):
    page = visitor.page("/timeline")
    expect_live(page)
    page.keyboard.press("?")
    page.locator("#shortcuts a").click()
    expect_section(page, "timeline")
    page.goto("/recordings")
    expect_live(page)
    page.keyboard.press("Control+k")
    page.keyboard.type("show help")
    page.keyboard.press("Enter")
    expect_section(page, "recordings")


def test_the_search_shows_what_it_finds_and_a_link_brings_back_what_it_hides(visitor):
    page = visitor.page("/help")
    expect_live(page)
    page.keyboard.press("/")
    page.keyboard.type("Retry wi-fi")
    shown = page.locator("article section:visible")
    expect(shown).to_have_count(1)
    expect(page.locator("#help-found")).to_have_text("1 section")
    expect(page.locator(".help-contents a:visible")).to_have_text(["Turn on faults"])
    page.keyboard.press("Enter")
    expect(page.locator("#fault-rules-title")).to_be_focused()
    page.reload()
    expect(page.locator("#help-query")).to_have_value("Retry wi-fi")
    expect(shown).to_have_count(1)
    # The address of another section, as a link of it would set it.
    page.evaluate("location.hash = 'inbox'")
    expect(page.locator("#inbox")).to_be_in_viewport()
    expect(page.locator("#help-query")).to_have_value("")
    page.locator("#help-query").fill("zzz")
    expect(page.locator("#help-found")).to_have_text("No section contains zzz.")
    expect(shown).to_have_count(0)


def test_the_help_can_be_read_without_scripts(browser, shared_console):
    context = browser.new_context(java_script_enabled=False, base_url=shared_console.url, locale="en")
    page = context.new_page()
    page.goto("/help#cues")
    expect(page.locator("#cues")).to_be_in_viewport()
    expect(page.locator("#help-query")).to_be_hidden()
    expect(page.locator(".help noscript")).to_be_visible()
    context.close()


@pytest.mark.parametrize(("scheme", "chosen", "shown"), [("light", "dark", "dark"), ("dark", "", "dark"), ("dark", "light", "light")])
def test_only_pictures_of_the_theme_are_loaded(browser, shared_console, scheme, chosen, shown):
    # A context of its own: what a browser has in memory it takes for pictures that are hidden, too.
    context = browser.new_context(base_url=shared_console.url, color_scheme=scheme, locale="en")
    page = context.new_page()
    page.add_init_script(f"localStorage.setItem('understudy.theme', '{chosen}')")
    loaded = []
    page.on("request", lambda request: loaded.append(request.url) if request.url.endswith(".webp") else None)
    page.goto("/help#network")
    wait_until(page, "(shown) => document.querySelector(`#network .help-${shown}`).naturalWidth === 720", shown)
    assert all(url.endswith(f"-{shown}.webp") for url in loaded), loaded
    context.close()
