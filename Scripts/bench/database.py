"""Measures consoles with a database: what they answer compared with one that has its own folder, and sign-ins over one and over two."""
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading

import console
import figures
import servers
import signins
from quota import Quota

sys.path[:0] = [str(servers.ROOT / "Tests/Soak"), str(servers.ROOT / "Tests/Survival")]
from backend_process import Backend  # noqa: E402
from balancer import Balancer  # noqa: E402
from postgresql_database import Database, Server  # noqa: E402

DEVICES = 64
# Of a processor, for each console, so that neither the load nor the database is what a sign-in waits for.
SHARE = 0.2
READS = (("/api/state", 1.5), ("/api/network?limit=20", 1.5))


def spread(name, values, unit, goal=None, at_most=True):
    """Prints the median of ratios or rates, and the least and the most of them."""
    text = f"{name:60}{statistics.median(values):9.2f} {unit} ({min(values):.2f}-{max(values):.2f})"
    print(figures.judged(text, statistics.median(values), goal, at_most), flush=True)


class Served:
    """`understudy serve` at the backend of the run, with a folder of its own or with a database."""

    def __init__(self, binary, backend, *arguments, port=0):
        self.process = subprocess.Popen(
            [binary, "serve", "--host", "127.0.0.1", "--port", str(port), "--public", servers.ROOT / "Public", "--limits", "off",
             "--backend", f"https://127.0.0.1:{backend.port}", "--ca", backend.certificate, *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        ready = re.search(r"http://localhost:(\d+)", self.process.stdout.readline())
        if not ready:
            raise SystemExit("the console did not start")
        self.port = port or int(ready[1])

    def cpu(self):
        """The processor time so far in seconds."""
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        self.process.stdout.close()


class Person(signins.Person):
    """A device whose messages are read at the backend, over a connection that its thread keeps."""

    backend, kept = None, threading.local()

    def inbox(self, query):
        if not hasattr(self.kept, "connection"):
            self.kept.connection = self.backend.connect()
        self.kept.connection.request("GET", f"/dev/inbox?{query}", headers={"Authorization": f"Bearer {self.backend.token}"})
        return self.kept.connection.getresponse().read()


class Team(signins.Console):
    """Consoles on a database of their own, behind haproxy if there are several; `port` is where they are called."""

    person = Person

    def __init__(self, binary, backend, server, folder, count):
        folder.mkdir()
        # Teams have the same backend, but not the same people.
        self.name = f"{folder.name}."
        key = folder / "vault.key"
        key.write_bytes(os.urandom(32))
        key.chmod(0o600)
        ports = [servers.free_port() for _ in range(count)]
        self.port = ports[0] if count == 1 else servers.free_port()
        self.database = Database(server.address)
        shared = ["--database", self.database.address, "--vault-key-file", key, "--public-origin", f"http://localhost:{self.port}"]
        self.start = lambda port: Served(binary, backend, *shared, port=port)
        self.consoles = [self.start(port) for port in ports]
        self.balancer = Balancer(self.port, ports, folder) if count > 1 else None
        if self.balancer:
            self.balancer.wait_for_all()
        self.people = [[] for _ in range(signins.CALLERS)]

    def cpu(self):
        return sum(one.cpu() for one in self.consoles)

    def restart(self, number):
        """Starts a console again that was killed."""
        self.consoles[number].process.stdout.close()
        self.consoles[number] = self.start(self.consoles[number].port)

    def stop(self):
        for one in self.consoles:
            one.process.terminate()
        for one in self.consoles:
            one.stop()
        if self.balancer:
            self.balancer.stop()


def rows(binary, rounds):
    """Prints the rows, from a PostgreSQL and a backend of their own."""
    root = pathlib.Path(tempfile.mkdtemp(prefix="bench-"))
    server = Server()
    backend = Backend(binary, root / "backend")
    try:
        reads(binary, backend, server, root, rounds)
        sign_ins(binary, backend, server, root, rounds)
    finally:
        backend.stop()
        backend.process.stdout.close()
        server.stop()
        shutil.rmtree(root, ignore_errors=True)


def wrk(caller, path, seconds=2):
    """The milliseconds that each of 16 connections waits for an answer."""
    fields = [text for name, value in caller.headers.items() for text in ("-H", f"{name}: {value}")]
    text = subprocess.run(
        ["wrk", "-t1", "-c16", f"-d{seconds}s", *fields, caller.url + path], capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in text:
        raise SystemExit(f"{path}: {text}")
    return 16_000 / float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])


def reads(binary, backend, server, root, rounds):
    """What pages read most, of a device with rows in its log; the consoles take turns."""
    folder = Served(binary, backend, "--data", root / "data")
    team = Team(binary, backend, server, root / "one", 1)
    try:
        callers = {}
        for name, one in (("folder", folder), ("database", team)):
            callers[name] = console.Caller(f"http://127.0.0.1:{one.port}")
            callers[name].enter()
        for path, goal in READS:
            times = {name: [] for name in callers}
            for _ in range(rounds):
                for name, caller in callers.items():
                    times[name].append(wrk(caller, path))
            for name, values in times.items():
                spread(f"GET {path}, {name}", values, "ms")
            ratios = [one / other for one, other in zip(times["database"], times["folder"])]
            spread(f"GET {path}, database to folder", ratios, "times", goal)
    finally:
        team.stop()
        folder.stop()


def sign_ins(binary, backend, server, root, rounds):
    """Sign-ins over one console and over two behind haproxy, in turns, while the other stands still."""
    Person.backend = backend
    teams, quotas = {}, []
    try:
        for name, count in (("one console", 1), ("two behind haproxy", 2)):
            teams[name] = Team(binary, backend, server, root / name.replace(" ", "-"), count)
            teams[name].add(DEVICES)
        scale(teams, rounds, "")
        try:
            for one in (one for team in teams.values() for one in team.consoles):
                quotas.append(Quota(one.process.pid, SHARE))
        except OSError as error:
            print(f"sign-ins of consoles with {SHARE} of a processor: not measured: {error}", flush=True)
            return
        scale(teams, rounds, f", each with {SHARE} of a processor")
    finally:
        for team in teams.values():
            team.leave()
            team.stop()
        for quota in quotas:
            quota.end()


def scale(teams, rounds, which, seconds=5):
    """Prints how many sign-ins the teams carry out, and what two consoles are to one."""
    rates, costs = {name: [] for name in teams}, {name: [] for name in teams}
    for _ in range(rounds):
        for name, team in teams.items():
            count, taken, spent = team.sign_ins(seconds)
            rates[name].append(count / taken)
            costs[name].append(spent / count * 1000)
    for name in teams:
        spread(f"sign-ins a second, {signins.CALLERS} callers, {name}{which}", rates[name], "")
        spread(f"  processor time of one, {name}", costs[name], "ms")
    one, two = teams
    spread(f"sign-ins a second, two consoles to one{which}", [b / a for a, b in zip(rates[one], rates[two])], "times", 1.8, at_most=False)
    spread("  of a second of the consoles' processor time", [a / b for a, b in zip(costs[one], costs[two])], "times")
    print(f"{os.cpu_count()} cores for consoles, backend, database, haproxy and load together", flush=True)
