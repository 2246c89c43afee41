"""The grid's own tools by mouse and keyboard, in a fresh profile: quick and named filters, pause, clearing and its undo, the look of rows."""

import re

from catalogue import messages
import pytest
from playwright.sync_api import expect
from steps import be_signed_in, expect_live, grid_row, new_identifier, row_with_status

words = messages().__getitem__


def network(context, path="/network"):
    """A signed-in device's network page."""
    page = context.page("/login")
    be_signed_in(page, new_identifier(), at=path)
    expect(page.locator("[data-row]").first).to_be_visible()
    return page


def test_a_quick_filter_adds_its_term_and_takes_it_back(visitor):
    page = network(visitor)
    visitor.call("GET", "/api/account")
    cached = page.locator('[data-term="-is:cached"]')
    errors = page.locator('[data-term="is:failed"]')
    cached.click()
    expect(cached).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#filter")).to_have_value("-is:cached")
    expect(grid_row(page, words("row.source.cache"))).to_have_count(0)
    errors.click()
    expect(page.locator("#filter")).to_have_value("-is:cached is:failed")
    expect(page.locator("[data-view=none]")).to_be_visible()
    errors.click()
    cached.click()
    expect(page.locator("#filter")).to_have_value("")
    expect(grid_row(page, words("row.source.cache")).first).to_be_visible()


def test_a_filter_is_kept_under_a_name(visitor):
    page = network(visitor)
    save = page.locator("#save-filter")
    expect(save).to_be_hidden()
    page.locator("#filter").click()
    page.keyboard.type("method:POST")
    # The name of a long one is in sight at once.
    page.locator("#filter").fill(f"path:{'x' * 1800}")
    page.set_viewport_size({"width": 390, "height": 600})
    save.click()
    expect(page.locator("#filter-name")).to_be_in_viewport(ratio=1)
    expect(page.locator("#filter-dialog h2")).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator("#filter").fill("method:POST")
    save.click()
    expect(page.locator("#filter-name")).to_be_focused()
    # A filter may hold an address or a code: who keeps it hears where.
    expect(page.locator("#filter-name")).to_have_accessible_description(words("filter.kept_here"))
    page.keyboard.type("What I send")
    page.keyboard.press("Enter")
    chip = page.get_by_role("button", name="What I send", exact=True)
    expect(chip).to_have_attribute("aria-pressed", "true")
    expect(chip).to_be_focused()
    expect(save).to_be_hidden()
    chip.click()
    expect(page.locator("#filter")).to_have_value("")
    page.reload()
    expect_live(page)
    chip.click()
    expect(page.locator("#filter")).to_have_value("method:POST")
    expect(page.locator("[data-row] .c-method").first).to_have_text("POST")
    page.get_by_role("button", name=words("filter.forget").replace("{name}", "What I send")).click()
    expect(chip).to_have_count(0)
    expect(page.locator("#filter")).to_have_value("method:POST")


def test_a_pause_keeps_rows_back_and_shows_them_afterwards(visitor):
    page = network(visitor)
    count = page.locator("[data-row]").count()
    page.locator("#pause-log").click()
    expect(page.locator("#paused")).to_contain_text(words("network.paused"))
    visitor.call("GET", "/api/account")
    expect(page.locator("#paused")).to_contain_text(re.compile(r"Waiting: \d+\."))
    expect(page.locator("[data-row]")).to_have_count(count)
    # What is listed stays alive.
    grid_row(page, "/rpc/me").first.click()
    for pressed in ("true", "false"):
        page.locator("#pin-row").click()
        expect(page.locator("#pin-row")).to_have_attribute("aria-pressed", pressed)
    page.locator("#close-detail").click()
    page.locator("#resume-log").click()
    expect(page.locator("#paused")).to_be_hidden()
    expect(page.locator("#pause-log")).to_be_focused()
    expect(page.locator("[data-row]")).not_to_have_count(count)


