"""A page outlives the program."""

from playwright.sync_api import expect
from steps import be_signed_in, connection, expect_live, new_identifier


def test_an_open_page_says_that_the_server_is_away_and_recovers(watched, console):
    page, identifier = watched.page(), new_identifier()
    be_signed_in(page, identifier)
    pill = connection(page)
    expect_live(page)
    watched.expect_lost_connection()
    console.kill()
    expect(pill).not_to_have_attribute("data-state", "live")
    expect(page.get_by_role("main")).to_contain_text(identifier)
    console.restart()
    expect(pill).to_have_attribute("data-state", "live", timeout=40_000)
    expect(page.get_by_role("main")).to_contain_text(identifier)
