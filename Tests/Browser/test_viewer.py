"""The viewer of an exported zip: one file that opens from the disk, without a network, and works like the network page."""

import io
import json
import re
import zipfile

import pytest
from playwright.sync_api import expect
from steps import be_signed_in, new_identifier


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

    yield begin
    for context in contexts:
        context.close()
    assert len(asked) == len(contexts) and not errors, (asked, errors)


def shown(viewer):
    """The ids of the rows in the grid."""
    return viewer.locator(".row").evaluate_all("rows => rows.map((row) => row.dataset.row)")


FILTERS = {
    "status:5xx": lambda row: row.get("status", 0) >= 500, "-status:2xx": lambda row: not 200 <= row.get("status", 0) < 300,
    "status:>=400": lambda row: row.get("status", 0) >= 400, "status:200..299,503": lambda row: row.get("status") in [*range(200, 300), 503],
    "method:post": lambda row: row["method"] == "POST", "method:get,post": lambda row: True,
    "path:/rpc/me": lambda row: "/rpc/me" in row["path"], "path:*cues*": lambda row: "cues" in row["path"],
    "-path:/rpc/me method:GET": lambda row: "/rpc/me" not in row["path"] and row["method"] == "GET",
    "(is:failed | path:cues) -is:faulted": lambda row: ("cues" in row["path"] or row["state"] == "failure") and not row.get("fault_id"),
    "is:faulted": lambda row: row["source"] == "fault" or row.get("fault_id"), "503": lambda row: row.get("status") == 503,
    "app_config": lambda row: "app_config" in row["path"], 'flow:"load_account"': lambda row: row["flow"] == "load_account",
    "has:body dur:>=0": lambda row: row["request_bytes"] or row.get("response_bytes"), "nowhere": lambda row: False,
    "body:no-such-text": lambda row: False, "since:1d": lambda row: True, "dur:>1h": None, "what:ever": None, '"open': None, "(": None, "status:abc": None,
}


def test_it_understands_the_filters_of_the_network_page(opened, exported):
    viewer, rows = opened(), exported[1]
    viewer.locator("#grouped").click()
    assert shown(viewer) == [row["id"] for row in rows]
    for text, test in FILTERS.items():
        viewer.locator("#filter").fill(text)
        expect(viewer.locator("#filter")).to_have_attribute("aria-invalid", str(test is None).lower())
        if test:
            assert shown(viewer) == [row["id"] for row in rows if test(row)], text
    viewer.locator("#filter").fill("nowhere")
    expect(viewer.get_by_role("status")).to_have_text("Nothing matches")


def test_the_page_reads_these_filters_alike(watched):
    page = watched.page("/network")
    valid = page.evaluate(
        """async (texts) => {
          const { parseFilter } = await import("/assets/js/models/network/filter-syntax.js");
          return texts.map((text) => parseFilter(text).problems.length === 0);
        }""", list(FILTERS))
    assert dict(zip(FILTERS, valid, strict=True)) == {text: test is not None for text, test in FILTERS.items()}


def test_rows_are_grouped_by_action_and_read_by_keyboard(opened, exported):
    viewer, rows = opened(), exported[1]
    flows = list(dict.fromkeys(row["flow_id"] for row in rows))
    expect(viewer.locator(".group")).to_have_count(len(flows))
    viewer.keyboard.press("/")
    expect(viewer.locator("#filter")).to_be_focused()
    viewer.keyboard.press("ArrowDown")
    expect(viewer.locator("#list")).to_be_focused()
    viewer.keyboard.press("ArrowDown")
    first = viewer.locator(".group").first
    expect(first).to_have_attribute("aria-selected", "true")
    viewer.keyboard.press("ArrowLeft")
    expect(first).to_have_attribute("aria-expanded", "false")
    assert len(shown(viewer)) == len([row for row in rows if row["flow_id"] != flows[0]])
    viewer.keyboard.press("ArrowRight")
    viewer.keyboard.press("ArrowDown")
    expect(viewer.locator("#detail h2")).to_have_text(f"{rows[0]['method']} {rows[0]['url']}")
    viewer.keyboard.press("Enter")
    expect(viewer.locator("#detail")).to_be_focused()
    viewer.get_by_role("tab", name="Overview").focus()
    viewer.keyboard.press("ArrowRight")
    expect(viewer.get_by_role("tab", name="Request", exact=True)).to_be_focused()
    expect(viewer.get_by_role("tabpanel", name="Request")).to_contain_text("Headers")
    viewer.keyboard.press("End")
    expect(viewer.get_by_role("tab", name="Redactions")).to_have_attribute("aria-selected", "true")
    viewer.keyboard.press("Escape")
    expect(viewer.locator("#detail")).to_be_hidden()
    expect(viewer.locator("#list")).to_be_focused()
    viewer.keyboard.press("End")
    expect(viewer.locator(f'.row[data-row="{rows[-1]["id"]}"]')).to_have_attribute("aria-selected", "true")


