"""Whatever a backend's dialect, a session lives from the sign-in to the logout."""

import json
import time
from contextlib import closing
from dataclasses import replace
from datetime import datetime

import pytest
from dialects import DIALECTS, Dialect, Instant
from foreign_backend import Answer, json_answer
from foreign_site import ForeignSite

LIVE = DIALECTS["contract"]


def seconds_until(instant):
    """The time from now to an instant of the console."""
    return datetime.fromisoformat(instant.replace("Z", "+00:00")).timestamp() - time.time()


def account_of(phone):
    """The account, from the backend."""
    answer = phone.call("GET", "/api/account")
    assert answer.status == 200, (answer, phone.failures())
    assert answer.json["source"] == "network", answer.json["source"]
    return answer.json


def assert_kept_masked(phone, path):
    """The last answer of a call with tokens is in the log: its members are all there, and no secret is."""
    row = [row for row in phone.rows() if row["path"] == path][-1]
    stored = phone.call("GET", f"/api/network/{row['id']}").json
    text = stored["response"]["body"]
    members = json.loads(text)
    hidden = json.dumps(members, ensure_ascii=False).count("‹")
    assert hidden >= 2 and sum(one["count"] for one in stored["redactions"] if one["where"] == "response.body") == hidden, stored
    assert {"accesstoken", "refreshtoken"} <= {name.replace("_", "").lower() for name in names_in(members)}, text
    for secret in phone.account.secrets | phone.tokens.secrets:
        assert secret not in text, f"a secret of {len(secret)} characters is in the answer of {path}"


def names_in(value):
    """The names of all members, at any depth."""
    if isinstance(value, list):
        return [name for one in value for name in names_in(one)]
    return [name for key, one in value.items() for name in [key, *names_in(one)]] if isinstance(value, dict) else []


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_a_session_lives_from_the_sign_in_to_the_logout(phone, dialect):
    """Sign-in, account, profiles, cues, a refresh after a 401, a relaunch, a logout; and no secret is logged."""
    here = phone(dialect)
    state = here.sign_in()
    assert_kept_masked(here, "/rpc/login_with_code")
    until = state["session"].get("access_expires_at")
    assert (until is None) == (dialect.lifetime is None), until
    assert until is None or abs(seconds_until(until) - dialect.lifetime) < 5, until

    account = account_of(here)
    profile, = account["profiles"]
    assert account["active_profile"]["profile_id"] == profile["profile_id"] == here.account.active
    assert [language["code"] for language in account["config"]["supported_languages"]][:4] == ["en", "pl", "ar", "de"]

    moved = here.call("POST", "/api/account/language", {"language_code": "pl"})
    assert moved.status == 200 and moved.json["active_profile"]["language_code"] == "pl", (moved, here.failures())
    assert here.account.active == here.account.profiles["pl"]["profile_id"]
    back = here.call("POST", "/api/profiles/active", {"profile_id": profile["profile_id"]})
    assert back.status == 200 and here.account.active == profile["profile_id"], (back, here.failures())

    cues = here.call("GET", "/api/cues")
    assert cues.status == 200 and cues.json["source"] == "network", (cues, here.failures())
    assert [cue["prompt"] for cue in cues.json["cues"]] == [f"prompt {number}" for number in range(4)]
    assert {cue["stage"] for cue in cues.json["cues"]} <= {"new", "learning", "review", "mastered"}
    second = cues.json["cues"][1]
    staged = here.call("POST", f"/api/cues/{second['cue_id']}/stage", {"stage": "review"})
    assert staged.status == 200 and staged.json["stage"] == "review" and not staged.json["pending"], (staged, here.failures())
    assert here.account.cues[1]["stage"] == "review"
    shuffled = here.call("POST", "/api/cues/shuffle", {})
    assert shuffled.status == 200, (shuffled, here.failures())
    assert [cue["prompt"] for cue in shuffled.json["cues"]] == [f"prompt {number}" for number in range(3, -1, -1)]

    assert here.script.count("/rpc/refresh_tokens") == 0
    here.tokens.expire()
    account_of(here)
    assert here.script.count("/rpc/refresh_tokens") == 1
    assert_kept_masked(here, "/rpc/refresh_tokens")
    assert [(path, status) for path, status, *_ in here.failures()] == [("/rpc/me", 401)]
    here.assert_no_secret()
    assert here.call("POST", "/api/session/relaunch", {}).status == 200
    assert here.session()["state"] == "authenticated", here.failures()
    account_of(here)

    assert here.call("POST", "/api/logout", {}).json["session"]["state"] == "signed_out"
    if account["config"]["features"]["logout_endpoint"]:
        assert not here.tokens.valid and here.tokens.refresh_token is None, "the backend did not hear of the logout"
    assert here.call("GET", "/api/account").code == "signed_out"
    here.assert_no_secret()


