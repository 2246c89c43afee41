"""A million requests, one in a hundred of them faulty: afterwards the server is as it was. usage: soak_requests.py PROBE [COUNT [sanitized]]"""

import sys
import time

import faults
from probe_process import Probe, seeded

CONNECTIONS = 32
BATCH = 50
KINDS = [
    b"GET /tiny HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /tiny-async HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /small.txt HTTP/1.1\r\nHost: a\r\n\r\n",
    b"HEAD /small.txt HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /no-content HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /none HTTP/1.1\r\nHost: a\r\n\r\n",
    b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabcde",
    b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
    b'POST /api/json HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\n{"a":1}',
    b"POST /api/json HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n{",
]


class Load:
    """Batches of equal requests over connections that are kept; every answer is checked by its length and its beginning."""

    def __init__(self, probe: Probe, random) -> None:
        self.probe = probe
        self.random = random
        self.sent = 0
        self.faults = 0
        self.answers = [self.learn(kind) for kind in KINDS]
        self.connections = []

    def learn(self, kind: bytes) -> bytes:
        """One answer, framed by the answer to the request behind it."""
        mark = b"GET /no-content HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        with self.probe.connect() as connection:
            connection.sendall(kind + mark)
            parts = []
            while part := connection.recv(65536):
                parts.append(part)
        whole = b"".join(parts)
        return whole[: whole.rindex(b"HTTP/1.1 204 ")]

    def run(self, count: int) -> None:
        self.connections = [self.probe.connect() for _ in range(CONNECTIONS)]
        end = self.sent + count
        while self.sent < end:
            choice = [self.random.randrange(len(KINDS)) for _ in self.connections]
            for connection, kind in zip(self.connections, choice):
                connection.sendall(KINDS[kind] * BATCH)
            # As many faults as make one in a hundred, while the answers are under way.
            for _ in range(CONNECTIONS * BATCH // 100):
                self.random.choice(faults.ALL)(self.probe)
                self.faults += 1
            for connection, kind in zip(self.connections, choice):
                self.check(connection, self.answers[kind])
            self.sent += CONNECTIONS * BATCH + CONNECTIONS * BATCH // 100
        for connection in self.connections:
            connection.close()

    @staticmethod
    def check(connection, answer: bytes) -> None:
        length = len(answer)
        missing = length * BATCH
        parts = []
        while missing:
            part = connection.recv(min(missing, 1 << 20))
            if not part:
                raise AssertionError(f"{missing} bytes of the answers are missing")
            missing -= len(part)
            parts.append(part)
        whole = b"".join(parts)
        for start in range(0, len(whole), length):
            if whole[start : start + 13] != answer[:13]:
                raise AssertionError(f"another answer than expected: {whole[start : start + 60]!r}")


def main() -> None:
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    # A sanitizer keeps freed memory and notes on every access: its probe must end without a report, and may grow.
    is_sanitized = sys.argv[3:] == ["sanitized"]
    probe = Probe(sys.argv[1], "--loops", "2")
    load = Load(probe, seeded())
    idle = probe.settle(0, seconds=1)
    # Caches, buffers and the allocator's arenas fill first; what grows after that grows for ever.
    load.run(max(count // 10, 20_000))
    warm = (probe.settle(idle), probe.resident_kib())
    load.sent = load.faults = 0
    start = time.monotonic()
    load.run(count)
    seconds = time.monotonic() - start
    after = (probe.settle(idle), probe.resident_kib())
    code = probe.stop()
    print(f"{load.sent} requests, {load.faults} faults in {seconds:.0f} s")
    print(f"descriptors {warm[0]} -> {after[0]}, resident {warm[1]} -> {after[1]} KiB, exit code {code}")
    # The thread sanitizer's runtime opens a pipe under load.
    if after[0] != warm[0] or (after[0] > idle and not is_sanitized):
        sys.exit("descriptors leaked")
    if after[1] > warm[1] + 2048 and not is_sanitized:
        sys.exit("resident memory grew by more than 2 MiB")
    if code != 0:
        sys.exit("the probe did not end in order")


main()
