"""A refresh that the backend refuses ends the session, with a reason; what is no verdict keeps it."""

import pytest
from foreign_backend import Answer, page
from foreign_site import ForeignSite
from moments import until
from verdicts import KEPT, OWN_ERROR, REFUSED, error

REFRESH = "/rpc/refresh_tokens"


def call_with_an_expired_token(phone):
    """A call of the user, whose access token has expired."""
    phone.tokens.expire()
    return phone.call("GET", "/api/account")


def forced(phone):
    """A refresh that the user asks for."""
    return phone.call("POST", "/api/session/refresh", {})


def relaunch(phone):
    """The app is killed and started."""
    answer = phone.call("POST", "/api/session/relaunch", {})
    phone.session()
    return answer


WAYS = [call_with_an_expired_token, forced, relaunch]


def assert_ended(phone):
    """Signed out with a reason; nothing goes out any more."""
    session = phone.session()
    assert session["state"] == "signed_out" and session.get("reason"), (session, phone.failures())
    assert "user" not in session and "access_expires_at" not in session, session
    before = phone.script.paths_of_the_user()
    for method, path in (("GET", "/api/account"), ("GET", "/api/profiles"), ("POST", "/api/session/refresh")):
        answer = phone.call(method, path, {} if method == "POST" else None)
        assert (answer.status, answer.code) == (401, "signed_out"), (path, answer)
    assert phone.script.paths_of_the_user() == before
    entry = [entry for entry in phone.call("GET", "/api/timeline").json["entries"] if entry["kind"] == "session"][-1]
    assert (entry["to"], entry["reason"]) == ("signed_out", session["reason"]), entry
    # Nor does the next launch find a token.
    relaunch(phone)
    assert phone.session()["state"] == "signed_out"
    assert phone.script.paths_of_the_user() == before
    return session["reason"]


def assert_kept(phone, state="error"):
    """With tokens that work as soon as the backend does."""
    session = phone.session()
    assert session["state"] == state, (session, phone.failures())
    phone.script.answers.clear()
    # One that the console tries again by itself may still have met the earlier answer.
    until(lambda: phone.call("POST", "/api/session/refresh", {}).status == 200, "a refresh works")
    assert phone.session()["state"] == "authenticated", phone.failures()
    assert phone.call("GET", "/api/account").status == 200


@pytest.mark.crossed
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("verdict", REFUSED.values(), ids=REFUSED)
def test_a_refused_refresh_ends_the_session(phone, verdict, way):
    here = phone()
    here.sign_in()
    here.script.answers[REFRESH] = verdict
    way(here)
    assert here.script.count(REFRESH) == 1, here.script.paths()
    assert_ended(here)
    here.script.answers.clear()
    here.sign_in()


@pytest.mark.crossed
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("verdict", KEPT.values(), ids=KEPT)
def test_what_is_no_verdict_keeps_the_session(phone, verdict, way):
    here = phone()
    here.sign_in()
    here.script.answers[REFRESH] = verdict
    answer = way(here)
    assert answer.status in ((200,) if way is relaunch else (429, 502, 503, 504)), answer
    assert here.script.count(REFRESH) >= 1, here.script.paths()
    assert_kept(here)


def test_each_known_code_has_a_reason_of_its_own(phone):
    """So that the page can say what happened; codes that nobody knows share one."""
    reasons = {}
    for code in ("ErrRefreshTokenExpired", "ErrDeviceNotRegistered", "refresh_token_reused", "invalid_token", OWN_ERROR, "another_of_their_own"):
        here = phone()
        here.sign_in()
        here.script.answers[REFRESH] = error(401, "flat", code)
        forced(here)
        reasons[code] = assert_ended(here)
    assert len(set(reasons.values())) == 5 and reasons[OWN_ERROR] == reasons["another_of_their_own"], reasons


@pytest.fixture(scope="module")
def restarted(tmp_path_factory):
    """A phone for each verdict, after a restart of the console during which the backend has come to it."""
    site = ForeignSite(tmp_path_factory.mktemp("restart") / "site")
    phones = {}
    for name, verdict in (REFUSED | KEPT).items():
        phones[name] = site.phone()
        phones[name].sign_in()
        phones[name].script.answers[REFRESH] = verdict
        phones[name].close()
    site.restart()
    yield phones
    for phone in phones.values():
        phone.close()
    site.stop()


@pytest.mark.parametrize("name", REFUSED)
def test_a_refresh_that_is_refused_after_a_restart_ends_the_session(restarted, name):
    here = restarted[name]
    # 401 if the launch's own refresh has ended the session before.
    here.must("GET", "/api/account", status=(401, 409))
    assert_ended(here)


