"""The log of a device, which the console keeps on disk: the same rows under the same links after any end of the program, and older rows."""

import json
import re
from contextlib import closing

import pytest
from console_process import Browser
from moments import until
from playwright.sync_api import expect
from steps import be_signed_in, connection, expect_live, from_menu, grid_row, link_of, new_identifier
from watched_context import WatchedContext

FIRST_LINE = "#network-grid [data-kind=dropped]"
ENDED = "#network-grid [data-kind=gap]"
# The text of each row on the screen by its id, and where it is.
ON_SCREEN = """() => Object.fromEntries(Array.from(document.querySelectorAll("#network-grid [data-row]"), (row) =>
  [row.dataset.row, Math.round(row.getBoundingClientRect().top)]))"""
# A log of so many rows holds the newest of those that are made.
CAPACITY, MADE = 100, 1300
PRESSES = {"mouse": lambda line: line.click(), "keyboard": lambda line: line.page.keyboard.press("Enter"), "touch": lambda line: line.tap()}


def ids(watched):
    """The rows that the console has, by `seq`."""
    return {row["seq"]: row["id"] for row in watched.read("/api/network?limit=2000")["events"]}


def expect_saved(watched):
    """Waits until the rows are on the disk, where a search for the oldest of them finds all."""
    newest = max(ids(watched))

    def is_saved():
        saved = watched.read(f"/api/network?before={newest + 1}&limit=1")["events"]
        return saved and saved[0]["seq"] == newest

    until(is_saved, "the rows are not saved")


def expect_row(page, link, text):
    """The link shows that row."""
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("#detail-title")).to_contain_text(text)
    expect(page.locator("#network-grid [aria-selected], #network-grid [data-row]").first).to_be_visible()


def signed_in(watched):
    """The network page of somebody who is signed in, the link of a row, and the rows."""
    page = watched.page()
    be_signed_in(page, new_identifier(), at="/network")
    return page, link_of(page, "/rpc/app_config"), ids(watched)


@pytest.mark.parametrize("ending", [pytest.param("relaunch", marks=pytest.mark.long), pytest.param("stop", marks=pytest.mark.long), "kill"])
def test_rows_and_links_outlive_the_program(watched, console, ending):
    page, link, before = signed_in(watched)
    assert "device=" in link
    if ending == "relaunch":
        page.locator("#device").click()
        page.locator("#relaunch").click()
        expect(page.locator("#device-result")).to_have_attribute("data-tone", "ok")
    else:
        watched.expect_lost_connection()
        if ending == "stop":
            assert console.stop() == 0
        else:
            expect_saved(watched)
            console.kill()
        console.restart()
    expect_row(page, link, "/rpc/app_config")
    expect(page).to_have_url(link)
    after = ids(watched)
    kept = {seq: one for seq, one in after.items() if seq in before}
    assert kept and kept.items() <= before.items()
    if ending != "kill":
        assert len(kept) == len(before)
    expect(page.locator(ENDED)).to_have_count(1 if ending == "kill" else 0)
    if ending == "kill":
        expect(page.locator(ENDED)).to_contain_text("ended unexpectedly between")


@pytest.mark.arguments("--device-idle", "1")
@pytest.mark.long
def test_rows_and_links_outlive_sleep(browser, watched, console):
    page, link, before = signed_in(watched)
    # A device sleeps if nobody uses it while another wakes.
    page.goto("about:blank")
    awake = 'understudy_used{name="devices_awake"} '
    other = WatchedContext(browser, console)
    # Its own page reads again after each relaunch.
    other.expect_answers(429, 503)
    visitor = other.page("/timeline")
    expect_live(visitor)
    for _ in range(200):
        if f"{awake}1\n" in (text := visitor.request.get("/metrics").text()):
            break
        assert other.call("POST", "/api/session/relaunch", {}).ok
    assert f"{awake}1\n" in text, text
    other.close()
    expect_row(page, link, "/rpc/app_config")
    after = ids(watched)
    assert before.items() <= after.items()
    expect(page.locator(ENDED)).to_have_count(0)


