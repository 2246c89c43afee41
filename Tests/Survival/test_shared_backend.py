"""Several `understudy backend` over one PostgreSQL of the tests."""

import os
import signal
import subprocess

import pytest
from backend_process import Backend, call, sign_in
from console_process import binary

ANA = "ana@example.com"


@pytest.fixture
def shared(tmp_path, database):
    """Starts backends over the database; those that still run must end with 0."""
    backends = []

    def begin():
        folder = tmp_path / f"backend-{len(backends)}"
        backends.append(Backend(binary(), folder, "--vault-key-file", tmp_path / "vault.key", database=database.address))
        return backends[-1]

    yield begin
    codes = [backend.stop() for backend in backends if backend.process.poll() is None]
    assert not any(codes), codes


def refresh(connection, token):
    return call(connection, "POST", "/rpc/refresh_tokens", {"refresh_token": token})


def told(*arguments):
    """What a backend that does not start says."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("UNDERSTUDY_")}
    return subprocess.run(
        [binary(), "backend", "--port", "0", *map(str, arguments)], capture_output=True, text=True, timeout=60, env=environment)


def test_two_backends_act_as_one_and_one_of_them_may_be_killed(shared):
    one, other = shared(), shared()
    assert one.pin == other.pin
    at_one, at_other = one.connect(), other.connect()
    first = sign_in(one, at_one, ANA)
    status, second, _ = refresh(at_other, first["refresh_token"])
    assert status == 200 and second["session_id"] == first["session_id"]
    assert call(at_one, "GET", "/rpc/me", token=second["access_token"])[0] == 200
    body, key = {"callee": "x"}, "0b6f7a52-6a4e-4c19-9e0c-4c41f2c4a001"
    calls = [call(at, "POST", "/app/api/call/start", body, token=second["access_token"], key=key)[1] for at in (at_one, at_other)]
    assert calls[0] == calls[1]
    one.process.send_signal(signal.SIGKILL)
    one.process.wait()
    status, third, _ = refresh(at_other, second["refresh_token"])
    assert status == 200
    at_third = shared().connect()
    assert call(at_third, "GET", "/rpc/me", token=third["access_token"])[0] == 200
    status, refused, _ = refresh(at_third, first["refresh_token"])
    assert status == 401 and refused["error"]["code"] == "refresh_token_reused"
    assert call(at_other, "GET", "/rpc/me", token=third["access_token"])[0] == 401


def test_the_inbox_has_the_messages_of_all(shared):
    one, other = shared(), shared()
    at_one, at_other = one.connect(), other.connect()
    assert call(at_one, "POST", "/rpc/request_login_code", {"identifier": ANA})[0] == 200
    status, body, _ = call(at_other, "GET", "/dev/inbox?wait=10", token=other.token)
    assert status == 200 and [message["to"] for message in body["messages"]] == [ANA]


def test_connections_that_were_cut_are_replaced(shared, database):
    backend = shared()
    connection = backend.connect()
    tokens = sign_in(backend, connection, ANA)
    database.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
    # A lost connection that nobody used is replaced.
    assert refresh(connection, tokens["refresh_token"])[0] == 200


def test_a_backend_that_cannot_share_ends_with_a_line(shared, database, tmp_path):
    shared()
    refused = told("--database", database.address, "--vault-key-file", tmp_path / "other.key")
    assert refused.returncode == 78 and "belongs to another key" in refused.stderr, refused
    away = told("--database", "postgres://a@127.0.0.1:1/x", "--vault-key-file", tmp_path / "other.key")
    assert away.returncode == 69 and "Connection refused" in away.stderr, away
    database.ask("INSERT INTO understudy_backend.schema_migration VALUES ('99 of a newer version')")
    newer = told("--database", database.address, "--vault-key-file", tmp_path / "vault.key")
    assert newer.returncode == 78 and "99 of a newer version" in newer.stderr, newer
    for one in (refused, away, newer):
        assert len(one.stderr.strip().splitlines()) == 1, one
