"""The cues board: moved by menu, keys and drag, taken back, shuffled, and kept while the backend is away."""

import re

import pytest
from moments import until
from playwright.sync_api import expect
from steps import at_rest, be_signed_in, expect_live, new_identifier, refused, tab_to


def column(page, stage):
    """A column's cards."""
    return page.locator(f"[data-stage={stage}] .cue")


def open_board(visitor, query=""):
    """Signs in and opens the board."""
    page = visitor.page()
    be_signed_in(page, new_identifier(), at=f"/cues{query}")
    # A board that was there before its stream reads once more.
    expect_live(page)
    expect(column(page, "new").first).to_be_visible()
    return page


def stages(visitor):
    """How many cues the device holds in each stage."""
    found = {}
    for cue in visitor.read("/api/cues")["cues"]:
        found[cue["stage"]] = found.get(cue["stage"], 0) + 1
    return found


def test_a_cue_is_moved_by_its_menu_and_taken_back(visitor):
    page = open_board(visitor)
    card = column(page, "new").first
    prompt = card.locator(".cue-prompt").inner_text()
    card.locator(".cue-menu").click()
    page.get_by_role("menuitemradio", name="Review").click()
    expect(column(page, "review")).to_contain_text(prompt)
    expect(page.locator("#cues-result")).to_contain_text("Review, 1 of 1")
    assert stages(visitor)["review"] == 1
    page.locator("#undo").click()
    expect(column(page, "review")).to_have_count(0)
    expect(page.locator("#cues-result")).to_contain_text("back in New")
    assert "review" not in stages(visitor)
    page.keyboard.press("u")
    expect(page.locator("#cues-result")).to_contain_text("Nothing to undo")


def test_the_board_names_the_active_profile_and_switches_it(visitor):
    page = open_board(visitor)
    german = visitor.call("POST", "/api/profiles", {"language_code": "de"}).json()["profile_id"]
    button = page.locator("#cue-profile")
    expect(button).to_have_accessible_name("Profile: English. Switch to another one")
    before = column(page, "new").first.inner_text()
    button.click()
    expect(page.get_by_role("menuitemcheckbox", checked=True)).to_have_text("English")
    page.get_by_role("menuitemcheckbox", name="Deutsch").click()
    expect(button).to_contain_text("Deutsch")
    expect(column(page, "new").first).not_to_have_text(before, use_inner_text=True)
    expect(page.locator("html")).to_have_attribute("lang", "en")
    assert visitor.read("/api/profiles")["active_profile_id"] == german


def test_a_visit_fetches_the_cues_once(visitor):
    page = visitor.page()
    be_signed_in(page, new_identifier())
    held = []
    page.route("**/api/cues", lambda route: held.append(route))
    with page.expect_request("**/api/cues"):
        page.goto("/cues")
    expect_live(page)
    # The news of the fetch is read from the device, which calls nobody.
    with page.expect_response("**/api/cues?stored=1"):
        held[0].continue_()
    at_rest(page)
    fetched = [row["flow"] for row in visitor.read("/api/network")["events"] if row["endpoint"] == "get_cues"]
    assert fetched == ["browse_cues"], fetched


def test_cues_of_a_moment_ago_are_old_if_the_end_of_their_fetch_was_told_before_the_stream(visitor):
    page = open_board(visitor)
    rule = {"match": {"endpoint": "get_cues"}, "action": {"kind": "status", "status": 500}}
    assert visitor.call("POST", "/api/faults", rule).ok
    held = []
    page.route("**/api/events*", lambda route: held.append(route))
    with page.expect_response("**/api/cues"):
        page.reload()

    def failed():
        rows = visitor.read("/api/network?endpoint=get_cues")["events"]
        return [row for row in rows if row.get("status") == 500]

    until(failed, "the cues are not fetched")
    for route in held:
        route.continue_()
    page.unroute("**/api/events*")
    expect(page.locator("#cues-notice")).to_contain_text("These are the cues as of")


def test_an_answer_from_before_a_move_does_not_take_it_back(visitor):
    page = open_board(visitor)
    held = []
    page.route("**/api/cues", lambda route: held.append((route, route.fetch())), times=1)
    with page.expect_request("**/api/cues"):
        page.evaluate("() => void document.querySelector('cue-board').loader.load()")
    prompt = column(page, "new").first.locator(".cue-prompt").inner_text()
    column(page, "new").first.locator(".cue-menu").click()
    page.get_by_role("menuitemradio", name="Review").click()
    expect(page.locator("#cues-result")).to_contain_text("Review, 1 of 1")
    assert held, "no answer was held back"
    route, answer = held[0]
    with page.expect_response(lambda one: one.url.endswith("/api/cues") and one.request != route.request):
        route.fulfill(response=answer)
    expect(column(page, "review")).to_contain_text(prompt)
    expect(column(page, "review").locator(".badge")).to_have_count(0)


def test_a_cue_is_dragged_into_another_column(visitor):
    page = open_board(visitor)
    prompt = column(page, "new").nth(1).locator(".cue-prompt").inner_text()
    column(page, "new").nth(1).drag_to(page.locator("[data-stage=mastered]"), target_position={"x": 40, "y": 60})
    expect(column(page, "mastered")).to_contain_text(prompt)
    expect(column(page, "mastered").locator(".badge")).to_have_count(0)
    assert stages(visitor)["mastered"] == 1


