"""A browser context that remembers everything that a clean page does not do."""

import json
import re

from console_team import is_team
from playwright.sync_api import Error

REPORT_POLICY = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy violation: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
"""
# How far things moved by themselves while the page came up, weighted as browsers do, and what moved.
REPORT_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (!entry.hadRecentInput) shifts.push([entry.value, entry.sources.map((one) => one.node?.nodeName + "." + one.node?.className)]);
  }
}).observe({ type: "layout-shift", buffered: true });
"""
# Chromium reports every answer above 399 as a console error of this form.
FAILED_ANSWER = re.compile(r"Failed to load resource: the server responded with a status of (\d{3})")


def leave(page, path="about:blank"):
    """Ends what the page is doing: Chromium never answers who closes a page in the middle of a navigation (the fifth of them at the latest, here)."""
    for _ in range(10):
        try:
            page.goto(path)
            return
        except Error as error:
            # The page was on its way to somewhere else.
            if "interrupted by another navigation" not in error.message:
                raise


class WatchedContext:
    """A Playwright context on one console; what goes wrong in any of its pages is collected in `complaints`.

    A context is wiped and used again, with one of its pages, by the next test that asks for the same options: a new one with its first
    page costs as much as two further pages, and a page of another renderer as much as two in the same one. Tests whose change to a
    context outlives its pages say so with `spoil`.
    """

    # The context of each open page's test, by Playwright's context.
    open = {}
    # Wiped contexts, by browser, console and options.
    _wiped = {}
    # Something of the console's origin that runs no script.
    RESTING_PLACE = "/healthz"

    def __init__(self, browser, console, **options):
        """Opens the context; further options are Playwright's."""
        self.console = console
        self.complaints = []
        self.device_key = None
        # The identifiers that this browser asked for messages to.
        self.asked = set()
        # A page without a link to an icon, such as /healthz, makes a browser ask for one.
        self._expected = [r"status of 404 .*/favicon\.ico$"]
        if is_team(console):
            # What only an embedded backend has is refused.
            self._expected.append(r"status of 403 .*/api/(inbox|backend/)")
        # What other tests on the console would meet: another clock or other limits of its backend, and recordings.
        self._traces = set()
        options.setdefault("viewport", {"width": 1280, "height": 800})
        self._kind = (browser, console.url, json.dumps(options, sort_keys=True, default=str))
        self._is_spoiled = "storage_state" in options or "record_har_path" in options
        self._options = options
        self.context = self._wiped.pop(self._kind, None) or self._new(browser, options)
        # The page that the last test left.
        self._resting = next(iter(self.context.pages), None)
        self._listeners = {
            "console": self._on_console, "weberror": lambda error: self.complain(f"page error: {error.error}"),
            "requestfailed": self._on_request_failed, "request": self._on_request,
        }
        for name, listener in self._listeners.items():
            self.context.on(name, listener)
        WatchedContext.open[self.context] = self

    def _new(self, browser, options):
        context = browser.new_context(base_url=self.console.url, **options)
        context.set_default_timeout(10_000)
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=self.console.url)
        context.add_init_script(REPORT_POLICY + REPORT_SHIFTS)
        return context

    def spoil(self):
        """Says that this context cannot be used again, because the test adds a script to it, drives its clock, or the like."""
        self._is_spoiled = True
        return self

    def page(self, path=None):
        """A new tab, on the path where one is given."""
        page, self._resting = self._resting or self.context.new_page(), None
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
        pages = self.context.pages
        is_reusable = bool(pages) and not (
            self._is_spoiled or self.complaints or self._kind in self._wiped or not getattr(self.console, "is_shared", False))
        for page in pages:
            page.unroute_all(behavior="ignoreErrors")
            leave(page, self.RESTING_PLACE if is_reusable else "about:blank")
        # Only now: an open page would still ask for what is removed.
        self._remove_traces()
        for name, listener in self._listeners.items():
            self.context.remove_listener(name, listener)
        del WatchedContext.open[self.context]
        if is_reusable and not self.complaints:
            self._wipe(pages)
        else:
            self.context.close()
        assert not self.complaints, "\n".join(self.complaints)

    def _remove_traces(self):
        if not getattr(self.console, "is_shared", False) or not self.device_key:
            return
        if "/api/backend/" in self._traces and not is_team(self.console):
            for path in ("clock", "limits"):
                self.call("POST", f"/api/backend/{path}", {"reset": True})
        if "/api/recordings" in self._traces:
            found = self.call("GET", "/api/recordings")
            for one in found.json()["recordings"] if found.ok else []:
                self.call("DELETE", f"/api/recordings/{one['id']}")

    def _wipe(self, pages):
        session = self.context.new_cdp_session(pages[0])
        session.send("Storage.clearDataForOrigin", {"origin": self.console.url, "storageTypes": "all"})
        session.detach()
        self.context.clear_cookies()
        for page in pages[1:]:
            page.close()
        pages[0].evaluate("() => { sessionStorage.clear(); window.name = ''; }")
        pages[0].set_viewport_size(self._options["viewport"])
        pages[0].emulate_media(
            media="null", color_scheme=self._options.get("color_scheme", "light"),
            reduced_motion=self._options.get("reduced_motion", "no-preference"))
        self._wiped[self._kind] = self.context

    @classmethod
    def forget(cls, console):
        """Closes the wiped contexts of a console that is about to end."""
        for kind in [kind for kind in cls._wiped if kind[1] == console.url]:
            cls._wiped.pop(kind).close()

    def _note(self, path, body):
        self._traces |= {trace for trace in ("/api/backend/", "/api/recordings") if trace in path}
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
        if request.method == "POST":
            is_sign_in = "/api/login/" in request.url
            self._note(request.url, request.post_data_json if is_sign_in else None)
