"""Every control takes the mouse in a fresh profile, in which no dialog is loaded before it is needed."""

import pytest
from playwright.sync_api import expect
from steps import expect_live

pytestmark = pytest.mark.whole_browser

def press(page, selector):
    """Moves the mouse to the middle of a control and clicks there, whatever is there."""
    box = page.locator(selector).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.click(x, y)


@pytest.mark.parametrize(("button", "dialog"), [
    ("#compose", "#composer"), pytest.param("#open-faults", "#faults", marks=pytest.mark.long),
])
def test_the_first_press_opens_the_dialog(watched, button, dialog):
    page = watched.page("/network")
    expect_live(page)
    press(page, button)
    expect(page.locator(f"{dialog}:is(dialog[open], section)")).to_have_count(1)
    # At the second press the dialog is loaded, and opens once.
    page.keyboard.press("Escape")
    expect(page.locator(dialog)).to_have_count(0)
    press(page, button)
    expect(page.locator(f"{dialog}:is(dialog[open], section)")).to_have_count(1)


def test_two_presses_in_a_row_open_one_dialog(watched):
    page = watched.page("/network")
    expect_live(page)
    box = page.locator("#compose").bounding_box()
    page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator("dialog#composer[open]")).to_have_count(1)
