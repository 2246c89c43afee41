"""slowhttptest in its four modes: other clients are served at all times."""

import re
import subprocess
import threading
import time
import urllib.request

import pytest
from probe_server import ProbeServer

MODES = {
    "headers": ["-H", "-i", "5", "-x", "24", "-u", "/"],
    "body": ["-B", "-i", "5", "-s", "8192", "-x", "10", "-t", "POST", "-u", "/echo"],
    "ranges": ["-R", "-a", "10", "-b", "3000", "-t", "HEAD", "-u", "/large.txt"],
    "reading": ["-X", "-w", "10", "-y", "20", "-n", "5", "-z", "32", "-k", "3", "-u", "/large.txt"],
}


class Visitor:
    """A client that sends a request each second; `times` are the durations of answers in seconds, `failures` the errors."""

    def __init__(self, url):
        self.times, self.failures = [], []
        self._url, self._done = url, threading.Event()
        self._thread = threading.Thread(target=self._visit, daemon=True)
        self._thread.start()

    def _visit(self):
        while not self._done.wait(1):
            started = time.monotonic()
            try:
                with urllib.request.urlopen(self._url, timeout=5) as answer:
                    assert answer.status == 200 and answer.read()
                self.times.append(time.monotonic() - started)
            except Exception as error:  # whatever it is, somebody was not served
                self.failures.append(f"after {time.monotonic() - started:.2f} s: {error!r}")

    def stop(self, at_least):
        """Ends after so many visits in all, or 15 s more."""
        end = time.monotonic() + 15
        while len(self.times) + len(self.failures) < at_least and time.monotonic() < end:
            self._done.wait(0.1)
        self._done.set()
        self._thread.join(timeout=10)


@pytest.mark.parametrize("mode", MODES)
def test_service_stays_available(mode, folder, tmp_path, record_property):
    """500 slow connections for 20 s leave every visit answered, and the server ends cleanly."""
    probe = ProbeServer(folder)
    visitor = Visitor(probe.url + "/style.css")
    *flags, path = MODES[mode]
    command = ["slowhttptest", "-c", "500", "-r", "250", "-l", "20", "-p", "3", *flags, probe.url + path]
    ran = subprocess.run(command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90)
    visitor.stop(at_least=5)
    told = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", ran.stdout)
    record_property("slowest visit", max(visitor.times, default=None))
    print(f"{mode}: {len(visitor.times)} visits, slowest {max(visitor.times, default=0):.3f} s\n{told[-400:]}")
    assert probe.stop() == 0
    assert not visitor.failures
    assert len(visitor.times) >= 5
    verdicts = re.findall(r"service available:\s*(\w+)", told)
    assert verdicts and set(verdicts) == {"YES"}, told[-600:]
