#!/usr/bin/env python3
"""Takes a picture of every page in its states, themes and directions.

usage: screenshots.py FOLDER STATES
FOLDER takes a picture of each page in both themes, STATES all of them: `page-state-theme-direction.png`.
"""

import secrets
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import expect, sync_playwright
from running_console import PROJECT, RunningConsole

sys.path += [str(PROJECT / "Tests" / name) for name in ("Soak", "Outside", "Survival")]
from steps import Clicks, ask, expect_live, refused
from watched_context import WatchedContext

WHO = "casey@example.org"
LANGUAGES = {"ltr": "en", "rtl": "ar"}
# What each page shows its six states of: the call that it stands on, and what is there once that worked.
VIEWS = {
    # First, while little has happened.
    "timeline": ("/api/timeline", "#entries tr >> nth=0"),
    "settings": ("/api/account", "#account-facts"),
    "profiles": ("/api/profiles", "#profile-list"),
    "cues": ("/api/cues", ".cue >> nth=0"),
    "delete-account": ("/api/account", "#what-profiles"),
    "network": ("/api/network*", "#network-grid"),
    "inbox": ("/api/inbox*", "#inbox-reader"),
    "recordings": ("/api/recordings", "[data-recording] >> nth=0"),
}
EMPTY = {"profiles": '{"profiles":[]}', "cues": '{"cues":[],"source":"network"}', "network": '{"events":[],"next":0,"dropped":0,"capacity":2000}', "inbox": '{"messages":[]}', "timeline": '{"entries":[]}', "recordings": '{"recordings":[]}'}
FILTERS = {"profiles": "#profile-filter", "cues": "#cue-filter", "network": "#filter", "recordings": "#recording-search"}


class Camera:
    """Saves pictures of one theme and direction."""

    def __init__(self, shown, states, theme, direction):
        """Pictures named in `chosen` calls go to `shown` too, where the text runs from left to right."""
        self.shown, self.states, self.theme, self.direction = shown, states, theme, direction

    def shoot(self, page, name, chosen=None):
        """Saves the page as it stands."""
        page.mouse.move(0, 0)
        path = self.states / f"{name}-{self.theme}-{self.direction}.png"
        page.screenshot(path=path, animations="disabled", caret="hide")
        if chosen and self.direction == "ltr":
            (self.shown / f"{chosen}-{self.theme}.png").write_bytes(path.read_bytes())


def sign_in(context, camera):
    """The way in, with its own states; ends on Settings."""
    page = context.page(f"/login?lang={LANGUAGES[camera.direction]}")
    expect_live(page)
    camera.shoot(page, "login-empty", "login")
    page.locator("#send-link").click()
    camera.shoot(page, "login-invalid")
    page.locator("#identifier").fill(WHO)
    for state, status, code in (("error", 502, "backend_error"), ("offline", 503, "offline"), ("limited", 429, "too_many_attempts")):
        with refused(page, "/api/login/code", status, code, retry_after=42 if status == 429 else None):
            page.locator("#send-code").click()
        expect(page.locator("#identifier-error")).to_be_visible()
        camera.shoot(page, f"login-{state}")
    page.reload()
    ask(page, WHO, "link", Clicks())
    expect(page.locator("#offer-code")).to_be_visible()
    camera.shoot(page, "login-sent", "login-sent")
    page.locator("#code").fill("000000")
    expect(page.locator("#code")).to_have_attribute("aria-invalid", "true")
    camera.shoot(page, "login-wrong-code")
    inbox = context.page("/inbox")
    expect(inbox.locator("#open-link")).to_be_visible()
    camera.shoot(inbox, "inbox-ready", "inbox")
    inbox.goto(inbox.locator("#open-link").get_attribute("href"))
    expect(inbox.locator("#sign-in")).to_be_visible()
    camera.shoot(inbox, "callback-ask", "callback")
    inbox.locator("#sign-in").click()
    inbox.wait_for_url("**/settings*")
    expect(inbox.get_by_role("main")).to_contain_text(WHO)
    page.close()
    inbox.locator("#refresh-session").click()
    expect(inbox.locator("#session-result")).to_have_attribute("data-tone", "ok")
    return inbox


