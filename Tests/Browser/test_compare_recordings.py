"""Comparing recordings, and rows before and after, by mouse and by touch."""

import re

import pytest
from playwright.sync_api import expect
from recorded_sessions import AFTER, BEFORE, import_session
from steps import be_signed_in, expect_live, grid_row, new_identifier, open_log, refused
from test_grid import words
from watched_context import WatchedContext

LINES = "#difference-list > li"


@pytest.fixture
def keeper(visitor):
    """A context on a console with two recordings: its ids are `first` and `second`."""
    keep(visitor)
    return visitor


def keep(context):
    """Two recordings, and no others."""
    expect_live(context.page("/inbox"))
    for one in context.read("/api/recordings")["recordings"]:
        assert context.call("DELETE", f"/api/recordings/{one['id']}").ok
    context.first = import_session(context, "Before", BEFORE)
    context.second = import_session(context, "After", AFTER)


def told(page):
    """What each line says: the path and the kinds of differences."""
    lines = page.locator(LINES).evaluate_all("(all) => all.map((one) => [one.querySelector('.mono').textContent, one.dataset.kinds])")
    return [tuple(line) for line in lines]


ALL = [
    ("GET /rpc/me", "outcome"), ("GET /rpc/get_cues", "timing"), ("POST /rpc/refresh_tokens", "added"),
    ("GET /rpc/app_config", "reordered"), ("GET /rpc/app_config", "shape"), ("POST /rpc/update_cue", "missing"),
]


def test_two_recordings_are_chosen_and_compared(keeper):
    page = keeper.page("/recordings")
    page.locator(f"#compare-{keeper.first}").click()
    dialog = page.locator("dialog#compare-dialog[open]")
    expect(dialog.locator("#compare-first-log")).to_have_value(keeper.first)
    expect(dialog.locator("#compare-second-log")).to_have_value("live")
    dialog.locator("#compare-second-log").select_option(keeper.second)
    dialog.locator("#start-comparison").click()
    page.wait_for_url(f"**/recordings?compare={keeper.first}&with={keeper.second}")
    expect(page.locator("#comparison-summary")).to_have_text("6 differences in all")
    assert told(page) == ALL
    line = page.locator(LINES).filter(has_text="/rpc/me")
    expect(line.locator("[data-kind=outcome]")).to_contain_text(re.compile(r"200.*401"))
    expect(page.locator("[data-kind=timing]").last).to_contain_text(re.compile(r"120 ms.*640 ms"))
    expect(page.locator("[data-kind=shape]").last).to_contain_text("limit is new")
    expect(page.locator(LINES).filter(has_text="refresh_tokens")).to_contain_text(words("comparison.refresh"))
    # What the address says is what is shown, and the way back leads to the list.
    page.reload()
    expect(page.locator(LINES)).to_have_count(6)
    page.locator("#all-recordings").click()
    expect(page.locator("#recording-list > li")).to_have_count(2)


def test_a_kind_is_filtered_and_stays_in_the_address(keeper):
    page = keeper.page(f"/recordings?compare={keeper.first}&with={keeper.second}")
    page.locator("#difference-kinds [data-kind=shape]").click()
    expect(page.locator(LINES)).to_have_count(1)
    expect(page.locator("#difference-kinds [data-kind=shape]")).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(page.locator(LINES)).to_have_count(1)
    page.locator("#difference-kinds [data-kind='']").click()
    expect(page.locator(LINES)).to_have_count(6)


def test_a_call_opens_both_rows_beside_each_other(keeper):
    page = keeper.page(f"/recordings?compare={keeper.first}&with={keeper.second}")
    page.locator(LINES).filter(has_text="get_cues").locator("button").click()
    dialog = page.locator("dialog#compare[open]")
    expect(dialog.locator("thead")).to_contain_text("Before")
    expect(dialog.locator("thead")).to_contain_text("After")
    # The elements are the same ones by their ids: one moved and was changed, none was added or removed.
    kinds = dialog.locator("tbody tr[data-kind]").evaluate_all("(all) => all.map((one) => one.dataset.kind)")
    assert kinds == ["moved", "changed"]
    expect(dialog.locator("tr[data-kind=changed]")).to_contain_text("/cues/1/title → /cues/0/title")
    bars = dialog.locator("tr[data-phase=total] .timing-bar").evaluate_all("(all) => all.map((one) => one.style.inlineSize)")
    assert bars == ["18.75%", "100%"]
    dialog.locator("#compare-all").check()
    expect(dialog.locator("tr[data-kind=same]").filter(has_text="page")).to_have_count(1)
    dialog.locator("thead button").nth(1).click()
    page.wait_for_url(f"**/network?recording={keeper.second}&row=*")
    expect(page.locator("#detail-title")).to_contain_text("/rpc/get_cues")


