"""A backend that shares no code with the project: HTTPS on a certificate of its own, in the dialect and with the verdicts of a test."""

import base64
import hashlib
import json
import subprocess
import threading
from dataclasses import dataclass, field

from certificates import make_certificate
from dialects import DIALECTS
from foreign_account import ForeignAccount, Refused
from foreign_calls import AUTHORIZED, OPEN
from foreign_tokens import TokenFamily
from tls_server import TLSHandler, TLSServer

@dataclass(frozen=True)
class Answer:
    """An answer word for word; with `raw`, these bytes alone go out, and the connection is closed."""

    status: int = 200
    body: bytes = b""
    media_type: str | None = "application/json"
    headers: tuple = ()
    raw: bytes | None = None


def json_answer(status, value, *headers):
    """An answer with this JSON."""
    return Answer(status, json.dumps(value).encode(), headers=headers)


def page(status):
    """A page of a proxy."""
    return Answer(status, b"<html><body><h1>Gateway</h1></body></html>", "text/html")


# The connection is closed without a byte.
CLOSED = Answer(raw=b"")


@dataclass(frozen=True)
class Request:
    """A call as it arrived; the path has no query."""

    method: str
    path: str
    headers: object
    body: bytes


@dataclass
class Script:
    """What the backend does for one device. `answers` has, for a path, the answers that come instead of the usual one: an `Answer` for
    every call, or a list of them for the next calls, where None is the usual one; `headers` are further ones of usual answers."""

    backend: object
    dialect: object
    tokens: TokenFamily = field(default_factory=TokenFamily)
    account: ForeignAccount | None = None
    answers: dict = field(default_factory=dict)
    headers: dict = field(default_factory=dict)
    calls: list = field(default_factory=list)
    requests: list = field(default_factory=list)

    def count(self, path):
        """How often the path was called."""
        return self.paths().count(path)

    def paths(self):
        """The paths of all calls, in order."""
        with self.backend.lock:
            return [path for _, path, _ in self.calls]

    def paths_of_the_user(self):
        """The paths of all calls but those for the configuration, which is everybody's."""
        return [path for path in self.paths() if path != "/rpc/app_config"]

    def answer(self, request):
        """The answer to one call."""
        with self.backend.lock:
            self.requests.append(request)
            answer = self._given(request.path) or self._usual(request)
            self.calls.append((request.method, request.path, answer.status))
            return answer

    def _given(self, path):
        given = self.answers.get(path) or self.backend.answers.get(path)
        if isinstance(given, list):
            return given.pop(0) if given else None
        return given

    def _usual(self, request):
        try:
            body = json.loads(request.body or b"{}")
            if handler := OPEN.get((request.method, request.path)):
                return self._written(request.path, *handler(self, body))
            handler = AUTHORIZED.get((request.method, request.path))
            if not handler:
                raise Refused(404, "not_found")
            token = (request.headers["Authorization"] or "").removeprefix("Bearer ")
            if self.backend.is_of_another(token, self):
                raise Refused(401, "ErrDeviceNotRegistered")
            self.tokens.authorize(token)
            return self._once(request, lambda: self._written(request.path, *handler(self, body)))
        except Refused as refused:
            return Answer(refused.status, *self.dialect.error_answer(refused.status, refused.code, refused.details))

    def _once(self, request, work):
        key = request.headers["Idempotency-Key"]
        if not key:
            return work()
        earlier, answer = self.account.answers.setdefault(key, (request.body, None))
        if earlier != request.body:
            raise Refused(409, "idempotency_mismatch")
        if answer is None:
            answer = work()
            self.account.answers[key] = (request.body, answer)
        return answer

    def _written(self, path, status, value):
        if value is None:
            return Answer(status, media_type=None)
        return Answer(status, self.dialect.answer(path, value), headers=self.headers.get(path, ()))


class _Handler(TLSHandler):
    def _answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        script = self.server.script(self.headers["X-Device-ID"])
        answer = script.answer(Request(self.command, self.path.partition("?")[0], self.headers, body))
        if answer.raw is not None:
            self.wfile.write(answer.raw)
            self.close_connection = True
            return
        self.send_response(answer.status)
        if answer.media_type:
            self.send_header("Content-Type", answer.media_type)
        for name, value in answer.headers:
            self.send_header(name, value)
        if answer.status != 204:
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer  # noqa: N815


class ForeignBackend(TLSServer):
    """Each device that calls it has a script of its own."""

    def __init__(self, folder):
        """Makes a certificate in the folder and starts. `answers` are those of every device's script."""
        self.answers = {}
        key, self.certificate = make_certificate(folder)
        self._scripts, self._accounts, self.lock = {}, {}, threading.RLock()
        self._messages = folder / "messages"
        self._messages.mkdir()
        self.dialect = DIALECTS["contract"]
        super().__init__(key, self.certificate, _Handler)

    @property
    def pin(self):
        """The pin of its public key, as `--pin` takes it."""
        public = subprocess.run(
            ["openssl", "x509", "-in", self.certificate, "-pubkey", "-noout"], check=True, capture_output=True, timeout=30).stdout
        der = subprocess.run(
            ["openssl", "pkey", "-pubin", "-outform", "DER"], input=public, check=True, capture_output=True, timeout=30).stdout
        return "sha256/" + base64.b64encode(hashlib.sha256(der).digest()).decode()

    def script(self, device):
        """The script of a device (None: of callers that name none); a new one is in the `dialect` of now."""
        with self.lock:
            return self._scripts.setdefault(device, Script(self, self.dialect))

    def requests(self, path):
        """The requests of all devices for a path."""
        with self.lock:
            return [request for script in self._scripts.values() for request in script.requests if request.path == path]

    def account(self, identifier):
        """The account of an identifier."""
        with self.lock:
            return self._accounts.setdefault(identifier, ForeignAccount(identifier))

    def account_of_link(self, token):
        """The account that a link's token was sent to."""
        return next((account for account in self._accounts.values() if token and account.link_token == token), None)

    def is_of_another(self, token, script):
        """Whether another device holds the token."""
        others = (other.tokens for other in self._scripts.values() if other is not script)
        return token is not None and any(token in tokens.valid or token == tokens.refresh_token for tokens in others)

    def sent(self, account, state):
        """Writes the newest code and link to the files `login_code` and `magic_link` of `messages`."""
        link = f"{self.origin}/callback#token={account.link_token}" + (f"&state={state}" if state else "")
        (self._messages / "login_code").write_text(account.code)
        (self._messages / "magic_link").write_text(link)

    def message_command(self):
        """A shell command that prints the newest message of the kind `$2`."""
        return f"cat '{self._messages}'/\"$2\""
