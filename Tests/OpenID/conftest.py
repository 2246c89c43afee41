"""Fixtures: a browser, and a console behind Apache, which signs people in at a provider."""

import contextlib
import secrets
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from apache import Apache, Provider
from playwright.sync_api import expect, sync_playwright
from running_console import PROJECT, RunningConsole
from team import free_port

expect.set_options(timeout=10_000)


@pytest.fixture(scope="session")
def browser():
    """Debian's Chromium."""
    found = subprocess.run([PROJECT / "Scripts/lib/find-chromium", "--shell"], capture_output=True, text=True, check=True)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=Path(found.stdout.strip()), args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A console that knows persons, Apache before it, and the provider; `url` is where people go."""
    folder = tmp_path_factory.mktemp("openid")
    port, provider_port, secret = free_port(), free_port(), secrets.token_urlsafe(32)
    file = folder / "person-secret"
    file.write_text(secret)
    file.chmod(0o600)
    with contextlib.ExitStack() as running:
        console = RunningConsole(folder / "data", arguments=(
            "--limits", "off", "--person-header", "X-Forwarded-Email", "--person-secret-file", file, "--person-owner", "olga@example.com",
            "--public-origin", f"http://localhost:{port}"))
        running.callback(console.stop)
        provider = Provider(provider_port, "ann@example.com", "ben@example.com", "olga@example.com")
        running.callback(provider.stop)
        apache = Apache(folder, port, console.port, provider_port, secret)
        running.callback(apache.stop)
        yield SimpleNamespace(url=f"http://localhost:{port}", port=port, console=console, apache=apache, secret=secret)
    assert secret not in console.logs
