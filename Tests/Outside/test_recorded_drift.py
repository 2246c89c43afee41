"""`understudy drift` on what the console exports, on HAR files, and on what is neither a recording nor a document."""

import json
import subprocess

import pytest
from console_process import binary
from test_compare import har, recordings  # noqa: F401

DOCUMENT = """\
openapi: 3.0.3
info: {title: Things, version: '1'}
paths:
  /rpc/get_cues:
    get:
      responses:
        200: {description: d, content: {application/json: {schema: {properties: {'@type': {type: string}}}}}}
        4XX: {description: d}
  /rpc/me: {get: {responses: {200: {description: d}}}}
"""


def drift(file, document, *arguments):
    """The exit code, the output and the errors of the program."""
    command = [binary(), "drift", str(file), "--openapi", str(document), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def document(tmp_path):
    """An OpenAPI document in YAML whose name does not say so."""
    file = tmp_path / "api"
    file.write_text(DOCUMENT)
    return file


def test_a_har_is_compared_and_its_coverage_told(tmp_path, document):
    secret = "Kw9f2ZpQ7sT4vXyB1nM8"
    fits = ("https://api.example/rpc/get_cues", {"@type": "x"})
    code, output, errors = drift(har(tmp_path / "fits.har", fits, ("https://cdn.example/x", {})), document)
    assert (code, errors) == (0, "") and "1 rows, no drift" in output and "host: 1\n" in output, output
    assert "Seen: 1 of 2 operations, 1 of 3 responses" in output and "GET /rpc/me, not seen" in output, output
    file = har(tmp_path / "a.har", fits, ("https://api.example/rpc/get_cues", {"@type": 5}), (f"https://api.example/x/{secret}", {}))
    code, output, errors = drift(file, document)
    assert code == 1 and "response /@type: expected string, got integer, rows: 1, last: row 2" in output, output
    assert secret not in output + errors
    code, output, errors = drift(file, document, "--format", "json")
    report = json.loads(output)
    assert code == 1 and errors == "" and (report["compared"], report["drifted"]) == (3, 2), report
    assert report["coverage"]["seen_operations"] == 1 and report["coverage"]["list"][0]["rows"] == 2
    assert {one["endpoint"] for one in report["endpoints"]} >= {"/rpc/get_cues"} and secret not in output


def test_a_bundle_is_compared_like_its_har(recordings, document):  # noqa: F811
    bundle, exported, _ = recordings
    reports = []
    for file in (bundle, exported):
        code, output, _ = drift(file, document, "--format", "json")
        report = json.loads(output)
        assert code == 1, output
        reports.append((report["compared"], report["drifted"], sorted(one["endpoint"] for one in report["endpoints"])))
    assert reports[0] == reports[1] and reports[0][0] > 0, reports


@pytest.mark.parametrize("content", [b"", b"no recording", b"{}", b'{"log":{"entries":[]}}', b"PK\x03\x04cut", None])
def test_what_is_no_recording_ends_with_one_line(tmp_path, document, content):
    file = tmp_path / "other.har"
    if content is not None:
        file.write_bytes(content)
    code, output, errors = drift(file, document)
    assert code == 66 and output == "" and len(errors.splitlines()) == 1 and str(file) in errors, (code, output, errors)


def test_a_document_that_cannot_be_used_is_named_with_the_line(tmp_path):
    file = har(tmp_path / "a.har", ("https://api.example/x", {}))
    other = tmp_path / "api.yaml"
    other.write_text("openapi: 3.0.3\ninfo: {}\ninfo: {}\n")
    code, output, errors = drift(file, other)
    assert code == 66 and output == "" and "duplicate key info, at line 2, column 1" in errors, errors
    code, output, errors = drift(file, tmp_path / "none.yaml")
    assert code == 66 and len(errors.splitlines()) == 1, errors
