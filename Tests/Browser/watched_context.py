"""A browser context that remembers everything that a clean page does not do."""

import re

from console_team import is_team
from playwright.sync_api import Error

REPORT_POLICY = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy violation: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
"""
# Chromium reports every answer above 399 as a console error of this form.
FAILED_ANSWER = re.compile(r"Failed to load resource: the server responded with a status of (\d{3})")


def leave(page):
    """Ends what the page is doing: Chromium never answers who closes a page in the middle of a navigation (the fifth of them at the latest, here)."""
    for _ in range(10):
        try:
            page.goto("about:blank")
            return
        except Error as error:
            # The page was on its way to somewhere else.
            if "interrupted by another navigation" not in error.message:
                raise


class WatchedContext:
    """A Playwright context on one console; what goes wrong in any of its pages is collected in `complaints`."""

    def __init__(self, browser, console, **options):
        """Opens the context; further options are Playwright's."""
        self.console = console
        self.complaints = []
        self.device_key = None
        # The identifiers that this browser asked for messages to.
        self.asked = set()
        self._expected = []
        if is_team(console):
            # What only an embedded backend has is refused.
            self._expected.append(r"status of 403 .*/api/(inbox|backend/)")
        options.setdefault("viewport", {"width": 1280, "height": 800})
        self.context = browser.new_context(base_url=console.url, **options)
        self.context.set_default_timeout(10_000)
        self.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=console.url)
        self.context.add_init_script(REPORT_POLICY)
        self.context.on("console", self._on_console)
        self.context.on("weberror", lambda error: self.complain(f"page error: {error.error}"))
        self.context.on("requestfailed", self._on_request_failed)
        self.context.on("request", self._on_request)

    def page(self, path=None):
        """A new tab, on the path where one is given."""
        page = self.context.new_page()
        if path:
            page.goto(path)
        return page

    def expect_answers(self, *statuses):
        """From now on the named error statuses are part of the test."""
        self._expected += [rf"status of {status}\b" for status in statuses]

    def expect_lost_connection(self):
        """From now on the server may be away, or say while it stops that it is unavailable."""
        self._expected.append(r"net::ERR_(CONNECTION_|INCOMPLETE_CHUNKED|EMPTY_RESPONSE|NETWORK_CHANGED)")
        self.expect_answers(503)

    def expect_failed_requests(self, path):
        """From now on requests to that path may fail."""
        self._expected.append(rf"request failed: \S+ \S+{re.escape(path)}")

    def complain(self, text):
        """Collects a complaint that the test does not expect."""
        if not any(re.search(pattern, text) for pattern in self._expected):
            self.complaints.append(text)

    def call(self, method, path, body=None):
        """Calls the console's API as the device of the last page; gives Playwright's answer."""
        assert self.device_key, "no page has made a device yet"
        self._note(path, body)
        if is_team(self.console) and (answer := self.console.stand_in(method, path, body, self.asked)):
            return answer
        return self.context.request.fetch(
            path, method=method, data=body, headers={"X-Device-Key": self.device_key}, fail_on_status_code=False
        )

    def read(self, path):
        """The JSON of a GET that must work."""
        answer = self.call("GET", path)
        assert answer.ok, f"{path}: {answer.status} {answer.text()}"
        return answer.json()

    def close(self):
        """Closes the pages, then fails if anything was complained about."""
        for page in self.context.pages:
            page.unroute_all(behavior="ignoreErrors")
            leave(page)
        self.context.close()
        assert not self.complaints, "\n".join(self.complaints)

    def _note(self, path, body):
        if path.endswith(("/api/login/code", "/api/login/magic-link")) and body:
            self.asked.add(str(body.get("identifier")).strip().lower())

    def _on_console(self, message):
        if message.type in ("error", "warning"):
            failed = FAILED_ANSWER.search(message.text)
            where = message.location.get("url", "") if failed else ""
            self.complain(f"console {message.type}: {message.text} {where}".rstrip())

    def _on_request_failed(self, request):
        # A navigation aborts what is under way: that is no fault.
        if request.failure and "ERR_ABORTED" not in request.failure:
            self.complain(f"request failed: {request.method} {request.url} {request.failure}")

    def _on_request(self, request):
        # Watched, not routed: a route takes each request through this process, and the browser's cache away.
        if not request.url.startswith((f"{self.console.url}/", "data:", "blob:", "about:")):
            self.complain(f"request to elsewhere: {request.url}")
        self.device_key = request.headers.get("x-device-key", self.device_key)
        if request.method == "POST" and "/api/login/" in request.url:
            self._note(request.url, request.post_data_json)
