"""The network page over made rows: streams that break, gaps, and positions that do not move."""

import os
import re

import pytest
from made_console import MadeConsole, made_row
from playwright.sync_api import expect
from steps import expect_live, new_identifier, wait_until
from watched_context import leave

# How often the stream is broken.
BREAKS = 100 if os.environ.get("BROWSER_TESTS") == "all" else 20
SEQUENCES = """() => {
  const { store } = document.querySelector('network-grid');
  return Array.from({ length: store.count }, (_, place) => store.columns.seq[store.slotAt(place)]);
}"""
AT_END = "() => { const { grid } = document.querySelector('network-grid'); return grid.scrollTop + grid.clientHeight >= grid.scrollHeight - 5; }"
HOLDS = "(count) => document.querySelector('network-grid').store.count === count && !document.querySelector('network-console').inert"


@pytest.fixture
def made():
    """Opens a console of so many made rows."""
    opened = []

    def make(count, **options):
        opened.append(MadeConsole(count, **options))
        return opened[-1]

    yield make
    for console in opened:
        console.stop()


@pytest.fixture
def tab(browser):
    """A page of its own; an error in it fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    errors = []
    context.on("weberror", lambda error: errors.append(str(error.error)))
    page = context.new_page()
    yield page
    leave(page)
    context.close()
    assert not errors, errors


def frames(tab):
    """Waits until what was scheduled is painted."""
    tab.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def reopened(console, tab, streams):
    """Waits until the page has a new stream; it need not wait for its own pause to end."""
    for _ in range(200):
        tab.evaluate("() => dispatchEvent(new Event('online'))")
        with console.changed:
            if console.changed.wait_for(lambda: console.streams > streams, timeout=0.05):
                return
    raise AssertionError("the stream was not opened again")


# Promises the next row's arrival, and the time in which rows are merged after it.
ARRIVAL = """async () => {
  const { events } = await import("/assets/js/events.js");
  window.arrival = new Promise((done) => events.addEventListener("network", () => setTimeout(done, 100), { once: true }));
}"""

def test_many_broken_streams_lose_nothing_and_double_nothing(made, tab):
    console = made(50)
    tab.goto(f"{console.url}/network")
    expect_live(tab)
    seq = 50
    for round_number in range(BREAKS):
        streams = console.streams
        for _ in range(3):
            seq += 1
            console.send(made_row(seq))
        if round_number % 2:
            console.send(made_row(seq - 1) | {"rev": 2, "status": 418})
        console.cut()
        seq += 1
        console.send(made_row(seq))
        reopened(console, tab, streams)
    wait_until(tab, HOLDS, seq)
    assert tab.evaluate(SEQUENCES) == list(range(1, seq + 1))
    assert tab.evaluate("document.querySelector('network-grid').lines.gaps.length") == 0
    assert console.streams > BREAKS, "the streams were broken and opened again"


def test_what_was_missed_for_good_is_shown_where_it_was_missed(made, tab):
    console = made(20, history=5)
    tab.goto(f"{console.url}/network?flat=1")
    expect_live(tab)
    console.send(made_row(21))
    wait_until(tab, HOLDS, 21)
    tab.evaluate("() => { window.fetchNow = window.fetch; window.fetch = () => new Promise(() => {}); }")
    console.cut()
    for seq in range(22, 42):
        console.send(made_row(seq))
    tab.evaluate("() => { window.fetch = window.fetchNow; }")
    expect(tab.locator("[data-kind=gap]")).to_be_visible(timeout=40_000)
    wait_until(tab, HOLDS, 41)
    assert tab.evaluate(SEQUENCES) == list(range(1, 42))
    # Who followed the log follows it still, although a banner came and went.
    wait_until(tab, AT_END)
    # The order of the document follows that of the screen as soon as the view rests.
    wait_until(tab, """() => {
      const gap = document.querySelector("[data-kind=gap]");
      const beside = [gap.previousElementSibling, gap.nextElementSibling].map((one) => one?.querySelector(".c-seq").textContent);
      return beside.join() === "21,22";
    }""")


def test_a_log_that_gets_less_room_is_still_followed(made, tab):
    tab.goto(f"{made(60).url}/network?flat=1")
    wait_until(tab, HOLDS, 60)
    wait_until(tab, AT_END)
    # As a banner does whose frame has a scroll event of the rows before it.
    tab.evaluate("""() => {
      const { grid } = document.querySelector("network-grid");
      grid.style.maxBlockSize = "200px";
      grid.dispatchEvent(new Event("scroll"));
    }""")
    wait_until(tab, AT_END)
    assert tab.evaluate("document.querySelector('network-grid').isFollowing")


def test_the_menu_key_opens_the_menu_of_an_active_line_out_of_view(made, tab):
    tab.goto(f"{made(200).url}/network?flat=1")
    wait_until(tab, HOLDS, 200)
    tab.locator(f"[data-row='{made_row(200)['id']}']").click()
    tab.keyboard.press("Escape")
    tab.locator("#network-grid").evaluate("(grid) => { grid.scrollTop = 0; }")
    expect(tab.locator("#network-grid")).to_be_focused()
    tab.keyboard.press("Shift+F10")
    expect(tab.get_by_role("menu")).to_have_accessible_name("Row 200")


@pytest.mark.long
def test_a_hundred_thousand_rows_keep_few_elements_and_say_how_many_they_are(made, tab):
    console = made(100_000)
    tab.goto(f"{console.url}/network")
    wait_until(tab, HOLDS, 100_000)
    grid = tab.locator("#network-grid")
    assert int(grid.get_attribute("aria-rowcount")) > 100_000
    for place in (0, 1_000_000, 2_000_000):
        grid.evaluate("(grid, top) => { grid.scrollTop = top; }", place)
        frames(tab)
        assert tab.locator(".grid-window > *").count() <= 80


@pytest.mark.long
def test_what_is_read_stays_where_it_is_while_rows_arrive_and_leave(made, tab):
    console = made(300, capacity=320)
    tab.goto(f"{console.url}/network")
    wait_until(tab, HOLDS, 300)
    grid = tab.locator("#network-grid")
    grid.evaluate("(grid) => { grid.scrollTop = grid.scrollHeight / 2; }")
    frames(tab)
    row = tab.locator("[data-row]").nth(15)
    identifier = row.get_attribute("data-row")
    row.click()
    place = tab.locator(f"[data-row='{identifier}']").bounding_box()["y"]
    for seq in range(301, 381):
        console.send(made_row(seq))
    expect(tab.locator("#new-rows")).to_be_visible()
    wait_until(tab, "(seq) => document.querySelector('network-grid').store.lastSequence === seq", 380)
    frames(tab)
    assert abs(tab.locator(f"[data-row='{identifier}']").bounding_box()["y"] - place) < 1
    assert tab.locator(f"[data-row='{identifier}']").evaluate("(row) => row === document.activeElement")
    expect(tab.locator("#row-count")).to_contain_text("60 older rows deleted")
    tab.locator("#new-rows").click()
    expect(tab.locator(".grid-window > *").last).to_be_in_viewport()


TYPE_AND_PRESS = """() => {
  const input = document.querySelector("#filter");
  input.focus();
  input.value = "stat";
  input.dispatchEvent(new Event("input", { bubbles: true }));
  const before = input.getAttribute("aria-expanded");
  input.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true, cancelable: true }));
  return [before, input.getAttribute("aria-expanded"), input.getAttribute("aria-activedescendant")];
}"""


def test_rows_come_before_suggestions_and_a_key_need_not_wait_for_them(made, tab):
    console = made(60)
    tab.goto(f"{console.url}/network")
    wait_until(tab, HOLDS, 60)
    tab.locator("#filter").fill("meth")
    expect(tab.locator("#filter-list [role=option]")).to_have_count(1)
    tab.keyboard.press("Escape")
    assert tab.evaluate(TYPE_AND_PRESS) == ["false", "true", "filter-option-0"]


@pytest.mark.long
def test_the_grid_is_used_without_a_mouse(made, tab):
    console = made(60)
    tab.goto(f"{console.url}/network")
    wait_until(tab, HOLDS, 60)
    tab.keyboard.press("/")
    tab.keyboard.type("stat")
    expect(tab.locator("#filter-list [role=option]")).to_have_count(1)
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Enter")
    tab.keyboard.type("5xx")
    expect(tab.locator("#row-count")).to_contain_text("6 of 60")
    expect(tab.locator("#filter-says")).to_contain_text("the status is 5xx")
    tab.keyboard.press("Enter")
    rows = tab.locator("[data-row]")
    expect(tab.locator("[data-active]")).to_have_attribute("data-row", rows.first.get_attribute("data-row"))
    tab.keyboard.press("ArrowLeft")
    expect(tab.locator("[data-active]")).to_have_attribute("data-kind", "flow")
    tab.keyboard.press("ArrowLeft")
    expect(tab.locator("[data-active]")).to_have_attribute("aria-expanded", "false")
    expect(rows).to_have_count(5)
    tab.keyboard.press("ArrowRight")
    expect(rows).to_have_count(6)
    tab.keyboard.press("Control+a")
    expect(tab.locator("#selection-count")).to_contain_text("6")
    tab.keyboard.press("End")
    tab.keyboard.press("Enter")
    expect(tab.locator("#detail-title")).to_be_visible()
    expect(tab.locator(".cause")).to_contain_text("The backend failed.")
    tab.keyboard.press("Escape")
    expect(tab.locator("network-detail")).to_be_hidden()
    expect(tab.locator("[data-active]")).to_be_focused()


def test_a_row_that_came_before_the_stream_was_open_is_shown(watched):
    held = []
    # The page's first visit makes the device.
    page = watched.page("/login")
    expect_live(page)
    page.route("**/api/events*", lambda route: held.append(route))
    page.goto("/network")
    expect(page.locator("#row-count")).not_to_be_empty()
    answer = watched.call("POST", "/api/login/code", {"identifier": new_identifier()})
    assert answer.ok, answer.text()
    for route in held:
        route.continue_()
    expect(page.locator("#network-grid [data-row]").filter(has_text="/rpc/request_login_code").first).to_be_visible()


def test_a_press_reaches_its_row_though_rows_arrive_and_are_put_in_order_before_the_release(made, tab):
    console = made(300)
    tab.goto(f"{console.url}/network")
    wait_until(tab, HOLDS, 300)
    wait_until(tab, AT_END)
    identifier = made_row(300)["id"]
    tab.evaluate(ARRIVAL)
    tab.locator(f"[data-row='{identifier}']").hover()
    tab.mouse.down()
    # It joins the pressed row's user action, whose head would take the row's place.
    console.send(made_row(301))
    tab.evaluate("() => window.arrival")
    frames(tab)
    tab.mouse.up()
    expect(tab.locator(f"[data-row='{identifier}'][data-active]")).to_be_visible()
    wait_until(tab, "(seq) => document.querySelector('network-grid').store.lastSequence === seq", 301)
    expect(tab.locator("#detail-title")).to_be_visible()
    tab.locator("#close-detail").click()
    tab.keyboard.press("Home")
    row = tab.locator("[aria-rowindex='3'][data-row]")
    row.hover()
    tab.mouse.down()
    # It has its name when the view rests, which is also when the elements are put in order.
    expect(row).to_have_attribute("aria-label", re.compile("."))
    tab.mouse.up()
    expect(tab.locator("#detail-title")).to_be_visible()


def test_a_new_row_that_is_opened_is_no_longer_announced_over_it(made, tab):
    console = made(300)
    tab.goto(f"{console.url}/network")
    wait_until(tab, HOLDS, 300)
    tab.locator("#network-grid").focus()
    tab.keyboard.press("Home")
    for seq in (301, 302):
        console.send(made_row(seq))
    expect(tab.locator("#new-rows")).to_contain_text("2")
    tab.evaluate("(id) => document.querySelector('network-console').openWanted(id)", made_row(302)["id"])
    expect(tab.locator("#detail-title")).to_be_visible()
    expect(tab.locator("#new-rows")).to_be_hidden()
