"""However a client of an https server goes away, no thread goes on for it."""

import os
import socket
import ssl
import struct
from pathlib import Path

import pytest
from backend_process import Backend, call
from console_process import binary
from moments import pass_by, until

ROUNDS = 20


class Guest:
    """A TLS client whose alerts and packets a test sends one by one; it never reads an answer."""

    def __init__(self, port, certificate):
        self.socket = socket.socket()
        # The server's writes have to wait.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        self.socket.settimeout(5)
        self.socket.connect(("127.0.0.1", port))
        self.received, self.sent = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = ssl.create_default_context(cafile=certificate).wrap_bio(self.received, self.sent, server_hostname="127.0.0.1")
        # Each turn sends and receives one flight of a handshake, which has few.
        for _ in range(20):
            try:
                self.tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                self.flush()
                self.received.write(self.socket.recv(65536))
        self.flush()

    def flush(self):
        self.socket.sendall(self.sent.read())

    def ask(self, port, path, count):
        """Sends `count` requests at once."""
        self.tls.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode() * count)
        self.flush()

    def say_goodbye(self):
        """Sends close_notify."""
        try:
            self.tls.unwrap()
        except ssl.SSLWantReadError:
            pass
        self.flush()

    def reset(self):
        """Ends the connection with an RST packet."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


def close_notify_and_reset(guest):
    guest.say_goodbye()
    guest.reset()


def close_notify_and_close(guest):
    guest.say_goodbye()
    guest.socket.close()


def close_notify_and_half_close(guest):
    guest.say_goodbye()
    guest.socket.shutdown(socket.SHUT_WR)


def garbage_and_reset(guest):
    guest.socket.sendall(b"\x17\x03\x03\x00\x20" + bytes(32))
    guest.reset()


LEAVES = [close_notify_and_reset, close_notify_and_close, close_notify_and_half_close, garbage_and_reset, Guest.reset]


def processor_seconds(process):
    """What a process used of the processors so far."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.fixture(scope="module")
def backend(tmp_path_factory):
    backend = Backend(binary(), tmp_path_factory.mktemp("backend"))
    yield backend
    assert backend.stop() == 0


@pytest.mark.parametrize("path", ["/.well-known/apple-app-site-association", "/swagger.json"])
@pytest.mark.parametrize("leave", LEAVES)
def test_no_thread_goes_on_for_a_client_that_left(backend, leave, path):
    for count in [1, 40] * ROUNDS:
        guest = Guest(backend.port, backend.certificate)
        guest.ask(backend.port, path, count)
        leave(guest)

    def rests():
        spent = processor_seconds(backend.process)
        pass_by(0.3)
        return processor_seconds(backend.process) - spent < 0.1

    until(rests, "it rests")
    connection = backend.connect()
    assert call(connection, "GET", "/swagger.json")[0] == 200
    connection.close()
