"""The reference backend by a backend file of its own, beside the client's own calls: what differs, and nothing else."""

import re

import pytest
from backend_process import Backend, call, message, newest
from console_process import Browser, Console, binary
from file_phone import PROJECT
from moments import until

FILE = PROJECT / "Documentation/backends/understudy.yaml"
WAYS = ["contract", "file"]
# What the console sends by itself and no file can write: its own name, and the conditions of its HTTP cache.
ONLY_OF_THE_CONTRACT = {"user-agent", "if-none-match"}
# What the state says of the file itself, and the row of a sign-out, which is noted beside the answer.
ONLY_OF_THE_FILE = {"by_file", "hidden", "sign_in"}
LATER = {"row_id"}
KEYED = {"get_or_create_account_profile", "set_active_profile", "request_account_deletion", "shuffle_cues", "update_cue_stage"}


class Pair:
    """A reference backend that demands signatures, and a console for each way to it."""

    def __init__(self, folder):
        secret = folder / "secret"
        secret.write_text("Zm9yIHRoZSB0ZXN0cyBvbmx5IQ0k7Qx2")
        secret.chmod(0o600)
        signing = ["--api-id", "understudy-tests", "--api-secret-file", secret]
        self.backend = Backend(binary(), folder / "backend", *signing)
        self.connection = self.backend.connect()
        flags = ["--backend", f"https://127.0.0.1:{self.backend.port}", "--ca", self.backend.certificate, *signing]
        self.consoles = {way: Console(folder / way, *flags, *(["--backend-file", FILE] if way == "file" else [])) for way in WAYS}

    def stop(self):
        """Ends all of them."""
        self.connection.close()
        codes = [console.stop() for console in self.consoles.values()]
        for console in self.consoles.values():
            console.log.close()
        assert (*codes, self.backend.stop()) == (0, 0, 0)


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    running = Pair(tmp_path_factory.mktemp("understudy"))
    yield running
    running.stop()


class Phone(Browser):
    """A device that notes what the pages get, and what the backend got."""

    def __init__(self, pair, way):
        super().__init__(pair.consoles[way].port)
        self.pair, self.way, self.noted = pair, way, []
        # The same name for both ways would have the second find what the first has done.
        self.identifier = f"{way}.ada@example.com"
        self.make_device()

    def note(self, method, path, body=None):
        """Makes a call and notes its answer; the answer."""
        answer = self.call(method, path, body)
        self.noted.append((method, re.sub("[0-9a-f-]{36}", "…", path), answer.status, answer.code or shape(answer.json)))
        return answer

    def message(self, path):
        """Asks for a message by this route; the message."""
        before = newest(self.pair.backend, self.pair.connection, self.identifier)
        assert self.note("POST", path, {"identifier": self.identifier}).status == 202
        return message(self.pair.backend, self.pair.connection, self.identifier, before)

    def enter(self, code):
        """Signs in with a code; the answer."""
        return self.note("POST", "/api/login/code/verify", {"identifier": self.identifier, "code": code})

    def rows(self):
        """The rows of what was sent, whole, oldest first; what the cache answered was not sent."""
        events = self.must("GET", "/api/network").json["events"]
        return [self.must("GET", f"/api/network/{row['id']}").json for row in events if row["source"] != "cache"]


def shape(value):
    """The names and kinds of a JSON value, in place of what differs between two accounts and two moments."""
    if isinstance(value, dict):
        return {name: shape(member) for name, member in sorted(value.items()) if name not in ONLY_OF_THE_FILE | LATER}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


def told(row):
    """What a row tells of a call, without what HTTP's own conditions change."""
    return (row["flow"], row["endpoint"], row["method"], row["path"], 200 if row["status"] == 304 else row["status"], row["state"], row.get("error"))


def sent_fields(rows):
    """The names of the header fields that were sent with each endpoint."""
    fields = {}
    for row in rows:
        fields.setdefault(row["endpoint"], set()).update(name.lower() for name, _ in row["request"]["headers"])
    return fields


def run(pair, way, steps):
    """Has a new phone take the steps; gives what the pages got, and the rows."""
    phone = Phone(pair, way)
    steps(phone)
    rows = phone.rows()
    phone.close()
    return phone.noted, rows


def both(pair, steps):
    """The rows of both ways; the pages must have got the same, and the backend the same calls."""
    (noted, rows), (noted_by_file, rows_by_file) = (run(pair, way, steps) for way in WAYS)
    assert noted_by_file == noted
    # The configuration is fresh for five minutes; without a cache it is asked for again.
    kept = [told(row) for row in rows if row["endpoint"] != "app_config"]
    assert [told(row) for row in rows_by_file if row["endpoint"] != "app_config"] == kept
    return rows, rows_by_file


def signed_in(phone):
    """Signs in by a code and reads the account."""
    assert phone.enter(phone.message("/api/login/code")["code"]).status == 200
    assert phone.note("GET", "/api/account").status == 200


def test_sign_in_by_code_and_by_link_and_sign_out(pair):
    def steps(phone):
        code = phone.message("/api/login/code")["code"]
        wrong = phone.enter("000000" if code != "000000" else "111111")
        assert (wrong.status, wrong.code) == (422, "login_code_invalid")
        assert phone.enter(code).status == 200
        assert phone.note("GET", "/api/account").status == 200
        assert phone.note("POST", "/api/logout", {}).json["session"]["state"] == "signed_out"
        assert phone.note("GET", "/api/account").status == 401
        link = phone.message("/api/login/magic-link")["link"]
        assert phone.note("POST", "/api/login/magic-link/complete", {"url": link}).status == 200
        again = phone.note("POST", "/api/login/magic-link/complete", {"url": link})
        assert (again.status, again.code) == (422, "login_link_invalid")

    both(pair, steps)


