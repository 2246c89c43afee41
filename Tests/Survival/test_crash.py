"""A crash prints no registers, memory or backtrace, whatever the environment asks of the Swift runtime."""

import re
import signal
import subprocess
from pathlib import Path

import pytest
from console_process import Browser

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


@pytest.mark.parametrize("asked", [
    pytest.param(asked, id=name, marks=() if name in ("nothing", "everything") else pytest.mark.long) for name, asked in ASKED.items()
])
def test_a_crash_shows_neither_registers_nor_memory(start, clean, asked):
    console = start(variables=variables(asked) | {"CANARY": CANARY})
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    cookie = next(iter(browser.cookies.values()))
    shows_nothing(crash(console, signal.SIGSEGV), CANARY, browser.key, cookie, "dana@example.com")


@pytest.mark.parametrize("number", [
    pytest.param(number, id=number.name, marks=() if number in (signal.SIGSEGV, signal.SIGTRAP) else pytest.mark.long) for number in SIGNALS
])
def test_every_crash_ends_the_console_at_once(start, clean, number):
    shows_nothing(crash(start(variables={"CANARY": CANARY}), number), CANARY)


def test_only_the_note_acts_in_a_crash(start, clean):
    """The runtime, which acts only from its signal handlers, adds nothing to the line of the console's own."""
    console = start(variables=variables(ASKED["everything"]))
    caught = int(re.search(r"SigCgt:\s+([0-9a-f]+)", Path(f"/proc/{console.process.pid}/status").read_text())[1], 16)
    assert not caught >> (signal.SIGQUIT - 1) & 1
    before = console.errors
    line = crash(console, signal.SIGILL).removeprefix(before)
    assert re.fullmatch(r"understudy: ended by SIGILL at [0-9T:-]+Z\n", line), line