@pytest.mark.long
def test_a_call_of_one_recording_opens_there(keeper):
    page = keeper.page(f"/recordings?compare={keeper.first}&with={keeper.second}")
    page.locator(LINES).filter(has_text="update_cue").locator("a").click()
    page.wait_for_url(f"**/network?recording={keeper.first}&row=*")
    expect(page.locator("#detail-title")).to_contain_text("/rpc/update_cue")


def test_a_recording_is_compared_with_the_live_log(keeper):
    page = keeper.page()
    be_signed_in(page, new_identifier(), at="/network")
    expect(grid_row(page, "/rpc/me").first).to_be_visible()
    saved = keeper.call("POST", "/api/recordings", {"title": "Now"}).json()["id"]
    page.goto(f"/network?recording={saved}")
    page.locator("#compare-live").click()
    page.wait_for_url(f"**/recordings?compare={saved}&with=live")
    expect(page.locator("#second-log")).to_contain_text("Live log of")
    # The page itself may have called meanwhile; what it called is all that differs.
    expect(page.locator("#comparison")).to_have_attribute("data-state", re.compile("equal|different"))
    assert {kinds for _, kinds in told(page)} <= {"added", "timing", "reordered"}
    page.goto(f"/recordings?compare={keeper.first}&with=live")
    line = page.locator(LINES).filter(has=page.locator("[data-kind=outcome], [data-kind=shape], [data-kind=timing]")).locator("button").first
    line.click()
    page.locator("dialog#compare thead button").nth(1).click()
    page.wait_for_url("**/network?row=*")
    expect(page.locator("#detail-title")).to_be_visible()


@pytest.mark.long
def test_equal_recordings_and_empty_ones_are_told(keeper):
    page = keeper.page(f"/recordings?compare={keeper.first}&with={keeper.first}")
    expect(page.locator("#comparison-equal")).to_contain_text(words("comparison.equal"))
    assert keeper.call("DELETE", "/api/network").ok
    empty = keeper.call("POST", "/api/recordings", {"title": "Nothing", "ids": ["unknown"]}).json()["id"]
    page.goto(f"/recordings?compare={keeper.first}&with={empty}")
    expect(page.locator("#comparison-empty")).to_contain_text("“Nothing” has no calls")
    expect(page.locator(f"{LINES} [data-kind=missing]")).to_have_count(6)


def test_what_cannot_be_compared_is_told_and_a_failure_can_be_retried(keeper):
    keeper.expect_answers(404, 413, 503)
    page = keeper.page(f"/recordings?compare={keeper.first}&with=unknown")
    expect(page.locator("#comparison [role=alert]")).to_contain_text(words("comparison.not_found"))
    for status, code, said in ((413, "payload_too_large", "20,000 rows"), (503, "unavailable", "not available right now")):
        with refused(page, "/api/recordings/*/compare*", status, code):
            page.goto(f"/recordings?compare={keeper.first}&with={keeper.second}")
            expect(page.locator("#comparison [role=alert]")).to_contain_text(said)
    page.locator("#comparison [role=alert] .button").first.click()
    expect(page.locator(LINES)).to_have_count(6)


@pytest.mark.long
def test_the_palette_compares_recordings_from_another_page(keeper):
    page = keeper.page("/inbox")
    expect_live(page)
    page.locator("#commands").click()
    page.keyboard.type("Compare recordings")
    page.locator("#palette-compare_recordings").click()
    page.wait_for_url("**/recordings")
    expect(page.locator("dialog#compare-dialog[open]")).to_be_visible()
    # The newest one stands first.
    expect(page.locator("#compare-first-log")).to_have_value(keeper.second)