def test_only_the_backend_of_a_file_decides_what_an_identifier_is(pair):
    sent = {}
    for way in WAYS:
        phone = Phone(pair, way)
        answer = phone.call("POST", "/api/login/code", {"identifier": "ada"})
        assert (answer.status, answer.code) == (422, "invalid_identifier")
        sent[way] = [row["status"] for row in phone.rows() if row["endpoint"] == "request_login_code"]
        phone.close()
    assert sent == {"contract": [], "file": [400]}


def test_profiles_cues_and_deletion(pair):
    def steps(phone):
        signed_in(phone)
        assert phone.note("POST", "/api/account/language", {"language_code": "de"}).status == 200
        profiles = phone.note("GET", "/api/profiles").json["profiles"]
        assert len(profiles) == 2
        assert phone.note("POST", "/api/profiles/active", {"profile_id": profiles[0]["profile_id"]}).status == 200
        cues = phone.note("GET", "/api/cues").json["cues"]
        assert phone.note("POST", "/api/cues/shuffle", {}).status == 200
        assert phone.note("POST", f"/api/cues/{cues[0]['cue_id']}/stage", {"stage": "mastered"}).status in (200, 202)
        assert phone.note("POST", "/api/account/deletion", {"confirmation": "DELETE"}).status == 202

    rows, rows_by_file = both(pair, steps)
    fields, fields_by_file = sent_fields(rows), sent_fields(rows_by_file)
    assert fields.keys() == fields_by_file.keys() >= KEYED
    for endpoint, names in fields.items():
        assert names - fields_by_file[endpoint] <= ONLY_OF_THE_CONTRACT, endpoint
        assert not fields_by_file[endpoint] - names, endpoint
        assert {"x-api-id", "x-nonce", "x-signature", "x-device-id", "x-request-id"} <= fields_by_file[endpoint], endpoint
        assert ("idempotency-key" in fields_by_file[endpoint]) == (endpoint in KEYED), endpoint
    # An account that has not changed costs no body without a file.
    assert any(row["status"] == 304 for row in rows) and not any(row["status"] == 304 for row in rows_by_file)


def test_cue_that_another_device_has_moved_is_a_conflict(pair):
    def steps(phone):
        signed_in(phone)
        cue = phone.note("GET", "/api/cues").json["cues"][0]["cue_id"]
        other = Phone(pair, phone.way)
        signed_in(other)
        other.must("GET", "/api/cues")
        other.must("POST", f"/api/cues/{cue}/stage", {"stage": "mastered"})
        other.close()
        answer = phone.note("POST", f"/api/cues/{cue}/stage", {"stage": "learning"})
        phone.noted.append((answer.code, phone.note("GET", "/api/cues").json["cues"][0]["stage"]))

    # How often a device reads its cues again in the background is a matter of time.
    (noted, rows), (noted_by_file, rows_by_file) = (run(pair, way, steps) for way in WAYS)
    assert noted_by_file == noted
    for sent in (rows, rows_by_file):
        moves = [(row["status"], row.get("error")) for row in sent if row["endpoint"] == "update_cue_stage"]
        assert moves[0] == (409, "conflict"), moves


def test_expired_token_is_refreshed_once(pair):
    def steps(phone):
        signed_in(phone)
        advance = {"advance_seconds": 16 * 60}
        assert call(pair.connection, "POST", "/dev/clock", advance, token=pair.backend.token)[0] in (200, 204)
        assert phone.note("GET", "/api/account").status == 200
        assert phone.note("POST", "/api/session/refresh", {}).status == 200

    rows, rows_by_file = both(pair, steps)
    for sent in (rows, rows_by_file):
        refused = next(row for row in sent if row["status"] == 401)
        assert (refused["endpoint"], refused["error"]) == ("me", "ErrAccessTokenExpired")
        causes = [row for row in sent if row.get("parent_id") == refused["id"]]
        assert sorted(row["endpoint"] for row in causes) == ["me", "refresh_tokens"], causes


def test_refused_refresh_ends_the_session_with_the_reason_of_the_backend(pair):
    for way in WAYS:
        phone = Phone(pair, way)
        signed_in(phone)
        # Whether it still knows the tokens depends on when it last looked for what is over.
        assert call(pair.connection, "POST", "/dev/clock", {"advance_seconds": 15 * 86_400}, token=pair.backend.token)[0] in (200, 204)
        assert phone.call("GET", "/api/account").status in (401, 409)
        refused = [row for row in phone.rows() if row["endpoint"] == "refresh_tokens"][-1]
        reasons = {"ErrRefreshTokenExpired": "refresh_token_expired", "invalid_token": "invalid_token"}
        assert (phone.session()["state"], phone.session()["reason"]) == ("signed_out", reasons[refused["error"]]), way
        phone.close()


def test_pages_show_the_same(pair):
    configs = {}
    for way in WAYS:
        phone = Phone(pair, way)

        def fetched():
            config = phone.must("GET", "/api/state").json.get("config")
            return config if config and config["supported_languages"] else None

        configs[way] = until(fetched, "the configuration is there")
        phone.close()
    asked = {one["call"]: one["fields"] for one in configs["file"]["sign_in"]}
    assert asked == {
        "request_magic_link": ["identifier"], "request_login_code": ["identifier"], "login_with_magic_token": ["link"],
        "login_with_code": ["identifier", "code"]}
    assert configs["file"]["hidden"] == ["sign_in_password"]
    kept = [{name: value for name, value in config.items() if name not in ONLY_OF_THE_FILE} for config in configs.values()]
    assert kept[0] == kept[1]
