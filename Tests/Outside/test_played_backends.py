"""The program signs in to each product by its backend file, over HTTP, and sends what was recorded with the product, and nothing else."""

import concurrent.futures
import os

import pytest
from certificates import make_certificate
from console_process import Browser
from file_phone import WRONG, FilePhone, assert_not_saved, start_console
from played_backend import PlayedBackend
from transcripts import PRODUCTS

IDENTIFIER, SECRET = ["identifier"], ["identifier", "password"]
# What the sign-in asks for, by the calls of each file.
ASKED = {
    "allauth-jwt": {"request_login_code": IDENTIFIER, "login_with_code": ["code"]},
    "allauth-session": {"request_login_code": IDENTIFIER, "login_with_code": ["code"]},
    "cognito": {"request_login_code": SECRET, "login_with_code": ["identifier", "code"]},
    "django-oauth-toolkit": {"login_with_password": SECRET},
    "drfpasswordless": {"request_login_code": IDENTIFIER, "login_with_code": ["identifier", "code"]},
    "fastapi-users": {"login_with_password": SECRET},
    "flask-jwt-extended": {"login_with_password": SECRET},
    "flask-security-body": {"request_login_code": IDENTIFIER, "login_with_code": ["identifier", "code"]},
    "flask-security-cookie": {"request_login_code": IDENTIFIER, "login_with_code": ["identifier", "code"]},
    "knox": {"login_with_password": SECRET},
    "oidc": {"login_with_password": IDENTIFIER},
    "oidc-link": {"login_with_magic_token": ["link"]},
    "simplejwt": {"login_with_password": SECRET},
}


class Site:
    """A console whose backend plays a product."""

    def __init__(self, product, folder, certificate):
        self.product, self.backend = product, PlayedBackend(product, *certificate)
        self.console = start_console(folder, product, self.backend.origin, certificate[1], product.secrets)
        # What comes before a code or a password, and then its redemption.
        self.first = [step for step in ("ask", "consent") if step in product.steps]
        self.enters = "ask" not in product.steps
        self._phones = []

    def phone(self):
        """A new phone; what it sends from now on counts."""
        # What a failed test has left does not count.
        self.backend.calls.clear()
        self._phones.append(FilePhone(self.console, self.product))
        return self._phones[-1]

    def signed_in(self):
        """A phone that has signed in."""
        phone = self.phone()
        phone.sign_in(self.product.secret)
        sent = self.backend.situations()
        # The account may be read at once, because pages show it.
        assert [step for step in sent if step != "account"] == [*self.first, "redeem"], sent
        phone.must("GET", "/api/account")
        self.backend.situations()
        return phone

    def stop(self):
        """Ends both."""
        for phone in self._phones:
            phone.close()
        code = self.console.stop()
        errors = self.console.errors[-2000:]
        secrets = {secret for secret in (*self.backend.issued, *self.product.secrets.values()) if len(secret) > 8}
        assert_not_saved(self.console, secrets)
        self.console.log.close()
        self.backend.stop()
        assert code == 0, (code, errors)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """One certificate for all backends."""
    return make_certificate(tmp_path_factory.mktemp("played"))


# Those that differ in how they sign in, refresh, end or sign out; `TranscriptTests` has the requests and answers of all.
CHOSEN = ("allauth-jwt", "cognito", "django-oauth-toolkit", "flask-security-cookie", "knox", "oidc", "oidc-link", "simplejwt")
PLAYED = [product for product in PRODUCTS if product.name in CHOSEN or os.environ.get("OUTSIDE_TESTS") == "all"]


@pytest.fixture(scope="module", params=PLAYED, ids=lambda product: product.name)
def played(request, tmp_path_factory, certificate):
    """A console and what plays the product."""
    site = Site(request.param, tmp_path_factory.mktemp(request.param.name), certificate)
    yield site
    site.stop()


def test_the_sign_in_asks_for_what_the_calls_use(played):
    assert played.backend.situations() == [], "a console sends nothing by itself"
    phone = played.phone()
    state = phone.must("GET", "/api/state").json
    assert {call["call"]: call["fields"] for call in state["config"]["sign_in"]} == ASKED[played.product.name]
    assert played.backend.situations() == [], "nothing is sent before the sign-in"


@pytest.mark.steps("wrong")
def test_a_wrong_secret_is_told_and_signs_nobody_in(played):
    product, phone = played.product, played.phone()
    if product.password:
        answer = phone.ask("no")
        assert answer.status == 422 and played.backend.situations() == ["ask_wrong"], answer
        phone = played.phone()
    if not played.enters:
        assert phone.ask().status == 202
    answer = phone.enter(product.wrong)
    assert (answer.status, answer.code) == (422, WRONG[product.way]), answer
    assert played.backend.situations() == [*played.first, "wrong"]
    assert phone.session()["state"] == "signed_out"


