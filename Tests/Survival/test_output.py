"""Output that cannot be written, on a full disk or into a closed pipe, is told in a line."""

import os
import signal
import subprocess

import pytest
from console_process import PROJECT, binary
from processes import start_program
from test_archives import row_file, zipped
from test_recordings import entry, har

FULL = "/dev/full"


def understudy(*arguments, **options):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("UNDERSTUDY_")}
    return subprocess.run([binary(), *map(str, arguments)], stderr=subprocess.PIPE, text=True, timeout=120, env=environment, **options)


@pytest.fixture
def recording(tmp_path):
    """An exported bundle."""
    file = tmp_path / "bundle.zip"
    file.write_bytes(zipped({"rows.json": row_file(4), "network.har": har([entry()])}))
    return file


def is_told(ended, words):
    assert ended.returncode == 66, ended
    assert ended.stderr.count("\n") == 1 and words in ended.stderr, ended.stderr


@pytest.mark.parametrize("form", ["json", pytest.param("text", marks=pytest.mark.long)])
def test_a_report_on_a_full_disk(form):
    ended = understudy("check", "--format", form, "--report", FULL)
    is_told(ended, "--report: /dev/full cannot be written")


def test_output_on_a_full_disk(recording):
    for arguments in (["check"], ["compare", recording, recording], ["compare", recording, recording, "--format", "json"], ["version"]):
        with open(FULL, "w") as output:
            is_told(understudy(*arguments, stdout=output), "standard output cannot be written")


def test_the_id_of_an_import_is_not_lost_in_silence(recording, tmp_path):
    with open(FULL, "w") as output:
        is_told(understudy("import", recording, "--data", tmp_path / "data", stdout=output), "standard output cannot be written")


def test_a_closed_pipe():
    """A reader such as `head` has gone; the program's servers ignore its signal."""
    reader, writer = os.pipe()
    os.close(reader)
    ended = understudy("check", stdout=writer)
    os.close(writer)
    # A program that has opened no socket yet ends by the signal, as others do.
    if ended.returncode != -signal.SIGPIPE:
        is_told(ended, "standard output cannot be written")


def test_a_mistake_is_told_by_its_exit_code_if_nothing_can_be_printed():
    for arguments, code in ((["check", "--format", "none"], 64), (["--none"], 64), (["compare", "/missing", "/missing"], 66)):
        with open(FULL, "w") as errors:
            assert subprocess.run([binary(), *arguments], stdout=subprocess.DEVNULL, stderr=errors).returncode == code


@pytest.mark.parametrize("arguments", [["serve", "--port", "0", "--ephemeral", "--public", PROJECT / "Public"], ["backend", "--port", "0"]])
def test_a_server_serves_though_nobody_can_read_that_it_is_ready(arguments, tmp_path):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("UNDERSTUDY_")}
    environment["XDG_STATE_HOME"] = str(tmp_path)
    with open(FULL, "w") as output:
        server = start_program(
            [binary(), *arguments, "--log-level", "warning"], stdout=output, stderr=subprocess.PIPE, text=True, env=environment)
    line = server.stderr.readline()
    while line and "standard output cannot be written" not in line:
        line = server.stderr.readline()
    assert line, server.wait(20)
    server.send_signal(signal.SIGTERM)
    assert server.wait(30) == 0
    server.stderr.close()
