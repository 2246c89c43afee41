"""What a console recorded at a backend is enough to show it again without that backend."""

import json
import subprocess
import zipfile

import pytest
from backend_process import Backend, call
from console_process import Browser, Console, binary

# Of the entries of the recording, for tests that need a HAR of another program.
CHROMIUM = {
    "startedDateTime": "2026-11-21T10:00:00.000Z", "time": 1, "cache": {}, "timings": {"send": 0, "wait": 1, "receive": 0},
    "request": {"method": "GET", "url": "https://api.example.com/v1/items?page=1", "httpVersion": "h2", "cookies": [],
                "headers": [{"name": ":authority", "value": "api.example.com"}], "queryString": [], "headersSize": -1, "bodySize": 0},
    "response": {"status": 200, "statusText": "", "httpVersion": "h2", "cookies": [],
                 "headers": [{"name": ":status", "value": "200"}, {"name": "content-type", "value": "application/json"},
                             {"name": "content-encoding", "value": "br"}, {"name": "content-length", "value": "9"}],
                 "content": {"size": 12, "mimeType": "application/json", "text": "eyJpdGVtcyI6MX0=", "encoding": "base64"},
                 "redirectURL": "", "headersSize": -1, "bodySize": 9},
}


class Site:
    """A backend, and a console at it with a browser."""

    def __init__(self, folder, *arguments):
        self.backend = Backend(binary(), folder / "backend", *arguments)
        self.console = Console(
            folder / "data", "--backend", f"https://127.0.0.1:{self.backend.port}", "--ca", self.backend.certificate)
        self.browser = Browser(self.console.port)
        self.browser.make_device()
        self.browser.identifier = "dana@example.com"

    def stop(self):
        """Ends both; each must end with 0."""
        self.browser.close()
        codes = self.console.stop(), self.backend.stop()
        assert codes == (0, 0), (codes, self.console.errors[-2000:])


def answers(site):
    """Signs in and goes through the pages; what they showed."""
    browser = site.browser

    def ask():
        browser.must("POST", "/api/login/code", {"identifier": browser.identifier}, status=202)

    if site.recorded:
        code = site.backend.code(browser.identifier, ask)
    else:
        ask()
        code = "000000"
    signed_in = browser.redeem(code)
    assert signed_in.status == 200, signed_in
    account = browser.call("GET", "/api/account")
    cues = browser.call("GET", "/api/cues")
    shuffled = browser.call("POST", "/api/cues/shuffle", {})
    first = shuffled.json["cues"][0]
    moved = browser.call("POST", f"/api/cues/{first['cue_id']}/stage", {"stage": "learning"})
    profile = browser.call("POST", "/api/profiles", {"language_code": "de"})
    active = browser.call("POST", "/api/profiles/active", {"profile_id": profile.json["profile_id"]})
    profiles = browser.call("GET", "/api/profiles")
    assert [a.status for a in (account, cues, shuffled, moved, active, profiles)] == [200] * 6
    assert profile.status in (200, 201)
    return {
        "account": {name: value for name, value in account.json.items() if name in ("profiles", "active_profile", "config")},
        "cues": [cue["prompt"] for cue in cues.json["cues"]], "shuffled": [cue["cue_id"] for cue in shuffled.json["cues"]],
        "moved": moved.json, "profile": profile.json, "profiles": {**profiles.json, "synced_at": None},
    }


def refreshes(site):
    """Once the access token has expired, the next call refreshes it."""
    connection = site.backend.connect()
    status, _, _ = call(connection, "POST", "/dev/clock", {"advance_seconds": 1000}, token=site.backend.token)
    connection.close()
    assert status == 200
    assert site.browser.call("POST", "/api/session/refresh").status == 200
    assert site.browser.session()["state"] == "authenticated"


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """The bundle and the HAR of a session at the reference backend, and what its pages showed."""
    folder = tmp_path_factory.mktemp("recorded")
    site = Site(folder)
    site.recorded = True
    shown = answers(site)
    for kind in ("zip", "har"):
        file = site.browser.call("GET", f"/api/network/export?format={kind}")
        assert file.status == 200
        (folder / f"session.{kind}").write_bytes(file.body)
    site.stop()
    assert "session.har" in zipfile.ZipFile(folder / "session.zip").namelist()
    return folder, shown


