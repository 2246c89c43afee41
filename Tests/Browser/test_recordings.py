"""Recordings, by mouse: saved on the network page, opened, read, exported, renamed, deleted, and imported again."""

import json
import re

import pytest
from playwright.sync_api import expect
from steps import expect_live, from_menu, grid_row, open_log, refuse, refused

LINES = "#recording-list > li"


@pytest.fixture
def keeper(visitor):
    """A context on a console without recordings."""
    expect_live(visitor.page("/inbox"))
    for one in visitor.read("/api/recordings")["recordings"]:
        assert visitor.call("DELETE", f"/api/recordings/{one['id']}").ok
    return visitor


def save(page, title, note="", scope="all"):
    """Saves the log on the network page; gives the path of the recording."""
    from_menu(page, "#export", "recording")
    dialog = page.locator("dialog#save-recording-dialog")
    expect(dialog.locator("#recording-title")).not_to_have_value("")
    dialog.locator(f"[name=recording-scope][value={scope}]").check()
    dialog.locator("#recording-title").fill(title)
    dialog.locator("#recording-note").fill(note)
    dialog.locator("#confirm-recording").click()
    expect(dialog).to_have_count(0)
    link = page.locator(".toast #open-recording")
    expect(page.locator(".toast")).to_contain_text(title)
    return link.get_attribute("href")


def rows_on(page):
    """The text of each row, without where it begins."""
    cells = "(rows) => rows.map((row) => ['.c-seq', '.c-time', '.c-path', '.c-status', '.c-size', '.c-ms'].map((cell) => row.querySelector(cell)?.textContent))"
    return page.locator("#network-grid [data-row]").evaluate_all(cells)


def export(page):
    """Exports all rows as a zip; gives its path."""
    from_menu(page, "#export", "file")
    dialog = page.locator("dialog#export-dialog")
    dialog.locator('[name="export-format"][value="zip"]').check()
    with page.expect_download() as waiting:
        dialog.locator("#save-export").click()
    expect(dialog.locator("#export-outcome")).to_have_attribute("data-tone", "ok")
    page.keyboard.press("Escape")
    return waiting.value.path()


def test_the_fault_rules_of_a_recording_are_armed_by_the_mouse(keeper):
    page = open_log(keeper)
    for name in ("Train", "Tunnel"):
        rule = {"name": name, "match": {"endpoint": "get_cues"}, "action": {"kind": "latency", "latency_ms": 5}}
        assert keeper.call("POST", "/api/faults", rule).ok
    path = save(page, "With rules")
    assert keeper.call("DELETE", "/api/faults").ok
    page.goto(path)
    page.get_by_role("button", name="Turn on its 2 fault rules").click()
    expect(page.locator(".toast")).to_contain_text("2 fault rules are on for this device.")
    assert [rule["name"] for rule in keeper.read("/api/faults")["faults"]] == ["Train", "Tunnel"]
    # One without rules offers none.
    assert keeper.call("DELETE", "/api/faults").ok
    page.goto("/network")
    expect_live(page)
    page.goto(save(page, "Without"))
    expect(page.locator("#recording-banner")).to_contain_text("Without")
    expect(page.locator("#arm-recorded")).to_have_count(0)


