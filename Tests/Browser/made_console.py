"""A stand-in for the console that serves the real pages over made rows, as many and as fast as a test wants."""

import json
import re
import threading
import time
import uuid
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from catalogue import sections
from running_console import PROJECT

PUBLIC = PROJECT / "Public"
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
STATE = {
    "device_id": "made", "name": "Phone 1", "version": "0.0.0", "config": None,
    "session": {"state": "signed_out", "since": "2026-01-01T00:00:00Z"},
    "backend": {"url": "https://127.0.0.1:1", "embedded": True, "id": "made"},
}
NAMES = ("me", "app_config", "get_cues", "refresh_tokens", "update_cue_stage", "login_with_code")


def composed(page):
    """A page with its parts, as the console serves it."""

    def part(include):
        values = include[2].split()
        text = (PUBLIC / "parts" / include[1]).read_text()
        return re.sub(r"{{(.*?) if (.*?)}}", lambda match: match[1] if match[2] in values else "", text)

    return re.sub(r"<!-- include (\S+)(.*?) -->", part, page)


def stamp(seconds):
    """A time as the console writes it."""
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def made_row(seq, started=None):
    """A row like those of a session; one in nine failed, one in eleven came from the cache."""
    name = NAMES[seq % len(NAMES)]
    failed = seq % 9 == 0
    return {
        "id": str(uuid.UUID(int=(7 << 76) | (2 << 62) | seq)), "seq": seq, "rev": 1,
        "call_id": str(uuid.UUID(int=(8 << 76) | (2 << 62) | (seq - (seq % 7 == 1)))),
        "flow_id": str(uuid.UUID(int=(9 << 76) | (2 << 62) | seq // 5)), "flow": ("load_account", "sync_cues", "sign_in")[seq // 5 % 3],
        "started_at": stamp(started if started is not None else 1_780_000_000 + seq * 0.35), "method": ("GET", "POST")[seq % 3 == 0],
        "path": f"/rpc/{name}" + (f"/{seq % 400}" if seq % 4 == 0 else ""), "endpoint": name, "attempt": 2 if seq % 7 == 1 else 1,
        "status": 503 if failed else 200, "state": "failure" if failed else "success", "duration_ms": round(3 + seq * 7919 % 1000 / 3, 2),
        "request_bytes": seq % 300, "response_bytes": seq * 31 % 90_000, "source": "cache" if seq % 11 == 0 else "network",
        **({"error": "server_error"} if failed else {}),
    }


class MadeConsole:
    """Listens on 127.0.0.1. `rows` are its log, `send` adds one and tells the open streams, `cut` breaks them."""

    def __init__(self, count, *, capacity=200_000, history=50_000):
        """Makes so many rows; a stream may resume from as far back as `history` events."""
        self.capacity = capacity
        self.history = history
        self.rows = [json.dumps(made_row(seq)) for seq in range(1, count + 1)]
        self.bodies = {}
        self.events = []
        self.changed = threading.Condition()
        self.streams = 0
        self.generation = 0
        made = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # An answer goes out in one piece and at once: else each waits 40 ms for the reader's acknowledgement.
            wbufsize = -1
            disable_nagle_algorithm = True

            def log_message(self, *_):
                pass

            def do_GET(self):
                made.answer(self)

            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                made.reply(self, {"device_id": "made", "device_key": "key", "name": "Phone 1"})

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        # A reader that leaves is no fault.
        self.server.handle_error = lambda *_: None
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        """Ends every stream and the server."""
        self.cut()
        self.server.shutdown()
        self.server.server_close()

    def send(self, row):
        """Adds a row, or a newer revision of one, and tells it to the open streams."""
        text = json.dumps(row)
        with self.changed:
            if row["seq"] > len(self.rows):
                self.rows.append(text)
            else:
                self.rows[row["seq"] - 1] = text
            self.events.append(f"event: network\ndata: {text}\n\n")
            self.changed.notify_all()

    def cut(self):
        """Breaks every open stream, in the middle of whatever it sends."""
        with self.changed:
            self.generation += 1
            self.changed.notify_all()

    def answer(self, handler):
        """Answers one GET."""
        address = urlsplit(handler.path)
        query = {name: values[0] for name, values in parse_qs(address.query).items()}
        if address.path == "/api/state":
            self.reply(handler, STATE)
        elif address.path == "/api/events":
            self.stream(handler)
        elif address.path == "/api/network":
            after, limit = int(query.get("after", 0)), int(query.get("limit", 1000))
            part = self.rows[after:after + limit]
            body = f'{{"events":[{",".join(part)}],"next":{after + len(part)},"dropped":0,"capacity":{self.capacity}}}'
            self.write(handler, body.encode(), "application/json")
        elif address.path.startswith("/api/network/"):
            self.reply(handler, self.detail(address.path.rsplit("/", 1)[1]))
        else:
            self.file(handler, address.path)

    def detail(self, identifier):
        """A row whole, with the body that was put into `bodies` by its id."""
        row = json.loads(self.rows[(uuid.UUID(identifier).int & 0xFFFFFFFF) - 1])
        response = {"status": row["status"], "headers": [["Content-Type", "application/json"]], "body": self.bodies.get(identifier, '{"ok":true}')}
        return row | {"url": "https://127.0.0.1:1" + row["path"], "request": {"headers": []}, "response": response, "timings": {"wait_ms": 3, "total_ms": row["duration_ms"]}, "redactions": []}

    def file(self, handler, path):
        """A file of the pages."""
        if words := re.fullmatch(r"/assets/locales/(\w+)/(\w+)\.json", path):
            return self.reply(handler, sections(words[1])[words[2]])
        place = PUBLIC / path.lstrip("/")
        if not place.suffix:
            text = composed(place.with_suffix(".html").read_text())
            return self.write(handler, text.encode(), TYPES[".html"])
        if not place.is_file():
            return handler.send_error(404)
        self.write(handler, place.read_bytes(), TYPES.get(place.suffix, "application/octet-stream"))

    def reply(self, handler, value):
        """Answers with JSON."""
        self.write(handler, json.dumps(value).encode(), "application/json")

    def write(self, handler, body, kind):
        """Sends one whole answer."""
        handler.send_response(200)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(body))), ("Content-Security-Policy", POLICY)):
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    def stream(self, handler):
        """Sends events from where the reader left off until the stream is cut."""
        handler.close_connection = True
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Connection", "close")
        handler.end_headers()
        last = handler.headers.get("Last-Event-ID")
        with self.changed:
            generation = self.generation
            at = int(last.rsplit("-", 1)[1]) if last else len(self.events)
            self.streams += 1
            self.changed.notify_all()
        try:
            handler.wfile.write(b"retry: 1\n\n")
            handler.wfile.flush()
            while True:
                with self.changed:
                    self.changed.wait_for(lambda: len(self.events) > at or self.generation != generation, timeout=5)
                    if self.generation != generation:
                        # Half a frame, as a broken connection leaves it.
                        handler.wfile.write(b"event: network\ndata: {")
                        return
                    oldest = max(0, len(self.events) - self.history)
                    missed, start = max(0, oldest - at), max(at, oldest)
                    part, at = self.events[start:], len(self.events)
                gap = f'id: e-{start}\nevent: gap\ndata: {{"missed":{missed}}}\n\n' if missed else ""
                frames = "".join(f"id: e-{start + index + 1}\n{one}" for index, one in enumerate(part))
                handler.wfile.write((gap + frames or "event: heartbeat\ndata: {}\n\n").encode())
                handler.wfile.flush()
        except OSError:
            return

    def emit(self, count, rate):
        """Sends so many new rows at so many a second; gives the time that each was sent at, by its `seq`."""
        sent, begin, first = {}, time.monotonic(), len(self.rows) + 1
        for index in range(count):
            pause = begin + index / rate - time.monotonic()
            if pause > 0:
                time.sleep(pause)
            sent[first + index] = time.time() * 1000
            self.send(made_row(first + index, time.time()))
        return sent
