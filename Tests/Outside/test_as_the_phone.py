"""The stand-in waits, tries again, signs and keeps its session as the app does."""

import datetime
import hashlib
import hmac
import json
import time

import pytest
from foreign_account import CONFIG
from foreign_backend import CLOSED, Answer, json_answer
from foreign_site import ForeignSite
from moments import until

ME, REFRESH = "/rpc/me", "/rpc/refresh_tokens"
SHUFFLE, MOVE = "/rpc/shuffle_cues", "/rpc/update_cue_stage"
APP_ID, SECRET = "phone-tests", "c2lnbmluZyBrZXkgb2YgdGhlIHRlc3Rz"


@pytest.fixture(scope="module")
def signed(tmp_path_factory):
    """A console that signs its calls."""
    folder = tmp_path_factory.mktemp("signed")
    secret = folder / "secret"
    secret.write_text(SECRET)
    secret.chmod(0o600)
    site = ForeignSite(folder / "site", "--api-id", APP_ID, "--api-secret-file", secret, "--retry-pause", "100")
    yield site
    site.stop()


@pytest.fixture
def signed_phone(signed):
    """A signed-in phone of that console."""
    phone = signed.phone()
    phone.sign_in()
    yield phone
    phone.must("DELETE", "/api/device", status=204)
    phone.close()


def started(row):
    """When a row began, in seconds."""
    return datetime.datetime.fromisoformat(row["started_at"]).timestamp()


def say_of_the_user(phone, members):
    """Adds members to the user; a client asks again each time."""
    script = phone.script
    user = script.backend.account(phone.identifier).me() | members
    script.answers[ME] = Answer(200, script.dialect.answer(ME, user), headers=(("Cache-Control", "no-store"),))


def rows_of(phone, path):
    """The rows of a path, in order."""
    return [row for row in phone.rows() if row["path"] == path]


def test_the_pauses_are_one_and_two_times_the_first(signed_phone):
    before = signed_phone.script.count(ME)
    signed_phone.script.answers[ME] = [json_answer(503, {})] * 3
    answer = signed_phone.call("GET", "/api/account")
    assert (answer.status, answer.code) == (503, "unavailable"), answer
    times = [started(row) for row in rows_of(signed_phone, ME)[-3:]]
    # The first pause is 100 ms here; a loaded machine only adds to it. Rows have milliseconds.
    assert times[1] - times[0] >= 0.089 and times[2] - times[1] >= 0.179, times
    assert signed_phone.script.count(ME) == before + 3


@pytest.mark.parametrize(("status", "code"), [(429, "too_many_attempts"), (503, "unavailable")])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_long_wait_is_told_at_once(phone, status, code, method):
    here = phone()
    here.sign_in()
    called, path = (ME, "/api/account") if method == "GET" else (SHUFFLE, "/api/cues/shuffle")
    here.script.answers[called] = json_answer(status, {}, ("Retry-After", "20"))
    calls, before = here.script.count(called), time.time()
    answer = here.call(method, path, None if method == "GET" else {})
    assert (answer.status, answer.code) == (status, code), answer
    assert answer.json["retry_after_seconds"] == 20, answer.json
    until = datetime.datetime.fromisoformat(answer.json["retry_at"]).timestamp()
    assert before + 19 <= until <= time.time() + 21
    assert here.script.count(called) == calls + 1


def test_a_short_wait_is_waited_and_the_call_works(phone):
    here = phone()
    here.sign_in()
    here.script.answers[ME] = [json_answer(429, {}, ("Retry-After", "1"))]
    here.must("GET", "/api/account")
    first, second = [started(row) for row in rows_of(here, ME)[-2:]]
    assert second - first >= 0.999


