"""HAR files of other programs come in whole: `mitmproxy.har` was recorded, the others follow the forms of their programs."""

import json

import pytest
from console_process import PROJECT, Browser, Console
from test_recordings import entry, har, send

HARS = PROJECT / "Tests/Fixtures/har"
SECRETS = ["dana", "hunter22", "0123456789abcdef", "abcdefghijklmnop"]


@pytest.fixture(scope="module")
def console(tmp_path_factory):
    """One console for all files."""
    console = Console(tmp_path_factory.mktemp("har") / "data")
    yield console
    assert console.stop() == 0


@pytest.fixture(scope="module")
def browser(console):
    """Somebody who is signed in."""
    browser = Browser(console.port)
    browser.sign_in("dana@example.org")
    return browser


def imported(browser, content, media_type="application/json"):
    """The recording of a file, and its rows whole."""
    status, answer = send(browser, content, media_type)
    assert status == 201, answer
    recording = json.loads(answer)
    path = f"/api/recordings/{recording['id']}/network"
    rows = browser.call("GET", path).json["events"]
    return recording, [browser.call("GET", f"{path}/{row['id']}").json for row in rows]


def of_tool(browser, name):
    """The recording of a tool's file, its rows and the file's entries; no secret of the file is in it."""
    content = (HARS / f"{name}.har").read_bytes()
    entries = json.loads(content)["log"]["entries"]
    recording, rows = imported(browser, content)
    assert recording["rows"] == len(rows) == len(entries)
    shown = json.dumps([recording, rows])
    assert [secret for secret in SECRETS if secret in shown] == []
    for row, one in zip(rows, entries, strict=True):
        status = one["response"]["status"]
        assert row["method"] == one["request"]["method"] and row.get("status", 0) == status
        assert row["state"] == ("success" if 0 < status < 400 else "failure") and ("error" in row) == (status == 0)
        assert row["duration_ms"] == pytest.approx(one.get("_total", one["time"]), abs=0.1)
        names = [line["name"] for line in one["request"]["headers"] if not line["name"].startswith(":")]
        assert [name for name, _ in row["request"]["headers"]] == names
        assert all(value >= 0 for value in row["timings"].values())
    return recording, rows


def test_mitmproxy(browser):
    recording, rows = of_tool(browser, "mitmproxy")
    assert recording["device_name"].startswith("mitmproxy ")
    packed, form, body, image, missing, broken = rows
    assert packed["path"] == "/packed" and "page=2" in packed["url"] and '"items"' in packed["response"]["body"]
    assert packed["response_bytes"] < len(packed["response"]["body"]), "the size is that on the wire"
    assert packed["started_at"].endswith("Z") and packed["timings"]["wait_ms"] > 0 and "tls_ms" not in packed["timings"]
    assert "password=" in form["request"]["body"] and '"n":1' in body["request"]["body"]
    assert image["response_bytes"] == 16 and missing["response"]["body_note"] == "not kept: not JSON"
    assert broken["error"] == "server closed connection" and "response" not in broken


def test_firefox(browser):
    recording, rows = of_tool(browser, "firefox")
    assert recording["device_name"] == "Firefox 128.5.0" and recording["backend_url"] == "https://api.example.org"
    # The clock goes forward between these two; the offset says so.
    assert [row["started_at"] for row in rows[:2]] == ["2026-03-29T00:59:58.120Z", "2026-03-29T01:00:01.004Z"]
    users, login, image, offline = rows
    assert "č" in users["response"]["body"] and users["response_bytes"] == 240 and users["timings"]["connect_ms"] == 12
    assert "tls_ms" not in users["timings"] and login["timings"]["tls_ms"] == 0
    assert login["request"]["body"].startswith("user=") and ["location", "/home"] in login["response"]["headers"]
    assert image["response"]["headers"] == [["content-type", "image/png"]] and offline["error"] == "no_answer"


def test_charles(browser):
    recording, rows = of_tool(browser, "charles")
    assert recording["device_name"] == "Charles Proxy 4.6.7"
    report, pinned, image, again = rows
    assert "title=a%20b%26c" in report["request"]["body"], "Charles writes the fields of a form, but not its text"
    assert report["response"]["body"] == '{"ok":true}' and report["response_bytes"] == 60
    assert report["timings"] == {"send_ms": 2, "wait_ms": 200, "receive_ms": 10, "total_ms": 212}
    assert pinned["method"] == "CONNECT" and pinned["error"] == "failed"
    assert image["path"] == again["path"] and image["id"] != again["id"] and image["seq"] < again["seq"]


def test_proxyman(browser):
    recording, rows = of_tool(browser, "proxyman")
    assert recording["device_name"] == "Proxyman 5.12.0"
    put, down = rows
    assert '"n":1' in put["request"]["body"] and put["response_bytes"] == 0 and put["timings"]["wait_ms"] == 180
    assert down["error"] == "Could not connect to the server"


def raw(text):
    """A HAR in which a JSON string has these bytes."""
    return har([entry(_flow="HERE")]).replace(b"HERE", text)


TEXTS = {
    "NUL": (rb"a\u0000b", "a\0b"), "half a pair": (rb"a\ud83db", "a\ufffdb"), "other half": (rb"a\uDE00b", "a\ufffdb"),
    "two halves": (rb"\ude00\ud83d", "\ufffd\ufffd"), "a pair": (rb"\ud83d\ude00\ud83d", "\U0001f600\ufffd"),
    "escaped": (rb"\\ud83d\ud83d", "\\ud83d\ufffd"), "no UTF-8": (b"a\xffb", "a\ufffdb"),
}


@pytest.mark.parametrize(("text", "shown"), TEXTS.values(), ids=TEXTS.keys())
def test_odd_texts(browser, text, shown):
    row = imported(browser, raw(text))[1][0]
    assert row["flow"] == shown


def test_byte_order_mark_and_entries_that_are_no_calls(browser):
    others = [entry(request={"method": "GET", "url": url, "headers": []}) for url in ["data:text/plain,a", "blob:https://a/b", "about:blank"]]
    recording, rows = imported(browser, b"\xef\xbb\xbf" + har([*others, entry(), entry(response=None), entry()]))
    assert recording["rows"] == 3 and [row.get("status") for row in rows] == [200, None, 200]
    assert rows[1]["error"] == "no_answer"


def test_pseudo_headers_of_http_2_do_not_repeat_the_target(browser):
    one = entry()
    one["request"]["headers"] += [{"name": ":path", "value": "/a?token=abcdefghijklmnop"}, {"name": ":authority", "value": "dana@a"}]
    row = imported(browser, har([one]))[1][0]
    assert [name for name, _ in row["request"]["headers"]] == ["Authorization"]
    assert not [secret for secret in SECRETS if secret in json.dumps(row)]
