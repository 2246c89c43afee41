"""The requests that a proxy forwards are those that the server sees: both read the same bytes alike."""

import contextlib
import re
import socket
from collections import Counter

import pytest
from fronts import Front, path_of
from moments import until
from probe_server import ProbeServer
from smuggling_cases import CASES

SEEN = re.compile(r"\bmethod=(\S+) .*\bpath=(\S+)")


class Chain:
    """A front, a probe of its own behind it, and what both have logged since the last question."""

    def __init__(self, kind, folder, root):
        self.probe = ProbeServer(root, "--access-log")
        self.front = Front(kind, self.probe.port, folder)
        self._forwarded = self._logged = self.compared = self.passed_on = 0

    def talk(self, sent, wait=0.25):
        """Sends the bytes to the front; gives what comes back until it closes or is silent."""
        received = b""
        with contextlib.closing(socket.create_connection(("127.0.0.1", self.front.port), timeout=wait)) as connection:
            try:
                connection.sendall(sent)
                while data := connection.recv(65_536):
                    received += data
            except (TimeoutError, ConnectionError):
                pass
        return received

    def settle(self, marker):
        """Waits until both logs have the marker's request and are quiet; gives what is new in them without it."""
        forwarded, lines, seen, refused = [], [], [], 0

        def is_told():
            nonlocal forwarded, lines, seen, refused
            forwarded, lines = self.front.forwarded[self._forwarded:], list(self.probe.log[self._logged:])
            seen = [(found[1], path_of(found[2])) for line in lines if (found := SEEN.search(line))]
            refused = sum(" request refused" in line for line in lines)
            return marker in forwarded and marker in seen and len(forwarded) == len(seen) + refused

        # The caller says what differs.
        with contextlib.suppress(AssertionError):
            until(is_told, "both logs agree", 10)
        self._forwarded += len(forwarded)
        self._logged += len(lines)
        return [each for each in forwarded if each != marker], [each for each in seen if each != marker], refused

    def stop(self):
        self.front.stop()
        assert self.probe.stop() == 0


@pytest.fixture(scope="module", params=["haproxy", "nginx", "nginx-buffered"])
def chain(request, tmp_path_factory, folder):
    assert len(CASES) >= 60
    running = Chain(request.param, tmp_path_factory.mktemp("front") / "front", folder)
    yield running
    running.stop()
    # Unless only some of the cases were run.
    assert running.compared < len(CASES) or running.passed_on >= 60, "too few requests were passed on"


@pytest.mark.parametrize(("number", "sent"), [(n, sent) for n, (_, sent) in enumerate(CASES)], ids=[name for name, _ in CASES])
def test_both_see_the_same_requests(chain, number, sent):
    """As many with the same targets, or the server refuses what the front let through; and the next answer is the right one."""
    chain.talk(sent)
    body = f"after {number}".encode()
    after = f"POST /echo?{number} HTTP/1.1\r\nHost: probe\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    answer = chain.talk(after.encode() + body, wait=2)
    assert re.match(rb"HTTP/1.1 200 ", answer) and answer.endswith(b"\r\n\r\n" + body), answer
    forwarded, seen, refused = chain.settle(("POST", "/echo"))
    missing = Counter(forwarded) - Counter(seen)
    assert not Counter(seen) - Counter(forwarded), f"seen {seen}, forwarded {forwarded}, refused {refused}"
    assert missing.total() == refused, f"seen {seen}, forwarded {forwarded}, refused {refused}"
    chain.compared += 1
    chain.passed_on += len(forwarded)
