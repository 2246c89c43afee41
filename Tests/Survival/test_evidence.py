"""The log, the timeline and the fault rules outlive sleep, restart and kill -9, under the same numbers and links."""

import http.client
import sqlite3
import threading

import pytest
from console_process import Browser, NotStarted
from moments import until


def rows(browser):
    """The rows of the log as a page reads them."""
    answer = browser.call("GET", "/api/network").json
    return answer["events"], answer


def lasting(events):
    """What must not change in rows that have ended."""
    return [{key: row[key] for key in row if key != "rev"} for row in events if row["state"] not in ("pending", "waiting")]


def saved(console):
    """Whether nothing waits to be saved."""
    return 'understudy_used{name="unsaved_rows"} 0' in console.text("/metrics")


def move(browser, console):
    """Lets the browser call the program that was started in the place of the one before."""
    browser.close()
    browser.port = console.port


def signed_in(console):
    """A browser that has done something worth reading."""
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    assert browser.call("POST", "/api/faults/presets/backend-error").status == 201
    browser.must("GET", "/api/account", status=502)
    until(lambda: any(row["status"] == 500 for row in rows(browser)[0]), "the fault acts")
    return browser


def entries(browser):
    """The timeline without the entries of the launch after a restart."""
    return browser.call("GET", "/api/timeline").json["entries"]


def faults(browser):
    """The rules with their hits."""
    return [(rule["id"], rule["name"], rule["state"], rule["hits"]) for rule in browser.call("GET", "/api/faults").json["faults"]]


@pytest.mark.parametrize("end", ["kill", pytest.param("stop", marks=pytest.mark.long)])
def test_everything_is_there_after_a_restart(start, end):
    console = start()
    browser = signed_in(console)
    pinned = rows(browser)[0][0]["id"]
    assert browser.call("POST", f"/api/network/{pinned}/pin", {"pinned": True}).status == 200
    until(lambda: saved(console), "everything is saved")
    before, timeline, rules = rows(browser)[0], entries(browser), faults(browser)
    details = {row["id"]: browser.call("GET", f"/api/network/{row['id']}").json for row in before}
    getattr(console, end)()
    move(browser, start(data=console.data, port=console.port))
    after, page = rows(browser)
    assert lasting(after[: len(before)]) == lasting(before)
    assert [row["seq"] for row in after] == sorted({row["seq"] for row in after}) and not page.get("dropped")
    for id, detail in details.items():
        again = browser.call("GET", f"/api/network/{id}").json
        assert again["response"] == detail["response"] and again["request"] == detail["request"] and again["timings"] == detail["timings"]
    assert entries(browser)[: len(timeline)] == timeline
    assert [rule[:3] for rule in faults(browser)] == [rule[:3] for rule in rules]
    # A proper end loses nothing; a kill may have lost the last moment, and the log says where.
    gaps = page.get("gaps") or []
    assert [gap["after"] for gap in gaps] == ([] if end == "stop" else [before[-1]["seq"]])


def test_a_relaunched_device_keeps_its_rows_and_a_deleted_one_leaves_nothing(start):
    console = start()
    browser = signed_in(console)
    before = rows(browser)[0]
    assert browser.call("POST", "/api/session/relaunch").status in (200, 204)
    after, page = rows(browser)
    assert lasting(after[: len(before)]) == lasting(before) and not page.get("gaps")
    device = browser.call("GET", "/api/state").json["device_id"]
    with sqlite3.connect(console.data / "evidence.sqlite") as database:
        count = lambda: database.execute(
            "SELECT count(*) FROM log_row JOIN evidence_device USING (device) WHERE device_id = ?", [device]).fetchone()[0]
        until(lambda: count() > 0, "the rows are on disk")
        assert browser.call("DELETE", "/api/device").status in (200, 204)
        until(lambda: count() == 0, "nothing of it is left")


def test_a_cleared_log_stays_cleared_after_a_kill(start):
    console = start()
    browser = signed_in(console)
    until(lambda: saved(console), "everything is saved")
    assert browser.call("DELETE", "/api/network").status == 200
    console.kill()
    move(browser, start(data=console.data, port=console.port))
    old = {row["seq"] for row in rows(browser)[0]}
    assert not old or min(old) > 1000, "the numbers of lost rows are not used again"


def test_a_kill_after_a_pin_loses_nothing(start):
    console = start()
    browser = signed_in(console)
    row = rows(browser)[0][0]["id"]
    browser.must("POST", f"/api/network/{row}/pin", {"pinned": True})
    console.kill()
    move(browser, start(port=console.port))
    assert next(one for one in rows(browser)[0] if one["id"] == row)["is_pinned"]


def test_a_kill_loses_at_most_the_last_batch(start):
    """Of rows that were shown two batches before the kill, none is lost."""
    console = start()
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    shown, stop = [], threading.Event()
    other = Browser(console.port, shares=browser)
    other.key = browser.key

    def use():
        while not stop.is_set():
            try:
                other.must("GET", "/api/account")
            except (OSError, http.client.HTTPException):
                return

    worker = threading.Thread(target=use)
    worker.start()
    until(lambda: len(rows(browser)[0]) > 200, "calls are made", 60)
    shown = rows(browser)[0][-1]["seq"]
    until(lambda: browser.must("GET", f"/api/network?limit=1&after={shown + 600}").json["events"], "two batches later", 60)
    console.kill()
    stop.set()
    worker.join()
    move(browser, start(data=console.data, port=console.port))
    kept = {row["seq"] for row in rows(browser)[0]}
    assert set(range(1, shown + 1)) <= kept, "rows from before the last batch"


def test_nothing_readable_is_on_disk(start):
    console = start()
    browser = signed_in(console)
    until(lambda: saved(console), "everything is saved")
    assert browser.call("POST", "/api/recordings", {"title": "of dana", "note": "dana@example.com"}).status == 201
    for file in console.data.glob("evidence.sqlite*"):
        content = file.read_bytes()
        # Long enough that they are not in sealed bytes by chance.
        for secret in [b"dana@", b"example.com", b"Bearer", b"X-Device", browser.key.encode(), "‹email".encode(), "‹token".encode()]:
            assert secret not in content, (secret, file.name)


def test_a_damaged_file_is_named_and_nothing_else_is_lost(start):
    console = start()
    browser = signed_in(console)
    old = {row["id"] for row in rows(browser)[0]}
    assert console.stop() == 0
    path = console.data / "evidence.sqlite"
    for file in console.data.glob("evidence.sqlite-*"):
        file.unlink()
    path.write_bytes(b"This is not a database." * 100)
    with pytest.raises(NotStarted) as failure:
        start(data=console.data)
    assert failure.value.code == 66 and "evidence.sqlite" in failure.value.errors
    path.unlink()
    again = start(data=console.data, port=console.port)
    move(browser, again)
    # Rows and fault rules were in the file. The device and its session were not.
    assert faults(browser) == []
    assert browser.must("GET", "/api/account").json["user"]["email"] == "dana@example.com"
    assert browser.session()["state"] == "authenticated"
    until(lambda: saved(again), "the new log is saved")
    new = {row["id"] for row in rows(browser)[0]}
    assert new and not new & old
