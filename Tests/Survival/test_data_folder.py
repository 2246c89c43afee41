"""The data folder has one owner and one process; rows that a hand put there are none, and a copy that comes back is known."""

import contextlib
import hashlib
import json
import os
import shutil
import socket
import sqlite3
import stat
import subprocess

import pytest
from backend_process import Backend, message
from console_process import Browser, Console, NotStarted, binary
from test_disk import ends_clearly

STRANGER = 65534
is_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture(params=["serve", "backend"])
def program(request, tmp_path):
    """Starts either program over a folder and stops it; its exit code and what it wrote to standard error."""

    def run(data=tmp_path / "data", mask=0o022):
        extra = ["--host", "127.0.0.1"] if request.param == "serve" else []
        process = subprocess.Popen(
            [binary(), request.param, "--port", "0", "--data", data, *extra], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, umask=mask, env={k: v for k, v in os.environ.items() if not k.startswith("UNDERSTUDY_")})
        if " ready " in process.stdout.readline():
            process.terminate()
        errors = process.communicate(timeout=30)[1]
        return process.returncode, errors

    run.name = request.param
    run.database = "console.sqlite" if request.param == "serve" else "backend.sqlite"
    return run


def is_refused(program, data, *words):
    code, errors = program(data)
    ends_clearly(NotStarted(code, errors))
    assert code == 66, errors
    for word in words:
        assert str(word) in errors, errors


@pytest.fixture
def used(program, tmp_path):
    """A folder that the program has used."""
    data = tmp_path / "data"
    assert program(data) == (0, "")
    return data


# MARK: Owner and mode


def test_a_folder_that_others_made_with_a_database_in_it_is_refused(program, tmp_path):
    """What another user prepares: the journals would take over the file's mode."""
    data = tmp_path / "data"
    data.mkdir()
    data.chmod(0o777)
    (data / program.database).touch()
    (data / program.database).chmod(0o666)
    is_refused(program, data, data, "777")
    data.chmod(0o700)
    is_refused(program, data, data / program.database, "666")
    (data / program.database).chmod(0o600)
    assert program(data)[0] == 0


@pytest.mark.parametrize("mode", [0o710, 0o701, 0o750, 0o755, 0o770])
def test_a_folder_that_is_open_to_others_is_refused(program, used, mode):
    used.chmod(mode)
    is_refused(program, used, used, oct(mode)[2:], "chmod 700")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o610])
def test_every_file_that_is_open_to_others_is_refused(program, used, mode):
    victims = [path for path in used.rglob("*") if path.is_file()]
    assert len(victims) >= 4
    for victim in victims:
        victim.chmod(mode)
        is_refused(program, used, victim, oct(mode)[2:], "chmod 600")
        victim.chmod(0o600)
    assert program(used)[0] == 0


@is_root
def test_what_belongs_to_another_user_is_refused(program, used):
    for victim in [used, *used.rglob("*")]:
        os.chown(victim, STRANGER, STRANGER)
        is_refused(program, used, victim, "another user", STRANGER)
        os.chown(victim, 0, 0)
    assert program(used)[0] == 0


def test_links_are_refused_wherever_they_lie(program, used, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    used.rename(elsewhere)
    used.symlink_to(elsewhere)
    is_refused(program, used, used, "link")
    is_refused(program, f"{used}/", used, "link")
    used.unlink()
    elsewhere.rename(used)
    for victim in sorted(used.rglob("*"), reverse=True):
        away = tmp_path / "away"
        victim.rename(away)
        victim.symlink_to(away)
        is_refused(program, used, victim, "link")
        victim.unlink()
        away.rename(victim)
    for name in ("cache", "dangling"):
        (used / name).symlink_to(tmp_path / "nothing")
        is_refused(program, used, used / name, "link")
        (used / name).unlink()
    (tmp_path / "loop").symlink_to("loop")
    is_refused(program, tmp_path / "loop", "link")
    assert program(used)[0] == 0


def test_other_kinds_of_files_are_refused(program, used):
    odd = used / "odd"
    os.mkfifo(odd, 0o600)
    is_refused(program, used, odd, "neither")
    odd.unlink()
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as listener:
        listener.bind(str(odd))
        odd.chmod(0o600)
        is_refused(program, used, odd, "neither")
    odd.unlink()
    (used / "lock").unlink()
    os.mkfifo(used / "lock", 0o600)
    is_refused(program, used, used / "lock", "neither")


def test_a_name_with_a_line_end_makes_no_second_line(program, used):
    (used / "a\nunderstudy: ready\x1b[2J").write_text("")
    (used / "a\nunderstudy: ready\x1b[2J").chmod(0o644)
    code, errors = program(used)
    assert code == 66 and len(errors.splitlines()) == 1 and "\x1b" not in errors
    os.rename(used / "a\nunderstudy: ready\x1b[2J", os.fsencode(used) + b"/\xff")
    assert program(used)[0] == 66


def test_a_folder_in_one_that_anybody_may_change_is_refused(program, tmp_path):
    parent = tmp_path / "parent"
    parent.mkdir()
    (parent / "data").mkdir(mode=0o700)
    parent.chmod(0o777)
    is_refused(program, parent / "data", parent, "rename")
    # As /tmp is.
    parent.chmod(0o1777)
    assert program(parent / "data")[0] == 0


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777])
def test_whatever_is_made_is_closed(program, tmp_path, mask):
    data = tmp_path / "data"
    assert program(data, mask)[0] == 0
    check_modes(data)
    assert program(data, mask)[0] == 0


