"""The viewer of an exported zip: one file that opens from the disk, without a network, and works like the network page."""

import io
import json
import re
import zipfile

import pytest
from playwright.sync_api import expect
from steps import be_signed_in, from_menu, new_identifier


@pytest.fixture(scope="module")
def exported(browser, tmp_path_factory):
    """An exported bundle with failures and faults: the folder of its files, and its rows."""
    from console_team import start_console
    from watched_context import WatchedContext

    folder = tmp_path_factory.mktemp("viewer")
    console = start_console(folder / "data", arguments=("--limits", "off"))
    watched = WatchedContext(browser, console)
    page = watched.page()
    be_signed_in(page, new_identifier(), at="/network")
    watched.call("POST", "/api/faults", {"name": "no luck", "match": {"endpoint": "me"}, "when": {}, "action": {"kind": "status", "status": 503}})
    watched.expect_answers(503)
    watched.call("GET", "/api/account")
    watched.call("GET", "/api/cues")
    archive = zipfile.ZipFile(io.BytesIO(watched.call("GET", "/api/network/export").body()))
    archive.extractall(folder / "bundle")
    watched.close()
    assert console.stop() == 0
    rows = json.loads(archive.read("rows.json"))
    assert any(row.get("fault_id") for row in rows) and len({row["flow_id"] for row in rows}) > 2
    return folder / "bundle", rows


@pytest.fixture
def opened(browser, exported):
    """Opens the viewer without a network; it must ask for nothing and report nothing."""
    contexts, asked, errors = [], [], []

    def begin(**options):
        context = browser.new_context(offline=True, **{"viewport": {"width": 1280, "height": 800}} | options)
        contexts.append(context)
        viewer = context.new_page()
        viewer.on("request", lambda request: asked.append(request.url))
        viewer.on("pageerror", lambda error: errors.append(str(error)))
        viewer.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        viewer.goto((exported[0] / "viewer.html").as_uri())
        return viewer

    begin.errors = errors
    yield begin
    for context in contexts:
        context.close()
    # A choice of another language loads the file again.
    assert {url.partition("?")[0] for url in asked} == {(exported[0] / "viewer.html").as_uri()} and not errors, (asked, errors)


def line(viewer, row):
    return viewer.locator(f'.grid-window [data-row="{row["id"]}"]')


def expect_shown(viewer, rows):
    expect(viewer.locator(".grid-window [data-kind=row]:visible")).to_have_count(len(rows))
    for row in rows:
        expect(line(viewer, row)).to_be_visible()


# What differs from the network page, whose filters `filter.test.js` has.
FILTERS = {
    # The session is over: spans of time end with it.
    "since:1d": lambda row: True,
    # No console searches the bodies.
    "body:ACCOUNT_ID": lambda row: "account_id" in json.dumps([row["request"], row.get("response")]),
    "nowhere": lambda row: False,
}


def test_it_filters_the_rows(opened, exported):
    viewer, rows = opened(), exported[1]
    expect_shown(viewer, rows)
    for text, test in FILTERS.items():
        viewer.locator("#filter").fill(text)
        expect_shown(viewer, [row for row in rows if test(row)])
    expect(viewer.locator("[data-view=none]").first).to_contain_text("No rows match")
    viewer.locator("#filter").fill("status:abc")
    expect(viewer.locator("#filter-problem")).to_be_visible()
    viewer.locator("#filter").press("Escape")
    viewer.locator("#filter").blur()
    viewer.get_by_role("button", name="Errors").click()
    expect(viewer.locator("#filter")).to_have_value("is:failed")
    expect_shown(viewer, [row for row in rows if row["state"] == "failure"])


def test_rows_are_grouped_by_action_and_read_by_keyboard(opened, exported):
    viewer, rows = opened(), exported[1]
    grouped = [row for row in rows if sum(one["flow_id"] == row["flow_id"] for one in rows) > 1]
    expect(viewer.locator("[data-kind=flow]")).to_have_count(len({row["flow_id"] for row in grouped}))
    viewer.keyboard.press("/")
    expect(viewer.locator("#filter")).to_be_focused()
    viewer.keyboard.type("503")
    expect_shown(viewer, [row for row in rows if row.get("status") == 503])
    viewer.locator("#filter").fill("")
    expect_shown(viewer, rows)
    viewer.keyboard.press("Escape")
    viewer.keyboard.press("Enter")
    viewer.keyboard.press("Home")
    expect(line(viewer, rows[0])).to_be_focused()
    viewer.keyboard.press("Enter")
    expect(viewer.locator("#detail-title")).to_have_text(f"{rows[0]['method']} {rows[0]['path']}")
    viewer.get_by_role("tab", name="Overview").focus()
    viewer.keyboard.press("ArrowRight")
    expect(viewer.get_by_role("tab", name="Request", exact=True)).to_be_focused()
    expect(viewer.get_by_role("tabpanel", name="Request")).to_contain_text("headers")
    viewer.keyboard.press("End")
    expect(viewer.get_by_role("tab", name="Masked values")).to_have_attribute("aria-selected", "true")
    viewer.keyboard.press("Escape")
    expect(viewer.locator("network-detail")).to_be_hidden()
    from_menu(viewer, "#view", "group")
    expect(viewer.locator("[data-kind=flow]")).to_have_count(0)
    expect_shown(viewer, rows)


