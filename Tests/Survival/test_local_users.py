"""Other users of this machine: they are not served, unless they show the access token or the console serves everybody."""

import contextlib
import encodings.idna  # noqa: F401 (what another user may not be able to read must be there before)
import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest
from console_process import PROJECT, Browser, Console, stop_all
from moments import until

OWNER, STRANGER = 64_321, 64_322
ROOT = 0

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be several users")


@contextlib.contextmanager
def user(number):
    """Sockets that are made meanwhile are this user's."""
    os.seteuid(number)
    try:
        yield
    finally:
        os.seteuid(ROOT)


@pytest.fixture
def folder():
    """A folder that every user reaches, unlike pytest's own."""
    path = Path(tempfile.mkdtemp(prefix="understudy-users-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def run(folder, installed):
    """Starts a console as a user; it must end with 0."""
    started = []

    def begin(owner, *arguments, **options):
        data = folder / f"data-{len(started)}"
        data.mkdir(mode=0o700)
        os.chown(data, owner, owner)
        program = folder / f"as-{owner}"
        program.write_text(f'#!/bin/sh\nexec setpriv --pdeathsig KILL --reuid {owner} --regid {owner} --clear-groups -- {installed}/understudy "$@"\n')
        program.chmod(0o755)
        started.append(Console(data, *arguments, program=program, public=installed / "Public", **options))
        return started[-1]

    yield begin
    codes = stop_all(started)
    assert not any(codes), codes


@pytest.fixture
def no_users(folder):
    """The library that disables the ways to find a peer's user."""
    path = folder / "no_users.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", path, PROJECT / "Tests/Faults/no_users.c", "-ldl"], check=True)
    return path


class Caller(Browser):
    """A browser of one of the machine's users."""

    def __init__(self, port, number, host="127.0.0.1"):
        super().__init__(port)
        self.number, self.host = number, host

    def call(self, method, path, body=None, timeout=None):
        """One call, over a connection of the user's own."""
        with user(self.number):
            if self.connection is None:
                self.connection = http.client.HTTPConnection(self.host, self.port, timeout=20)
                self.connection.connect()
        return super().call(method, path, body, timeout)


def is_shut_out(caller, secret=None):
    """Pages open, and nothing behind them does."""
    for method, path in (("POST", "/api/devices"), ("POST", "/api/backend/reset"), ("POST", "/api/browser")):
        answer = caller.call(method, path, {"device_keys": ["a"]})
        assert (answer.status, answer.code) == (401, "access_required"), answer
        assert not secret or secret not in str(answer.headers) + repr(answer)
    for path in ("/api/state", "/api/inbox?all=1", "/api/devices", "/metrics"):
        answer = caller.call("GET", path)
        assert (answer.status, answer.code) == (401, "access_required"), answer
    guess = caller.call("POST", "/api/access", {"token": ""})
    assert guess.status in (401, 429) and "Set-Cookie" not in guess.headers
    assert caller.call("GET", "/healthz").status == 200 and caller.call("GET", "/login").status == 200
    assert caller.call("GET", "/").headers["Location"] == "/login"


def can_do_everything(caller):
    """What only the console's owner may."""
    if not caller.key:
        caller.make_device()
    assert caller.call("GET", "/api/inbox?all=1").status == 200
    assert caller.call("GET", "/api/backend/limits").status == 200
    assert caller.call("POST", "/api/backend/clock", {"reset": True}).status == 200
    assert caller.call("POST", "/api/backend/limits", {"reset": True}).status == 200
    assert caller.call("GET", "/metrics").status == 200


@pytest.mark.parametrize("owner", [OWNER, ROOT])
@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_another_user_gets_no_further_than_the_pages(run, owner, host):
    """Tried: he opened a device, read the owner's code from the whole inbox, signed in with it and reset the backend."""
    console = run(owner, "--host", "localhost")
    mine = Caller(console.port, owner, host)
    mine.sign_in("dana@example.com")
    is_shut_out(Caller(console.port, STRANGER, host))
    # Neither the owner's cookie nor his key lets another user in.
    thief = Caller(console.port, STRANGER, host)
    thief.cookies, thief.key = dict(mine.cookies), mine.key
    assert thief.call("GET", "/api/state").code == "access_required"
    assert mine.session()["state"] == "authenticated"
    can_do_everything(mine)
    can_do_everything(Caller(console.port, ROOT, host))
    assert "#access" not in console.ready


