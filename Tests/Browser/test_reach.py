"""Every control of the pages is reached and does something: with a mouse alone, and by touch on a phone's screen."""

import re

import pytest
from console_team import is_team
from playwright.sync_api import expect
from reach import aim, controls, fault_of
from scenes import SCENES, Person
from steps import at_rest
from watched_context import WatchedContext

pytestmark = pytest.mark.whole_browser

# The key of words that are not loaded.
KEY = re.compile(r"[a-z_]+(\.[a-z_]+)+")
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
DESK = {"viewport": {"width": 1280, "height": 800}}


# The other cases take eleven minutes more; `make verify` runs them.
ALWAYS = {
    "mouse": ("settings", "network-row"),
    "touch": ("login-code",),
}
CASES = [
    pytest.param(way, scene, id=f"{way}-{scene.name}", marks=() if scene.name in ALWAYS[way] else pytest.mark.long)
    for way in ("mouse", "touch")
    for scene in SCENES
    if way == "mouse" or not scene.is_wide
]


@pytest.fixture
def person(browser, scenes_console, request):
    """A person with one of the two."""
    by_touch = request.param == "touch"
    visitor = WatchedContext(browser, scenes_console, reduced_motion="reduce", **(PHONE if by_touch else DESK))
    visitor.expect_answers(401, 404, 409, 422, 502)
    yield Person(visitor, by_touch)
    visitor.close()


def is_untouched(person, scene, control):
    """Whether the scene stands as it was opened, for all that the next control shows: at rest, with nothing open over it."""
    page = person.page
    if page.url != person.address_of_scene:
        return False
    at_rest(page)
    if scene.root != "dialog[open]" and page.locator("dialog[open], [role=menu]").count():
        return False
    return page.locator(scene.root).first.is_visible() and control in controls(page, scene.root)


@pytest.mark.parametrize(("person", "scene"), CASES, indirect=["person"])
def test_every_control_is_reached_and_does_something(person, scene):
    person.open(scene)
    wanted = controls(person.page, scene.root)
    assert len(wanted) >= scene.least - (scene.embedded if is_team(person.visitor.console) else 0), wanted
    nameless = [one for one in wanted if not one["name"] or KEY.fullmatch(one["name"])]
    assert not nameless, f"without a name, or with the key of one: {nameless}"
    faults, is_new = [], True
    for control in wanted:
        if not is_new and not is_untouched(person, scene, control):
            person.open(scene)
            is_new = True
        fault = fault_of(person.page, scene.root, control, person.by_touch)
        if fault and not is_new:
            # What was pressed before may be the reason.
            person.open(scene)
            fault = fault_of(person.page, scene.root, control, person.by_touch)
        is_new = False
        faults += [fault] if fault else []
    assert not faults, "\n".join(faults)


@pytest.mark.long
@pytest.mark.parametrize("person", ["mouse", "touch"], indirect=True)
def test_a_control_that_is_dead_covered_or_out_of_reach_is_found(person):
    person.open(SCENES[0])
    page = person.page
    link, code, own = (next(one for one in controls(page, "main") if one["id"] == name) for name in ("send-link", "send-code", "have-code"))
    page.locator("#send-link").evaluate("(button) => button.style.setProperty('pointer-events', 'none')")
    page.locator("#have-code").evaluate("(button) => button.replaceWith(button.cloneNode(true))")
    assert "is covered by" in fault_of(page, "main", link, person.by_touch)
    assert "does nothing" in fault_of(page, "main", own, person.by_touch)
    page.locator("#send-code").evaluate("""(button) => {
      const box = button.getBoundingClientRect();
      const lid = document.createElement("div");
      for (const [name, value] of Object.entries({ position: "fixed", left: "0", right: "0", top: `${box.top}px`, height: `${box.height}px` })) {
        lid.style.setProperty(name, value);
      }
      document.body.append(lid);
    }""")
    assert "is covered by" in fault_of(page, "main", code, person.by_touch)
    assert aim(page, "main", {"tag": "BUTTON", "id": "no-such-button", "name": ""}) is None


@pytest.mark.long
@pytest.mark.parametrize("person", ["mouse", "touch"], indirect=True)
def test_an_item_that_only_closes_its_menu_is_found(person):
    person.open(next(one for one in SCENES if one.name == "network-menu"))
    page = person.page
    item = next(one for one in controls(page, "#context-menu") if one["id"] == "pin")
    page.locator('[data-item="pin"]').evaluate("""(button) => {
      const dead = button.cloneNode(true);
      dead.addEventListener("click", () => dead.closest("[popover]").hidePopover());
      button.replaceWith(dead);
    }""")
    assert "does nothing" in fault_of(page, "#context-menu", item, person.by_touch)
    expect(page.locator("#context-menu")).to_have_count(0)
    # The button that opens a menu is told when it closes.
    person.open(next(one for one in SCENES if one.name == "network-columns"))
    page = person.page
    item = next(one for one in controls(page, "#context-menu") if one["role"] == "menuitemcheckbox")
    page.locator("#context-menu button").first.evaluate("""(button) => {
      for (const live of button.parentElement.querySelectorAll("button")) {
        const dead = live.cloneNode(true);
        dead.addEventListener("click", () => dead.closest("[popover]").hidePopover());
        live.replaceWith(dead);
      }
    }""")
    assert "does nothing" in fault_of(page, "#context-menu", item, person.by_touch)
