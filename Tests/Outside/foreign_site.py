"""A console whose backend is the foreign one, and phones on it that are driven as a page would."""

import itertools
import json

from console_process import Browser, Console
from dialects import DIALECTS
from foreign_backend import ForeignBackend
from moments import until

_numbers = itertools.count(1)


class Phone(Browser):
    """A device of the console with the backend's script for it."""

    def __init__(self, site, dialect=DIALECTS["contract"]):
        super().__init__(site.console.port, timeout=30)
        # The console may ask for the configuration as soon as there is a device.
        site.backend.dialect = dialect
        self.device = self.make_device()
        self.backend = site.backend
        self.script = site.backend.script(self.device)
        self.tokens = self.script.tokens
        self.become(f"guest{next(_numbers)}@foreign.example")

    def become(self, identifier):
        """From now on another person uses the phone."""
        self.identifier = identifier
        self.account = self.backend.account(identifier)

    def clone(self):
        """The same device on another connection."""
        clone = Browser(self.port, shares=self)
        clone.key = self.key
        return clone

    def sign_in(self):
        """Signs in with a code; the state."""
        asked = self.call("POST", "/api/login/code", {"identifier": self.identifier})
        assert asked.status == 202, (asked, self.failures())
        state = self.redeem(self.account.code)
        assert state.status == 200, (state, self.failures())
        assert state.json["session"]["state"] == "authenticated", state
        return state.json

    def session(self):
        """The session's part of the state, once no refresh is under way."""
        def settled():
            session = super(Phone, self).session()
            return None if session["state"] == "refreshing" else session

        return until(settled, "no refresh is under way")

    def rows(self, query=""):
        """The rows of the network log."""
        answer = self.call("GET", f"/api/network{query}")
        assert answer.status == 200, answer
        return answer.json["events"]

    def failures(self):
        """What the log says of failed calls, for messages of tests."""
        return [(row["path"], row.get("status"), row.get("error"), row.get("error_detail")) for row in self.rows() if row["state"] == "failure"]

    def export(self, format):
        """The exported log as text."""
        answer = self.call("GET", f"/api/network/export?format={format}")
        assert answer.status == 200, answer
        return answer.body.decode()

    def assert_no_secret(self):
        """No token, code or identifier has reached the log, or its exports."""
        texts = {"har": self.export("har"), "json": self.export("json"), "rows": json.dumps(self.rows())}
        for name, text in texts.items():
            for secret in self.account.secrets | self.tokens.secrets:
                assert secret not in text, f"a secret of {len(secret)} characters is in {name}"


class ForeignSite:
    """The backend and the console."""

    def __init__(self, folder, *arguments):
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.backend = ForeignBackend(folder)
        self.arguments = ("--backend", self.backend.origin, "--ca", self.backend.certificate, *arguments)
        self.console = Console(folder / "data", *self.arguments)

    def phone(self, dialect=DIALECTS["contract"]):
        """A new phone, in a browser of its own."""
        return Phone(self, dialect)

    def restart(self, *arguments):
        """Ends the console in order and starts it again on the same port and data, with these flags besides."""
        port = self.console.port
        self._stop_console()
        self.console = Console(self.folder / "data", *self.arguments, *arguments, port=port)

    def stop(self):
        """Ends both; the console must end with 0."""
        try:
            self._stop_console()
        finally:
            self.backend.stop()

    def _stop_console(self):
        code = self.console.stop() if self.console.is_alive() else "it had ended already"
        errors = self.console.errors[-2000:]
        self.console.log.close()
        assert code == 0, (code, errors)
