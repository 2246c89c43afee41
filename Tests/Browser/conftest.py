"""Fixtures: one or two browsers for the run; a console and a browser context for each test."""

import os
import subprocess
import threading
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from console_team import CONSOLES, start_console, start_server
from drifting import differing_in_shuffle
from hangs import end_worker
from playwright.sync_api import expect, sync_playwright
from relay import Relay
from running_console import PROJECT, RunningConsole
from steps import expect_live
from watched_context import WatchedContext

expect.set_options(timeout=10_000)
# Of theme and direction, two looks together have both of each. Whole pages are looked at in both; what opens on them in the first.
SECOND_LOOKS = ("[light-rtl", "[dark-ltr", "[dark-rtl")
IN_BOTH_LOOKS = ("test_pages_before_signing_in[dark-rtl", "test_pages_after_signing_in[dark-rtl")


def pytest_collection_modifyitems(config, items):
    """Skips what cannot be tested with several consoles, and leaves out the long tables of cases, unless BROWSER_TESTS is `all`, as
    `make verify` has it."""
    for item in items:
        if CONSOLES > 1 and (marker := item.get_closest_marker("one_console")):
            item.add_marker(pytest.mark.skip(reason=marker.args[0]))
    if os.environ.get("BROWSER_TESTS") == "all":
        return
    left_out = [
        item for item in items
        if item.get_closest_marker("long")
        or (any(look in item.name for look in SECOND_LOOKS) and not item.name.startswith(IN_BOTH_LOOKS))]
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)


@pytest.fixture(scope="session", autouse=True)
def database_server():
    """The PostgreSQL of the teams of consoles, if BROWSER_CONSOLES asks for teams."""
    end = start_server()
    yield
    end()


@pytest.fixture(scope="session")
def browsers():
    """Starts each of Debian's Chromiums once: a function of the flags of `find-chromium`."""
    started = {}
    with sync_playwright() as playwright:

        def start(*flags):
            if flags not in started:
                found = subprocess.run([PROJECT / "Scripts/lib/find-chromium", *flags], capture_output=True, text=True, check=True)
                # No name but the console's leads anywhere.
                names = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"
                path = Path(found.stdout.strip())
                started[flags] = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", names])
            return started[flags]

        yield start
        for browser in started.values():
            browser.close()


@pytest.fixture(scope="module")
def browser(browsers, request):
    """Chromium without its own window, which takes 40 % less time for the same pages; the whole program where mouse, touch or looks
    are tested, and everywhere if BROWSER_TESTS is `all`."""
    is_whole = request.node.get_closest_marker("whole_browser") or os.environ.get("BROWSER_TESTS") == "all"
    return browsers() if is_whole else browsers("--shell")


@pytest.fixture(autouse=True)
def limit(request):
    """A test that hangs in the browser's driver ends its worker after two minutes and says where it hung; the others go on in a new one."""
    watch = threading.Timer(120, end_worker, [request.node.nodeid])
    watch.daemon = True
    watch.start()
    yield
    watch.cancel()


@pytest.fixture
def console(tmp_path, request):
    """A console of the test's own, which must end with 0; `@pytest.mark.arguments(…)` adds flags."""
    marker = request.node.get_closest_marker("arguments")
    running = start_console(tmp_path / "data", arguments=marker.args if marker else ())
    yield running
    assert running.stop() == 0, running.logs[-2000:]


def stopped(running):
    """Ends a console that several tests used."""
    WatchedContext.forget(running)
    assert running.stop() == 0, running.logs[-2000:]


@pytest.fixture(scope="session")
def shared_console(tmp_path_factory):
    """The console of a worker, for tests that use devices of their own and leave no trace for each other."""
    running = start_console(tmp_path_factory.mktemp("shared") / "data", arguments=("--limits", "off"))
    running.is_shared = True
    yield running
    stopped(running)


@pytest.fixture(scope="session")
def scenes_console(tmp_path_factory):
    """The console of the scenes: one endpoint differs from its document."""
    folder = tmp_path_factory.mktemp("scenes")
    running = start_console(folder / "data", arguments=("--limits", "off", "--openapi", differing_in_shuffle(folder)))
    running.is_shared = True
    yield running
    stopped(running)


@pytest.fixture
def watched(browser, request):
    """A context on the worker's console, or on the test's own if it asks for `console` or flags; anything unclean in it fails the test."""
    has_own = "console" in request.fixturenames or request.node.get_closest_marker("arguments")
    context = WatchedContext(browser, request.getfixturevalue("console" if has_own else "shared_console"))
    yield context
    context.close()


@pytest.fixture
def visitor(browser, shared_console):
    """Like `watched`, on the worker's console and without motion."""
    context = WatchedContext(browser, shared_console, reduced_motion="reduce")
    yield context
    context.close()


@pytest.fixture
def staging(browser, tmp_path):
    """A console whose embedded backend serves as staging: (its context, relay, flags that reach it)."""
    secret = tmp_path / "secret"
    secret.write_text("a shared secret of both ends\n")
    secret.chmod(0o600)
    signing = ("--api-id", "qa", "--api-secret-file", secret)
    running = RunningConsole(tmp_path / "staging", arguments=(*signing, "--limits", "off"))
    context = WatchedContext(browser, running)
    expect_live(context.page("/login"))
    backend = urlsplit(context.read("/api/state")["backend"]["url"])
    relay = Relay((backend.hostname, backend.port))
    certificate = tmp_path / "staging" / "backend" / "certificate.pem"
    yield context, relay, ("--backend", f"https://127.0.0.1:{relay.port}", "--ca", certificate, *signing)
    relay.stop()
    context.close()
    assert running.stop() == 0
