"""Pasted curl commands fill the composer with what curl itself sends."""

import json
import os
import pathlib
import re
import socketserver
import subprocess
from threading import Thread
from urllib.parse import unquote, urlsplit

import pytest
from curl_commands import PASTED, POSIX, WINDOWS

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What curl adds by itself, and what the composer leaves to the client.
LEFT_TO_THE_CLIENT = {"host", "user-agent", "accept", "content-length", "proxy-connection", "expect", "authorization", "cookie", "accept-encoding"}


class Recorder(socketserver.StreamRequestHandler):
    """A proxy that answers each request itself and keeps it."""

    def handle(self):
        while line := self.rfile.readline().decode("latin-1").strip():
            method, target, _ = line.split(" ", 2)
            headers = []
            while field := self.rfile.readline().decode("utf-8").strip():
                name, _, value = field.partition(":")
                headers.append((name, value.strip()))
            fields = {name.lower(): value for name, value in headers}
            if "100-continue" in fields.get("expect", ""):
                self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            body = self.rfile.read(int(fields.get("content-length", 0)))
            self.server.requests.append({"method": method, "url": target, "headers": headers, "body": body.decode()})
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")


class Proxy(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


@pytest.fixture(scope="module")
def sent(tmp_path_factory):
    """Runs a command with the real curl; returns its first request."""
    folder = tmp_path_factory.mktemp("curl")
    (folder / "photo.jpg").write_text("photo")
    (folder / "body.json").write_text('{"in": "file"}')
    (folder / "ca.pem").write_text("")
    proxy = Proxy(("127.0.0.1", 0), Recorder)
    Thread(target=proxy.serve_forever, daemon=True).start()
    # Without TLS and through the proxy, whatever host the command names; -q keeps settings of this machine away.
    (folder / "prelude.sh").write_text(
        'curl() { command curl -q --proxy "$PROXY" --proxytunnel --no-proxytunnel "${@//https:/http:}"; }\n'
        'command() { if [ "$1" = curl ] && [ "$2" != -q ]; then shift; curl "$@"; else builtin command "$@"; fi; }\n'
    )
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "PROXY": f"http://127.0.0.1:{proxy.server_address[1]}", "BASH_ENV": str(folder / "prelude.sh")}

    def run(*command):
        proxy.requests = []
        done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=20)
        assert proxy.requests, (command, done.stderr)
        return proxy.requests[0]

    yield run
    proxy.shutdown()
    proxy.server_close()


def composed(texts):
    """What the composer makes of the texts."""
    deno = ROOT / ".build/venv/bin/deno"
    command = [deno, "run", "--no-remote", "--no-npm", "--allow-read", ROOT / "Tests/JavaScript/curl-reader.js"]
    environment = {**os.environ, "DENO_DIR": str(ROOT / ".build/deno"), "NO_COLOR": "1"}
    done = subprocess.run(command, input=json.dumps(texts), text=True, capture_output=True, timeout=60, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def without_boundary(text, headers):
    """A form with the same boundary, whoever made it up."""
    kind = next((value for name, value in headers if name.lower() == "content-type"), "")
    boundary = re.search("boundary=(.*)", kind)
    return text.replace(boundary[1], "B") if boundary else text


def request_of(draft, origin):
    """A draft as the request that it stands for."""
    headers = list(map(tuple, draft["headers"]))
    address = origin.replace("https:", "http:") + draft["path"] + (f"?{draft['query']}" if draft["query"] else "")
    return {"method": draft["method"], "url": address, "headers": headers, "body": draft["body"]}


def comparable(request, is_json):
    url = urlsplit(request["url"])
    left_out = LEFT_TO_THE_CLIENT | ({"content-type"} if is_json else set())
    headers = sorted(
        (name.lower(), re.sub("boundary=.*", "boundary=B", value))
        for name, value in request["headers"]
        if name.lower() not in left_out
    )
    body = without_boundary(request["body"], request["headers"])
    return request["method"], url.netloc.split("@")[-1], unquote(url.path), url.query, headers, body


def assert_equal(text, read, real):
    assert read, text
    is_json = "--json" in text
    mine, other = comparable(request_of(read["draft"], read["origin"]), is_json), comparable(real, is_json)
    if read["missing"]:
        # The content is asked for, so that the body and its type cannot be compared.
        mine, other = mine[:4], other[:4]
    assert mine == other, text


def test_commands_send_what_curl_sends(sent):
    read = composed(POSIX)
    assert len(POSIX) >= 105
    for text, one in zip(POSIX, read, strict=True):
        assert_equal(text, one, sent("bash", "-c", text))


def test_commands_for_windows_send_what_curl_sends(sent):
    read = composed([text for text, _ in WINDOWS])
    for (text, words), one in zip(WINDOWS, read, strict=True):
        assert_equal(text, one, sent("bash", "-c", 'curl "$@"', "bash", *words))


def test_pasted_commands_are_read_as_meant(sent):
    read = composed([text for text, _ in PASTED])
    for (text, meant), one in zip(PASTED, read, strict=True):
        assert_equal(text, one, sent("bash", "-c", meant))


def test_missing_files_are_asked_for():
    texts = [
        "curl -d @body.json https://api.example.test/a",
        "curl --json @- https://api.example.test/a",
        "curl -F file=@photo.jpg https://api.example.test/a",
        "curl -T - https://api.example.test/a",
        "curl -d @- https://api.example.test/a <<EOF",
        "curl -d @- https://api.example.test/a <<EOF\nsecret words of it\n",
        "curl -d \"$(cat body.json)\" https://api.example.test/a",
        "curl -H @headers.txt https://api.example.test/a",
    ]
    for text, read in zip(texts, composed(texts), strict=True):
        assert read["missing"], text
        assert read["draft"]["method"] in ("POST", "PUT") or "-H @" in text, text
        assert "secret" not in json.dumps(read), text
