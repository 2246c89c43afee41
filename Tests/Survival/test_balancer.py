"""Several consoles behind haproxy and behind nginx, with the files that Packaging has."""

import concurrent.futures
import http.client
import json
import re
import secrets
import signal
import subprocess
import threading

import pytest
from balancer import HAPROXY, Balancer
from console_process import PROJECT, Console
from moments import until
from nginx_balancer import NginxBalancer, checked
from team import Team, goes_on

USED_STREAMS = r'understudy_used\{name="event_streams_of_a_device"\} (\d+)'
USED_DEVICES = r'understudy_used\{name="devices_awake"\} (\d+)'
IN_FLIGHT = r"(?m)^http_requests_in_flight (\d+)"


def measured(console, pattern):
    """A figure of a console's; 0 if it tells none."""
    return sum(int(one) for one in re.findall(pattern, console.text("/metrics")))


# haproxy's file asks most of the consoles. nginx's own part is in the tests above and in `make verify`.
@pytest.fixture(params=[pytest.param(Balancer, id="haproxy"), pytest.param(NginxBalancer, id="nginx", marks=pytest.mark.long)])
def balancer(team, request):
    balancer = request.param(team.front, [console.port for console in team.consoles], team.folder)
    yield balancer
    balancer.stop()


# nginx asks a console how it is only by sending calls to it.
checking = pytest.mark.parametrize("balancer", [Balancer], ids=["haproxy"], indirect=True)


def certificate(folder):
    """The files of a certificate for `console.test`, and of its key."""
    files = folder / "certificate", folder / "key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=console.test", "-days", "2", "-keyout", files[1], "-out", files[0]],
        capture_output=True, check=True)
    return files


def test_nginx_takes_the_file_as_it_is(tmp_path):
    text = (PROJECT / "Packaging/nginx.conf").read_text()
    for name, file in zip(("pem", "key"), certificate(tmp_path), strict=True):
        text = text.replace(f"/etc/nginx/CONSOLE.EXAMPLE.{name}", str(file))
    text = re.sub(r"CONSOLE\d\.EXAMPLE", "127.0.0.1", text).replace("CONSOLE.EXAMPLE", "console.test")
    assert "EXAMPLE" not in re.sub(r"(?m)^#.*", "", text)
    (tmp_path / "understudy.conf").write_text(text)
    said = checked(tmp_path)
    assert said.returncode == 0 and "warn" not in said.stderr, said.stderr


@pytest.mark.long
def test_nginx_sends_a_device_to_one_console(team):
    balancer = NginxBalancer(team.front, [console.port for console in team.consoles], team.folder)
    try:
        met = [{tuple(balancer.upstream(f"{number:07}-key")[1]) for _ in range(5)} for number in range(20)]
        assert all(len(one) == 1 for one in met)
        assert set.union(*met) == {(console.port,) for console in team.consoles}
    finally:
        balancer.stop()


