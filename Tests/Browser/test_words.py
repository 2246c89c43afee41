"""Every visible word comes from the catalogue, in every language, on every page."""

import re

import pytest
from catalogue import languages
from playwright.sync_api import expect
from steps import Clicks, ask, be_signed_in, expect_live, new_identifier

SIGNED_OUT = ("/login", "/callback", "/callback#token=nonenone", "/inbox", "/network", "/timeline", "/help", "/nowhere")
SIGNED_IN = ("/settings", "/profiles", "/delete-account", "/network", "/timeline", "/inbox")
LANGUAGES = [language for language in languages() if language != "en"]

# Visible texts and labels without the marks of the accented pseudo-locale, what the program or a person named left out.
BARE = """() => {
  const named = "bdi, code, kbd, pre, dd, option, .mono, .badge[data-fact], [data-fact=connection], .pill, [data-i18n='shell.product'], " +
    "[role=gridcell], .c-path, .node-code, time, .nums, title, body [lang]";
  const bare = [];
  const marked = (text) => /[\\u00e0-\\u024f\\u0400-\\u04ff]|~~/.test(text);
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const text = node.data.trim();
    const element = node.parentElement;
    if (!/[a-z]{2}/i.test(text) || element.closest(named) || element.closest("noscript, script") || !element.checkVisibility()) continue;
    if (!marked(text)) bare.push(text);
  }
  for (const element of document.querySelectorAll("[aria-label], [placeholder], [title]")) {
    if (!element.checkVisibility() || element.matches("[data-fact]")) continue;
    for (const name of ["aria-label", "placeholder", "title"]) {
      const text = element.getAttribute(name);
      if (text && /[a-z]{3}/i.test(text) && !marked(text) && !element.closest("[role=row], .backend, body [lang]")) bare.push(`${name}: ${text}`);
    }
  }
  return bare;
}"""
# Keys that were shown instead of their messages.
KEYS = r"\b(?:shell|nav|state|login|callback|settings|account|profiles|deletion|cues|palette|command|devices|inbox|network|fault|timeline|error)\.[a-z_]+\b"


def settled(page):
    """Waits until the page shows its content."""
    expect_live(page)
    expect(page.locator("[aria-busy='true']")).to_have_count(0)


def test_no_visible_text_bypasses_the_catalogue(visitor):
    visitor.expect_answers(404, 422)
    page = visitor.page("/login?lang=en-XA")
    for path in SIGNED_OUT:
        page.goto("about:blank")
        page.goto(path)
        settled(page)
        assert page.evaluate(BARE) == [], path
    ask(page, new_identifier(), "code", Clicks())
    page.locator("#code").fill("000000")
    expect(page.locator("#code")).to_have_attribute("aria-invalid", "true")
    assert page.evaluate(BARE) == []
    page.locator("#use-another").click()
    be_signed_in(page, new_identifier())
    for path in SIGNED_IN:
        page.goto(path)
        settled(page)
        assert page.evaluate(BARE) == [], path
    for key, opened in (("Control+k", "#palette"), ("?", "#shortcuts"), ("d", "#devices"), ("f", "#faults")):
        page.keyboard.press(key)
        expect(page.locator(opened)).to_be_visible()
        assert page.evaluate(BARE) == [], opened
        page.keyboard.press("Escape")
        expect(page.locator(opened)).to_have_count(0)
    page.goto("/delete-account")
    page.locator("#open-deletion").click()
    page.locator("#deletion-word").press("Enter")
    assert page.evaluate(BARE) == []


# The accessibility tests walk through the pages in English and Arabic.
@pytest.mark.parametrize("language", [pytest.param(code, marks=[] if code == "de" else pytest.mark.long) for code in LANGUAGES])
def test_every_page_speaks_the_language(visitor, language):
    visitor.expect_answers(404)
    page = visitor.page(f"/login?lang={language}")
    for path in ("/login", "/callback", "/network", "/timeline", "/inbox", "/help", "/nowhere"):
        page.goto(path)
        settled(page)
        check_language(page, language)
    page.goto("/login")
    be_signed_in(page, new_identifier())
    for path in SIGNED_IN:
        page.goto(path)
        settled(page)
        check_language(page, language)


def check_words(page, language):
    """The page is in that language and direction, and shows no key instead of a message."""
    root = page.locator("html")
    expect(root).to_have_attribute("lang", language)
    expect(root).to_have_attribute("dir", "rtl" if language in ("ar", "he") else "ltr")
    # The stable words of events and states are no messages.
    text = page.evaluate("""() => {
      const named = document.querySelectorAll("code");
      for (const one of named) one.hidden = true;
      const text = document.body.innerText;
      for (const one of named) one.hidden = false;
      return text;
    }""")
    assert not re.search(KEYS, text), re.search(KEYS, text)
    assert not re.search(r"\{\w+\}|undefined|NaN|\[object", text), text


def check_language(page, language):
    """The page speaks that language and does not overflow."""
    check_words(page, language)
    for wide in (1280, 320):
        page.set_viewport_size({"width": wide, "height": 800})
        sizes = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert sizes[0] <= sizes[1], f"{page.url} in {language} overflows at {wide} px: {sizes}"
    page.set_viewport_size({"width": 1280, "height": 800})