def learn(context):
    """Spreads the cues over the stages, as after some weeks."""
    cues = context.read("/api/cues")["cues"]
    for cue, stage in zip(cues, ("mastered", "review", "learning", "new", "learning", "review", "mastered", "new", "learning", "review"), strict=False):
        assert context.call("POST", f"/api/cues/{cue['cue_id']}/stage", {"stage": stage}).ok


def states(context, page, camera, name):
    """One page in its six states."""
    call, there = VIEWS[name]
    if name == "cues":
        learn(context)
    if name == "recordings":
        assert context.call("POST", "/api/recordings", {"title": "Sign-in works", "note": "Checked with the new build"}).ok
    page.goto(f"/{name}")
    expect(page.locator(there)).to_be_visible()
    if name == "network":
        expect(page.locator(".histogram-time").first).not_to_be_empty()
    camera.shoot(page, f"{name}-ready", None if name == "network" else name)
    if name in FILTERS:
        page.locator(FILTERS[name]).fill("zzz")
        camera.shoot(page, f"{name}-none")
    if name == "timeline":
        page.goto("/timeline?kind=fault")
        expect(page.locator("[data-view=none]")).to_be_visible()
        camera.shoot(page, f"{name}-none")
    held = []
    page.route(f"**{call}", lambda route: held.append(route))
    page.goto(f"/{name}")
    expect(page.locator("[data-view=loading]").first).to_be_visible()
    page.wait_for_timeout(200)
    camera.shoot(page, f"{name}-loading")
    page.goto("about:blank")
    page.unroute_all(behavior="ignoreErrors")
    for state, status, code in (("error", 502, "backend_error"), ("offline", 503, "offline"), ("limited", 429, "too_many_attempts")):
        with refused(page, call, status, code, retry_after=42 if status == 429 else None):
            page.goto(f"/{name}")
            expect(page.locator("[data-view=error]").first).to_be_visible()
            camera.shoot(page, f"{name}-{state}")
    if name in EMPTY:
        page.route(f"**{call}", lambda route: route.fulfill(content_type="application/json", body=EMPTY[name]))
        page.goto(f"/{name}")
        expect(page.locator("[data-view=empty]")).to_be_visible()
        expect_live(page)
        camera.shoot(page, f"{name}-empty")
        page.unroute_all(behavior="ignoreErrors")


def opened_row(context, page, tab, **wanted):
    """Opens the first row that has these members, at a tab of its details."""
    rows = context.read("/api/network?limit=2000")["events"]
    row = next(one for one in rows if all(one.get(name) == value for name, value in wanted.items()))
    page.goto(f"/network?row={row['id']}")
    expect(page.locator("#detail-title")).not_to_be_empty()
    page.locator(f"#tab-{tab}").click()
    expect(page.locator("#replay-row")).to_be_visible()
    expect(page.locator(".histogram-time").first).not_to_be_empty()


