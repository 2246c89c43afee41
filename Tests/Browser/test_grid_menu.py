"""A row's menu by mouse, keyboard and touch, and how a row comes into view."""

import re

import pytest
from playwright.sync_api import expect
from steps import at_rest, grid_row, refuse
from test_grid import network, words


def open_menu(page, line):
    """Opens a line's menu with the right button."""
    line.click(button="right")
    menu = page.get_by_role("menu")
    expect(menu).to_be_visible()
    return menu


def choose(page, line, item):
    """Chooses an item of a line's menu by its key in the catalogue, or by the words themselves."""
    open_menu(page, line).locator(f'[data-item="{item}"]').click()
    expect(page.get_by_role("menu")).to_have_count(0)


def test_the_menu_filters_for_and_without_what_a_row_has(visitor):
    page = network(visitor)
    choose(page, grid_row(page, "/rpc/me").first, "only path:/rpc/me")
    expect(page.locator("#filter")).to_have_value("path:/rpc/me")
    expect(grid_row(page, "/rpc/app_config")).to_have_count(0)
    choose(page, grid_row(page, "/rpc/me").first, "without path:/rpc/me")
    expect(page.locator("#filter")).to_have_value("-path:/rpc/me")
    expect(grid_row(page, "/rpc/me")).to_have_count(0)
    expect(grid_row(page, "/rpc/app_config").first).to_be_visible()


def test_the_menu_key_opens_a_menu_that_the_keyboard_alone_works(visitor):
    page = network(visitor)
    line = grid_row(page, "/rpc/me").first
    line.click()
    page.keyboard.press("Escape")
    expect(line).to_be_focused()
    page.keyboard.press("Shift+F10")
    menu = page.get_by_role("menu")
    expect(menu.get_by_role("menuitem").first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(menu.get_by_role("menuitem").last).to_be_focused()
    page.keyboard.press("Escape")
    expect(menu).to_have_count(0)
    expect(line).to_be_focused()
    page.keyboard.press("Shift+F10")
    expect(menu.get_by_role("menuitem").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("network-detail")).to_be_visible()


def test_a_finger_that_rests_on_a_line_opens_its_menu(visitor):
    page = network(visitor)
    expect(page.locator(".fall-bar:not([hidden])").first).to_be_visible()
    box = grid_row(page, "/rpc/me").first.bounding_box()
    session = page.context.new_cdp_session(page)
    point = {"x": box["x"] + 200, "y": box["y"] + box["height"] / 2}
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    expect(page.get_by_role("menu")).to_be_visible()
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    at_rest(page)
    expect(page.get_by_role("menu")).to_be_visible()
    expect(page.locator("network-detail")).to_be_hidden()


def test_the_menu_blocks_a_call_and_the_block_is_taken_back(visitor):
    page = network(visitor)
    choose(page, grid_row(page, "/rpc/me").first, "block")
    expect(page.locator("#toast")).to_contain_text("GET /rpc/me")
    faults = visitor.read("/api/faults")["faults"]
    assert [(one["match"], one["action"]["kind"]) for one in faults] == [({"method": "GET", "path": "/rpc/me"}, "offline")]
    page.locator("#undo-block").click()
    expect(page.locator("#toast")).to_have_count(0)
    assert visitor.read("/api/faults")["faults"] == []


@pytest.mark.long
def test_the_menu_begins_a_fault_and_an_answer_for_a_call(visitor):
    page = network(visitor)
    line = grid_row(page, "/rpc/me").first
    choose(page, line, "fault")
    expect(page.locator('#faults [data-field="endpoint"] input')).to_have_value("me")
    expect(page.locator('#faults [data-field="method"] select')).to_have_value("GET")
    expect(page.locator('#faults [data-field="kind"] select')).to_be_focused()
    # Out of the form, and out of the faults.
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.locator("#faults")).to_have_count(0)
    choose(page, line, "answer")
    expect(page.locator("dialog#answer[open]")).to_be_visible()


@pytest.mark.long
def test_two_rows_are_compared(visitor):
    page = network(visitor)
    choose(page, grid_row(page, "/rpc/me").first, "mark")
    expect(page.locator("#toast")).to_be_visible()
    choose(page, grid_row(page, "/rpc/app_config").first, "compare")
    dialog = page.locator("dialog#compare[open]")
    expect(dialog.get_by_role("row").filter(has_text="url")).to_contain_text("/rpc/me")
    expect(dialog.get_by_role("row").filter(has_text="url")).to_contain_text("/rpc/app_config")


@pytest.mark.long
def test_the_menu_copies_the_url(visitor):
    visitor.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = network(visitor)
    choose(page, grid_row(page, "/rpc/me").first, "copy-url")
    expect(page.locator("#toast")).to_contain_text(words("copy.done"))
    assert page.evaluate("navigator.clipboard.readText()").endswith("/rpc/me")


