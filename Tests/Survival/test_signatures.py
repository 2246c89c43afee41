"""The reference backend accepts a signature within its window, and invented devices displace nobody's counters."""

import hashlib
import hmac
import http.client
import json
import os
import ssl
import subprocess
import threading
import time

import pytest
from console_process import binary
from processes import start_program

SECRET = "Zm9yIHRoZSB0ZXN0cyBvbmx5IQ0k7Qx2"
SIGNED = "understudy-tests"


class SignedBackend:
    """`understudy backend` that demands signatures, if it is given an id."""

    def __init__(self, folder, *arguments, is_signed=True):
        secret = folder / "secret"
        secret.write_text(SECRET)
        secret.chmod(0o600)
        command = [binary(), "backend", "--port", 0, "--data", folder / "data", "--dev-token-file", secret, *arguments]
        command += ["--api-id", SIGNED, "--api-secret-file", secret] if is_signed else []
        environment = {name: value for name, value in os.environ.items() if not name.startswith("UNDERSTUDY_")}
        self.process = start_program(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        ready = self.process.stdout.readline().split()
        self.port = int(ready[3].rsplit(":", 1)[1])
        self.context = ssl.create_default_context(cafile=folder / "data/certificate.pem")

    def connect(self, source="127.0.0.1"):
        """A persistent connection from an address of this machine."""
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=20, context=self.context, source_address=(source, 0))

    def send(self, method, target, body=None, device="one", token=None, nonce=None, connection=None):
        """One call with its own signature: status, error code, JSON."""
        data = json.dumps(body) if body is not None else ""
        nonce = str(int(time.time()) if nonce is None else nonce)
        text = SIGNED + method + target.split("?")[0] + data + nonce
        headers = {
            "X-Device-ID": device, "X-Api-Id": SIGNED, "X-Nonce": nonce,
            "X-Signature": hmac.new(SECRET.encode(), text.encode(), hashlib.sha256).hexdigest(),
            **({"Content-Type": "application/json"} if data else {}), **({"Authorization": f"Bearer {token}"} if token else {}),
        }
        return self.exchange(connection, method, target, data, headers)

    def exchange(self, connection, method, target, data, headers):
        own = connection or self.connect()
        own.request(method, target, data or None, headers)
        answer = own.getresponse()
        content = json.loads(answer.read() or b"{}")
        if not connection:
            own.close()
        return answer.status, content.get("error", {}).get("code"), content

    def advance(self, seconds):
        """Puts the backend's clock forward."""
        headers = {"Authorization": f"Bearer {SECRET}", "Content-Type": "application/json"}
        assert self.exchange(None, "POST", "/dev/clock", json.dumps({"advance_seconds": seconds}), headers)[0] == 200

    def sign_in(self, identifier, device):
        """An access token."""
        assert self.send("POST", "/rpc/request_login_code", {"identifier": identifier}, device)[0] == 200
        headers = {"Authorization": f"Bearer {SECRET}"}
        # Of a person who signs in once, so that there is one message.
        [message] = self.exchange(None, "GET", f"/dev/inbox?to={identifier}&wait=10", "", headers)[2]["messages"]
        status, _, tokens = self.send("POST", "/rpc/login_with_code", {"identifier": identifier, "code": message["code"]}, device)
        assert status == 200
        return tokens

    def stop(self):
        self.process.terminate()
        code = self.process.wait(20)
        self.process.stdout.close()
        return code


@pytest.fixture
def backend(tmp_path):
    """Starts backends, which must end with 0."""
    started = []

    def begin(*arguments, **options):
        started.append(SignedBackend(tmp_path, *arguments, **options))
        return started[-1]

    yield begin
    assert not any(one.stop() for one in started)


def test_a_signature_is_good_for_five_minutes(backend):
    target = backend("--limits", "off")
    token = target.sign_in("dana@example.com", "one")["access_token"]
    now = int(time.time())
    for nonce in (now, now, now - 290, now + 290):
        assert target.send("GET", "/rpc/me", token=token, nonce=nonce)[0] == 200, nonce - now
    for nonce in (now - 310, now + 310):
        assert target.send("GET", "/rpc/me", token=token, nonce=nonce)[:2] == (401, "invalid_signature"), nonce - now


def ask(target, connection, device, identifier):
    """Asks for a code without a signature: the status."""
    body = json.dumps({"identifier": identifier})
    headers = {"X-Device-ID": device, "Content-Type": "application/json"}
    return target.exchange(connection, "POST", "/rpc/request_login_code", body, headers)[0]


def flood(target, count, source):
    """So many calls of devices that were made up, four connections at a time: how many were let through."""
    passed = []

    def run(part):
        connection = target.connect(source)
        passed.append(sum(ask(target, connection, f"m{part}-{n}", f"m{part}x{n}@example.com") == 200 for n in range(count // 4)))

    threads = [threading.Thread(target=run, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(passed)


@pytest.mark.long
@pytest.mark.parametrize("count", [4000, 200_000])
def test_made_up_devices_push_nobodys_counters_out(backend, count):
    """The counters of a client at another address survive any number of invented devices."""
    target = backend("--limits", "prod", is_signed=False)
    connection = target.connect("127.0.0.2")
    # Five an hour, a minute apart by the backend's clock.
    for _ in range(5):
        assert ask(target, connection, "victim", "victim@example.com") == 200
        target.advance(60)
    assert ask(target, connection, "victim", "victim@example.com") == 429
    connection.close()
    assert flood(target, count, "127.0.0.1") <= 2000
    connection = target.connect("127.0.0.2")
    assert ask(target, connection, "victim", "victim@example.com") == 429, "its own counters hold"
    assert ask(target, connection, "bystander", "bystander@example.com") == 200, "and nobody else is held up"
