"""What all products share: their folder, a clock that the tests move, mail in files, and a record of what they receive and answer."""

import json
import os
import threading
import time
from pathlib import Path

import time_machine

FOLDER = Path(os.environ["PRODUCT_FOLDER"])
ACCESS, REFRESH = int(os.environ["PRODUCT_ACCESS"]), int(os.environ["PRODUCT_REFRESH"])
ORIGIN_HOSTS = ["localhost", "127.0.0.1"]
SIGNING_KEY = "known-to-everybody-and-long-enough-for-hs256"
_traveller = time_machine.travel(time.time(), tick=True).start()
_lock = threading.Lock()
_ahead = 0


def keep_time():
    """Moves the clock to where the file `clock` says: so many seconds ahead."""
    global _ahead
    with _lock:
        wanted = int((FOLDER / "clock").read_text())
        if wanted != _ahead:
            _traveller.shift(wanted - _ahead)
            _ahead = wanted


def write_exchange(**exchange):
    """Adds what arrived and what was answered to `exchanges`, one JSON object a line."""
    with _lock, (FOLDER / "exchanges").open("a") as file:
        file.write(json.dumps(exchange) + "\n")


def write_mail(recipient, text):
    """Keeps a message; the newest has the last name."""
    folder = FOLDER / "mail"
    folder.mkdir(exist_ok=True)
    # Renamed when it is complete, because a test reads what is there.
    unfinished = FOLDER / f"mail-{threading.get_ident()}"
    unfinished.write_text(f"{recipient}\n{text}")
    unfinished.rename(folder / f"{time.monotonic_ns():020}")


def _text(data):
    return data.decode("utf-8", "replace")


class RecordedWSGI:
    """A WSGI application with the clock and the record; `before` is called before each request."""

    def __init__(self, application, before=lambda: None):
        self.application, self.before = application, before

    def __call__(self, environment, start):
        keep_time()
        self.before()
        length = int(environment.get("CONTENT_LENGTH") or 0)
        body = environment["wsgi.input"].read(length) if length else b""
        environment["wsgi.input"] = _Body(body)
        answered = {}

        def begin(status, headers, problem=None):
            answered.update(status=int(status.split(" ", 1)[0]), headers=[[name.lower(), value] for name, value in headers])
            return start(status, headers, problem) if problem else start(status, headers)

        result = self.application(environment, begin)
        try:
            answer = b"".join(result)
        finally:
            getattr(result, "close", lambda: None)()
        headers = [[name[5:].replace("_", "-").lower(), value] for name, value in environment.items() if name.startswith("HTTP_")]
        if environment.get("CONTENT_TYPE"):
            headers.append(["content-type", environment["CONTENT_TYPE"]])
        query = environment.get("QUERY_STRING")
        write_exchange(
            method=environment["REQUEST_METHOD"], target=environment["PATH_INFO"] + (f"?{query}" if query else ""), headers=headers,
            body=_text(body), status=answered["status"], answer_headers=answered["headers"], answer=_text(answer))
        return [answer]


class _Body:
    """The body of a request that has been read whole."""

    def __init__(self, data):
        self.data, self.place = data, 0

    def read(self, size=-1):
        end = len(self.data) if size is None or size < 0 else self.place + size
        part, self.place = self.data[self.place:end], min(end, len(self.data))
        return part

    def readline(self, size=-1):
        end = self.data.find(b"\n", self.place) + 1 or len(self.data)
        return self.read(end - self.place)

    def __iter__(self):
        return iter(self.readline, b"")


class RecordedASGI:
    """An ASGI application with the clock and the record."""

    def __init__(self, application):
        self.application = application

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        keep_time()
        body, answer, answered = b"", b"", {}

        async def received():
            nonlocal body
            message = await receive()
            body += message.get("body", b"")
            return message

        async def sent(message):
            nonlocal answer
            if message["type"] == "http.response.start":
                answered.update(status=message["status"], headers=_pairs(message.get("headers", ())))
            else:
                answer += message.get("body", b"")
                if not message.get("more_body"):
                    # Before the client can know of it.
                    record()
            await send(message)

        def record():
            query = scope["query_string"]
            write_exchange(
                method=scope["method"], target=_text(scope["raw_path"] + (b"?" + query if query else b"")), headers=_pairs(scope["headers"]),
                body=_text(body), status=answered["status"], answer_headers=answered["headers"], answer=_text(answer))

        await self.application(scope, received, sent)


def _pairs(headers):
    return [[name.decode("latin-1").lower(), value.decode("latin-1")] for name, value in headers]
