"""Fixtures: a browser, and a console behind Apache, which signs people in at a provider."""

import contextlib
import http.client
import re
import secrets
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from apache import Apache, Provider
from moments import until
from playwright.sync_api import expect, sync_playwright
from ports import next_port
from running_console import PROJECT, RunningConsole

expect.set_options(timeout=10_000)


@pytest.fixture(scope="session")
def browser():
    """Debian's Chromium."""
    found = subprocess.run([PROJECT / "Scripts/lib/find-chromium", "--shell"], capture_output=True, text=True, check=True)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=Path(found.stdout.strip()), args=["--no-sandbox"])
        yield chromium
        chromium.close()


def paths(console):
    """The paths of all requests that have reached the console, in their order."""
    # Its own request is in the log after those that were answered before.
    mark = f"/mark-{secrets.token_hex(8)}"
    connection = http.client.HTTPConnection("127.0.0.1", console.port, timeout=10)
    connection.request("GET", mark)
    connection.getresponse().close()
    connection.close()
    until(lambda: f"path={mark} " in console.logs, "there is a line about the request")
    return [one for one in re.findall(r" path=(\S+)", console.logs) if not one.startswith("/mark-")]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A console that knows persons, Apache before it, and the provider; `url` is where people go.

    `behind` starts another Apache, of a changed file, on the `further` port, before the console or what is on a port. `paths` tells what has
    reached the console, and `balancer` is a port on which it may be called too.
    """
    folder = tmp_path_factory.mktemp("openid")
    port, further, balancer, provider_port, secret = *(next_port() for _ in range(4)), secrets.token_urlsafe(32)
    file = folder / "person-secret"
    file.write_text(secret)
    file.chmod(0o600)
    with contextlib.ExitStack() as running:
        console = RunningConsole(folder / "data", arguments=(
            "--limits", "off", "--person-header", "X-Forwarded-Email", "--person-secret-file", file, "--person-owner", "olga@example.com",
            "--access-log", *(f"--public-origin=http://localhost:{one}" for one in (port, further, balancer))))
        running.callback(console.stop)
        provider = Provider(provider_port, "ann@example.com", "ben@example.com", "olga@example.com")
        running.callback(provider.stop)
        apache = Apache(folder, port, console.port, provider_port, secret)
        running.callback(apache.stop)

        @contextlib.contextmanager
        def behind(edit=lambda text: text, before=console.port):
            other = Apache(tmp_path_factory.mktemp("further"), further, before, provider_port, secret, edit)
            try:
                yield other
            finally:
                other.stop()

        yield SimpleNamespace(
            url=f"http://localhost:{port}", port=port, further=further, balancer=balancer, console=console, apache=apache, provider=provider, secret=secret,
            behind=behind, paths=lambda: paths(console))
    assert secret not in console.logs
