"""Several consoles behind haproxy, with the file that Packaging has."""

import http.client
import re
import shutil
import socket
import subprocess
import threading
import time

import pytest
from console_process import PROJECT, Console
from team import goes_on


class Balancer:
    """haproxy with the configuration that Packaging has, on the team's address."""

    def __init__(self, team):
        self.port = team.front
        text = (PROJECT / "Packaging/haproxy.cfg").read_text()
        names = {f"CONSOLE{number}.EXAMPLE:8080": f"127.0.0.1:{console.port}" for number, console in enumerate(team.consoles, 1)}
        for name, address in names.items():
            assert name in text
            text = text.replace(name, address)
        # The name that the checks ask for, and an address without TLS, which the test of the file as it is covers.
        text = text.replace("hdr Host CONSOLE.EXAMPLE", f"hdr Host localhost:{team.front}")
        text = re.sub(r"bind :443 .*", f"bind 127.0.0.1:{team.front}", text)
        self.socket = str(team.folder / "haproxy")
        text = text.replace("    maxconn 4000\n", f"    maxconn 4000\n    stats socket {self.socket}\n")
        self.file = team.folder / "haproxy.cfg"
        self.file.write_text(text)
        self.process = subprocess.Popen(
            [shutil.which("haproxy", path="/usr/sbin:/usr/bin:/bin"), "-db", "-f", self.file], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 10
        while True:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
                connection.request("GET", "/readyz", headers={"Host": f"localhost:{self.port}"})
                if connection.getresponse().status == 200:
                    break
            except OSError:
                pass
            assert time.monotonic() < deadline, "haproxy is not ready"
            time.sleep(0.05)

    def wait_for(self, number):
        """Waits until it sends calls to a console."""
        deadline = time.monotonic() + 10
        while True:
            with socket.socket(socket.AF_UNIX) as ask:
                ask.connect(self.socket)
                ask.sendall(b"show stat\n")
                answer = b"".join(iter(lambda: ask.recv(65536), b"")).decode()
            line = next(line.split(",") for line in answer.splitlines() if line.startswith(f"consoles,console{number},"))
            if line[17] == "UP":
                return
            assert time.monotonic() < deadline, line

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


@pytest.fixture
def balancer(team):
    balancer = Balancer(team)
    yield balancer
    balancer.stop()


def test_haproxy_takes_the_file_as_it_is(tmp_path):
    pem = tmp_path / "console.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=console.test", "-days", "2", "-keyout", pem, "-out", tmp_path / "cert"],
        capture_output=True, check=True)
    pem.write_text(pem.read_text() + (tmp_path / "cert").read_text())
    text = (PROJECT / "Packaging/haproxy.cfg").read_text().replace("/etc/haproxy/CONSOLE.EXAMPLE.pem", str(pem))
    text = re.sub(r"CONSOLE\d\.EXAMPLE", "127.0.0.1", text).replace("CONSOLE.EXAMPLE", "console.test")
    assert "EXAMPLE" not in re.sub(r"(?m)^#.*", "", text)
    (tmp_path / "haproxy.cfg").write_text(text)
    checked = subprocess.run(
        [shutil.which("haproxy", path="/usr/sbin:/usr/bin:/bin"), "-c", "-f", tmp_path / "haproxy.cfg"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "WARNING" not in checked.stdout + checked.stderr


class Page(threading.Thread):
    """Calls as an open page does, until it is told to stop; keeps what it was told but success and a move."""

    def __init__(self, member):
        super().__init__()
        self.member, self.is_over, self.faults, self.calls, self.longest = member, threading.Event(), [], 0, 0

    def run(self):
        while not self.is_over.is_set():
            try:
                answer, took = self.member.patiently("GET", "/api/account", seconds=8)
                self.calls += 1
                self.longest = max(self.longest, took)
                if answer.status != 200:
                    self.faults.append((answer.status, answer.body[:200]))
            except (OSError, http.client.HTTPException, AssertionError) as error:
                self.faults.append(repr(error))
            time.sleep(0.02)

    def end(self):
        self.is_over.set()
        self.join(30)
        assert self.calls > 10


def test_a_rolling_restart_shows_no_page_an_error(team, balancer):
    members = [team.member(balancer, f"member{number}@example.com") for number in range(4)]
    pages = [Page(member) for member in members]
    for page in pages:
        page.start()
    for index, console in enumerate(team.consoles):
        arguments, port = team.arguments(), console.port
        assert console.stop() == 0
        again = Console(None, *arguments, port=port)
        again.port = port
        team.consoles[index] = again
        balancer.wait_for(index + 1)
    for page in pages:
        page.end()
    assert [page.faults for page in pages] == [[]] * len(pages)
    for member in members:
        goes_on(member)


def test_pages_go_on_behind_the_balancer_when_a_console_is_killed(team, balancer):
    members = [team.member(balancer, f"member{number}@example.com") for number in range(4)]
    team.consoles[0].kill()
    for member in members:
        # The connection through the balancer may have been cut with the console.
        member.close()
        goes_on(member)
