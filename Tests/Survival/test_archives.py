"""Archives that become recordings: hostile ones are refused with the entry at fault, and large ones need little memory."""

import io
import json
import random
import struct
import threading
import uuid
import zipfile

import pytest
from console_process import Browser
from test_recordings import entry, har, rows, send

ROW = {
    "id": "a", "seq": 1, "rev": 1, "call_id": "c", "flow_id": "f", "flow": "home", "started_at": "2026-01-01T00:00:00.000Z", "method": "GET",
    "path": "/a", "endpoint": "/a", "attempt": 1, "status": 200, "state": "success", "request_bytes": 0, "source": "network",
    "is_pinned": False, "is_redacted": False,
    "url": "https://api.example.org/a", "timings": {}, "redactions": [], "request": {"headers": []},
    "response": {"headers": [["Content-Type", "application/json"]], "body": "{}"},
}


def zipped(files, compression=zipfile.ZIP_DEFLATED):
    """An archive of these files."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def row_file(count=3):
    """The rows of an exported archive."""
    return json.dumps([ROW | {"id": f"r{seq}", "seq": seq} for seq in range(1, count + 1)])


PLAIN = zipped({"rows.json": row_file(), "timeline.json": "[]"})


def changed(content, *changes):
    """The archive with numbers at offsets from the first local header, the first or second directory entry, or the end record."""
    content = bytearray(content)
    first = content.index(b"PK\1\2")
    places = {"local": 0, "first": first, "second": content.index(b"PK\1\2", first + 1), "end": content.rindex(b"PK\5\6")}
    for place, offset, form, value in changes:
        struct.pack_into(form, content, places[place] + offset, value)
    return bytes(content)


def renamed(name):
    """The archive with another name of the same length in place of `timeline.json`."""
    return PLAIN.replace(b"timeline.json", name.ljust(13, "x").encode())


def duplicate():
    """Two entries that are both called `rows.json`."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive, pytest.warns(UserWarning):
        archive.writestr("rows.json", row_file())
        archive.writestr("rows.json", row_file(1))
    return target.getvalue()


def with_locator():
    """An archive whose end record follows a ZIP64 locator that tells of another directory."""
    end = PLAIN.rindex(b"PK\5\6")
    return PLAIN[:end] + struct.pack("<4sIQI", b"PK\6\7", 0, 0, 1) + PLAIN[end:]


HOSTILE = {
    "bomb": (zipped({"rows.json": b" " * (64 << 20)}), "'rows.json' unpacks to more than 200 times"),
    "smaller than it says": (changed(PLAIN, ("local", 22, "<I", 5000), ("first", 24, "<I", 5000)), "'rows.json' has another size"),
    "larger than it says": (changed(PLAIN, ("local", 22, "<I", 50), ("first", 24, "<I", 50)), "'rows.json' has another size"),
    "headers differ": (changed(PLAIN, ("local", 22, "<I", 50)), "'rows.json' contradicts the directory"),
    "another checksum": (changed(PLAIN, ("local", 14, "<I", 50), ("first", 16, "<I", 50)), "'rows.json' fails its checksum"),
    "overlapping": (changed(PLAIN, ("second", 42, "<I", 0)), "'timeline.json' overlaps"),
    "within another": (changed(PLAIN, ("second", 42, "<I", 40)), "'timeline.json' overlaps"),
    "outside of the file": (changed(PLAIN, ("second", 42, "<I", 0xFFFFFF0)), "'timeline.json' overlaps"),
    "size of ZIP64": (changed(PLAIN, ("first", 24, "<I", 0xFFFFFFFF)), "'rows.json' needs ZIP64"),
    "ZIP64 locator": (with_locator(), "needs ZIP64"),
    "count of ZIP64": (changed(PLAIN, ("end", 8, "<H", 0xFFFF), ("end", 10, "<H", 0xFFFF)), "needs ZIP64"),
    "other count": (changed(PLAIN, ("end", 8, "<H", 1), ("end", 10, "<H", 1)), "directory contradicts itself"),
    "two volumes": (changed(PLAIN, ("end", 4, "<H", 1)), "split into several files"),
    "cut off": (PLAIN[:-1], "was cut off"), "only a beginning": (PLAIN[:100], "was cut off"),
    "encrypted": (changed(PLAIN, ("local", 6, "<H", 1), ("first", 8, "<H", 1)), "'rows.json' is encrypted"),
    "encrypted in one header": (changed(PLAIN, ("local", 6, "<H", 1)), "'rows.json' is encrypted"),
    "unknown compression": (changed(PLAIN, ("local", 8, "<H", 12), ("first", 10, "<H", 12)), "'rows.json' has the unsupported compression 12"),
    "traversal": (renamed("../../../evil"), "'../../../evil' has a name that no file may have"),
    "absolute": (renamed("/etc/evil"), "has a name that no file may have"),
    "drive": (renamed("C:/evil"), "has a name that no file may have"), "backslash": (renamed("..\\evil"), "has a name that no file may have"),
    "control": (renamed("a\x1b[31m"), "'a?[31m"), "duplicate": (duplicate(), "'rows.json' exists twice"),
    "not deflate": (PLAIN.replace(PLAIN[39:43], b"\xff\xff\xff\xff", 1), "'rows.json' "),
    "no rows": (zipped({"a.txt": "a"}), "without a HAR"), "two HARs": (zipped({"a.har": "{}", "b.har": "{}"}), "with several"),
    "broken rows": (zipped({"rows.json": row_file()[:-5]}), "ends too early"),
    "broken timeline": (zipped({"rows.json": row_file(), "timeline.json": "{"}), "timeline.json is damaged"),
    "broken rules": (zipped({"rows.json": row_file(), "faults.json": '[{"id":1}]'}), "faults.json is damaged"),
    "broken last row": (zipped({"rows.json": row_file(500)[:-1] + ',{"seq":1}]'}), "row is damaged"),
}


