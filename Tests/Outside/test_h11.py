"""h11, a strict parser, reads every byte that the server sends."""

import socket
from contextlib import closing

import h11
import pytest
from raw_requests import EXCHANGES


def exchange(port, sent, piece=None):
    """Sends the bytes, at once or in pieces, then closes the sending side; gives all that comes back."""
    received = b""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=15)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            for start in range(0, len(sent), piece or len(sent)):
                connection.sendall(sent[start:start + (piece or len(sent))])
            connection.shutdown(socket.SHUT_WR)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the server has refused and closed
        while data := connection.recv(65_536):
            received += data
    return received


def answers(received, methods):
    """The answers that h11 reads for requests of these methods: (response, body, number of interim ones)."""
    found = []
    while received:
        assert len(found) < len(methods), f"more than {len(methods)} answers: {received[:200]!r}"
        client = h11.Connection(h11.CLIENT)
        client.send(h11.Request(method=methods[len(found)], target="/", headers=[("Host", "probe")]))
        client.send(h11.EndOfMessage())
        client.receive_data(received)
        # An end of the connection where the body says that it goes on is an error to h11.
        client.receive_data(b"")
        response, body, interim = None, b"", 0
        while not isinstance(event := client.next_event(), h11.EndOfMessage):
            match event:
                case h11.InformationalResponse():
                    interim += 1
                case h11.Response():
                    response = event
                case h11.Data():
                    body += event.data
                case _:
                    raise AssertionError(f"{event} in {received[:200]!r}")
        found.append((response, body, interim))
        received = client.trailing_data[0]
    return found


def check_fields(response, body, method):
    """What every answer must have (RFC 9110)."""
    fields = {}
    for name, value in response.headers:
        assert name not in fields or name == b"set-cookie", f"{name} twice"
        fields[name] = value
    assert b"date" in fields
    status = response.status_code
    if status in (204, 304) or method == "HEAD":
        assert body == b""
    if status in (204, 304):
        assert b"transfer-encoding" not in fields
    if status == 204:
        assert b"content-length" not in fields
    if status == 405:
        assert fields[b"allow"]
    if status == 416:
        assert fields[b"content-range"].startswith(b"bytes */")
    if status == 206 and not fields[b"content-type"].startswith(b"multipart/byteranges"):
        assert fields[b"content-range"].startswith(b"bytes ")
    if body:
        assert b"content-type" in fields
        assert (b"content-length" in fields) != (b"transfer-encoding" in fields)
    if status in (400, 408, 413, 414, 417, 431, 501, 505) and status != 400:
        assert fields.get(b"connection") == b"close"


@pytest.mark.parametrize("case", EXCHANGES, ids=lambda case: case.name)
def test_every_byte_is_read(probe, case):
    """The whole answer parses, and it is as many answers with the statuses as were asked for."""
    found = answers(exchange(probe.port, case.sent), case.methods)
    assert [response.status_code for response, _, _ in found] == list(case.statuses)
    for (response, body, _), method in zip(found, case.methods):
        check_fields(response, body, method)


@pytest.mark.parametrize("case", [case for case in EXCHANGES if len(case.sent) < 400], ids=lambda case: case.name)
def test_the_answer_is_the_same_for_single_bytes(probe, case):
    """One byte a segment gives the same statuses."""
    found = answers(exchange(probe.port, case.sent, piece=1), case.methods)
    assert [response.status_code for response, _, _ in found] == list(case.statuses)


def test_there_are_enough():
    """The table did not shrink."""
    assert len(EXCHANGES) >= 100


def test_waiting_client_is_told_to_go_on(probe):
    """`Expect: 100-continue`: the interim answer comes before the body is sent, and only then the final one."""
    head = b"POST /echo HTTP/1.1\r\nHost: probe\r\nExpect: 100-continue\r\nContent-Length: 3\r\nConnection: close\r\n\r\n"
    with closing(socket.create_connection(("127.0.0.1", probe.port), timeout=15)) as connection:
        connection.sendall(head)
        received = connection.recv(65_536)
        assert received.startswith(b"HTTP/1.1 100 ") and received.endswith(b"\r\n\r\n")
        connection.sendall(b"abc")
        while data := connection.recv(65_536):
            received += data
    [(response, body, interim)] = answers(received, ["POST"])
    assert (response.status_code, body, interim) == (200, b"abc", 1)


def test_event_stream_is_chunked(probe):
    """The first events parse as they come."""
    client = h11.Connection(h11.CLIENT)
    with closing(socket.create_connection(("127.0.0.1", probe.port), timeout=15)) as connection:
        connection.sendall(client.send(h11.Request(method="GET", target="/events", headers=[("Host", "probe")])))
        client.send(h11.EndOfMessage())
        body = b""
        while b"event: tick" not in body:
            event = client.next_event()
            if event is h11.NEED_DATA:
                client.receive_data(connection.recv(65_536))
            elif isinstance(event, h11.Data):
                body += event.data
            else:
                assert isinstance(event, h11.Response) and event.status_code == 200