@pytest.mark.long
def test_a_row_that_is_sent_again_comes_into_view(visitor):
    page = network(visitor)
    page.set_viewport_size({"width": 1440, "height": 420})
    for _ in range(12):
        visitor.call("GET", "/api/account")
    # A row that arrives later would be followed to the end of the list.
    count = len(visitor.read("/api/network?limit=2000")["events"])
    expect(page.locator("#row-count")).to_contain_text(str(count))
    page.locator("#network-grid").hover()
    page.mouse.wheel(0, -4000)
    # The lines must stand still to be pressed.
    expect(page.locator("#network-grid")).to_have_js_property("scrollTop", 0)
    first = next(row for row in visitor.read("/api/network")["events"] if row["path"] == "/rpc/app_config")
    page.locator(f"[data-row='{first['id']}']").click()
    page.locator("#replay-row").click()
    active = page.locator("[data-row][data-active]")
    expect(active).to_contain_text(words("row.source.replay"))
    expect(active).to_be_in_viewport()


@pytest.mark.long
def test_a_row_that_the_filter_hides_is_offered(visitor):
    page = network(visitor, "/network?q=-path:/rpc/app_config%20-is:replayed")
    grid_row(page, "/rpc/me").first.click()
    page.locator("#replay-row").click()
    expect(page.locator("#toast")).to_contain_text(re.compile(r"hides row \d+"))
    page.locator("#show-hidden").click()
    expect(page.locator("#filter")).to_have_value("")
    expect(page.locator("[data-row][data-active]")).to_be_in_viewport()


def covered(locator):
    """Whether each of the texts is shown as dots."""
    return set(locator.evaluate_all("(all) => all.map((one) => getComputedStyle(one).webkitTextSecurity)")) == {"disc"}


@pytest.mark.long
def test_presenting_hides_the_values_that_are_compared(visitor):
    page = network(visitor)
    page.keyboard.press("Shift+P")
    expect(page.locator("[data-fact=presenting]")).to_be_visible()
    choose(page, grid_row(page, "/rpc/me").first, "mark")
    choose(page, grid_row(page, "/rpc/app_config").first, "compare")
    dialog = page.locator("dialog#compare[open]")
    values = dialog.locator("td bdi")
    expect(values.first).to_be_visible()
    assert covered(values)
    paths = dialog.locator("thead").get_by_text(re.compile("^/rpc/"))
    expect(paths).to_have_count(2)
    assert covered(paths)


@pytest.mark.long
def test_presenting_hides_the_path_in_the_menu(visitor):
    page = network(visitor)
    item = '[data-item="block"]'
    menu = open_menu(page, grid_row(page, "/rpc/me").first)
    expect(menu.locator(item)).to_have_attribute("title", re.compile("/rpc/me"))
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+P")
    expect(page.locator("[data-fact=presenting]")).to_be_visible()
    menu = open_menu(page, grid_row(page, "/rpc/me").first)
    paths = menu.get_by_text("/rpc/me", exact=True)
    expect(paths).to_have_count(3)
    assert covered(paths)
    expect(menu.locator("[title*='/rpc/me']")).to_have_count(0)
    # It is worked with as before.
    menu.locator('[data-item="only path:/rpc/me"]').click()
    expect(page.locator("#filter")).to_have_value("path:/rpc/me")


def test_presenting_covers_who_is_in_a_path(visitor):
    page = network(visitor)
    expect(grid_row(page, "/rpc/me").first).to_be_visible()
    path = "/rpc/people/6f1c-00ab/v2/4711"
    visitor.call("POST", "/api/network/requests", {"method": "GET", "path": path, "auth": True})
    expect(grid_row(page, path)).to_be_visible()
    page.keyboard.press("Shift+P")
    line = grid_row(page, "/rpc/people/•••/v2/•••")
    expect(line.locator(".c-path")).to_have_attribute("title", re.compile("^/rpc/people/•••/v2/•••"))
    expect(grid_row(page, "/rpc/me").first).to_be_visible()
    choose(page, line, "block")
    parts = page.locator("#toast [data-secret]")
    expect(parts).to_have_text(["6f1c-00ab", "4711"])
    assert covered(parts)
    page.keyboard.press("f")
    name = page.locator("#faults .fault-name [data-secret]")
    expect(name).to_have_text(["6f1c-00ab", "4711"])
    assert covered(name)
    page.keyboard.press("Escape")
    line.click()
    title = page.locator("#detail-title [data-secret]")
    expect(title).to_have_text(["6f1c-00ab", "4711"])
    assert covered(title)


def test_a_pin_that_fails_says_so_in_a_notice(visitor):
    page = network(visitor)
    visitor.expect_answers(502)
    refuse(page, "/api/network/*/pin", 502, "backend_error")
    choose(page, grid_row(page, "/rpc/me").first, "pin")
    expect(page.locator("#toast")).to_have_attribute("data-tone", "bad")
    expect(page.locator("[data-pinned]")).to_have_count(0)


@pytest.mark.long
def test_the_button_of_a_menu_closes_it_and_says_so(visitor):
    page = network(visitor)
    columns = page.locator("#view")
    columns.click()
    expect(page.get_by_role("menu")).to_be_visible()
    expect(columns).to_have_attribute("aria-expanded", "true")
    columns.click()
    expect(page.get_by_role("menu")).to_have_count(0)
    expect(columns).to_have_attribute("aria-expanded", "false")
    columns.click()
    item = page.get_by_role("menu").locator('[data-item="size"]')
    item.hover()
    expect(item).to_be_focused()
    page.keyboard.press("Escape")
    expect(columns).to_be_focused()