def make_older_rows(watched):
    """Makes more rows than the memory of the console has room for; gives the `seq` of the first that it has still."""
    body = json.dumps({"network_log": {"capacity": CAPACITY}})
    small = {"kind": "answer", "status": 200, "headers": [["Content-Type", "application/json"]], "body": body}
    assert watched.call("POST", "/api/faults", {"name": "small log", "match": {"endpoint": "app_config"}, "action": small}).ok
    assert watched.call("POST", "/api/session/relaunch", {}).ok
    with closing(Browser(watched.console.port)) as caller:
        # Without the browser's driver, which would take ten times as long.
        caller.cookies = {one["name"]: one["value"] for one in watched.context.cookies()}
        caller.key = watched.device_key
        for number in range(MADE):
            sent = {"method": "GET", "path": f"/made/{number}", "auth": False}
            # Only a few are on their way at once.
            answer = until(
                lambda sent=sent: (answer := caller.call("POST", "/api/network/requests", sent)).status != 429 and answer, "every call is refused")
            assert answer.status == 202, answer
    first = watched.read("/api/network?limit=1")
    assert first["older"] > 1000, first
    return first["events"][0]["seq"]


@pytest.fixture(scope="module")
def long_device(browser, shared_console):
    """A device with older rows: (what its browser stores, the `seq` of the first row that a page loads)."""
    context = WatchedContext(browser, shared_console)
    expect_live(context.page("/inbox"))
    first = make_older_rows(context)
    state = context.context.storage_state()
    context.close()
    return state, first


@pytest.fixture
def long_log(browser, shared_console, long_device, request):
    """The network page of that device: (the context, the page, the `seq` of the first row)."""
    state, first = long_device
    has_touch = getattr(request, "param", None) == "touch"
    context = WatchedContext(browser, shared_console, reduced_motion="reduce", has_touch=has_touch, storage_state=state)
    page = context.page("/network")
    expect(grid_row(page, f"/made/{MADE - 1}")).to_be_visible()
    # It comes after the rows and moves them.
    expect(page.get_by_role("region", name="Fault rules on")).to_be_visible()
    yield context, page, first
    context.close()


@pytest.mark.parametrize("long_log", ["mouse", pytest.param("keyboard", marks=pytest.mark.long), pytest.param("touch", marks=pytest.mark.long)], indirect=True)
def test_older_rows_come_in_front_and_move_nothing(long_log, request):
    _, page, first = long_log
    from_menu(page, "#view", "group")
    page.locator("#network-grid").focus()
    page.keyboard.press("Home")
    line = page.locator(FIRST_LINE)
    expect(line).to_contain_text("Show older rows (1,")
    left = int(re.sub(r"\D", "", line.inner_text()))
    before = page.evaluate(ON_SCREEN)
    assert len(before) > 5
    PRESSES[request.node.callspec.params["long_log"]](line)
    expect(page.locator("#announcer")).to_have_text("Older rows added: 1,000")
    expect(page.locator("#row-count")).to_contain_text(re.compile(r"1,1\d\d rows"))
    now = page.evaluate(ON_SCREEN)
    assert {one: now.get(one) for one in before} == before
    # The row above comes next, and the line leads to those before.
    page.keyboard.press("ArrowUp")
    expect(page.locator("#network-grid [data-row]:focus .c-seq")).to_have_text(str(first - 2))
    page.keyboard.press("Home")
    expect(line).to_contain_text(f"({left - 1000:,})")
    line.click()
    expect(page.locator("#row-count")).to_contain_text(re.compile(r"1,3\d\d rows"))
    page.keyboard.press("Home")
    expect(line).to_have_count(0)
    expect(page.locator("#network-grid [data-row] .c-seq").first).to_have_text("1")


def test_a_filter_says_what_it_does_not_cover(long_log):
    _, page, _ = long_log
    # The console cannot apply this one.
    page.locator("#filter").fill("path:*/made/99*")
    expect(page.locator("[data-view=none]")).to_be_visible()
    expect(page.locator("#older-note")).to_contain_text(re.compile(r"Older rows not loaded: 1,\d\d\d"))
    page.locator("#older-rows").click()
    expect(page.locator("#older-note")).to_contain_text(re.compile(r"Older rows not loaded: 2\d\d"))
    expect(grid_row(page, "/made/999")).to_be_visible()
    page.locator("#older-rows").click()
    expect(page.locator("#older-note")).to_be_hidden()
    expect(page.locator("#row-count")).to_contain_text("11 of")


