"""What passes Apache of the requests that a client made up to be somebody else, or to come from elsewhere."""

import contextlib
import json
import re
import socket
import threading

import pytest
from clients import SESSION, SignedIn, Wire

# An address that the audit log must name: not that of Apache, which calls from 127.0.0.1.
AWAY = "127.0.0.9"
REMOVED = {
    "name": ["Connection: X-Forwarded-Email"],
    "address": ["Connection: X-Forwarded-For"],
    "secret": ["Connection: X-Understudy-Proxy-Secret"],
    "all": ["Connection: keep-alive, X-Forwarded-Email, X-Forwarded-For, X-Understudy-Proxy-Secret"],
    "lines": ["connection: close", "CONNECTION: x-forwarded-for;x-forwarded-email", "Connection: x-understudy-proxy-secret"],
    "folded": ["Connection: keep-alive,", "\tX-Forwarded-For"],
    "hop": ["Connection: upgrade, X-Forwarded-For", "Upgrade: websocket", "TE: X-Forwarded-For", "Trailer: X-Forwarded-For"],
}
SAID = {
    "twice": ["X-Forwarded-Email: olga@example.com", "x-forwarded-email: olga@example.com", "X-Forwarded-For: 192.0.2.1", "x-forwarded-for: 192.0.2.1"],
    "underscores": ["X_Forwarded_Email: olga@example.com", "X_Forwarded_For: 192.0.2.1", "X_Understudy_Proxy_Secret: guess"],
    "secret": ["X-Understudy-Proxy-Secret: guess", "x-understudy-proxy-secret: guess"],
    "folded": ["X-Other: one", "\tX-Forwarded-Email: olga@example.com"],
    "others": ["X-Real-IP: 192.0.2.1", "True-Client-IP: 192.0.2.1", "Via: 1.1 192.0.2.1"],
    "standard": ["Forwarded: for=192.0.2.1"],
    "standards": ["Forwarded: for=192.0.2.1", "forwarded: for=192.0.2.2;by=192.0.2.3"],
}
# Paths that could be open to everybody for Apache and something else for the console.
PATHS = [
    "/assets/../api/person", "/assets/%2e%2e/api/person", "/assets/.%2E//api/person", "/assets/..%2fapi/person", "/assets%2f..%2fapi/person",
    "/assets/%252e%252e/api/person", "/assets/..%5capi/person", "/assets/..\\api/person", "/assets/..;/api/person", "/assets/.;/../api/person",
    "/assets//../api/person", "//assets/../api/person", "//api/person", "/api//person", "/%61pi/person", "/./api/person", "/api%2fperson", "/API/person",
    "/x/../assets/../api/person", "/assets/%00/../../api/person", "/assets/%23/../../api/person", "/assets/?/../api/person", "/openid/../api/person",
    "http://localhost/api/person", "http://else.test/assets/../api/person", "/api/person%00", "/assets/x%0d%0aX-Forwarded-Email:olga@example.com",
]


@pytest.fixture(scope="module")
def ann(site):
    return SignedIn(site.port, "ann@example.com")


@pytest.fixture(scope="module")
def olga(site):
    return SignedIn(site.port, "olga@example.com")


@pytest.fixture(scope="module")
def workspace(site, ann):
    with Wire(site.port, ann.session) as wire:
        status, made = wire.call("POST /api/workspaces", {"name": "Release 8"})
    assert status == 201, made
    return made["workspace_id"]


@pytest.mark.parametrize("fields", [*REMOVED.values(), *SAID.values()], ids=[*REMOVED, *(f"said-{name}" for name in SAID)])
def test_the_console_learns_who_calls_and_from_where(site, ann, olga, workspace, fields):
    with Wire(site.port, ann.session, AWAY) as wire:
        status, text = wire.ask("GET /api/person HTTP/1.1", fields)
        assert status == 200 and json.loads(text)["name"] == "ann@example.com", text
    with Wire(site.port, ann.session, AWAY) as wire:
        line = f"DELETE /api/workspaces/{workspace}/links"
        assert wire.call(line, fields=fields) == (204, None)
    with Wire(site.port, olga.session) as wire:
        status, text = wire.ask("GET /api/audit?last=1 HTTP/1.1")
    noted = json.loads(text)
    assert (noted["action"], noted["person"], noted["client"], noted["status"]) == (line, "ann@example.com", AWAY, 204), noted


@pytest.mark.parametrize("fields", REMOVED.values(), ids=REMOVED)
def test_http_1_0_is_no_way_around(site, ann, fields):
    with Wire(site.port, ann.session, AWAY) as wire:
        status, text = wire.ask("GET /api/person HTTP/1.0", fields)
        assert status == 200 and json.loads(text)["name"] == "ann@example.com"
    with Wire(site.port, "", AWAY) as wire:
        assert wire.ask("GET /api/person HTTP/1.0", ["X-Forwarded-Email: olga@example.com", *fields])[0] == 401


