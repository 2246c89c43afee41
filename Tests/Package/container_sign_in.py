"""Runs the console in a root folder as a container would, and signs in. usage: container_sign_in.py <root> [NAME=value …]

The root is mounted read-only, the data folder is a memory file system, the process has another user, no capability, no way to
gain one and its own mount and process tables. Needs root.
"""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.parse

INSIDE = """
set -e
mount --make-rprivate /
mount --bind "$1" "$1"
mount -t tmpfs -o mode=0700,uid=10001,gid=10001,size=64m tmpfs "$1/var/lib/understudy"
mount -t proc proc "$1/proc"
mount --bind /dev/urandom "$1/dev/urandom" 2>/dev/null || true
mount -o remount,bind,ro "$1"
shift_root=$1; shift
cd /
exec chroot "$shift_root" /usr/bin/setpriv --reuid 10001 --regid 10001 --clear-groups --no-new-privs \
  --inh-caps=-all --bounding-set=-all /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin "$@"
"""


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


passed = 0


def check(name: str, holds: bool, detail: object = "") -> None:
    global passed
    passed += holds
    print(f"{'ok  ' if holds else 'FAIL'} {name} {'' if holds else detail}".rstrip(), flush=True)
    if not holds:
        raise SystemExit(1)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def status_of(pid: int) -> dict[str, str]:
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return {name: value.strip() for name, _, value in (line.partition(":") for line in file)}


def console_pid(parent: int) -> int:
    """The console's process below `unshare`."""
    pid = parent
    while True:
        with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
            if file.read().strip() == "understudy":
                return pid
        with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
            children = file.read().split()
        if not children:
            raise SystemExit("no console process")
        pid = int(children[0])


def enter(port: int, token: str) -> Browser:
    """A browser that the access token let in."""
    browser = Browser(port)
    check("the page is served", browser_page(port) == 200)
    status, body = browser.call("POST", "/api/devices", {})
    check("without the access token nothing is given out", status == 401 and body["code"] == "access_required", (status, body))
    status, body = browser.call("POST", "/api/access", {"token": token})
    check("the access token of the ready line is taken", status in (200, 204), (status, body))
    return browser


def sign_in(browser: Browser) -> None:
    status, body = browser.call("POST", "/api/devices", {})
    check("a device is made", status == 201, (status, body))
    browser.key = body["device_key"]
    status, body = browser.call("POST", "/api/login/code", {"identifier": "container@example.com"})
    check("a code is asked for", status == 202, (status, body))
    status, body = browser.call("GET", "/api/inbox?wait=10")
    check("its message is there", status == 200 and len(body["messages"]) == 1, (status, body.keys()))
    code = body["messages"][0]["code"]
    status, body = browser.call("POST", "/api/login/code/verify", {"identifier": "container@example.com", "code": code})
    check("the code signs in", status == 200 and body["session"]["state"] == "authenticated", (status, body))
    read_account(browser)


def read_account(browser: Browser) -> None:
    status, body = browser.call("GET", "/api/account")
    check("the account is read", status == 200 and len(body["profiles"]) == 1, (status, body))


def browser_page(port: int) -> int:
    connection = http.client.HTTPConnection("localhost", port, timeout=20)
    connection.request("GET", "/login")
    return connection.getresponse().status


def main(root: str, settings: list[str]) -> None:
    port = free_port()
    # Later settings win, as `docker run -e` does.
    settings = settings + [f"UNDERSTUDY_PORT={port}", f"UNDERSTUDY_PUBLIC_ORIGIN=http://localhost:{port}"]
    process = subprocess.Popen(
        ["unshare", "--mount", "--pid", "--fork", "--kill-child", "/bin/sh", "-c", INSIDE, "sh", root, *settings,
         "understudy", "serve"],
        stdout=subprocess.PIPE, text=True)
    try:
        ready = process.stdout.readline()
        match = re.search(r"ready (\S+)", ready)
        check("it starts", match is not None, repr(ready))
        token = urllib.parse.urlparse(match.group(1)).fragment.removeprefix("access=")
        pid = console_pid(process.pid)
        facts = status_of(pid)
        check("it runs as nobody in particular", facts["Uid"].split() == ["10001"] * 4, facts["Uid"])
        check("it has no capability", int(facts["CapBnd"], 16) == 0 and int(facts["CapEff"], 16) == 0, facts["CapBnd"])
        check("it cannot gain any", facts["NoNewPrivs"] == "1")
        health = subprocess.run(
            ["nsenter", "-t", str(pid), "-m", "-p", "-r", "/usr/bin/env", "-i", "PATH=/usr/local/bin:/usr/bin:/bin", *settings,
             "understudy", "healthcheck"])
        check("the image's health check passes", health.returncode == 0, health.returncode)
        written = subprocess.run(["nsenter", "-t", str(pid), "-m", "-r", "/bin/sh", "-c", "touch /etc/written 2>/dev/null"])
        check("nothing but its data can be written", written.returncode != 0)
        sign_in(enter(port, token))
        os.kill(pid, signal.SIGTERM)
        check("it stops in good order", process.wait(timeout=15) == 0, process.returncode)
    finally:
        if process.poll() is None:
            process.kill()
    print(f"{passed} passed")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
