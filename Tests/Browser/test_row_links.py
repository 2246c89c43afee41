"""A link to a row names the device whose row it is."""

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect
from steps import expect_live, link_of
from watched_context import WatchedContext


def test_a_link_shows_the_row_of_its_device_in_another_tab(watched):
    page = watched.page("/network")
    expect_live(page)
    link = link_of(page, "/rpc/app_config")
    first = page.locator("[data-fact=device]").inner_text()
    page.locator("#device").click()
    page.locator("#device-name").fill("Second phone")
    page.locator("#add-device").click()
    expect(page.locator("[data-fact=device]")).to_have_text("Second phone")
    other = watched.page(link)
    expect(other.locator("#detail-title")).to_contain_text("/rpc/app_config")
    expect(other.locator("[data-fact=device]")).to_have_text(first)
    expect(other).to_have_url(link)
    expect(other.locator(".histogram-time").first).not_to_be_empty()
    # The other tab keeps its device.
    page.reload()
    expect(page.locator("[data-fact=device]")).to_have_text("Second phone")


def test_a_link_of_a_device_without_a_key_says_so(watched, browser, console):
    page = watched.page("/network")
    expect_live(page)
    link = link_of(page, "/rpc/app_config")
    watched.expect_answers(404)
    # The browser lost the key, but the console knows that the device is its own.
    page.locator("#device").click()
    page.locator("#device-name").fill("Second phone")
    page.locator("#add-device").click()
    expect(page.locator("[data-fact=device]")).to_have_text("Second phone")
    page.evaluate("""() => localStorage.setItem("understudy.devices",
      JSON.stringify(JSON.parse(localStorage.getItem("understudy.devices")).filter((one) => one.name === "Second phone")))""")
    page.goto(link)
    expect(page.locator("#detail-panel")).to_contain_text("belongs to the device “Phone 1”")
    expect(page).to_have_url(link)
    stranger = WatchedContext(browser, console)
    stranger.expect_answers(404)
    there = stranger.page(link)
    expect(there.locator("#detail-panel")).to_contain_text("belongs to a device of another browser")
    stranger.close()


def test_a_number_of_no_row_says_so(watched):
    watched.expect_answers(404)
    page = watched.page("/network?row=99999")
    expect(page.locator("#detail-title")).to_have_text("Not available")
    expect(page.locator("#detail-panel")).to_contain_text("no longer contains this row")


def test_link_for_another_person_opens_the_row_in_a_recording(watched):
    page = watched.page("/network")
    expect_live(page)
    link_of(page, "/rpc/app_config")
    page.locator("#copy-row").click()
    with page.expect_response(lambda answer: answer.request.method == "POST" and answer.url.endswith("/api/recordings")):
        page.locator("[data-item=link]").click()
    (saved,) = watched.read("/api/recordings")["recordings"]
    page.goto(f"/network?recording={saved['id']}&row={parse_qs(urlsplit(page.url).query)['row'][0]}")
    expect(page.locator("#detail-title")).to_contain_text("/rpc/app_config")


def test_a_row_that_the_log_lost_is_said_to_be_gone(watched):
    page = watched.page("/network")
    expect_live(page)
    link = link_of(page, "/rpc/app_config")
    assert watched.call("DELETE", "/api/network").ok
    watched.expect_answers(404)
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("#detail-panel")).to_contain_text("The log no longer contains this row")
