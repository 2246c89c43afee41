"""The grid's columns, the height of its rows, and the splitter, by mouse and keyboard, and that the browser keeps them."""

from playwright.sync_api import expect
from steps import expect_live, grid_row
from test_grid import network, words


def drag(page, box, by):
    """Drags what is at a box sideways with the mouse."""
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by / 2, y, steps=4)
    page.mouse.move(x + by, y, steps=4)
    page.mouse.up()


def width(page, name):
    """The width of a column's title."""
    return page.locator(f".grid-head .c-{name}").bounding_box()["width"]


def test_a_column_is_resized_with_the_mouse_and_the_keyboard_and_keeps_its_width(visitor):
    page = network(visitor)
    page.locator(".grid-head .c-time").hover()
    handle = page.locator('[data-handle="time"]')
    expect(handle).to_be_visible()
    before = width(page, "time")
    drag(page, handle.bounding_box(), 60)
    assert abs(width(page, "time") - before - 60) < 3
    assert page.locator(".grid-head [aria-sort]").count() == 0, "the end of a drag sorted the rows"
    page.locator('[data-sort="time"]').focus()
    page.keyboard.press("Alt+ArrowLeft")
    assert abs(width(page, "time") - before - 44) < 3
    page.reload()
    expect_live(page)
    expect(page.locator("[data-row]").first).to_be_visible()
    assert abs(width(page, "time") - before - 44) < 3
    assert abs(page.locator("[data-row] .c-time").first.bounding_box()["width"] - before - 44) < 3


def test_columns_are_hidden_moved_and_reset(visitor):
    page = network(visitor)
    order = "(all) => all.filter((one) => one.offsetParent).map((one) => one.className.slice(2))"
    page.locator("#view").click()
    page.get_by_role("menuitemcheckbox", name="Time", exact=True).click()
    expect(page.locator(".grid-head .c-time")).to_be_hidden()
    expect(page.locator("[data-row] .c-time")).to_have_count(0)
    expect(page.locator("#view")).to_be_focused()
    titles = page.locator(".grid-head [role=columnheader]")
    assert titles.evaluate_all(order)[:3] == ["seq", "method", "path"]
    page.locator('[data-sort="method"]').focus()
    page.keyboard.press("Alt+Shift+ArrowLeft")
    assert titles.evaluate_all(order)[:3] == ["method", "seq", "path"]
    expect(page.locator('[data-sort="method"]')).to_be_focused()
    drag(page, page.locator('[data-sort="status"]').bounding_box(), -700)
    assert titles.evaluate_all(order).index("status") < titles.evaluate_all(order).index("path")
    first = page.locator("[data-row]").first.locator("[role=gridcell]").first
    expect(first).to_have_class("c-method" if titles.evaluate_all(order)[0] == "method" else "c-status")
    page.locator("#view").click()
    page.locator('[data-item="reset"]').click()
    assert titles.evaluate_all(order)[:4] == ["seq", "time", "method", "path"]


def test_rows_are_compact_if_asked(visitor):
    page = network(visitor)
    page.locator("#view").click()
    page.locator('[data-item="compact"]').click()
    line = page.locator("[data-row]").first
    assert line.bounding_box()["height"] == 24
    page.reload()
    expect_live(page)
    expect(page.locator("#network-grid[data-compact]")).to_be_visible()
    tops = page.locator("[data-row]").evaluate_all("(all) => all.slice(0, 2).map((one) => one.getBoundingClientRect().top)")
    assert (tops[1] - tops[0]) % 24 == 0


def test_the_splitter_is_dragged_and_moved_by_keys(visitor):
    page = network(visitor)
    grid_row(page, "/rpc/me").first.click()
    detail = page.locator("network-detail")
    expect(detail).to_be_visible()
    before = detail.bounding_box()["width"]
    splitter = page.get_by_role("separator", name=words("network.splitter"))
    splitter.hover()
    # What makes the splitter move came too.
    expect(page.locator("[data-handle]").first).to_be_attached()
    drag(page, splitter.bounding_box(), -120)
    assert abs(detail.bounding_box()["width"] - before - 120) < 16
    splitter.focus()
    wide = detail.bounding_box()["width"]
    page.keyboard.press("ArrowRight")
    assert detail.bounding_box()["width"] < wide
    kept = detail.bounding_box()["width"]
    page.reload()
    expect(detail).to_be_visible()
    assert abs(detail.bounding_box()["width"] - kept) < 3
