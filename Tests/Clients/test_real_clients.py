"""Real clients lose their sessions, mitmproxy records it, and `understudy explain` finds the cause and its rows.

Each test is an app around a published client, without changes of it. With `--renew` the recordings become fixtures of the Swift tests.
"""

import concurrent.futures
import contextlib
import datetime
import json
import platform
import subprocess

import boto3
import pytest
import requests
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session as AuthlibSession
from botocore.exceptions import ClientError
from console_process import binary
from oauthlib.oauth2 import InvalidGrantError, LegacyApplicationClient, OAuth2Error
from pycognito import Cognito as CognitoClient
from recorder import PROJECT, recording
from requests_oauthlib import OAuth2Session
from servers import NAME, PASSWORD, Cognito, GoTrue, OAuth
from supabase_auth import SyncGoTrueClient, SyncMemoryStorage
from supabase_auth.errors import AuthApiError

FIXTURES = PROJECT / "Tests/Fixtures/sessions"
SIGN_IN = {"username": NAME, "password": PASSWORD}


def at_once(call):
    """What two threads of an app get that make a call: values and errors."""
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        calls = [threads.submit(call) for _ in range(2)]
        return [done.exception() or done.result() for done in calls]


class LaterDay:
    """The module `datetime`, a day later."""

    class datetime(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return super().now(tz) + datetime.timedelta(days=1)


class Log:
    """A recording, and what the program says of it."""

    def __init__(self, file):
        self.file = file
        self.requests = [entry["request"] for entry in json.loads(file.read_text())["log"]["entries"]]

    def rows(self, *texts):
        """The numbers of the requests with all of these texts in their address, headers or body, from 1."""
        written = [(number, json.dumps(request)) for number, request in enumerate(self.requests, 1)]
        return [number for number, text in written if all(one in text for one in texts)]

    def must_show(self, request, name, verdict, findings):
        """Fails unless the program finds exactly these kinds, each with at least these rows; keeps the recording if that is asked for."""
        done = subprocess.run([binary(), "explain", "--format", "json", self.file], capture_output=True, text=True, timeout=60)
        report = json.loads(done.stdout)
        assert report["verdict"] == verdict, report
        found = {one["kind"]: one["rows"] for one in report["findings"]}
        assert found.keys() == findings.keys(), report["findings"]
        assert all(set(rows) <= set(found[kind]) for kind, rows in findings.items()), (found, findings)
        if request.config.getoption("--renew"):
            kept = [{"kind": kind, "core": rows} for kind, rows in findings.items()]
            expected = {"file": f"client-{name}.har", "verdict": verdict, "findings": kept}
            # Some clients send the version of the kernel.
            recorded = json.loads(self.file.read_text().replace(platform.release(), "6.1.0"))
            (FIXTURES / f"client-{name}.har").write_text(json.dumps(recorded).replace(', {"startedDateTime"', ',\n{"startedDateTime"') + "\n")
            (FIXTURES / f"client-{name}.expect.json").write_text(json.dumps(expected) + "\n")


def supabase(address):
    """A client of Supabase whose session is for this process alone."""
    return SyncGoTrueClient(url=address, storage=SyncMemoryStorage(), auto_refresh_token=False)


def authlib(address):
    """A session of Authlib."""
    return AuthlibSession("app", token_endpoint=f"{address}/oauth/token", token_endpoint_auth_method="none")


def requests_oauthlib(address):
    """A session of requests-oauthlib that refreshes by itself."""
    return OAuth2Session(
        client=LegacyApplicationClient("app"), auto_refresh_url=f"{address}/oauth/token", auto_refresh_kwargs={"client_id": "app"},
        token_updater=dict)


@contextlib.contextmanager
def cognito(address):
    """A client of pycognito."""
    client = CognitoClient(
        Cognito.POOL, Cognito.CLIENT, user_pool_region="us-east-1", username=NAME, session=boto3.Session(),
        boto3_client_kwargs={"endpoint_url": address})
    try:
        yield client
    finally:
        client.client.close()


def test_supabase_race(request, tmp_path):
    """The client has no lock: two threads that need the session send one refresh token, and the app signs out at the error."""
    file = tmp_path / "log.har"
    with GoTrue() as server, recording(server, file) as address, supabase(address) as client:
        server.lifetime = 5
        token = client.sign_in_with_password({"email": NAME, "password": PASSWORD}).session.refresh_token
        server.lifetime = 3600
        with server.two_refreshes_at_once():
            results = at_once(client.get_user)
        assert [type(result) for result in results].count(AuthApiError) == 1, results
        client.sign_out({"scope": "local"})
    log = Log(file)
    race = log.rows("grant_type=refresh_token", token)
    assert len(race) == 2 and log.rows("/logout")
    log.must_show(request, "supabase-race", "signed_out", {"refresh_race": race})


def test_supabase_kept(request, tmp_path):
    """The same client with one thread refreshes again and again, and nothing is wrong."""
    file = tmp_path / "log.har"
    with GoTrue() as server, recording(server, file) as address, supabase(address) as client:
        server.lifetime = 5
        client.sign_in_with_password({"email": NAME, "password": PASSWORD})
        assert all(client.get_user().user.email == NAME for _ in range(4))
    log = Log(file)
    assert len(log.rows("grant_type=refresh_token")) == 4
    log.must_show(request, "supabase-kept", "session_kept", {})


def test_authlib_race(request, tmp_path):
    """Two threads of an app share a session of Authlib, which refreshes in both."""
    file = tmp_path / "log.har"
    with OAuth() as server, recording(server, file) as address, authlib(address) as session:
        server.lifetime = 30
        token = session.fetch_token(**SIGN_IN)["refresh_token"]
        server.lifetime = 3600
        with server.two_refreshes_at_once():
            results = at_once(lambda: session.get(f"{address}/v1/items").status_code)
        assert 200 in results and [type(result) for result in results].count(OAuthError) == 1, results
        session.fetch_token(**SIGN_IN)
    log = Log(file)
    race = log.rows("refresh_token", token)
    assert len(race) == 2
    log.must_show(request, "authlib-race", "signed_out", {"refresh_race": race})


def test_requests_oauthlib_lost_answer(request, tmp_path, monkeypatch):
    """The backend replaces the refresh token and the response is lost, so the app's next try sends the old one."""
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    file = tmp_path / "log.har"
    with OAuth() as server, recording(server, file) as address, requests_oauthlib(address) as session:
        url = f"{address}/oauth/token"
        token = session.fetch_token(url, **SIGN_IN)["refresh_token"]
        assert session.get(f"{address}/v1/items").status_code == 200
        # As the client's documentation has it: the app knows that time has passed.
        session.token = {**session.token, "expires_at": 1, "expires_in": -30}
        server.loses = True
        with pytest.raises((OAuth2Error, requests.exceptions.RequestException)):
            session.get(f"{address}/v1/items")
        with pytest.raises(InvalidGrantError):
            session.get(f"{address}/v1/items")
        session.fetch_token(url, **SIGN_IN)
    log = Log(file)
    lost, refused = log.rows("grant_type=refresh_token", token)
    log.must_show(request, "requests-oauthlib-lost", "signed_out", {"refresh_answer_lost": [lost, refused]})


def test_pycognito_keeps_sending(request, tmp_path, monkeypatch):
    """An administrator ends the user's sessions, and the client sends the revoked refresh token before each call."""
    for name, value in {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_EC2_METADATA_DISABLED": "true"}.items():
        monkeypatch.setenv(name, value)
    file = tmp_path / "log.har"
    with Cognito() as server, recording(server, file) as address, cognito(address) as client:
        server.address = address
        client.authenticate(PASSWORD)
        assert client.get_user().email == NAME
        server.end_all()
        monkeypatch.setattr("pycognito.datetime", LaterDay)
        for _ in range(3):
            with pytest.raises(ClientError, match="revoked"):
                client.check_token()
    log = Log(file)
    tries = log.rows("REFRESH_TOKEN_AUTH")
    assert len(tries) == 3
    log.must_show(
        request, "pycognito-revoked", "signed_out", {"signed_out_elsewhere": tries[:1], "token_used_after_refusal": tries})
