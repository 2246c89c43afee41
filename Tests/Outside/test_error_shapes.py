"""An error's code is understood whatever its status and shape."""

from dataclasses import replace

import pytest
from dialects import DIALECTS, SHAPES
from foreign_backend import json_answer
from verdicts import error

shapes = pytest.mark.parametrize("shape", SHAPES)
KINDS = {"code": ("/api/login/code", "/rpc/request_login_code"), "link": ("/api/login/magic-link", "/rpc/request_magic_link")}
kinds = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


@pytest.mark.crossed
@kinds
@shapes
@pytest.mark.parametrize("status", [400, 403, 409, 422])
def test_an_invalid_identifier_marks_the_field(phone, status, shape, kind):
    path, called = kind
    here = phone()
    here.script.answers[called] = error(status, shape, "invalid_identifier")
    answer = here.call("POST", path, {"identifier": here.identifier})
    assert (answer.status, answer.code, answer.json.get("field")) == (422, "invalid_identifier", "identifier"), answer
    assert here.script.count(called) == 1


def with_a_cooldown(path, answer):
    """A configuration with five seconds between messages."""
    return answer | {"auth": answer["auth"] | {"cooldown_seconds": 5}} if path == "/rpc/app_config" else answer


@pytest.mark.crossed
@shapes
@pytest.mark.parametrize("status", [429, 400, 403])
@pytest.mark.parametrize("wait", [7, None])
def test_too_many_attempts_start_the_countdown(phone, status, shape, wait):
    """Of `Retry-After`, or else of the configuration; meanwhile the console answers by itself."""
    here = phone(replace(DIALECTS["contract"], change=with_a_cooldown))
    here.sign_in()
    here.must("POST", "/api/logout", {})
    here.become("late." + here.identifier)
    headers = [("Retry-After", str(wait))] if wait else []
    here.script.answers["/rpc/request_login_code"] = error(status, shape, "too_many_attempts", *headers)
    answer = here.call("POST", "/api/login/code", {"identifier": here.identifier})
    assert (answer.status, answer.code) == (429, "too_many_attempts"), answer
    assert answer.json["retry_after_seconds"] == (wait or 5), answer
    before = here.script.count("/rpc/request_login_code")
    again = here.call("POST", "/api/login/code", {"identifier": here.identifier})
    assert (again.status, again.code) == (429, "cooldown"), again
    assert here.script.count("/rpc/request_login_code") == before
    assert [cooldown["retry_at"] for cooldown in here.call("GET", "/api/state").json["cooldowns"]]


def in_details(body, name):
    """The body with a wait in `details`, as the contract's errors have it, or else beside the code."""
    if isinstance(body.get("error"), dict):
        return {"error": body["error"] | {"details": {name: 9}}}
    return body | {name: 9}


@pytest.mark.crossed
@shapes
@pytest.mark.parametrize("name", ["retry_after_seconds", "retry_after", "retryAfterSeconds"])
def test_the_wait_may_stand_in_the_body(phone, shape, name):
    here = phone()
    here.script.answers["/rpc/request_login_code"] = json_answer(429, in_details(SHAPES[shape](429, "too_many_attempts"), name))
    answer = here.call("POST", "/api/login/code", {"identifier": here.identifier})
    assert (answer.status, answer.json.get("retry_after_seconds")) == (429, 9), answer


@pytest.mark.crossed
@shapes
@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_wrong_code_is_told_at_the_field(phone, status, shape):
    here = phone()
    here.must("POST", "/api/login/code", {"identifier": here.identifier}, status=202)
    here.script.answers["/rpc/login_with_code"] = error(status, shape, "login_code_invalid")
    answer = here.redeem(here.account.code)
    assert (answer.status, answer.code) == (422, "login_code_invalid"), answer
    assert here.script.count("/rpc/refresh_tokens") == 0
    here.script.answers.clear()
    assert here.redeem(here.account.code).status == 200


@pytest.mark.crossed
@shapes
@pytest.mark.parametrize("status", [400, 401, 410])
def test_a_spent_link_is_told(site, phone, status, shape):
    here = phone()
    here.must("POST", "/api/login/magic-link", {"identifier": here.identifier}, status=202)
    here.script.answers["/rpc/login_with_magic_token"] = error(status, shape, "login_link_invalid")
    link = f"{site.backend.origin}/callback#token={here.account.link_token}"
    answer = here.call("POST", "/api/login/magic-link/complete", {"url": link, "accept_foreign": True})
    assert (answer.status, answer.code) == (422, "login_link_invalid"), answer


@pytest.mark.crossed
@shapes
@pytest.mark.parametrize("status", [400, 404, 422])
def test_an_unknown_profile_is_told(phone, status, shape):
    here = phone()
    here.sign_in()
    profile = here.call("GET", "/api/account").json["profiles"][0]["profile_id"]
    here.script.answers["/rpc/set_active_profile"] = error(status, shape, "profile_not_found")
    answer = here.call("POST", "/api/profiles/active", {"profile_id": profile})
    assert (answer.status, answer.code) == (404, "not_found"), answer


@pytest.mark.crossed
@shapes
@pytest.mark.parametrize("status", [400, 404, 410])
def test_a_cue_that_is_gone_is_told(phone, status, shape):
    here = phone()
    here.sign_in()
    cue = here.call("GET", "/api/cues").json["cues"][0]["cue_id"]
    here.script.answers["/rpc/update_cue_stage"] = error(status, shape, "cue_not_found")
    answer = here.call("POST", f"/api/cues/{cue}/stage", {"stage": "review"})
    assert (answer.status, answer.code) == (404, "not_found"), answer


def test_the_text_of_an_error_is_not_shown(phone):
    """What the backend wrote stays in the log's bodies; the page gets the code."""
    here = phone()
    here.script.answers["/rpc/request_login_code"] = json_answer(400, {"code": "invalid_identifier", "message": "SQLSTATE 23505 of secret_table"})
    answer = here.call("POST", "/api/login/code", {"identifier": here.identifier})
    assert answer.status == 422 and b"SQLSTATE" not in answer.body, answer
