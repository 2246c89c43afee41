"""Identity servers in plain Python that do what a test needs: GoTrue, an OAuth 2.0 server and Amazon Cognito.

Refresh tokens are replaced at each use. A replaced one is rejected, and ends its family.
"""

import base64
import contextlib
import json
import secrets
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

KEY, NAME, PASSWORD = "a key of the tests, for HMAC with SHA-256", "ann@example.com", "correct horse battery staple"
SECONDS = 20


class Server:
    """An HTTP server on a free port of the loopback interface, until the block ends."""

    def __init__(self):
        self.lock = threading.Lock()
        # The family of each refresh token, the token that is valid in a family, and the families that have ended.
        self.families, self.current, self.ended = {}, {}, set()
        # How long the next access tokens live.
        self.lifetime = 3600
        # Whether the next two refreshes wait for each other, and whether the next refresh's response is lost.
        self.together, self.loses = None, False

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            server_version, sys_version = "scripted", ""
            # A response is one write, which no timer of the kernel delays.
            wbufsize = -1

            def answer(handler):
                length = int(handler.headers.get("Content-Length") or 0)
                target = urllib.parse.urlsplit(handler.path)
                done = self.answer(
                    handler.command, target.path, dict(urllib.parse.parse_qsl(target.query)), handler.headers, handler.rfile.read(length))
                if done is None:
                    # The backend did its work, and the connection breaks before the response.
                    handler.close_connection = True
                    return
                status, body = done
                data = b"" if body is None else json.dumps(body).encode()
                handler.send_response(status)
                for name, value in self.headers(status):
                    handler.send_header(name, value)
                handler.send_header("Content-Length", str(len(data)))
                handler.end_headers()
                handler.wfile.write(data)

            do_GET = do_POST = answer

            def log_message(handler, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.http.server_port

    def __enter__(self):
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()

    def headers(self, _):
        """The headers of a response."""
        return [("Content-Type", "application/json; charset=utf-8")]

    @contextlib.contextmanager
    def two_refreshes_at_once(self):
        """Refreshes wait until there are two of them."""
        self.together = threading.Barrier(2)
        try:
            yield
        finally:
            self.together = None

    def issue(self, family=None):
        """A new refresh token, of a new family unless it replaces another one."""
        family = family or secrets.token_hex(16)
        token = secrets.token_urlsafe(24)
        self.families[token], self.current[family] = family, token
        return token

    def exchange(self, token):
        """The refresh token that replaces another one; nothing if that one is rejected."""
        if self.together:
            self.together.wait(SECONDS)
        with self.lock:
            family = self.families.get(token)
            if family is None or family in self.ended:
                return None
            if self.current[family] != token:
                self.ended.add(family)
                return None
            return self.issue(family)

    def end_all(self):
        """Ends all sessions, as an administrator does."""
        with self.lock:
            self.ended.update(self.current)

    def access_token(self, **claims):
        """An access token that lives for `lifetime` seconds."""
        now = int(time.time())
        return jwt.encode({"sub": "5d0a6d0e", "iat": now, "exp": now + self.lifetime, "jti": secrets.token_hex(8), **claims}, KEY)

    def is_valid(self, headers):
        """Whether a request has a valid access token."""
        scheme, _, token = headers.get("Authorization", "").partition(" ")
        try:
            return scheme == "Bearer" and bool(jwt.decode(token, KEY, algorithms=["HS256"], options={"verify_aud": False}))
        except jwt.PyJWTError:
            return False


class GoTrue(Server):
    """Supabase's authentication server without a reuse interval."""

    USER = {
        "id": "5d0a6d0e-33a5-4e0c-9d52-4b7c4c5d7e11", "aud": "authenticated", "role": "authenticated", "email": NAME, "app_metadata": {},
        "user_metadata": {}, "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
    }

    def headers(self, status):
        return [*super().headers(status), ("X-Supabase-Api-Version", "2024-01-01")]

    def answer(self, method, path, query, headers, body):
        if (method, path) == ("POST", "/token"):
            fields = json.loads(body)
            if query["grant_type"] == "password":
                assert fields["password"] == PASSWORD
                return self.session(self.issue())
            token = self.exchange(fields["refresh_token"])
            if token is None:
                return 400, {"code": "refresh_token_already_used", "message": "Invalid Refresh Token: Already Used"}
            return self.session(token)
        if not self.is_valid(headers):
            return 403, {"code": "bad_jwt", "message": "invalid JWT: unable to parse or verify signature, token is expired"}
        return {("GET", "/user"): (200, self.USER), ("POST", "/logout"): (204, None)}[method, path]

    def session(self, refresh_token):
        """The response with tokens."""
        claims = {"aud": "authenticated", "session_id": self.families[refresh_token]}
        return 200, {
            "access_token": self.access_token(**claims), "token_type": "bearer", "expires_in": self.lifetime,
            "expires_at": int(time.time()) + self.lifetime, "refresh_token": refresh_token, "user": self.USER,
        }


class OAuth(Server):
    """An OAuth 2.0 server with the resource owner's password (RFC 6749), and an API behind it."""

    def answer(self, method, path, query, headers, body):
        if (method, path) == ("POST", "/oauth/token"):
            fields = dict(urllib.parse.parse_qsl(body.decode()))
            if fields["grant_type"] == "password":
                assert fields["password"] == PASSWORD
                return self.tokens(self.issue())
            token = self.exchange(fields["refresh_token"])
            if self.loses:
                self.loses = False
                return None
            return self.tokens(token) if token else (400, {"error": "invalid_grant", "error_description": "Invalid refresh token."})
        return (200, {"items": []}) if self.is_valid(headers) else (401, {"error": "invalid_token"})

    def tokens(self, refresh_token):
        """The response with tokens."""
        return 200, {
            "access_token": self.access_token(), "token_type": "Bearer", "expires_in": self.lifetime, "refresh_token": refresh_token,
            "scope": "items",
        }


class Cognito(Server):
    """A user pool of Amazon Cognito, which keeps refresh tokens and takes any proof of a password."""

    POOL, CLIENT, USER = "us-east-1_scripted", "4scripted2client0id", "0f1d2c3b-aaaa-4bbb-8ccc-123456789abc"

    def __init__(self):
        super().__init__()
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def headers(self, _):
        return [("Content-Type", "application/x-amz-json-1.1"), ("x-amzn-RequestId", secrets.token_hex(16))]

    def answer(self, method, path, query, headers, body):
        if method == "GET":
            public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
            return 200, {"keys": [{**public, "kid": "scripted", "alg": "RS256", "use": "sig"}]}
        fields, target = json.loads(body), headers["X-Amz-Target"].partition(".")[2]
        parameters = fields.get("AuthParameters", {})
        if target == "InitiateAuth" and fields["AuthFlow"] == "USER_SRP_AUTH":
            return 200, {
                "ChallengeName": "PASSWORD_VERIFIER",
                "ChallengeParameters": {
                    "USER_ID_FOR_SRP": self.USER, "USERNAME": self.USER, "SALT": secrets.token_hex(16), "SRP_B": secrets.token_hex(384),
                    "SECRET_BLOCK": base64.b64encode(secrets.token_bytes(48)).decode(),
                },
            }
        if target == "RespondToAuthChallenge":
            return self.result(self.issue(), is_new=True)
        if target == "InitiateAuth":
            token = parameters["REFRESH_TOKEN"]
            if self.families[token] in self.ended:
                return self.error("Refresh Token has been revoked")
            return self.result(token, is_new=False)
        try:
            jwt.decode(fields["AccessToken"], self.key.public_key(), algorithms=["RS256"])
        except jwt.ExpiredSignatureError:
            return self.error("Access Token has expired")
        return 200, {"Username": self.USER, "UserAttributes": [{"Name": "email", "Value": NAME}]}

    @staticmethod
    def error(message):
        """A rejected request."""
        return 400, {"__type": "NotAuthorizedException", "message": message}

    def result(self, refresh_token, *, is_new):
        """The response with tokens, without the refresh token where that stays."""
        now = int(time.time())
        common = {
            "sub": self.USER, "iss": f"{self.address}/{self.POOL}", "origin_jti": self.families[refresh_token], "auth_time": now, "iat": now,
            "exp": now + self.lifetime,
        }
        uses = {"AccessToken": {"token_use": "access", "client_id": self.CLIENT}, "IdToken": {"token_use": "id", "aud": self.CLIENT}}
        tokens = {
            name: jwt.encode({**common, **claims, "jti": secrets.token_hex(8)}, self.key, "RS256", {"kid": "scripted"})
            for name, claims in uses.items()
        }
        return 200, {
            "ChallengeParameters": {},
            "AuthenticationResult": {
                **tokens, "ExpiresIn": self.lifetime, "TokenType": "Bearer", **({"RefreshToken": refresh_token} if is_new else {}),
            },
        }