def test_a_cleared_log_is_brought_back(visitor):
    page = network(visitor)
    grid_row(page, "/rpc/me").first.click()
    page.locator("#pin-row").click()
    before = [row["id"] for row in visitor.read("/api/network")["events"]]
    page.locator("#clear-log").click()
    expect(page.locator("[data-view=empty]")).to_be_visible()
    expect(page.locator("#toast")).to_contain_text(words("network.cleared"))
    assert visitor.read("/api/network")["events"] == []
    page.locator("#undo-clear").click()
    expect(page.locator("#toast")).to_have_count(0)
    expect(page.locator("[data-row]")).to_have_count(len(before))
    assert [row["id"] for row in visitor.read("/api/network")["events"]] == before
    expect(page.locator("[data-pinned]")).to_have_count(1)


def test_a_failure_says_what_happened_where_the_status_would_stand(visitor):
    page = network(visitor)
    rule = visitor.call("POST", "/api/faults", {"match": {"endpoint": "me"}, "when": {"count": 9}, "action": {"kind": "offline"}}).json()
    visitor.expect_answers(503)
    visitor.call("GET", "/api/account")
    failed = page.locator("[data-kind=row]").filter(has_text=words("row.error.offline")).first
    expect(failed).to_have_attribute("data-tone", "bad")
    expect(failed.get_by_role("img", name="fault rule “offline”")).to_be_visible()
    expect(failed).to_have_attribute("aria-label", re.compile(r"^GET /rpc/me, .*offline, .*fault rule “offline”"))
    visitor.call("DELETE", f"/api/faults/{rule['id']}")
    # A status says what it is by its colour, whoever answered.
    visitor.call("POST", "/api/faults", {"match": {"endpoint": "me"}, "when": {"count": 9}, "action": {"kind": "status", "status": 404}})
    visitor.expect_answers(404, 502)
    visitor.call("GET", "/api/account")
    refused = row_with_status(page, 404).first
    expect(refused).to_have_attribute("data-tone", "warn")
    expect(refused.get_by_role("img", name="fault rule “status”")).to_be_visible()


@pytest.mark.long
def test_a_path_shows_its_query_and_a_flow_of_one_call_is_one_line(visitor):
    page = network(visitor)
    visitor.call("POST", "/api/network/requests", {"method": "GET", "path": "/rpc/me", "query": "page=2", "auth": True})
    line = grid_row(page, "/rpc/me?page=2")
    expect(line).to_have_attribute("aria-level", "1")
    expect(line.locator(".flow-name")).to_have_text(words("row.source.composed"))
    expect(page.locator("[data-kind=flow]").filter(has_text="compose")).to_have_count(0)
    # The path says already which endpoint it is.
    expect(line.locator(".c-endpoint")).to_have_text("")


@pytest.mark.long
def test_bars_share_one_axis(visitor):
    page = network(visitor)
    visitor.call("GET", "/api/account")
    bars = page.locator("[data-row] .fall-bar:not([hidden])")
    newest = visitor.read("/api/network")["events"][-1]["id"]
    expect(page.locator(f"[data-row='{newest}'] .fall-bar:not([hidden])")).to_be_visible()
    ends = bars.evaluate_all("""(all) => all.map((one) => {
      const [box, cell] = [one.getBoundingClientRect(), one.parentElement.getBoundingClientRect()];
      return [box.left - cell.left, box.right - cell.left, cell.width].map(Math.round);
    })""")
    assert len(ends) > 3
    assert ends[0][0] == 0 and all(end <= width + 1 for _, end, width in ends)
    starts = [start for start, _, _ in ends]
    assert starts == sorted(starts) and starts[-1] > ends[0][2] / 2, starts


def test_with_the_detail_open_size_and_attempt_stay(visitor):
    page = network(visitor)
    grid_row(page, "/rpc/me").first.click()
    expect(page.locator("network-detail")).to_be_visible()
    for name in ("seq", "method", "path", "status", "size", "ms", "source"):
        expect(page.locator(f".grid-head .c-{name}")).to_be_visible()
    expect(page.locator(".grid-head .c-fall")).to_be_hidden()


def test_on_a_phone_the_toolbar_takes_two_lines_and_its_controls_come_into_view(visitor):
    page = network(visitor)
    page.set_viewport_size({"width": 390, "height": 844})
    tops = page.locator(".toolbar button:visible, #filter").evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().top)")
    assert len(tops) > 10, tops
    assert len({round(top) for top in tops}) == 2, tops
    last = page.locator(".toolbar .quick").last
    expect(last).not_to_be_in_viewport()
    last.focus()
    expect(last).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
