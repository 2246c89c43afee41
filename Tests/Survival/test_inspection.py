"""What a console tells its owner about a backend that it could be started with."""

import contextlib
import os
import socket

import pytest
from backend_process import Backend
from console_process import Browser, binary

STRANGER = 64_322
CALLS = ["request_magic_link", "request_login_code", "login_with_magic_token", "login_with_code", "refresh_tokens", "me", "app_config",
         "get_or_create_account_profile", "set_active_profile", "request_account_deletion", "get_cues", "shuffle_cues", "update_cue_stage"]


@pytest.fixture
def backend(tmp_path):
    running = Backend(binary(), tmp_path / "backend")
    yield running
    assert running.stop() == 0


@pytest.fixture
def browser(start):
    """A browser with a device."""
    browser = Browser(start("--allow-local-users").port)
    browser.make_device()
    return browser


def inspect(browser, url):
    """What the console says of an address."""
    return browser.must("POST", "/api/backend/inspection", {"url": url}).json


def test_a_backend_that_is_not_trusted_is_told_with_its_certificate_and_pin(browser, backend):
    facts = inspect(browser, f"https://127.0.0.1:{backend.port}")
    assert facts["outcome"] == "untrusted" and facts["missing"] == [], facts
    certificate = facts["certificate"]
    assert certificate["problem"] == "unknown_authority" and f"pin={certificate['pin']}" == backend.pin, certificate
    assert certificate["subject"].startswith("CN=") and certificate["valid_from"] < certificate["valid_until"], certificate


def test_an_address_where_no_backend_is_is_told_too(browser):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        facts = inspect(browser, f"https://127.0.0.1:{closed.getsockname()[1]}")
    assert facts["outcome"] == "no_connection" and "certificate" not in facts, facts
    # The console itself speaks no TLS.
    assert inspect(browser, f"https://127.0.0.1:{browser.port}")["outcome"] == "no_tls"


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "https://127.0.0.1:1/path", "https://user@127.0.0.1:1", "file:///etc/hosts", "https:///"])
def test_only_an_https_origin_is_looked_at(browser, url):
    refused = browser.call("POST", "/api/backend/inspection", {"url": url})
    assert refused.status == 400 and refused.code == "invalid_request" and refused.json["field"] == "url", refused


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be several users")
def test_nobody_but_the_owner_looks_around_with_it(start):
    console = start("--allow-local-users")
    with as_user(STRANGER):
        stranger = Browser(console.port)
        stranger.make_device()
        refused = stranger.call("POST", "/api/backend/inspection", {"url": "https://127.0.0.1:1"})
        stranger.close()
    assert refused.status == 404, refused


@contextlib.contextmanager
def as_user(number):
    """Sockets that are made meanwhile are this user's."""
    os.seteuid(number)
    try:
        yield
    finally:
        os.seteuid(0)


def test_the_reference_backend_has_a_path_for_each_call_that_is_looked_for(backend):
    connection = backend.connect()
    statuses = {}
    for path in [f"/rpc/{name}" for name in CALLS] + ["/app/api/logout", "/rpc/nothing"]:
        connection.request("HEAD", path)
        answer = connection.getresponse()
        answer.read()
        statuses[path] = answer.status
    connection.close()
    assert statuses.pop("/rpc/nothing") == 404 and not {404, 410} & set(statuses.values()), statuses
