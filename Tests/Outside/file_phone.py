"""A device of a console whose backend is described by a backend file, and what must not be readable there."""

import io
import json
import re
import urllib.parse
import zipfile
from pathlib import Path

from console_process import Browser, Console
from moments import until

PROJECT = Path(__file__).resolve().parents[2]
# What the console answers to a wrong secret, by the way to sign in.
WRONG = {"code": "login_code_invalid", "link": "login_link_invalid", "password": "password_invalid"}


def file_flags(product, origin, certificate, file=None):
    """The flags of a console that has the product's backend file."""
    flags = ["--backend", origin, "--ca", certificate, "--backend-file", file or PROJECT / f"Documentation/backends/{product.name}.yaml"]
    # The links of this product lead to the app, not to the backend.
    return [*flags, "--link-host", "app.example"] if product.way == "link" else flags


def saved_secrets(folder, secrets):
    """The flags for secrets that are files of a new folder."""
    folder.mkdir(mode=0o700)
    for name, value in secrets.items():
        (folder / name).write_text(value)
        (folder / name).chmod(0o600)
    return ["--secrets", folder]


def start_console(folder, product, origin, certificate, secrets, *arguments, file=None):
    """A console with the product's backend file; its secrets come from files, or from the environment for every other product."""
    folder.mkdir(exist_ok=True)
    variables, flags = {}, []
    if len(product.name) % 2:
        variables = {f"UNDERSTUDY_SECRET_{name}": value for name, value in secrets.items()}
    elif secrets:
        flags = saved_secrets(folder / "secrets", secrets)
    return Console(
        folder / "data", *file_flags(product, origin, certificate, file), "--log-level", "trace", "--access-log", *flags, *arguments,
        variables=variables)


class FilePhone(Browser):
    """A new device, driven as a page would."""

    def __init__(self, console, product):
        super().__init__(console.port, timeout=30)
        self.product = product
        self.make_device()

    def ask(self, password=None):
        """Asks for a code, or for what comes before it; the answer."""
        further = {"password": password or self.product.password} if self.product.password else {}
        return self.call("POST", "/api/login/code", {"identifier": self.product.identifier} | further)

    def enter(self, secret):
        """Signs in with a code, a password or what a link has; the answer."""
        if self.product.way == "link":
            link = f"https://app.example/callback?code={secret}"
            return self.call("POST", "/api/login/magic-link/complete", {"url": link, "accept_foreign": True})
        person = {"identifier": self.product.identifier}
        if self.product.way == "code":
            return self.call("POST", "/api/login/code/verify", person | {"code": secret})
        return self.call("POST", "/api/login/password", person | ({"password": secret} if secret else {}))

    def sign_in(self, secret):
        """Signs in, with a code after having asked for it; `secret` may be a function that then reads it."""
        if self.product.way == "code":
            asked = self.ask()
            assert asked.status == 202, (asked, self.failures())
        answer = self.enter(secret() if callable(secret) else secret)
        assert answer.status == 200 and answer.json["session"]["state"] == "authenticated", (answer, self.failures())
        return answer.json

    def session(self):
        """The session's part of the state, once no refresh is under way."""
        def settled():
            session = super(FilePhone, self).session()
            return None if session["state"] == "refreshing" else session

        return until(settled, "no refresh is under way")

    def rows(self):
        """The rows of the network log, whole."""
        events = self.must("GET", "/api/network").json["events"]
        return [self.must("GET", f"/api/network/{row['id']}").json for row in events]

    def failures(self):
        """What the log says of failed calls, for messages of tests."""
        return [(row["path"], row.get("status"), row.get("error"), row.get("error_detail")) for row in self.rows() if row["state"] == "failure"]

    def texts(self):
        """All that can be read of the log, by where it is."""
        found = {"rows": json.dumps(self.rows(), ensure_ascii=False)}
        for format in ("har", "json", "zip"):
            data = self.must("GET", f"/api/network/export?format={format}").body
            if format == "zip":
                with zipfile.ZipFile(io.BytesIO(data)) as archive:
                    found |= {f"zip {name}": archive.read(name).decode("utf-8", "replace") for name in archive.namelist()}
            else:
                found[format] = data.decode()
        found["curl"] = "\n".join(self.must("GET", f"/api/network/{row['id']}/curl").body.decode() for row in self.must("GET", "/api/network").json["events"])
        found["timeline"] = self.must("GET", "/api/timeline").body.decode()
        found["state"] = self.must("GET", "/api/state").body.decode()
        return found

    def assert_unreadable(self, secrets, short=()):
        """None of the secrets is in what can be read of the log; the short ones, such as codes, may be parts of other words."""
        texts = self.texts()
        for secret in secrets:
            assert len(secret) >= 8, "this could be a part of anything"
            self._assert_absent(texts, re.escape(secret), secret)
            found = self.must("GET", f"/api/network?q={urllib.parse.quote(secret, safe='')}").json["events"]
            assert not found, f"a search finds rows by {secret}"
        for secret in short:
            self._assert_absent(texts, rf"(?<![\w.]){re.escape(secret)}(?!\w)", secret)

    def _assert_absent(self, texts, pattern, secret):
        for where, text in texts.items():
            found = re.search(pattern, text)
            assert not found, f"{self.product.name}: {secret} is in {where}: …{text[max(0, found.start() - 150):found.end() + 30]}…"



def assert_not_saved(console, secrets):
    """None of the secrets is in the console's files or in what it printed."""
    files = {str(path): path.read_bytes() for path in Path(console.data).rglob("*") if path.is_file()}
    files["the log"] = console.errors.encode()
    assert len(files) > 1
    for secret in secrets:
        where = [name for name, data in files.items() if secret.encode() in data]
        assert not where, f"{secret} is in {where}"