def test_a_socket_of_the_other_family_is_its_users_too(run):
    """A program may reach 127.0.0.1 by an IPv6 socket."""
    console = run(OWNER)
    for number, status in ((STRANGER, 401), (OWNER, 201), (ROOT, 201)):
        caller = Caller(console.port, number, "::ffff:127.0.0.1")
        assert caller.call("POST", "/api/devices", {}).status == status


def test_everybody_is_served_if_the_console_is_told_so(run):
    console = run(OWNER, "--allow-local-users")
    mine, other = Caller(console.port, OWNER), Caller(console.port, STRANGER)
    mine.sign_in("dana@example.com")
    other.sign_in("evan@example.com")
    assert [message["to"] for message in other.call("GET", "/api/inbox").json["messages"]] == ["evan@example.com"]
    assert other.call("GET", "/api/inbox?to=dana@example.com").json["messages"] == []
    for method, path in (
        ("GET", "/api/inbox?all=1"), ("GET", "/api/backend/limits"), ("POST", "/api/backend/limits"),
        ("POST", "/api/backend/clock"), ("POST", "/api/backend/reset"),
    ):
        answer = other.call(method, path, {"reset": True} if method == "POST" else None)
        assert (answer.status, answer.code) == (404, "not_found"), answer
    assert mine.session()["state"] == "authenticated"
    can_do_everything(mine)
    can_do_everything(Caller(console.port, ROOT))


def test_a_user_who_closed_his_socket_does_not_pass_for_root(run):
    """The kernel says 0 of a socket that no process has any more."""
    console = run(OWNER, "--allow-local-users", "--access-log")
    mine, other = Caller(console.port, OWNER), Caller(console.port, STRANGER)
    mine.sign_in("dana@example.com")
    other.make_device()
    cookies = "; ".join(f"{name}={value}" for name, value in other.cookies.items())
    head = (
        f"POST /api/backend/reset HTTP/1.1\r\nHost: localhost:{console.port}\r\nCookie: {cookies}\r\n"
        f"X-Device-Key: {other.key}\r\nContent-Length: 0\r\n\r\n"
    )
    for _ in range(5):
        console.process.send_signal(signal.SIGSTOP)
        try:
            with user(STRANGER), socket.create_connection(("127.0.0.1", console.port)) as gone:
                gone.sendall(head.encode())
        finally:
            console.process.send_signal(signal.SIGCONT)
    assert mine.call("GET", "/api/account").status == 200
    # A console that stops answers 503.
    until(lambda: mine.must("GET", "/api/account") and console.errors.count("path=/api/backend/reset") >= 5, "all five are answered")
    assert console.stop() == 0
    met = re.findall(r"path=/api/backend/reset.*status=(\d+)|status=(\d+).*path=/api/backend/reset", console.errors)
    assert len(met) == 5 and {"".join(one) for one in met} == {"404"}, met


def test_the_access_token_opens_it_to_another_user(run, folder):
    token = folder / "token"
    token.write_text("a-token-of-more-than-128-bits-Zm9vYmFyYmF6\n")
    token.chmod(0o600)
    os.chown(token, OWNER, OWNER)
    console = run(OWNER, "--access-token-file", token)
    assert "#access" not in console.ready, "the owner needs none"
    can_do_everything(Caller(console.port, OWNER))
    other = Caller(console.port, STRANGER)
    is_shut_out(other, token.read_text().strip())
    assert other.call("POST", "/api/access", {"token": token.read_text().strip()}).status == 204
    can_do_everything(other)


def test_where_netlink_is_shut_off_the_tables_tell(run, no_users):
    console = run(OWNER, variables={"LD_PRELOAD": str(no_users)})
    assert "no_users.so" in Path(f"/proc/{console.process.pid}/maps").read_text()
    assert "#access" not in console.ready
    can_do_everything(Caller(console.port, OWNER))
    is_shut_out(Caller(console.port, STRANGER))


def test_where_users_cannot_be_told_everybody_is_asked_for_the_token(run, no_users):
    """As in some containers; the ready line shows it, as beyond loopback."""
    console = run(OWNER, variables={"LD_PRELOAD": str(no_users), "NO_USER_TABLES": "1"})
    token = re.search(r"/#access=([\w-]{32,}) ", console.ready)[1]
    for number in (OWNER, ROOT, STRANGER):
        is_shut_out(Caller(console.port, number), token)
    mine = Caller(console.port, OWNER)
    assert mine.call("POST", "/api/access", {"token": token}).status == 204
    can_do_everything(mine)
    assert console.stop() == 0
    assert token not in console.errors
