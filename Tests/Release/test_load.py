"""Many devices at once on busy processors: no trap, no hang, nobody signed out."""

import queue
import random
import re
import socket
import threading

from console_process import Browser, Console

DEVICES, CALLS, WORKERS = 200, 20_000, 16
LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.IGNORECASE)
READS = ("/api/state", "/api/account", "/api/network?limit=20", "/api/cues", "/api/timeline", "/api/profiles")


class Reader:
    """Reads over one connection, with so little work of its own that the console is what is busy."""

    def __init__(self, browser):
        cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        self.rest = f" HTTP/1.1\r\nHost: localhost:{browser.port}\r\nCookie: {cookies}\r\nX-Device-Key: {browser.key}\r\n\r\n"
        self.socket = socket.create_connection(("127.0.0.1", browser.port), timeout=60)

    def get(self, path):
        """The status of the answer, once all of it has come."""
        self.socket.sendall(f"GET {path}{self.rest}".encode())
        data = b""
        while (end := data.find(b"\r\n\r\n")) < 0:
            data += self.more()
        length = int(LENGTH.search(data[:end])[1])
        while len(data) < end + 4 + length:
            data += self.more()
        return int(data[9:12])

    def more(self):
        """What comes next."""
        part = self.socket.recv(1 << 16)
        assert part, "the console has closed the connection"
        return part


class Person:
    """A browser with a signed-in device, and one mixed call after the other on it."""

    def __init__(self, console, number):
        self.browser = Browser(console.port, timeout=60)
        self.dice = random.Random(number)
        self.identifier = f"load{number}@example.com"
        self.browser.sign_in(self.identifier)
        self.browser.close()
        self.reader = None

    def begin(self):
        """Opens what it reads over."""
        self.reader = Reader(self.browser)

    def end(self):
        """Nobody was signed out."""
        expect(self.browser.call("GET", "/api/account"), 200)
        assert self.browser.session()["state"] in ("authenticated", "refreshing"), self.identifier
        self.browser.close()
        self.reader.socket.close()

    def step(self):
        """One call of a kind drawn by lot; returns how many calls it made."""
        kind = self.dice.random()
        if kind < 0.02:
            expect(self.browser.call("POST", "/api/session/relaunch", {}), 200)
            return 1
        if kind < 0.06:
            expect(self.browser.call("POST", "/api/session/refresh", {}), 200, 429)
            return 1
        if kind < 0.08:
            # The second request of the same moment meets the cooldown. Of somebody else, whose code nobody waits for.
            for _ in range(2):
                expect(self.browser.call("POST", "/api/login/code", {"identifier": f"other-{self.identifier}"}), 202, 429)
            return 2
        if kind < 0.09:
            expect(self.browser.redeem(self.browser.ask(self.identifier, patience=60)), 200)
            # The cookie is another one now.
            self.reader.socket.close()
            self.begin()
            return 4
        path = self.dice.choice(READS)
        assert self.reader.get(path) == 200, path
        return 1


def expect(answer, *statuses):
    """Fails unless the answer has one of the statuses."""
    assert answer.status in statuses, answer


def spread(work, items):
    """Does the work for each item on several threads, and raises the first failure."""
    waiting, wrong = queue.SimpleQueue(), []
    for item in items:
        waiting.put(item)

    def run():
        while not wrong:
            try:
                work(waiting.get_nowait())
            except queue.Empty:
                return
            except BaseException as failure:  # noqa: BLE001 the main thread raises it
                wrong.append(failure)

    threads = [threading.Thread(target=run) for _ in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        raise wrong[0]


def test_mixed_calls_of_many_devices(program, busy, tmp_path):
    console = Console(tmp_path / "data", "--limits", "off", program=program)
    people = [None] * DEVICES
    try:
        spread(lambda number: people.__setitem__(number, Person(console, number)), range(DEVICES))
        made = [0] * DEVICES

        def use(number):
            people[number].begin()
            while made[number] < CALLS // DEVICES:
                made[number] += people[number].step()
            people[number].end()

        spread(use, range(DEVICES))
        assert sum(made) >= CALLS
        assert console.is_alive(), console.errors[-3000:]
    finally:
        code = console.stop(40) if console.is_alive() else console.process.wait()
    assert code == 0, (code, console.errors[-3000:])
