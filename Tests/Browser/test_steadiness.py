"""Nothing on a page moves by itself while it comes up."""

import pytest
from playwright.sync_api import expect
from steps import be_signed_in, expect_live, new_identifier

WATCH = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (!entry.hadRecentInput) shifts.push([entry.value, entry.sources.map((one) => one.node?.nodeName + "." + one.node?.className)]);
  }
}).observe({ type: "layout-shift", buffered: true });
"""
LIMIT = 0.01


def shift(page, path):
    """How far things moved on the page, weighted as browsers do; and what moved."""
    page.goto("about:blank")
    page.goto(path)
    expect_live(page)
    expect(page.locator("[aria-busy='true']")).to_have_count(0)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    found = page.evaluate("shifts")
    return sum(value for value, _ in found), found


@pytest.mark.parametrize("language", ["en", pytest.param("ar", marks=pytest.mark.long)])
def test_no_page_shifts_while_it_loads(visitor, language):
    visitor.spoil().context.add_init_script(WATCH)
    page = visitor.page(f"/login?lang={language}")
    for path in ("/login", "/callback", "/network", "/timeline", "/recordings", "/inbox"):
        total, found = shift(page, path)
        assert total <= LIMIT, f"{path}: {total} {found}"
    be_signed_in(page, new_identifier())
    for path in ("/settings", "/profiles", "/cues", "/delete-account", "/network", "/timeline", "/inbox"):
        total, found = shift(page, path)
        assert total <= LIMIT, f"{path}: {total} {found}"
