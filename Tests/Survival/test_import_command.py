"""`understudy import`: with and without a console on the data folder, and on what is no recording."""

import os
import stat
import subprocess

import pytest
from console_process import Browser, binary
from moments import until
from processes import start_program
from test_archives import PLAIN, row_file, zipped
from test_recordings import SECRETS, entry, har


def imported(*arguments, variables=None):
    """The exit code, the output and the errors of the program."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("UNDERSTUDY_")} | (variables or {})
    done = subprocess.run([binary(), "import", *map(str, arguments)], capture_output=True, text=True, timeout=120, env=environment)
    return done.returncode, done.stdout, done.stderr


def recordings(console):
    """What a browser of the console lists."""
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    return browser, {one["id"]: one for one in browser.call("GET", "/api/recordings").json["recordings"]}


@pytest.fixture
def files(tmp_path):
    """A HAR and an archive."""
    (tmp_path / "Sign-in.har").write_bytes(har([entry()] * 3))
    (tmp_path / "bundle.zip").write_bytes(zipped({"rows.json": row_file(400)}))
    return tmp_path / "Sign-in.har", tmp_path / "bundle.zip"


def test_a_folder_that_no_console_has_used_gets_the_recording(start, tmp_path, files):
    ids = []
    for file, arguments in [(files[0], []), (files[1], ["--title", " A bundle "])]:
        code, output, errors = imported(file, "--data", tmp_path / "data", *arguments)
        assert (code, errors) == (0, "") and len(output.split()) == 1, (output, errors)
        ids.append(output.strip())
    browser, listed = recordings(start())
    assert [(listed[id]["title"], listed[id]["rows"]) for id in ids] == [("Sign-in", 3), ("A bundle", 400)]
    rows = browser.call("GET", f"/api/recordings/{ids[1]}/network").json["events"]
    assert len(rows) == 400 and browser.call("GET", f"/api/recordings/{ids[1]}/network/{rows[0]['id']}").status == 200
    content = b"".join(file.read_bytes() for file in (tmp_path / "data").glob("*.sqlite*"))
    assert [secret for secret in SECRETS if secret in content] == []
    assert stat.S_IMODE((tmp_path / "data/evidence.sqlite").stat().st_mode) == 0o600


def test_a_running_console_lists_it_at_once_and_loses_nothing(start, tmp_path, files):
    console = start()
    browser, _ = recordings(console)
    for turn in range(3):
        for _ in range(10):
            assert browser.call("GET", "/api/account").status == 200
        code, output, errors = imported(files[turn % 2], "--data", console.data)
        assert (code, errors) == (0, ""), errors
        listed = {one["id"]: one for one in browser.call("GET", "/api/recordings").json["recordings"]}
        assert len(listed) == turn + 1 and listed[output.strip()]["rows"] == [3, 400][turn % 2]
    seen = [row["id"] for row in browser.call("GET", "/api/network").json["events"]]
    browser.close()
    assert console.stop() == 0
    assert "could not be saved" not in console.errors and "evidence" not in console.errors, console.errors
    start(port=console.port)
    assert [row["id"] for row in browser.call("GET", "/api/network").json["events"]][:len(seen)] == seen
    assert len(browser.call("GET", "/api/recordings").json["recordings"]) == 3


@pytest.mark.long
def test_several_imports_at_a_time_beside_a_console_are_all_there(start, files):
    console = start()
    browser, _ = recordings(console)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("UNDERSTUDY_")}
    running = [
        start_program([binary(), "import", files[1], "--data", console.data], stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(3)
    ]
    ids = {one.communicate(timeout=120)[0].strip() for one in running}
    assert [one.returncode for one in running] == [0, 0, 0] and len(ids) == 3
    listed = {one["id"]: one["rows"] for one in browser.call("GET", "/api/recordings").json["recordings"]}
    assert listed == dict.fromkeys(ids, 400)


def test_a_broken_file_is_65_an_unreadable_one_66_and_nothing_is_kept(start, tmp_path, files):
    console = start()
    broken = tmp_path / "broken.har"
    for content, words in [
        (b"", "ends too early"), (b"[]", "no entries"), (har([entry()])[:-9], "ends too early"), (PLAIN[:-1], "cut off"),
        (zipped({"rows.json": row_file(500)[:-1] + ',{"seq":1}]'}), "row is damaged"),
        (zipped({"../rows.json": row_file()}), "'../rows.json' has a name"),
    ]:
        broken.write_bytes(content)
        code, output, errors = imported(broken, "--data", console.data)
        assert code == 65 and output == "" and len(errors.splitlines()) == 1 and words in errors and str(broken) in errors, (code, errors)
    os.mkfifo(tmp_path / "pipe")
    for file in [tmp_path / "missing.har", tmp_path, tmp_path / "pipe"]:
        code, output, errors = imported(file, "--data", console.data)
        assert code == 66 and output == "" and len(errors.splitlines()) == 1 and str(file) in errors, (code, errors)
    for arguments in [("--title", " "), ("--title", "a" * 201), ("--data", "")]:
        assert imported(files[0], "--data", console.data, *arguments)[0] == 64
    assert recordings(console)[1] == {}


def test_a_folder_that_cannot_be_used_is_refused_with_one_line(start, tmp_path, files):
    console = start()
    recordings(console)
    key = tmp_path / "key"
    key.write_bytes(os.urandom(32))
    key.chmod(0o600)
    code, output, errors = imported(files[0], "--data", console.data, "--vault-key-file", key)
    assert code == 78 and output == "" and "does not belong to this vault key" in errors, (code, errors)
    assert console.stop() == 0
    code, output, errors = imported(files[0], "--data", console.data, variables={"UNDERSTUDY_VAULT_KEY_FILE": str(key)})
    assert code == 78 and "does not belong to this vault key" in errors, (code, errors)
    kept = console.data / "vault.key"
    kept.rename(tmp_path / "kept.key")
    code, output, errors = imported(files[0], "--data", console.data)
    assert code == 78 and output == "" and "vault.key is missing" in errors and not kept.exists(), (code, errors)
    (tmp_path / "kept.key").rename(kept)
    console.data.chmod(0o755)
    code, output, errors = imported(files[0], "--data", console.data)
    assert code == 66 and len(errors.splitlines()) == 1 and "open to other users" in errors
    console.data.chmod(0o700)
    # Nobody was signed out by any of it.
    browser, listed = recordings(start(data=console.data))
    assert listed == {} and browser.call("GET", "/api/state").json["session"]["state"] == "authenticated"


def test_an_import_that_was_killed_leaves_nothing_after_the_next_start(start, tmp_path):
    file = tmp_path / "large.zip"
    file.write_bytes(zipped({"rows.json": row_file(60_000)}))
    console = start()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("UNDERSTUDY_")}
    running = start_program([binary(), "import", file, "--data", console.data], stdout=subprocess.PIPE, env=environment)
    until(lambda: 'understudy_used{name="recordings"} 1' in console.text("/metrics"), "it is under way")
    running.kill()
    assert running.communicate()[0] == b""
    assert recordings(console)[1] == {}
    assert console.stop() == 0
    assert 'understudy_used{name="recordings"} 0' in start(data=console.data).text("/metrics")
