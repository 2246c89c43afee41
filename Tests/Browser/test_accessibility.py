"""Every page, in both themes and both directions, down to 320 px: no violations, nothing out of reach, nothing that moves by itself."""

import os

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from scenes import SCENES, Person
from steps import Clicks, ask, be_signed_in, expect_live, from_menu, new_identifier, wait_until
from test_words import check_words
from watched_context import WatchedContext

LANGUAGES = {"ltr": "en", "rtl": "ar"}
SIGNED_OUT = ("/login", "/callback", "/callback#token=none", "/inbox", "/network", "/timeline", "/recordings", "/help", "/nowhere")
SIGNED_IN = ("/settings", "/profiles", "/cues", "/delete-account", "/network", "/timeline", "/inbox", "/callback#token=nonenone")
# What opens on a page, fails there, or shows for a moment, by the names of `scenes.py`.
MOMENTS = (
    "login-own-code", "callback-foreign", "inbox-limits", "settings-notice", "settings-failed", "cues-notice", "cues-none", "devices-reset",
    "network-none", "network-failed", "network-drift", "network-answer", "network-export", "network-compose", "faults-armed", "faults-banner",
    "recordings-choose", "recordings-compare", "network-compare",
)
TOOLS = (("Control+k", "#palette"), ("?", "#shortcuts"), ("d", "#devices"), ("f", "#faults"))
MOTIONLESS = """() => document.getAnimations().every(
  (one) => one.playState !== "running" || one.effect.getTiming().iterations === Infinity)"""
# What axe finds; the rest of its report takes longer to come over than the look itself.
AXE = """(rules) => axe.run({ resultTypes: ["violations"], ...(rules ? { runOnly: rules } : {}) }).then(({ violations }) => violations.flatMap(
  ({ id, nodes }) => nodes.map((node) => `${id}: ${node.target} ${node.failureSummary}`)))"""
# How much of the window may move while a page comes up, weighted as browsers do.
SHIFT_LIMIT = 0.01
# Controls that something covers, or that pass the mouse on to what is behind them.
UNREACHABLE = """() => [...document.querySelectorAll("button, select, input, summary, [role=tab]")]
  .filter((one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
  .filter((one) => {
    one.scrollIntoView({ block: "center", inline: "center" });
    const box = one.getBoundingClientRect();
    const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return box.width > 1 && !(hit && (one.contains(hit) || hit.contains(one) && getComputedStyle(one).pointerEvents !== "none"));
  })
  .map((one) => one.id || one.outerHTML.slice(0, 100))"""
# A header is a banner unless it is inside one of these (HTML-AAM).
BANNERS = "(headers) => headers.filter((one) => !one.closest('article, aside, main, nav, section')).length"


def violations(page, rules=None):
    """What axe finds by these rules, or all, once nothing moves, a line each: what fades in has too little contrast until it is there."""
    wait_until(page, MOTIONLESS)
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    return page.evaluate(AXE, rules)


def settle(page):
    """Waits until the page shows its content instead of a skeleton, in the words of the language."""
    expect(page.get_by_role("main")).to_be_visible()
    expect(page.locator("[aria-busy='true']")).to_have_count(0)
    wait_until(page, MOTIONLESS)


def expect_no_overflow(page, what):
    """Nothing is wider than the window, so that nobody scrolls in two directions."""
    settle(page)
    wide = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert wide[0] <= wide[1], f"{page.url} overflows {what}: {wide}"


def examine(page, direction):
    """Checks the page as it stands: all rules in one look, contrast in the other one too, and nothing too wide at 320 px. With
    BROWSER_TESTS=all, every look and width has all rules."""
    settle(page)
    assert page.locator("html").get_attribute("dir") == direction
    is_thorough = os.environ.get("BROWSER_TESTS") == "all"
    rules = None if is_thorough or direction == "ltr" else ["color-contrast"]
    assert violations(page, rules) == [], page.url
    size = page.viewport_size
    page.set_viewport_size({"width": 320, "height": 640})
    expect_no_overflow(page, "at 320 px")
    if is_thorough:
        assert violations(page) == [], f"{page.url} at 320 px"
    page.set_viewport_size(size)


def examine_page(page, direction):
    """Checks a page that has just come up: also its words, that nothing moved by itself, and that the mouse reaches every control."""
    expect_live(page)
    settle(page)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    found = page.evaluate("shifts")
    assert sum(value for value, _ in found) <= SHIFT_LIMIT, f"{page.url}: {found}"
    check_words(page, LANGUAGES[direction])
    assert page.evaluate(UNREACHABLE) == [], page.url
    examine(page, direction)


@pytest.fixture(params=["light", "dark"])
def theme(request):
    """The colour scheme that the browser asks for."""
    return request.param


@pytest.fixture(params=["ltr", "rtl"])
def direction(request):
    """The direction of the text."""
    return request.param


@pytest.fixture
def visitor(browser, shared_console, theme):
    """A browser of its own on the shared console."""
    context = WatchedContext(browser, shared_console, color_scheme=theme, reduced_motion="reduce")
    context.expect_answers(404)
    yield context
    context.close()


def visit(page, path, direction):
    """Opens the path in the language of that direction."""
    address, _, fragment = path.partition("#")
    if fragment:
        # The same address with another fragment would not be loaded again.
        page.goto("/healthz")
    page.goto(f"{address}?lang={LANGUAGES[direction]}" + (f"#{fragment}" if fragment else ""))


def test_pages_before_signing_in(visitor, direction):
    page = visitor.page()
    for path in SIGNED_OUT:
        visit(page, path, direction)
        examine_page(page, direction)


