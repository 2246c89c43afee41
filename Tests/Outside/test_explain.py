"""`understudy explain` on what the console exports, on files of other programs and on what is no recording."""

import json
import subprocess
from pathlib import Path

import pytest
from console_process import binary

SESSIONS = Path(__file__).parents[1] / "Fixtures" / "sessions"


def explain(*arguments):
    """The exit code, the output and the errors of the program."""
    done = subprocess.run([binary(), "explain", *map(str, arguments)], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("name", "expected", "headline"),
    [("01-harborline", 1, "Signed out at 06:14:03"), ("kept-rotation", 0, "The session was kept."), ("22-halfway", 1, "Signed out")],
)
def test_text_has_a_verdict_sentences_and_rows(name, expected, headline):
    code, output, errors = explain(SESSIONS / f"{name}.har")
    assert (code, errors) == (expected, "") and output.startswith(headline), (output, errors)
    if name == "01-harborline":
        assert "124 ms apart (rows 5 and 8)" in output and "row 8" in output and "+124 ms" in output, output
    if name == "22-halfway":
        assert "The log begins 310 ms before row 3" in output, output


def test_json_has_what_the_contract_says():
    code, output, _ = explain(SESSIONS / "03-kettle.har", "--format", "json")
    report = json.loads(output)
    assert code == 1 and report["verdict"] == "signed_out"
    assert [(one["kind"], one["rows"]) for one in report["findings"]] == [("refresh_answer_lost", [13, 17])]
    uses = [(use["row"], use["what"]) for use in report["families"][0]["uses"]]
    assert uses == [(13, "sent"), (13, "lost"), (17, "sent"), (17, "refused")], uses
    assert report["missing"] == []


def test_headline_has_the_time_of_the_end_and_not_of_a_later_mistake():
    assert explain(SESSIONS / "after-sign-out.har")[1].startswith("Signed out at 10:00:10 UTC")


def test_a_log_without_a_session_is_unknown(tmp_path):
    file = tmp_path / "plain.har"
    request = {"method": "GET", "url": "https://api.example.com/", "headers": []}
    entry = {"startedDateTime": "2026-05-04T10:00:00.000Z", "time": 5, "request": request, "response": {"status": 200, "headers": []}}
    file.write_text(json.dumps({"log": {"entries": [entry]}}))
    code, output, _ = explain(file)
    assert code == 3 and "Not known:" in output, output


def test_names_to_mask_and_tokens_are_not_printed():
    for format in ["text", "json"]:
        _, output, _ = explain(SESSIONS / "05-wren.har", "--format", format, "--mask", "identity")
        assert "eyJ" not in output and "nils@" not in output, output


@pytest.fixture
def renamed(tmp_path):
    """A log in which the sign-out has the name of something else."""
    file = tmp_path / "renamed.har"
    entries = []
    for second, method, path in [(1, "GET", "/feed"), (5, "POST", "/devices/d-17/forget")]:
        request = {"method": method, "url": f"https://api.example.com{path}", "headers": [{"name": "Authorization", "value": "Bearer t0k3n-of-one"}]}
        start = f"2026-05-04T10:00:0{second}.000Z"
        entries.append({"startedDateTime": start, "time": 5, "request": request, "response": {"status": 204, "headers": []}})
    file.write_text(json.dumps({"log": {"entries": entries}}))
    return file


def test_a_backend_file_names_the_calls_of_a_log(renamed, tmp_path):
    assert explain(renamed)[:2] == (0, "The session was kept.\n")
    named = tmp_path / "backend.yaml"
    named.write_text("understudy: 1\nurl: https://api.example.com\ncalls:\n  logout: POST /devices/{device_id}/forget\n")
    code, output, errors = explain(renamed, "--backend-file", named)
    assert (code, errors) == (1, "") and "[user_signed_out]" in output and "row 2" in output, output
    # The file of another backend says nothing about this one.
    named.write_text(named.read_text().replace("api.example.com", "api.example.org"))
    assert explain(renamed, "--backend-file", named)[0] == 0


def test_a_wrong_backend_file_is_told_as_its_check_tells_it(renamed, tmp_path):
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("understudy: 1\ncalls:\n  logot: POST /x\n")
    checked = subprocess.run([binary(), "backend-file", "check", str(wrong)], capture_output=True, text=True, timeout=60)
    assert checked.returncode == 78 and checked.stderr.startswith(f"{wrong}:3:")
    assert explain(renamed, "--backend-file", wrong) == (78, "", checked.stderr)
    code, output, errors = explain(renamed, "--backend-file", tmp_path / "missing.yaml")
    assert (code, output) == (66, "") and errors.endswith("missing.yaml cannot be read\n"), errors


@pytest.mark.parametrize("text", ["", "{", '{"log":{"entries":[]}}', "PK\x03\x04"])
def test_what_is_no_recording_is_unreadable(tmp_path, text):
    file = tmp_path / "broken.har"
    file.write_text(text)
    code, output, errors = explain(file)
    assert code == 66 and output == "" and errors.startswith("understudy: ") and "broken.har" in errors, errors
    assert explain(tmp_path / "missing.har")[0] == 66


def test_a_kept_session_of_our_own_in_both_formats(phone, tmp_path):
    one = phone()
    one.sign_in()
    assert one.call("GET", "/api/account").status == 200
    for format in ["zip", "har"]:
        answer = one.call("GET", f"/api/network/export?format={format}")
        assert answer.status == 200
        file = tmp_path / f"log.{format}"
        file.write_bytes(answer.body)
        code, output, errors = explain(file)
        assert (code, errors) == (0, "") and output == "The session was kept.\n", (format, output, errors)
