"""Full and read-only disks, damaged and exchanged files: a clear word or a signed-out device, never a crash, nothing in the clear."""

import contextlib
import os
import random
import resource
import shutil
import sqlite3
import subprocess

import pytest
from console_process import Browser, Console, NotStarted

CANARY = "canary.of.the.disk@example.com"
CODES = (66, 69, 78)
# What a page is told of a disk that takes nothing: its own, or the embedded backend's.
REFUSED = {"storage_full", "unavailable", "backend_error", "offline"}
RULE = {"name": "Later", "match": {"endpoint": "get_cues"}, "when": {"count": 3}, "action": {"kind": "status", "status": 503}}
SEED = int(os.environ.get("SURVIVAL_SEED", "8"))
DAMAGES = 200 if os.environ.get("SURVIVAL_TESTS") == "all" else 4


def ends_clearly(failure):
    """One line for a person and an exit code of the contract; no signal, no backtrace."""
    assert failure.code in CODES, failure
    lines = [line for line in failure.errors.splitlines() if line.startswith("understudy: ")]
    assert len(lines) == 1 and len(lines[0]) > 30, failure
    assert "Fatal error" not in failure.errors and "Crash" not in failure.errors, failure


def signed_in(console, identifier=CANARY):
    browser = Browser(console.port)
    browser.sign_in(identifier)
    return browser


def nothing_in_the_clear(folder, *secrets):
    """No file of the console contains a secret."""
    for path in (path for path in folder.rglob("*") if path.is_file() and "backend" not in path.parts):
        content = path.read_bytes()
        for secret in secrets:
            assert secret.encode() not in content, path


@contextlib.contextmanager
def small_disk(path, mebibytes):
    """Its own file system; skipped if this user may not mount one."""
    path.mkdir(parents=True)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "tmpfs", path], capture_output=True).returncode:
        pytest.skip("this user may mount nothing")
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", path], check=True)