def test_a_filter_finds_all_saved_rows_at_once(long_log):
    _, page, _ = long_log
    page.locator("#filter").fill("path:/made/9")
    expect(page.locator("[data-view=none]")).to_be_visible()
    search = page.get_by_role("button", name="Search older rows")
    search.click()
    expect(page.locator("#announcer")).to_have_text("Older rows added: 111")
    expect(page.locator("#row-count")).to_contain_text("111 of 211")
    expect(page.locator("#older-note")).to_contain_text("All older rows searched")
    expect(search).to_be_hidden()
    # What is between them is still offered, and comes in its place.
    page.locator("#filter").fill("")
    from_menu(page, "#view", "group")
    page.locator("#network-grid").focus()
    page.keyboard.press("Home")
    line = page.locator(FIRST_LINE)
    expect(line).to_contain_text("Show older rows (1,")
    line.click()
    expect(page.locator("#row-count")).to_contain_text(re.compile(r"1,\d\d\d rows"))
    page.keyboard.press("Home")
    line.click()
    expect(page.locator("#row-count")).to_contain_text(re.compile(r"1,3\d\d rows"))
    page.keyboard.press("Home")
    expect(line).to_have_count(0)
    shown = page.locator("#network-grid [data-row] .c-seq").all_inner_texts()
    assert {"1", "2", "3", "4", "5"} <= set(shown), shown


def test_selected_rows_are_exported_from_the_disk_too(long_log):
    watched, _, first = long_log
    oldest = watched.read("/api/network?before=10&limit=3")["events"]
    newest = watched.read("/api/network?limit=1")["events"]
    assert oldest[-1]["seq"] < first
    wanted = [row["id"] for row in oldest + newest]
    answer = watched.call("POST", "/api/network/export", {"format": "json", "ids": wanted[::-1]})
    assert answer.ok and answer.headers["x-export-rows"] == "4", answer.text()
    exported = answer.json()
    rows = exported["rows"] if isinstance(exported, dict) else exported
    assert [row["id"] for row in rows] == wanted


@pytest.mark.long
def test_older_rows_stay_when_the_log_is_loaded_again(long_log, shared_console):
    watched, page, _ = long_log
    page.locator("#filter").fill("path:/made/1000")
    page.locator("#older-rows").click()
    expect(grid_row(page, "/made/1000")).to_be_visible()
    watched.expect_lost_connection()
    assert shared_console.stop() == 0
    # Reading the log after the restart fails until the page has said so.
    failed, told = [], []
    page.route(
        "**/api/network?*before=*",
        lambda route: route.continue_() if told else (failed.append(route.request.url), route.abort("connectionreset")))
    shared_console.restart()
    expect(connection(page)).not_to_have_attribute("data-state", "live")
    expect(connection(page)).to_have_attribute("data-state", "live", timeout=40_000)
    # The page tries again by itself, less and less often, as its button would at once.
    expect(page.locator("#network-notice")).to_contain_text("Try again")
    told.append(True)
    assert failed
    expect(page.locator("#network-notice")).to_be_hidden()
    expect(grid_row(page, "/made/1000")).to_be_visible()


def test_a_fault_of_the_console_before_is_told_once(watched):
    page = watched.page()
    told = []

    def state(route):
        answer = route.fetch()
        fault = {} if told else {"ended_by_fault": {"signal": "SIGSEGV", "at": "2026-11-25T10:30:00.000Z"}}
        route.fulfill(response=answer, json=answer.json() | fault)

    def seen(route):
        told.append(route.request.method)
        route.fulfill(status=204)

    page.route("**/api/state", state)
    page.route("**/api/ended-by-fault", seen)
    be_signed_in(page, new_identifier(), at="/network")
    notice = page.locator("#toast")
    expect(notice).to_contain_text("SIGSEGV")
    notice.get_by_role("button").click()
    expect(notice).to_have_count(0)
    assert told == ["DELETE"]
