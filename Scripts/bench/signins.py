"""Sign-ins a second through the console's own interface, and the memory of signed-in devices that rest."""
import json
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import tempfile
import threading
import time

import figures
import servers

CALLERS, A_BROWSER = 16, 20
# Enough that each device of a round waits for its cooldown to end before its next turn.
DEVICES = 200


class Connection:
    """A kept connection that costs the load generator little; the answer's body has a length."""

    def __init__(self, port):
        self.port, self.socket = port, socket.create_connection(("127.0.0.1", port), 60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.cookie = self.key = ""

    def call(self, method, path, body=None):
        """The status and the bytes of the answer; a new cookie replaces the last."""
        text = "" if body is None else json.dumps(body)
        fields = f"Cookie: {self.cookie}\r\n" if self.cookie else ""
        fields += f"X-Device-Key: {self.key}\r\n" if self.key else ""
        fields += f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n" if body is not None else ""
        self.socket.sendall(
            f"{method} {path} HTTP/1.1\r\nHost: localhost:{self.port}\r\nOrigin: http://localhost:{self.port}\r\n{fields}\r\n{text}".encode())
        data = b""
        while (end := data.find(b"\r\n\r\n")) < 0:
            data += self.received()
        head = data[:end].decode()
        length = int(re.search(r"(?i)content-length: (\d+)", head)[1])
        while len(data) < end + 4 + length:
            data += self.received()
        if found := re.search(r"(?i)set-cookie: ([^;]+)", head):
            self.cookie = found[1]
        return int(head[9:12]), data[end + 4:]

    def received(self):
        part = self.socket.recv(65_536)
        if not part:
            raise SystemExit("the console closed a connection")
        return part


class Person:
    """A device of a browser; devices of one browser have the same connection and cookie."""

    def __init__(self, connection, identifier):
        self.connection, self.identifier, self.last = connection, identifier, ""
        connection.key = ""
        status, body = connection.call("POST", "/api/devices", {})
        assert status == 201, body
        self.key = json.loads(body)["device_key"]

    def sign_in(self):
        """Asks for a code, reads it from the inbox and redeems it."""
        self.connection.key = self.key
        while True:
            status, body = self.connection.call("POST", "/api/login/code", {"identifier": self.identifier})
            # A new device may be on another console still.
            if status not in (429, 503):
                break
            time.sleep(0.02)
        assert status == 202, body
        after = f"&after={self.last}" if self.last else ""
        message = json.loads(self.inbox(f"wait=10&to={self.identifier.replace('@', '%40')}{after}"))["messages"][-1]
        self.last = message["id"]
        status, body = self.connection.call("POST", "/api/login/code/verify", {"identifier": self.identifier, "code": message["code"]})
        assert status == 200, body

    def inbox(self, query):
        """The messages of the embedded backend, as JSON."""
        return self.connection.call("GET", f"/api/inbox?{query}")[1]


class Console:
    """`understudy serve` on all cores with its own folder."""

    person, name = Person, "load"

    def __init__(self, binary, data):
        self.process = subprocess.Popen(
            [binary, "serve", "--host", "127.0.0.1", "--port", "0", "--data", data, "--limits", "off", "--public", servers.ROOT / "Public"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(re.search(r"http://localhost:(\d+)", self.process.stdout.readline())[1])
        # A list for each caller: the devices of its browsers.
        self.people = [[] for _ in range(CALLERS)]

    def add(self, count):
        """Makes that many devices and signs them in."""
        def one(caller):
            people = self.people[caller]
            for number in range(caller, count, CALLERS):
                connection = people[-1].connection if len(people) % A_BROWSER else Connection(self.port)
                people.append(self.person(connection, f"{self.name}{caller}.{number}.{len(people)}@example.com"))
                people[-1].sign_in()
        self.together(one)

    def sign_ins(self, seconds):
        """Signs the devices in again and again; returns how many times, and the time and processor time that it took."""
        counts, begin, spent = [0] * CALLERS, time.monotonic(), self.cpu()

        def one(caller):
            while time.monotonic() < begin + seconds:
                people = self.people[caller]
                people[counts[caller] % len(people)].sign_in()
                counts[caller] += 1
        self.together(one)
        return sum(counts), time.monotonic() - begin, self.cpu() - spent

    def together(self, work):
        wrong = []

        def run(caller):
            try:
                work(caller)
            except BaseException as failure:
                wrong.append(failure)
        threads = [threading.Thread(target=run, args=(caller,)) for caller in range(CALLERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if wrong:
            raise wrong[0]

    def cpu(self):
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    def resident(self):
        """Memory of its own, in KiB."""
        return int(re.search(r"RssAnon:\s+(\d+)", pathlib.Path(f"/proc/{self.process.pid}/status").read_text())[1])

    def leave(self):
        """Closes the connections of all browsers."""
        for people in self.people:
            for person in people:
                person.connection.socket.close()

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


def programs():
    """The measured program and, if UNDERSTUDY_BEFORE names one, an earlier one."""
    binary = os.environ.get("UNDERSTUDY_BINARY") or servers.ROOT / ".build/release/understudy"
    before = os.environ.get("UNDERSTUDY_BEFORE")
    return [("before", before)] * bool(before) + [("console", binary)]


def rows(options):
    """Prints the rows; the programs take turns."""
    if not pathlib.Path(programs()[-1][1]).exists():
        return
    if options.only.lower() in "sign-ins":
        rates(options.rounds)
    if options.only.lower() in "resting":
        rest(options.rounds)


def rates(rounds, seconds=5):
    root = pathlib.Path(tempfile.mkdtemp(prefix="bench-sign-ins-"))
    running, figure = {}, {}
    try:
        for name, binary in programs():
            running[name] = Console(binary, root / name)
            running[name].add(DEVICES)
        for _ in range(rounds):
            for name, console in running.items():
                count, taken, spent = console.sign_ins(seconds)
                figure.setdefault(name, []).append((count / taken, spent / count * 1000))
        for name, values in figure.items():
            goal = 400 if name == "console" else None
            figures.line(f"sign-ins a second, {CALLERS} callers, {name}", statistics.median(rate for rate, _ in values), "", goal, at_most=False)
            figures.line(f"  processor time of one, {name}", statistics.median(cost for _, cost in values), "ms")
    finally:
        for console in running.values():
            console.stop()
        shutil.rmtree(root, ignore_errors=True)


def rest(rounds, settle=12):
    """Memory beyond that with 16 devices, divided by the devices, after the callers have gone."""
    figure = {}
    for _ in range(rounds):
        for name, binary in programs():
            root = tempfile.mkdtemp(prefix="bench-resting-")
            console = Console(binary, root)
            try:
                console.add(CALLERS)
                time.sleep(settle)
                before = console.resident()
                console.add(DEVICES)
                console.leave()
                time.sleep(settle)
                figure.setdefault(name, []).append((console.resident() - before) / DEVICES)
            finally:
                console.stop()
                shutil.rmtree(root, ignore_errors=True)
    for name, values in figure.items():
        figures.line(f"resident, a signed-in device at rest, {name}", statistics.median(values), "KiB", 100 if name == "console" else None)
