"""`understudy check` runs green against a backend that shares no code with it."""

import json
import os
import subprocess

import pytest
from console_process import binary
from dialects import DIALECTS
from foreign_backend import ForeignBackend

# Without a cooldown, a signing secret or a clock that can be advanced, these have nothing to check.
SKIPPED = {"bad-signature", "cooldown", "rate-limit", "access-expiry", "refresh-expiry"}
# A configuration without flags says that the backend has neither.
WITHOUT_FLAGS = {"after-logout", "idempotency"}


# `test_dialects.py` has the calls in every dialect.
@pytest.mark.parametrize("dialect", ["contract", "camel_with_capitals", "few_fields"])
def test_a_check_is_green(tmp_path, dialect):
    backend = ForeignBackend(tmp_path)
    backend.dialect = DIALECTS[dialect]
    try:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("UNDERSTUDY_")}
        ended = subprocess.run(
            [binary(), "check", "--backend", backend.origin, "--ca", backend.certificate, "--identifier", "dana@foreign.example",
             "--code-command", backend.message_command(), "--allow-deletion", "--timeout", "10", "--format", "json"],
            env=environment, text=True, capture_output=True, timeout=120, stdin=subprocess.DEVNULL, check=False,
        )
    finally:
        backend.stop()
    checks = json.loads(ended.stdout)["checks"]
    failed = {check["id"]: (check.get("reason"), check.get("call")) for check in checks if check["outcome"] == "failed"}
    assert not failed and ended.returncode == 0, (failed, ended.stderr)
    allowed = SKIPPED | (WITHOUT_FLAGS if dialect == "few_fields" else set())
    assert {check["id"] for check in checks if check["outcome"] == "skipped"} <= allowed, [
        (check["id"], check["reason"]) for check in checks if check["outcome"] == "skipped"]