def test_a_recording_is_saved_read_exported_renamed_and_deleted(keeper):
    page = open_log(keeper)
    live = rows_on(page)
    save(page, "Sign-in works", "of the new build")
    # What happens afterwards is no part of it.
    assert keeper.call("GET", "/api/account").ok
    page.locator("#open-recording").click()
    expect(page.locator("#recording-banner")).to_contain_text("Sign-in works")
    expect(page.locator("#recording-banner")).to_contain_text("of the new build")
    expect(page.locator("#row-count")).to_contain_text(f"{len(live)} rows")
    assert rows_on(page) == live
    size = page.viewport_size
    page.set_viewport_size({"width": 1280, "height": 400})
    page.reload()
    expect(page.locator("#row-count")).to_contain_text(f"{len(live)} rows")
    expect(page.locator("#network-grid [aria-rowindex='2']")).to_be_in_viewport()
    page.set_viewport_size(size)
    for control in ("#pause-log", "#clear-log", "#open-faults", "#compose"):
        expect(page.locator(control)).to_be_hidden()
    page.locator("#export").click()
    expect(page.get_by_role("menuitem")).to_have_text(["Save file…"])
    page.keyboard.press("Escape")

    page.locator("#filter").fill("path:/rpc/me")
    expect(page.locator("#row-count")).to_contain_text(f"of {len(live)} rows")
    row = grid_row(page, "/rpc/me").first
    row.click()
    expect(page.locator("#detail-title")).to_contain_text("/rpc/me")
    page.locator("#tab-response").click()
    expect(page.locator("#detail-panel")).to_contain_text("account_id")
    expect(page.locator("#copy-row")).to_be_visible()
    for control in ("#replay-row", "#edit-row", "#edit-answer", "#pin-row"):
        expect(page.locator(control)).to_be_hidden()
    page.locator("#copy-row").click()
    page.locator("[data-item=curl]").click()
    expect(page.locator("#announcer")).to_have_text("Copied")
    assert page.evaluate("() => navigator.clipboard.readText()").startswith("# Placeholders")
    row.click(button="right")
    expect(page.locator("[data-item=copy-url]")).to_be_visible()
    for item in ("pin", "block", "fault", "answer"):
        expect(page.locator(f"[data-item={item}]")).to_have_count(0)
    page.keyboard.press("Escape")
    link = page.url
    assert "recording=" in link and "row=" in link and "device=" not in link
    page.locator("#tab-overview").click()
    page.locator(".timeline-link").click()
    page.wait_for_url(re.compile(r"/timeline\?.*recording="))
    expect(page.locator("#recording-banner")).to_contain_text("Sign-in works")
    expect(page.locator("#entries tr").first).to_be_visible()
    page.goto(link)
    expect(page.locator("#detail-title")).to_contain_text("/rpc/me")
    assert export(page).stat().st_size > 1000

    page.locator("#recording-banner").get_by_role("link", name="All recordings").click()
    line = page.locator(LINES).filter(has_text="Sign-in works")
    expect(line).to_contain_text(f"{len(live)} rows")
    line.get_by_role("button", name="Rename").click()
    page.locator("#edit-title").fill("Login")
    page.locator("#save-edit").click()
    expect(page.locator("#recordings-result")).to_contain_text("Login")
    expect(page.locator(LINES)).to_have_count(1)
    page.reload()
    expect(page.locator(LINES)).to_contain_text("Login")
    page.get_by_role("button", name="Delete Login").click()
    page.locator("#confirm-delete").click()
    expect(page.locator("[data-view=empty]")).to_be_visible()
    assert keeper.read("/api/recordings")["recordings"] == []
    keeper.expect_answers(404)
    page.goto(link)
    expect(page.locator("#network-error")).to_be_visible()


@pytest.mark.long
def test_what_the_filter_shows_can_be_saved_alone(keeper):
    page = open_log(keeper)
    page.locator("#filter").fill("path:/rpc/me")
    expect(page.locator("#row-count")).to_contain_text(" of ")
    # The count comes before the rows are drawn.
    expect(grid_row(page, "/rpc/app_config")).to_have_count(0)
    shown = page.locator("#network-grid [data-row]").count()
    page.goto(save(page, "Only me", scope="shown"))
    expect(page.locator("#row-count")).to_have_text(re.compile(rf"^{shown} rows?$"))
    expect(grid_row(page, "/rpc/app_config")).to_have_count(0)


@pytest.mark.long
def test_the_bodies_of_a_recording_are_searched(keeper):
    page = open_log(keeper)
    page.goto(save(page, "Bodies"))
    page.locator("#filter").fill("body:ACTIVE_PROFILE")
    expect(page.locator("#search-state")).to_contain_text("1")
    expect(grid_row(page, "/rpc/me")).to_have_count(1)
    expect(grid_row(page, "/rpc/app_config")).to_have_count(0)


def test_a_title_is_needed_and_a_failure_keeps_what_was_typed(keeper):
    page = open_log(keeper)
    from_menu(page, "#export", "recording")
    page.locator("#recording-title").fill(" ")
    page.locator("#confirm-recording").click()
    expect(page.locator("#recording-fault")).to_contain_text("Enter a title")
    expect(page.locator("#recording-title")).to_be_focused()
    page.locator("#recording-title").fill("Kept")
    keeper.expect_answers(503)
    with refused(page, "/api/recordings", 503, "unavailable"):
        page.locator("#confirm-recording").click()
        expect(page.locator("#recording-fault")).to_contain_text("not available right now")
    page.locator("#confirm-recording").click()
    expect(page.locator(".toast")).to_contain_text("Kept")


