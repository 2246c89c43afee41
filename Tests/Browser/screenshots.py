#!/usr/bin/env python3
"""Takes a picture of every page in both themes. usage: screenshots.py FOLDER"""

import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import expect, sync_playwright
from running_console import PROJECT, RunningConsole
from steps import Clicks, ask, grid_row
from watched_context import WatchedContext

WHO = "casey@example.org"


def pictures(context, shoot):
    """Walks through the pages as one person would."""
    page = context.page("/login")
    expect(page.locator("#send-code")).to_be_visible()
    shoot(page, "login")
    ask(page, WHO, "link", Clicks())
    shoot(page, "login-sent")
    inbox = context.page("/inbox")
    opener = inbox.locator("#open-link")
    expect(opener).to_be_visible()
    shoot(inbox, "inbox")
    inbox.goto(opener.get_attribute("href"))
    expect(inbox.locator("#sign-in")).to_be_visible()
    shoot(inbox, "callback")
    inbox.locator("#sign-in").click()
    inbox.wait_for_url("**/settings*")
    expect(inbox.get_by_role("main")).to_contain_text(WHO)
    shoot(inbox, "settings")
    inbox.goto("/network")
    grid_row(inbox, "/rpc/me").first.click()
    inbox.get_by_role("tab", name="Response").click()
    expect(inbox.get_by_role("tree")).to_be_visible()
    shoot(inbox, "network")


def main(folder):
    """Starts a console for each theme, since each begins signed out."""
    folder.mkdir(parents=True, exist_ok=True)
    chromium = subprocess.run([PROJECT / "Scripts/find-chromium"], capture_output=True, text=True, check=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.stdout.strip(), args=["--no-sandbox"])
        for theme in ("light", "dark"):
            with tempfile.TemporaryDirectory() as data:
                console = RunningConsole(data, arguments=("--limits", "off"))
                context = WatchedContext(browser, console, color_scheme=theme, reduced_motion="reduce")

                def shoot(page, name):
                    page.screenshot(path=folder / f"{name}-{theme}.png", animations="disabled", caret="hide")

                try:
                    pictures(context, shoot)
                    context.close()
                finally:
                    console.stop()
        browser.close()


main(Path(sys.argv[1]))