def test_every_part_of_a_row_is_there(opened, exported):
    viewer, rows = opened(), exported[1]
    failed = next(row for row in rows if row.get("fault_id"))
    line(viewer, failed).click()
    detail = viewer.locator("network-detail")
    expect(detail).to_contain_text("503")
    viewer.get_by_role("tab", name="Fault rules").click()
    expect(detail.get_by_role("tabpanel")).to_contain_text(re.compile("no luck.*503"))
    answered = next(row for row in rows if row["path"] == "/rpc/me" and row.get("status") == 200)
    line(viewer, answered).click()
    viewer.get_by_role("tab", name="Request", exact=True).click()
    expect(detail.get_by_role("row", name=re.compile("^Authorization"))).to_contain_text("Bearer ‹token:")
    viewer.get_by_role("tab", name="Response").click()
    expect(detail).to_contain_text("account_id")
    viewer.get_by_role("tab", name="Timing").click()
    expect(detail.get_by_role("tabpanel")).to_contain_text("Wait")
    viewer.get_by_role("tab", name="Masked values").click()
    expect(detail).to_contain_text("token")
    # What only a console can do is not offered.
    viewer.get_by_role("button", name="Copy").click()
    expect(viewer.get_by_role("menuitem", name="URL")).to_be_visible()
    expect(viewer.get_by_role("menuitem", name="cURL")).to_have_count(0)


def test_the_timeline_and_the_log_lead_to_each_other(opened, exported):
    viewer = opened()
    entries = json.loads((exported[0] / "timeline.json").read_text())
    caused = next(entry for entry in entries if entry.get("row_id") and entry["kind"] == "session")
    row = viewer.locator(f'.grid-window [data-row="{caused["row_id"]}"]')
    viewer.get_by_role("tab", name="Timeline").click()
    expect(viewer.locator("#entry-count")).to_have_text(f"{len(entries)} entries")
    expect(viewer.locator("#entries")).to_contain_text("Signed out → Signed in")
    expect(viewer.locator("#machine-now")).to_have_text("Signed in")
    # What happened fills the axis, however long ago it was.
    marks = viewer.locator(".axis-mark")
    expect(marks.first).to_be_visible()
    places = [mark.bounding_box()["x"] for mark in marks.all()]
    assert max(places) - min(places) > 300
    viewer.locator(f'#entries [data-row="{caused["row_id"]}"] a').click()
    expect(viewer.locator("network-detail")).to_be_visible()
    expect(row).to_be_visible()
    viewer.locator("network-detail .timeline-link").click()
    expect(viewer.locator(f'.axis-mark[data-rows~="{caused["row_id"]}"]:focus')).to_be_visible()
    # A row that the filter hides can be shown.
    viewer.keyboard.press("/")
    viewer.locator("#filter").fill("nowhere")
    viewer.get_by_role("tab", name="Timeline").click()
    viewer.locator(f'#entries [data-row="{caused["row_id"]}"] a').click()
    viewer.locator("#show-hidden").click()
    expect(row).to_be_visible()
    expect(viewer.locator("#filter")).to_have_value("")


def test_its_policy_allows_nothing_but_its_own_parts(opened):
    viewer = opened()
    policy = viewer.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy and ":" not in policy, policy
    assert not viewer.evaluate(
        """() => {
          const script = document.createElement("script");
          try { script.textContent = "globalThis.isBroken = true"; document.body.append(script); } catch { return false; }
          return globalThis.isBroken === true;
        }""")
    assert opened.errors
    opened.errors.clear()


LOOKS = {"wide": {}, "dark and from the right": {"color_scheme": "dark", "locale": "he-IL"}, "narrow": {"viewport": {"width": 360, "height": 640}}, "between": {"viewport": {"width": 1024, "height": 768}}}


@pytest.mark.parametrize("options", [pytest.param(look, id=name, marks=() if name in ("narrow", "between") else pytest.mark.long) for name, look in LOOKS.items()])
def test_it_fits_every_look(opened, exported, options):
    viewer = opened(**options)
    line(viewer, exported[1][-1]).click()
    expect(viewer.locator("network-detail")).to_be_visible()
    for view in ("network", "timeline"):
        viewer.locator(f"#show-{view}").click()
        expect(viewer.locator(f"#view-{view}")).to_be_visible()
        assert viewer.evaluate("document.documentElement.scrollWidth <= innerWidth"), view
    isDark, isHebrew = options.get("color_scheme") == "dark", "locale" in options
    canvas = viewer.evaluate(
        """() => {
          const context = document.createElement("canvas").getContext("2d");
          context.fillStyle = getComputedStyle(document.documentElement).backgroundColor;
          context.fillRect(0, 0, 1, 1);
          return context.getImageData(0, 0, 1, 1).data[0];
        }""")
    assert (canvas < 128) == isDark
    expect(viewer.locator("html")).to_have_attribute("dir", "rtl" if isHebrew else "ltr")
    if isHebrew:
        viewer.locator("#show-timeline").press("ArrowRight")
        expect(viewer.locator("#show-network")).to_be_focused()
        first, last = (viewer.get_by_role("columnheader").nth(place).bounding_box()["x"] for place in (0, 3))
        assert first > last
    viewer.locator("#language").select_option("ja")
    expect(viewer.locator("html")).to_have_attribute("lang", "ja")
    viewer.locator("#show-network").click()
    expect(viewer.locator("#view")).to_have_text(re.compile("[぀-ヿ一-鿿]"))


def test_what_needs_a_console_is_not_offered(opened, exported):
    viewer = opened()
    expect(line(viewer, exported[1][0])).to_be_visible()
    # Nothing waits for a part of the pages that the file does not have.
    expect(viewer.locator("html[data-rest]")).to_be_attached()
    needs_it = "#export, #compose, #open-faults, #clear-log, #pause-log, [data-action=drift]"
    expect(viewer.locator(needs_it)).to_have_count(6)
    expect(viewer.locator(needs_it).filter(visible=True)).to_have_count(0)
