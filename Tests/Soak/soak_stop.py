"""SIGTERM under load breaks no request: whoever has sent one gets its whole answer. usage: soak_stop.py PROBE [ROUNDS]"""

import os
import signal
import subprocess
import sys
import threading
import time

from moments import pass_by
from probe_process import Probe
from processes import start_program

REQUESTS = [
    b"GET /tiny HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /tiny-async HTTP/1.1\r\nHost: a\r\n\r\n",
    b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n" + b"x" * 20000,
    b"GET /large.bin HTTP/1.1\r\nHost: a\r\n\r\n",
]
WORKERS = 16


class Worker(threading.Thread):
    """Asks again and again on one connection until an answer says that it is the last."""

    def __init__(self, probe: Probe, request: bytes) -> None:
        super().__init__()
        self.connection = probe.connect()
        self.request = request
        self.answers = 0
        self.verdict = "never ended"
        self.ended_after = 0.0

    def run(self) -> None:
        start = time.monotonic()
        try:
            # The socket gives up without progress.
            while (last := self.asked()) is not None:
                self.answers += 1
                if last:
                    self.verdict = "ok" if self.connection.recv(1) == b"" else "bytes after the last answer"
                    return
        except OSError as error:
            self.verdict = f"broken: {error}"
        finally:
            self.connection.close()
            self.ended_after = time.monotonic() - start

    def asked(self) -> bool | None:
        """Sends the request and reads its answer."""
        self.connection.sendall(self.request)
        return self.answer()

    def answer(self) -> bool | None:
        """Reads one answer; whether it is the last, None where it is not whole."""
        data = b""
        while b"\r\n\r\n" not in data:
            part = self.connection.recv(65536)
            if not part:
                self.verdict = f"broken after {len(data)} bytes of a head"
                return None
            data += part
        head, body = data.split(b"\r\n\r\n", 1)
        fields = head.lower()
        if not head.startswith(b"HTTP/1.1 200 "):
            self.verdict = f"another answer: {head[:40]!r}"
            return None
        length = int(fields.split(b"content-length:")[1].split(b"\r\n")[0])
        got = len(body)
        while got < length:
            part = self.connection.recv(min(1 << 20, length - got))
            if not part:
                self.verdict = f"broken after {got} of {length} bytes"
                return None
            got += len(part)
        return b"\r\nconnection: close" in fields


def run(program: str) -> int:
    probe = Probe(program, "--loops", "2")
    workers = [Worker(probe, REQUESTS[number % len(REQUESTS)]) for number in range(WORKERS)]
    for worker in workers:
        worker.start()
    wrk = load(probe.port)
    pass_by(1)
    start = time.monotonic()
    probe.process.send_signal(signal.SIGTERM)
    code = probe.process.wait(timeout=30)
    took = time.monotonic() - start
    for worker in workers:
        worker.join(timeout=30)
    if wrk:
        wrk.kill()
        wrk.wait()
    probe.process.stdout.close()
    probe.folder.cleanup()
    bad = [worker.verdict for worker in workers if worker.verdict != "ok"]
    print(f"{sum(worker.answers for worker in workers)} answers, {len(bad)} broken {bad or ''}, exit code {code} after {took:.2f} s")
    if bad or code != 0 or took > 10:
        sys.exit("a stop under load was not in order")
    return sum(worker.answers for worker in workers)


def load(port: int) -> subprocess.Popen | None:
    """wrk beside the workers, if it is installed."""
    if not any(os.access(os.path.join(folder, "wrk"), os.X_OK) for folder in os.environ.get("PATH", "").split(":")):
        return None
    command = ["wrk", "-t", "1", "-c", "64", "-d", "30", f"http://127.0.0.1:{port}/tiny"]
    return start_program(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 5):
    if run(sys.argv[1]) < WORKERS:
        sys.exit("there was no load")