@pytest.mark.parametrize("width", [pytest.param(1024, marks=pytest.mark.long), 768])
def test_the_last_card_is_dragged_into_the_last_column(visitor, width):
    page = open_board(visitor)
    page.set_viewport_size({"width": width, "height": 768})
    card = column(page, "new").last
    prompt = card.locator(".cue-prompt").inner_text()
    card.scroll_into_view_if_needed()
    box = card.bounding_box()
    last = page.locator("[data-stage=mastered]").bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 12)
    page.mouse.down()
    # Across, without scrolling.
    page.mouse.move(last["x"] + last["width"] / 2, box["y"] + 12, steps=8)
    page.mouse.up()
    expect(column(page, "mastered")).to_contain_text(prompt)


def test_the_board_takes_no_mouse(visitor):
    page = open_board(visitor)
    before = column(page, "new").count()
    tab_to(page, "#shuffle")
    page.keyboard.press("Tab")
    expect(page.locator(".cue[tabindex='0']")).to_be_focused()
    first = page.evaluate("document.activeElement.dataset.cue")
    page.keyboard.press("ArrowDown")
    second = page.evaluate("document.activeElement.dataset.cue")
    assert first != second
    page.keyboard.press("Shift+ArrowRight")
    expect(column(page, "learning")).to_have_attribute("data-cue", second)
    expect(column(page, "learning")).to_be_focused()
    page.keyboard.press("m")
    expect(page.get_by_role("menuitemradio", name="Learning")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(column(page, "mastered")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(column(page, "new").nth(0)).to_be_focused()
    page.keyboard.press("u")
    expect(column(page, "learning")).to_have_attribute("data-cue", second)
    expect(page.locator("#cues-result")).to_contain_text("is back in")
    page.keyboard.press("s")
    expect(page.locator("#cues-result")).to_contain_text("shuffled")
    expect(column(page, "new")).to_have_count(before - 1)


@pytest.mark.long
def test_quick_moves_of_a_cue_end_where_the_last_one_led(visitor):
    """The answer to the first move comes after the second was made; it neither moves the cue back nor confuses undo."""
    page = open_board(visitor)
    held = []
    page.route("**/api/cues/*/stage", lambda route: held.append(route) if not held else route.continue_())
    column(page, "new").first.focus()
    cue = page.evaluate("document.activeElement.dataset.cue")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    expect(column(page, "review")).to_have_attribute("data-cue", cue)
    with page.expect_response(lambda answer: answer.url.endswith("/stage") and answer.request.post_data_json == {"stage": "review"}):
        held[0].continue_()
    expect(page.locator("#cues-result")).to_contain_text("Review")
    expect(column(page, "review")).to_have_attribute("data-cue", cue)
    page.keyboard.press("u")
    expect(column(page, "learning")).to_have_attribute("data-cue", cue)
    expect(page.locator("#cues-result")).to_contain_text("is back in Learning")


@pytest.mark.long
def test_arrows_follow_the_direction_of_the_text(visitor):
    page = open_board(visitor, "?lang=ar-XB")
    column(page, "new").first.focus()
    page.keyboard.press("Shift+ArrowLeft")
    expect(column(page, "learning")).to_be_focused()
    starts = page.evaluate("['new', 'learning'].map((one) => document.querySelector(`[data-stage=${one}]`).getBoundingClientRect().x)")
    assert starts[0] > starts[1], "the stages should run from right to left"


def test_a_refused_move_goes_back_with_the_reason(visitor):
    page = open_board(visitor)
    visitor.expect_answers(502, 429)
    before = column(page, "new").count()
    for status, code in ((502, "backend_error"), (429, "too_many_attempts"), (502, "unexpected_payload")):
        with refused(page, "/api/cues/*/stage", status, code, retry_after=5 if status == 429 else None):
            column(page, "new").first.focus()
            page.keyboard.press("Shift+ArrowRight")
        expect(page.locator("#cues-result")).to_have_attribute("data-tone", "bad")
        expect(page.locator("#cues-result")).to_contain_text("went back to New")
        expect(column(page, "new")).to_have_count(before)
        expect(column(page, "learning")).to_have_count(0)


@pytest.mark.long
def test_a_filter_hides_and_counts(visitor):
    page = open_board(visitor)
    page.keyboard.press("/")
    page.keyboard.type("meal")
    expect(page.locator("[data-stage=new] header")).to_contain_text(re.compile(r"\d+ hidden"))
    assert column(page, "new").count() < stages(visitor)["new"]
    page.locator("#cue-filter").fill("zzz")
    expect(page.locator("#cues-none")).to_contain_text("zzz")
    page.locator("#clear-filter").click()
    expect(column(page, "new")).to_have_count(stages(visitor)["new"])


def test_a_long_stage_scrolls_and_the_names_of_all_stages_stay_in_sight(visitor):
    page = visitor.page()
    be_signed_in(page, new_identifier())
    page.set_viewport_size({"width": 1024, "height": 768})
    page.goto("/cues")
    cards = page.locator("[data-stage='new'] .cue")
    expect(cards.last).to_be_attached()
    assert cards.count() >= 20
    board = page.locator("#board").bounding_box()
    assert board["y"] + board["height"] <= 768, board
    expect(cards.last).not_to_be_in_viewport()
    cards.first.hover()
    page.mouse.wheel(0, 20_000)
    expect(cards.last).to_be_in_viewport()
    for name in page.locator(".stage h2").all():
        expect(name).to_be_in_viewport()
