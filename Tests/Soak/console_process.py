"""The console in its own process, and clients that call it like a browser on persistent connections."""

import http.client
import json
import os
import re
import select
import signal
import subprocess
import tempfile
import urllib.parse
from pathlib import Path

from moments import until
from ports import next_port
from processes import start_program

PROJECT = Path(__file__).resolve().parents[2]


def binary():
    """Returns the program's path: from the environment, or else the debug build."""
    return str(Path(os.environ.get("UNDERSTUDY_BINARY", PROJECT / ".build/debug/understudy")).resolve())


class NotStarted(Exception):
    """The program ended before it was ready; `code` and `errors` say how."""

    def __init__(self, code, errors):
        super().__init__(f"exit {code}: {errors[-2000:]}")
        self.code, self.errors = code, errors


class Console:
    """`understudy serve` on 127.0.0.1; standard error goes to a file. `data` is None with a database."""

    def __init__(self, data, *arguments, port=0, limits=None, variables=None, program=None, public=None, retry_pause=20):
        """Starts it, by default on a free port.

        `limits` are resource limits as {number: value}, `variables` further environment, `public` the folder of its pages,
        `retry_pause` the milliseconds of its clients' first pause, by default so short that no test waits for it.
        """
        self.data = Path(data) if data else None
        environment = {name: value for name, value in os.environ.items() if not name.startswith("UNDERSTUDY_")} | (variables or {})
        command = [program or binary(), "serve", "--host", "127.0.0.1", *(["--data", data] if data else [])]
        command += ["--public", public or PROJECT / "Public", *([] if "--limits" in arguments else ["--limits", "off"]), "--retry-pause", retry_pause, *arguments]
        for is_last in (bool(port), False, False, True):
            # Not 0: a console that is started again needs the same port, and the system may have given that to a connection.
            self.port = port or next_port()
            try:
                self._start([*command, "--port", self.port], limits, environment)
                return
            except NotStarted as failure:
                if is_last or f"--port: {self.port} is in use" not in failure.errors:
                    raise

    def _start(self, command, limits, environment):
        self.log = tempfile.NamedTemporaryFile("w+", prefix="understudy-log-")
        self.process = start_program(
            command, limits=limits, env=environment, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log)
        self.ready = self.process.stdout.readline()
        if not self.ready.startswith("understudy ready "):
            failure = NotStarted(self.process.wait(), self.errors)
            self.process.stdout.close()
            self.log.close()
            raise failure

    @property
    def errors(self):
        """What it wrote to standard error so far."""
        return Path(self.log.name).read_text(errors="replace")

    def kill(self):
        """Ends it as a power cut would."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def stop(self, seconds=30):
        """Ends it in order; the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.ended(seconds)

    def ended(self, seconds=30):
        """The exit code, once it has ended."""
        try:
            code = self.process.wait(seconds)
        finally:
            self.process.kill()
        self.process.stdout.close()
        return code

    def is_alive(self):
        """Whether it still runs."""
        return self.process.poll() is None

    def resident_kib(self):
        """Memory that is its own and in use, in KiB; pages of files are left out, as the system may take them back."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"RssAnon:\s+(\d+)", status)[1])

    def processor_seconds(self):
        """What it used of the processors so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def descriptors(self):
        """How many it has open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def text(self, path, timeout=20):
        """The body of an open page."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request("GET", path, headers={"Host": f"localhost:{self.port}"})
            return connection.getresponse().read().decode()
        finally:
            connection.close()


def stop_all(consoles):
    """Ends those that still run, side by side; their exit codes."""
    running = [console for console in consoles if console.is_alive()]
    for console in running:
        console.process.send_signal(signal.SIGTERM)
    return [console.ended() for console in running]


class Answer:
    """Status, headers and JSON of one answer."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        """The body's JSON; None where it is none."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    @property
    def code(self):
        """The problem's code."""
        return (self.json or {}).get("code")

    def __repr__(self):
        return f"{self.status} {self.body[:300]!r}"


class Browser:
    """A browser with one device, as the pages call the console."""

    def __init__(self, port, timeout=70, shares=None):
        """Of its own, or sharing the cookie of another browser."""
        self.port, self.timeout = port, timeout
        self.cookies = shares.cookies if shares else {}
        self.key = self.identifier = self.connection = None

    def call(self, method, path, body=None, timeout=None):
        """One call over the kept connection; a closed one is opened anew, but a call is never sent twice."""
        headers = {"Host": f"localhost:{self.port}", "Origin": f"http://localhost:{self.port}", "Sec-Fetch-Site": "same-origin"}
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if self.key:
            headers["X-Device-Key"] = self.key
        data = None
        if body is not None:
            data, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
        # Nothing is under way on a kept connection: what can be read is its end.
        if self.connection and self.connection.sock and select.select([self.connection.sock], [], [], 0)[0]:
            self.close()
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)
        if timeout and self.connection.sock:
            self.connection.sock.settimeout(timeout)
        try:
            self.connection.request(method, path, data, headers)
            answer = self.connection.getresponse()
            content = answer.read()
        except BaseException:
            self.close()
            raise
        for value in answer.headers.get_all("Set-Cookie") or []:
            name, _, rest = value.partition("=")
            self.cookies[name] = rest.split(";", 1)[0]
        if answer.will_close:
            self.close()
        return Answer(answer.status, answer.headers, content)

    def must(self, method, path, body=None, *, status=200, timeout=None):
        """A call that must end with the status, or with one of several."""
        answer = self.call(method, path, body, timeout)
        assert answer.status in (status if isinstance(status, tuple) else (status,)), (method, path, answer)
        return answer

    def close(self):
        """Closes the kept connection."""
        if self.connection:
            self.connection.close()
        self.connection = None

    def make_device(self, name=None):
        """Makes the device; its id."""
        answer = self.must("POST", "/api/devices", {"name": name} if name else {}, status=201)
        self.key = answer.json["device_key"]
        return answer.json["device_id"]

    def ask(self, identifier, patience=0):
        """Asks for a code and reads it from the embedded backend's inbox; waits so many seconds for a cooldown to end."""
        self.identifier = identifier
        inbox = f"/api/inbox?to={urllib.parse.quote(identifier)}"
        # The messages that any browser asked for. Only the console's owner sees those; for others, those of this browser count.
        before = self.call("GET", f"{inbox}&all=1")
        if before.status == 404:
            before = self.call("GET", inbox)
        assert before.status == 200, before
        seen = before.json["messages"]

        def asked():
            answer = self.call("POST", "/api/login/code", {"identifier": identifier})
            return None if answer.code == "cooldown" and patience else answer

        answer = until(asked, "the cooldown is over", patience)
        assert answer.status == 202, answer
        after = f"&after={seen[-1]['id']}" if seen else ""
        found = self.must("GET", f"{inbox}&wait=30{after}").json["messages"]
        assert found, f"no message to {identifier} came"
        return found[-1]["code"]

    def messages(self, identifier):
        """The messages to an identifier."""
        return self.must("GET", f"/api/inbox?to={urllib.parse.quote(identifier)}").json["messages"]

    def redeem(self, code):
        """Signs in with a code; the answer."""
        return self.call("POST", "/api/login/code/verify", {"identifier": self.identifier, "code": code})

    def sign_in(self, identifier):
        """Creates a device if there is none, and signs in."""
        if not self.key:
            self.make_device()
        answer = self.redeem(self.ask(identifier))
        assert answer.status == 200, answer
        return answer

    def session(self):
        """The session's part of the state."""
        return self.must("GET", "/api/state").json["session"]
