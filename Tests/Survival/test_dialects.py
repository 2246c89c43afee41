"""Every account flow works against the reference backend in each of its dialects."""

import json
import os
import subprocess

import pytest
from backend_process import Backend, call
from console_process import binary

DIALECTS = ["seed", "problem", *(pytest.param(name, marks=pytest.mark.long) for name in ("strict", "camel"))]


def check(backend):
    """`understudy check` against a backend, with its inbox and clock: the exit code and the report."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("UNDERSTUDY_")}
    ended = subprocess.run(
        [binary(), "check", "--backend", f"https://127.0.0.1:{backend.port}", "--ca", backend.certificate,
         "--dev-token-file", backend.token_file, "--format", "json", "--allow-deletion"],
        env=environment, text=True, capture_output=True, timeout=120, stdin=subprocess.DEVNULL, check=False,
    )
    return ended.returncode, json.loads(ended.stdout or "null"), ended.stderr


@pytest.fixture(params=DIALECTS)
def backend(request, tmp_path):
    """A backend that speaks the dialect."""
    backend = Backend(binary(), tmp_path / "backend", "--dialect", request.param, limits="relaxed")
    backend.dialect = request.param
    yield backend
    assert backend.stop() == 0


def test_every_flow_passes(backend):
    """No check fails, and no dialect makes one impossible."""
    code, report, errors = check(backend)
    results = report["checks"]
    failed = {result["id"]: result for result in results if result["outcome"] == "failed"}
    assert code == 0 and not failed, (failed, errors)
    passed = {result["id"] for result in results if result["outcome"] == "passed"}
    assert {"code-sign-in", "refresh", "cue-conflict", "logout"} <= passed, sorted(passed)


def test_the_dialects_differ(backend):
    """The same error has another shape in each, and a length that fits."""
    connection = backend.connect()
    status, body, headers = call(connection, "POST", "/rpc/request_login_code", {"identifier": "nobody"})
    connection.close()
    shapes = {
        "strict": (400, body.get("error")),
        "seed": (400, body.get("error_description") and {"code": body.get("error")}),
        "camel": (400, body),
        "problem": (422, body),
    }
    expected, error = shapes[backend.dialect]
    assert status == expected and error["code"] == "invalid_identifier"
    kind = "application/problem+json" if backend.dialect == "problem" else "application/json"
    assert headers["Content-Type"] == kind
