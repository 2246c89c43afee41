"""Several consoles behind haproxy on one database, which a test uses as if they were one console."""

import json
import os
import shutil
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

from backend_process import Backend
from balancer import Balancer
from ports import next_port
from postgresql_database import Database, Server
from running_console import RunningConsole, binary

# How many consoles are behind each address; 1 stands for a console with the embedded backend and without haproxy.
CONSOLES = int(os.environ.get("BROWSER_CONSOLES", "1"))
# What the backend is told instead of the consoles.
OF_BACKEND = ("--limits", "--registration")


class StandIn:
    """What the backend's own routes for developers answered, as an answer of the console."""

    def __init__(self, status, text):
        self.status, self.ok = status, status < 400
        self._text = text

    def text(self):
        """The body."""
        return self._text

    def json(self):
        """The body's JSON."""
        return json.loads(self._text)


class ConsoleTeam:
    """haproxy, consoles, the database that they share and their backend; with what `RunningConsole` has for a test."""

    # The PostgreSQL of the run.
    server = None
    # Those that are running, by their address, and those that may be deleted.
    running = {}
    stopped = []

    def __init__(self, arguments=()):
        """Starts all of it, with these flags for each console besides."""
        self.discard()
        self.folder = Path(tempfile.mkdtemp(prefix="team-"))
        self.port = next_port()
        self.url = f"http://localhost:{self.port}"
        self.database = Database(self.server.address)
        own, self.backend = [], None
        for_backend = {"limits": "relaxed"}
        rest = iter(arguments)
        for argument in rest:
            if argument in OF_BACKEND:
                for_backend[argument.removeprefix("--")] = next(rest)
            else:
                own.append(argument)
        if "--backend" not in own:
            self.backend = Backend(binary(), self.folder / "backend", "--link-base", self.url, **for_backend)
            own += ["--backend", f"https://127.0.0.1:{self.backend.port}", "--ca", self.backend.certificate]
            own += ["--link-host", f"localhost:{self.port}"]
        key = self.folder / "vault.key"
        key.write_bytes(os.urandom(32))
        key.chmod(0o600)
        shared = ["--database", self.database.address, "--vault-key-file", key, "--public-origin", self.url]
        with ThreadPoolExecutor(CONSOLES) as starts:
            ports = [next_port() for _ in range(CONSOLES)]
            self.consoles = list(starts.map(lambda port: RunningConsole(None, port=port, arguments=(*shared, *own)), ports))
        self.balancer = Balancer(self.port, [console.port for console in self.consoles], self.folder)
        self.balancer.wait_for_all()
        self.running[self.url] = self

    @classmethod
    def discard(cls):
        """Deletes what stopped teams leave: nobody starts those again once there is another one, or the tests are over."""
        for team in cls.stopped:
            if team.backend:
                team.backend.stop()
                team.backend.process.stdout.close()
            team.database.drop()
            shutil.rmtree(team.folder)
        cls.stopped.clear()

    @property
    def logs(self):
        """All that the consoles printed so far."""
        return "".join(console.logs for console in self.consoles)

    def kill(self):
        """Ends every console as a power cut would."""
        for console in self.consoles:
            console.process.kill()
        for console in self.consoles:
            console.kill()

    def restart(self):
        """Starts the consoles again on the same ports and database."""
        with ThreadPoolExecutor(CONSOLES) as starts:
            list(starts.map(RunningConsole.restart, self.consoles))
        if self.balancer.process.poll() is not None:
            self.balancer.start()
        self.balancer.wait_for_all()
        self.running[self.url] = self
        if self in self.stopped:
            self.stopped.remove(self)

    def stop(self):
        """Asks the consoles to end, and then haproxy; gives 0, or an exit code of a console that is another one."""
        with ThreadPoolExecutor(CONSOLES) as stops:
            codes = list(stops.map(RunningConsole.stop, self.consoles))
        self.balancer.stop()
        self.running.pop(self.url, None)
        if self not in self.stopped:
            self.stopped.append(self)
        return next((code for code in codes if code), 0)

    def messages(self, recipients, *, after=None, wait=0):
        """The messages to those, which are read at the backend; waits so many seconds for the first."""
        deadline = time.monotonic() + wait
        while True:
            left = max(0, int(deadline - time.monotonic()))
            answer = self._developers("GET", "/dev/inbox?" + urlencode({"wait": left} | ({"after": after} if after else {})))
            found = [one for one in answer.json()["messages"] if recipients is None or one["to"] in recipients]
            if found or not left:
                return found
            after = (answer.json()["messages"] or [{"id": after}])[-1]["id"]

    def stand_in(self, method, path, body, recipients):
        """What an embedded backend would have answered to a call of `/api/inbox` or `/api/backend/…`; None for any other call."""
        address = urlsplit(path)
        if address.path == "/api/inbox" and method == "GET":
            query = {name: values[0] for name, values in parse_qs(address.query).items()}
            wanted = None if "all" in query else {query["to"]} if "to" in query else recipients
            found = self.messages(wanted, after=query.get("after"), wait=int(query.get("wait", 0)))
            return StandIn(200, json.dumps({"messages": found}))
        if address.path.startswith("/api/backend/"):
            return self._developers(method, address.path.replace("/api/backend/", "/dev/"), body)
        return None

    def _developers(self, method, path, body=None):
        connection = self.backend.connect()
        fields = {"Authorization": f"Bearer {self.backend.token}"} | ({"Content-Type": "application/json"} if body is not None else {})
        try:
            connection.request(method, path, None if body is None else json.dumps(body), fields)
            answer = connection.getresponse()
            return StandIn(answer.status, answer.read().decode())
        finally:
            connection.close()


def start_console(data, arguments=()):
    """A console of a test: a team of them if the run is one of teams, which need no data folder."""
    return RunningConsole(data, arguments=arguments) if CONSOLES == 1 else ConsoleTeam(arguments)


def is_team(console):
    """Whether a console is a team of them."""
    return isinstance(console, ConsoleTeam)


def team_of(page):
    """The team whose page that is; None for one console."""
    origin = "/".join(page.url.split("/")[:3])
    return ConsoleTeam.running.get(origin)


def start_server():
    """Starts what all teams of the run share; gives what ends it."""
    if CONSOLES == 1:
        return lambda: None
    ConsoleTeam.server = Server()

    def end():
        ConsoleTeam.discard()
        ConsoleTeam.server.stop()

    return end
