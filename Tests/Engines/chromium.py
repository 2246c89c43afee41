"""Chromium, driven by Playwright."""

import subprocess

from person import MovedError
from playwright.sync_api import Error, sync_playwright
from running_console import PROJECT


class Chromium:
    """A running Chromium; each `profile` is empty."""

    def __init__(self):
        """Starts it without a window."""
        found = subprocess.run([PROJECT / "Scripts/lib/find-chromium"], capture_output=True, text=True, check=True)
        self.playwright = sync_playwright().start()
        self.browser = self.playwright.chromium.launch(executable_path=found.stdout.strip(), args=["--no-sandbox"])

    def profile(self, width, height):
        """A tab in an empty profile."""
        return ChromiumTab(self.browser.new_context(viewport={"width": width, "height": height}))

    def stop(self):
        """Ends it."""
        self.browser.close()
        self.playwright.stop()


class ChromiumTab:
    """The one tab of a profile."""

    def __init__(self, context):
        """Opens the tab."""
        self.context, self.errors = context, []
        self.page = context.new_page()
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def go(self, address):
        """Opens an address, as one typed into the address field."""
        self.page.goto(address)

    def run(self, function, argument):
        """Calls a JavaScript function that reads the page; gives its result."""
        try:
            return self.page.evaluate(function, argument)
        except Error as error:
            if "context was destroyed" in error.message:
                raise MovedError(error.message) from None
            raise

    def click(self, x, y):
        """Moves the mouse to a place and clicks there."""
        self.page.mouse.move(x, y)
        self.page.mouse.click(x, y)

    def type(self, text):
        """Types on the keyboard."""
        self.page.keyboard.type(text)

    def close(self):
        """Ends the profile."""
        self.page.goto("about:blank")
        self.context.close()
