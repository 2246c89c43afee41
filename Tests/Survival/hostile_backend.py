"""A TLS front before a real backend that answers chosen calls as a broken or hostile one would; all others it passes on."""

import contextlib
import http.client
import json
import socket
import ssl
import threading
import zlib

MIB = 1 << 20
# More than ten gigabytes, were it taken.
HUGE = 10 << 30


class HostileBackend:
    """An attack is a function of (front, connection); `path` says which calls meet it, and a device may have its own."""

    def __init__(self, backend_port, certificate, key):
        self.backend_port = backend_port
        self.attack, self.of_device, self.path, self.shakes_hands = None, {}, "/rpc/me", True
        self.sent, self.met, self.lock = 0, 0, threading.Lock()
        self.released = threading.Event()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        self.upstream = ssl.create_default_context()
        self.upstream.check_hostname, self.upstream.verify_mode = False, ssl.CERT_NONE
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def be(self, attack, path="/rpc/me", of_device=None):
        """Answers calls of the path so from now on; None answers as the backend does. `of_device` is {device id: attack}."""
        self.released.set()
        self.released = threading.Event()
        self.sent = self.met = 0
        self.path, self.attack, self.of_device = path, attack, of_device or {}

    def stop(self):
        """Takes no more connections and lets those that hang go."""
        self.released.set()
        self.listener.close()

    def send(self, connection, data):
        """Sends and counts."""
        connection.sendall(data)
        with self.lock:
            self.sent += len(data)

    def _accept(self):
        # Until the listener is closed.
        with contextlib.suppress(OSError):
            while self.listener.fileno() >= 0:
                connection, _ = self.listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            if not self.shakes_hands:
                self.met += 1
                self.released.wait(90)
                return
            with self.context.wrap_socket(connection, server_side=True) as secured:
                self._exchanges(secured)
        except (OSError, ValueError, ssl.SSLError, http.client.HTTPException):
            pass
        finally:
            connection.close()

    def _exchanges(self, connection):
        stream = connection.makefile("rb")
        while line := stream.readline(65536):
            method, target, _ = line.decode("latin-1").split(" ", 2)
            headers = http.client.parse_headers(stream)
            body = stream.read(int(headers.get("Content-Length", 0)))
            attack = self.of_device.get(headers.get("X-Device-ID"), self.attack)
            if attack and target.split("?")[0] == self.path:
                self.met += 1
                attack(self, connection)
                return
            self._pass_on(connection, method, target, headers, body)

    def _pass_on(self, connection, method, target, headers, body):
        backend = http.client.HTTPSConnection("127.0.0.1", self.backend_port, timeout=20, context=self.upstream)
        try:
            fields = {name: value for name, value in headers.items() if name.lower() != "connection"}
            backend.request(method, target, body or None, fields)
            answer = backend.getresponse()
            content = answer.read()
        finally:
            backend.close()
        head = f"HTTP/1.1 {answer.status} {answer.reason}\r\n"
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "content-length", "connection", "keep-alive"):
                head += f"{name}: {value}\r\n"
        connection.sendall((head + f"Content-Length: {len(content)}\r\n\r\n").encode("latin-1") + content)


def _head(*fields, status="200 OK"):
    return ("\r\n".join([f"HTTP/1.1 {status}", "Content-Type: application/json", *fields]) + "\r\n\r\n").encode()


def hangs(front, connection):
    """Takes the call and never answers."""
    front.released.wait(90)


def hangs_in_the_body(front, connection):
    """Begins an answer and never ends it."""
    front.send(connection, _head("Content-Length: 100") + b'{"user_id":')
    front.released.wait(90)


