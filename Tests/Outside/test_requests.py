"""What a backend receives: headers, signatures, and the same call again after a refresh."""

import hashlib
import hmac
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from foreign_backend import Answer
from foreign_calls import OPEN
from foreign_site import ForeignSite
from verdicts import OWN_ERROR, error

SECRET, API_ID, REFRESH = "a secret that both sides know", "outside", "/rpc/refresh_tokens"


@pytest.fixture(scope="module")
def signed(tmp_path_factory):
    """A console that signs its calls."""
    folder = tmp_path_factory.mktemp("signed")
    secret = folder / "secret"
    secret.write_text(SECRET + "\n")
    secret.chmod(0o600)
    site = ForeignSite(folder / "site", "--api-id", API_ID, "--api-secret-file", secret)
    yield site
    site.stop()


def signature(request):
    """HMAC-SHA256 over id, method, path, body and nonce."""
    text = API_ID.encode() + request.method.encode() + request.path.encode() + request.body + request.headers["X-Nonce"].encode()
    return hmac.new(SECRET.encode(), text, hashlib.sha256).hexdigest()


def journey(phone):
    """Calls of every kind, with a refresh in between."""
    phone.sign_in()
    for method, path, body in (
        ("GET", "/api/account", None), ("POST", "/api/account/language", {"language_code": "ar"}), ("GET", "/api/cues", None),
        ("POST", "/api/cues/shuffle", {}),
    ):
        assert phone.call(method, path, body).status == 200
    phone.tokens.expire()
    assert phone.call("POST", "/api/cues/shuffle", {}).status == 200
    assert phone.call("POST", "/api/logout", {}).status == 200
    return list(phone.script.requests)


def test_every_call_is_signed_over_what_arrives(signed):
    """Each with the time as its nonce."""
    with closing(signed.phone()) as phone:
        requests = journey(phone)
    assert {request.path for request in requests} >= {"/rpc/me", "/rpc/get_cues", "/rpc/login_with_code", REFRESH, "/app/api/logout"}
    for request in requests:
        assert request.headers["X-Api-Id"] == API_ID
        assert abs(int(request.headers["X-Nonce"]) - time.time()) < 60
        assert request.headers["X-Signature"] == signature(request), request


def test_every_call_has_its_headers(phone):
    """The bearer token goes only where it is needed, and the token of before a refresh never after it."""
    here = phone()
    requests = journey(here)
    refreshed = [request.path for request in requests].index(REFRESH)
    old = requests[refreshed - 1].headers["Authorization"]
    for number, request in enumerate(requests):
        headers = request.headers
        assert headers["X-Device-ID"] == here.device and uuid.UUID(headers["X-Request-ID"]) and "json" in headers["Accept"]
        assert headers["Cookie"] is headers["X-Device-Key"] is headers["Origin"] is None, "the page's own headers stay with the console"
        assert (headers["Authorization"] is None) == ((request.method, request.path) in OPEN), request.path
        assert number < refreshed or headers["Authorization"] != old
        if request.method == "GET":
            assert headers["Content-Type"] is None and not request.body
        elif request.body:
            assert headers["Content-Type"].partition(";")[0] == "application/json"
    keyed = [request for request in requests if request.path == "/rpc/shuffle_cues"][-2:]
    assert keyed[0].headers["Idempotency-Key"] == keyed[1].headers["Idempotency-Key"] and keyed[0].body == keyed[1].body
    assert not any(request.headers["Idempotency-Key"] for request in requests if "login" in request.path or request.path == REFRESH)


def together(phone, count, path="/api/account"):
    """So many calls of one device at once."""
    clones = [phone.clone() for _ in range(count)]
    try:
        with ThreadPoolExecutor(count) as pool:
            return list(pool.map(lambda clone: clone.call("GET", path), clones))
    finally:
        for clone in clones:
            clone.close()


def test_calls_at_once_with_an_expired_token_refresh_once(phone):
    """All of them work."""
    here = phone()
    here.sign_in()
    here.tokens.expire()
    answers = together(here, 16)
    assert {answer.status for answer in answers} == {200}, [str(answer) for answer in answers]
    assert here.script.count(REFRESH) == 1


def test_calls_at_once_meet_one_refusal(phone):
    """The session ends once, and each call is told so."""
    here = phone()
    here.sign_in()
    here.tokens.expire()
    here.script.answers[REFRESH] = error(400, "oauth", OWN_ERROR)
    answers = together(here, 16)
    assert {answer.code for answer in answers} <= {"signed_out", "session_ended"}, [str(answer) for answer in answers]
    assert here.script.count(REFRESH) == 1
    entries = [entry for entry in here.call("GET", "/api/timeline").json["entries"] if entry.get("to") == "signed_out"]
    assert len(entries) == 1, entries


def test_calls_at_once_that_a_refresh_does_not_cure_end_the_session_once(phone):
    """401 before and after. A call that is sent just after a refresh may ask for one of its own before it hears of the end; none asks twice."""
    here = phone()
    here.sign_in()
    asked = here.script.count("/rpc/me")
    here.script.answers["/rpc/me"] = Answer(401)
    answers = together(here, 16)
    assert {answer.code for answer in answers} <= {"signed_out", "session_ended"}, [str(answer) for answer in answers]
    assert 1 <= here.script.count(REFRESH) <= len(answers), here.script.paths()
    # Each call was sent at most once with each token, and the end was told once.
    assert here.script.count("/rpc/me") <= asked + (1 + here.script.count(REFRESH)) * len(answers), here.script.paths()
    entries = [entry for entry in here.call("GET", "/api/timeline").json["entries"] if entry.get("to") == "signed_out"]
    assert len(entries) == 1, entries
    assert here.session()["state"] == "signed_out"