@pytest.mark.parametrize("place", ["#", "?"])
def test_a_link_signs_in(site, phone, place):
    """A deep link with its token in the fragment or in the query."""
    here = phone(DIALECTS["seed"])
    assert here.call("POST", "/api/login/magic-link", {"identifier": here.identifier}).status == 202
    link = f"{site.backend.origin}/callback{place}token={here.account.link_token}"
    answer = here.call("POST", "/api/login/magic-link/complete", {"url": link, "accept_foreign": True})
    assert answer.status == 200 and answer.json["session"]["state"] == "authenticated", (answer, here.failures())
    here.assert_no_secret()


def test_a_pin_decides_besides_the_certificate(tmp_path):
    """With the pin of the backend's own public key it is reached; with another one no byte is sent."""
    site = ForeignSite(tmp_path / "site")
    try:
        for pin, status in ((site.backend.pin, 202), ("sha256/" + "A" * 43 + "=", 502)):
            site.restart("--pin", pin)
            with closing(site.phone()) as phone:
                answer = phone.call("POST", "/api/login/code", {"identifier": phone.identifier})
                assert answer.status == status, answer
                assert phone.script.count("/rpc/request_login_code") == (status == 202)
    finally:
        site.stop()


def past(path, answer):
    """Tokens that have expired an hour ago."""
    return answer | {"expires_at": Instant(time.time() - 3600)} if "expires_at" in answer else answer


def test_a_token_that_has_expired_already_is_refreshed_before_the_next_call(phone):
    """If only the sign-in's token has, one refresh does."""
    here = phone(Dialect(tokens=DIALECTS["expires_at"].tokens, change=past))
    here.must("POST", "/api/login/code", {"identifier": here.identifier}, status=202)
    assert here.redeem(here.account.code).status == 200, here.failures()
    here.script.dialect = DIALECTS["expires_at"]
    for _ in range(5):
        account_of(here)
    paths = here.script.paths()
    assert here.script.count("/rpc/refresh_tokens") <= 2, paths
    assert "/rpc/refresh_tokens" in paths, paths


def test_a_backend_whose_tokens_have_always_expired_meets_no_storm(phone):
    """Its clock is an hour behind: every call works, with at most one refresh each, and 401s are not waited for."""
    here = phone(Dialect(tokens=DIALECTS["expires_at"].tokens, change=past))
    here.sign_in()
    calls = 8
    for _ in range(calls):
        account_of(here)
    assert here.script.count("/rpc/refresh_tokens") <= calls + 2, here.script.paths()
    state = here.call("GET", "/api/state").json["session"]["state"]
    assert state == "authenticated", state


CONFIG_FIELDS = [
    "default_language_code", "supported_languages", "features", "auth", "network_log", "session", "features.login_code",
    "features.analytics_opt_out", "features.developer_tools", "features.account_deletion", "features.logout_endpoint",
    "features.idempotency_keys", "auth.cooldown_seconds", "auth.code_length", "auth.trusted_link_hosts", "network_log.capacity",
    "session.refresh_margin_seconds",
]


def without(value, field):
    """The value without a field, named by its path."""
    name, _, rest = field.partition(".")
    if rest:
        return value | {name: without(value[name], rest)}
    return {key: member for key, member in value.items() if key != name}


def wrong(value, field):
    """The value with a field of a kind that cannot be read."""
    name, _, rest = field.partition(".")
    return value | {name: wrong(value[name], rest) if rest else {"oops": [True]}}


@pytest.mark.crossed
@pytest.mark.parametrize("change", [without, wrong])
@pytest.mark.parametrize("field", CONFIG_FIELDS)
def test_one_field_of_the_configuration_does_not_take_the_others_along(phone, field, change):
    """Sign-in works, and the languages stay."""
    here = phone(replace(LIVE, change=lambda path, answer: change(answer, field) if path == "/rpc/app_config" else answer))
    here.sign_in()
    config = account_of(here)["config"]
    if field != "supported_languages":
        assert [language["code"] for language in config["supported_languages"]] == ["en", "pl", "ar", "de"], config
    if field != "default_language_code":
        assert config["default_language_code"] == "en"
    if not field.startswith("features"):
        assert config["features"]["developer_tools"] is True, config