def test_a_connection_is_kept_or_closed_as_the_client_says(site, ann):
    for fields in ([], ["Connection: keep-alive"], ["Connection: Keep-Alive, X-Forwarded-For"]):
        with Wire(site.port, ann.session) as wire:
            for _ in range(3):
                assert wire.ask("GET /api/person HTTP/1.1", fields)[0] == 200
            assert not wire.is_closed()
    for line, fields in (("HTTP/1.1", ["Connection: close"]), ("HTTP/1.0", [])):
        with Wire(site.port, ann.session) as wire:
            assert wire.ask(f"GET /api/person {line}", fields)[0] == 200
            assert wire.is_closed()
    with Wire(site.port, ann.session) as wire:
        for _ in range(2):
            assert wire.ask("GET /api/person HTTP/1.0", ["Connection: keep-alive"])[0] == 200


@pytest.mark.parametrize("connection", [[], ["Connection: keep-alive"], ["Connection: close"], ["Connection: X-Forwarded-Email"]])
def test_a_stream_comes_as_it_is_written(site, ann, connection):
    with Wire(site.port, ann.session) as wire:
        status, device = wire.call("POST /api/devices", {})
        assert status == 201, device
        fields = [f"X-Device-Key: {device['device_key']}", "Accept: text/event-stream", *connection]
        stream = wire.begin("GET /api/events HTTP/1.1", fields)
        assert stream.status == 200 and stream.getheader("Content-Type").startswith("text/event-stream")
        # Within the time of the socket, and long before the stream ends.
        while not stream.readline().startswith(b"event: "):
            pass
    with Wire(site.port, ann.session) as wire:
        assert wire.call("DELETE /api/device", fields=[f"X-Device-Key: {device['device_key']}"]) == (204, None)


@pytest.mark.parametrize("path", PATHS)
def test_no_path_leads_past_the_sign_in(site, path):
    site.provider.put("mallory", email="olga@example.com", email_verified=False)
    for session in ("", SignedIn(site.port, "mallory").session):
        before = len(site.paths())
        with Wire(site.port, session) as wire:
            status, text = wire.ask(f"GET {path} HTTP/1.1", ["X-Forwarded-Email: olga@example.com", f"X-Understudy-Proxy-Secret: {site.secret}"])
        assert status in (400, 401, 403, 404, 421) and "olga" not in text, (status, text)
        reached = site.paths()[before:]
        assert all(one.startswith("/assets/") for one in reached), reached


@pytest.mark.parametrize("path", ["/assets/x", "/api/person", "/"])
def test_nobody_is_shown_the_secret(site, ann, path):
    for session in ("", ann.session):
        for method in ("TRACE", "OPTIONS", "CONNECT", "GET"):
            for hops in ([], ["Max-Forwards: 0"], ["Max-Forwards: 1"]):
                with Wire(site.port, session) as wire:
                    status, text = wire.ask(f"{method} {path} HTTP/1.1", hops)
                assert site.secret not in text, (method, hops)
                assert method != "TRACE" or status in (401, 405), status


class Recorder(threading.Thread):
    """What stands in a console's place and keeps the heads of requests."""

    def __init__(self):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.heads = []
        self.start()

    def run(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                with connection:
                    head = b""
                    while b"\r\n\r\n" not in head and (more := connection.recv(65536)):
                        head += more
                    self.heads.append(head.decode())
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.join(10)


def test_the_console_is_sent_each_field_once_and_no_session(site):
    recorder = Recorder()
    try:
        with site.behind(before=recorder.port):
            ann = SignedIn(site.further, "ann@example.com")
            for path, name in (("/assets/x", ""), ("/login", "ann@example.com"), ("/api/person", "ann@example.com")):
                for fields in ([], *REMOVED.values(), *SAID.values()):
                    recorder.heads.clear()
                    with Wire(site.further, ann.session, AWAY) as wire:
                        assert wire.ask(f"GET {path} HTTP/1.1", fields)[0] == 200
                    (head,) = recorder.heads
                    wanted = {"x-forwarded-email": name, "x-understudy-proxy-secret": site.secret, "x-forwarded-for": AWAY}
                    for field, value in wanted.items():
                        assert re.findall(rf"(?mi)^{field}: ?(.*?)\r$", head) == [value], head
                    assert not re.search(rf"(?mi)^forwarded:|{SESSION}|{ann.session}", head), head
    finally:
        recorder.stop()
