"""The real program under test, as a process of its own."""

import os
import queue
import re
import signal
import subprocess
import threading
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
READY = re.compile(r"^understudy ready (http\S+) backend=(\S+)")


def binary():
    """The program's path: of the environment, else the debug build."""
    return Path(os.environ.get("UNDERSTUDY_BINARY", PROJECT / ".build/debug/understudy")).resolve()


class RunningConsole:
    """`understudy serve` on a free port with a data folder of its own, and everything that it prints."""

    def __init__(self, data, *, port=0, arguments=()):
        """Starts the program, with these flags besides, and waits for its ready line; `data` is None with a database."""
        self.data = data
        self.arguments = arguments if "--limits" in arguments else ("--limits", "relaxed", *arguments)
        self.output = []
        self.errors = []
        self.process = None
        self.start(port)

    def start(self, port):
        """Starts the program on the port (0: a free one) and the same data as before."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("UNDERSTUDY_")}
        arguments = ["serve", "--port", port, *(["--data", self.data] if self.data else []), "--public", PROJECT / "Public", *self.arguments]
        self.process = subprocess.Popen(
            [str(binary()), *map(str, arguments)], cwd=PROJECT, env=environment, text=True, errors="replace",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        lines = queue.SimpleQueue()
        self._readers = [
            threading.Thread(target=self._read, args=(self.process.stdout, self.output, lines), daemon=True),
            threading.Thread(target=self._read, args=(self.process.stderr, self.errors, None), daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        self.url = self._ready_url(lines)
        # The ready line of a console behind a proxy names the proxy.
        self.port = port or int(self.url.rsplit(":", 1)[1])

    def _read(self, stream, kept, lines):
        with stream:
            for line in stream:
                kept.append(line)
                if lines:
                    lines.put(line)
        if lines:
            lines.put(None)

    def _ready_url(self, lines):
        while True:
            try:
                line = lines.get(timeout=30)
            except queue.Empty:
                line = None
            if line is None:
                self.process.kill()
                raise AssertionError(f"no ready line; exit {self.process.wait()}: {''.join(self.errors[-20:])}")
            if found := READY.match(line):
                return found[1].split("/#", 1)[0].rstrip("/")

    @property
    def logs(self):
        """All that was printed so far, on both streams."""
        return "".join(self.output + self.errors)

    def kill(self):
        """Ends the program as a power cut would."""
        self.process.kill()
        self._join()

    def restart(self):
        """Starts it again on the same port and data."""
        self.start(self.port)

    def stop(self):
        """Asks the program to end and gives its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self._join()
        except subprocess.TimeoutExpired:
            self.process.kill()
            self._join()
            raise AssertionError("the program did not end within 15 s of SIGTERM") from None

    def _join(self):
        code = self.process.wait(timeout=15)
        for reader in self._readers:
            reader.join(timeout=5)
        return code
