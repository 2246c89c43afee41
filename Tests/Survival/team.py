"""Several consoles on one PostgreSQL, and the browsers that use them."""

import http.client
import os
import socket
import time

from backend_process import Backend, message, newest
from console_process import Browser, Console, binary

# Within which a page goes on elsewhere, in seconds; more if other stages of the tests have the processors meanwhile.
PATIENCE = 2 if os.environ.get("SURVIVAL_TESTS") == "all" else 8


class Member(Browser):
    """A browser that calls one of several consoles, as a balancer would let it."""

    def at(self, console):
        """Calls that console from now on."""
        self.close()
        self.console = console
        return self

    def call(self, method, path, body=None, timeout=None):
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.console.port, timeout=self.timeout)
        return super().call(method, path, body, timeout)

    def patiently(self, method, path, body=None, seconds=PATIENCE):
        """A call that is made again while the device moves, as the pages do it; and how long that took."""
        began = time.monotonic()
        while True:
            answer = self.call(method, path, body)
            took = time.monotonic() - began
            if answer.status != 503 or (answer.json or {}).get("reason") != "moving":
                return answer, took
            assert took < seconds, answer
            time.sleep(0.1)


def free_port():
    """A port that nobody has now."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Team:
    """Consoles on one database, and the backend that all of them call."""

    def __init__(self, folder, database, count=2):
        self.folder, self.database = folder, database
        self.backend = Backend(binary(), folder / "backend")
        # What consoles that are added from now on are started with besides.
        self.further = []
        self.front = free_port()
        self.key = folder / "vault.key"
        self.consoles = []
        for _ in range(count):
            self.add()

    def arguments(self):
        """What every console is started with."""
        return [
            "--database", self.database.address, "--vault-key-file", self.key, "--public-origin", f"http://localhost:{self.front}",
            "--backend", f"https://127.0.0.1:{self.backend.port}", "--ca", self.backend.certificate,
            *self.further]

    def add(self):
        """One more console."""
        port = free_port()
        console = Console(None, *self.arguments(), port=port)
        # The ready line names the balancer.
        assert console.port == self.front
        console.port = port
        self.consoles.append(console)
        return console

    def member(self, console, identifier):
        """A browser that is signed in by a console."""
        member = Member(self.front).at(console)
        member.device = member.make_device()
        member.identifier = identifier
        connection = self.backend.connect()
        before = newest(self.backend, connection, identifier)
        assert member.call("POST", "/api/login/code", {"identifier": identifier}).status == 202
        code = message(self.backend, connection, identifier, before)["code"]
        connection.close()
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
        codes = [console.stop() for console in self.consoles if console.is_alive()]
        self.backend.stop()
        self.backend.process.stdout.close()
        assert not any(codes), codes


def goes_on(member, seconds=PATIENCE):
    """Waits until the member's session goes on; a device refreshes its tokens when it wakes."""
    began = time.monotonic()
    while True:
        answer, _ = member.patiently("GET", "/api/state", seconds=seconds)
        assert answer.status == 200, answer
        state = answer.json["session"]["state"]
        took = time.monotonic() - began
        if state == "authenticated":
            return took
        assert state == "refreshing" and took < seconds, (state, took)
        time.sleep(0.02)
