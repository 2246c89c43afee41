"""The real products, each as a process of its own over HTTPS. `product_process.py NAME` starts one by hand and waits for its end."""

import json
import os
import ssl
import subprocess
import sys
import tempfile
import urllib.request
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
if __name__ == "__main__":
    sys.path += [str(HERE.parent / name) for name in ("Outside", "Soak")]

from certificates import make_certificate  # noqa: E402
from moments import until  # noqa: E402
from newest_code import newest_code  # noqa: E402
from ports import next_port  # noqa: E402
from processes import start_program  # noqa: E402

# Seconds; the tests move the product's clock instead of waiting.
ACCESS, REFRESH = 300, 86_400
GUNICORN = ("gunicorn", "--no-control-socket", "--graceful-timeout", "1", "--workers", "1", "--threads", "4", "--bind", "127.0.0.1:{port}", "--certfile", "{certificate}", "--keyfile", "{key}")
HYPERCORN = ("hypercorn", "--bind", "127.0.0.1:{port}", "--certfile", "{certificate}", "--keyfile", "{key}")
UVICORN = ("uvicorn", "--host", "127.0.0.1", "--port", "{port}", "--ssl-certfile", "{certificate}", "--ssl-keyfile", "{key}")
# The module of each backend file, its variant, and the server.
PRODUCTS = {
    "allauth-jwt": ("allauth_app", "jwt", GUNICORN),
    "allauth-session": ("allauth_app", "session", GUNICORN),
    "cognito": ("cognito_app", "", GUNICORN),
    "django-oauth-toolkit": ("django_oauth_toolkit_app", "", GUNICORN),
    "drfpasswordless": ("drfpasswordless_app", "", GUNICORN),
    "fastapi-users": ("fastapi_users_app", "", UVICORN),
    "flask-jwt-extended": ("flask_jwt_extended_app", "", GUNICORN),
    "flask-security-body": ("flask_security_app", "body", GUNICORN),
    "flask-security-cookie": ("flask_security_app", "cookie", GUNICORN),
    "knox": ("knox_app", "", GUNICORN),
    # Over HTTP/2, whose statuses have no words.
    "oidc": ("oidc_app", "", HYPERCORN),
    "oidc-link": ("oidc_app", "", HYPERCORN),
    "simplejwt": ("simplejwt_app", "", GUNICORN),
}


@dataclass(frozen=True)
class Exchange:
    """A request that a product received, with its answer; names of headers are in lower case."""

    method: str
    target: str
    headers: list
    body: str
    status: int
    answer_headers: list
    answer: str

    @property
    def path(self):
        """The path without the query."""
        return self.target.partition("?")[0]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def http_error_302(self, request, answer, status, words, headers):
        return answer


