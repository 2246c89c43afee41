"""What hostile and unlucky clients do, each on its own connection."""

import socket

from probe_process import Probe, read_to_end, reset

GET = b"GET /tiny HTTP/1.1\r\nHost: a\r\n\r\n"
LARGE = b"GET /large.bin HTTP/1.1\r\nHost: a\r\n\r\n"


def expect(condition: bool, what: str) -> None:
    if not condition:
        raise AssertionError(what)


def reset_before_the_head(probe: Probe) -> None:
    reset(probe.connect())


def reset_in_the_head(probe: Probe) -> None:
    connection = probe.connect()
    connection.sendall(GET[:20])
    reset(connection)


def reset_in_the_body(probe: Probe) -> None:
    connection = probe.connect()
    connection.sendall(b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + bytes(500))
    reset(connection)


def end_in_the_body(probe: Probe) -> None:
    connection = probe.connect()
    connection.sendall(b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab")
    connection.close()


def reset_in_the_answer(probe: Probe) -> None:
    connection = probe.connect()
    connection.sendall(LARGE)
    expect(connection.recv(1000).startswith(b"HTTP/1.1 200 "), "a large file begins")
    reset(connection)


def reset_in_the_stream(probe: Probe) -> None:
    connection = probe.connect()
    connection.sendall(b"GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
    expect(connection.recv(4000).startswith(b"HTTP/1.1 200 "), "a stream begins")
    reset(connection)


def leave_the_stream(probe: Probe) -> None:
    connection = probe.connect()
    connection.sendall(b"GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
    connection.recv(4000)
    connection.close()


def half_close(probe: Probe) -> None:
    connection = probe.connect()
    connection.sendall(GET)
    connection.shutdown(socket.SHUT_WR)
    expect(read_to_end(connection).endswith(b'{"ok":true,"name":"probe"}'), "a half-closed client gets its answer")
    connection.close()


def malformed(probe: Probe) -> None:
    connection = probe.connect()
    connection.sendall(b"GET /tiny HTTP/1.1\r\nHost : a\r\n\r\n" + GET)
    answer = read_to_end(connection)
    expect(answer.startswith(b"HTTP/1.1 400 ") and answer.count(b"HTTP/1.1 ") == 1, "a malformed head gets one 400")
    connection.close()


def full_buffers(probe: Probe) -> None:
    connection = probe.connect(receive_buffer=4096)
    connection.sendall(LARGE * 3)
    connection.recv(100)
    connection.close()


def unread_batch(probe: Probe) -> None:
    connection = probe.connect()
    connection.sendall(GET * 200)
    reset(connection)


ALL = [
    reset_before_the_head,
    reset_in_the_head,
    reset_in_the_body,
    end_in_the_body,
    reset_in_the_answer,
    reset_in_the_stream,
    leave_the_stream,
    half_close,
    malformed,
    full_buffers,
    unread_batch,
]
