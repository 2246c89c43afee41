"""The program with the backend file of each product, unchanged, against the product itself."""

import json
import os
import subprocess

import pytest
from console_process import binary
from file_phone import WRONG, FilePhone, assert_not_saved, start_console
from issued_secrets import credentials
from product_process import ACCESS

# The presets that the tests of faults use.
PRESETS = {"airplane": "offline", "rate-limited": "rate_limit", "backend-error": "status"}


class Site:
    """A console whose backend is a product."""

    def __init__(self, product, process, folder):
        self.product, self.process, self.folder = product, process, folder
        self.console = start_console(folder, product, process.origin, process.certificate, process.secrets)
        self._mark, self._begun = 0, len(process.exchanges())
        self._phones = []
        self.forget()

    def phone(self):
        """A new phone."""
        # Limits of earlier tests are over.
        self.process.move_clock(ACCESS)
        self._phones.append(FilePhone(self.console, self.product))
        return self._phones[-1]

    def secret(self):
        """What signs in now."""
        product, process = self.product, self.process
        if product.way == "link":
            return process.link().partition("code=")[2]
        return process.code(product.identifier) if product.way == "code" else product.secret

    def signed_in(self):
        """A phone that has signed in and read its account."""
        phone = self.phone()
        phone.sign_in(self.secret)
        phone.must("GET", "/api/account")
        self.forget()
        return phone

    def forget(self):
        """Later calls count from here."""
        self._mark = len(self.process.exchanges())

    def calls(self):
        """Method, path and status of each request since then."""
        return [(one.method, one.path, one.status) for one in self.process.exchanges()[self._mark:]]

    def recorded(self, *steps):
        """The same of recorded steps."""
        recorded = [self.product.recorded()[step] for step in steps]
        return [(request.method, request.path, answer.status) for request, answer in recorded]

    def assert_unreadable(self, phone):
        """No credential of this console is readable on the phone."""
        long, short = self.credentials()
        assert long, "the record has none"
        phone.assert_unreadable(long, short)

    def credentials(self):
        """All credentials of this console's time, long and short ones."""
        long, short = credentials(self.process.exchanges()[self._begun:])
        return long | {value for value in self.process.secrets.values() if len(value) > 8}, short - {self.product.identifier}

    def stop(self):
        """Ends it; nothing of the credentials may be in its files."""
        for phone in self._phones:
            phone.close()
        code = self.console.stop()
        assert_not_saved(self.console, self.credentials()[0])
        errors = self.console.errors[-2000:]
        self.console.log.close()
        assert code == 0, (code, errors)


@pytest.fixture(scope="module")
def site(running, tmp_path_factory):
    """A console of the product."""
    product, process = running
    made = Site(product, process, tmp_path_factory.mktemp(product.name) / "console")
    yield made
    made.stop()


def is_over(phone, answer):
    """Whether an answer says that the session is over, and the state says why."""
    session = phone.session()
    return answer.status in (401, 409) and session["state"] == "signed_out" and session["reason"] not in (None, "user")


def test_a_user_signs_in_and_reads_the_account(site):
    phone = site.signed_in()
    user = phone.must("GET", "/api/account").json["user"]
    assert user["user_id"]
    wanted = {name: value for name, value in site.product.user.items() if name != "user_id"}
    assert {name: user.get(name) for name in wanted} == wanted, user
    site.assert_unreadable(phone)


@pytest.mark.steps("wrong")
def test_a_wrong_secret_is_told_and_the_right_one_works_afterwards(site):
    product, phone = site.product, site.phone()
    if product.password:
        refused = phone.ask("Wrong-horse-9")
        assert refused.status == 422 and site.calls()[-1:] == site.recorded("ask_wrong"), refused
        phone = site.phone()
    if product.way == "code":
        assert phone.ask().status == 202, phone.failures()
    refused = phone.enter(product.wrong)
    assert (refused.status, refused.code) == (422, WRONG[product.way]), (refused, phone.failures())
    assert site.calls()[-1:] == site.recorded("wrong")
    assert phone.session()["state"] == "signed_out"
    answer = phone.enter(site.secret())
    assert answer.status == 200, (answer, phone.failures())


def test_an_expired_token_is_refreshed_once_and_the_call_sent_again(site):
    phone = site.signed_in()
    if not site.product.renews:
        site.process.end_session(site.product.auth)
        site.forget()
        answer = phone.call("GET", "/api/account")
        assert is_over(phone, answer), (answer, phone.session(), phone.failures())
        assert site.calls() == site.recorded("expired")
        return
    site.process.end_access()
    answer = phone.call("GET", "/api/account")
    assert answer.status == 200, (answer, phone.failures())
    assert site.calls() == site.recorded("expired", "refresh", "account")
    assert phone.session()["state"] == "authenticated"
    phone.must("POST", "/api/session/refresh", {})
    phone.must("GET", "/api/account")
    assert site.calls()[3:] == site.recorded("refresh", "account")
    site.assert_unreadable(phone)