@pytest.fixture
def browser(start):
    """Somebody who is signed in."""
    browser = Browser(start().port)
    browser.sign_in("dana@example.com")
    return browser


def test_a_hostile_archive_is_refused_with_the_entry_at_fault_and_nothing_is_kept(browser, tmp_path):
    assert send(browser, PLAIN, "application/zip")[0] == 201, "the one that they are made of is fine"
    kept = browser.call("GET", "/api/recordings").json
    for name, (body, words) in HOSTILE.items():
        status, answer = send(browser, body, "application/zip")
        problem = json.loads(answer)
        assert status == 400 and problem["code"] == "invalid_recording" and words in problem["detail"], (name, problem)
        assert "\x1b" not in problem["detail"]
    assert browser.call("GET", "/api/recordings").json == kept
    assert sorted(file.name for file in (tmp_path / "data").iterdir() if "import" in file.name) == []


def test_what_other_programs_write_is_read(browser):
    for archive in [
        zipped({"folder/a.har": har([entry()] * 3)}), zipped({"rows.json": row_file()}, zipfile.ZIP_STORED),
        PLAIN[:-2] + struct.pack("<H", 4) + b"PK\5\6",
    ]:
        status, answer = send(browser, archive, "application/zip")
        assert status == 201 and json.loads(answer)["rows"] == 3, answer


def test_masks_and_rules_of_a_changed_archive_are_redacted(browser, tmp_path):
    fault = {
        "id": "f1", "name": "for dana@example.com", "match": {"query": "token=abcdefghijklmnop"}, "when": {},
        "action": {"kind": "answer", "status": 200, "headers": [["Set-Cookie", "sid=fedcba9876543210"]], "body": '{"password":"hunter22"}'},
        "armed_at": "2026-01-01T00:00:00.000Z", "hits": 1, "state": "armed",
    }
    entries = [{"seq": 1, "at": "2026-01-01T00:00:00.000Z", "kind": "fault", "to": "acted", "fault_name": "for dana@example.com", "name": "f1"}]
    archive = zipped({"rows.json": row_file(), "timeline.json": json.dumps(entries), "faults.json": json.dumps([fault])})
    status, answer = send(browser, archive, "application/zip")
    assert status == 201, answer
    path = f"/api/recordings/{json.loads(answer)['id']}"
    exported = send(browser, None, method="GET", path=f"{path}/network/export")[1]
    files = zipfile.ZipFile(io.BytesIO(exported))
    shown = b"".join(files.read(name) for name in files.namelist()) + json.dumps(browser.call("GET", f"{path}/timeline").json).encode()
    shown += json.dumps(faults := browser.call("GET", f"{path}/faults").json).encode()
    for secret in [b"dana", b"hunter22", b"fedcba9876543210", b"abcdefghijklmnop"]:
        assert secret not in shown, secret
    assert faults["faults"][0]["action"]["headers"][0][0] == "Set-Cookie"
    later = zipped({"rows.json": row_file(), "faults.json": json.dumps([fault | {"action": {"kind": "gravity"}}, fault])})
    status, answer = send(browser, later, "application/zip")
    assert status == 201, answer
    assert len(browser.call("GET", f"/api/recordings/{json.loads(answer)['id']}/faults").json["faults"]) == 1
    broken = zipped({"rows.json": row_file(), "faults.json": json.dumps([fault | {"action": {"kind": "answer", "headers": [["a"]]}}])})
    assert send(browser, broken, "application/zip")[0] == 400


