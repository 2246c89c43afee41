"""The page of a team: accounts, workspaces, people and changes, with several persons at once."""

import json

import pytest
from catalogue import messages
from playwright.sync_api import expect
from steps import expect_live, new_identifier
from test_accessibility import violations
from test_persons import proxied  # noqa: F401
from watched_context import WatchedContext

WORDS = messages("en")


def team(context, path="/team"):
    """The page, loaded."""
    page = context.page(path)
    expect(page.locator("team-view [data-view=ready]")).to_be_visible()
    return page


def press(page, selector):
    """Presses with the mouse."""
    page.locator(selector).click()


def make_workspace(page, name):
    """Makes a workspace; gives its line."""
    page.locator("#workspace-name").fill(name)
    press(page, "#add-workspace")
    line = page.locator("#workspace-list li").filter(has_text=name)
    expect(line).to_be_visible()
    return line


def link_to(page, line, access):
    """Makes a link by the dialog; gives it."""
    line.locator("[data-act=share]").click()
    press(page, f"input[name=link-access][value={access}]")
    press(page, "#make-link")
    link = page.locator("#workspace-link").input_value()
    page.keyboard.press("Escape")
    return link


def test_who_takes_an_account_keeps_others_out_until_it_is_given_back(proxied):
    ann, ben = proxied("ann@example.com"), proxied("ben@example.com")
    identifier = new_identifier()
    page = team(ann)
    ann.expect_answers(422)
    press(page, "#take")
    expect(page.locator("#lease-identifier-error")).not_to_be_empty()
    page.locator("#lease-identifier").fill(identifier.upper())
    page.locator("#lease-minutes").select_option("120")
    press(page, "#take")
    mine = page.locator("#lease-list li").filter(has_text=identifier)
    expect(mine).to_contain_text("Reserved for you until")
    other = ben.page("/login")
    expect_live(other)
    ben.expect_answers(409)
    other.locator("#identifier").fill(identifier)
    other.keyboard.press("Enter")
    expect(other.get_by_text("Another person reserved this account.")).to_be_visible()
    other.goto("/team")
    taken = other.locator("#lease-list li").filter(has_text=identifier)
    expect(taken).to_contain_text("ann@example.com")
    expect(taken.get_by_role("button")).to_have_count(0)
    mine.get_by_role("button").click()
    expect(page.locator("#team-result")).to_be_visible()
    expect(page.locator("#lease-list")).to_have_text(WORDS["team.no_accounts"])


def test_a_link_shows_a_recording_to_somebody_else(proxied):
    ann, ben = proxied("ann@example.com"), proxied("ben@example.com")
    page = team(ann)
    line = make_workspace(page, "Release 7")
    workspace = line.get_attribute("data-workspace")
    assert ann.call("POST", "/api/recordings", {"title": "of Ann", "workspace": workspace}).status == 201
    assert ann.call("POST", "/api/recordings", {"title": "private"}).status == 201
    link = link_to(page, line, "read")
    other = team(ben, link)
    expect(other.locator("#team-result")).to_contain_text("Release 7")
    # The token neither stays in the address nor in the history.
    assert "join" not in other.url
    press(other, "#open-recordings")
    expect(other.locator(".recording-title")).to_have_text(["of Ann"])
    expect(other.locator("[id^=delete-], [id^=rename-]")).to_have_count(0)
    other.goto("/team")
    shared = other.locator("#workspace-list li").filter(has_text="Release 7")
    expect(shared.locator("[data-act=share], [data-act=delete]")).to_have_count(0)
    # Ann sees who is in, and removes Ben.
    line.locator("[data-act=members]").click()
    members = page.locator("#member-list li")
    expect(members).to_have_count(2)
    members.filter(has_text="ben@example.com").get_by_role("button").click()
    expect(members).to_have_count(1)
    page.keyboard.press("Escape")
    other.reload()
    expect(other.locator("#workspace-list li")).to_have_count(1)
    # Links that were ended say so.
    line.locator("[data-act=share]").click()
    press(page, "#end-links")
    expect(page.locator("#link-result")).to_have_text(WORDS["team.links_ended"])
    page.keyboard.press("Escape")
    ben.expect_answers(404)
    late = ben.page(link)
    expect(late.locator("#team-result")).to_have_text(WORDS["team.link_void"])
    line.locator("[data-act=delete]").click()
    press(page, "#confirm-deletion")
    expect(page.locator("#workspace-list li")).to_have_count(1)
    page.goto("/recordings")
    expect(page.locator(".recording-title")).to_have_text(["private"])


