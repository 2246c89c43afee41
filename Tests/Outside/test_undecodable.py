"""An answer that cannot be read is a failed row, which names the field and what was expected, and never a value."""

import json

import pytest
from dialects import PAIR
from foreign_backend import Answer, json_answer, page

CANARY = "canary-6f1d2c"


def account(phone):
    """Reads the account."""
    return phone.call("GET", "/api/account")


def cues(phone):
    """Reads the cues."""
    return phone.call("GET", "/api/cues")


def shuffle(phone):
    """Shuffles the cues."""
    return phone.call("POST", "/api/cues/shuffle", {})


def language(phone):
    """Makes a profile."""
    return phone.call("POST", "/api/account/language", {"language_code": "pl"})


def refresh(phone):
    """Refreshes the session."""
    return phone.call("POST", "/api/session/refresh", {})


# The call; its path; the answer; a word that the detail has to have.
CASES = {
    "an id that is a list": (account, "/rpc/me", json_answer(200, {"user_id": [CANARY], "account_id": {"a": CANARY}}), "_id is a"),
    "an account that is a list": (account, "/rpc/me", json_answer(200, [CANARY]), "array"),
    "an account that is text": (account, "/rpc/me", json_answer(200, CANARY), "string"),
    "an account that is no JSON": (account, "/rpc/me", Answer(200, CANARY.encode()), "JSON"),
    "an account that is a page": (account, "/rpc/me", page(200), "JSON"),
    "an empty account": (account, "/rpc/me", Answer(200), "empty"),
    "cues that are a number": (cues, "/rpc/get_cues", json_answer(200, {"cues": 5, "note": CANARY}), "cues"),
    "no cues": (cues, "/rpc/get_cues", json_answer(200, {"note": CANARY}), "cues"),
    "cut off": (cues, "/rpc/get_cues", Answer(200, b'{"cues":[{"cue_id":"' + CANARY.encode()), "JSON"),
    "shuffled into text": (shuffle, "/rpc/shuffle_cues", json_answer(200, {"cues": CANARY}), "cues"),
    "a profile without an id": (
        language, "/rpc/get_or_create_account_profile", json_answer(201, {"language_code": "pl", "display_name": CANARY}), "profile_id"),
    "one token of two": (refresh, "/rpc/refresh_tokens", json_answer(200, {"refresh_token": CANARY + "x" * 30}), "access_token"),
    "a token that is a list": (
        refresh, "/rpc/refresh_tokens", json_answer(200, {"access_token": [CANARY], "refresh_token": "r" * 40}), "access_token"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_an_answer_that_cannot_be_read_is_a_failed_row(phone, case):
    call, path, answer, word = case
    here = phone()
    here.sign_in()
    account(here)
    seen = here.rows()[-1]["seq"]
    here.script.answers[path] = answer
    answered = call(here)
    assert answered.status == 502 and answered.code == "unexpected_payload", answered
    row = next(row for row in here.rows(f"?status=err&after={seen}") if row["path"] == path)
    assert (row["state"], row["status"], row["error"]) == ("failure", answer.status, "unexpected_payload"), row
    assert word in row["error_detail"], row
    assert CANARY not in json.dumps(row)
    whole = here.call("GET", f"/api/network/{row['id']}").json
    assert whole["error_detail"] == row["error_detail"]
    entry = next(entry for entry in json.loads(here.export("har"))["log"]["entries"] if row["error_detail"] in json.dumps(entry))
    assert entry["response"]["status"] == answer.status, entry
    assert here.session()["state"] in ("authenticated", "error")


def test_a_sign_in_without_tokens_says_what_is_missing(phone):
    """The session does not begin."""
    here = phone()
    here.must("POST", "/api/login/code", {"identifier": here.identifier}, status=202)
    here.script.answers["/rpc/login_with_code"] = json_answer(200, {"token": CANARY + "x" * 30, "ok": True})
    answer = here.redeem(here.account.code)
    assert (answer.status, answer.code) == (502, "unexpected_payload"), answer
    row = here.rows("?status=err")[-1]
    assert row["path"] == "/rpc/login_with_code" and any(name in row["error_detail"] for name in PAIR), row
    assert CANARY not in here.export("har") + here.export("json")
    assert here.session()["state"] == "signed_out"


def test_the_configuration_that_cannot_be_read_is_a_failed_row_and_the_account_shows(phone):
    """Defaults stand in for it."""
    here = phone()
    here.script.answers["/rpc/app_config"] = json_answer(200, [CANARY])
    here.sign_in()
    assert account(here).status == 200
    row = next(row for row in here.rows("?status=err") if row["path"] == "/rpc/app_config")
    assert row["error"] == "unexpected_payload" and row["error_detail"], row
    assert CANARY not in row["error_detail"]