@pytest.mark.parametrize("failure", [json_answer(503, {}), CLOSED], ids=["503", "closed"])
@pytest.mark.parametrize("knows", [False, True])
def test_a_post_is_repeated_only_where_keys_are_known(phone, failure, knows):
    here = phone()
    here.sign_in()
    features = {name: value for name, value in CONFIG["features"].items() if knows or name != "idempotency_keys"}
    here.script.answers["/rpc/app_config"] = json_answer(200, CONFIG | {"features": features})
    here.must("POST", "/api/session/relaunch", {})

    def is_read():
        return here.must("GET", "/api/state").json.get("config", {}).get("features", {}).get("idempotency_keys") is knows

    until(is_read, "the new configuration")
    here.must("GET", "/api/cues")
    here.script.answers[SHUFFLE] = [failure]
    answer = here.call("POST", "/api/cues/shuffle", {})
    assert (answer.status == 200) == knows, answer
    assert here.script.count(SHUFFLE) == (2 if knows else 1), here.script.paths()


def test_equal_calls_are_signed_with_the_time(signed_phone):
    phone, begun = signed_phone, int(time.time())
    seen = len(phone.script.requests)

    def is_taken():
        # A device does so much at a time; how soon it can do more depends on the machine.
        answer = phone.call("POST", "/api/network/requests", {"method": "GET", "path": ME, "auth": True})
        assert answer.status in (200, 201, 202) or answer.code == "too_many_attempts", answer
        return answer.status != 429

    for _ in range(120):
        until(is_taken, "a call is taken")
    until(lambda: len(phone.script.requests) - seen >= 120, "all of them arrive")
    sent = [request for request in phone.script.requests[seen:] if request.path == ME]
    for request in sent:
        nonce = request.headers["X-Nonce"]
        # The calls took some seconds, and equal ones are not spread over more.
        assert begun - 1 <= int(nonce) <= time.time() + 1, nonce
        assert request.headers["X-Signature"] == signature_of(request)


def test_a_backend_that_does_not_rotate_keeps_the_session(phone):
    here = phone()
    here.sign_in()
    token = here.tokens.refresh_token
    for number in range(3):
        access = f"not-rotated-{number}-" + "x" * 40
        here.tokens.valid.add(access)
        here.script.answers[REFRESH] = [json_answer(200, {"access_token": access, "expires_in": 900})]
        answer = here.must("POST", "/api/session/refresh", {})
        assert answer.json["session"]["state"] == "authenticated", answer.json["session"]
        here.must("GET", "/api/account")
    bodies = [json.loads(request.body) for request in here.script.requests if request.path == REFRESH]
    assert [body["refresh_token"] for body in bodies] == [token] * 3


def test_one_failure_at_the_launch_is_no_lasting_error(tmp_path):
    site = ForeignSite(tmp_path / "site", "--retry-pause", "1000")
    phone = site.phone()
    phone.sign_in()
    phone.script.answers[REFRESH] = [json_answer(503, {})]
    phone.must("POST", "/api/session/relaunch", {})
    assert phone.session()["state"] == "error"
    phone.must("GET", "/api/account")
    assert phone.session()["state"] == "authenticated", phone.session()
    phone.close()
    site.stop()


def test_a_refresh_that_failed_is_tried_again_by_itself(phone):
    here = phone()
    here.sign_in()
    here.script.answers[REFRESH] = [json_answer(503, {})] * 3
    here.must("POST", "/api/session/refresh", {}, status=503)
    until(lambda: here.script.count(REFRESH) == 4, "three more refreshes")
    assert here.session()["state"] == "authenticated"


@pytest.mark.parametrize(
    ("status", "body", "word"),
    [
        (400, {"code": 400, "error_code": "refresh_token_not_found", "msg": "Invalid"}, "refresh_token_not_found"),
        (400, {"__type": "NotAuthorizedException", "message": "Revoked"}, "NotAuthorizedException"),
        (400, {"detail": "Invalid refresh token"}, None),
        (400, {"errors": [{"status": "400", "code": "invalid_refresh_token"}]}, "invalid_refresh_token"),
        (400, {"errorCode": "E0000005", "errorSummary": "Invalid session"}, "E0000005"),
        (410, {"error": {"id": "session_gone", "reason": "Gone"}}, "session_gone"),
    ],
)
def test_a_refusal_in_the_words_of_another_product_ends_the_session(phone, status, body, word):
    here = phone()
    here.sign_in()
    here.script.answers[REFRESH] = json_answer(status, body)
    here.must("POST", "/api/session/refresh", {}, status=(401, 409))
    assert here.session()["state"] == "signed_out"
    row = rows_of(here, REFRESH)[-1]
    assert word is None or row["error"] == word, row