def test_a_session_lives_as_recorded(played):
    product, backend, phone = played.product, played.backend, played.signed_in()
    user = phone.must("GET", "/api/account").json["user"]
    assert {name: user.get(name) for name in product.user} == product.user, user
    backend.situations()
    backend.end("access")
    answer = phone.call("GET", "/api/account")
    if product.renews:
        assert answer.status == 200, (answer, phone.failures())
        assert backend.situations() == ["expired", "refresh", "account"]
        assert phone.session()["state"] == "authenticated"
        phone.must("POST", "/api/session/refresh", {})
        assert backend.situations() == ["refresh"]
    else:
        assert answer.status in (401, 409), answer
        assert backend.situations() == ["expired"]
        session = phone.session()
        assert session["state"] == "signed_out" and session["reason"] not in (None, "user"), session
        refused = phone.call("POST", "/api/session/refresh", {})
        assert refused.status in (401, 403) and backend.situations() == [], refused
    phone.assert_unreadable(secrets_of(played), [code for code in (product.secret,) if product.way == "code"])


@pytest.mark.steps("refresh")
def test_calls_at_once_share_one_refresh(played):
    backend, phone = played.backend, played.signed_in()
    backend.end("access")
    clones = [Browser(phone.port, shares=phone) for _ in range(4)]
    for clone in clones:
        clone.key = phone.key
    with concurrent.futures.ThreadPoolExecutor(len(clones)) as pool:
        answers = list(pool.map(lambda clone: clone.call("GET", "/api/account"), clones))
    for clone in clones:
        clone.close()
    assert {answer.status for answer in answers} == {200}, answers
    assert backend.situations().count("refresh") == 1


def test_a_session_outlives_the_end_of_the_app(played):
    phone = played.signed_in()
    phone.must("POST", "/api/session/relaunch", {})
    assert phone.session()["state"] == "authenticated", phone.failures()
    phone.must("GET", "/api/account")
    assert set(played.backend.situations()) <= {"account", "refresh"}


@pytest.mark.steps("refused")
def test_a_refused_refresh_ends_the_session_with_its_reason(played):
    product, backend = played.product, played.backend
    phone = played.signed_in()
    backend.end("access", "refresh")
    answer = phone.call("GET", "/api/account")
    assert answer.status in (401, 409), answer
    assert backend.situations() == ["expired", "refused"]
    session = phone.session()
    assert (session["state"], session["reason"]) == ("signed_out", product.reason), session
    refused = next(row for row in reversed(phone.rows()) if row["endpoint"].endswith("refresh_tokens"))
    assert product.refusal is None or refused["error"] == product.refusal, refused


def test_signing_out_sends_what_the_file_says_and_forgets_the_tokens(played):
    phone = played.signed_in()
    state = phone.must("POST", "/api/logout", {}).json
    assert state["session"]["state"] == "signed_out"
    assert played.backend.situations() == [step for step in ("logout", "logout_refresh") if step in played.product.steps]
    assert phone.call("GET", "/api/account").status in (401, 409)
    assert played.backend.situations() == []
    phone.assert_unreadable(secrets_of(played), [code for code in (played.product.secret,) if played.product.way == "code"])


@pytest.mark.steps("limited")
def test_a_limit_is_told(played):
    phone = played.phone()
    played.backend.limits = True
    try:
        answer = phone.enter("no") if played.enters else phone.ask()
    finally:
        played.backend.limits = False
    assert (answer.status, answer.code) == (429, "too_many_attempts"), answer
    assert played.backend.situations() == ["limited"]


def test_a_row_is_there_for_each_request_and_those_of_a_call_share_its_id(played):
    phone, product = played.phone(), played.product
    phone.sign_in(product.secret)
    rows = phone.rows()
    paths = [row["path"].partition("?")[0] for row in rows]
    recorded = product.recorded()
    assert paths[:len(played.first) + 1] == [recorded[step][0].path for step in (*played.first, "redeem")]
    if product.name == "oidc":
        assert rows[0]["call_id"] == rows[1]["call_id"]
    else:
        assert len({row["call_id"] for row in rows}) == len(rows)
    played.backend.situations()


@pytest.mark.steps("reused")
def test_a_refresh_token_that_was_used_is_told(played):
    phone = played.signed_in()
    played.backend.reused = True
    try:
        assert phone.call("POST", "/api/session/refresh", {}).status in (401, 409)
    finally:
        played.backend.reused = False
    assert played.backend.situations() == ["reused"]
    session = phone.session()
    assert (session["state"], session["reason"]) == ("signed_out", "refresh_token_reused"), session


def secrets_of(played):
    """Every credential that the product has issued, or that the client has for it."""
    product = played.product
    long = {product.secret, product.password or "", *product.secrets.values(), *played.backend.issued, product.client or ""}
    return {secret for secret in long if len(secret) >= 9 and not (product.way == "code" and secret == product.secret)}
