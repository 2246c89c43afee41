"""System calls of the running server fail: complete answers are right, nothing leaks, and it never busy-loops."""

import contextlib
import os
import socket
import subprocess

import pytest
from fault_load import TINY, Broken, Client, run
from fault_schedule import KINDS, PASSING, Schedule, build
from fault_site import Site
from moments import pass_by, until
from probe_server import ProbeServer

# In all; a quarter for each of the four loads.
REQUESTS = int(os.environ.get("FAULT_REQUESTS", "4000"))
# `make verify` draws another one.
SEED = int(os.environ.get("FAULT_SEED", "261125"))
GET = b"GET /tiny HTTP/1.1\r\nHost: probe\r\n\r\n"


class Faulty:
    """A probe whose system calls can fail, serving a site."""

    def __init__(self, work, library, is_tls, seed):
        self.is_tls = is_tls
        root = work / ("tls" if is_tls else "plain")
        root.mkdir()
        self.site = Site(root)
        self.schedule = Schedule(work, library, seed)
        arguments = ["--loops", "2"]
        if is_tls:
            certificate, key = work / "certificate.pem", work / "key.pem"
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "90",
                 "-subj", "/CN=localhost", "-keyout", key, "-out", certificate], check=True, capture_output=True)
            arguments += ["--tls-certificate", certificate, "--tls-key", key]
        self.server = ProbeServer(root, *arguments, environment=self.schedule.environment)
        # After a first answer, everything that stays open is open, and its connection soon is not.
        self.ask()
        pass_by(0.3)
        self.idle = self.descriptors()

    def client(self):
        return Client(self.server.port, self.is_tls)

    def ask(self):
        """One request on a new connection."""
        client = self.client()
        client.send(GET)
        assert client.answer("GET")[::2] == (200, TINY)
        client.close()

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.server.process.pid}/fd"))

    @contextlib.contextmanager
    def failing(self, per_mille, kinds):
        """Makes that many of a thousand calls fail in these ways until the block ends; at least one must have failed by then."""
        before = self.schedule.injected()
        with self.schedule.failing(per_mille, kinds):
            yield
        after = self.schedule.injected()
        assert any(after[kind] > before[kind] for kind in kinds), f"none of {kinds} happened"

    def settle(self, count):
        """Waits until no more than so many descriptors are open."""
        until(lambda: self.descriptors() <= count, lambda: f"{self.descriptors()} descriptors are no more than {count}")

    def processor_time(self):
        """Seconds of processor time used so far."""
        with open(f"/proc/{self.server.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def is_at_rest(self):
        """Whether for half a second it tries the calls that fail now and then only, and uses a small part of a processor."""
        time_before, calls_before = self.processor_time(), self.schedule.calls()
        pass_by(0.5)
        calls, used = self.schedule.calls() - calls_before, self.processor_time() - time_before
        # On a busy machine a loop without rest gets little time, so the calls are counted too: one in 10 ms for each of a few.
        assert calls <= 500 and used <= 0.25, f"{calls} calls and {used:.2f} s of processor time in half a second of rest"
        return True

    def is_as_before(self):
        """Whether it answers and has no more descriptors than at its start."""
        self.ask()
        self.settle(self.idle)
        return True


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The library that makes calls fail."""
    print(f"FAULT_SEED={SEED}")
    return build(tmp_path_factory.mktemp("faults"))


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "tls"])
def faulty(request, library, tmp_path_factory):
    """A probe that must end with 0."""
    running = Faulty(tmp_path_factory.mktemp("faulty"), library, request.param, SEED + request.param)
    yield running
    assert running.server.stop() == 0, "".join(running.server.log[-300:])


def load(faulty, per_mille, kinds):
    """A quarter of the requests while calls fail; gives the outcomes, what was broken and what was refused."""
    with faulty.site, faulty.failing(per_mille, kinds):
        outcomes, wrong, broken, refused = run(faulty.site, faulty.server.port, faulty.is_tls, REQUESTS // 4, SEED)
    print(dict(outcomes), faulty.schedule.injected(), faulty.site.changes, broken[:5])
    assert not wrong, wrong[:5]
    assert faulty.is_as_before()
    return outcomes, broken, refused


def test_passing_faults_break_no_answer(faulty):
    """Clients notice no temporary failure; an answer breaks only if its file was truncated."""
    before = faulty.schedule.injected()
    outcomes, broken, refused = load(faulty, 100, PASSING)
    after = faulty.schedule.injected()
    missing = {kind for kind in PASSING if after[kind] == before[kind]}
    # Connections are kept, so that few are accepted: too few for every kind of failure of accept(2).
    accepting = {"no_accept", "aborted"}
    assert not missing - accepting and missing != accepting, missing
    assert not [line for line in broken if "/cut" not in line], broken[:5]
    assert refused <= {"/cut.txt", "/cut.bin", "/replaced.txt", "/replaced.bin"}
    assert outcomes["whole"] > REQUESTS // 8


def test_what_arrives_is_right_whatever_fails(faulty):
    """Connections may break and files may be refused; no complete answer is wrong, and nothing leaks."""
    before = faulty.schedule.injected()["broken"]
    outcomes, _, _ = load(faulty, 30, KINDS)
    assert outcomes["whole"] > REQUESTS // 8
    assert faulty.schedule.injected()["broken"] > before


def test_send_without_kernel_memory_is_retried(faulty):
    """ENOBUFS and ENOMEM for a socket that epoll calls writable: tried again by the clock, and the answer arrives whole."""
    client = faulty.client()
    client.send(b"GET /large.bin HTTP/1.1\r\nHost: probe\r\n\r\n")
    client.received = client.connection.recv(1000)
    with faulty.failing(1000, ["no_buffers", "no_memory"]):
        # Reads what the kernel buffers, so that the socket becomes writable.
        client.connection.settimeout(0.5)
        with pytest.raises(TimeoutError):
            while part := client.connection.recv(1 << 18):
                client.received += part
        assert faulty.is_at_rest()
    client.connection.settimeout(30)
    status, _, body = client.answer("GET")
    client.close()
    assert status == 200 and faulty.site.is_right("large.bin", body)
    assert faulty.is_as_before()


def test_without_memory_to_receive_it_rests_and_goes_on(faulty):
    """The same for what was sent to it."""
    clients = [faulty.client() for _ in range(4)]
    for client in clients:
        client.connect()
    with faulty.failing(1000, ["no_buffers", "no_memory"]):
        for client in clients:
            client.send(GET)
        assert faulty.is_at_rest()
    for client in clients:
        assert client.answer("GET")[::2] == (200, TINY)
        client.close()
    assert faulty.is_as_before()


@pytest.mark.parametrize("kind", ["no_accept", "no_files", "no_watch"])
def test_what_it_cannot_accept_does_not_keep_it_busy(faulty, kind):
    """Connections that wait while nothing can be accepted, and the listener afterwards."""
    clients = [faulty.client() for _ in range(8)]
    with faulty.failing(1000, [kind]):
        for client in clients:
            client.is_tls = False
            client.connect()
        assert faulty.is_at_rest()
    for client in clients:
        client.close()
    assert faulty.is_as_before()


@pytest.mark.parametrize(("kind", "per_mille", "expected"), [("bad_disk", 1000, 503), ("no_files", 1000, 503), ("interrupted", 500, 200)])
def test_a_file_that_cannot_be_opened_now_is_no_missing_one(faulty, kind, per_mille, expected):
    """503 where it stays on the disk, the bytes in memory where there are some, and a signal is no reason for either."""
    client = faulty.client()
    client.connect()
    # Once it is answered it was accepted, which a lack of descriptors would put off.
    client.send(GET)
    assert client.answer("GET")[0] == 200
    with faulty.failing(per_mille, [kind]):
        for name in ["large.bin", "small.txt"] * 3:
            client.send(f"GET /{name} HTTP/1.1\r\nHost: probe\r\n\r\n".encode())
            status, _, body = client.answer("GET")
            assert status == (200 if name == "small.txt" else expected)
            assert status == 503 or faulty.site.is_right(name, body)
    client.close()
    assert faulty.is_as_before()


def lived_through(faulty, count):
    """Connections that were used while calls failed, and did not break."""
    clients, left = [], 20 * count
    with faulty.failing(200, PASSING):
        while len(clients) < count and left > 0:
            client, left = faulty.client(), left - 1
            try:
                for _ in range(5):
                    client.send(GET * 3)
                    assert [client.answer("GET")[0] for _ in range(3)] == [200] * 3
            except Broken:
                client.close()
            else:
                clients.append(client)
    assert len(clients) == count
    return clients


def test_after_faults_no_connection_keeps_it_busy(faulty):
    """Neither those that stay open and say nothing nor those that were cut while calls failed take any time of a processor."""
    open_ones, cut = lived_through(faulty, 16), []
    for _ in range(10):
        # A request and the end of input without a farewell, of which TLS would tell the other side just when nothing can be sent.
        with faulty.failing(400, ["again", "interrupted"]):
            for _ in range(30):
                client = faulty.client()
                with contextlib.suppress(Broken):
                    client.send(GET)
                    client.connection.shutdown(socket.SHUT_WR)
                cut.append(client)
            pass_by(0.1)
    faulty.settle(faulty.idle + len(open_ones))
    before = faulty.processor_time()
    pass_by(1)
    used = faulty.processor_time() - before
    assert used <= 0.2, f"{used:.2f} s of processor time in 1 s of idleness"
    for client in open_ones:
        client.send(GET)
        assert client.answer("GET")[::2] == (200, TINY)
    for client in open_ones + cut:
        client.close()
    assert faulty.is_as_before()


def test_a_listener_that_cannot_be_watched_at_the_start_is_watched_later(library, tmp_path):
    """A shortage at the start must not end the listening for good."""
    schedule = Schedule(tmp_path, library, SEED)
    with schedule.failing(1000, ["no_watch"]):
        server = ProbeServer(tmp_path, environment=schedule.environment)
        waiting = Client(server.port, False)
        waiting.send(GET)
        until(lambda: schedule.injected()["no_watch"], "the listener cannot be watched")
    assert waiting.answer("GET")[::2] == (200, TINY)
    waiting.close()
    assert server.stop() == 0
