"""Wall clocks that jump a day forward and back: the machine's, with client and backend, and only the embedded backend's."""

import os
import struct
import subprocess
from datetime import datetime, timezone

import pytest
from console_process import PROJECT, Browser

DAY = 86_400


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    path = tmp_path_factory.mktemp("clock") / "clock.so"
    source = PROJECT / "Tests/Faults/clock.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", path, source, "-ldl"], check=True)
    return path


class Clock:
    """The machine's clock as a console sees it."""

    def __init__(self, library, folder):
        self.file = folder / "shift"
        self.set(0)
        self.variables = {"LD_PRELOAD": str(library), "CLOCK_SHIFT_FILE": str(self.file)}

    def set(self, seconds):
        """Jumps there at once."""
        descriptor = os.open(self.file, os.O_RDWR | os.O_CREAT)
        os.pwrite(descriptor, struct.pack("=q", seconds), 0)
        os.close(descriptor)


@pytest.fixture
def clock(library, tmp_path):
    return Clock(library, tmp_path)


def instant(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def is_signed_in(browser):
    account = browser.call("GET", "/api/account")
    assert account.status == 200 and account.json["user"]["email"] == browser.identifier, account
    session = browser.session()
    assert session["state"] == "authenticated", session
    return session


def test_a_machine_whose_clock_jumps_keeps_its_sessions(start, clock):
    console = start(variables=clock.variables)
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    for jump in (0, DAY, 0, -DAY, 0, DAY, -DAY, 0):
        clock.set(jump)
        for _ in range(2):
            session = is_signed_in(browser)
        assert browser.call("POST", "/api/session/refresh").status in (200, 429)
        session = is_signed_in(browser)
        # What is shown lies in the future of the clock that is shown beside it, and not a day too far.
        left = instant(session["access_expires_at"]).timestamp() - datetime.now(timezone.utc).timestamp() - jump
        assert -5 <= left <= 15 * 60 + 5 or jump == 0, (jump, left)
        newcomer = Browser(console.port)
        newcomer.sign_in(f"jump{jump}@example.com")
        is_signed_in(newcomer)


def test_it_stays_signed_in_over_a_restart_a_day_earlier_or_later(start, clock):
    console = start(variables=clock.variables)
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    for jump in (DAY, -DAY, 0):
        console.kill()
        browser.close()
        clock.set(jump)
        console = start(port=console.port, variables=clock.variables)
        is_signed_in(browser)


def test_a_cooldown_never_grows_by_a_jump_backward(start, clock):
    """What waits for an instant that a jump moved a day away is over when its usual length is."""
    console = start("--limits", "relaxed", variables=clock.variables)
    browser = Browser(console.port)
    browser.make_device()
    assert browser.call("POST", "/api/login/code", {"identifier": "dana@example.com"}).status == 202
    usual = browser.call("POST", "/api/login/code", {"identifier": "dana@example.com"})
    assert usual.code == "cooldown", usual
    clock.set(-DAY)
    answer = browser.call("POST", "/api/login/code", {"identifier": "dana@example.com"})
    waits = int(answer.headers.get("Retry-After") or 0) if answer.status == 429 else 0
    assert waits <= 60, f"told to wait for {waits} s"
    for cooldown in browser.call("GET", "/api/state").json["cooldowns"]:
        left = instant(cooldown["retry_at"]).timestamp() - datetime.now(timezone.utc).timestamp() + DAY
        assert left <= 60, f"shown as {left} s"


def test_the_backends_clock_a_day_ahead_and_back_signs_nobody_out(start):
    console = start()
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    for _ in range(3):
        assert browser.call("POST", "/api/backend/clock", {"advance_seconds": DAY}).status == 200
        is_signed_in(browser)
        assert browser.call("POST", "/api/session/refresh").status in (200, 429)
        assert browser.call("POST", "/api/backend/clock", {"reset": True}).status == 200
        is_signed_in(browser)
    assert browser.call("POST", "/api/session/refresh").status in (200, 429)
    is_signed_in(browser)