@pytest.mark.long
def test_the_second_step_of_signing_in(visitor, direction):
    page = visitor.page(f"/login?lang={LANGUAGES[direction]}")
    ask(page, new_identifier(), "code", Clicks())
    examine(page, direction)
    visitor.expect_answers(422)
    page.locator("#code").fill("000000")
    expect(page.locator("#code")).to_have_attribute("aria-invalid", "true")
    examine(page, direction)


def test_pages_after_signing_in(visitor, direction):
    page = visitor.page(f"/login?lang={LANGUAGES[direction]}")
    be_signed_in(page, new_identifier())
    for path in SIGNED_IN:
        visit(page, path, direction)
        examine_page(page, direction)
    visit(page, "/cues", direction)
    page.locator(".cue-menu").first.click()
    expect(page.get_by_role("menu")).to_be_visible()
    examine(page, direction)
    visit(page, "/delete-account", direction)
    page.locator("#open-deletion").click()
    page.locator("#deletion-word").press("Enter")
    examine(page, direction)
    visit(page, "/settings", direction)
    page.locator("#sign-out").click()
    expect(page.locator("#confirm-sign-out")).to_be_visible()
    examine(page, direction)


def test_what_opens_over_a_page(visitor, direction):
    page = visitor.page(f"/login?lang={LANGUAGES[direction]}")
    settle(page)
    # The first field has the focus, where a key is a letter.
    page.locator("#identifier").blur()
    for key, opened in TOOLS:
        page.keyboard.press(key)
        expect(page.locator(opened)).to_be_visible()
        assert page.locator("header").evaluate_all(BANNERS) == 1, opened
        examine(page, direction)
        page.keyboard.press("Escape")
        expect(page.locator(opened)).to_have_count(0)


@pytest.mark.long
def test_paper_shows_all_that_the_screen_does(visitor):
    page = visitor.page("/login")
    be_signed_in(page, new_identifier())
    for path, shown in (("/settings", "#account-facts"), ("/cues", ".cue >> nth=-1"), ("/delete-account", "#what-profiles"), ("/timeline", "#machine")):
        page.goto(path)
        expect(page.locator(shown)).to_be_visible()
        page.emulate_media(media="print")
        expect(page.locator(shown)).to_be_visible()
        expect(page.locator(".nav")).to_be_hidden()
        expect(page.locator("[data-fact=host]")).to_be_visible()
        page.set_viewport_size({"width": 794, "height": 1123})
        wide = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert wide[0] <= wide[1], f"{path} is wider than the paper: {wide}"
        page.emulate_media(media="screen")
        page.set_viewport_size({"width": 1280, "height": 800})


@pytest.fixture
def person(browser, scenes_console, theme, direction):
    """Somebody whose browser asks for the theme and for a language of the direction."""
    context = WatchedContext(browser, scenes_console, color_scheme=theme, reduced_motion="reduce", locale=LANGUAGES[direction])
    context.expect_answers(401, 404, 409, 422, 502)
    yield Person(context, by_touch=False, language=LANGUAGES[direction])
    context.close()


# The others take a minute more.
ALWAYS = ("settings-failed", "network-answer")


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in ALWAYS else pytest.mark.long) for name in MOMENTS])
def test_what_shows_for_a_moment(person, name, direction):
    person.open(next(one for one in SCENES if one.name == name))
    examine(person.page, direction)


@pytest.mark.long
def test_pages_enlarged_twice(browser, shared_console):
    context = WatchedContext(browser, shared_console, reduced_motion="reduce")
    context.expect_answers(404)
    page = context.page("/login")
    be_signed_in(page, new_identifier())
    # A window of 1280 by 800, enlarged to 200 %, has room for so many CSS pixels.
    page.set_viewport_size({"width": 640, "height": 400})
    for path in (*SIGNED_IN, "/nowhere"):
        page.goto(path)
        expect_no_overflow(page, "at 200 %")
    context.close()


def test_the_details_of_a_row_and_what_opens_from_them(visitor, direction):
    page = visitor.page()
    be_signed_in(page, new_identifier())
    visit(page, "/network", direction)
    page.locator("[data-row]", has_text="/rpc/login_with_code").first.click()
    expect(page.get_by_role("tab").first).to_be_visible()
    expect(page.locator("row-actions button").first).to_be_visible()
    assert page.evaluate(UNREACHABLE) == []
    for tab in page.get_by_role("tab").all():
        tab.click()
        examine(page, direction)
    page.locator("#copy-row").click()
    expect(page.get_by_role("menu")).to_be_visible()
    examine(page, direction)
    page.keyboard.press("Escape")
    from_menu(page, "#export", "file")
    expect(page.locator("#save-export")).to_be_visible()
    examine(page, direction)
    page.keyboard.press("Escape")


@pytest.mark.long
def test_the_composer_with_its_parts_open(visitor, direction):
    page = visitor.page()
    be_signed_in(page, new_identifier())
    visit(page, "/network", direction)
    page.locator("#compose").click()
    page.locator("#compose-import summary").click()
    page.locator("#compose-curl").fill("curl -k https://api.test/rpc/me -H 'Authorization: x' -H 'X-Flag: 1'")
    page.locator("#take-curl").click()
    page.locator("#add-header").click()
    page.keyboard.type("Cookie")
    page.locator("#composer [type=submit]").click()
    expect(page.locator("#compose-headers-fault")).not_to_be_empty()
    examine(page, direction)
    page.locator(".header-list button").last.click()
    page.locator("#composer [type=submit]").click()
    expect(page.locator("#compose-status")).to_be_visible()
    page.locator("#compose-history summary").click()
    expect(page.locator("#composed-list button")).to_have_count(1)
    examine(page, direction)
