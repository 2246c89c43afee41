"""What `understudy doctor` says about a console and a backend that run."""

import json
import os
import subprocess

import pytest
from backend_process import Backend
from console_process import PROJECT, binary


@pytest.fixture
def backend(tmp_path):
    running = Backend(binary(), tmp_path / "backend")
    yield running
    assert running.stop() == 0


def doctor(*arguments):
    """The exit code and the findings by name."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("UNDERSTUDY_") and not name.lower().endswith("_proxy")}
    done = subprocess.run(
        [binary(), "doctor", "--format", "json", "--public", PROJECT / "Public", *map(str, arguments)], capture_output=True, text=True,
        timeout=60, check=False, stdin=subprocess.DEVNULL, env=variables)
    report = json.loads(done.stdout)
    assert report["healthy"] == (done.returncode == 0) and done.returncode in (0, 1), done
    return done.returncode, {finding["check"]: finding for finding in report["findings"]}


def test_a_console_that_runs_is_recognized(start, tmp_path):
    console = start()
    code, found = doctor("--port", console.port, "--data", tmp_path / "data")
    assert code == 0, found
    assert found["port"]["text"] == f"a console answers on port {console.port}"
    assert found["data"]["text"].endswith("in use by a console")
    assert found["key"]["text"] == str(tmp_path / "data" / "vault.key")


def test_a_backend_is_visited_once_with_its_certificate_pin_and_clock(backend, tmp_path):
    shared = ["--port", 0, "--data", tmp_path / "none", "--backend", f"https://127.0.0.1:{backend.port}"]
    trust, pin = ["--ca", backend.certificate], backend.pin.removeprefix("pin=")
    code, found = doctor(*shared)
    assert code == 1 and found["certificate"]["state"] == "problem" and found["backend"]["state"] == "ok", found
    code, found = doctor(*shared, *trust)
    assert code == 0 and found["clock"]["state"] == "ok" and f"--pin {pin}" in found["certificate"]["advice"], found
    code, found = doctor(*shared, *trust, "--pin", pin)
    assert code == 0 and "is pinned" in found["certificate"]["text"], found
    code, found = doctor(*shared, *trust, "--pin", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
    assert code == 1 and pin in found["certificate"]["advice"], found
    code, found = doctor("--port", 0, "--data", tmp_path / "none", "--backend", "https://127.0.0.1:1")
    assert code == 1 and found["backend"]["state"] == "problem" and "certificate" not in found, found
    assert not (tmp_path / "none").exists()
