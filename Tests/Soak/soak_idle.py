"""10,000 idle and 200 slow connections are open, and no request takes over 50 ms. usage: soak_idle.py PROBE [IDLE SLOW SECONDS]"""

import select
import statistics
import subprocess
import sys
import time

from moments import pass_by
from probe_process import Probe
from processes import start_program

LIMIT = 0.050
GET = b"GET /tiny HTTP/1.1\r\nHost: a\r\n\r\n"
SLOW_HEAD = b"GET /tiny HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 1000


class Slow:
    """Connections that send a head byte by byte and come again when the server has had enough."""

    def __init__(self, probe: Probe, count: int) -> None:
        self.probe = probe
        self.open = [probe.connect() for _ in range(count)]
        self.at = [0] * count
        self.ended = 0

    def step(self) -> None:
        """One more byte on each."""
        for index, connection in enumerate(self.open):
            try:
                connection.sendall(SLOW_HEAD[self.at[index] : self.at[index] + 1])
                self.at[index] += 1
            except OSError:
                self.again(index)
        poller = select.poll()
        places = {connection.fileno(): index for index, connection in enumerate(self.open)}
        for connection in self.open:
            poller.register(connection, select.POLLIN)
        for descriptor, _ in poller.poll(0):
            self.again(places[descriptor])

    def again(self, index: int) -> None:
        self.ended += 1
        self.open[index].close()
        self.open[index] = self.probe.connect()
        self.at[index] = 0


def measure(port: int, seconds: float) -> None:
    """In a process of its own, so that it measures the server: asks every 2 ms, in turn on a kept and on a new connection."""
    import gc
    import socket

    gc.disable()
    kept = socket.create_connection(("127.0.0.1", port), timeout=30)
    end = time.monotonic() + seconds
    times = []
    while time.monotonic() < end:
        for connection in (kept, None):
            start = time.perf_counter()
            used = connection or socket.create_connection(("127.0.0.1", port), timeout=30)
            used.sendall(GET)
            if not used.recv(4096).startswith(b"HTTP/1.1 200 "):
                sys.exit("a request was not answered")
            times.append(time.perf_counter() - start)
            if used is not kept:
                used.close()
            pass_by(0.002)
    times.sort()
    print(len(times), statistics.median(times), times[int(len(times) * 0.99)], times[-1])


def main() -> None:
    idle_count, slow_count, seconds = (int(argument) for argument in (sys.argv[2:] or ["10000", "200", "20"]))
    probe = Probe(sys.argv[1], "--loops", "1")
    before = probe.resident_kib()
    idle = []
    for number in range(idle_count):
        connection = probe.connect()
        if number % 2:
            # Half of them have been served once.
            connection.sendall(GET)
            connection.recv(4096)
        idle.append(connection)
    slow = Slow(probe, slow_count)
    per_connection = (probe.resident_kib() - before) / (idle_count + slow_count)
    meter = start_program(
        [sys.executable, __file__, "--measure", str(probe.port), str(seconds)], stdout=subprocess.PIPE, text=True
    )
    while meter.poll() is None:
        slow.step()
        pass_by(0.5)
    open_idle = alive(idle)
    line = meter.stdout.read().split()
    for connection in [*idle, *slow.open]:
        connection.close()
    code = probe.stop()
    count, median, late, worst = int(line[0]), *(float(part) * 1000 for part in line[1:])
    print(f"{open_idle} idle and {slow_count} slow connections ({slow.ended} cut off), {per_connection:.1f} KiB each")
    print(f"{count} requests: median {median:.2f} ms, 99th percentile {late:.2f} ms, worst {worst:.2f} ms, exit code {code}")
    if open_idle != idle_count:
        sys.exit("idle connections were closed too early")
    if slow.ended < slow_count and seconds >= 15:
        sys.exit("slow connections were not cut off")
    if worst > LIMIT * 1000:
        sys.exit("a request took over 50 ms")
    if code != 0:
        sys.exit("the probe did not end in order")


def alive(connections: list) -> int:
    """How many the server has neither closed nor written to."""
    poller = select.poll()
    for connection in connections:
        poller.register(connection, select.POLLIN)
    return len(connections) - len(poller.poll(0))


if sys.argv[1] == "--measure":
    measure(int(sys.argv[2]), float(sys.argv[3]))
else:
    main()