def tools(context, page, camera):
    """What opens over a page, and the moments that are no state of a view."""
    page.goto("/cues")
    expect(page.locator(".cue").first).to_be_visible()
    page.locator(".cue").first.focus()
    page.keyboard.press("Shift+ArrowRight" if camera.direction == "ltr" else "Shift+ArrowLeft")
    expect(page.locator("#undo")).to_be_visible()
    page.locator(".cue-menu").nth(3).click()
    camera.shoot(page, "cues-menu")
    page.keyboard.press("Escape")
    for key, opened, name in (("Control+k", "#palette", "palette"), ("?", "#shortcuts", "shortcuts"), ("d", "#devices", "devices")):
        page.keyboard.press(key)
        expect(page.locator(opened)).to_be_visible()
        if name == "devices":
            expect(page.locator("#devices li").first).to_be_visible()
        page.wait_for_timeout(200)
        camera.shoot(page, name, name if name == "palette" else None)
        page.keyboard.press("Escape")
    opened_row(context, page, "overview", endpoint="login_with_code", status=401)
    camera.shoot(page, "network-cause", "network")
    opened_row(context, page, "response", endpoint="me", status=200)
    expect(page.get_by_role("tree")).to_be_visible()
    camera.shoot(page, "network-row")
    page.locator("#tab-timing").click()
    camera.shoot(page, "network-timing")
    page.locator("#close-detail").click()
    page.locator("#open-faults").click()
    expect(page.locator("#new-rule")).to_be_visible()
    page.locator("[data-preset]").first.click()
    expect(page.locator("fault-panel :is([data-fault], [data-faults])").first).to_be_visible()
    camera.shoot(page, "faults", "faults")
    page.locator("#clear-faults").click()
    expect(page.locator("fault-panel :is([data-fault], [data-faults])")).to_have_count(0)
    page.keyboard.press("Escape")
    page.goto("/delete-account")
    page.locator("#open-deletion").click()
    camera.shoot(page, "delete-account-dialog")
    page.goto("/settings?present=1")
    expect(page.locator("#account-facts")).to_be_visible()
    expect_live(page)
    camera.shoot(page, "settings-presenting")
    page.set_viewport_size({"width": 320, "height": 640})
    for name, (_, there) in VIEWS.items():
        page.goto(f"/{name}")
        expect(page.locator(there)).to_be_visible()
        camera.shoot(page, f"{name}-narrow")


def team(browser, camera, language):
    """The page of a team, which only a console behind a proxy has: here the browser's own headers name the person."""
    with tempfile.TemporaryDirectory() as folder:
        secret = Path(folder) / "person-secret"
        secret.write_text(secrets.token_urlsafe(32))
        secret.chmod(0o600)
        persons = ("--person-header", "X-Forwarded-Email", "--person-secret-file", secret, "--person-owner", WHO)
        console = RunningConsole(Path(folder) / "data", arguments=("--limits", "off", *persons))
        context = WatchedContext(
            browser, console, color_scheme=camera.theme, reduced_motion="reduce", locale=language,
            extra_http_headers={"X-Forwarded-Email": WHO, "X-Understudy-Proxy-Secret": secret.read_text()})
        try:
            page = context.page("/team")
            expect(page.locator("team-view [data-view=ready]")).to_be_visible()
            page.locator("#lease-identifier").fill("tester@example.org")
            page.locator("#take").click()
            expect(page.locator("#lease-list li")).to_have_count(1)
            page.locator("#workspace-name").fill("Release 7")
            page.locator("#add-workspace").click()
            expect(page.locator("#workspace-list")).to_contain_text("Release 7")
            page.reload()
            expect(page.locator("#change-rows tr").first).to_be_visible()
            expect_live(page)
            camera.shoot(page, "team-ready", "team")
            context.close()
        finally:
            console.stop()


def main(shown, every):
    """Starts a console for each theme and direction, since each begins signed out."""
    for folder in (shown, every):
        folder.mkdir(parents=True, exist_ok=True)
    chromium = subprocess.run([PROJECT / "Scripts/lib/find-chromium"], capture_output=True, text=True, check=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.stdout.strip(), args=["--no-sandbox"])
        for direction, language in LANGUAGES.items():
            for theme in ("light", "dark"):
                with tempfile.TemporaryDirectory() as data:
                    console = RunningConsole(data, arguments=("--limits", "off"))
                    context = WatchedContext(browser, console, color_scheme=theme, reduced_motion="reduce", locale=language)
                    context.expect_answers(401, 422, 429, 502, 503)
                    context.expect_failed_requests("/api/")
                    camera = Camera(shown, every, theme, direction)
                    try:
                        page = sign_in(context, camera)
                        for name in VIEWS:
                            states(context, page, camera, name)
                        tools(context, page, camera)
                        context.close()
                    finally:
                        console.stop()
                    team(browser, camera, language)
        browser.close()


main(Path(sys.argv[1]), Path(sys.argv[2]))