def drips(front, connection):
    """A byte of the head now and then, so that the connection is never idle for long."""
    front.send(connection, b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not front.released.wait(0.5):
        front.send(connection, b"a")


def floods_headers(front, connection):
    """Headers without an end."""
    front.send(connection, b"HTTP/1.1 200 OK\r\n")
    for number in range(HUGE // 1024):
        front.send(connection, f"X-Flood-{number}: ".encode() + b"a" * 1000 + b"\r\n")


def floods_interim(front, connection):
    """Interim answers without an end."""
    for _ in range(HUGE // (25 * 1000)):
        front.send(connection, b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1000)


def floods_chunks(front, connection):
    """Ten gigabytes in chunks, without saying how much will come."""
    front.send(connection, _head("Transfer-Encoding: chunked"))
    for _ in range(HUGE // MIB):
        front.send(connection, b"100000\r\n" + b"a" * MIB + b"\r\n")


def pads_chunks(front, connection):
    """Chunks of one byte with long extensions, ten megabytes a second: the body stays small, so that only the deadline ends it."""
    front.send(connection, _head("Transfer-Encoding: chunked"))
    while not front.released.wait(0.1):
        front.send(connection, (b"1;" + b"e" * 1000 + b"\r\na\r\n") * 1000)


def floods_length(front, connection):
    """Ten gigabytes, announced."""
    front.send(connection, _head(f"Content-Length: {HUGE}"))
    for _ in range(HUGE // MIB):
        front.send(connection, b" " * MIB)


def floods_unframed(front, connection):
    """A body that only the end of the connection ends."""
    front.send(connection, _head("Connection: close"))
    for _ in range(HUGE // MIB):
        front.send(connection, b" " * MIB)


def inflates(front, connection):
    """Ten megabytes that become ten gigabytes."""
    packer = zlib.compressobj(9, wbits=31)
    # After a full flush, nothing refers to what was before it: the same bytes can follow one another.
    first, again = [packer.compress(bytes(16 * MIB)) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2)]
    front.send(connection, _head("Content-Encoding: gzip", "Transfer-Encoding: chunked"))
    for packed in [first, *[again] * (HUGE // (16 * MIB) - 1)]:
        front.send(connection, f"{len(packed):x}\r\n".encode() + packed + b"\r\n")
    front.send(connection, b"0\r\n\r\n")


def says_too_long(front, connection):
    """Announces more than it sends, and closes."""
    front.send(connection, _head("Content-Length: 5000") + b'{"user_id":"1"}')


def says_too_short(front, connection):
    """Sends more than it announces: what follows looks like an answer of its own."""
    evil = b'{"user_id":"evil","account_id":"evil","email":"evil@example.com","roles":[],"profiles":[]}'
    front.send(connection, _head("Content-Length: 2") + b"{}" + _head(f"Content-Length: {len(evil)}") + evil)
    front.released.wait(2)


def closes_in_a_chunk(front, connection):
    """Closes within a chunk."""
    front.send(connection, _head("Transfer-Encoding: chunked") + b'ffff\r\n{"user_id":"1"')


def closes_at_once(front, connection):
    """Closes without a byte."""


def resets(front, connection):
    """Resets in the middle of the body."""
    front.send(connection, _head("Content-Length: 5000") + b'{"user')
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


def swells_config(size):
    """A configuration of that many bytes, another one each time."""
    def attack(front, connection):
        hosts = [f"host{front.met}.example"] + ["a" * 1000] * (size // 1003)
        body = json.dumps({
            "default_language_code": "en", "supported_languages": [{"code": "en", "name": "English"}],
            "features": dict.fromkeys(
                ["login_code", "analytics_opt_out", "developer_tools", "account_deletion", "logout_endpoint", "idempotency_keys"],
                True),
            "auth": {"cooldown_seconds": front.met % 5, "code_length": 6, "trusted_link_hosts": hosts},
            "network_log": {"capacity": 1000}, "session": {"refresh_margin_seconds": 120}}).encode()
        front.send(connection, _head(f"Content-Length: {len(body)}", "Cache-Control: no-store", "Connection: close") + body)

    return attack


def swells_user(front, connection):
    """A user with a megabyte of roles, other ones each time."""
    body = json.dumps({
        "user_id": "1", "account_id": "1", "email": "dana@example.com", "roles": [f"{front.met}" + "r" * 1000] * 1000,
        "profiles": [], "created_at": "2026-01-01T00:00:00.000Z"}).encode()
    front.send(connection, _head(f"Content-Length: {len(body)}", "Cache-Control: no-store", "Connection: close") + body)


def _says(*heads, body=b""):
    def attack(front, connection):
        front.send(connection, _head(*heads) + body)
        front.released.wait(1)

    return attack


two_lengths = _says("Content-Length: 2", "Content-Length: 90", body=b"{}" + b" " * 88)
two_lengths.__doc__ = "Two lengths."
negative_length = _says("Content-Length: -5", body=b"{}")
negative_length.__doc__ = "A length below zero."
endless_length = _says("Content-Length: 99999999999999999999999", body=b"{}")
endless_length.__doc__ = "A length beyond any integer."
wild_chunk = _says("Transfer-Encoding: chunked", body=b"fffffffffffffffffffff\r\n{}\r\n0\r\n\r\n")
wild_chunk.__doc__ = "A chunk size beyond any integer."
deep_json = _says("Content-Length: 1000000", body=b"[" * 1_000_000)
deep_json.__doc__ = "JSON that is a million deep."
not_utf8 = _says("Content-Length: 30", body=b'{"user_id":"\xff\xfe\x00\xc0\x80","a":"bbb"}xx')
not_utf8.__doc__ = "Bytes that are no text."


def no_http(front, connection):
    """Something that is not HTTP."""
    front.send(connection, bytes(range(256)) * 64)
