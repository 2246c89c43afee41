"""Answers that the backend lets a client keep: when they are shown, and when they are asked for again."""

from dataclasses import replace

import pytest
from dialects import DIALECTS
from foreign_backend import Answer, json_answer
from verdicts import OWN_ERROR, error

FRESH = (("Cache-Control", "private, max-age=600"),)
ME, CONFIG, REFRESH = "/rpc/me", "/rpc/app_config", "/rpc/refresh_tokens"


def account_of(phone):
    """The account."""
    answer = phone.call("GET", "/api/account")
    assert answer.status == 200, (answer, phone.failures())
    return answer.json


def test_a_fresh_answer_does_not_count_as_one_of_a_failed_backend(phone):
    """The account says that it comes from the cache only if the backend failed."""
    here = phone()
    here.script.headers[ME] = here.script.headers[CONFIG] = FRESH
    here.sign_in()
    assert account_of(here)["source"] == "network"
    assert account_of(here)["source"] == "network"
    here.script.answers[ME] = here.script.answers[CONFIG] = Answer(501)
    here.script.answers[REFRESH] = None
    assert here.call("POST", "/api/session/refresh", {}).status == 200
    answer = here.call("GET", "/api/account")
    assert answer.status != 200 or answer.json["source"] == "cache", answer


@pytest.mark.parametrize("dialect", ["contract", "two_tokens"])
def test_what_a_refresh_makes_stale_is_asked_for_again(phone, dialect):
    """The user's answers of before the refresh do not stand in for those after it."""
    here = phone(DIALECTS[dialect])
    here.script.headers[ME] = FRESH
    here.sign_in()
    account_of(here)
    here.script.dialect = replace(here.script.dialect, change=lambda path, answer: answer | {"display_name": "Dana II"} if path == ME else answer)
    assert here.call("POST", "/api/session/refresh", {}).status == 200
    before = here.script.count(ME)
    assert account_of(here)["user"]["display_name"] == "Dana II"
    assert here.script.count(ME) > before


def fewer_languages(path, answer):
    """A configuration with one language."""
    return answer | {"supported_languages": [{"code": "fr", "name": "Français"}], "default_language_code": "fr"} if path == CONFIG else answer


def test_configuration_and_account_go_with_the_session(phone):
    """The next user sees neither, however long they might have been kept."""
    here = phone()
    here.script.headers[ME] = here.script.headers[CONFIG] = FRESH
    here.sign_in()
    assert len(account_of(here)["config"]["supported_languages"]) == 4
    here.script.dialect = replace(DIALECTS["contract"], change=fewer_languages)
    here.script.answers[REFRESH] = error(403, "flat", OWN_ERROR)
    here.must("POST", "/api/session/refresh", {}, status=409)
    assert here.session()["state"] == "signed_out"
    here.script.answers.clear()
    here.become("next." + here.identifier)
    here.sign_in()
    account = account_of(here)
    assert account["user"]["user_id"] == here.account.user_id
    assert [language["code"] for language in account["config"]["supported_languages"]] == ["fr"]


def test_an_answer_that_could_not_be_read_is_asked_for_again(phone):
    """It is not taken from a cache."""
    here = phone()
    here.sign_in()
    here.script.answers[ME] = [json_answer(200, {"user_id": [1]}, *FRESH, ("ETag", '"1"'))]
    assert here.call("GET", "/api/account").code == "unexpected_payload"
    assert account_of(here)["source"] == "network"
