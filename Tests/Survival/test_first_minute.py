"""What a person meets who types `understudy` on a terminal."""

import fcntl
import os
import pty
import re
import select
import signal
import socket
import stat
import subprocess

import pytest
from moments import until
from processes import start_program

READY = re.compile(rb"understudy ready (http://localhost:(\d+)) backend=embedded\r\n")
# The mask of files of whoever types it, which is neither the usual one nor the console's.
MASK = 0o026
PLAIN = {"PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH"}


class Terminal:
    """The program with standard input and output on one terminal and standard error on another, so that a test tells them apart."""

    def __init__(self, program, variables, *arguments):
        (self.screen, inside), (self.side, errors) = pty.openpty(), pty.openpty()
        self.process = start_program(
            ["setsid", "--ctty", program, *arguments], stdin=inside, stdout=inside, stderr=errors, env=variables, umask=MASK)
        os.close(inside)
        os.close(errors)
        self.output = self.errors = b""

    def read(self, seconds=0.2):
        """Takes in what has been printed."""
        for descriptor in select.select([self.screen, self.side], [], [], seconds)[0]:
            try:
                piece = os.read(descriptor, 65536)
            except OSError:
                piece = b""
            if descriptor == self.screen:
                self.output += piece
            else:
                self.errors += piece

    def shows(self, text):
        """Whether standard error has the text."""
        self.read()
        return text in self.errors.decode()

    def console(self):
        """The address and the port of the console, once all is said."""
        until(lambda: self.shows("Press Ctrl-C to stop it.\r\n"), f"{self.output} {self.errors}")
        found = READY.fullmatch(self.output)
        assert found, self.output
        return found[1].decode(), int(found[2])

    def end(self, keys=b"\x03"):
        """Presses Ctrl-C; the exit code."""
        os.write(self.screen, keys)
        return self.wait()

    def wait(self):
        """The exit code."""
        def ended():
            self.read(0.05)
            return self.process.poll() is not None
        until(ended, "it still runs")
        return self.process.returncode

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        os.close(self.screen)
        os.close(self.side)


@pytest.fixture
def busy_port():
    """Port 8080, in use by this test or already by another program; closing it frees it if it is this test's."""
    taken = socket.socket()
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind(("127.0.0.1", 8080))
        taken.listen()
    except OSError:
        pass
    yield taken
    taken.close()


@pytest.fixture
def home(tmp_path):
    """A home with a display, and a program that opens addresses there: it notes them, whether it has a terminal, and what it inherits."""
    programs = tmp_path / "bin"
    programs.mkdir()
    opener = programs / "xdg-open"
    opener.write_text(
        f"#!/bin/sh\nhas=none\nfor one in 0 1 2; do [ -t $one ] && has=$one; done\n(: </dev/tty) 2>/dev/null && has=tty\n"
        f"echo \"$(umask) $(sed -n 's/^SigIgn:\\t//p' /proc/self/status) $(ls -l /proc/$$/fd | grep -cE 'socket|anon_inode|/state/')\" > '{tmp_path}/inherited'\n"
        f"echo \"$* $has\" >> '{tmp_path}/opened'\n")
    opener.chmod(opener.stat().st_mode | stat.S_IXUSR)
    variables = {name: value for name, value in os.environ.items() if name in PLAIN}
    return variables | {"HOME": str(tmp_path), "PATH": f"{programs}:{variables['PATH']}", "DISPLAY": ":0"}


@pytest.fixture
def type_alone(installed, home):
    """Types `understudy`, with further variables or arguments."""
    terminals = []

    def type_it(*arguments, **variables):
        terminals.append(Terminal(installed / "understudy", home | variables, *arguments))
        return terminals[-1]

    yield type_it
    for terminal in terminals:
        terminal.close()


def opened(tmp_path):
    """What was opened, a line each: the address, and which terminal the program had."""
    file = tmp_path / "opened"
    return file.read_text().splitlines() if file.exists() else []


def test_it_starts_a_console_and_a_second_time_opens_the_first_ones_page(type_alone, busy_port, tmp_path):
    first = type_alone()
    address, port = first.console()
    said = first.errors.decode()
    assert 8080 < port < 8100 and f"Port 8080 is in use, so it took {port}.\r\n" in said, said
    assert f"Understudy runs at {address}, which opens in the browser.\r\n" in said and "Devices" not in said, said
    assert f"Its data is in {tmp_path}/.local/state/understudy.\r\n" in said, said
    until(lambda: opened(tmp_path) == [f"{address} none"], "its page is not opened, or with a terminal")
    mask, ignored, descriptors = (tmp_path / "inherited").read_text().split()
    assert (int(mask, 8), int(ignored, 16) & 1 << signal.SIGPIPE - 1, int(descriptors)) == (MASK, 0, 0)
    second = type_alone()
    assert second.wait() == 0 and second.output == b"", second.output
    assert second.errors.decode() == f"Understudy runs already, at {address}, which opens in the browser.\r\n"
    until(lambda: opened(tmp_path) == [f"{address} none"] * 2, "its page is not opened again")
    assert first.end() == 0, first.errors
    # What it left names the address that devices belong to.
    busy_port.close()
    third = type_alone("--no-open")
    moved, at = third.console()
    if at != port:
        assert f"Devices that you created at {address} are only shown there." in third.errors.decode(), third.errors
        assert f"understudy serve --port {port}\r\n" in third.errors.decode(), third.errors
    assert f"Understudy runs at {moved}. Open it in a browser.\r\n" in third.errors.decode() and len(opened(tmp_path)) == 2
    assert third.end() == 0


@pytest.mark.parametrize("variables", [{"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}, {"CI": "true"}, {"DISPLAY": ""}], ids=lambda one: next(iter(one)))
def test_it_opens_no_browser_that_nobody_would_see(type_alone, busy_port, tmp_path, variables):
    terminal = type_alone(**variables)
    address, _ = terminal.console()
    assert f"Understudy runs at {address}. Open it in a browser.\r\n" in terminal.errors.decode() and not opened(tmp_path)
    assert terminal.end() == 0


def test_it_waits_for_a_process_that_is_about_to_leave_the_data(type_alone, busy_port, tmp_path):
    data = tmp_path / ".local/state/understudy"
    data.mkdir(parents=True, mode=0o700)
    lock = os.open(data / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    # What a console left that was killed.
    (data / "address").write_text("http://localhost:1 ready\n")
    (data / "address").chmod(0o600)
    terminal = type_alone()
    until(lambda: terminal.shows(f"Waiting for the process that uses {data}.\r\n"), "it does not wait")
    assert terminal.process.poll() is None
    os.close(lock)
    terminal.console()
    assert terminal.end() == 0


def test_off_a_terminal_and_as_serve_a_port_in_use_ends_it(installed, home, busy_port):
    for arguments in ([], ["serve"]):
        done = subprocess.run(
            [installed / "understudy", *arguments], env=home, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
            check=False)
        assert (done.returncode, done.stdout) == (69, "") and done.stderr == "understudy: --port: 8080 is in use\n", done
