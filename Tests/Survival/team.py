"""Several consoles on one PostgreSQL, and the browsers that use them."""

import http.client
import os
import time
from concurrent.futures import ThreadPoolExecutor

from backend_process import Backend
from console_process import Browser, Console, binary, stop_all
from moments import until
from ports import next_port

# Within which a page goes on elsewhere, in seconds; more if other stages of the tests have the processors meanwhile.
PATIENCE = 2 if os.environ.get("SURVIVAL_TESTS") == "all" else 8


class Member(Browser):
    """A browser that calls one of several consoles, as a balancer would let it."""

    def at(self, console):
        """Calls that console from now on."""
        self.close()
        self.console = console
        return self

    def call(self, method, path, body=None, timeout=None, *, is_again=False):
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.console.port, timeout=self.timeout)
        try:
            return super().call(method, path, body, timeout)
        except http.client.RemoteDisconnected:
            # A balancer ends the calls to a console that it takes for lost, whose connections it closes; browsers ask again on a
            # connection that was used (RFC 9110 section 9.2.2), and pages on any.
            if method != "GET" or is_again:
                raise
            self.close()
            return self.call(method, path, body, timeout, is_again=True)

    def patiently(self, method, path, body=None, seconds=PATIENCE):
        """A call that is made again while the device moves, as the pages do it; and how long that took."""
        began, last = time.monotonic(), None

        def moved():
            nonlocal last
            last = self.call(method, path, body)
            return last if last.status != 503 or (last.json or {}).get("reason") != "moving" else None

        return until(moved, lambda: f"the device has moved: {last}", seconds), time.monotonic() - began


class Team:
    """Consoles on one database, and the backend that all of them call."""

    def __init__(self, folder, database, count=2, drains=False):
        """`drains` says whether consoles that stop still answer for a while, so that balancers notice."""
        self.folder, self.database = folder, database
        self.delay = [] if drains else ["--drain-delay", 0]
        self.backend = Backend(binary(), folder / "backend")
        # What consoles that are added from now on are started with besides.
        self.further = []
        self.front = next_port()
        self.key = folder / "vault.key"
        self.consoles = []
        self.add(count)

    def arguments(self):
        """What every console is started with."""
        return [
            "--database", self.database.address, "--vault-key-file", self.key, "--public-origin", f"http://localhost:{self.front}",
            "--backend", f"https://127.0.0.1:{self.backend.port}", "--ca", self.backend.certificate,
            *self.delay, *self.further]

    def add(self, count=1):
        """More consoles, which start side by side."""
        with ThreadPoolExecutor() as starts:
            self.consoles += starts.map(lambda _: Console(None, *self.arguments()), range(count))
        assert all(f"://localhost:{self.front} " in console.ready for console in self.consoles), "the ready line names the balancer"

    def member(self, console, identifier):
        """A browser that is signed in by a console."""
        member = Member(self.front).at(console)
        member.device = member.make_device()
        member.identifier = identifier
        code = self.backend.code(identifier, lambda: member.must("POST", "/api/login/code", {"identifier": identifier}, status=202))
        assert member.redeem(code).status == 200
        return member

    def settle(self):
        """Makes every device one that did not move for long."""
        self.database.ask("UPDATE understudy_console.device_lease SET moved_at = moved_at - 60, free_until = 0")

    def stay(self):
        """Makes every device one that moved just now, for as long as a test takes."""
        self.database.ask("UPDATE understudy_console.device_lease SET free_until = 0, moved_at = CAST(extract(epoch FROM clock_timestamp()) AS DOUBLE PRECISION)")

    def stop(self):
        """Ends all of it; consoles that still run must end with 0."""
        codes = [*stop_all(self.consoles), self.backend.stop()]
        assert not any(codes), codes


def goes_on(member, seconds=PATIENCE):
    """Waits until the member's session goes on; a device refreshes its tokens when it wakes."""
    began = time.monotonic()

    def state():
        answer, _ = member.patiently("GET", "/api/state", seconds=seconds)
        assert answer.status == 200, answer
        state = answer.json["session"]["state"]
        assert state in ("authenticated", "refreshing"), state
        return state == "authenticated"

    until(state, "the session is refreshed", seconds)
    return time.monotonic() - began