def test_every_part_of_a_row_is_there(opened, exported):
    viewer, rows = opened(), exported[1]
    failed = next(row for row in rows if row.get("fault_id"))
    viewer.locator(f'.row[data-row="{failed["id"]}"]').click()
    detail = viewer.locator("#detail")
    expect(detail).to_contain_text("503")
    viewer.get_by_role("tab", name="Faults").click()
    expect(detail).to_contain_text("no luck")
    expect(detail).to_contain_text('"status": 503')
    answered = next(row for row in rows if row["path"] == "/rpc/me" and row.get("status") == 200)
    viewer.locator(f'.row[data-row="{answered["id"]}"]').click()
    viewer.get_by_role("tab", name="Request", exact=True).click()
    expect(detail).to_contain_text("Authorization: Bearer ‹token:")
    viewer.get_by_role("tab", name="Response").click()
    expect(detail).to_contain_text('"account_id"')
    viewer.get_by_role("tab", name="Timing").click()
    expect(detail.locator(".phase")).not_to_have_count(0)
    viewer.get_by_role("tab", name="Redactions").click()
    expect(detail).to_contain_text("token")


def test_the_timeline_leads_to_the_row_even_if_it_is_filtered_away(opened, exported):
    viewer = opened()
    entries = json.loads((exported[0] / "timeline.json").read_text())
    viewer.locator("#filter").fill("nowhere")
    viewer.get_by_role("tab", name="Timeline").click()
    expect(viewer.locator("#events tbody tr")).to_have_count(len(entries))
    expect(viewer.locator("#events")).to_contain_text("Signed out → Signed in")
    caused = next(entry for entry in entries if entry.get("row_id"))
    viewer.locator(f"#entry-{caused['seq']} .link").click()
    expect(viewer.locator(f'.row[data-row="{caused["row_id"]}"]')).to_have_attribute("aria-selected", "true")
    expect(viewer.locator("#filter")).to_have_value("")


LOOKS = {"wide": {}, "dark and from the right": {"color_scheme": "dark", "locale": "he-IL"}, "narrow": {"viewport": {"width": 360, "height": 640}}}


@pytest.mark.parametrize("options", [pytest.param(look, id=name, marks=() if name == "narrow" else pytest.mark.long) for name, look in LOOKS.items()])
def test_it_fits_every_look(opened, exported, options):
    viewer = opened(**options)
    row = viewer.locator(f'.row[data-row="{exported[1][-1]["id"]}"]')
    row.click()
    expect(viewer.locator("#detail")).to_be_visible()
    for view in ("network", "timeline"):
        viewer.locator(f'#views [data-name="{view}"]').click()
        assert viewer.evaluate("document.documentElement.scrollWidth <= innerWidth"), view
    isDark, isHebrew = options.get("color_scheme") == "dark", "locale" in options
    light = viewer.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0] > 128")
    assert light != isDark
    expect(viewer.locator("html")).to_have_attribute("dir", "rtl" if isHebrew else "ltr")
    if isHebrew:
        viewer.locator('#views [data-name="network"]').click()
        row.click()
        viewer.locator("#tabs [aria-selected=true]").focus()
        viewer.keyboard.press("ArrowLeft")
        expect(viewer.locator('#tabs [data-name="request"]')).to_be_focused()
        first, last = (viewer.locator("#columns span").nth(place).bounding_box()["x"] for place in (0, 3))
        assert first > last
    viewer.locator("#language").select_option("ja")
    expect(viewer.locator("html")).to_have_attribute("lang", "ja")
    assert re.search(r"[぀-ヿ一-鿿]", viewer.locator("#grouped").inner_text())


@pytest.mark.long
def test_the_splitter_moves_by_keys_and_mouse(opened, exported):
    viewer = opened()
    viewer.locator(".row").first.click()
    splitter, width = viewer.locator("#splitter"), lambda: viewer.locator("#detail").bounding_box()["width"]
    before = width()
    splitter.focus()
    viewer.keyboard.press("ArrowLeft")
    assert width() > before
    box, before = splitter.bounding_box(), width()
    viewer.mouse.move(box["x"] + 3, box["y"] + 100)
    viewer.mouse.down()
    viewer.mouse.move(box["x"] + 203, box["y"] + 100)
    viewer.mouse.up()
    assert width() < before - 150
