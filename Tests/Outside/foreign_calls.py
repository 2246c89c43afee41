"""What each call of the foreign backend does: functions of (script, body) that return a status and a value."""

import re
import time

from dialects import Instant
from foreign_account import CONFIG, Refused

IDENTIFIER = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+|\+\d{7,15}")


def _request(script, body):
    if not IDENTIFIER.fullmatch(body["identifier"]):
        raise Refused(400, "invalid_identifier")
    account = script.backend.account(body["identifier"])
    account.send()
    script.backend.sent(account, body.get("state"))
    return 200, {"cooldown_seconds": 0, "expires_in_seconds": 600}


def _sign_in(script, account):
    account.code = account.link_token = None
    script.account = account
    return 200, script.tokens.start() | {"profile": account.profiles["en"]}


def _login_with_code(script, body):
    account = script.backend.account(body["identifier"])
    if account.code is None or body["code"] != account.code:
        raise Refused(401, "login_code_invalid")
    return _sign_in(script, account)


def _login_with_link(script, body):
    account = script.backend.account_of_link(body["token"])
    if not account:
        raise Refused(401, "login_link_invalid")
    return _sign_in(script, account)


def _refresh(script, body):
    if script.backend.is_of_another(body.get("refresh_token"), script):
        raise Refused(401, "ErrDeviceNotRegistered")
    return 200, script.tokens.rotate(body.get("refresh_token"))


def _logout(script, body):
    script.tokens.end()
    return 204, None


def _own(script, body):
    if str(body.get("account_id")) != script.account.account_id:
        raise Refused(403, "forbidden")
    return script.account


OPEN = {
    ("POST", "/rpc/request_magic_link"): _request,
    ("POST", "/rpc/request_login_code"): _request,
    ("POST", "/rpc/login_with_magic_token"): _login_with_link,
    ("POST", "/rpc/login_with_code"): _login_with_code,
    ("POST", "/rpc/refresh_tokens"): _refresh,
    ("POST", "/app/api/refresh-token"): _refresh,
    ("GET", "/rpc/app_config"): lambda script, body: (200, CONFIG),
}
AUTHORIZED = {
    ("GET", "/rpc/me"): lambda script, body: (200, script.account.me()),
    ("POST", "/rpc/get_or_create_account_profile"): lambda script, body: _own(script, body).profile(body["language_code"]),
    ("POST", "/rpc/set_active_profile"): lambda script, body: (200, _own(script, body).activate(body["language_code"])),
    ("POST", "/rpc/request_account_deletion"): lambda script, body: (202, script.account.delete()),
    ("GET", "/rpc/get_cues"): lambda script, body: (200, {"cues": script.account.cues, "server_time": Instant(int(time.time()))}),
    ("POST", "/rpc/shuffle_cues"): lambda script, body: (200, script.account.shuffle()),
    ("POST", "/rpc/update_cue_stage"): lambda script, body: (
        200, script.account.move(str(body["cue_id"]), body["stage"], body["base_updated_at"], script.dialect.dates)),
    ("POST", "/app/api/logout"): _logout,
}
