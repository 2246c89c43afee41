"""Without free descriptors, the listener waits and recovers, and running requests continue."""

import http.client
import resource
import socket

import pytest
from console_process import Browser, NotStarted
from moments import pass_by, until
from test_disk import ends_clearly

LIMIT = 96


def test_a_console_out_of_descriptors_waits_and_recovers(start):
    console = start(limits={resource.RLIMIT_NOFILE: LIMIT})
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    idle = console.descriptors()
    crowd = []
    while len(crowd) < 2 * LIMIT:
        guest = socket.create_connection(("127.0.0.1", console.port), timeout=5)
        guest.sendall(f"GET /healthz HTTP/1.1\r\nHost: localhost:{console.port}\r\n\r\n".encode())
        crowd.append(guest)
    until(lambda: console.descriptors() >= LIMIT - 4, lambda: f"{console.descriptors()} of {LIMIT} are open")
    # Whoever was connected before is served, though nothing new can be opened.
    for _ in range(20):
        assert browser.call("GET", "/api/state").status == 200
    spent = console.processor_seconds()
    pass_by(1)
    assert console.processor_seconds() - spent < 0.5, "it spins while it waits"
    for guest in crowd:
        guest.close()

    def answers():
        try:
            return Browser(console.port, timeout=5).call("GET", "/healthz").status == 200
        except (OSError, http.client.HTTPException):
            return False

    until(answers, "it recovers")
    assert browser.call("GET", "/api/account").status == 200
    Browser(console.port).sign_in("after@example.com")
    until(lambda: console.descriptors() <= idle + 8, lambda: f"{console.descriptors()} are open, {idle} before")
    assert console.is_alive()


@pytest.mark.long
def test_a_limit_too_low_to_start_is_said(start):
    """However few are allowed, it starts or ends with a line and a code."""
    outcomes = []
    for limit in (10, 14, 18, 22, 26, 30, 33, 34, 36, 48):
        try:
            console = start(limits={resource.RLIMIT_NOFILE: limit})
        except NotStarted as failure:
            ends_clearly(failure)
            outcomes.append(failure.code)
            continue
        assert console.stop() == 0
        outcomes.append(0)
    assert outcomes[-1] == 0, outcomes