@pytest.mark.parametrize(("status", "body"), [
    (404, {"statusCode": 404, "message": "Cannot POST /rpc/refresh_tokens", "error": "Not Found"}),
    (405, {"error": "Method Not Allowed"}), (402, {"error": {"code": "DEPLOYMENT_DISABLED"}}), (407, {"error": "proxy"}),
    (409, {"error": "conflict"}), (451, {"error": "blocked"}),
    (415, {"type": "about:blank", "title": "Unsupported Media Type", "status": 415}),
])
def test_an_answer_about_the_route_keeps_the_session(phone, status, body):
    here = phone()
    here.sign_in()
    here.script.answers[REFRESH] = json_answer(status, body)
    here.must("POST", "/api/session/refresh", {}, status=502)
    assert here.session()["state"] == "error"
    here.script.answers.clear()
    here.must("GET", "/api/account")


def test_a_clock_an_hour_behind_costs_no_refresh(phone):
    here = phone()
    here.sign_in()
    access = "behind-" + "x" * 40
    here.tokens.valid.add(access)
    pair = {"access_token": access, "refresh_token": here.tokens.refresh_token}
    late = int(time.time()) - 3600
    date = datetime.datetime.fromtimestamp(late, datetime.timezone.utc).strftime("%a, %d %b %Y %H:%M:%S GMT")
    for members in ({"expires_in": 900, "expires_at": late + 900}, {"expires_at": late + 900}):
        body = json.dumps(pair | members).encode()
        head = f"HTTP/1.1 200 OK\r\nDate: {date}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        here.script.answers[REFRESH] = [Answer(raw=head.encode() + body)]
        here.must("POST", "/api/session/refresh", {})
        count = here.script.count(REFRESH)
        for _ in range(8):
            here.must("GET", "/api/account")
        assert here.script.count(REFRESH) == count


REQUESTS = {"code": ("/api/login/code", "/rpc/request_login_code"), "link": ("/api/login/magic-link", "/rpc/request_magic_link")}


@pytest.mark.parametrize("kind", REQUESTS)
@pytest.mark.parametrize(("status", "code"), [(403, "account_refused"), (423, "account_refused"), (400, "request_refused"), (404, "request_refused")])
def test_a_refused_request_for_a_message_is_no_failure_of_the_backend(phone, kind, status, code):
    here = phone()
    route, path = REQUESTS[kind]
    here.script.answers[path] = json_answer(status, {"message": "No."})
    answer = here.call("POST", route, {"identifier": here.identifier})
    assert (answer.status, answer.code) == (422, code), answer


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 410, 422, 423])
@pytest.mark.parametrize("body", [{"message": "No."}, {"error": {"code": "own_word"}}], ids=["anonymous", "own"])
def test_every_refusal_of_a_sign_in_says_what_was_refused(phone, status, body):
    here = phone()
    here.must("POST", "/api/login/code", {"identifier": here.identifier}, status=202)
    expected = "account_refused" if status in (403, 423) else None
    here.script.answers["/rpc/login_with_code"] = json_answer(status, body)
    here.script.answers["/rpc/login_with_magic_token"] = json_answer(status, body)
    answer = here.redeem(here.account.code)
    assert (answer.status, answer.code) == (422, expected or "login_code_invalid"), answer
    answer = here.call("POST", "/api/login/magic-link/complete", {"token": "x" * 43, "accept_foreign": True})
    assert (answer.status, answer.code) == (422, expected or "login_link_invalid"), answer


@pytest.mark.parametrize("coding", ["identity", "none", "utf-8", "binary", "8bit"])
def test_a_name_of_no_coding_is_read_as_none(phone, coding):
    here = phone()
    here.sign_in()
    here.script.headers[ME] = (("Content-Encoding", coding),)
    here.must("GET", "/api/account")