def test_a_bad_language_does_not_take_the_others_along(phone):
    """A language without a code is skipped."""
    def spoil(path, answer):
        if path != "/rpc/app_config":
            return answer
        return answer | {"supported_languages": [{"name": "Nameless"}, 7, None, *answer["supported_languages"]]}

    here = phone(replace(LIVE, change=spoil))
    here.sign_in()
    assert [language["code"] for language in account_of(here)["config"]["supported_languages"]] == ["en", "pl", "ar", "de"]


@pytest.mark.parametrize("names", [("user_id",), ("account_id",), ("user_id", "account_id")])
def test_an_account_may_have_only_an_id(phone, names):
    """`/rpc/me` answers one id and nothing else; the account shows, and a language makes a profile."""
    here = phone(replace(LIVE, change=lambda path, answer: {name: answer[name] for name in names} if path == "/rpc/me" else answer))
    here.account.account_id = here.account.user_id
    here.sign_in()
    account = account_of(here)
    assert account["profiles"] == []
    assert here.account.user_id in (account["user"].get("user_id"), account["user"].get("account_id"))
    moved = here.call("POST", "/api/account/language", {"language_code": "de"})
    assert moved.status == 200, (moved, here.failures())
    assert "de" in here.account.profiles


def test_an_account_without_any_id_is_unusable_and_the_row_says_why(phone):
    """There is nothing to show; the session stays."""
    here = phone()
    here.sign_in()
    here.script.answers["/rpc/me"] = json_answer(200, {"email": here.identifier, "roles": []})
    answer = here.call("GET", "/api/account")
    assert (answer.status, answer.code) == (502, "unexpected_payload"), answer
    row = here.rows("?endpoint=me&status=err")[-1]
    assert row["error"] == "unexpected_payload" and "user_id" in row["error_detail"], row
    assert here.session()["state"] == "authenticated"


FIELDS_OF_ME = ["email", "display_name", "roles", "active_profile_id", "profiles", "created_at"]


@pytest.mark.crossed
@pytest.mark.parametrize("field", FIELDS_OF_ME)
@pytest.mark.parametrize("value", ["missing", None, "nonsense", -1, {"a": 1}, [[]]], ids=str)
def test_one_field_of_the_account_does_not_take_the_others_along(phone, field, value):
    """What cannot be read takes its default."""
    def spoil(path, answer):
        if path != "/rpc/me":
            return answer
        return without(answer, field) if value == "missing" else answer | {field: value}

    here = phone(replace(LIVE, change=spoil))
    here.sign_in()
    user = account_of(here)["user"]
    assert user["user_id"] == here.account.user_id
    if field != "email":
        assert user["email"] == here.identifier


def test_a_bad_profile_or_cue_does_not_take_the_others_along(phone):
    """Each is skipped by itself."""
    def spoil(path, answer):
        if path == "/rpc/me":
            return answer | {"profiles": [7, {"language_code": "pl"}, *answer["profiles"], None]}
        if path == "/rpc/get_cues":
            return answer | {"cues": [None, {"prompt": "no id"}, *answer["cues"], "text"]}
        return answer

    here = phone(replace(LIVE, change=spoil))
    here.sign_in()
    assert [profile["language_code"] for profile in account_of(here)["profiles"]] == ["en"]
    cues = here.call("GET", "/api/cues")
    assert cues.status == 200 and len(cues.json["cues"]) == 4, (cues, here.failures())


RECEIPTS = {
    "an empty object": json_answer(200, {}), "text": json_answer(200, {"cooldown_seconds": "0"}),
    "what cannot be read": json_answer(200, {"cooldown_seconds": None, "expires_in_seconds": "soon"}), "other members": json_answer(202, {"ok": True}),
    "no body": Answer(200), "204": Answer(204, media_type=None),
}


@pytest.mark.parametrize("receipt", RECEIPTS.values(), ids=RECEIPTS)
def test_a_receipt_may_say_nothing(phone, receipt):
    """The message is on its way, whatever the answer's body."""
    here = phone()
    here.script.answers["/rpc/request_login_code"] = [receipt]
    here.account.send()
    asked = here.call("POST", "/api/login/code", {"identifier": here.identifier})
    assert asked.status == 202, (asked, here.failures())
    assert here.redeem(here.account.code).status == 200


@pytest.mark.parametrize("receipt", [{"status": "scheduled"}, {"status": "queued", "scheduled_for": "soon"}, {}], ids=str)
def test_a_deletion_may_name_no_date(phone, receipt):
    """The device is signed out all the same."""
    here = phone()
    here.sign_in()
    here.script.answers["/rpc/request_account_deletion"] = json_answer(202, receipt)
    answer = here.call("POST", "/api/account/deletion", {"confirmation": "DELETE"})
    assert answer.status == 202, (answer, here.failures())
    assert here.session()["state"] == "signed_out"
