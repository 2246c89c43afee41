"""What a control looks like for a moment is as readable as the rest: under the mouse, pressed, and with the focus."""

import pytest
from playwright.sync_api import expect
from scenes import SCENES, Person
from test_accessibility import settle, violations
from watched_context import WatchedContext

PAGES = (
    "login-code", "settings", "profiles", "cues-menu", "network-row", "network-export", "faults-armed", "timeline", "inbox",
    "delete-account-dialog", "palette", "devices", "recordings-compare", "network-compare",
)
# The others take half a minute more.
ALWAYS = ("login-code", "network-row", "timeline")
# The place of one control of each kind that shows.
KINDS = """(css) => {
  window.kinds = [];
  const seen = new Set();
  for (const one of document.querySelectorAll(css)) {
    const kind = `${one.tagName} ${one.className} ${one.role} ${one.getAttribute("aria-selected")} ${one.getAttribute("aria-pressed")}`;
    const open = document.querySelector("dialog:modal");
    if (seen.has(kind) || !one.checkVisibility() || one.disabled || (open && !open.contains(one))) continue;
    seen.add(kind);
    window.kinds.push(one);
  }
  return window.kinds.length;
}"""
PLACE = """(at) => {
  const one = window.kinds[at];
  one.scrollIntoView({ block: "center" });
  const box = one.getClientRects()[0];
  return box && [box.x + Math.min(box.width / 2, 40), box.y + box.height / 2];
}"""
# The text of a control that cannot be read, by axe.
UNREADABLE = """async (at) => {
  // The page may have drawn it anew meanwhile.
  if (!window.kinds[at].isConnected) return [];
  const { violations } = await axe.run(window.kinds[at], { runOnly: ["color-contrast"], resultTypes: ["violations"] });
  return violations.flatMap(({ nodes }) => nodes.map(({ html, any }) => `${html.slice(0, 100)}: ${any[0]?.message}`));
}"""
# The contrast of the outline of a control that has the focus with what is around it, or null if it has no outline.
OUTLINE = """(at) => {
  const one = window.kinds[at];
  one.focus();
  if (!one.isConnected) return 21;
  if (document.activeElement !== one || !one.matches(":focus-visible")) return 21;
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const paint = (...colours) => {
    for (const colour of colours) {
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
    }
    const [red, green, blue] = [...context.getImageData(0, 0, 1, 1).data].map((value) => value / 255)
      .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const around = [];
  for (let each = one.parentElement; each; each = each.parentElement) around.unshift(getComputedStyle(each).backgroundColor);
  const style = getComputedStyle(one);
  const ring = style.outlineStyle === "none" || parseFloat(style.outlineWidth) === 0 ? null : style.outlineColor;
  if (!ring) return null;
  const [dark, light] = [paint("Canvas", ...around), paint("Canvas", ...around, ring)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}"""
CONTROLS = "a[href], button, summary, [role=option], [role=menuitemradio], label.kind, .grid-window .grid-row, input, textarea, select"


@pytest.fixture(params=["light", pytest.param("dark", marks=pytest.mark.long)])
def person(browser, shared_console, request):
    """Somebody with a mouse, in both themes."""
    visitor = WatchedContext(browser, shared_console, color_scheme=request.param, reduced_motion="reduce")
    visitor.expect_answers(401, 404, 409, 422, 502)
    yield Person(visitor, by_touch=False)
    visitor.close()


def unreadable(page):
    """What cannot be read under the mouse or pressed, and what has no visible focus."""
    found = []
    for at in range(page.evaluate(KINDS, CONTROLS)):
        place = page.evaluate(PLACE, at)
        if not place:
            continue
        page.mouse.move(*place)
        found += [f"under the mouse: {one}" for one in page.evaluate(UNREADABLE, at)]
        if page.evaluate("(at) => !window.kinds[at].matches('select, input, textarea')", at):
            page.mouse.down()
            found += [f"pressed: {one}" for one in page.evaluate(UNREADABLE, at)]
            # Nothing is clicked if the mouse goes away first.
            page.mouse.move(0, 0)
            page.mouse.up()
        # The browser shows the focus to those who use the keyboard.
        page.keyboard.press("Shift")
        contrast = page.evaluate(OUTLINE, at)
        if contrast is None or contrast < 3:
            what = page.evaluate("(at) => window.kinds[at].outerHTML.slice(0, 100)", at)
            found.append(f"focus: {contrast} {what}")
    return found


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in ALWAYS else pytest.mark.long) for name in PAGES])
def test_what_shows_for_a_moment_can_be_read(person, name):
    person.open(next(one for one in SCENES if one.name == name))
    settle(person.page)
    # Brings axe onto the page, too.
    assert violations(person.page) == []
    assert unreadable(person.page) == []


@pytest.mark.long
def test_a_pale_moment_is_found(person):
    person.open(next(one for one in SCENES if one.name == "settings"))
    page = person.page
    violations(page)
    page.evaluate("""() => {
      const [pale, blunt] = ["#refresh-session", "#sign-out"].map((css) => document.querySelector(css));
      pale.className = "pale";
      const { color, backgroundColor } = getComputedStyle(document.body);
      const faint = `color-mix(in oklab, ${color} 30%, ${backgroundColor})`;
      pale.addEventListener("pointerenter", () => pale.style.setProperty("color", faint));
      blunt.style.setProperty("outline", "none");
    }""")
    found = unreadable(page)
    expect(page.locator("#refresh-session")).to_be_visible()
    assert [one.split(":")[0] for one in found] == ["under the mouse", "pressed", "focus"], found
