"""What the tests of packages and of the image share: a browser that signs in, and the process that serves it."""
import http.client
import json
import socket
from pathlib import Path


class Browser:
    """A browser with its cookie and the key of its device."""

    def __init__(self, port: int):
        self.port, self.cookies, self.key = port, {}, None

    def call(self, method: str, path: str, body: dict | None = None) -> tuple[int, dict]:
        connection = http.client.HTTPConnection("localhost", self.port, timeout=20)
        headers = {"Origin": f"http://localhost:{self.port}", "Sec-Fetch-Site": "same-origin"}
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if self.key:
            headers["X-Device-Key"] = self.key
        data = None
        if body is not None:
            headers["Content-Type"], data = "application/json", json.dumps(body)
        connection.request(method, path, data, headers)
        answer = connection.getresponse()
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie":
                cookie, _, content = value.split(";")[0].partition("=")
                self.cookies[cookie] = content
        text = answer.read()
        return answer.status, json.loads(text) if text else {}

    def sign_in(self) -> None:
        """Makes a device, and signs it in by the code of a message."""
        status, body = self.call("POST", "/api/devices", {})
        assert status == 201, (status, body)
        self.key = body["device_key"]
        status, body = self.call("POST", "/api/login/code", {"identifier": "package@example.com"})
        assert status == 202, (status, body)
        status, body = self.call("GET", "/api/inbox?wait=10")
        assert status == 200 and len(body["messages"]) == 1, (status, body.keys())
        code = body["messages"][0]["code"]
        status, body = self.call("POST", "/api/login/code/verify", {"identifier": "package@example.com", "code": code})
        assert status == 200 and body["session"]["state"] == "authenticated", (status, body)
        self.read_account()

    def read_account(self) -> None:
        """Reads the account, which only a device that is signed in can."""
        status, body = self.call("GET", "/api/account")
        assert status == 200 and len(body["profiles"]) == 1, (status, body)


def free_port() -> int:
    """A port of the loopback address that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def console_pid(parent: int) -> int:
    """The console's process below `unshare`."""
    pid = parent
    while Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip() != "understudy":
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
        assert children, "there is no console process"
        pid = int(children[0])
    return pid