class ProductProcess:
    """A product that runs; its files are in a folder of its own."""

    def __init__(self, name, folder):
        """Starts the product that the backend file is for, and waits until it answers."""
        self.name, self.folder = name, folder
        self.file = PROJECT / f"Documentation/backends/{name}.yaml"
        module, variant, server = PRODUCTS[name]
        folder.mkdir(exist_ok=True)
        (folder / "exchanges").touch()
        self.key, self.certificate = make_certificate(folder)
        self.port, self.seconds_ahead = next_port(), 0
        self.move_clock(0)
        self.origin = f"https://localhost:{self.port}"
        python = os.environ.get("BACKENDS_PYTHON") or PROJECT / ".build/venv-backends/bin/python"
        command = [word.format(port=self.port, certificate=self.certificate, key=self.key) for word in server]
        target = f"wsgi:{module}:application" if server is HYPERCORN else f"{module}:application"
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(HERE / "products"), "PYTHONDONTWRITEBYTECODE": "1",
            "PRODUCT_FOLDER": str(folder), "PRODUCT_VARIANT": variant, "PRODUCT_ACCESS": str(ACCESS), "PRODUCT_REFRESH": str(REFRESH)}
        self.log = (folder / "log").open("wb")
        self.process = start_program(
            [python, "-m", *command, target], ending="TERM", env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=self.log,
            stderr=subprocess.STDOUT)
        until(self._answers, self._said, 60)
        self.exchanges_before = len(self.exchanges())

    def _said(self):
        return f"{self.name} answers: {(self.folder / 'log').read_text(errors='replace')[-3000:]}"

    def _answers(self):
        assert self.process.poll() is None, self._said()
        try:
            self.send("GET", "/")
            return True
        except OSError:
            return False

    def send(self, method, path, body=None, headers=None):
        """Sends a request past the console; status and body."""
        request = urllib.request.Request(self.origin + path, body, headers or {}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=10, context=ssl.create_default_context(cafile=self.certificate)) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, refused.read().decode()

    def move_clock(self, seconds):
        """Moves the product's clock ahead."""
        self.seconds_ahead += seconds
        # Renamed when it is complete, because the product reads it before each request.
        written = self.folder / "clock.new"
        written.write_text(str(self.seconds_ahead))
        written.rename(self.folder / "clock")

    def end_access(self):
        """Ends the time of all access tokens."""
        self.move_clock(ACCESS + 1)

    def end_refresh(self):
        """Ends the time of all refresh tokens."""
        if self.name.startswith("oidc"):
            # Those of the mock do not end by themselves. It answers 500, but does it.
            self.send("POST", "/users/ada/revoke-tokens")
        else:
            self.move_clock(ACCESS + REFRESH)

    def end_session(self, header):
        """Ends the sessions of a product without a refresh; `header` is that of its signed-in calls."""
        elsewhere = {"allauth-session": ("DELETE", "/_allauth/app/v1/auth/session"), "drfpasswordless": ("POST", "/api/logout/")}
        if self.name in elsewhere:
            # A sign-out elsewhere: the first tells it from the end of its time, and the tokens of the second never end.
            token = next(dict(one.headers)[header] for one in reversed(self.exchanges()) if header in dict(one.headers))
            assert self.send(*elsewhere[self.name], b"", {header: token})[0] in (204, 401)
        else:
            self.move_clock(ACCESS + REFRESH)

    def link(self):
        """What a browser is sent to when Ada has signed in at the provider."""
        request = urllib.request.Request(
            f"{self.origin}/oauth2/authorize?client_id=phone&redirect_uri=https%3A%2F%2Fapp.example%2Fcallback&response_type=code"
            "&scope=openid+email+profile", b"sub=ada", method="POST")
        opener = urllib.request.build_opener(
            _NoRedirect, urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=self.certificate)))
        with opener.open(request, timeout=10) as answer:
            return answer.headers["Location"]

    def exchanges(self):
        """All exchanges so far."""
        return [Exchange(**json.loads(line)) for line in (self.folder / "exchanges").read_text().splitlines()]

    def code(self, identifier):
        """The newest code that was sent, or that the authenticator of Cognito shows."""
        return newest_code(self.name, self.folder, identifier)

    def code_command(self):
        """A shell command that prints the newest code, for `check --code-command`."""
        return f"'{sys.executable}' -B '{HERE / 'newest_code.py'}' '{self.name}' '{self.folder}' \"$1\""

    @property
    def secrets(self):
        """The secrets that the backend file names."""
        if self.name == "cognito":
            return {"CLIENT_ID": (self.folder / "client").read_text()}
        return {"CLIENT_SECRET": "hush hush"} if "CLIENT_SECRET" in self.file.read_text() else {}

    def stop(self):
        """Ends it."""
        self.process.terminate()
        try:
            self.process.wait(15)
        finally:
            self.process.kill()
            self.process.wait()
            self.log.close()


def main():
    """Starts a product, prints how to use it, and waits until it is interrupted."""
    with tempfile.TemporaryDirectory(prefix="product-") as folder:
        product = ProductProcess(sys.argv[1], Path(folder))
        print(f"{product.origin} --ca {product.certificate} --backend-file {product.file} secrets {product.secrets} messages {folder}/mail", flush=True)
        try:
            product.process.wait()
        except KeyboardInterrupt:
            product.stop()


if __name__ == "__main__":
    main()