def without_time(name, content):
    """A file of an export without the time at which it was made."""
    if name == "versions.json":
        return json.loads(content) | {"created_at": ""}
    text = content.decode()
    if name == "report.md":
        return [line for line in text.splitlines() if not line.startswith("| Made |")]
    if name == "viewer.html":
        return text[:text.index('"created_at"')] + text[text.index('"backend"', text.index('"created_at"')):]
    return None if name == "SHA256SUMS" else text


def test_an_imported_archive_is_exported_with_the_same_files(start):
    browser = Browser(start().port)
    browser.sign_in("dana@example.com")
    browser.must("POST", "/api/faults/presets/backend-error", status=201)
    rule = {"name": "slow", "match": {"method": "GET"}, "when": {}, "action": {"kind": "latency", "latency_ms": 1}}
    browser.must("POST", "/api/faults", rule, status=201)
    for _ in range(2):
        browser.must("GET", "/api/account", status=502)
    archive = send(browser, None, method="GET", path="/api/network/export")[1]
    status, answer = send(browser, archive, "application/zip")
    assert status == 201, answer
    path = f"/api/recordings/{json.loads(answer)['id']}"
    again = send(browser, None, method="GET", path=f"{path}/network/export")[1]
    first, second = zipfile.ZipFile(io.BytesIO(archive)), zipfile.ZipFile(io.BytesIO(again))
    assert first.namelist() == second.namelist() and len(first.namelist()) > 10
    for name in first.namelist():
        assert without_time(name, first.read(name)) == without_time(name, second.read(name)), name
    faults = json.loads(first.read("faults.json"))
    assert len(faults) >= 2 and browser.call("GET", f"{path}/faults").json["faults"] == faults
    assert {row["fault_id"] for row in rows(again) if "fault_id" in row} <= {fault["id"] for fault in faults}
    assert any("fault_id" in row for row in rows(again))


@pytest.mark.long
@pytest.mark.parametrize(
    ("mebibytes", "compression"), [(200, zipfile.ZIP_STORED), (300, zipfile.ZIP_DEFLATED)], ids=["200 stored", "300 packed"])
def test_a_large_archive_needs_little_memory_and_its_progress_grows(start, tmp_path, mebibytes, compression):
    console = start()
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    chance = random.Random(7)
    # Texts that deflate cannot make small, so that the archive is large too, and yet with nothing that looks like a secret.
    texts = ["".join(chance.choices("abcd e", k=2000)) for _ in range(400)]
    count = mebibytes * (1 << 20) // 20_500
    file = tmp_path / "large.zip"
    with zipfile.ZipFile(file, "w", compression, compresslevel=1) as archive, archive.open("rows.json", "w") as target:
        for seq in range(1, count + 1):
            body = json.dumps({"text": "".join(chance.sample(texts, 10))})
            one = ROW | {"id": f"r{seq}", "seq": seq, "response": ROW["response"] | {"body": body}}
            target.write((("[" if seq == 1 else ",") + json.dumps(one)).encode())
        target.write(b"]")
    before, most, seen, done, key = console.resident_kib(), [0], [], threading.Event(), str(uuid.uuid4())

    def watch():
        watcher = Browser(console.port)
        watcher.key, watcher.cookies = browser.key, browser.cookies
        while not done.wait(0.05):
            most[0] = max(most[0], console.resident_kib())
            answer = watcher.call("GET", f"/api/recordings/import?key={key}")
            if answer.json["size"]:
                seen.append(tuple(answer.json[name] for name in ("read", "size", "rows")))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        with file.open("rb") as content:
            status, answer = send(browser, content.read(), "application/zip", path=f"/api/recordings/import?key={key}")
    finally:
        done.set()
        watcher.join()
    assert status == 201 and json.loads(answer)["rows"] == count, answer
    print(f"{file.stat().st_size >> 20} MiB, {mebibytes} unpacked, in {count:,} rows: {most[0] - before:,} KiB more memory, {len(set(seen))} steps")
    assert most[0] - before < 64 << 10
    assert seen == sorted(seen) and len({step for step in seen if 0 < step[0] < step[1] and step[2] > 0}) >= 3, seen
    # The console has closed a connection that was idle for so long.
    browser.close()
    assert browser.call("GET", f"/api/recordings/import?key={key}").json == {"read": 0, "size": 0, "rows": 0}
