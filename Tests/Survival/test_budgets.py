"""Bytes have budgets and guesses have limits: what strangers send costs little, and what they try is counted."""

import json
import os
import re
import select
import socket
import subprocess

import pytest
from console_process import PROJECT, Browser, NotStarted, binary
from moments import until

MIB = 1 << 20
TOKEN = "Zm9yIHRoZSB0ZXN0cyBvbmx5IQ0k7Qx2"


def used(console, name):
    """A gauge of what is used."""
    text = re.search(rf'^understudy_used\{{name="{name}"\}} (\d+)$', console.text("/metrics"), re.MULTILINE)
    return int(text[1]) if text else None


def half_sent(port, path, size, sent, headers=()):
    """A connection with a POST of whose announced body only a part comes."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=20)
    head = [
        f"POST {path} HTTP/1.1", f"Host: localhost:{port}", f"Origin: http://localhost:{port}", "Content-Type: application/json",
        f"Content-Length: {size}", *headers,
    ]
    try:
        connection.sendall("\r\n".join([*head, "", ""]).encode() + b" " * sent)
    except OSError:
        # It was answered and closed before all was sent.
        pass
    return connection


def ended(connections):
    """Those that have been answered or closed."""
    poller, by_descriptor = select.poll(), {connection.fileno(): connection for connection in connections}
    for descriptor in by_descriptor:
        poller.register(descriptor, select.POLLIN)
    return [by_descriptor[descriptor] for descriptor, _ in poller.poll(0)]


def status(connection):
    """The status of the answer; None if a reset has overtaken it, as it may while the sender is still busy."""
    try:
        return int(connection.recv(65536).split(b" ")[1])
    except (ConnectionError, IndexError):
        return None


def test_half_sent_bodies_of_strangers_cost_nothing(start):
    """300 bodies of 1 MiB, but for their last byte, to the routes that ask for no device: none is waited for."""
    console = start()
    before = console.resident_kib()
    for path in ("/api/access", "/api/devices"):
        connections = [half_sent(console.port, path, MIB, MIB - 1) for _ in range(150)]
        until(lambda: len(ended(connections)) == len(connections), lambda: f"{len(ended(connections))} of 150 are refused")  # noqa: B023
        answers = {status(connection) for connection in connections}
        assert 413 in answers and answers <= {413, None}, (path, answers)
        grown = console.resident_kib() - before
        print(f"{path}: 150 half-sent bodies: {grown:,} KiB")
        assert grown < 64 << 10, f"{grown:,} KiB"
        for connection in connections:
            connection.close()


def test_a_stranger_may_send_four_kibibytes(start):
    console = start()
    for path in ("/api/access", "/api/devices"):
        browser = Browser(console.port)
        assert browser.call("POST", path, {"name": "a", "token": "x", "more": "b" * 4000}).status in (201, 401)
        answer = browser.call("POST", path, {"name": "a", "token": "x", "more": "b" * 4096})
        assert answer.status == 413 and answer.code == "payload_too_large"
    browser = Browser(console.port)
    browser.make_device()
    assert browser.call("POST", "/api/analytics", {"name": "settings.opened", "more": "b" * 100_000}).status == 204


def test_bodies_share_a_budget(start):
    """Whoever has a device gets 64 MiB for all bodies at once, and they are given back."""
    console = start()
    browser = Browser(console.port)
    browser.make_device()
    cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    passes = (f"Cookie: {cookies}", f"X-Device-Key: {browser.key}")
    before = console.resident_kib()
    connections = [half_sent(console.port, "/api/analytics", MIB, MIB - 1, passes) for _ in range(100)]
    # Those that do not fit beside 64 others are refused, and no other.
    until(lambda: len(ended(connections)) >= 36, lambda: f"{len(ended(connections))} are refused")
    refused = ended(connections)
    answers = {status(connection) for connection in refused}
    grown = console.resident_kib() - before
    print(f"100 half-sent bodies with a device: {len(refused)} refused, {grown:,} KiB")
    assert 503 in answers and answers <= {503, None}, answers
    assert len(refused) < 60 and grown < 192 << 10, (len(refused), grown)
    assert 32 * MIB < used(console, "bodies_bytes") <= 64 * MIB
    for connection in connections:
        connection.close()
    until(lambda: used(console, "bodies_bytes") == 0, "the budget is given back")
    assert browser.call("POST", "/api/analytics", {"name": "settings.opened", "more": "b" * 900_000}).status == 204


@pytest.fixture
def guarded(start, tmp_path):
    """A console that asks for an access token."""

    def begin(*arguments):
        token = tmp_path / "token"
        token.write_text(TOKEN)
        token.chmod(0o600)
        return start("--access-token-file", token, *arguments)

    return begin


def guess(console, token, *forwarded):
    """Shows a token: status, code, seconds to wait."""
    body = json.dumps({"token": token})
    head = [
        "POST /api/access HTTP/1.1", f"Host: localhost:{console.port}", f"Origin: http://localhost:{console.port}",
        "Content-Type: application/json", f"Content-Length: {len(body)}", "Connection: close", *forwarded, "", body,
    ]
    with socket.create_connection(("127.0.0.1", console.port), timeout=20) as connection:
        connection.sendall("\r\n".join(head).encode())
        answer = b"".join(iter(lambda: connection.recv(65536), b"")).decode()
    wait = re.search(r"^Retry-After: (\d+)\r$", answer, re.MULTILINE | re.IGNORECASE)
    code = re.search(r'"code":"(\w+)"', answer)
    return int(answer.split(" ")[1]), code and code[1], wait and int(wait[1])


def test_ten_wrong_tokens_a_minute_and_the_log_says_so_once(guarded):
    console = guarded()
    assert all(guess(console, TOKEN)[0] == 204 for _ in range(15)), "a right token never counts"
    assert all(guess(console, f"guess-{number}")[0] == 401 for number in range(10))
    for token in ("guess-10", TOKEN, "guess-11"):
        code, word, wait = guess(console, token)
        assert (code, word) == (429, "too_many_attempts") and 50 <= wait <= 60
    line = [line for line in console.errors.splitlines() if "wrong access tokens" in line]
    assert len(line) == 1 and "127.0.0.1" in line[0]
    assert "guess-" not in console.errors and TOKEN not in console.errors


def test_a_bearer_of_the_metrics_is_a_guess_too(guarded):
    # On loopback the owner is asked for nothing.
    console = guarded("--behind-proxy")

    def metrics(token):
        ask = f"GET /metrics HTTP/1.1\r\nHost: localhost:{console.port}\r\nConnection: close\r\n"
        ask += f"Authorization: Bearer {token}\r\n\r\n" if token else "\r\n"
        with socket.create_connection(("127.0.0.1", console.port), timeout=20) as connection:
            connection.sendall(ask.encode())
            return int(connection.recv(65536).split(b" ")[1])

    assert all(metrics(None) == 401 for _ in range(12)), "showing nothing is no guess"
    assert metrics(TOKEN) == 200
    assert [metrics("wrong") for _ in range(11)] == [401] * 10 + [429]
    assert metrics(TOKEN) == 429 and guess(console, TOKEN)[0] == 429


def test_behind_a_proxy_the_client_counts_that_it_names(guarded):
    console = guarded("--behind-proxy")
    # The proxy adds the last hop; the client chooses what precedes it.
    for number in range(10):
        assert guess(console, "wrong", f"X-Forwarded-For: 203.0.113.{number}, 198.51.100.7")[0] == 401
    assert guess(console, "wrong", "X-Forwarded-For: 203.0.113.99, 198.51.100.7")[0] == 429
    assert guess(console, "wrong", "Forwarded: for=203.0.113.99, for=198.51.100.7")[0] == 429
    assert guess(console, TOKEN, "X-Forwarded-For: 198.51.100.8")[0] == 204
    # What cannot be read counts as the proxy itself.
    for number in range(10):
        assert guess(console, "wrong", f"X-Forwarded-For: nobody-{number}")[0] == 401
    assert guess(console, "wrong")[0] == 429
    assert guess(console, TOKEN, "X-Forwarded-For: 198.51.100.8", "Forwarded: for=198.51.100.9")[0] == 429
    # A hundred in all.
    for number in range(80):
        assert guess(console, "wrong", f"X-Forwarded-For: 192.0.2.{number}")[0] == 401
    assert guess(console, TOKEN, "X-Forwarded-For: 192.0.2.200")[0] == 429


@pytest.mark.parametrize("token", ["password", "a" * 64, "0123456789abcdef" * 4, "1234567890" * 3, "abcdefghijklmnopqrstuvwxyz012345"])
def test_a_token_that_can_be_guessed_starts_nothing(start, tmp_path, token):
    (tmp_path / "token").write_text(token)
    (tmp_path / "token").chmod(0o600)
    with pytest.raises(NotStarted) as failure:
        start("--access-token-file", tmp_path / "token")
    assert failure.value.code == 78
    assert "openssl rand -base64 24" in failure.value.errors and token not in failure.value.errors


@pytest.mark.parametrize("command", ["serve", "serve-secret", "backend", "backend-secret", "check"])
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620])
def test_a_secret_that_others_can_read_starts_nothing(tmp_path, command, mode):
    (tmp_path / "secret").write_text(TOKEN)
    (tmp_path / "secret").chmod(mode)
    arguments = {
        "serve": ["serve", "--port", 0, "--ephemeral", "--public", PROJECT / "Public", "--access-token-file"],
        "serve-secret": [
            "serve", "--port", 0, "--ephemeral", "--public", PROJECT / "Public", "--api-id", "a", "--api-secret-file"],
        "backend": ["backend", "--port", 0, "--data", tmp_path / "data", "--dev-token-file"],
        "backend-secret": ["backend", "--port", 0, "--data", tmp_path / "data", "--api-id", "a", "--api-secret-file"],
        "check": ["check", "--backend", "https://127.0.0.1:1", "--dev-token-file"],
    }[command]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("UNDERSTUDY_")}
    ended = subprocess.run(
        [binary(), *map(str, arguments), tmp_path / "secret"], env=environment, capture_output=True, text=True, timeout=20,
        check=False)
    assert ended.returncode == 78, ended
    assert "chmod 600" in ended.stderr and len(ended.stderr.splitlines()) == 1 and TOKEN not in ended.stderr