def test_an_unknown_coding_keeps_the_status_and_says_so(phone):
    here = phone()
    here.sign_in()
    here.script.headers[ME] = (("Content-Encoding", "rot13"),)
    here.must("GET", "/api/account", status=502)
    row = rows_of(here, ME)[-1]
    assert (row["status"], row["error_detail"]) == (200, "unknown content coding `rot13`"), row
    detail = here.must("GET", f"/api/network/{row['id']}").json
    assert ["Content-Encoding", "rot13"] in [list(pair) for pair in detail["response"]["headers"]], detail["response"]["headers"]


def test_a_byte_order_mark_is_no_fault(phone):
    here = phone()
    here.sign_in()
    here.script.answers[ME] = [Answer(200, b'\xef\xbb\xbf{"user_id":"u1"}')]
    here.must("GET", "/api/account")


@pytest.mark.parametrize("body", [{"code": "token_expired"}, {"error": {"message": "TOKEN_EXPIRED"}}, {"error": "session_expired"}])
def test_the_end_of_an_access_token_in_another_products_words_is_refreshed(phone, body):
    here = phone()
    here.sign_in()
    here.script.answers[ME] = [json_answer(401, body)]
    here.must("GET", "/api/account")
    assert here.script.count(REFRESH) == 1 and here.session()["state"] == "authenticated"


def test_a_profile_without_a_language_has_the_default_one(phone):
    here = phone()
    here.sign_in()
    account = {"user_id": "u", "account_id": "a", "profiles": [{"profile_id": "p1", "language_code": "de"}, {"profile_id": "p2"}]}
    here.script.answers[ME] = json_answer(200, account)
    shown = here.must("GET", "/api/account").json
    listed = here.must("GET", "/api/profiles").json
    assert shown["active_profile"] == listed["profiles"][1] and listed["active_profile_id"] == "p2", (shown, listed)
    assert [one["language_code"] for one in listed["profiles"]] == ["de", CONFIG["default_language_code"]]


@pytest.mark.parametrize("written", [
    "2026-11-21T12:04:31.482913+0000", "2026-11-21T12:04:31.482+01:00", "2026-11-21T12:04:31Z", 1795262671, 1795262671482, "1795262671"])
def test_the_date_of_a_cue_goes_back_as_it_came(phone, written):
    here = phone()
    here.sign_in()
    cues = [{**cue, "updated_at": written} for cue in here.script.account.cues]
    here.script.answers["/rpc/get_cues"] = json_answer(200, {"cues": cues, "server_time": "2026-11-21T12:04:31Z"})
    newer = "2030-01-02T03:04:05.678901+0000"
    here.script.answers[MOVE] = [
        json_answer(409, {"error": {"code": "conflict", "details": {"cue": {**cues[0], "updated_at": newer, "stage": "mastered"}}}}),
        json_answer(200, {**cues[0], "updated_at": written, "stage": "review"})]
    shown = here.must("GET", "/api/cues").json["cues"][0]
    here.must("POST", f"/api/cues/{shown['cue_id']}/stage", {"stage": "review"}, status=(200, 202))
    until(lambda: here.script.count(MOVE) == 2, "the move is sent again on the newer cue")
    assert [json.loads(request.body)["base_updated_at"] for request in here.script.requests if request.path == MOVE] == [written, newer]


@pytest.mark.parametrize("said", [
    lambda on: {"analytics_opted_in": on}, lambda on: {"analyticsOptIn": on}, lambda on: {"metadata": {"analytics_opted_in": on}},
    lambda on: {"metadata": {"plan": ["free"], "analytics_opt_in": on}}], ids=["opted_in", "optIn", "metadata", "metadata_opt_in"])
