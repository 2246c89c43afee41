"""No number from outside ends the process: parameters in every order of size, imported counts, and rows that a hand changed."""

import contextlib
import io
import itertools
import json
import shutil
import sqlite3
import zipfile

import pytest
from console_process import Browser
from moments import until
from test_recordings import rows, send

LARGEST = 9_223_372_036_854_775_807
NUMBERS = (0, 1, 5, 1000, 2**31, 2**53, LARGEST, LARGEST + 1, 2**64 - 1, 2**64, -1)


RULE = {"name": "Later", "match": {"endpoint": "get_cues"}, "when": {"count": 3}, "action": {"kind": "status", "status": 503}}


@pytest.fixture
def browser(start):
    """Somebody who is signed in; their console must live on."""
    console = start("--limits", "off")
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    browser.must("GET", "/api/account")
    browser.console = console
    yield browser
    browser.close()
    assert console.is_alive(), console.errors[-2000:]


def test_bounds_of_the_log_in_every_order_of_size(browser):
    # Bounds are compared only once rows are saved.
    until(lambda: browser.must("GET", "/api/network?before=1000").json["events"], "no row is saved")
    for path in ("/api/network", "/api/network/search"):
        for before, after in itertools.product(NUMBERS, NUMBERS):
            for limit in ("", "&limit=1"):
                answer = browser.call("GET", f"{path}?before={before}&after={after}{limit}")
                assert answer.status in (200, 400, 404), (path, before, after, answer)


def test_older_rows_are_asked_for_after_another_tab_cleared_the_log(browser):
    browser.must("DELETE", "/api/network", status=(200, 204))
    for before in NUMBERS:
        answer = browser.call("GET", f"/api/network?before={before}")
        assert answer.status in (200, 400), (before, answer)
        assert answer.status == 400 or not answer.json["events"], answer


def changed(archive, change):
    """The archive with its rows changed by a function, and without its list of digests."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            if name == "rows.json":
                found = json.loads(old.read(name))
                change(found)
                new.writestr(name, json.dumps(found))
            elif "sha256" not in name.lower():
                new.writestr(name, old.read(name))
    return out.getvalue()


def numbers_in(value, path=()):
    """The places of all numbers in a JSON value."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from numbers_in(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from numbers_in(each, (*path, index))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path


def put(value, path, number):
    for step in path[:-1]:
        value = value[step]
    value[path[-1]] = number


def test_every_number_of_an_imported_row_is_refused_or_used(browser):
    status, archive = send(browser, None, method="GET", path="/api/network/export?format=zip")
    assert status == 200
    row = max(rows(archive), key=lambda one: len(list(numbers_in(one))))
    places = list(numbers_in(row))
    assert {"seq", "rev", "attempt", "duration_ms"} <= {path[0] for path in places}
    for path in places:
        for number in (LARGEST, LARGEST + 1, -LARGEST, 1e300, 2**53, -1, 0.5):
            def change(found, path=path, number=number):
                found[:] = [json.loads(json.dumps(row)), json.loads(json.dumps(row))]
                found[1]["seq"], found[1]["id"] = row["seq"] + 1, "00000000-0000-4000-8000-000000000001"
                put(found[1], path, number)

            status, answer = send(browser, changed(archive, change), "application/zip")
            assert status in (201, 400, 422), (path, number, answer[:300])
            if status == 201:
                use(browser, json.loads(answer)["id"])


def use(browser, recording):
    """Does everything with a recording that computes with its numbers; then deletes it."""
    base = f"/api/recordings/{recording}"
    for path in ("network", "network?before=9&after=3", "timeline", "faults", f"compare?with={recording}", "compare?with=live"):
        assert browser.call("GET", f"{base}/{path}").status == 200, path
    for form in ("zip", "har", "json", "markdown"):
        assert send(browser, None, method="GET", path=f"{base}/network/export?format={form}")[0] in (200, 400), form
    browser.must("DELETE", base, status=204)


def test_counts_that_overflow_when_they_are_added_are_refused(browser):
    status, archive = send(browser, None, method="GET", path="/api/network/export?format=zip")
    assert status == 200

    def change(found):
        found[0]["redactions"] = [{"where": "url", "kind": "token", "count": LARGEST}, {"where": "url", "kind": "token", "count": 1}]

    status, answer = send(browser, changed(archive, change), "application/zip")
    assert status == 400 and b"count has a number" in answer, answer


@pytest.mark.parametrize("number", [LARGEST, *(pytest.param(one, marks=pytest.mark.long) for one in (-LARGEST - 1, 9e99, float("inf")))])
def test_a_number_that_a_hand_put_into_the_database_ends_nothing(start, tmp_path, number):
    console = start("--limits", "off")
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    browser.must("POST", "/api/faults", RULE, status=201)
    browser.must("POST", "/api/recordings", {"title": "One"}, status=201)
    assert console.stop() == 0
    columns = numeric_columns(console.data)
    assert len(columns) > 12, columns
    for table, names in columns.items():
        data = tmp_path / table
        shutil.copytree(console.data, data)
        with contextlib.closing(sqlite3.connect(data / "console.sqlite")) as database, database:
            for name in names:
                # A key that is unique takes the number in one row.
                database.execute(f"UPDATE OR IGNORE {table} SET {name} = ?", [number])
        again = start("--limits", "off", data=data)
        browser.close()
        browser.port = again.port
        for method, path, body in (
            ("GET", "/api/state", None), ("GET", "/api/devices", None), ("GET", "/api/network", None), ("GET", "/api/network?before=9", None),
            ("GET", "/api/faults", None), ("GET", "/api/recordings", None), ("GET", "/api/timeline", None), ("GET", "/api/account", None),
            ("POST", "/api/login/code", {"identifier": "dana@example.com"}), ("DELETE", "/api/network", None), ("POST", "/api/logout", {}),
        ):
            # Whatever it answers: it answers.
            assert browser.call(method, path, body).status, (table, path)
        assert again.is_alive(), (table, again.errors[-2000:])
        again.stop()


def numeric_columns(data):
    """The columns of each table of a console's database that hold numbers."""
    with contextlib.closing(sqlite3.connect(data / "console.sqlite")) as database:
        tables = [name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
        found = {
            table: [name for _, name, kind, *_ in database.execute(f"PRAGMA table_info({table})") if kind.upper() in ("INTEGER", "REAL")]
            for table in tables if "migration" not in table
        }
    return {table: names for table, names in found.items() if names}
