"""Recordings: what goes out comes back the same, nothing hostile stays, and a large file needs little memory."""

import gzip
import http.client
import io
import json
import threading
import zipfile

import pytest
from console_process import Browser
from moments import until

SECRETS = [b"dana", b"hunter22", b"0123456789abcdef", b"abcdefghijklmnop"]


def entry(**changes):
    """An entry of a HAR with a secret in every place."""
    return {
        "startedDateTime": "2026-01-01T00:00:00.000Z", "time": 3,
        "request": {
            "method": "POST", "url": "https://dana:hunter22@api.example.org/users/dana@example.com?token=abcdefghijklmnop",
            "headers": [{"name": "Authorization", "value": "Bearer 0123456789abcdef0123456789"}],
            "postData": {"mimeType": "application/json", "text": '{"password":"hunter22","n":1}'},
        },
        "response": {
            "status": 200, "headers": [{"name": "Set-Cookie", "value": "sid=0123456789abcdef"}],
            "content": {"size": 1, "mimeType": "application/json", "text": json.dumps({"refresh_token": "0123456789abcdef0123456789"})},
        },
        "timings": {"send": 1, "wait": 1, "receive": 1}, **changes,
    }


def har(entries):
    """A HAR of another program."""
    return json.dumps({"log": {"version": "1.2", "creator": {"name": "Another", "version": "7"}, "entries": entries}}).encode()


def send(browser, body, media_type="application/json", method="POST", path="/api/recordings/import"):
    """A request whose body may be large; the status and the body of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", browser.port, timeout=600)
    headers = {
        "Host": f"localhost:{browser.port}", "Origin": f"http://localhost:{browser.port}", "Sec-Fetch-Site": "same-origin",
        "X-Device-Key": browser.key, "Cookie": "; ".join(f"{name}={value}" for name, value in browser.cookies.items()),
    }
    if body is not None:
        headers["Content-Type"] = media_type
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def rows(archive):
    """The rows of an exported archive."""
    return json.loads(zipfile.ZipFile(io.BytesIO(archive)).read("rows.json"))


@pytest.fixture
def browser(start):
    """Somebody who is signed in and has met a fault."""
    browser = Browser(start().port)
    browser.sign_in("dana@example.com")
    browser.must("POST", "/api/faults/presets/backend-error", status=201)
    browser.must("GET", "/api/account", status=502)
    return browser


def test_export_import_and_export_give_the_same_rows(browser):
    archive = send(browser, None, method="GET", path="/api/network/export")[1]
    status, answer = send(browser, archive, "application/zip")
    assert status == 201, answer
    recording = json.loads(answer)
    again = send(browser, None, method="GET", path=f"/api/recordings/{recording['id']}/network/export")[1]
    assert rows(again) == rows(archive) and len(rows(archive)) > 5
    timeline = browser.call("GET", f"/api/recordings/{recording['id']}/timeline").json["entries"]
    assert timeline == json.loads(zipfile.ZipFile(io.BytesIO(archive)).read("timeline.json"))


def test_recordings_outlive_a_kill_and_an_import_that_was_cut_off_leaves_nothing(start):
    console = start()
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    assert send(browser, har([entry()] * 5))[0] == 201
    connection = http.client.HTTPConnection("127.0.0.1", console.port, timeout=20)
    connection.putrequest("POST", "/api/recordings/import", skip_host=True)
    for name, value in {
        "Host": f"localhost:{console.port}", "Origin": f"http://localhost:{console.port}", "X-Device-Key": browser.key,
        "Cookie": "; ".join(f"{name}={value}" for name, value in browser.cookies.items()), "Content-Type": "application/json",
        "Content-Length": "50000000",
    }.items():
        connection.putheader(name, value)
    connection.endheaders()
    connection.send(har([entry()] * 3000)[:-2])
    until(lambda: 'understudy_used{name="recordings"} 2' in console.text("/metrics"), "it is under way")
    assert len(browser.call("GET", "/api/recordings").json["recordings"]) == 1, "nobody sees it before it is complete"
    console.kill()
    connection.close()
    browser.close()
    again = start(data=console.data, port=console.port)
    assert [one["rows"] for one in browser.call("GET", "/api/recordings").json["recordings"]] == [5]
    assert 'understudy_used{name="recordings"} 1' in again.text("/metrics")


def test_no_secret_of_an_imported_file_is_kept(browser, tmp_path):
    status, answer = send(browser, har([entry()] * 3))
    assert status == 201, answer
    path = f"/api/recordings/{json.loads(answer)['id']}/network"
    content = answer + send(browser, None, method="GET", path=path)[1] + send(browser, None, method="GET", path=f"{path}/export?format=har")[1]
    for file in (tmp_path / "data").glob("evidence.sqlite*"):
        content += file.read_bytes()
    for secret in SECRETS:
        assert secret not in content, secret


BROKEN = {
    "empty list": (b"[]", "no entries"), "no JSON": (b"<html>", "not JSON"), "cut off": (har([entry()])[:-9], "ends too early"),
    "no request": (har([entry(request=None)]), "readable request"), "UTF-16": (har([entry()]).decode().encode("utf-16"), "UTF-16"),
    "compressed": (gzip.compress(har([entry()])), "gzip"), "no HAR": (b'{"log": {}}', "neither a HAR"),
    "not an archive": (b"PK\x03\x04 and so on", "zip"),
}


def test_a_broken_file_is_refused_with_its_fault_and_nothing_is_kept(browser):
    for body, word in BROKEN.values():
        status, answer = send(browser, body, "application/zip" if body.startswith(b"PK") else "application/json")
        problem = json.loads(answer)
        assert status == 400 and problem["code"] == "invalid_recording" and word in problem["detail"], problem
        assert browser.call("GET", "/api/recordings").json == {"recordings": []}


@pytest.mark.long
@pytest.mark.parametrize("mebibytes", [200])
def test_a_large_file_needs_little_memory(start, mebibytes):
    console = start()
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    text = json.dumps({"text": "a" * 4000})
    one = entry(response={"status": 200, "headers": [], "content": {"size": 4011, "mimeType": "application/json", "text": text}})
    body = har([one] * (mebibytes * (1 << 20) // len(json.dumps(one))))
    before, most, done = console.resident_kib(), [0], threading.Event()

    def watch():
        while not done.wait(0.05):
            most[0] = max(most[0], console.resident_kib())

    watcher = threading.Thread(target=watch)
    watcher.start()
    status, answer = send(browser, body)
    done.set()
    watcher.join()
    assert status == 201, answer
    print(f"{len(body) >> 20} MiB in {json.loads(answer)['rows']:,} entries: {most[0] - before:,} KiB more memory")
    assert most[0] - before < 64 << 10