def test_the_backend_decides_on_analytics_at_the_sign_in(phone, said):
    here = phone()

    def say(on):
        say_of_the_user(here, said(on))

    def choice():
        return here.must("GET", "/api/account").json["settings"]["analytics_opted_in"]

    def events():
        return [entry["name"] for entry in here.must("GET", "/api/timeline").json["entries"] if entry["kind"] == "analytics"]

    say(False)
    here.sign_in()
    assert "auth.login_success" not in events()
    assert not choice()
    here.must("POST", "/api/account/analytics", {"opted_in": True})
    assert choice(), "the choice made here holds while the backend says the same"
    here.must("POST", "/api/session/relaunch", {})
    assert choice(), "a launch is no sign-in"
    here.must("POST", "/api/logout", {})
    here.sign_in()
    assert not choice(), "a sign-in"
    say(True)
    assert choice(), "the backend says otherwise"
    here.must("POST", "/api/account/analytics", {"opted_in": False})
    assert not choice()


@pytest.mark.parametrize("metadata", ["text", ["analytics_opted_in"], {"analytics_opted_in": "perhaps"}, None])
def test_metadata_of_another_kind_says_nothing_about_analytics(phone, metadata):
    here = phone()
    say_of_the_user(here, {"metadata": metadata})
    here.sign_in()
    assert here.must("GET", "/api/account").json["settings"]["analytics_opted_in"]


DOCUMENT = {"openapi": "3.1.0", "info": {"title": "Foreign", "version": "7"}, "paths": {"/rpc/me": {"get": {"responses": {"200": {"description": "x"}}}}}}


def signature_of(request):
    """The signature that a request must have."""
    text = f"{APP_ID}{request.method}{request.path}".encode() + request.body + request.headers["X-Nonce"].encode()
    return hmac.new(SECRET.encode(), text, hashlib.sha256).hexdigest()


def known_document(phone):
    """What the console knows of the backend's OpenAPI document, once it has asked."""
    def asked():
        document = phone.must("GET", "/api/drift").json["document"]
        return document if document["state"] != "loading" else None

    return until(asked, "the document has been asked for")


