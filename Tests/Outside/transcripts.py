"""What was recorded with ten products: requests and answers, and where the secrets of each are in them."""

import json
import urllib.parse
from dataclasses import dataclass, field
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
# What HTTP itself and the transport add; the recorder left it out.
OF_THE_TRANSPORT = {"host", "content-length", "accept", "accept-encoding"}


@dataclass
class Message:
    """A request or an answer: its first line, its header fields in order, with names in lower case, and its body."""

    first: str = ""
    headers: list = field(default_factory=list)
    body: str = ""

    def header(self, name):
        """The value of a header field; None without."""
        return next((value for one, value in self.headers if one == name), None)

    @property
    def method(self):
        """A request's method."""
        return self.first.split(" ")[0]

    @property
    def path(self):
        """A request's path."""
        return self.first.split(" ")[1].partition("?")[0]

    @property
    def query(self):
        """A request's query as pairs, without the state that the recorder had added."""
        pairs = urllib.parse.parse_qsl(self.first.split(" ")[1].partition("?")[2], keep_blank_values=True)
        return [pair for pair in pairs if pair[0] != "state"]

    @property
    def status(self):
        """An answer's status."""
        return int(self.first.split(" ")[0])

    @property
    def content(self):
        """The body as JSON or as pairs, because spellings differ."""
        if self.body.lstrip().startswith(("{", "[")):
            return json.loads(self.body)
        return urllib.parse.parse_qsl(self.body, keep_blank_values=True)


def read(name):
    """The steps of a transcript by their numbers: request and answer."""
    steps, messages, into = {}, None, None
    for line in (PROJECT / f"Tests/Fixtures/backends/{name}.txt").read_text().splitlines():
        mark, _, text = line.partition(" ")
        if mark == "##":
            messages = {">": Message(), "<": Message()}
            steps[int(text.split(".")[0])] = (messages[">"], messages["<"])
        elif mark in (">", "<"):
            into = messages[mark]
            name_of_field, colon, value = text.partition(": ")
            if not into.first:
                into.first = text
            elif not into.body and colon and name_of_field.replace("-", "").isalnum() and name_of_field.islower():
                into.headers.append((name_of_field, value))
            else:
                into.body += text
        elif line and mark != "#" and into is not None:
            into.body += "\n" + line
    return steps


@dataclass(frozen=True)
class Product:
    """A product as a backend file sees it.

    `steps` names the recorded steps by what they show; `texts` are the secrets as they were recorded, by kind; `issues` says where the
    answer to a step has new secrets: a JSON pointer, `cookie:NAME` or `location:PARAM`. Secrets of the kind `other` are used by nobody.
    """

    name: str
    steps: dict
    texts: dict
    issues: dict
    user: dict
    # The way to sign in: `code`, `password` or `link`.
    way: str = "code"
    identifier: str = "ada@example.com"
    password: str | None = None
    # The right secret and a wrong one, as they were recorded.
    secret: str = ""
    wrong: str = ""
    transcript: str | None = None
    secrets: dict = field(default_factory=dict)
    # What the client authenticates itself with, in Base64, if it is not what was recorded.
    client: str | None = None
    # The header field that signed-in calls carry.
    auth: str = "authorization"
    # The steps whose requests have the refresh token.
    of_refresh: tuple = ("refresh", "refused", "logout_refresh")
    # Whether the step `expired` ends the session, as there is no refresh.
    renews: bool = True
    # The word of a refused refresh, as its row shows it, and the reason of the session's end.
    refusal: str | None = None
    reason: str = "refresh_refused"

    def recorded(self):
        """The recorded request and answer of each step, by what it shows."""
        steps = read(self.transcript or self.name)
        return {situation: steps[number] for situation, number in self.steps.items()}

    def kind_of(self, text, situation):
        """What a recorded text is, since access and refresh tokens may look the same."""
        kinds = [kind for kind, texts in self.texts.items() if text in texts]
        if len(kinds) > 1:
            return "refresh" if situation in self.of_refresh else "access"
        return kinds[0] if kinds else None

    def filled(self, text, situation, live):
        """A recorded text with the secrets that are live now in place of the recorded ones."""
        for recorded in sorted({one for texts in self.texts.values() for one in texts}, key=len, reverse=True):
            kind = self.kind_of(recorded, situation)
            if recorded in text and kind in live:
                text = text.replace(recorded, live[kind])
        return text

    def difference(self, situation, recorded, received, live):
        """How a received request differs from the recorded one; None if it does not."""
        def fill(value):
            if isinstance(value, str):
                return self.filled(value, situation, live)
            if isinstance(value, dict):
                return {name: fill(member) for name, member in value.items()}
            return [tuple(map(fill, one)) if isinstance(one, tuple) else fill(one) for one in value] if isinstance(value, list) else value

        wanted = {name: fill(value) for name, value in recorded.headers}
        seen = {name: value for name, value in received.headers if name not in OF_THE_TRANSPORT}
        if self.auth not in wanted and situation not in SIGNED_OUT:
            # The recorder left it out where the product does not look at it.
            seen.pop(self.auth, None)
        pairs = {
            "method": (recorded.method, received.method), "path": (recorded.path, received.path), "query": (recorded.query, received.query),
            "headers": (wanted, seen), "body": (fill(recorded.content), received.content)}
        different = {place: both for place, both in pairs.items() if both[0] != both[1]}
        if received.header("accept") != "application/json":
            # Flask-Security sends other clients to its page for people.
            different["accept"] = received.header("accept")
        if len({name for name, _ in received.headers}) != len(received.headers):
            different["headers twice"] = received.headers
        return different or None


