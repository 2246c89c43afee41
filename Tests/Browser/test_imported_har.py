"""HAR files that other programs wrote become recordings whole."""

import http.server
import json
import threading

import pytest


class Pages(http.server.BaseHTTPRequestHandler):
    """A site with a page, a script, an answer to a POST, and a missing file."""

    def do_GET(self):
        status, type, body = {
            "/": (200, "text/html", b"<!doctype html><link rel=icon href=data:,><script src=/a.js></script>"),
            "/a.js": (200, "text/javascript", b"fetch('/api?token=abcdefghijklmnop', {method: 'POST', body: '{\"n\":1}'}); fetch('/missing')"),
        }.get(self.path, (404, "text/plain", b"missing"))
        self.answer(status, type, body)

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
