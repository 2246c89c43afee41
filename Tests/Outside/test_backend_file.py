"""`understudy backend-file`: what it prints about files that are right and files that are wrong."""

import pathlib
import subprocess

import pytest
from console_process import binary

ROOT = pathlib.Path(__file__).resolve().parents[2]
GIVEN = sorted((ROOT / "Documentation/backends").glob("*.yaml"))
BROKEN = sorted((ROOT / "Tests/Fixtures/broken-backend-files").glob("*.yaml"))


def backend_file(*arguments):
    """The exit code, the output and the errors of the program."""
    done = subprocess.run([binary(), "backend-file", *map(str, arguments)], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_given_files_are_accepted():
    assert len(GIVEN) == 14
    for file in GIVEN:
        code, output, errors = backend_file("check", file)
        assert (code, errors) == (0, ""), file
        assert [line.split(":")[0] for line in output.splitlines()] == ["calls", "hosts", "sign-in asks", "secrets", "hidden"], file


def test_summary_names_calls_fields_and_secrets():
    _, output, _ = backend_file("check", ROOT / "Documentation/backends/cognito.yaml")
    assert output.splitlines() == [
        "calls:         request_login_code, login_with_code, refresh_tokens, me, logout",
        "hosts:         the backend's",
        "sign-in asks:  request_login_code (identifier, password), login_with_code (identifier, code)",
        "secrets:       UNDERSTUDY_SECRET_CLIENT_ID",
        "hidden:        sign-in by link, sign-in by password, profiles, cues, account deletion",
    ]


def test_broken_files_are_refused_with_one_line():
    # `BrokenFilesTests` has all of them.
    for file in (BROKEN[0], BROKEN[len(BROKEN) // 2], BROKEN[-1]):
        expected = file.read_text().splitlines()[0].removeprefix("# ")
        assert backend_file("check", file) == (78, "", f"{file}:{expected}\n")


def test_begun_file_is_accepted(tmp_path):
    code, text, errors = backend_file("new")
    assert (code, errors) == (0, "")
    file = tmp_path / "backend.yaml"
    file.write_text(text)
    code, output, errors = backend_file("check", file)
    assert (code, errors) == (0, "") and output.startswith("calls: "), errors


def test_file_from_a_session_is_accepted(tmp_path):
    code, text, errors = backend_file("new", "--from", ROOT / "Tests/Fixtures/sessions/10-tidewatch.har")
    assert (code, errors) == (0, "") and 'json: {email: "{identifier}", password: "{password}"}' in text, errors
    assert "low-water-11" not in text and "ines@" not in text and "eyJ" not in text
    file = tmp_path / "backend.yaml"
    file.write_text(text)
    code, output, errors = backend_file("check", file)
    assert (code, errors) == (0, "") and "login_with_password (identifier, password)" in output, errors


@pytest.mark.parametrize("name", ["session.har", "missing.har"])
def test_log_without_a_sign_in_is_refused(tmp_path, name):
    (tmp_path / "session.har").write_bytes((ROOT / "Tests/Fixtures/sessions/kept-rotation.har").read_bytes())
    code, output, errors = backend_file("new", "--from", tmp_path / name)
    assert (code, output) == (66, "") and errors.startswith("understudy: ") and name in errors, errors


@pytest.fixture
def elsewhere(tmp_path):
    """A file with a request to another host than the backend's."""
    file = tmp_path / "backend.yaml"
    file.write_text("understudy: 1\ncalls:\n  refresh_tokens: POST https://id.example:8443/token\n")
    return file


def test_request_to_a_host_that_is_not_named_is_refused(elsewhere):
    code, output, _ = backend_file("check", elsewhere)
    assert code == 0 and "hosts:         the backend's, id.example:8443\n" in output
    refused = f"{elsewhere}:3:19: calls.refresh_tokens: id.example:8443 is not the backend's host"
    backend = ["--backend", "https://api.example"]
    for hosts in [[], ["--backend-file-host", "id.example:443"], ["--backend-file-host", "example"]]:
        code, output, errors = backend_file("check", elsewhere, *backend, *hosts)
        assert (code, output) == (78, "") and errors.startswith(refused), errors
    for host in ["id.example", "id.example:8443"]:
        assert backend_file("check", elsewhere, *backend, "--backend-file-host", host)[0] == 0
    code, output, _ = backend_file("check", elsewhere, "--backend", "https://id.example:8443")
    assert code == 0 and "hosts:         the backend's\n" in output
    code, output, errors = backend_file("check", elsewhere, "--backend", "https://[::1]:8443")
    assert (code, output) == (78, "") and errors.endswith("--backend: write https and a host name\n"), errors


def test_unreadable_and_large_files(tmp_path):
    code, _, errors = backend_file("check", tmp_path / "none.yaml")
    assert code == 66 and errors.endswith("none.yaml cannot be read\n")
    large = tmp_path / "large.yaml"
    large.write_bytes(b"understudy: 1\n#" + b"." * (256 << 10))
    assert backend_file("check", large) == (78, "", f"{large}:1:1: larger than 256 KiB\n")