def test_a_recording_moves_to_another_workspace(proxied):
    ann = proxied("ann@example.com")
    page = team(ann)
    make_workspace(page, "Release 7")
    make_workspace(page, "Demo")
    assert ann.call("POST", "/api/recordings", {"title": "moved"}).status == 201
    page.goto("/recordings")
    press(page, "[id^=rename-]")
    page.locator("#workspace-choice").select_option(label="\u2068Demo\u2069")
    page.locator("#edit-title").press("Enter")
    expect(page.locator("[data-recording]")).to_contain_text("Demo")
    page.locator("#recording-workspace").select_option(label="\u2068Release 7\u2069")
    expect(page.locator("[data-recording]")).to_have_count(0)
    page.locator("#recording-workspace").select_option(label="\u2068Demo\u2069")
    expect(page.locator(".recording-title")).to_have_text(["moved"])
    # What is imported goes to the workspace that is shown.
    file = {"name": "imported.json", "mimeType": "application/json", "buffer": ann.call(
        "GET", f"/api/recordings/{ann.read('/api/recordings')['recordings'][0]['id']}/network/export?format=json").body()}
    page.locator("input[type=file]").set_input_files(file)
    expect(page.locator(".recording-title")).to_have_count(2)


def test_an_owner_sees_who_did_what_and_changes_a_role(proxied):
    ann, olga = proxied("ann@example.com"), proxied("olga@example.com")
    make_workspace(team(ann), "Release 7")
    page = team(olga)
    expect(page.locator("#change-rows tr").filter(has_text="POST /api/workspaces")).to_contain_text("ann@example.com")
    person = page.locator("#person-list li").filter(has_text="ann@example.com")
    person.locator("select").select_option("viewer")
    expect(page.locator("#team-result")).to_contain_text("ann@example.com")
    with page.expect_download() as download:
        press(page, "#download-changes")
    lines = download.value.path().read_text().splitlines()
    assert any(json.loads(line)["action"].startswith("PATCH /api/persons/") for line in lines)
    other = team(ann)
    expect(other.locator("#people, #changes")).to_have_count(2)
    expect(other.locator("#people")).to_be_hidden()
    expect(other.locator("#changes")).to_be_hidden()
    ann.expect_answers(403)
    other.locator("#workspace-name").fill("Another")
    press(other, "#add-workspace")
    expect(other.locator("#workspace-fault")).to_have_text(WORDS["error.role_refused"])
    person.locator("button").click()
    # Deleted by somebody else: the stream of the open page is refused, and the page goes on as that of somebody new.
    ann.expect_answers(401)
    press(page, "#confirm-deletion")
    expect(person).to_have_count(0)
    other.goto("/team")
    expect(other.locator("#workspace-list li")).to_have_count(1)


def test_who_deletes_their_data_starts_anew(proxied):
    ann = proxied("ann@example.com")
    page = team(ann)
    make_workspace(page, "Release 7")
    # The page still has a stream of the device that goes.
    ann.expect_answers(401)
    press(page, "#delete-me")
    press(page, "#confirm-deletion")
    page.wait_for_url("**/login")
    expect_live(page)
    page.goto("/team")
    expect(page.locator("#workspace-list li")).to_have_count(1)


@pytest.mark.parametrize(("theme", "language"), [("light", "en"), pytest.param("dark", "ar", marks=pytest.mark.long)])
def test_the_page_is_for_everybody(proxied, theme, language):
    olga = proxied("olga@example.com")
    page = team(olga)
    make_workspace(page, "Release 7")
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": 320, "height": 700})
    page.goto(f"/team?lang={language}")
    expect(page.locator("#change-rows tr").first).to_be_visible()
    assert not violations(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.locator("[data-act=share]").click()
    expect(page.locator("dialog[open]")).to_be_visible()
    assert not violations(page)


@pytest.fixture
def visitor(browser, shared_console):
    """A browser on a console without persons."""
    context = WatchedContext(browser, shared_console)
    yield context
    context.close()


def test_a_console_without_persons_has_no_team(visitor):
    page = visitor.page("/login")
    expect_live(page)
    expect(page.locator("[data-nav=team]")).to_be_hidden()
    visitor.expect_answers(404)
    page.goto("/team")
    expect(page.get_by_text(WORDS["team.none_title"])).to_be_visible()
