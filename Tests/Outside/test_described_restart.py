"""What a device keeps of a backend that a file describes: an unfinished sign-in, and the account while the backend is unreachable."""

import pytest
from certificates import make_certificate
from console_process import Console
from file_phone import FilePhone, assert_not_saved, file_flags
from played_backend import PlayedBackend
from transcripts import PRODUCTS

OFFLINE = {"name": "offline", "match": {}, "when": {}, "action": {"kind": "offline"}}


class Site:
    """A backend that plays a product, and a console that can be ended and started again at its port."""

    def __init__(self, name, folder):
        self.product = next(one for one in PRODUCTS if one.name == name)
        key, self.certificate = make_certificate(folder)
        self.backend = PlayedBackend(self.product, key, self.certificate)
        self.folder, self.port = folder, 0
        self.start()
        self.phone = FilePhone(self.console, self.product)

    def start(self):
        """Starts the console, at the same port from the second time on."""
        flags = file_flags(self.product, self.backend.origin, self.certificate)
        variables = {f"UNDERSTUDY_SECRET_{name}": value for name, value in self.product.secrets.items()}
        self.console = Console(self.folder / "data", *flags, port=self.port, variables=variables)
        self.port = self.console.port

    def kill(self):
        """Ends the console as a power cut would, and starts it again."""
        self.console.kill()
        self.console.log.close()
        self.phone.close()
        self.start()

    def stop(self):
        """Ends all."""
        self.phone.close()
        code = self.console.stop()
        self.console.log.close()
        self.backend.stop()
        assert code == 0


@pytest.fixture
def start(tmp_path):
    """Starts a site for a product."""
    sites = []

    def make(name):
        sites.append(Site(name, tmp_path))
        return sites[-1]

    yield make
    for site in sites:
        site.stop()


def offline(phone, endpoint=None):
    """Has the device's calls find no backend."""
    phone.must("POST", "/api/faults", OFFLINE | {"match": {"endpoint": endpoint} if endpoint else {}}, status=201)


def online(phone):
    """Ends that."""
    phone.must("DELETE", "/api/faults", status=204)


@pytest.mark.parametrize("name", ["allauth-jwt", "cognito"])
def test_a_code_signs_in_after_a_kill(start, name):
    site = start(name)
    asked = site.phone.ask()
    assert asked.status == 202, asked
    site.backend.situations()
    captured = list(site.backend.issued)
    assert captured, "the sign-in has something to keep"
    site.kill()
    assert_not_saved(site.console, captured)
    answer = site.phone.enter(site.product.secret)
    assert answer.status == 200 and answer.json["session"]["state"] == "authenticated", (answer, site.phone.failures())
    assert [step for step in site.backend.situations() if step != "account"] == ["redeem"]
    site.phone.assert_unreadable(captured)


def test_a_code_without_its_request_is_as_good_as_a_wrong_one(start):
    site = start("allauth-jwt")
    answer = site.phone.enter(site.product.secret)
    assert (answer.status, answer.code) == (422, "login_code_invalid"), answer
    assert site.backend.situations() == [], "nothing is sent without what belongs to it"
    detail = site.phone.rows()[-1]["error_detail"]
    assert detail.endswith("ask for a new code or link") and "{login}" in detail, detail


def test_the_account_is_shown_with_its_time_while_the_backend_is_away(start):
    site = start("django-oauth-toolkit")
    phone = site.phone
    phone.sign_in(site.product.secret)
    fresh = phone.must("GET", "/api/account").json
    assert fresh["source"] == "network"

    def assert_kept():
        kept = phone.must("GET", "/api/account").json
        assert (kept["source"], kept["user"]) == ("cache", fresh["user"]) and kept["synced_at"] <= fresh["synced_at"], kept

    offline(phone)
    assert_kept()
    online(phone)
    site.backend.stop()
    site.kill()
    assert_kept()
    assert_not_saved(site.console, [fresh["user"]["email"]])
    row = next(row for row in reversed(phone.rows()) if row["source"] == "cache")
    assert (row["method"], row["path"], row["status"]) == ("GET", "/api/user", 200), row


@pytest.mark.parametrize("end", ["sign-out", "refusal"])
def test_the_kept_account_ends_with_the_session(start, end):
    site = start("fastapi-users")
    phone = site.phone
    phone.sign_in(site.product.secret)
    phone.must("GET", "/api/account")
    offline(phone)
    assert phone.must("GET", "/api/account").json["source"] == "cache"
    online(phone)
    if end == "sign-out":
        phone.must("POST", "/api/logout", {})
    else:
        site.backend.end("access")
        assert phone.call("GET", "/api/account").status in (401, 409)
    assert phone.session()["state"] == "signed_out"
    # The same user again: the account is another session's.
    offline(phone, "me")
    phone.sign_in(site.product.secret)
    answer = phone.call("GET", "/api/account")
    assert (answer.status, answer.code) == (503, "offline"), answer
