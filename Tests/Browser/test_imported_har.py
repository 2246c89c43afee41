"""HAR files that other programs wrote become recordings whole."""

import base64
import hashlib
import http.server
import json
import threading

import pytest
from network_panel import NetworkPanel


class Pages(http.server.BaseHTTPRequestHandler):
    """A site with a page, a script, an answer to a POST, and a missing file."""

    def do_GET(self):
        if self.path == "/socket":
            return self.shake_hands()
        status, type, body = {
            "/": (200, "text/html", b"<!doctype html><link rel=icon href=data:,><script src=/a.js></script>"),
            "/a.js": (200, "text/javascript", b"fetch('/api?token=abcdefghijklmnop', {method: 'POST', body: '{\"n\":1}'}); fetch('/missing')"),
        }.get(self.path, (404, "text/plain", b"missing"))
        self.answer(status, type, body)

    def shake_hands(self):
        """Accepts a WebSocket (RFC 6455) and says one word."""
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.protocol_version = "HTTP/1.1"
        self.send_response(101)
        for name, value in {
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": base64.b64encode(hashlib.sha1(key.encode()).digest()).decode(),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(b"\x81\x04word\x88\x00")

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(200, "application/json", b'{"access_token":"0123456789abcdef0123456789","name":"\xc4\x8d"}')

    def answer(self, status, type, body):
        self.send_response(status)
        self.send_header("Content-Type", type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def site():
    """The site's address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.mark.long
def test_what_playwright_records_of_chromium_is_imported_whole(watched, site, tmp_path):
    page = watched.page()
    page.goto("/network")
    file = tmp_path / "recorded.har"
    context = watched.context.browser.new_context(record_har_path=file, record_har_content="embed")
    recorded = context.new_page()
    with recorded.expect_response("**/missing"):
        recorded.goto(site)
    recorded.wait_for_load_state("networkidle")
    context.close()
    entries = json.loads(file.read_text())["log"]["entries"]
    answer = watched.call("POST", "/api/recordings/import", json.loads(file.read_text()))
    assert answer.status == 201, answer.text()
    recording = answer.json()
    assert recording["rows"] == len(entries) >= 4 and recording["device_name"].startswith("Playwright")
    rows = watched.read(f"/api/recordings/{recording['id']}/network")["events"]
    assert sorted((row["method"], row["status"]) for row in rows) == sorted(
        (entry["request"]["method"], entry["response"]["status"]) for entry in entries)
    posted = next(row for row in rows if row["method"] == "POST")
    detail = watched.read(f"/api/recordings/{recording['id']}/network/{posted['id']}")
    assert "abcdefghijklmnop" not in detail["url"] and detail["request"]["body"] == '{"n":1}'
    assert "0123456789" not in detail["response"]["body"] and '"name":"č"' in detail["response"]["body"]


def test_what_the_network_panel_of_chromium_exports_is_imported_whole(watched, site):
    page = watched.page()
    page.goto("/network")
    recorded = watched.context.browser.new_context().new_page()
    panel = NetworkPanel(recorded)
    with recorded.expect_response("**/missing"):
        recorded.goto(site)
    recorded.evaluate(
        """async (site) => {
          const socket = new WebSocket(`${site.replace("http", "ws")}/socket`);
          const word = await new Promise((resolve) => socket.addEventListener("message", (event) => resolve(event.data)));
          await fetch("data:text/plain,x");
          await fetch("http://nowhere.invalid/").catch(() => {});
          return word;
        }""", site)
    recorded.wait_for_load_state("networkidle")
    har = panel.har()
    recorded.context.close()
    entries = [entry for entry in har["log"]["entries"] if entry["request"]["url"].startswith(("http", "ws"))]
    assert len(har["log"]["entries"]) > len(entries) >= 6, "one is a data URL"
    answer = watched.call("POST", "/api/recordings/import", har)
    assert answer.status == 201, answer.text()
    recording = answer.json()
    assert recording["rows"] == len(entries) and recording["device_name"].startswith("WebInspector")
    path = f"/api/recordings/{recording['id']}/network"
    rows = [watched.read(f"{path}/{row['id']}") for row in watched.read(path)["events"]]
    for row, entry in zip(rows, entries, strict=True):
        assert (row["method"], row.get("status", 0)) == (entry["request"]["method"], entry["response"]["status"])
        assert row["duration_ms"] == pytest.approx(entry["time"], abs=0.1) and row["started_at"] == entry["startedDateTime"]
        assert [name for name, _ in row["request"]["headers"]] == [line["name"] for line in entry["request"]["headers"]]
        assert all(value >= 0 for value in row["timings"].values()) and "tls_ms" not in row["timings"]
    assert "abcdefghijklmnop" not in json.dumps(rows) and "0123456789" not in json.dumps(rows)
    posted = next(row for row in rows if row["method"] == "POST")
    assert posted["request"]["body"] == '{"n":1}' and '"name":"č"' in posted["response"]["body"]
    assert next(row for row in rows if row["path"] == "/socket")["status"] == 101
    failed = next(row for row in rows if "nowhere" in row["url"])
    assert failed["error"] == "net::ERR_NAME_NOT_RESOLVED" and failed["state"] == "failure" and "response" not in failed