@pytest.mark.parametrize("name", KEPT)
def test_what_is_no_verdict_after_a_restart_keeps_the_session(restarted, name):
    here = restarted[name]
    # The token of before still works, which is known once a call was answered.
    here.must("GET", "/api/account")
    assert_kept(here, "authenticated")


# One of each kind; `VerdictEdgeCaseTests` of the Swift tests has every shape.
AFTER_A_REFRESH = {"contract": error(401, "contract", "ErrAccessTokenExpired"), "problem": error(401, "problem", OWN_ERROR), "page": page(401)}
CALLS = {
    "me": ("GET", "/api/account", None, "/rpc/me"),
    "shuffle": ("POST", "/api/cues/shuffle", {}, "/rpc/shuffle_cues"),
    "language": ("POST", "/api/account/language", {"language_code": "pl"}, "/rpc/get_or_create_account_profile"),
}


@pytest.mark.crossed
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("answer", AFTER_A_REFRESH.values(), ids=AFTER_A_REFRESH)
def test_a_401_after_a_refresh_that_worked_ends_the_session(phone, answer, call):
    """One refresh, one repeat, and no more."""
    method, path, body, called = call
    here = phone()
    here.sign_in()
    here.must("GET", "/api/account")
    here.must("GET", "/api/cues")
    before = here.script.count(called)
    here.script.answers[called] = answer
    here.must(method, path, body, status=409)
    assert here.script.count(REFRESH) == 1, here.script.paths()
    assert here.script.count(called) - before == 2, here.script.paths()
    assert_ended(here)


@pytest.mark.parametrize("answer", AFTER_A_REFRESH.values(), ids=AFTER_A_REFRESH)
def test_a_401_that_a_refresh_cures_is_not_seen(phone, answer):
    """Whatever its code."""
    here = phone()
    here.sign_in()
    here.script.answers["/rpc/me"] = [answer]
    assert here.call("GET", "/api/account").status == 200, here.failures()
    assert here.script.count(REFRESH) == 1
    assert here.session()["state"] == "authenticated"


@pytest.mark.crossed
@pytest.mark.parametrize("code", ["ErrRefreshTokenExpired", "ErrDeviceNotRegistered"])
@pytest.mark.parametrize("shape", ["contract", "flat", "oauth", "problem", "problem_type"])
def test_these_codes_end_the_session_without_a_refresh(phone, code, shape):
    here = phone()
    here.sign_in()
    here.script.answers["/rpc/me"] = error(401, shape, code)
    here.must("GET", "/api/account", status=409)
    assert here.script.count(REFRESH) == 0, here.script.paths()
    assert_ended(here)


@pytest.mark.parametrize("shape", ["contract", "flat", "oauth", "problem", "problem_type"])
def test_a_wrong_signature_never_ends_the_session(phone, shape):
    """The call is sent once more with a corrected clock, then fails by itself."""
    here = phone()
    here.sign_in()
    before = here.script.count("/rpc/me")
    here.script.answers["/rpc/me"] = error(401, shape, "invalid_signature")
    answer = here.call("GET", "/api/account")
    assert (answer.status, answer.code) == (502, "signature_rejected"), answer
    assert here.script.count(REFRESH) == 0 and here.script.count("/rpc/me") - before <= 2, here.script.paths()
    assert here.session()["state"] == "authenticated"
    here.script.answers.clear()
    assert here.call("GET", "/api/account").status == 200


def test_a_login_that_is_refused_refreshes_nothing(phone):
    """A call without a session never refreshes, whatever its 401."""
    here = phone()
    for answer in (error(401, "contract", "ErrAccessTokenExpired"), Answer(401), page(401)):
        here.script.answers["/rpc/request_login_code"] = answer
        assert here.call("POST", "/api/login/code", {"identifier": here.identifier}).status >= 400
    assert here.script.count(REFRESH) == 0, here.script.paths()


def test_the_user_goes_with_the_session(phone):
    """Nothing of the user shows after a refusal, and the next user sees their own account and cues."""
    here = phone()
    here.sign_in()
    assert here.call("GET", "/api/account").status == here.call("GET", "/api/cues").status == 200
    here.script.answers[REFRESH] = error(403, "flat", OWN_ERROR)
    forced(here)
    assert_ended(here)
    assert here.call("GET", "/api/cues").status == 401
    here.script.answers.clear()
    here.become("next." + here.identifier)
    here.sign_in()
    assert here.call("GET", "/api/account").json["user"]["user_id"] == here.account.user_id
    cues = here.call("GET", "/api/cues").json["cues"]
    assert {cue["cue_id"] for cue in cues} == {cue["cue_id"] for cue in here.account.cues}
