"""`understudy compare` on what the console exports and on what is no recording."""

import json
import subprocess

import pytest
from console_process import binary


def compare(*arguments):
    """The exit code, the output and the errors of the program."""
    done = subprocess.run([binary(), "compare", *map(str, arguments)], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def recordings(phone, tmp_path):
    """Two bundles of the same phone: before and after somebody looked at the account, and the first one's HAR."""
    one = phone()
    one.sign_in()
    files = [tmp_path / "before.zip", tmp_path / "before.har", tmp_path / "after.zip"]
    for file, format in zip(files, ["zip", "har", "zip"]):
        if file is files[2]:
            assert one.call("GET", "/api/account").status == 200
        answer = one.call("GET", f"/api/network/export?format={format}")
        assert answer.status == 200
        file.write_bytes(answer.body)
    return files


def test_a_recording_equals_itself_in_both_formats(recordings):
    before, har, _ = recordings
    for pair in [(before, before), (before, har), (har, before)]:
        code, output, errors = compare(*pair)
        assert (code, errors) == (0, "") and output.endswith("no differences\n"), (output, errors)


def test_further_calls_are_differences(recordings):
    before, _, after = recordings
    code, output, _ = compare(before, after, "--ignore-timings")
    assert code == 1 and "added      GET /rpc/me" in output, output
    code, output, _ = compare(after, before, "--ignore-timings", "--format", "json")
    report = json.loads(output)
    assert code == 1 and report["format"] == "understudy-compare" and not report["is_equal"]
    assert report["first"]["calls"] > report["second"]["calls"]
    assert {"missing"} <= {one["kind"] for one in report["differences"]}


def har(path, *calls):
    """Writes a recording of another program: calls as address and answer."""
    entries = [
        {
            "startedDateTime": f"2026-11-26T10:00:{place:02}.000Z",
            "time": 5,
            "request": {"method": "GET", "url": address, "headers": []},
            "response": {
                "status": 200,
                "headers": [],
                "content": {"mimeType": "application/json", "text": json.dumps(answer)},
            },
        }
        for place, (address, answer) in enumerate(calls)
    ]
    path.write_text(json.dumps({"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": entries}}))
    return path


@pytest.mark.parametrize("format", ["text", "json"])
def test_no_secret_of_a_file_is_printed(tmp_path, format):
    secrets = ["Kw9f2ZpQ7sT4vXyB1nM8", "Rz5dLq0VhG3mJ6cW2eYp", "ghp_" + "a1B2c3D4e5" * 4, "G44KF8812"]
    one = har(tmp_path / "one.har", ("https://api.example.com/rpc/get_cues", {"cues": []}))
    other = har(
        tmp_path / "other.har",
        (f"https://api.example.com/rpc/magic/{secrets[0]}", {}),
        (f"https://api.example.com/orders;jsessionid={secrets[1]}", {}),
        ("https://api.example.com/rpc/get_cues", {"cues": [], "tokens": {secrets[2]: True}}),
        (f"https://api.example.com/orders;desk={secrets[3]}", {}),
        ("https://api.example.com/desk/open", {}),
    )
    code, output, _ = compare(one, other, "--format", format, "--mask", "desk")
    assert code == 1 and "/rpc/magic/" in output and "/desk/open" in output, output
    assert [secret for secret in secrets if secret in output] == []


def test_a_secret_of_both_files_is_no_difference(tmp_path):
    calls = [("https://api.example.com/reset/Kw9f2ZpQ7sT4vXyB1nM8", {"tokens": {"ghp_" + "a1B2c3D4e5" * 4: 1}})]
    code, output, _ = compare(har(tmp_path / "one.har", *calls), har(tmp_path / "other.har", *calls))
    assert code == 0, output


@pytest.mark.parametrize("content", [b"", b"no recording", b"{}", b'{"log":{"entries":[]}}', b"PK\x03\x04cut", None])
def test_what_is_no_recording_ends_with_one_line(recordings, tmp_path, content):
    file = tmp_path / "other.har"
    if content is not None:
        file.write_bytes(content)
    for pair in [(recordings[0], file), (file, recordings[0])]:
        code, output, errors = compare(*pair)
        assert code == 66 and output == "" and len(errors.splitlines()) == 1 and str(file) in errors, (code, output, errors)


def test_an_unknown_format_is_refused(recordings):
    code, output, errors = compare(recordings[0], recordings[0], "--format", "xml")
    assert code == 64 and output == "" and len(errors.splitlines()) == 1, errors
