"""A crash tells nothing: no registers, no memory, no backtrace, whatever the environment asks of the Swift runtime."""

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from console_process import PROJECT, Browser, binary

CANARY = "canary-of-the-environment-5b1f"
SIGNALS = [signal.SIGSEGV, signal.SIGILL, signal.SIGABRT, signal.SIGTRAP, signal.SIGBUS, signal.SIGFPE, signal.SIGQUIT]
ASKED = {
    "nothing": None, "the unit's": "enable=no", "a report": "enable=yes,color=no,interactive=no",
    "everything": "enable=yes,preset=full,registers=all,threads=all,images=all,sanitize=no,color=no,interactive=no,timeout=10s",
}


def variables(asked):
    """The environment in which somebody asks for that."""
    return {"SWIFT_BACKTRACE": asked} if asked else {}


@pytest.fixture
def clean(monkeypatch):
    """The stage of the tests asks for backtraces itself."""
    monkeypatch.delenv("SWIFT_BACKTRACE", raising=False)


def crash(console, number):
    """Sends the signal; what the console printed to standard error."""
    console.process.send_signal(number)
    try:
        code = console.process.wait(30)
    except subprocess.TimeoutExpired:
        console.process.kill()
        console.process.wait()
        code = "it lived on"
    console.process.stdout.close()
    errors = console.errors
    assert code == -number, (code, errors[-2000:])
    return errors


def shows_nothing(errors, *secrets):
    """Neither a register nor memory nor a frame nor any of the secrets."""
    assert not re.search(r"(?im)^\s*registers|^\s*r(ax|sp|ip|bp|8)\b|\b(x0|x29|sp|pc) 0x|backtrac|program crashed", errors), errors
    # Words of memory as the runtime shows them: sixteen bytes in hexadecimal.
    assert not re.search(r"(?:\b[0-9a-f]{2} ){8}", errors), errors
    for secret in secrets:
        assert secret not in errors


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED.keys())
def test_a_crash_shows_neither_registers_nor_memory(start, clean, asked):
    console = start(variables=variables(asked) | {"CANARY": CANARY})
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    cookie = next(iter(browser.cookies.values()))
    shows_nothing(crash(console, signal.SIGSEGV), CANARY, browser.key, cookie, "dana@example.com")


@pytest.mark.parametrize("number", SIGNALS, ids=[number.name for number in SIGNALS])
def test_every_crash_ends_the_console_at_once(start, clean, number):
    shows_nothing(crash(start(variables={"CANARY": CANARY}), number), CANARY)


def test_the_program_begins_once_more_as_itself(start, clean, tmp_path):
    link = tmp_path / "linked-understudy"
    link.symlink_to(binary())
    console = start(program=link, variables={"SWIFT_BACKTRACE": "enable=yes"})
    process = Path(f"/proc/{console.process.pid}")
    assert process.joinpath("comm").read_text().strip() == Path(binary()).name
    assert process.joinpath("cmdline").read_bytes().split(b"\0")[:2] == [os.fsencode(link), b"serve"]
    if os.geteuid() == 0:
        environment = process.joinpath("environ").read_bytes().split(b"\0")
        assert b"SWIFT_BACKTRACE=enable=no" in environment


def test_it_never_begins_a_third_time(clean):
    """Something that sets the variable back at every start must not keep the program from starting."""
    script = f'UNDERSTUDY_BACKTRACE_OFF=$$ SWIFT_BACKTRACE=enable=yes exec "{binary()}" version'
    run = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=20, cwd=PROJECT)
    assert run.returncode == 0 and run.stdout.strip(), run


def test_a_mistake_on_the_command_line_is_still_said_once(clean):
    run = subprocess.run([binary(), "serve", "--no-such-flag"], capture_output=True, text=True, timeout=20)
    assert run.returncode == 64 and len(run.stderr.splitlines()) == 1, run