@pytest.mark.long
def test_a_row_that_is_sent_again_is_compared_with_the_first(visitor):
    page = open_log(visitor)
    grid_row(page, "/rpc/me").first.click()
    first = page.locator("#detail-title").inner_text()
    expect(page.locator("#replay-row")).to_be_visible()
    expect(page.locator("#compare-first")).to_have_count(0)
    page.locator("#replay-row").click()
    page.locator("#compare-first").click()
    dialog = page.locator("dialog#compare[open]")
    expect(dialog.locator("thead button")).to_have_count(2)
    expect(dialog.locator("tbody tr").filter(has_text="source")).to_contain_text("replay")
    # Of what is masked, it is told whether it is the same.
    expect(dialog.locator("#compare-masks")).to_contain_text("the same token")
    dialog.locator("thead button").first.click()
    expect(page.locator("#detail-title")).to_have_text(first)
    expect(page.locator("#compare-first")).to_have_count(0)
    # The menu of the row and the palette offer it too.
    again = page.locator("[data-row]").filter(has_text=words("row.source.replay")).first
    again.click(button="right")
    page.locator("[data-item=compare-first]").click()
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    again.click()
    expect(page.locator("#compare-first")).to_be_visible()
    page.keyboard.press("Control+K")
    page.keyboard.type("original")
    page.locator("#palette-compare_first").click()
    expect(dialog).to_be_visible()


@pytest.mark.long
def test_the_answer_of_the_composer_offers_the_comparison(visitor):
    page = open_log(visitor)
    grid_row(page, "/rpc/me").first.click()
    page.locator("#edit-row").click()
    page.locator("dialog#composer button[type=submit]").click()
    page.locator("#compose-answer #compare-first").click()
    expect(page.locator("dialog#compare[open] thead button")).to_have_count(2)


def test_two_rows_are_compared_with_three_clicks_and_by_the_palette(visitor):
    page = open_log(visitor)
    rows = page.locator("#network-grid [data-row]")
    compare = page.locator("#compare-selected")
    # The row that is open is the first of the two, and nothing moves when there is something to press.
    rows.nth(0).click()
    expect(page.locator("network-detail")).to_be_visible()
    before = rows.nth(1).bounding_box()
    rows.nth(1).click(modifiers=["ControlOrMeta"])
    expect(page.locator("#selection-count")).to_contain_text("Selected: 2 ·")
    assert rows.nth(1).bounding_box() == before
    dialog = page.locator("dialog#compare[open]")
    compare.click()
    expect(dialog.locator("thead button")).to_have_count(2)
    page.keyboard.press("Escape")
    page.keyboard.press("Control+K")
    page.keyboard.type("two selected")
    page.locator("#palette-compare_rows").click()
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    rows.nth(2).click(modifiers=["Control"])
    expect(compare).to_be_hidden()


@pytest.mark.long
def test_recordings_are_compared_by_touch(browser, shared_console):
    phone = WatchedContext(
        browser, shared_console, reduced_motion="reduce", has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844})
    keep(phone)
    page = phone.page("/recordings")
    page.locator(f"#compare-{phone.first}").tap()
    page.locator("#compare-second-log").select_option(phone.second)
    page.locator("#start-comparison").tap()
    expect(page.locator(LINES)).to_have_count(6)
    page.locator("#difference-kinds [data-kind=timing]").tap()
    expect(page.locator(LINES)).to_have_count(1)
    page.locator(f"{LINES} button").tap()
    dialog = page.locator("dialog#compare[open]")
    expect(dialog.locator("tr[data-phase=total]")).to_be_visible()
    for root in ("document.documentElement", "document.querySelector('dialog#compare')"):
        assert page.evaluate(f"() => {{ const root = {root}; return root.scrollWidth <= root.clientWidth; }}"), root
    # The two values have a half of the width each.
    widths = dialog.locator("tr[data-kind=moved] td").evaluate_all("(all) => all.map((one) => Math.round(one.getBoundingClientRect().width))")
    assert len(widths) == 2 and abs(widths[0] - widths[1]) <= 1 and widths[0] > 120
    phone.close()