@pytest.mark.steps("refused")
def test_a_refused_refresh_ends_the_session_with_its_reason(site):
    phone = site.signed_in()
    site.process.end_access()
    site.process.end_refresh()
    site.forget()
    answer = phone.call("GET", "/api/account")
    assert is_over(phone, answer), (answer, phone.session(), phone.failures())
    assert phone.session()["reason"] == site.product.reason
    assert site.calls()[1:] == site.recorded("refused"), site.calls()
    site.assert_unreadable(phone)


def test_signing_out_ends_the_session_at_the_product(site):
    phone = site.signed_in()
    state = phone.must("POST", "/api/logout", {}).json
    assert state["session"]["state"] == "signed_out"
    assert site.calls() == site.recorded(*(step for step in ("logout", "logout_refresh") if step in site.product.steps))
    assert phone.call("GET", "/api/account").status in (401, 409)
    site.assert_unreadable(phone)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_fault_acts_and_the_session_stays(site, preset):
    phone = site.signed_in()
    phone.must("POST", f"/api/faults/presets/{preset}", {}, status=201)
    answer = phone.call("POST", "/api/session/refresh", {}) if site.product.renews else phone.call("GET", "/api/account")
    rows = [row for row in phone.rows() if row["source"] == "fault"]
    assert rows and rows[-1]["fault"]["action"] == PRESETS[preset], (answer, phone.rows()[-3:])
    assert site.calls() == [], "nothing may reach the product"
    phone.must("DELETE", f"/api/faults/presets/{preset}", status=204)
    assert phone.session()["state"] in ("authenticated", "error")
    phone.must("GET", "/api/account")


def test_the_fault_token_expires_acts(site):
    phone = site.signed_in()
    phone.must("POST", "/api/faults/presets/token-expires", {}, status=201)
    answer = phone.call("GET", "/api/account")
    if site.product.renews:
        assert answer.status == 200, (answer, phone.failures())
        assert site.calls() == site.recorded("refresh", "account")
    else:
        # Without a refresh, an expired token is the end.
        assert is_over(phone, answer), (answer, phone.session())
        assert site.calls() == []


def test_the_fault_refresh_revoked_acts_or_is_hidden(site):
    phone = site.signed_in()
    armed = phone.call("POST", "/api/faults/presets/refresh-revoked", {})
    if not site.product.renews:
        assert (armed.status, armed.code) == (403, "feature_disabled"), armed
        return
    assert armed.status == 201, armed
    answer = phone.call("GET", "/api/account")
    assert is_over(phone, answer), (answer, phone.session(), phone.failures())
    assert site.calls() == []


@pytest.mark.parametrize("format", ["json", "text", "junit"])
def test_a_check_is_green_or_says_why_it_skips(site, format):
    product, process = site.product, site.process
    process.move_clock(ACCESS)
    command = [binary(), "check", "--backend", process.origin, "--ca", process.certificate, "--backend-file", process.file, "--identifier",
               product.identifier, "--format", format, "--timeout", "20"]
    if product.way == "code":
        command += ["--code-command", process.code_command()]
    if "{password}" in process.file.read_text():
        file = site.folder / "password"
        file.write_text(product.password or product.secret)
        file.chmod(0o600)
        command += ["--password-file", file]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("UNDERSTUDY_")}
    environment |= {f"UNDERSTUDY_SECRET_{name}": value for name, value in process.secrets.items()}
    ended = subprocess.run(
        [str(word) for word in command], env=environment, text=True, capture_output=True, timeout=180, stdin=subprocess.DEVNULL, check=False)
    if format == "json":
        checks = json.loads(ended.stdout)["checks"]
        failed = {check["id"]: (check.get("reason"), check.get("call")) for check in checks if check["outcome"] == "failed"}
        assert not failed, (failed, ended.stderr)
        assert all(check["reason"] for check in checks if check["outcome"] == "skipped")
        passed = {check["id"] for check in checks if check["outcome"] == "passed"}
        # Nobody can paste a link into a check.
        assert passed or product.way == "link", checks
    assert ended.returncode == 0, (ended.stdout[-3000:], ended.stderr[-2000:])
    for secret in site.credentials()[0]:
        assert secret not in ended.stdout + ended.stderr, f"{secret} is in the report"