@pytest.mark.parametrize("kind", ["zip", "har"])
def test_a_recording_answers_as_the_backend_did(recording, tmp_path, kind):
    """Sign-in, account, cues, profiles and the network log show what they showed, twice in a row."""
    folder, shown = recording
    site = Site(tmp_path, "--replay", folder / f"session.{kind}")
    site.recorded = False
    assert answers(site) == shown
    refreshes(site)
    assert site.browser.call("POST", "/api/logout", {"discard": True}).status == 200
    assert site.browser.session()["state"] == "signed_out"
    assert answers(site) == shown, "a sign-in starts the recording again"
    rows = site.browser.call("GET", "/api/network?limit=500").json["events"]
    assert not [row for row in rows if row.get("status") == 501]
    assert {row["endpoint"] for row in rows} >= {"login_with_code", "me", "get_cues", "shuffle_cues", "refresh_tokens", "logout"}
    # The account's deletion was never recorded.
    refused = site.browser.call("POST", "/api/account/deletion", {"confirmation": "DELETE"})
    assert refused.status >= 500
    rows = site.browser.call("GET", "/api/network?status=501").json["events"]
    assert [row["endpoint"] for row in rows] == ["request_account_deletion"]
    site.stop()


def test_a_session_outlives_a_restart_of_the_backend(recording, tmp_path):
    """Tokens and the certificate are kept in the data folder."""
    folder, _ = recording
    first = Backend(binary(), tmp_path, "--replay", folder / "session.zip")
    connection = first.connect()
    status, tokens, _ = call(connection, "POST", "/rpc/login_with_code", {"identifier": "x", "code": "1"})
    assert status == 200
    connection.close()
    assert first.stop() == 0
    second = Backend(binary(), tmp_path, "--replay", folder / "session.zip")
    connection = second.connect()
    status, me, _ = call(connection, "GET", "/rpc/me", token=tokens["access_token"])
    assert status == 200 and me["profiles"]
    status, body, _ = call(connection, "GET", "/rpc/nothing", token=tokens["access_token"])
    assert status == 501 and body["error"]["code"] == "not_recorded" and "GET /rpc/nothing" in body["error"]["message"]
    connection.close()
    assert second.stop() == 0


def test_the_har_of_a_browser_is_served(tmp_path):
    """Pseudo header fields and the coding of the recorded bytes are left out; binary bodies are decoded."""
    (tmp_path / "a.har").write_text(json.dumps({"log": {"version": "1.2", "entries": [CHROMIUM]}}))
    backend = Backend(binary(), tmp_path / "data", "--replay", tmp_path / "a.har")
    connection = backend.connect()
    status, body, headers = call(connection, "GET", "/v1/items?page=1")
    assert status == 200 and body == {"items": 1}
    assert headers["Content-Length"] == "11" and "Content-Encoding" not in headers
    connection.close()
    assert backend.stop() == 0


@pytest.mark.parametrize(
    ("content", "arguments", "code"),
    [(None, [], 66), (b"", [], 66), (b'{"log":{"entries":[]}}', [], 66), (b"PK\x03\x04", [], 66),
     (json.dumps({"log": {"entries": [CHROMIUM]}}).encode(), ["--dialect", "camel"], 64),
     (json.dumps({"log": {"entries": [CHROMIUM]}}).encode(), ["--limits", "off"], 64)],
    ids=["missing", "empty", "no-entries", "cut", "with-dialect", "with-limits"],
)
def test_a_bad_recording_is_one_line(tmp_path, content, arguments, code):
    """It says what is wrong, and nothing is created."""
    path = tmp_path / "a.har"
    if content is not None:
        path.write_bytes(content)
    ended = subprocess.run(
        [binary(), "backend", "--port", "0", "--data", tmp_path / "data", "--replay", path, *arguments], text=True,
        capture_output=True, timeout=20, stdin=subprocess.DEVNULL, check=False,
    )
    assert ended.returncode == code and ended.stdout == ""
    assert ended.stderr.startswith("understudy: --") and ended.stderr.count("\n") == 1, ended.stderr
    assert not (tmp_path / "data").exists()