def test_recordings_are_searched_and_the_search_is_in_the_address(keeper):
    page = open_log(keeper)
    for title in ("First try", "Second try"):
        save(page, title)
    page.goto("/recordings")
    expect(page.locator(LINES)).to_have_count(2)
    # The newest comes first.
    expect(page.locator(LINES).first).to_contain_text("Second try")
    page.locator("#recording-search").fill("first TRY")
    expect(page.locator(LINES)).to_have_count(1)
    page.reload()
    expect(page.locator(LINES)).to_have_count(1)
    page.locator("#recording-search").fill("zzz")
    expect(page.locator("[data-view=none]")).to_contain_text("zzz")
    page.locator("#clear-search").click()
    expect(page.locator(LINES)).to_have_count(2)
    expect(page.locator("#recording-search")).to_be_focused()


def test_a_broken_file_is_refused_in_words(keeper):
    page = keeper.page("/recordings")
    expect(page.locator("[data-view=empty]")).to_be_visible()
    keeper.expect_answers(400)
    result = page.locator("#recordings-result")
    page.locator("#import-file").set_input_files({"name": "cut.har", "mimeType": "", "buffer": b'{"log":{"entries":[{"request":'})
    expect(result).to_contain_text(re.compile(r"cut\.har cannot be imported\. \S+"))
    expect(result).to_have_attribute("data-tone", "bad")
    page.locator("#import-file").set_input_files({"name": "picture.png", "mimeType": "image/png", "buffer": b"x"})
    expect(result).to_contain_text("picture.png is neither")
    expect(page.locator("[data-view=empty]")).to_be_visible()


def test_an_import_shows_its_progress_and_can_be_stopped(keeper):
    page = keeper.page("/recordings")
    expect(page.locator("[data-view=empty]")).to_be_visible()
    keeper.expect_failed_requests("/api/recordings/import")
    # The answer never comes.
    page.route("**/api/recordings/import*", lambda route: None)
    # By drop, as the other tests choose.
    transfer = page.evaluate_handle(
        """() => {
          const transfer = new DataTransfer();
          transfer.items.add(new File(["{}"], "slow.har"));
          return transfer;
        }"""
    )
    page.dispatch_event("recordings-view", "dragover", {"dataTransfer": transfer})
    expect(page.locator("recordings-view")).to_have_attribute("data-over", "")
    page.dispatch_event("recordings-view", "drop", {"dataTransfer": transfer})
    expect(page.locator("#import-progress progress")).to_be_visible()
    expect(page.locator("#import-state")).to_contain_text("slow.har")
    page.locator("#stop-import").click()
    expect(page.locator("#recordings-result")).to_contain_text("was stopped")
    expect(page.locator("#import-progress")).to_be_hidden()


@pytest.mark.long
def test_an_answer_is_shown_as_an_imported_recording(keeper):
    page = keeper.page("/recordings")
    expect(page.locator("[data-view=empty]")).to_be_visible()
    made = {"id": "a", "title": "made", "note": "", "created_at": "2026-01-01T00:00:00Z", "rows": 3, "bytes": 4}
    sent = []

    def answer(route):
        sent.append((route.request.url, route.request.headers["content-type"], route.request.post_data))
        route.fulfill(status=201, content_type="application/json", body=json.dumps(made))

    page.route("**/api/recordings/import*", answer)
    page.locator("#import-file").set_input_files({"name": "made.har", "mimeType": "", "buffer": b"{}"})
    expect(page.locator("#recordings-result")).to_contain_text("Imported “made”, rows: 3")
    expect(page.locator(LINES)).to_contain_text("made")
    assert "/api/recordings/import?title=made&key=" in sent[0][0]
    assert sent[0][1:] == ("application/json", "{}")
    keeper.expect_answers(413)
    page.unroute("**/api/recordings/import*")
    refuse(page, "/api/recordings/import*", 413, "payload_too_large")
    page.locator("#import-file").set_input_files({"name": "large.zip", "mimeType": "", "buffer": b"PK"})
    expect(page.locator("#recordings-result")).to_contain_text("large.zip is too large")
