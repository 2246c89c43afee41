"""Measures the console: from its start to the first answer, and answers of its API for each second of processor time."""
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

import figures
import servers

REQUESTS = 120


class Caller:
    """A browser with a device of a console."""

    def __init__(self, url):
        self.url, self.headers = url, {}

    def ask(self, method, path, body=None):
        """The answer's fields and its JSON."""
        request = urllib.request.Request(self.url + path, method=method, headers={**self.headers, "Content-Type": "application/json"})
        request.data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(request) as answer:
            return answer.headers, json.loads(answer.read() or b"null")

    def enter(self):
        """Creates a device with that many rows in its network log."""
        fields, device = self.ask("POST", "/api/devices", {})
        self.headers = {"Cookie": fields["Set-Cookie"].split(";")[0], "X-Device-Key": device["device_key"]}
        made = 0
        while made < REQUESTS:
            try:
                self.ask("POST", "/api/network/requests", {"method": "GET", "path": "/rpc/app_config", "auth": False})
                made += 1
            except urllib.error.HTTPError as error:
                # Only a few are on their way at once.
                if error.code != 429:
                    raise
        for _ in range(100):
            if len(self.ask("GET", f"/api/network?limit={REQUESTS}")[1]["events"]) == REQUESTS:
                return
            time.sleep(0.05)
        raise SystemExit("the rows of the network log did not come")

    def sign_in(self, identifier="bench@example.com"):
        """Signs the device in by a code."""
        self.ask("POST", "/api/login/code", {"identifier": identifier})
        messages = self.ask("GET", f"/api/inbox?wait=10&to={identifier.replace('@', '%40')}")[1]["messages"]
        fields, _ = self.ask("POST", "/api/login/code/verify", {"identifier": identifier, "code": messages[-1]["code"]})
        if cookie := fields["Set-Cookie"]:
            self.headers["Cookie"] = cookie.split(";")[0]


class Console(Caller):
    """`understudy serve` with the embedded backend and its own folder."""

    def __init__(self, binary, data):
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--data", data, "--loops", "1", "--limits", "off"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, cwd=servers.ROOT)
        ready = re.search(r"http://localhost:(\d+)", self.process.stdout.readline())
        if not ready:
            raise SystemExit("the console did not start")
        super().__init__(f"http://127.0.0.1:{ready.group(1)}")

    def cpu(self):
        """Returns the processor time so far in seconds."""
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    def stop(self):
        self.process.terminate()
        self.process.wait(15)


def rows(only):
    """Prints the rows; UNDERSTUDY_BINARY names a release build of the product."""
    binary = os.environ.get("UNDERSTUDY_BINARY") or servers.ROOT / ".build/release/understudy"
    if only.lower() not in "console" or not pathlib.Path(binary).exists():
        return
    data = tempfile.mkdtemp(prefix="bench-")
    try:
        start(binary, data)
        rates(binary, data)
    finally:
        shutil.rmtree(data, ignore_errors=True)


def start(binary, data):
    """From the start of the process to the first 200; the first start creates the certificate and does not count."""
    times, costs = [], []
    for _ in range(6):
        begin = time.monotonic()
        console = Console(binary, data)
        console.ask("GET", "/healthz")
        times.append((time.monotonic() - begin) * 1000)
        costs.append(console.cpu() * 1000)
        console.stop()
    figures.line("start of the console to the first 200, warm", statistics.median(times[1:]), "ms", 150)
    figures.line("  of it on a processor", statistics.median(costs[1:]), "ms")


def rates(binary, data):
    console = Console(binary, data)
    try:
        console.enter()
        fields = [text for name, value in console.headers.items() for text in ("-H", f"{name}: {value}")]
        for path, goal in (("/api/state", 20_000), ("/api/network?limit=100", 2000)):
            values = []
            for _ in range(3):
                before = console.cpu()
                text = subprocess.run(
                    ["wrk", "-t1", "-c16", "-d2s", *fields, console.url + path], capture_output=True, text=True, check=True).stdout
                count = int(re.search(r"(\d+) requests in", text).group(1))
                if "Non-2xx" in text:
                    raise SystemExit(f"console {path}: {text}")
                values.append(count / (console.cpu() - before))
            figures.line(f"GET {path}", statistics.median(values), "a second of processor time", goal, at_most=False)
    finally:
        console.stop()
