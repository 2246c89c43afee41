"""Deleting the account: asked twice, told what goes, and never told a wrong outcome."""

import re

from playwright.sync_api import expect
from steps import be_signed_in, new_identifier, refused, tab_to


def open_deletion(visitor, identifier=None):
    """Signs in and opens the page."""
    page = visitor.page()
    be_signed_in(page, identifier or new_identifier(), at="/delete-account")
    expect(page.locator("#what-profiles")).to_contain_text("1 profile")
    return page


def test_a_typed_word_schedules_the_deletion_and_signs_out(visitor):
    identifier = new_identifier()
    page = open_deletion(visitor, identifier)
    page.locator("#open-deletion").click()
    expect(page.locator("#keep-account")).to_be_focused()
    confirm, ground = page.locator("#confirm-deletion"), "(button) => getComputedStyle(button).backgroundColor"
    closed = confirm.evaluate(ground)
    expect(confirm).to_be_disabled()
    for typed, opens in (("delet", False), (" delete ", True), ("deleted", False), ("Delete", True)):
        page.locator("#deletion-word").fill(typed)
        expect(confirm).to_be_enabled(enabled=opens)
        confirm.evaluate("(button) => Promise.all(button.getAnimations().map((one) => one.finished))")
        assert (confirm.evaluate(ground) != closed) is opens, typed
    confirm.click()
    expect(page.locator("#done-text")).to_have_text(re.compile(r"20\d\d"))
    state = visitor.read("/api/state")["session"]
    assert state["state"] == "signed_out"
    # In the days of grace the account can still be entered, and shows what is coming.
    be_signed_in(page, identifier)
    expect(page.locator("#deletion-scheduled")).to_be_visible()
    page.goto("/delete-account")
    expect(page.locator("#scheduled-text")).to_have_text(re.compile(r"20\d\d"))


def test_another_word_is_refused_at_the_field_and_nothing_happens(visitor):
    page = open_deletion(visitor)
    page.locator("#open-deletion").click()
    page.locator("#deletion-word").press("Enter")
    expect(page.locator("#deletion-error")).to_have_text(re.compile(r"\w+ \w+"))
    for word in ("REMOVE", "<b>DELETE</b>", "🗑", "\u202eETELED", "x" * 10_000):
        page.locator("#deletion-word").fill(word)
        page.locator("#deletion-word").press("Enter")
        expect(page.locator("#deletion-error")).to_have_text(re.compile(r"\w+ \w+"))
        expect(page.locator("#deletion-word")).to_have_value(word)
    page.keyboard.press("Escape")
    expect(page.locator("#deletion-dialog")).to_be_hidden()
    expect(page.locator("#open-deletion")).to_be_focused()
    assert visitor.read("/api/state")["session"]["state"] == "authenticated"


def test_a_lost_answer_is_no_failure_and_asking_again_is_safe(visitor):
    page = open_deletion(visitor)
    visitor.expect_lost_connection()
    page.route("**/api/account/deletion", lambda route: route.abort("connectionreset"))
    visitor.expect_failed_requests("/api/account/deletion")
    page.locator("#open-deletion").click()
    page.locator("#deletion-word").fill("DELETE")
    page.locator("#confirm-deletion").click()
    expect(page.locator("#ask-again")).to_be_focused()
    page.locator("#check-account").click()
    expect(page.locator("#unknown-why")).to_contain_text("No deletion")
    page.unroute_all()
    page.locator("#ask-again").click()
    expect(page.locator("#done-text")).to_have_text(re.compile(r"20\d\d"))
    assert visitor.read("/api/state")["session"]["state"] == "signed_out"


def test_the_word_of_the_language_counts(visitor):
    page = open_deletion(visitor)
    page.goto("/delete-account?lang=de")
    # A read of the account that comes after the deletion is answered 401.
    expect(page.locator("#what-profiles")).to_contain_text("1 Profil")
    page.locator("#open-deletion").click()
    expect(page.locator("#deletion-label")).to_contain_text("LÖSCHEN")
    page.locator("#deletion-word").fill("löschen")
    page.locator("#confirm-deletion").click()
    expect(page.locator("#done-text")).to_have_text(re.compile(r"20\d\d"))


def test_deleting_takes_no_mouse(visitor):
    page = open_deletion(visitor)
    tab_to(page, "#open-deletion")
    page.keyboard.press("Enter")
    tab_to(page, "#deletion-word")
    page.keyboard.type("DELETE")
    page.keyboard.press("Enter")
    expect(page.locator("#done-title")).to_be_focused()


def test_a_request_that_never_left_is_a_plain_failure(visitor):
    page = open_deletion(visitor)
    visitor.expect_answers(503)
    with refused(page, "/api/account/deletion", 503, "offline"):
        page.locator("#open-deletion").click()
        page.locator("#deletion-word").fill("DELETE")
        page.locator("#confirm-deletion").click()
        expect(page.locator("#deletion-error")).to_contain_text("cannot be reached")
        expect(page.locator("#deletion-word")).to_have_value("DELETE")
    page.locator("#confirm-deletion").click()
    expect(page.locator("#done-text")).to_have_text(re.compile(r"20\d\d"))
