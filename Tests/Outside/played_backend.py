"""A server that plays what was recorded with a product: it answers as recorded, with tokens of its own that live until a test ends them."""

import base64
import copy
import json
import re
import secrets
import threading
import time
import urllib.parse
from dataclasses import dataclass

from tls_server import TLSHandler, TLSServer
from transcripts import Message

# Seconds; the recorded ones ended while they were recorded.
LIFETIME = 300


@dataclass(frozen=True)
class Call:
    """A received request, what it was played as, and how it differs from the recorded one."""

    situation: str | None
    request: Message
    difference: dict | None


class PlayedBackend(TLSServer):
    """A product."""

    def __init__(self, product, key, certificate):
        """Starts it with this certificate."""
        self.product, self.recorded = product, product.recorded()
        # The recorded secrets are those that work; others come with the answers.
        self.live = {"login": product.secret} if product.way == "link" else {}
        if product.client:
            self.live["client"] = product.client
        self.issued, self.calls, self.lock = set(), [], threading.Lock()
        # Whether the product's limit is reached, and whether a refresh token was used before.
        self.limits = self.reused = False
        super().__init__(key, certificate, _Handler)

    def situations(self):
        """What the requests so far were played as; forgets them, and fails if one was not as recorded."""
        with self.lock:
            calls, self.calls = self.calls, []
        unlike = [(call.situation or call.request.first, call.difference) for call in calls if call.difference or not call.situation]
        assert not unlike, f"{self.product.name}: not as recorded: {unlike}"
        return [call.situation for call in calls]

    def end(self, *kinds):
        """From now on the tokens of these kinds are dead."""
        with self.lock:
            for kind in kinds:
                self.live[kind] = f"no {kind} token is live"

    def play(self, request):
        """The answer to a request."""
        with self.lock:
            situation, difference = self._situation(request)
            self.calls.append(Call(situation, request, difference))
            if situation is None:
                return Message("404 Not Found", [("content-type", "text/plain")], "not recorded")
            answer = self._fresh(situation)
            if situation in ("logout", "logout_refresh"):
                self.live[{"logout": "access", "logout_refresh": "refresh"}[situation]] = "signed out"
            return answer

    def _situation(self, request):
        routed = [name for name, (recorded, _) in self.recorded.items() if name not in ("limited", "reused") and is_same_route(recorded, request)]
        differences = {name: self.product.difference(name, self.recorded[name][0], request, self.live) for name in routed}
        good = [name for name in routed if not differences[name] and name not in ("expired", "refused")]
        if self.limits and "limited" in self.recorded and is_same_route(self.recorded["limited"][0], request):
            return "limited", None
        if self.reused and good == ["refresh"]:
            return "reused", None
        if good:
            return good[0], None
        # Tokens that were issued here are not the recorded ones, but they are in their places.
        for name in routed:
            if name in ("expired", "refused") and not self._difference_but_tokens(name, request):
                return name, None
        first = next(iter(routed), None)
        return first, differences.get(first)

    def _difference_but_tokens(self, name, request):
        dead = copy.deepcopy(request)
        for token in sorted(self.issued, key=len, reverse=True):
            written = urllib.parse.quote_plus(token)
            dead.headers = [(field, value.replace(token, "…")) for field, value in dead.headers]
            dead.body = dead.body.replace(token, "…").replace(written, "…")
        return self.product.difference(name, self.recorded[name][0], dead, dict.fromkeys(self.product.texts, "…") | {"client": self.live.get("client")})

    def _fresh(self, situation):
        answer = copy.deepcopy(self.recorded[situation][1])
        body = json.loads(answer.body) if answer.body.lstrip().startswith("{") else None
        for kind, place in self.product.issues.get(situation, {}).items():
            if place.startswith("cookie:"):
                name = place[len("cookie:"):]
                at = next(index for index, (field, value) in enumerate(answer.headers) if field == "set-cookie" and value.startswith(f"{name}="))
                old, rest = answer.headers[at][1].partition("=")[2].partition(";")[::2]
                new = self._token(old, kind)
                answer.headers[at] = ("set-cookie", f"{name}={new};{rest}")
            elif place.startswith("location:"):
                at = next(index for index, (field, _) in enumerate(answer.headers) if field == "location")
                old = urllib.parse.parse_qs(urllib.parse.urlsplit(answer.headers[at][1]).query)[place[len("location:"):]][0]
                new = self._token(old, kind)
                answer.headers[at] = ("location", answer.headers[at][1].replace(old, new))
            else:
                *way, last = place[1:].split("/")
                holder = body
                for name in way:
                    holder = holder[name]
                new = holder[last] = self._token(holder[last], kind)
            self.issued.add(new)
            if kind in self.product.texts:
                self.live[kind] = new
        if body is not None:
            if "expires_in" in body:
                body["expires_in"] = max(body["expires_in"], LIFETIME)
            if "expiry" in body:
                body["expiry"] = time.strftime("%Y-%m-%dT%H:%M:%S.575484-06:00", time.gmtime(time.time() + LIFETIME - 6 * 3600))
            answer.body = json.dumps(body)
        return answer

    def _token(self, recorded, kind):
        if not recorded.endswith("…"):
            return re.sub("[A-Za-z0-9]", lambda one: secrets.choice("0123456789abcdef") if one[0] in "0123456789abcdef" else secrets.choice("ghjkmnpqrstuvwxyz"), recorded)
        if recorded in ("eyJhbGciO…", "eyJ0eXAiO…"):
            now = int(time.time())
            parts = ({"alg": "HS256", "typ": "JWT"}, {"iat": now, "exp": now + LIFETIME, "jti": secrets.token_hex(16), "token_type": kind})
            return ".".join([*(_coded(json.dumps(part).encode()) for part in parts), secrets.token_urlsafe(32)])
        if re.fullmatch("[0-9a-f]+…", recorded):
            return secrets.token_hex(32)
        # Some of these begin like a JWT, but are none.
        return recorded[:-1] + secrets.token_urlsafe(120) + "." + secrets.token_urlsafe(6)


def _coded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def is_same_route(recorded, received):
    """Whether a request is for what a recorded one is for: products tell by the path, a header or a member of the body."""
    return all(
        mark(recorded) == mark(received)
        for mark in (lambda one: one.method, lambda one: one.path, lambda one: one.header("x-amz-target"), _grant))


def _grant(message):
    content = message.content
    content = content if isinstance(content, dict) else dict(content)
    return content.get("grant_type"), content.get("AuthFlow")


class _Handler(TLSHandler):
    def _answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        headers = [(name.lower(), value) for name, value in self.headers.items()]
        answer = self.server.play(Message(f"{self.command} {self.path}", headers, body))
        self.send_response(answer.status, answer.first.partition(" ")[2])
        data = answer.body.encode()
        for name, value in answer.headers:
            if name != "content-length":
                self.send_header(name, value)
        if answer.status != 204:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer  # noqa: N815