def test_the_backends_document_is_fetched_like_a_call_of_the_app(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    secret.chmod(0o600)
    site = ForeignSite(tmp_path / "site", "--api-id", APP_ID, "--api-secret-file", secret)
    try:
        # The first console asks as well; its request must not be counted with those of the next.
        first = site.phone()
        known_document(first)
        first.close()
        for path, flags, answer, state, reason, detail in [
            ("/swagger.json", (), None, "none", "not_published", "status 404"),
            ("/swagger.json", (), json_answer(403, {"error": {"code": "forbidden"}}), "none", "unreachable", "status 403"),
            ("/swagger.json", (), json_answer(200, {"swagger": 1}), "none", "invalid", None),
            ("/swagger.json", (), json_answer(200, DOCUMENT), "comparing", None, None),
            ("/docs/api", ("--openapi", f"{site.backend.origin}/docs/api?v=summer2026"), json_answer(200, DOCUMENT), "comparing", None, None),
        ]:
            site.backend.answers[path] = answer
            before = len(site.backend.requests(path))
            site.restart(*flags)
            phone = site.phone()
            known = known_document(phone)
            assert (known["state"], known.get("reason")) == (state, reason), known
            assert detail is None or known["detail"] == detail
            requests = site.backend.requests(path)[before:]
            assert [request.headers["X-Signature"] for request in requests] == [signature_of(requests[0])]
            assert requests[0].headers["Authorization"] is None
            phone.sign_in()
            own = phone.rows("?q=source:tool")
            assert [(row["source"], row["method"], row["path"], row["status"]) for row in own] == [("tool", "GET", path, answer.status if answer else 404)]
            assert phone.rows("?source=tool") == own
            assert phone.must("GET", f"/api/network/{own[0]['id']}").json["path"] == path
            detail = f"/api/network/{own[0]['id']}"
            assert "summer2026" not in json.dumps(own) + json.dumps(phone.must("GET", detail).json) + phone.must("GET", f"{detail}/curl").body.decode()
            assert known.get("row_id", own[0]["id"]) == own[0]["id"]
            for text in (json.dumps(phone.rows()), phone.export("har"), phone.export("json")):
                assert path not in text, "the app did not send it"
            phone.close()
    finally:
        site.stop()


def test_a_har_names_the_version_and_the_address(phone):
    here = phone()
    here.sign_in()
    rule = {"name": "made up", "match": {"path": ME}, "action": {"kind": "answer", "status": 500, "body": "{}"}, "when": {"count": 1}}
    here.must("POST", "/api/faults", rule, status=201)
    here.must("GET", "/api/account")
    entries = json.loads(here.export("har"))["log"]["entries"]
    sent = [entry for entry in entries if entry["_source"] == "network" and entry["_state"] == "success"]
    assert sent and all(
        (entry["request"]["httpVersion"], entry["response"]["httpVersion"], entry["serverIPAddress"]) == ("HTTP/1.1", "HTTP/1.1", "127.0.0.1")
        for entry in sent)
    made = [entry for entry in entries if entry["_source"] == "fault"]
    assert made and all("serverIPAddress" not in entry and entry["response"]["httpVersion"] == "unknown" for entry in made)
    detail = here.must("GET", f"/api/network/{sent[0]['_id']}").json
    assert detail["connection"] == {"http_version": "HTTP/1.1", "server_address": "127.0.0.1"}


def test_a_code_is_not_sent_where_the_backend_offers_none(phone):
    here = phone()
    features = CONFIG["features"] | {"login_code": False}
    here.script.answers["/rpc/app_config"] = json_answer(200, CONFIG | {"features": features})
    here.must("POST", "/api/session/relaunch", {})

    def is_read():
        return here.must("GET", "/api/state").json.get("config", {}).get("features", {}).get("login_code") is False

    until(is_read, "the configuration")
    for path, body in (("/api/login/code", {"identifier": here.identifier}), ("/api/login/code/verify", {"identifier": here.identifier, "code": "123456"})):
        answer = here.call("POST", path, body)
        assert (answer.status, answer.code) == (403, "feature_disabled"), answer
    assert not {"/rpc/request_login_code", "/rpc/login_with_code"} & set(here.script.paths())


def promises_of(phone, rule):
    """What the console says the client did after a fault rule acted, by kind."""
    return {one["kind"]: one for one in phone.must("GET", "/api/explain").json["promises"] if one.get("fault_id") == rule}


def test_a_wait_that_a_fault_asked_for_is_waited_and_said(phone):
    here = phone()
    here.sign_in()
    action = {"kind": "rate_limit", "retry_after_seconds": 1}
    rule = here.must("POST", "/api/faults", {"match": {"endpoint": "me"}, "when": {"count": 1}, "action": action}, status=201).json["id"]
    here.must("GET", "/api/account")
    limited, answered = rows_of(here, ME)[-2:]
    promise = promises_of(here, rule)["retry_after"]
    assert promise["kept"] and promise["rows"] == [limited["seq"], answered["seq"]], promise
    assert promise["promised"] == {"span_ms": 1000} and promise["measured"]["span_ms"] >= 900, promise
    assert promise["say"].startswith("Asked to wait 1 s, waited "), promise
    assert all(one["kept"] for one in here.must("GET", "/api/explain").json["promises"])
    # A longer wait is told at once. What a person sends is not the client's.
    here.must("PATCH", f"/api/faults/{rule}", {"when": {}, "action": action | {"retry_after_seconds": 30}})
    assert here.call("GET", "/api/account").status == 429
    promise = promises_of(here, rule)["retry_after"]
    assert promise["kept"] and promise["say"] == "Asked to wait 30 s, sent nothing more" and len(promise["rows"]) == 1, promise
    before = here.must("GET", "/api/explain").json["promises"]
    here.must("POST", "/api/network/requests", {"method": "GET", "path": ME, "auth": True}, status=202)
    until(lambda: rows_of(here, ME)[-1]["seq"] > promise["rows"][0] and rows_of(here, ME)[-1]["state"] == "failure", "the request is limited")
    assert here.must("GET", "/api/explain").json["promises"] == before