# Steps of people who are not signed in yet; the refresh has no access token either.
SIGNED_OUT = {"ask", "ask_wrong", "wrong", "redeem", "consent", "refresh", "refused"}
JWT = "eyJhbGciO…"
ADA = {"email": "ada@example.com", "display_name": "Ada Lovelace"}
OIDC = {
    "transcript": "oidc", "secrets": {"CLIENT_SECRET": "not-the-recorded-secret"}, "user": {"user_id": "ada"} | ADA, "identifier": "ada", "refusal": "invalid_grant",
    "client": "cGhvbmU6bm90LXRoZS1yZWNvcmRlZC1zZWNyZXQ=",
    "texts": {
        "client": ["cGhvbmU6eA=="], "login": ["nYzPIe4X8uVIhBT0ZICYcL20Q0Ju9qRkU972K2zn2mWPGAQ3"], "access": ["XhnqWGBq23fXhjJqx5NsYCv9MFUx6HJPHniznKZuxg"],
        "refresh": ["IYuXhhOxfjBqmVbSeAdt5hsW26VfV3DPO5mA9NUVKPY745T8"]},
    "issues": {
        "consent": {"login": "location:code"}, "redeem": {"access": "/access_token", "refresh": "/refresh_token", "other": "/id_token"},
        "refresh": {"access": "/access_token"}}}
