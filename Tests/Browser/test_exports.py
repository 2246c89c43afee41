"""Exports and copies: what a person takes away from the network page."""

import io
import json
import zipfile
from urllib.parse import urlsplit

from playwright.sync_api import expect
from steps import be_signed_in, from_menu, grid_row, new_identifier, refuse


def open_log(watched):
    """The network page of a device on which somebody has signed in: (page, identifier)."""
    page, identifier = watched.page(), new_identifier()
    be_signed_in(page, identifier, at="/network")
    expect(grid_row(page, "/rpc/me").first).to_be_visible()
    return page, identifier


def save(page, scope=None, kind="zip"):
    """Saves an export and returns its bytes and name."""
    from_menu(page, "#export", "file")
    dialog = page.get_by_role("dialog")
    if scope:
        dialog.locator(f'[name="export-scope"][value="{scope}"]').check()
    dialog.locator(f'[name="export-format"][value="{kind}"]').check()
    with page.expect_download() as waiting:
        dialog.locator("#save-export").click()
    expect(dialog.locator("#export-outcome")).to_have_attribute("data-tone", "ok")
    name = waiting.value.suggested_filename
    data = waiting.value.path().read_bytes()
    page.keyboard.press("Escape")
    return data, name


def test_the_bundle_holds_the_session_and_none_of_its_secrets(watched):
    page, identifier = open_log(watched)
    expect(page.locator("#export")).to_be_visible()
    data, name = save(page)
    assert name.startswith("understudy-") and name.endswith(".zip")
    archive = zipfile.ZipFile(io.BytesIO(data))
    assert archive.testzip() is None
    names = archive.namelist()
    for wanted in ("report.md", "viewer.html", "session.har", "rows.json", "timeline.json", "faults.json", "versions.json"):
        assert wanted in names
    everything = b"".join(archive.read(one) for one in names).decode()
    assert identifier not in everything and "authenticated" in everything


def test_only_the_chosen_rows_go(watched):
    page, _ = open_log(watched)
    paths = ("/rpc/app_config", "/rpc/me")
    for path in paths:
        grid_row(page, path).first.click(modifiers=["ControlOrMeta"])
    expect(page.locator("#selection-count")).to_contain_text("2")
    data, name = save(page, kind="har")
    assert name.endswith(".har")
    entries = json.loads(data)["log"]["entries"]
    assert [urlsplit(entry["request"]["url"]).path for entry in entries] == list(paths)


def test_nothing_chosen_cannot_be_saved_and_the_keyboard_is_enough(watched):
    page, _ = open_log(watched)
    page.locator("#filter").fill("path:/no/such/path")
    expect(page.locator("#none-text")).to_be_visible()
    page.locator("#export").focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-item=file]")).to_be_focused()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    save_button = dialog.locator("#save-export")
    expect(save_button).to_have_attribute("aria-disabled", "true")
    page.locator('[name="export-scope"][value="shown"]').focus()
    page.keyboard.press("ArrowDown")
    expect(save_button).not_to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Escape")
    expect(page.locator("#export")).to_be_focused()


def test_a_refused_export_says_why_and_saves_nothing(watched):
    page, _ = open_log(watched)
    watched.expect_answers(500)
    refuse(page, "/api/network/export*", 500, "export_refused")
    from_menu(page, "#export", "file")
    page.locator("#save-export").click()
    outcome = page.locator("#export-outcome")
    expect(outcome).to_have_attribute("data-tone", "bad")
    expect(outcome).to_contain_text("live secret")


def test_the_choices_of_an_export_stand_in_one_line(watched):
    page, _ = open_log(watched)
    from_menu(page, "#export", "file")
    expect(page.locator("#save-export")).to_be_visible()
    boxes = [one.bounding_box() for one in page.get_by_role("radio").all()]
    assert len(boxes) >= 4 and len({round(box["x"]) for box in boxes}) == 1, boxes