def fill(path):
    """Leaves not a byte free."""
    disk = os.statvfs(path.parent)
    for piece in (bytes(65536), b"\0"):
        with open(path, "ab", buffering=0) as file, contextlib.suppress(OSError):
            for _ in range(disk.f_blocks * disk.f_frsize // len(piece) + 1):
                file.write(piece)


def writes(browser, cue, stage):
    """One of each write that a page can ask for; their answers by name."""
    return {
        "stage": browser.call("POST", f"/api/cues/{cue}/stage", {"stage": stage}),
        "analytics": browser.call("POST", "/api/account/analytics", {"opted_in": False}),
        "language": browser.call("POST", "/api/account/language", {"language_code": "de"}),
        "device": browser.call("POST", "/api/devices", {}),
        "refresh": browser.call("POST", "/api/session/refresh"),
    }


def outlives(console, browser, spoil, mend):
    """Writes fail with a reason while the disk refuses them; stored data stays, and writing resumes afterwards."""
    assert browser.call("GET", "/api/account").status == 200
    cue = browser.call("GET", "/api/cues").json["cues"][0]["cue_id"]
    spoil()
    refused = set()
    for stage in ("learning", "review", "learning"):
        for name, answer in writes(browser, cue, stage).items():
            assert answer.status < 300 or answer.code in REFUSED, (name, answer)
            refused |= {answer.code} - {None}
        cues = browser.call("GET", "/api/cues")
        assert cues.status == 200 or cues.code in REFUSED, cues
        assert browser.call("GET", "/healthz").status == 200
        assert browser.session()["state"] in ("authenticated", "error")
    assert refused, "the disk refused nothing"
    mend()
    for name, answer in writes(browser, cue, "mastered").items():
        assert answer.status < 300 or (name, answer.status) in {("refresh", 429), ("device", 429)}, (name, answer)
    account = browser.call("GET", "/api/account")
    assert account.status == 200 and account.json["user"]["email"] == browser.identifier, account
    # Each language has its own cues.
    assert browser.call("POST", "/api/account/language", {"language_code": "en"}).status == 200
    assert [row["stage"] for row in browser.call("GET", "/api/cues").json["cues"] if row["cue_id"] == cue] == ["mastered"]
    assert console.is_alive() and "Fatal error" not in console.errors


def test_a_full_disk_loses_nothing_and_signs_nobody_out(start, tmp_path):
    with small_disk(tmp_path / "disk", 6) as disk:
        console = start(data=disk / "data")
        browser = signed_in(console)
        stuffing = disk / "stuffing"
        outlives(console, browser, lambda: fill(stuffing), stuffing.unlink)
        console.kill()
        browser.close()
        console = start(data=disk / "data", port=console.port)
        assert browser.call("GET", "/api/account").status == 200
        nothing_in_the_clear(disk, CANARY, browser.key)
        assert console.stop() == 0


def test_a_fault_rule_that_a_full_disk_does_not_keep_is_not_acknowledged(start, tmp_path):
    with small_disk(tmp_path / "disk", 6) as disk:
        console = start(data=disk / "data")
        browser = signed_in(console)
        first = browser.must("POST", "/api/faults", RULE, status=201).json["id"]
        # What is written before the disk is full would make room in the log of the database.
        fill(disk / "stuffing")
        changes = [("POST", "/api/faults", RULE), ("PATCH", f"/api/faults/{first}", {"armed": False}), ("DELETE", "/api/faults", None)]
        for method, path, body in changes:
            answer = browser.call(method, path, body)
            assert (answer.status, answer.code) == (503, "unavailable"), (method, path, answer)
            rules = browser.must("GET", "/api/faults").json["faults"]
            assert [(one["id"], one["state"]) for one in rules] == [(first, "armed")], (method, rules)
        (disk / "stuffing").unlink()
        second = browser.must("POST", "/api/faults", RULE, status=201).json["id"]
        console.kill()
        browser.close()
        start(data=disk / "data", port=console.port)
        assert [one["id"] for one in browser.must("GET", "/api/faults").json["faults"]] == [first, second]


def test_a_start_on_a_full_disk_says_so(start, tmp_path):
    with small_disk(tmp_path / "disk", 2) as disk:
        fill(disk / "stuffing")
        with pytest.raises(NotStarted) as failure:
            start(data=disk / "data")
        ends_clearly(failure.value)


def test_a_start_on_a_read_only_disk_says_so(start, tmp_path):
    with small_disk(tmp_path / "disk", 16) as disk:
        console = start(data=disk / "data")
        signed_in(console)
        assert console.stop() == 0
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        with pytest.raises(NotStarted) as failure:
            start(data=disk / "data")
        ends_clearly(failure.value)


@pytest.mark.long
def test_a_limit_on_the_size_of_files_is_a_full_disk(start, tmp_path):
    """A quota of the process: the kernel's signal for it (SIGXFSZ) must not end the program."""
    console = start()
    browser = signed_in(console)
    size = max(path.stat().st_size for path in (tmp_path / "data").rglob("*") if path.is_file())

    def limit(value):
        resource.prlimit(console.process.pid, resource.RLIMIT_FSIZE, (value, resource.RLIM_INFINITY))

    outlives(console, browser, lambda: limit(min(size // 2, 16384)), lambda: limit(resource.RLIM_INFINITY))


def flipped(content, dice):
    """A few bytes changed."""
    changed = bytearray(content)
    for _ in range(dice.choice((1, 20, 400))):
        changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


DAMAGE = [
    flipped,
    lambda content, dice: content[: dice.randrange(len(content))],
    lambda content, dice: b"",
    lambda content, dice: bytes(len(content)),
    lambda content, dice: dice.randbytes(len(content)),
    lambda content, dice: content[:100] + dice.randbytes(max(0, len(content) - 100)),
    lambda content, dice: content + dice.randbytes(5000),
]
# Nothing of the file is left.
TOTAL = DAMAGE[2:5]
ESSENTIAL = {"console.sqlite", "backend.sqlite", "vault.key"}
SIGNED_OUT = {(401, "signed_out"), (401, "no_device"), (409, "session_ended")}


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """The data of a console with somebody signed in, after a kill; with the browser."""
    folder = tmp_path_factory.mktemp("kept")
    console = Console(folder / "data")
    browser = signed_in(console)
    cue = browser.must("GET", "/api/cues").json["cues"][0]["cue_id"]
    browser.must("POST", f"/api/cues/{cue}/stage", {"stage": "review"})
    console.kill()
    return folder / "data", browser


def reborn(start, browser, data, victim=None, **options):
    """The browser at a console over the data; None where it did not start, which it must say clearly, with the victim's name."""
    try:
        console = start(data=data, **options)
    except NotStarted as failure:
        ends_clearly(failure)
        assert not victim or victim.name.split(".")[0] in failure.errors.splitlines()[-1], failure
        return None, None
    again = Browser(console.port)
    # The cookie's name has the port in it.
    again.cookies = {f"understudy_{console.port}": value for value in browser.cookies.values()}
    again.key, again.identifier = browser.key, browser.identifier
    return console, again


@pytest.mark.parametrize("number", range(DAMAGES))
def test_a_damaged_file_is_told_or_signs_out(start, kept, tmp_path, number):
    """Any file of the data folder, damaged in any way."""
    original, browser = kept
    dice = random.Random(SEED * 1000 + number)
    data = tmp_path / "data"
    shutil.copytree(original, data)
    files = sorted(path for path in data.rglob("*") if path.is_file() and path.stat().st_size > 0)
    victims = [path for path in files if path.suffix == ".sqlite"] * 3 + files
    victim, damage = dice.choice(victims), dice.choice(DAMAGE)
    victim.write_bytes(damage(victim.read_bytes(), dice))
    # A log would mend the file again.
    is_mended = victim.suffix == ".sqlite" and dice.random() >= 0.5
    if victim.suffix == ".sqlite" and not is_mended:
        for ending in ("-wal", "-shm"):
            victim.with_name(victim.name + ending).unlink(missing_ok=True)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    console, again = reborn(start, browser, data, victim, variables={"TMPDIR": str(temporary), "SQLITE_TMPDIR": str(temporary)})
    if console:
        told = set()
        for method, path in (("GET", "/api/state"), ("GET", "/api/account"), ("GET", "/api/cues"), ("POST", "/api/session/refresh"), ("POST", "/api/logout")):
            answer = again.call(method, path, {} if method == "POST" else None)
            assert answer.status == 200 or (answer.status, answer.code) in SIGNED_OUT, (victim.name, path, answer)
            told.add(answer.code)
            if path == "/api/account" and answer.status == 200:
                assert answer.json["user"]["email"] == CANARY
        if damage in TOTAL and victim.name in ESSENTIAL and not is_mended:
            assert told - {None}, f"{victim.name} was lost, and the session goes on"
        assert console.is_alive(), (victim.name, console.errors)
        assert "Fatal error" not in console.errors
        # Somebody new can sign in.
        newcomer = Browser(console.port)
        newcomer.sign_in("new@example.com")
        newcomer.must("GET", "/api/account")
        assert console.stop() == 0
    nothing_in_the_clear(data, CANARY, browser.key)
    assert not any(temporary.iterdir()), "something was left in the temporary folder"


def test_a_damaged_log_of_the_database_is_named(start, kept, tmp_path):
    """SQLite ignores a log whose head is damaged, without an error."""
    original, browser = kept
    data = tmp_path / "data"
    shutil.copytree(original, data)
    log = data / "console.sqlite-wal"
    content = bytearray(log.read_bytes())
    assert len(content) > 4096
    content[17] ^= 1
    content[21] ^= 1
    log.write_bytes(content)
    console, _ = reborn(start, browser, data)
    assert "console.sqlite-wal is damaged" in console.errors
    assert "lacks its latest changes" in console.errors
    assert "evidence.sqlite-wal" not in console.errors
    assert console.stop() == 0
    assert "damaged" not in start(data=data).errors


@pytest.mark.parametrize("what", ["gone", "another", "short", "open to others"])
def test_a_vault_key_that_does_not_fit_signs_out_with_a_reason(start, kept, tmp_path, what):
    original, browser = kept
    data = tmp_path / "data"
    shutil.copytree(original, data)
    key = data / "vault.key"
    if what == "gone":
        key.unlink()
    elif what == "another":
        key.write_text("ab" * 32 + "\n")
    elif what == "short":
        key.write_text("ab" * 31 + "\n")
    else:
        key.chmod(0o644)
    console, again = reborn(start, browser, data, key)
    assert (console is None) == (what != "gone")
    if console:
        session = again.session()
        assert session["state"] == "signed_out" and session["reason"] == "vault_damaged", session
        again.sign_in(CANARY)
    else:
        # The right key finds everything as it was.
        shutil.copy(original / "vault.key", key)
        console, again = reborn(start, browser, data)
        assert again.call("GET", "/api/account").status == 200


def test_a_start_that_fails_leaves_no_new_key(start, kept, tmp_path):
    """The next start would refuse it as another key, instead of signing everybody out."""
    original, browser = kept
    data = tmp_path / "data"
    shutil.copytree(original, data)
    (data / "vault.key").unlink()
    aside = tmp_path / "aside"
    aside.mkdir()
    for file in data.glob("console.sqlite*"):
        file.rename(aside / file.name)
    (data / "console.sqlite").write_bytes(b"no database" * 1000)
    (data / "console.sqlite").chmod(0o600)
    assert reborn(start, browser, data)[0] is None
    assert not list(data.glob("vault.key*"))
    for file in aside.iterdir():
        file.rename(data / file.name)
    _, again = reborn(start, browser, data)
    assert again.session()["reason"] == "vault_damaged"
    assert (data / "vault.key").exists()


def test_a_key_that_cannot_be_written_voids_nothing(start, kept, tmp_path):
    """A drive with the key that is not there, for instance: with it, everything is as it was."""
    original, browser = kept
    data = tmp_path / "data"
    shutil.copytree(original, data)
    drive = tmp_path / "drive"
    (data / "vault.key").rename(tmp_path / "kept.key")
    for place in [drive / "vault.key", data / "vault.key"]:
        if place.parent == data:
            place.symlink_to(drive / "vault.key")
        with pytest.raises(NotStarted) as failure:
            start("--vault-key-file", place, data=data)
        ends_clearly(failure.value)
    (data / "vault.key").unlink()
    (tmp_path / "kept.key").rename(data / "vault.key")
    assert sorted(path.name for path in data.glob("vault.key*")) == ["vault.key"]
    _, again = reborn(start, browser, data)
    assert again.call("GET", "/api/account").status == 200


def test_sealed_rows_exchanged_between_devices_open_for_neither(start, tmp_path):
    """A row belongs to its device: nobody gets into another account."""
    console = start()
    one, other = signed_in(console, "one@example.com"), signed_in(console, "other@example.com")
    assert console.stop() == 0
    database = sqlite3.connect(tmp_path / "data/console.sqlite")
    rows = database.execute("SELECT device_id, sealed FROM client_token ORDER BY device_id").fetchall()
    assert len(rows) == 2
    for (device, _), (_, sealed) in zip(rows, reversed(rows)):
        database.execute("UPDATE client_token SET sealed = ? WHERE device_id = ?", (sealed, device))
    database.commit()
    database.close()
    console = start(port=console.port)
    for browser in (one, other):
        browser.close()
        session = browser.session()
        assert session["state"] == "signed_out" and session["reason"], session
        assert browser.call("GET", "/api/account").code == "signed_out"


def test_data_of_another_installation_is_an_empty_compartment(start, kept, tmp_path):
    """The console's file of one installation beside the key and backend of another."""
    original, browser = kept
    console = start()
    signed_in(console, "other@example.com")
    assert console.stop() == 0
    for ending in ("", "-wal", "-shm"):
        source = original / f"console.sqlite{ending}"
        target = tmp_path / f"data/console.sqlite{ending}"
        target.unlink(missing_ok=True)
        if source.exists():
            shutil.copy(source, target)
    console, again = reborn(start, browser, tmp_path / "data")
    assert console and again.session()["state"] == "signed_out"
    assert again.call("GET", "/api/account").code == "signed_out"
