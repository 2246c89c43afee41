"""The probe as a child process, with what the kernel says of it."""

import contextlib
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

from moments import until
from processes import start_program


class Probe:
    """A running probe over a temporary folder with a small and a large file."""

    SMALL = b"a small file\n" * 80
    LARGE = bytes(range(256)) * 16384  # 4 MiB: more than the kernel's buffers take

    def __init__(self, program: str, *arguments: str) -> None:
        self.folder = tempfile.TemporaryDirectory()
        for name, content in (("small.txt", self.SMALL), ("large.bin", self.LARGE)):
            with open(os.path.join(self.folder.name, name), "wb") as file:
                file.write(content)
        command = [program, "--port", "0", "--root", self.folder.name, *arguments]
        self.process = start_program(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if "probe ready" not in line:
            sys.exit(f"probe did not start: {line!r}")
        self.port = int(line.rstrip().rsplit(":", 1)[1])

    def connect(self, receive_buffer: int = 0) -> socket.socket:
        """A connection that gives up after thirty seconds without progress."""
        connection = socket.socket()
        if receive_buffer:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        connection.settimeout(30)
        connection.connect(("127.0.0.1", self.port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def resident_kib(self) -> int:
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    def settle(self, descriptors: int, seconds: float = 20) -> int:
        """Waits until no more than so many descriptors are open; returns how many there are."""
        with contextlib.suppress(AssertionError):
            until(lambda: self.descriptors() <= descriptors, "descriptors are closed", seconds)
        return self.descriptors()

    def stop(self) -> int:
        """Asks it to stop; returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=30)
        self.process.stdout.close()
        self.folder.cleanup()
        return code


def reset(connection: socket.socket) -> None:
    """Breaks a connection off with a reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def read_to_end(connection: socket.socket) -> bytes:
    """Everything up to the end."""
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts)


def seeded() -> random.Random:
    """Reproducible random numbers: from SOAK_SEED, or else a new seed, which is printed."""
    seed = int(os.environ.get("SOAK_SEED", time.time_ns() % 1_000_000))
    print(f"SOAK_SEED={seed}")
    return random.Random(seed)
