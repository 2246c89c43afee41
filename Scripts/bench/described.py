"""Processor time of a call through a backend file beside the client's own calls, with the same reference backend."""
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

import figures
import servers
import signins

sys.path.insert(0, str(servers.ROOT / "Tests/Soak"))
import backend_process  # noqa: E402

FILE = servers.ROOT / "Documentation/backends/understudy.yaml"
GOAL = 1.03


class Phone:
    """A signed-in device of a console, on one connection."""

    def __init__(self, name, port, backend):
        self.backend, self.connection, self.identifier = backend, signins.Connection(port), f"{name}@example.com"
        self.connection.key = signins.Person(self.connection, self.identifier).key
        self.sign_in()
        self.profile = self.json("GET", "/api/profiles")["profiles"][0]["profile_id"]

    def json(self, method, path, body=None, wanted=200):
        status, data = self.connection.call(method, path, body)
        assert status == wanted, (method, path, data)
        return signins.json.loads(data)

    def sign_in(self):
        code = self.backend.code(self.identifier, lambda: self.json("POST", "/api/login/code", {"identifier": self.identifier}, 202))
        self.json("POST", "/api/login/code/verify", {"identifier": self.identifier, "code": code})

    def refresh(self):
        self.json("POST", "/api/session/refresh", {})

    def account(self):
        self.json("GET", "/api/account")

    def profiles(self):
        self.json("POST", "/api/profiles/active", {"profile_id": self.profile})


def rows(options):
    """Prints a row for each kind of call; the consoles take turns, `options.rounds` times, and each turn lasts `options.seconds`."""
    binary = os.environ.get("UNDERSTUDY_BINARY") or servers.ROOT / ".build/release/understudy"
    root = pathlib.Path(tempfile.mkdtemp(prefix="bench-described-"))
    backend, running = backend_process.Backend(str(binary), str(root / "backend")), []
    os.sched_setaffinity(backend.process.pid, {servers.LOAD_CORE})
    try:
        phones = {}
        for name, file in (("contract", []), ("file", ["--backend-file", FILE])):
            port = servers.free_port()
            command = [binary, "serve", "--host", "127.0.0.1", "--port", port, "--data", root / name, "--loops", "1", "--public", servers.ROOT / "Public"]
            command += ["--backend", f"https://127.0.0.1:{backend.port}", "--ca", backend.certificate, *file]
            running.append(servers.Server(name, command, port))
            phones[name] = Phone(name, port, backend)
        for work in ("refresh", "sign_in", "account", "profiles"):
            costs = {server.name: [] for server in running}
            for turn in range(options.rounds + 1):
                for server in running:
                    call, count = getattr(phones[server.name], work), 0
                    before, end = server.cpu(), time.monotonic() + options.seconds
                    while time.monotonic() < end:
                        call()
                        count += 1
                    # The first turn warms up.
                    if turn:
                        costs[server.name].append((server.cpu() - before) / count * 1e6)
            own, other = (statistics.median(costs[name]) for name in ("contract", "file"))
            spread = ", ".join(f"{name} {min(values):.0f}–{max(values):.0f}" for name, values in costs.items())
            ratio = figures.judged(f"{other / own:.3f}", other / own, GOAL, at_most=True)
            print(f"{work:12}{own:10.0f} us, by the file {other:10.0f} us: {ratio} ({spread})", flush=True)
    finally:
        for server in running:
            server.stop()
        backend.stop()
        shutil.rmtree(root, ignore_errors=True)
