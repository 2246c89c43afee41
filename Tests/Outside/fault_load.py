"""Clients that check every byte of each complete answer, and count the incomplete ones."""

import random
import socket
import ssl
import threading
from collections import Counter

TINY = b'{"ok":true,"name":"probe"}'
FILES = ["small.txt", "megabyte.bin", "large.bin", "replaced.txt", "replaced.bin", "cut.txt", "cut.bin"]
# Large files only sometimes, because the clients are the slower side.
WEIGHTS = [30, 4, 1, 10, 1, 4, 1]


class Broken(Exception):
    """The connection ended before the answer did."""


class Client:
    """One connection at a time; 30 s of silence is a failure, not a broken answer."""

    def __init__(self, port, is_tls):
        self.port, self.is_tls = port, is_tls
        self.connection = None

    def connect(self):
        """Opens a new connection."""
        self.close()
        raw = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection, self.received = raw, b""
        if self.is_tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            self.connection = context.wrap_socket(raw)

    def close(self):
        """Closes the connection, if there is one."""
        if self.connection:
            self.connection.close()
        self.connection = None

    def send(self, data):
        """Sends; opens a connection if there is none."""
        try:
            if not self.connection:
                self.connect()
            self.connection.sendall(data)
        except TimeoutError:
            raise
        except OSError as error:
            raise Broken(f"sending: {error}") from None

    def answer(self, method):
        """Reads one complete answer: status, fields and body."""
        while b"\r\n\r\n" not in self.received:
            self._receive()
        head, self.received = self.received.split(b"\r\n\r\n", 1)
        lines = head.decode("ascii").split("\r\n")
        fields = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines[1:])}
        status = int(lines[0].split(" ")[1])
        length = 0 if method == "HEAD" or status in (204, 304) else int(fields["content-length"])
        parts, missing = [self.received[:length]], length - len(self.received)
        self.received = self.received[length:]
        while missing > 0:
            part = self._receive(keep=False)
            parts.append(part[:missing])
            self.received = part[missing:]
            missing -= len(part)
        return status, fields, b"".join(parts)

    def _receive(self, keep=True):
        try:
            part = self.connection.recv(1 << 18)
        except TimeoutError:
            raise
        except OSError as error:
            raise Broken(f"receiving: {error}") from None
        if not part:
            raise Broken("the end came too early")
        if keep:
            self.received += part
        return part


class Load(threading.Thread):
    """A client that sends that many requests, in batches."""

    def __init__(self, site, port, is_tls, count, seed):
        super().__init__()
        self.site, self.count = site, count
        self.client, self.random = Client(port, is_tls), random.Random(seed)
        self.outcomes, self.wrong, self.broken, self.refused = Counter(), [], [], set()

    def run(self):
        while sum(self.outcomes.values()) < self.count and not self.wrong:
            batch = [self._request() for _ in range(self.random.choice([1, 1, 1, 2, 8]))]
            try:
                self._exchange(batch)
            except Broken as error:
                self.client.close()
                self.outcomes["broken"] += 1
                self.broken.append(f"{error} in {[what for _, _, what, _ in batch]}")
            except Exception as error:
                self.wrong.append(f"{error!r} in {[what for _, _, what, _ in batch]}")
            if self.random.random() < 0.25:
                self.client.close()
        self.client.close()

    def _exchange(self, batch):
        self.client.send(b"".join(data for data, _, _, _ in batch))
        for _, method, what, is_right in batch:
            status, fields, body = self.client.answer(method)
            # A file that cannot be opened now can be opened later; a body whose sender seemed to disconnect is no request.
            is_busy = status == 503 and what.startswith("/") and fields.get("retry-after") == "1"
            is_cut = status == 400 and method == "POST" and fields.get("connection") == "close"
            if is_busy or is_cut:
                self.outcomes["refused"] += 1
                self.refused.add(what)
            elif is_right(status, body):
                self.outcomes["whole"] += 1
            else:
                self.wrong.append(f"{method} {what}: {status}, {len(body)} bytes: {body[:80]!r}")
            if fields.get("connection") == "close":
                raise Broken("the server had enough")

    def _request(self):
        """Returns the bytes, the method, a name and a check of the answer."""
        kind = self.random.choice(["tiny", "tiny", "async", "echo", "chunked", "none", "head", "file", "file", "range"])
        if kind in ("tiny", "async"):
            path = "/tiny" if kind == "tiny" else "/tiny-async"
            return self._get(path), "GET", kind, lambda status, body: (status, body) == (200, TINY)
        if kind == "none":
            return self._get("/no-content"), "GET", kind, lambda status, body: (status, body) == (204, b"")
        if kind == "head":
            return self._get("/small.txt", "HEAD"), "HEAD", "/small.txt", lambda status, body: (status, body) == (200, b"")
        if kind == "range":
            field = b"Range: bytes=1000-300999\r\n"
            part = self.site.FIXED["megabyte.bin"][1000:301_000]
            return self._get("/megabyte.bin", field=field), "GET", "/megabyte.bin", lambda status, body: (status, body) == (206, part)
        if kind == "file":
            [name] = self.random.choices(FILES, WEIGHTS)
            return self._get(f"/{name}"), "GET", f"/{name}", lambda status, body: status == 200 and self.site.is_right(name, body)
        sent = self.random.randbytes(self.random.choice([0, 1, 500, 40_000]))
        head = b"POST /echo HTTP/1.1\r\nHost: probe\r\n"
        if kind == "echo":
            data = head + b"Content-Length: %d\r\n\r\n" % len(sent) + sent
        else:
            pieces = [sent[start:start + 7000] for start in range(0, len(sent), 7000)]
            chunks = b"".join(b"%x\r\n" % len(piece) + piece + b"\r\n" for piece in pieces)
            data = head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n"
        return data, "POST", kind, lambda status, body: (status, body) == (200, sent)

    @staticmethod
    def _get(path, method="GET", field=b""):
        return f"{method} {path} HTTP/1.1\r\nHost: probe\r\n".encode() + field + b"\r\n"


def run(site, port, is_tls, count, seed, clients=6):
    """Sends that many requests; returns the outcomes, wrong answers, broken answers and refusals."""
    loads = [Load(site, port, is_tls, count // clients, seed * 100 + number) for number in range(clients)]
    for load in loads:
        load.start()
    for load in loads:
        load.join()
    outcomes = sum((load.outcomes for load in loads), Counter())
    wrong, broken = ([line for load in loads for line in getattr(load, name)] for name in ("wrong", "broken"))
    return outcomes, wrong, broken, set().union(*(load.refused for load in loads))
