"""Clients without a browser: one that signs in at the provider, and one that writes its requests byte by byte."""

import http.client
import http.cookiejar
import json
import socket
import urllib.error
import urllib.parse
import urllib.request
from types import SimpleNamespace

SESSION = "mod_auth_openidc_session"


class SignedIn:
    """Somebody who signed in at the provider and keeps Apache's session."""

    def __init__(self, port, account):
        """By way of the Apache on that port; `status` is that of the console's page then."""
        self.port, self.account = port, account
        self.jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))
        # Apache sends only those to the provider who can read a page.
        self.opener.addheaders = [("Accept", "text/html")]
        self.sign_in()

    def open(self, url, data=None):
        """Follows all redirects; the answer at the end of them."""
        try:
            with self.opener.open(url, data, timeout=10) as answer:
                return SimpleNamespace(url=answer.url, status=answer.status, text=answer.read().decode())
        except urllib.error.HTTPError as answer:
            with answer:
                return SimpleNamespace(url=answer.url, status=answer.code, text=answer.read().decode())

    def sign_in(self):
        """Signs in, as in a browser."""
        asked = self.open(f"http://localhost:{self.port}/login")
        assert "/oauth2/authorize" in asked.url, asked
        self.page = self.open(asked.url, urllib.parse.urlencode({"sub": self.account}).encode())
        self.status = self.page.status

    def sign_out(self):
        """Ends the session of Apache."""
        back = urllib.parse.quote(f"http://localhost:{self.port}/login", safe="")
        self.open(f"http://localhost:{self.port}/openid?logout={back}")
        assert not self.session

    @property
    def session(self):
        """The cookie of Apache's session, if there is one."""
        return next((one.value for one in self.jar if one.name == SESSION), "")


class Wire:
    """A connection on which a client writes whatever it likes."""

    def __init__(self, port, session="", source="127.0.0.1"):
        """To Apache on that port, from an address of this machine, with that session."""
        self.always = [f"Host: localhost:{port}", *([f"Cookie: {SESSION}={session}"] if session else [])]
        self.origin = f"http://localhost:{port}"
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10, source_address=(source, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def begin(self, line, fields=(), body=b""):
        """Sends a request; the answer, of which the head was read."""
        head = [line, *self.always, *fields, *([f"Content-Length: {len(body)}"] if body else [])]
        self.socket.sendall("\r\n".join([*head, "", ""]).encode() + body)
        answer = http.client.HTTPResponse(self.socket, method=line.split(" ")[0])
        answer.begin()
        return answer

    def ask(self, line, fields=(), body=b""):
        """Sends a request; the status and the text of its answer."""
        with self.begin(line, fields, body) as answer:
            return answer.status, answer.read().decode()

    def call(self, line, body=None, fields=()):
        """A call that changes something, as a page makes it; the status and the JSON of its answer."""
        fields = [*fields, f"Origin: {self.origin}", "Sec-Fetch-Site: same-origin"]
        if body is not None:
            fields.append("Content-Type: application/json")
        status, text = self.ask(f"{line} HTTP/1.1", fields, b"" if body is None else json.dumps(body).encode())
        return status, json.loads(text) if text else None

    def is_closed(self):
        """Whether the other side closes the connection, instead of waiting for more for a second."""
        self.socket.settimeout(1)
        try:
            return self.socket.recv(1) == b""
        except TimeoutError:
            return False
