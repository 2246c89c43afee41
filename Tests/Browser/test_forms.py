"""Whatever is typed into a form is answered at its field, and stays there."""

import re

import pytest
from playwright.sync_api import expect
from steps import Clicks, ask, be_signed_in, expect_live, new_identifier

TEXTS = {
    "nothing": "",
    "much": "x" * 10_000,
    "control characters": "a\u0001\u0007\u001bb",
    "emoji": "🎭👩‍👩‍👧🏳️‍🌈",
    "right to left": "\u202eשלום مرحبا",
    "markup": "<img src=x onerror=alert(1)><b>me</b>",
}


def identifier(visitor):
    """The first step of signing in."""
    page = visitor.page("/login")
    expect_live(page)
    return page, "#identifier", "#send-code"


def code(visitor):
    """The second step of signing in."""
    page = visitor.page("/login")
    ask(page, new_identifier(), "code", Clicks())
    return page, "#code", "#verify"


def device_name(visitor):
    """The name of a new device."""
    page = visitor.page("/login")
    expect_live(page)
    page.locator("#device").click()
    return page, "#device-name", "#add-device"


def deletion_word(visitor):
    """The word that confirms a deletion; its button is closed until the word is right, so Enter asks."""
    page = visitor.page()
    be_signed_in(page, new_identifier(), at="/delete-account")
    page.locator("#open-deletion").click()
    return page, "#deletion-word", None


@pytest.mark.parametrize("form", [identifier, *(pytest.param(form, marks=pytest.mark.long) for form in (code, device_name, deletion_word))])
def test_a_form_answers_at_its_field_and_keeps_what_was_typed(visitor, form):
    visitor.expect_answers(400, 413, 422)
    page, field, button = form(visitor)
    for name, text in TEXTS.items():
        if form is device_name and name in ("emoji", "markup"):
            continue  # those are names
        page.locator(field).fill(text)
        kept = page.locator(field).input_value()
        if button:
            page.locator(button).click()
        else:
            page.locator(field).press("Enter")
        expect(page.locator(field), name).to_have_attribute("aria-invalid", "true")
        described = page.locator(field).get_attribute("aria-describedby").split()
        told = page.locator(", ".join(f"#{one}" for one in described)).filter(visible=True).filter(has_text=re.compile(r"\w+ \w+"))
        expect(told.first, name).to_be_visible()
        expect(page.locator(field), name).to_have_value(kept)
        assert len(kept) == len(text), f"{name}: the field cuts"
        # The next try starts clean.
        page.locator(field).fill("a")
        expect(page.locator(field)).not_to_have_attribute("aria-invalid", "true")


@pytest.mark.parametrize("path, field, key", [
    ("/profiles", "#profile-filter", None), pytest.param("/cues", "#cue-filter", None, marks=pytest.mark.long),
    pytest.param("/settings", "#palette-input", "Control+k", marks=pytest.mark.long),
])
def test_a_filter_takes_any_text(visitor, path, field, key):
    page = visitor.page()
    be_signed_in(page, new_identifier(), at=path)
    expect(page.locator("[data-view=ready]").first).to_be_visible()
    if key:
        page.keyboard.press(key)
    for name, text in TEXTS.items():
        page.locator(field).fill(text)
        if not text:
            continue
        none = page.locator("[data-view=none], .palette-none").filter(visible=True)
        expect(none, name).to_be_visible()
        expect(page.locator(field)).to_have_value(text)
        sizes = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert sizes[0] <= sizes[1], f"{name} makes the page overflow"
