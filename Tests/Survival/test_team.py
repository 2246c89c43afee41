"""Several consoles on one PostgreSQL: a device lives in one place at a time, and nobody is signed out."""

import concurrent.futures
import signal
import subprocess
import time

import pytest
from console_process import PROJECT, binary
from moments import holds, until
from team import Member, goes_on


def test_any_console_takes_any_request(team):
    first, second = team.consoles
    member = team.member(first, "dana@example.com")
    team.settle()
    goes_on(member.at(second))
    # The calls that the first console made are in the log of the second.
    rows = member.call("GET", "/api/network?limit=100").json["events"]
    assert any(row["endpoint"] == "login_with_code" for row in rows), [row["endpoint"] for row in rows]
    # Nobody goes back and forth.
    team.stay()
    answer = member.at(first).call("GET", "/api/state")
    assert answer.status == 503 and answer.json["reason"] == "moving" and 1 <= int(answer.headers["Retry-After"]) <= 5, answer
    team.settle()
    goes_on(member)


def test_nobody_is_signed_out_when_a_console_is_killed(team):
    first, second = team.consoles
    members = [team.member(first, f"member{number}@example.com") for number in range(8)]
    for member in members:
        assert member.call("POST", "/api/account/analytics", {"opted_in": False}).status in (200, 204)
    first.kill()
    for member in members:
        goes_on(member.at(second))
        assert member.call("GET", "/api/account").json["settings"]["analytics_opted_in"] is False, "what was acknowledged is there"


def test_a_rule_that_was_acknowledged_is_there_after_a_kill(team):
    first, second = team.consoles
    member = team.member(first, "dana@example.com")
    for number in range(5):
        rule = {"name": f"rule {number}", "match": {"endpoint": "get_cues"}, "when": {}, "action": {"kind": "latency", "latency_ms": 1}}
        assert member.call("POST", "/api/faults", rule).status == 201
    first.kill()
    goes_on(member.at(second))
    rules = member.call("GET", "/api/faults").json["faults"]
    assert [rule["name"] for rule in rules] == [f"rule {number}" for number in range(5)]


@pytest.mark.long
def test_a_call_that_outlasts_a_hand_over_is_told_that_its_device_moved(team):
    """Its client ends on the first console; that is no end of the session."""
    first, second = team.consoles
    member = team.member(first, "dana@example.com")
    rule = {"name": "slow", "match": {"endpoint": "me"}, "when": {"count": 1}, "action": {"kind": "latency", "latency_ms": 4000}}
    assert member.call("POST", "/api/faults", rule).status == 201
    other = Member(team.front, shares=member)
    other.key = member.key
    team.settle()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        slow = pool.submit(member.call, "GET", "/api/account")
        until(lambda: other.at(first).call("GET", "/api/faults").json["faults"][0]["hits"], "the call is under way")
        goes_on(other.at(second))
        answer = slow.result()
    assert answer.status == 503 and answer.json["reason"] == "moving", answer
    other.close()


def test_a_stopped_console_loses_its_devices_and_knows_it_when_it_goes_on(team):
    first, second = team.consoles
    member = team.member(first, "dana@example.com")
    team.settle()
    first.process.send_signal(signal.SIGSTOP)
    try:
        goes_on(member.at(second))
        # Longer than the first console's last look at its leases counts, and long before it takes itself for cut off.
        holds(lambda: member.must("GET", "/api/state"), "the session goes on", 1.2)
    finally:
        team.stay()
        first.process.send_signal(signal.SIGCONT)
    stale = Member(team.front, shares=member)
    stale.key = member.key
    stale.at(first)
    # Until it has looked where its devices are, it may say that it is cut off.
    answer = until(lambda: (found := stale.must("GET", "/api/state", status=503)).json.get("reason") and found, "it knows where the device is")
    assert answer.json["reason"] == "moving", "it does not answer from its memory"
    stale.close()
    goes_on(member)


def test_drain_delay_of_none_ends_without_waiting_for_balancers(team):
    seconds = []
    for console in team.consoles:
        began = time.monotonic()
        assert console.stop() == 0
        seconds.append(time.monotonic() - began)
    # With the default, every stop takes two seconds at least.
    assert min(seconds) < 2, seconds


@pytest.mark.drains
def test_a_console_that_ends_gives_its_devices_back(team):
    first, second = team.consoles
    members = [team.member(first, f"member{number}@example.com") for number in range(3)]
    assert first.text("/readyz", 5) and second.text("/readyz", 5)
    first.process.send_signal(signal.SIGTERM)
    # It says so before it ends, and still answers until balancers have noticed.
    answer = until(lambda: (found := members[0].must("GET", "/readyz", status=(200, 503))).status == 503 and found, "it reports that it stops")
    assert answer.json["code"] == "unavailable"
    goes_on(members[0])
    assert first.ended() == 0
    assert team.database.ask("SELECT count(*) FROM understudy_console.device_lease WHERE console_id IS NOT NULL") == ["0"]
    for member in members:
        goes_on(member.at(second))


def test_a_restart_of_the_database_signs_nobody_out(team):
    first, _ = team.consoles
    member = team.member(first, "dana@example.com")
    team.database.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
    goes_on(member, seconds=10)
    assert member.call("POST", "/api/account/analytics", {"opted_in": False}).status in (200, 204)
    assert member.call("GET", "/readyz").status == 200


def test_the_database_has_no_secret_in_clear(team):
    first, _ = team.consoles
    member = team.member(first, "canary.of.the.team@example.com")
    member.must("GET", "/api/account")
    assert first.stop() == 0
    folder, user = team.database.server.split("host=")[1], "understudy"
    dump = subprocess.run(
        ["pg_dump", "-h", folder, "-U", user, "--inserts", team.database.name], capture_output=True, check=True).stdout
    assert b"device_lease" in dump
    cookie = next(iter(member.cookies.values()))
    for secret in [member.key, cookie, "canary.of.the.team"]:
        assert secret.encode() not in dump
        assert secret.encode().hex().encode() not in dump


UNFIT = [
    ({"--vault-key-file": None}, 78, "--vault-key-file"),
    ({"--backend": None, "--ca": None}, 78, "--backend"),
    ({"--data": "somewhere"}, 64, "--data"),
    ({"--database": "postgres://understudy@127.0.0.1:1/none"}, 69, "--database"),
    ({"--vault-key-file": "another.key"}, 78, "another key"),
]


@pytest.mark.long
def test_a_console_that_does_not_fit_the_team_does_not_start(team, tmp_path):
    given = list(map(str, team.arguments()))
    for changes, code, words in UNFIT:
        options = dict(zip(given[::2], given[1::2], strict=True)) | changes
        options = {name: str(tmp_path / value) if value in ("another.key", "somewhere") else value for name, value in options.items()}
        arguments = [part for name, value in options.items() if value is not None for part in (name, value)]
        ended = subprocess.run(
            [binary(), "serve", "--port", "0", "--public", str(PROJECT / "Public"), *arguments], capture_output=True, text=True, timeout=60, check=False)
        assert ended.returncode == code, (changes, ended.stderr)
        assert words in ended.stderr and ended.stderr.count("\n") == 1, (changes, ended.stderr)
