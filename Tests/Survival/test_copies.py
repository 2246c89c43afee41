"""A data folder, or a part of one, that comes back from a copy is known as such."""

import json
import os
import shutil
import subprocess

import pytest
from backend_process import Backend
from console_process import Browser, Console, binary, stop_all
from test_signed_rows import hand_in


class Copied:
    """A console with its own backend, whose data can be restored from a copy."""

    def __init__(self, folder):
        self.folder, self.data, self.copy = folder, folder / "data", folder / "copy"
        self.backend = Backend(binary(), folder / "backend")
        self.console = None
        self.port = 0

    def start(self):
        self.console = Console(
            self.data, "--backend", f"https://127.0.0.1:{self.backend.port}", "--ca", self.folder / "backend/certificate.pem",
            port=self.port)
        self.port = self.console.port
        return self.console

    def stop(self):
        assert self.console.stop() == 0, self.console.errors

    def sign_in(self, identifier):
        browser = Browser(self.console.port)
        browser.make_device()
        browser.identifier = identifier
        code = self.backend.code(identifier, lambda: browser.must("POST", "/api/login/code", {"identifier": identifier}, status=202))
        assert browser.redeem(code).status == 200
        browser.close()
        return browser

    def put_back(self):
        shutil.rmtree(self.data)
        subprocess.run(["cp", "-a", self.copy, self.data], check=True)

    def told(self):
        return [line for line in self.console.errors.splitlines() if "restored from a copy" in line]


@pytest.fixture
def copied(tmp_path):
    copied = Copied(tmp_path)
    yield copied
    codes = stop_all([copied.console] if copied.console else [])
    if copied.backend.process.poll() is None:
        codes.append(copied.backend.stop())
    assert not any(codes), codes


def test_a_folder_that_comes_back_from_a_copy_is_known(copied):
    copied.start()
    spent, kept = copied.sign_in("spent@example.com"), copied.sign_in("kept@example.com")
    copied.stop()
    subprocess.run(["cp", "-a", copied.data, copied.copy], check=True)
    copied.start()
    assert copied.told() == []
    # One token after another: what the copy has is an ancestor, and past the grace of a lost answer.
    for _ in range(2):
        assert spent.call("POST", "/api/session/refresh").status == 200
    spent.close()
    time_of_backend(copied, 60)
    copied.stop()
    copied.put_back()
    copied.start()
    assert len(copied.told()) == 1
    # Whatever needs the session waits for the backend's word.
    assert spent.call("GET", "/api/account").code in ("session_ended", "signed_out")
    session = spent.session()
    assert session["state"] == "signed_out" and session["reason"] == "refresh_token_reused", session
    assert kept.call("GET", "/api/account").status == 200
    kept.close()
    spent.close()
    copied.stop()
    # Told once; a start without a copy is none.
    copied.start()
    assert copied.told() == []
    assert kept.call("GET", "/api/account").status == 200


def time_of_backend(copied, seconds):
    connection = copied.backend.connect()
    connection.request(
        "POST", "/dev/clock", json.dumps({"advance_seconds": seconds}),
        {"Content-Type": "application/json", "Authorization": f"Bearer {copied.backend.token}", "X-Device-ID": "test"})
    assert connection.getresponse().status == 200
    connection.close()


@pytest.mark.parametrize("part", ["epoch", pytest.param("database", marks=pytest.mark.long), pytest.param("same place", marks=pytest.mark.long)])
def test_a_part_that_comes_back_is_known_too(copied, part):
    copied.start()
    browser = copied.sign_in("dana@example.com")
    copied.stop()
    subprocess.run(["cp", "-a", copied.data, copied.copy], check=True)
    copied.start()
    copied.stop()
    if part == "database":
        for path in copied.data.glob("console.sqlite*"):
            path.unlink()
        for path in copied.copy.glob("console.sqlite*"):
            shutil.copy2(path, copied.data)
    elif part == "epoch":
        shutil.copy2(copied.copy / "epoch", copied.data / "epoch")
    else:
        # Written over the files in place, with the times of before: their inodes are the same.
        for path in copied.copy.iterdir():
            if path.is_file():
                (copied.data / path.name).write_bytes(path.read_bytes())
                os.utime(copied.data / path.name, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    copied.start()
    assert len(copied.told()) == 1
    assert browser.call("GET", "/api/account").status == 200
    browser.close()


def test_a_copy_that_cannot_ask_the_backend_keeps_its_tokens(copied):
    copied.start()
    browser = copied.sign_in("dana@example.com")
    copied.stop()
    subprocess.run(["cp", "-a", copied.data, copied.copy], check=True)
    copied.put_back()
    assert copied.backend.stop() == 0
    copied.start()
    assert len(copied.told()) == 1
    assert browser.call("POST", "/api/session/refresh").code == "offline"
    # It tries again by itself, which may be under way.
    assert browser.session()["state"] in ("error", "refreshing")
    browser.close()
    with hand_in(copied.data) as database:
        assert [row[0] for row in database.execute("SELECT count(*) FROM client_token")] == [1]


@pytest.mark.long
def test_starts_stops_and_kills_are_no_copies(start):
    console = start()
    for ending in ("stop", "kill", "kill", "stop"):
        getattr(console, ending)()
        console = start(port=console.port)
        assert "restored from a copy" not in console.errors
