"""An imported zip: its progress, and what it has beside its rows."""

import re

from playwright.sync_api import expect
from steps import be_signed_in, grid_row, new_identifier, row_with_status


def test_a_recording_names_the_rule_that_changed_a_row(watched):
    page = watched.page()
    be_signed_in(page, new_identifier(), at="/network")
    expect(grid_row(page, "/rpc/me").first).to_be_visible()
    watched.expect_answers(503)
    rule = {"name": "no luck", "match": {"endpoint": "me"}, "when": {"count": 1}, "action": {"kind": "status", "status": 503}}
    assert watched.call("POST", "/api/faults", rule).ok
    watched.call("GET", "/api/account")
    watched.call("DELETE", "/api/faults")
    archive = watched.call("GET", "/api/network/export").body()
    page.goto("/recordings")
    with page.expect_file_chooser() as choosing:
        page.locator("#import-recording").click()
    choosing.value.set_files({"name": "made.zip", "mimeType": "application/zip", "buffer": archive})
    expect(page.locator("#recordings-result")).to_contain_text("Imported “made”")
    page.locator("#open-imported").click()
    row_with_status(page, 503).filter(has_text="/rpc/me").first.click()
    named = page.locator("[data-fault-link]").first
    expect(named).to_have_text(re.compile("no luck"))
    assert named.evaluate("node => node.tagName") == "SPAN", "the rule itself is gone"


def test_the_progress_of_a_zip_grows_while_the_console_reads_it(watched):
    page = watched.spoil().page()
    # All of the file was sent, and the answer never comes; Playwright tells no page how far a request is that it holds.
    page.add_init_script(
        """XMLHttpRequest.prototype.send = function () {
          this.upload.dispatchEvent(new ProgressEvent("progress", { lengthComputable: true, loaded: 7, total: 7 }));
        };"""
    )
    read, asked = [40], []

    def answer(route):
        asked.append(route.request.url)
        route.fulfill(json={"read": read[0], "size": 100, "rows": 3})

    page.route("**/api/recordings/import*", answer)
    page.goto("/recordings")
    expect(page.locator("[data-view=empty]")).to_be_visible()
    page.locator("#import-file").set_input_files({"name": "made.zip", "mimeType": "application/zip", "buffer": b"PK"})
    bar = page.locator("#import-progress progress")
    expect(bar).to_have_js_property("value", 0.7)
    expect(page.locator("#import-state")).to_contain_text("Reading made.zip")
    read[0] = 80
    expect(bar).to_have_js_property("value", 0.9)
    assert len(asked) >= 2 and len(set(asked)) == 1 and "?key=" in asked[0]
