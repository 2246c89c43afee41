"""Answers that the event loop gives without a handler are those that the handler gives, byte for byte."""

import re
import socket

import pytest

PATHS = [
    "/healthz", "/healthz?x=1", "/login", "/login?x=1", "/network", "/assets/css/base.css", "/assets/js/page.js", "/assets/icons/sprite.svg",
    "/assets/fonts/", "/404", "/nowhere", "/assets/nothing.js", "/healthz/", "//healthz", "/%68ealthz", "/", "/api/state",
]
FIELDS = [
    [], ["Accept-Encoding: gzip, deflate, br"], ["Accept-Encoding: identity"], ["Range: bytes=0-9"], ["Sec-Fetch-Dest: document"],
    ["Sec-Fetch-Dest: script", "Accept-Encoding: gzip"], ["If-None-Match: TAG"], ["If-None-Match: TAG", "Accept-Encoding: gzip"],
    ["If-Modified-Since: MODIFIED"], ["Origin: http://evil.example"], ["Cookie: a=b"],
]
HOSTS = ["localhost:{port}", "127.0.0.1:{port}", "LOCALHOST:{port}", "evil.example", "localhost", "localhost:{port}\r\nHost: localhost:{port}"]


def answers(port, method, path, host, fields, closes):
    """The last answer of three to the same request on one connection: the first ones may have to read a file."""
    head = [f"{method} {path} HTTP/1.1", f"Host: {host.format(port=port)}", *fields]
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        received = b""
        for _ in range(1 if closes else 3):
            connection.sendall("\r\n".join([*head, *(["Connection: close"] if closes else []), "", ""]).encode())
            received = answer(connection, method)
            if b"\r\nconnection: close" in received[0].lower():
                break
        return received


def answer(connection, method):
    """One answer: (head, body)."""
    received = b""
    while b"\r\n\r\n" not in received:
        part = connection.recv(65536)
        if not part:
            return received, b""
        received += part
    head, body = received.split(b"\r\n\r\n", 1)
    length = re.search(rb"(?im)^content-length: (\d+)", head)
    wanted = 0 if method == "HEAD" or b" 304 " in head[:20] or not length else int(length[1])
    while len(body) < wanted:
        part = connection.recv(65536)
        assert part, f"{len(body)} of {wanted} bytes came"
        body += part
    return head, body


def lasting(found):
    """An answer without what differs from one to the next."""
    head, body = found
    lines = head.decode().split("\r\n")
    fields = [line for line in lines[1:] if not re.match(r"(?i)(date|connection|keep-alive|set-cookie):", line)]
    return lines[0], sorted(fields), re.sub(rb'"request_id":"[^"]*"', b"", body)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_the_event_loop_answers_as_the_handler_does(start, method):
    port = start().port
    compared = 0
    for path in PATHS:
        plain = answers(port, "GET", path, HOSTS[0], [], True)[0].decode()
        tag, modified = (re.search(rf"(?im)^{name}: (.*?)\r?$", plain) for name in ("etag", "last-modified"))
        for host in HOSTS:
            for fields in FIELDS if host in HOSTS[:2] else FIELDS[:1]:
                known = [
                    one.replace("TAG", tag[1] if tag else '"x"').replace("MODIFIED", modified[1] if modified else "never")
                    for one in fields
                ]
                ready = answers(port, method, path, host, known, False)
                handled = answers(port, method, path, host, known, True)
                assert lasting(ready) == lasting(handled), (method, path, host, known)
                compared += 1
    assert compared > 300
