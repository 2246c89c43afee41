"""Somebody who has a mouse and a keyboard to type with, and who looks at the page before each click."""

from moments import until

# Where a control is, once it rests there and nothing covers it; or why it cannot be clicked.
FIND = """([selector, text]) => {
  const shown = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const all = [...document.querySelectorAll(selector)].filter(shown);
  const one = all.find((each) => each.innerText.includes(text) || each.value === text);
  if (!one) return { missing: all.length ? `${all.length} elements, none with the text` : "no element shows" };
  if (one.disabled || one.getAttribute("aria-disabled") === "true") return { missing: "it is disabled" };
  one.scrollIntoView({ block: "nearest" });
  const box = one.getClientRects()[0];
  if (!box) return { missing: "it has no place on the page" };
  const [x, y] = [box.x + Math.min(box.width / 2, 60), box.y + box.height / 2];
  const hit = document.elementFromPoint(x, y);
  const isReached = hit && (one.contains(hit) || hit.closest("label")?.control === one);
  if (!isReached) return { missing: `it is covered by ${hit?.outerHTML.slice(0, 80)}` };
  return { x, y, text: one.innerText.trim() || one.value || "" };
}"""
LIVE = "[data-fact='connection'][data-state='live']"


class MovedError(Exception):
    """The page went away while it was read."""


class Person:
    """Works on one tab and counts the clicks."""

    def __init__(self, tab, console):
        """Begins in an empty profile."""
        self.tab, self.console, self.clicks = tab, console, 0

    def open(self, path):
        """Types an address."""
        self.tab.go(self.console.url + path)
        self.sees(LIVE)

    def found(self, selector, text=""):
        """The place of an element that shows and rests, and can be clicked."""
        place = None

        def rests():
            nonlocal place
            before = place
            try:
                place = self.tab.run(FIND, [selector, text])
            except MovedError as moved:
                place = {"missing": f"the page is on its way to another ({moved})"}
            return place if "missing" not in place and place == before else None

        return until(rests, lambda: f"{selector} “{text}”: {place.get('missing', 'it does not rest')}")

    def sees(self, selector, text=""):
        """Waits for an element with that text; gives its text."""
        return self.found(selector, text)["text"]

    def click(self, selector, text=""):
        """Clicks what is there."""
        place = self.found(selector, text)
        self.tab.click(place["x"], place["y"])
        self.clicks += 1

    def type(self, text):
        """Types where the focus is."""
        self.tab.type(text)
