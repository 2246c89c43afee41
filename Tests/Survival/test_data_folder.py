"""The data folder has one owner and one process."""

import contextlib
import os
import socket
import stat
import subprocess

import pytest
from console_process import PROJECT, NotStarted, binary
from processes import start_program
from test_disk import ends_clearly

STRANGER = 65534
# Besides the name of the program and its data.
ARGUMENTS = {"serve": ["--host", "127.0.0.1", "--public", PROJECT / "Public"], "backend": []}
is_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture(params=["serve", pytest.param("backend", marks=pytest.mark.long)])
def program(request, tmp_path):
    """Starts either program over a folder and stops it; its exit code and what it wrote to standard error."""

    def run(data=tmp_path / "data", mask=0o022):
        process = start_program(
            [binary(), request.param, "--port", 0, "--data", data, *ARGUMENTS[request.param]], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, umask=mask, env={k: v for k, v in os.environ.items() if not k.startswith("UNDERSTUDY_")})
        if " ready " in process.stdout.readline():
            process.terminate()
        errors = process.communicate(timeout=60)[1]
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


@pytest.mark.parametrize("mode", [0o710, 0o701, *(pytest.param(mode, marks=pytest.mark.long) for mode in (0o750, 0o755, 0o770))])
def test_a_folder_that_is_open_to_others_is_refused(program, used, mode):
    used.chmod(mode)
    is_refused(program, used, used, oct(mode)[2:], "chmod 700")


@pytest.mark.parametrize("mode", [0o640, *(pytest.param(mode, marks=pytest.mark.long) for mode in (0o604, 0o620, 0o610))])
def test_every_file_that_is_open_to_others_is_refused(program, used, mode):
    victims = sorted(path for path in used.rglob("*") if path.is_file())
    assert len(victims) >= 4
    # One mode for every file, and every mode for one file.
    for victim in victims if mode == 0o640 else victims[:1]:
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
    process = start_program(
        [binary(), "serve", *ARGUMENTS["serve"], "--port", 0, "--limits", "off", "--data", tmp_path / "data"], umask=0,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert "ready" in process.stdout.readline()
        found = check_modes(tmp_path / "data")
        assert {"console.sqlite-wal", "console.sqlite-shm", "backend.sqlite-wal", "backend.sqlite-shm"} <= found
    finally:
        process.terminate()
        assert process.wait(30) == 0
        process.stdout.close()


# MARK: One process


def test_removing_the_lock_lets_no_second_process_in(program, tmp_path):
    data = tmp_path / "data"
    first = start_program(
        [binary(), program.name, *ARGUMENTS[program.name], "--port", 0, "--data", data], stdout=subprocess.PIPE,
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
