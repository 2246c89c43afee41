"""What a stop waits for, and what it must not change."""

import http.client
import os
import signal
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from console_process import PROJECT, Browser, Console
from moments import until

# How often each of four threads starts and stops a console.
TURNS = 25 if os.environ.get("SURVIVAL_TESTS") == "all" else 4


def test_the_tls_library_stays_up_until_the_last_thread_is_gone(start, tmp_path):
    library = tmp_path / "cleanup.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, PROJECT / "Tests/Faults/cleanup.c"], check=True)
    console = start(variables={"LD_PRELOAD": str(library)})
    assert console.stop() == 0
    assert "taken down" not in console.errors


@pytest.mark.long
def test_a_stop_right_after_the_start_ends(tmp_path):
    """The console asks its backend for a document at that moment, and the two ends of that connection stop together."""

    def stop_at_once(number):
        for _ in range(TURNS):
            console = Console(tmp_path / str(number))
            assert console.stop() == 0

    with ThreadPoolExecutor(4) as several:
        for outcome in [several.submit(stop_at_once, number) for number in range(4)]:
            outcome.result()


def signed_in(console):
    """A browser whose connection has just been used."""
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    return browser


def nothing(console):
    signed_in(console).close()


def stream(console):
    """An event stream whose client does not close."""
    browser = signed_in(console)
    reader = http.client.HTTPConnection("127.0.0.1", console.port, timeout=20)
    fields = {"Host": f"localhost:{console.port}", "Cookie": "; ".join(f"{name}={value}" for name, value in browser.cookies.items())}
    reader.request("GET", "/api/events", headers=fields | {"X-Device-Key": browser.key})
    answer = reader.getresponse()
    assert answer.status == 200 and answer.read1()
    browser.close()
    return reader, answer


@pytest.mark.parametrize("use", [nothing, stream])
def test_stop_with_no_request_running_takes_under_100_ms(start, use):
    """In one of several turns: other work on the machine makes a stop take longer, but a wait takes its time in every turn."""

    def seconds():
        console = start()
        used = use(console)
        began = time.monotonic()
        assert console.stop() == 0
        del used
        return time.monotonic() - began

    turns = []
    for _ in range(6):
        turns.append(seconds())
        if turns[-1] < 0.1:
            return
    raise AssertionError(f"every stop took longer: {turns}")


@pytest.mark.parametrize("endpoint, method, path, body", [
    ("me", "GET", "/api/account", None),
    ("shuffle_cues", "POST", "/api/cues/shuffle", {}),
])
def test_a_call_that_runs_is_finished(start, endpoint, method, path, body):
    console = start()
    browser = signed_in(console)
    rule = {"match": {"endpoint": endpoint}, "action": {"kind": "latency", "latency_ms": 1500}}
    browser.must("POST", "/api/faults", rule, status=201)
    watcher = Browser(console.port, shares=browser)
    watcher.key = browser.key

    def has_begun():
        rows = watcher.must("GET", "/api/network").json["events"]
        return any(row["endpoint"] == endpoint and row["state"] == "pending" for row in rows)

    with ThreadPoolExecutor(1) as other:
        answer = other.submit(browser.call, method, path, body)
        until(has_begun, "the call has begun")
        console.process.send_signal(signal.SIGTERM)
        assert answer.result().status == 200
    assert console.ended() == 0


def test_stop_ends_with_the_last_connection(start):
    """A connection that was just used may send another request within 250 ms, unless it is closed."""

    def is_stopping(port):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except OSError:
            return True
        return False

    turns = []
    for _ in range(6):
        console = start()
        browser = signed_in(console)
        began = time.monotonic()
        console.process.send_signal(signal.SIGTERM)
        until(lambda port=console.port: is_stopping(port), "no connection is accepted")
        browser.close()
        assert console.ended() == 0
        turns.append(time.monotonic() - began)
        if turns[-1] < 0.2:
            return
    raise AssertionError(f"every stop took longer: {turns}")