FLASK_SECURITY = {"auth": "authentication-token", "wrong": "000000", "user": {"user_id": "1", "email": "ada@example.com"}}
PRODUCTS = [
    Product(
        "allauth-jwt", {"ask": 2, "wrong": 3, "redeem": 5, "account": 8, "expired": 10, "refresh": 11, "refused": 20, "logout": 17, "limited": 25},
        {"login": ["g6ngtks1hbt6wy0kwscm8mgjijtx3wqe"], "access": [JWT], "refresh": [JWT]},
        {"ask": {"login": "/meta/session_token"},
         "redeem": {"access": "/meta/access_token", "refresh": "/meta/refresh_token", "other": "/meta/session_token"},
         "refresh": {"access": "/data/access_token", "refresh": "/data/refresh_token"}},
        {"user_id": "1"} | ADA, secret="QGRQ-VBMC", wrong="AAA-AAA"),
    Product(
        "allauth-session", {"ask": 2, "wrong": 3, "redeem": 5, "account": 7, "expired": 12, "logout": 11, "limited": 18},
        {"login": ["fu6nhwgy78k4myuivx4s84nvucyey1z1"], "access": ["4kxjcntn0t86k0movv6h8sc2268ybpjt"]},
        {"ask": {"login": "/meta/session_token"}, "redeem": {"access": "/meta/session_token"}},
        {"user_id": "1", "email": "ada@example.com", "display_name": "ada"}, secret="PVVC-VRSS", wrong="AAA-AAA", auth="x-session-token",
        renews=False),
    Product(
        "cognito",
        {"ask": 1, "ask_wrong": 2, "wrong": 4, "redeem": 5, "account": 7, "expired": 13, "refresh": 9, "refused": 14, "logout": 12},
        {"login": ["cfc47297-9ce1-43d0-a2ba-81608c347295"], "access": ["eyJ0eXAiO…"], "refresh": ["9c7f69cd-4eb3-47f8-8c6e-c2b8595fbd2f"]},
        {"ask": {"login": "/Session"},
         "redeem": {"access": "/AuthenticationResult/AccessToken", "refresh": "/AuthenticationResult/RefreshToken", "other": "/AuthenticationResult/IdToken"},
         "refresh": {"access": "/AuthenticationResult/AccessToken", "other": "/AuthenticationResult/IdToken"}},
        {"user_id": "300184de-b46f-4fad-b3d5-8da1baf261b6"} | ADA, identifier="ada", password="Correct-horse-9", secret="483321", wrong="000000",
        secrets={"CLIENT_ID": "84a3ddace3d1ee9fc33572e50b"}, refusal="NotAuthorizedException"),
    Product(
        "django-oauth-toolkit", {"redeem": 1, "wrong": 2, "account": 5, "expired": 8, "refresh": 9, "refused": 18, "logout": 16},
        {"access": ["TTb28dQfRno28djLDD3OY8zJpSzs5o", "rtP74mdE2midy2abu9xa8wOF8WGdpN"],
         "refresh": ["8M5vPTjzAEwNHqLaFZqLwnj5bmDyp3", "u1mWKJMZTBnsfViorD2XlV1rfX41Bj"]},
        {step: {"access": "/access_token", "refresh": "/refresh_token"} for step in ("redeem", "refresh")}, {"user_id": "1"} | ADA,
        way="password", identifier="ada", secret="correct horse 9", wrong="x", secrets={"CLIENT_SECRET": "hush hush"}, refusal="invalid_grant"),
    Product(
        "drfpasswordless", {"ask": 5, "wrong": 6, "redeem": 7, "account": 9, "expired": 14, "logout": 13},
        {"access": ["5ba1a9dd4e3a7130bb1ef255950612c9fd322ef8"]}, {"redeem": {"access": "/token"}}, {"user_id": "1"} | ADA, secret="726205",
        wrong="000000", renews=False),
    Product(
        "fastapi-users", {"redeem": 1, "wrong": 2, "account": 4, "expired": 7, "logout": 9},
        {"access": ["XgP0sq5uKm9O3gXfRQHkxGhr9B5u8-sPwdQq-vjIFC4", "KrSwhvCyEbH0qrlDMKHsnFQCbvAF9PSAxx0oQ86950M"]},
        {"redeem": {"access": "/access_token"}}, {"user_id": "c26c9644-eaaf-4bcd-8daa-dc6088b2d9fb", "email": "ada@example.com"}, way="password",
        secret="correct horse 9", wrong="no", renews=False),
    Product(
        "flask-jwt-extended",
        {"redeem": 1, "wrong": 2, "account": 3, "expired": 7, "refresh": 8, "refused": 17, "logout": 12, "logout_refresh": 14},
        {"access": [JWT], "refresh": [JWT]},
        {"redeem": {"access": "/access_token", "refresh": "/refresh_token"}, "refresh": {"access": "/access_token"}},
        {"user_id": "1", "display_name": "Ada Lovelace"}, way="password", identifier="ada", secret="correct horse 9", wrong="x"),
    Product(
        "flask-security-body", {"ask": 1, "wrong": 3, "redeem": 4, "account": 6, "expired": 9, "refresh": 10, "refused": 20, "logout": 18},
        {"access": ["eyJ2ZXIiO…"], "refresh": [".eJxNjUsKwzAMB…", ".eJxNzc0KwkAMB…"]},
        {"ask": {"other": "/response/csrf_token", "cookie": "cookie:session"},
         "redeem": {"access": "/response/user/authentication_token", "refresh": "/response/user/refresh_token", "other": "/response/csrf_token", "cookie": "cookie:session"},
         "refresh": {"access": "/response/user/authentication_token", "refresh": "/response/user/refresh_token"},
         "logout": {"cookie": "cookie:session"}},
        secret="960597", **FLASK_SECURITY),
    Product(
        "flask-security-cookie",
        {"ask": 1, "wrong": 3, "redeem": 4, "account": 6, "expired": 9, "refresh": 10, "refused": 13, "reused": 12, "logout": 18},
        {"access": ["eyJ2ZXIiO…"], "refresh": [".eJxVzUsKwzAMB…", ".eJxNjd0KwjAMR…"]},
        {"ask": {"other": "/response/csrf_token", "cookie": "cookie:session"},
         "redeem": {"access": "/response/user/authentication_token", "refresh": "cookie:fs_refresh", "other": "/response/csrf_token", "cookie": "cookie:session"},
         "refresh": {"access": "/response/user/authentication_token", "refresh": "cookie:fs_refresh"},
         "logout": {"cookie": "cookie:session"}},
        secret="715437", **FLASK_SECURITY),
    Product(
        "knox", {"redeem": 1, "wrong": 2, "account": 3, "expired": 8, "logout": 10}, {"access": ["6b1c959df5b8c7…", "c00733e53f355b…"]},
        {"redeem": {"access": "/token"}}, {"user_id": "1"} | ADA, way="password", identifier="ada", secret="correct horse 9", wrong="x",
        renews=False),
    Product("oidc", {"consent": 2, "redeem": 4, "account": 7, "expired": 10, "refresh": 11, "refused": 18}, way="password", **OIDC),
    Product(
        "oidc-link", {"wrong": 6, "redeem": 4, "account": 7, "expired": 10, "refresh": 11, "refused": 18}, way="link",
        secret="nYzPIe4X8uVIhBT0ZICYcL20Q0Ju9qRkU972K2zn2mWPGAQ3", wrong="x", **OIDC),
    Product(
        "simplejwt", {"redeem": 1, "wrong": 2, "account": 4, "expired": 8, "refresh": 9, "refused": 22, "logout": 13, "limited": 21},
        {"access": [JWT], "refresh": [JWT]},
        {step: {"access": "/access", "refresh": "/refresh"} for step in ("redeem", "refresh")},
        {"user_id": "1", "email": "ada@example.com", "display_name": "Ada"}, way="password", identifier="ada", secret="correct horse 9", wrong="no",
        refusal="token_not_valid", reason="invalid_token", of_refresh=("refresh", "refused", "logout")),
]


def has_steps(item):
    """Whether the product of a test has the recorded steps that its marker `steps` names."""
    marker = item.get_closest_marker("steps")
    product = next((value for value in item.callspec.params.values() if isinstance(value, Product)), None) if marker else None
    return product is None or all(step in product.steps for step in marker.args)