def test_haproxy_takes_the_file_as_it_is(tmp_path):
    pem = tmp_path / "console.pem"
    pem.write_text("".join(file.read_text() for file in certificate(tmp_path)))
    text = (PROJECT / "Packaging/haproxy.cfg").read_text().replace("/etc/haproxy/CONSOLE.EXAMPLE.pem", str(pem))
    text = re.sub(r"CONSOLE\d\.EXAMPLE", "127.0.0.1", text).replace("CONSOLE.EXAMPLE", "console.test")
    assert "EXAMPLE" not in re.sub(r"(?m)^#.*", "", text)
    (tmp_path / "haproxy.cfg").write_text(text)
    checked = subprocess.run(
        [HAPROXY, "-c", "-f", tmp_path / "haproxy.cfg"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "WARNING" not in checked.stdout + checked.stderr


class Page(threading.Thread):
    """Calls as an open page does, until it is told to stop; keeps what it was told but success and a move."""

    def __init__(self, member):
        super().__init__()
        self.member, self.is_over, self.faults, self.calls = member, threading.Event(), [], 0

    def run(self):
        while not self.is_over.wait(0.02):
            try:
                answer, _ = self.member.patiently("GET", "/api/account", seconds=30)
                self.calls += 1
                if answer.status != 200:
                    self.faults.append((answer.status, answer.body[:200]))
            except (OSError, http.client.HTTPException, AssertionError) as error:
                self.faults.append(repr(error))

    def end(self):
        self.is_over.set()
        self.join(60)
        assert not self.is_alive()

    def goes_on(self):
        """Waits until it was answered a few times more."""
        before = self.calls
        until(lambda: self.calls > before + 2 or self.faults, "a page is answered again", 60)


@pytest.mark.long
@pytest.mark.drains
def test_a_rolling_restart_shows_no_page_an_error(team, balancer):
    members = [team.member(balancer, f"member{number}@example.com") for number in range(4)]
    pages = [Page(member) for member in members]
    for page in pages:
        page.start()
    for index, console in enumerate(team.consoles):
        arguments, port = team.arguments(), console.port
        assert console.stop() == 0
        team.consoles[index] = Console(None, *arguments, port=port)
        balancer.wait_for(index + 1)
        for page in pages:
            page.goes_on()
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


def test_a_read_under_way_is_answered_although_its_console_is_killed(team, balancer):
    member = team.member(balancer, "reader@example.com")
    rule = {"name": "slow", "match": {"endpoint": "me"}, "when": {}, "action": {"kind": "latency", "latency_ms": 1500}}
    assert member.call("POST", "/api/faults", rule).status == 201
    team.settle()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        call = pool.submit(member.patiently, "GET", "/api/account", seconds=30)
        holder = next(console for console in team.consoles if measured(console, USED_DEVICES))
        # Beside the request for this number; a check of the balancer would not be there three times in a row.
        until(lambda: all(measured(holder, IN_FLIGHT) > 1 for _ in range(3)), "the call is under way")
        holder.kill()
        answer, _ = call.result()
        assert answer.status == 200, answer


def longest_stay(member, calls=8):
    """The most seconds that a page which calls so often is told to wait, because its device has just moved."""
    longest = 0

    def is_answered():
        nonlocal longest
        try:
            answer = member.call("GET", "/api/account")
        except (OSError, http.client.HTTPException):
            # The call was cut with the console.
            member.close()
            return False
        assert answer.status == 200 or (answer.status, (answer.json or {}).get("reason")) == (503, "moving"), answer
        longest = max(longest, int(answer.headers.get("Retry-After") or 0))
        return answer.status == 200

    for _ in range(calls):
        until(is_answered, "the page is answered")
    return longest


def test_devices_of_a_killed_console_move_once(team):
    """haproxy knows of the loss as soon as a call has failed: until then the hash names other consoles than afterwards.

    A device that has moved stays for five seconds, unless it moved because its console was lost.
    """
    team.add()
    balancer = Balancer(team.front, [console.port for console in team.consoles], team.folder)
    try:
        balancer.wait_for_all()
        members = [team.member(balancer, f"once.{number}@example.com") for number in range(24)]
        with concurrent.futures.ThreadPoolExecutor(len(members)) as pool:
            team.settle()
            team.consoles[0].kill()
            # Some call at once, and one of their calls fails. Others call as soon as haproxy has noticed.
            first = [pool.submit(longest_stay, member) for member in members[:12]]
            until(lambda: not balancer.is_up(1), "haproxy has noticed the loss")
            second = [pool.submit(longest_stay, member) for member in members[12:]]
            # Not longer than a console that lives takes to give a device back.
            assert all(one.result() <= 1 for one in [*first, *second]), [one.result() for one in [*first, *second]]
    finally:
        balancer.stop()


@pytest.mark.long
@checking
def test_pages_go_on_behind_the_balancer_when_a_console_hangs(team, balancer):
    """A console that neither answers nor ends: what it was asked is cut off, and asked of another one."""
    members = [team.member(balancer, f"hangs.{number}@example.com") for number in range(12)]
    victim = team.consoles[0]

    def is_answered(member):
        try:
            # haproxy itself gives up after 60 s. 503 while a device moves that has just moved.
            return member.must("GET", "/api/account", status=(200, 502, 503), timeout=40).status == 200
        except TimeoutError:
            raise AssertionError("a call hangs with the console") from None
        except (OSError, http.client.HTTPException):
            member.close()
            return False

    victim.process.send_signal(signal.SIGSTOP)
    try:
        for member in members:
            until(lambda member=member: is_answered(member), "the page is answered", 60)
    finally:
        victim.process.send_signal(signal.SIGCONT)


def test_browsers_of_a_person_use_their_device_on_one_console(database, tmp_path):
    """Each has a key of its own for the same device; if the keys led to different consoles, the device would move at each call."""
    secret = tmp_path / "person-secret"
    secret.write_text(secrets.token_urlsafe(32))
    secret.chmod(0o600)
    team = Team(tmp_path, database, count=0)
    team.further = ["--person-header", "X-Forwarded-Email", "--person-secret-file", secret]
    team.add(2)
    balancer = Balancer(team.front, [console.port for console in team.consoles], team.folder)

    def call(method, path, key=None):
        connection = http.client.HTTPConnection("127.0.0.1", balancer.port, timeout=20)
        fields = {
            "Host": f"localhost:{balancer.port}", "X-Forwarded-Email": "ann@example.com",
            "X-Understudy-Proxy-Secret": secret.read_text(), "Content-Type": "application/json"}
        connection.request(method, path, "{}" if method == "POST" else None, fields | ({"X-Device-Key": key} if key else {}))
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, json.loads(body)

    try:
        balancer.wait_for_all()
        status, device = call("POST", "/api/devices")
        assert status == 201, device
        keys = [device["device_key"]] + [call("POST", f"/api/devices/{device['device_id']}/key")[1]["device_key"] for _ in range(4)]
        assert len(set(keys)) == len(keys)
        assert call("GET", "/api/state", keys[0])[0] == 200
        epochs = set()
        for key in keys * 2:
            team.settle()
            assert call("GET", "/api/state", key)[0] == 200
            epochs.add(str(team.database.ask("SELECT epoch FROM understudy_console.device_lease")))
        assert len(epochs) == 1, epochs
    finally:
        balancer.stop()
        team.stop()


def test_a_stream_ends_as_soon_as_its_reader_leaves(team, balancer):
    member = team.member(balancer, "member@example.com")

    def streams():
        """Those that the consoles have open; one that has no device awake tells of none."""
        return sum(measured(console, USED_STREAMS) for console in team.consoles)

    reader = http.client.HTTPConnection("127.0.0.1", balancer.port, timeout=20)
    fields = {"Host": f"localhost:{balancer.port}", "Cookie": "; ".join(f"{name}={value}" for name, value in member.cookies.items())}
    reader.request("GET", "/api/events", headers=fields | {"X-Device-Key": member.key})
    stream = reader.getresponse()
    assert stream.status == 200 and stream.read1()
    assert streams() == 1
    stream.close()
    reader.close()
    # Before the next heartbeat would tell.
    until(lambda: not streams(), "the stream has ended", 9)
