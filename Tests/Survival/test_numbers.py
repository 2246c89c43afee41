"""No number from outside ends the process: parameters in every order of size, imported counts, and rows that a hand changed."""

import contextlib
import copy
import io
import itertools
import json
import re
import shutil
import sqlite3
import subprocess
import urllib.parse
import zipfile

import pytest
from console_process import Browser
from moments import until
from postgresql_database import Database
from team import Team
from test_recordings import rows, send

LARGEST = 9_223_372_036_854_775_807
NUMBERS = (0, 1, 5, 1000, 2**31, 2**53, LARGEST, LARGEST + 1, 2**64 - 1, 2**64, -1)


RULE = {"name": "Later", "match": {"endpoint": "delete_account"}, "when": {"count": 3}, "action": {"kind": "status", "status": 503}}


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


OTHERS = [pytest.param(one, marks=pytest.mark.long) for one in (-LARGEST - 1, 9e99, float("inf"))]


def prepare(browser):
    """Gives its device a row in most tables."""
    browser.must("POST", "/api/faults", RULE, status=201)
    browser.must("POST", "/api/recordings", {"title": "One"}, status=201)
    browser.must("DELETE", "/api/network", status=(200, 204))


def use_all(browser, console, table):
    """Wakes the device at the console and does what reads the database; whatever it answers, it answers. Whether the device was known."""
    known = browser.call("GET", "/api/state").status == 200
    for method, path, body in (
        ("GET", "/api/devices", None), ("GET", "/api/network", None), ("GET", "/api/network?before=9", None),
        ("GET", "/api/network/search?q=status:200", None), ("GET", "/api/faults", None), ("GET", "/api/recordings", None),
        ("GET", "/api/timeline", None), ("GET", "/api/account", None), ("GET", "/api/cues", None), ("GET", "/api/network/export?format=zip", None),
        ("POST", "/api/login/code", {"identifier": "dana@example.com"}), ("POST", "/api/recordings", {"title": "Two"}),
        ("POST", "/api/faults", RULE), ("DELETE", "/api/network", None), ("POST", "/api/logout", {}), ("DELETE", "/api/device", None),
    ):
        assert browser.call(method, path, body).status, (table, path)
    assert console.is_alive(), (table, console.errors[-2000:])
    return known


@pytest.mark.long
@pytest.mark.parametrize("number", [LARGEST, *OTHERS])
def test_a_number_that_a_hand_put_into_a_file_ends_nothing(start, tmp_path, number):
    console = start("--limits", "off")
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    prepare(browser)
    assert console.stop() == 0
    columns = {(name, *key): found for name in ("console.sqlite", "evidence.sqlite") for key, found in numeric_columns(console.data / name).items()}
    assert len(columns) > 16, columns
    known = 0
    for (name, table), found in columns.items():
        data = tmp_path / table
        shutil.copytree(console.data, data)
        with contextlib.closing(sqlite3.connect(data / name)) as database, database:
            for column in found:
                # A key that is unique takes the number in one row, and one that counts rows only a whole one.
                with contextlib.suppress(sqlite3.IntegrityError):
                    database.execute(f"UPDATE OR IGNORE {table} SET {column} = ?", [number])
        again = start("--limits", "off", data=data)
        visitor = copy.copy(browser)
        visitor.port, visitor.connection = again.port, None
        # The cookie's name has the port in it.
        visitor.cookies = {f"understudy_{again.port}": value for value in browser.cookies.values()}
        known += use_all(visitor, again, table)
        visitor.close()
        again.stop()
    assert known > len(columns) / 2


def numeric_columns(path):
    """The columns that hold numbers, by table of a database's file."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        tables = [name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
        found = {
            (table,): [name for _, name, kind, *_ in database.execute(f"PRAGMA table_info({table})") if kind.upper() in ("INTEGER", "REAL")]
            for table in tables if "migration" not in table
        }
    return {table: names for table, names in found.items() if names}


@pytest.mark.long
@pytest.mark.parametrize("number", ["9223372036854775807", "-9223372036854775808", "'NaN'", "'Infinity'"])
def test_a_number_that_a_hand_put_into_postgresql_ends_nothing(tmp_path, server, number):
    first = Database(server)
    team = Team(tmp_path, first, count=1)
    member = team.member(team.consoles[0], "dana@example.com")
    prepare(member)
    assert team.consoles.pop().stop() == 0
    columns = [line.split("|") for line in first.ask(
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'understudy_console' "
        "AND data_type IN ('bigint', 'integer', 'smallint', 'double precision') AND table_name NOT LIKE '%migration%' ORDER BY 1, 2")]
    tables = {table: [column for other, column in columns if other == table] for table, _ in columns}
    assert len(tables) > 16, tables
    known = 0
    for table, names in tables.items():
        team.database = Database(server, template=first)
        for name in names:
            # A type or key that does not take the number keeps it out.
            with contextlib.suppress(subprocess.CalledProcessError):
                team.database.ask(f"UPDATE understudy_console.{table} SET {name} = {number} WHERE ctid = (SELECT min(ctid) FROM understudy_console.{table})")
        team.add()
        visitor = copy.copy(member)
        visitor.connection = None
        known += use_all(visitor.at(team.consoles[0]), team.consoles[0], table)
        assert team.consoles.pop().stop() == 0
        team.database.drop()
    team.stop()
    assert known > len(tables) / 2


def test_parameters_of_every_route_in_every_order_of_size(browser):
    """All parameters of a route together, as they are described; the numbers also stand in its path."""
    paths = browser.must("GET", "/api/openapi.json").json["paths"]
    few = (0, 5, 2**53, LARGEST, 2**64, -1)
    asked = 0
    for path, operations in paths.items():
        operation = operations.get("get")
        if not operation or path in ("/api/events", "/api/inbox"):
            continue
        names = [one["name"] for one in operation.get("parameters", []) if one["in"] == "query"]
        numbers = few if len(names) < 3 else few[:3] if len(names) < 5 else (0, LARGEST)
        for values in itertools.islice(itertools.product(numbers, repeat=len(names)), 300):
            query = urllib.parse.urlencode(dict(zip(names, values, strict=True)))
            target = re.sub(r"\{\w+\}", str(values[0] if values else LARGEST), path) + (f"?{query}" if query else "")
            answer = browser.call("GET", target)
            assert answer.status < 500 or answer.code in ("unavailable", "backend_error", "offline"), (target, answer)
            asked += 1
    assert asked > 300