def check_modes(data):
    """Folders are 0700 and files 0600; the names."""
    for path in [data, *data.rglob("*")]:
        assert stat.S_IMODE(path.lstat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    return {path.name for path in data.rglob("*")}


def test_the_journals_are_closed_while_it_runs(tmp_path):
    process = subprocess.Popen(
        [binary(), "serve", "--host", "127.0.0.1", "--port", "0", "--limits", "off", "--data", tmp_path / "data"], umask=0,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert "ready" in process.stdout.readline()
        found = check_modes(tmp_path / "data")
        assert {"console.sqlite-wal", "console.sqlite-shm", "backend.sqlite-wal", "backend.sqlite-shm"} <= found
    finally:
        process.terminate()
        assert process.wait(20) == 0
        process.stdout.close()


# MARK: One process


def test_removing_the_lock_lets_no_second_process_in(program, tmp_path):
    data = tmp_path / "data"
    first = subprocess.Popen(
        [binary(), program.name, "--host", "127.0.0.1", "--port", "0", "--data", data], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)
    try:
        assert " ready " in first.stdout.readline()
        for _ in range(2):
            code, errors = program(data)
            assert code == 69 and "in use by another process" in errors, errors
            (data / "lock").unlink()
    finally:
        first.terminate()
        assert first.communicate(timeout=30)[1] == "" and first.returncode == 0
    assert program(data)[0] == 0


def test_the_backend_in_a_console_is_held_too(start, tmp_path):
    start()
    process = subprocess.run(
        [binary(), "backend", "--port", "0", "--data", tmp_path / "data/backend"], capture_output=True, text=True, timeout=30)
    assert process.returncode == 69 and "in use by another process" in process.stderr, process.stderr


# MARK: Rows


def digest(secret):
    return hashlib.sha256(secret.encode()).digest()


@contextlib.contextmanager
def hand_in(data):
    """The database as whoever may write the file has it."""
    database = sqlite3.connect(data / "console.sqlite", isolation_level=None)
    database.row_factory = sqlite3.Row
    yield database
    database.close()


def again_at(console, browser, cookie=None, key=None):
    """A caller at a console that was started since, with its cookie and key or others."""
    caller = Browser(console.port)
    caller.cookies = {name: cookie or value for name, value in browser.cookies.items()}
    caller.key, caller.identifier = key or browser.key, browser.identifier
    return caller


def device_id(browser):
    return browser.call("GET", "/api/state").json["device_id"]


@pytest.fixture
def two(start):
    """A stopped console with two signed-in browsers; starts it again, and their devices."""
    console = start()
    browsers = []
    for name in ("one", "other"):
        browser = Browser(console.port)
        browser.sign_in(f"{name}@example.com")
        browser.device = device_id(browser)
        browser.close()
        browsers.append(browser)
    assert console.stop() == 0
    return lambda: start(port=console.port), *browsers


def is_known(caller):
    answer = caller.call("GET", "/api/account")
    caller.close()
    assert answer.status == 200 or (answer.status, answer.code) == (401, "no_device"), answer
    return answer.status == 200


def test_a_planted_cookie_lets_nobody_in(two, tmp_path):
    start, one, other = two
    with hand_in(tmp_path / "data") as database:
        browser = database.execute("SELECT browser_id FROM device WHERE device_id = ?", (one.device,)).fetchone()[0]
        for cookie, mac in (("planted", "NULL"), ("copied", "(SELECT mac FROM browser_cookie LIMIT 1)")):
            columns = [row["name"] for row in database.execute("PRAGMA table_info(browser_cookie)")]
            database.execute(
                "INSERT INTO browser_cookie (cookie_hash, browser_id, made_at, is_presented) VALUES (?, ?, 0, TRUE)",
                (digest(cookie), browser))
            if "mac" in columns:
                database.execute(f"UPDATE browser_cookie SET mac = {mac} WHERE cookie_hash = ?", (digest(cookie),))
    console = start()
    assert not is_known(again_at(console, one, cookie="planted"))
    assert not is_known(again_at(console, one, cookie="copied"))
    assert not is_known(again_at(console, one, cookie="planted"))
    assert is_known(one) and is_known(other)
    told = [line for line in console.errors.splitlines() if "was not written by this console" in line]
    assert len(told) == 2, console.errors
    assert all("table=browser_cookie" in line and browser not in line for line in told)


def test_a_replaced_device_key_lets_nobody_in(two, tmp_path):
    start, one, other = two
    with hand_in(tmp_path / "data") as database:
        database.execute("UPDATE device SET key_hash = ? WHERE device_id = ?", (digest("planted"), one.device))
    console = start()
    assert not is_known(again_at(console, one, key="planted"))
    assert not is_known(one)
    assert is_known(other)


def test_a_device_that_is_moved_to_another_browser_is_nobodys(two, tmp_path):
    """Both halves of the attack in one: own cookie, own key, another's device."""
    start, one, other = two
    with hand_in(tmp_path / "data") as database:
        mine = database.execute("SELECT * FROM device WHERE device_id = ?", (other.device,)).fetchone()
        database.execute("DELETE FROM device WHERE device_id = ?", (other.device,))
        database.execute(
            "UPDATE device SET browser_id = ?, key_hash = ? WHERE device_id = ?",
            (mine["browser_id"], mine["key_hash"], one.device))
        # With a signature of the right table and of one's own.
        if "mac" in mine.keys():
            database.execute("UPDATE device SET mac = ? WHERE device_id = ?", (mine["mac"], one.device))
    start()
    assert not is_known(other)
    assert not is_known(one)


def test_a_file_that_is_dressed_up_as_an_old_one_gives_no_session_away(two, tmp_path):
    """Without signatures and the proof that there were any, devices stay and are signed out."""
    start, one, other = two
    with hand_in(tmp_path / "data") as database:
        database.execute("UPDATE device SET key_hash = ? WHERE device_id = ?", (digest("planted"), one.device))
        for table in ("browser", "browser_cookie", "device", "link_state"):
            database.execute(f"UPDATE {table} SET mac = NULL")
        database.execute("DELETE FROM vault_secret")
        database.execute("DELETE FROM link_state")
    console = start()
    stranger = again_at(console, one, key="planted")
    assert stranger.session()["reason"] == "vault_damaged"
    assert stranger.call("GET", "/api/account").code == "signed_out"
    assert stranger.call("GET", "/api/inbox").json["messages"] == []


def test_rows_of_before_the_signatures_are_signed(start, tmp_path):
    """A folder that an older console left goes on; a planted row in it afterwards does not."""
    console = start()
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    browser.close()
    assert console.stop() == 0
    older = os.environ.get("UNDERSTUDY_OLDER")
    if not older:
        pytest.skip("UNDERSTUDY_OLDER names no older program")
    shutil.rmtree(tmp_path / "data")
    console = start(program=older)
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    browser.close()
    assert console.stop() == 0
    console = start(port=console.port)
    assert is_known(browser)
    assert console.stop() == 0
    with hand_in(tmp_path / "data") as database:
        database.execute("UPDATE device SET mac = NULL")
    console = start(port=console.port)
    assert not is_known(browser)


# MARK: Copies

CONSOLE_FILES = ("console.sqlite", "epoch", "vault.key")


class Copied:
    """A console at a backend of its own, whose data can be put back."""

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
        assert browser.call("POST", "/api/login/code", {"identifier": identifier}).status == 202
        connection = self.backend.connect()
        assert browser.redeem(message(self.backend, connection, identifier)["code"]).status == 200
        connection.close()
        browser.close()
        return browser

    def put_back(self):
        shutil.rmtree(self.data)
        subprocess.run(["cp", "-a", self.copy, self.data], check=True)

    def told(self):
        return [line for line in self.console.errors.splitlines() if "put back from a copy" in line]


@pytest.fixture
def copied(tmp_path):
    copied = Copied(tmp_path)
    yield copied
    if copied.console and copied.console.is_alive():
        copied.console.stop()
    copied.backend.stop()
    copied.backend.process.stdout.close()


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


@pytest.mark.parametrize("part", ["database", "epoch", "same place"])
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
    copied.backend.stop()
    copied.start()
    assert len(copied.told()) == 1
    assert browser.session()["state"] == "error"
    browser.close()
    with hand_in(copied.data) as database:
        assert [row[0] for row in database.execute("SELECT is_unproven FROM client_token")] == [1]


def test_starts_stops_and_kills_are_no_copies(start):
    console = start()
    for ending in ("stop", "kill", "kill", "stop"):
        getattr(console, ending)()
        console = start(port=console.port)
        assert "put back from a copy" not in console.errors


def test_a_changed_key_is_no_copy_and_keeps_every_row(two, start, tmp_path):
    _, one, other = two
    old = tmp_path / "old.key"
    (tmp_path / "data/vault.key").rename(old)
    console = start("--vault-old-key-file", old, port=one.port)
    assert is_known(one) and is_known(other)
    assert "put back from a copy" not in console.errors and "was not written" not in console.errors
    assert console.stop() == 0
    console = start(port=one.port)
    assert is_known(one) and is_known(other)
