"""What a fault of the process leaves: one line, one note, and nothing else."""

import contextlib
import os
import re
import signal
import stat

import pytest
from console_process import Browser, binary

LINE = re.compile(r"^understudy: ended by (SIG\w+) at (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)(?: in ([\w$.@]+))?$", re.MULTILINE)


@pytest.mark.parametrize("name", ["SIGSEGV", *(pytest.param(name, marks=pytest.mark.long) for name in ("SIGILL", "SIGABRT"))])
def test_a_fault_is_noted_and_told_at_the_next_start(start, name):
    console = start()
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    browser.close()
    console.process.send_signal(getattr(signal, name))
    assert console.ended() == -getattr(signal, name)
    found = LINE.findall(console.errors)
    assert [one[0] for one in found] == [name], console.errors[-500:]
    note = console.data / "crash.txt"
    assert stat.S_IMODE(note.stat().st_mode) == 0o600
    assert LINE.fullmatch(note.read_text().rstrip("\n")), note.read_text()
    # It stays until somebody has seen it, however often the console starts.
    assert start(port=console.port).stop() == 0
    again = start(port=console.port)
    assert f"ended by a fault: understudy: ended by {name} at {found[0][1]}" in again.errors
    owner = Browser(console.port)
    owner.make_device()
    for _ in range(2):
        fault = owner.must("GET", "/api/state").json["ended_by_fault"]
        assert fault == {"signal": name, "at": found[0][1].replace("Z", ".000Z")} | ({"function": found[0][2]} if found[0][2] else {}), fault
    owner.must("DELETE", "/api/ended-by-fault", status=204)
    assert not note.exists()
    assert "ended_by_fault" not in owner.must("GET", "/api/state").json
    owner.close()
    assert again.stop() == 0
    last = start(port=console.port)
    assert "ended by a fault" not in last.errors


def test_a_note_that_somebody_forged_is_one_line(start):
    console = start()
    assert console.stop() == 0
    note = console.data / "crash.txt"
    note.write_bytes(b"one\n\x1b[31mtwo\xff" * 1000)
    note.chmod(0o600)
    again = start(port=console.port)
    assert len([line for line in again.errors.splitlines() if "ended by a fault" in line]) == 1
    assert "\x1b" not in again.errors and not note.exists()
    owner = Browser(console.port)
    owner.make_device()
    assert "ended_by_fault" not in owner.must("GET", "/api/state").json
    owner.close()


def test_kill_leaves_no_note(start):
    console = start()
    console.kill()
    assert "ended by" not in console.errors and "crash.txt" not in os.listdir(console.data)


def test_a_full_pipe_neither_keeps_the_process_nor_costs_the_note(start, tmp_path):
    pipe = tmp_path / "errors"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    program = tmp_path / "understudy"
    program.write_text(f'#!/bin/sh\nexec "{binary()}" "$@" 2>"{pipe}"\n')
    program.chmod(0o700)
    console = start(program=program)
    with contextlib.suppress(BlockingIOError):
        for _ in range(1000):
            os.write(end, b"x" * 4096)
    console.process.send_signal(signal.SIGSEGV)
    assert console.ended() == -signal.SIGSEGV
    assert LINE.fullmatch((console.data / "crash.txt").read_text().rstrip("\n"))
    os.close(end)
