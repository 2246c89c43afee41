"""The vault's key: its sources, its rotation, and that the process's memory is not dumped."""

import os
import re
import secrets
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from console_process import Browser, NotStarted
from processes import start_program
from test_disk import ends_clearly, nothing_in_the_clear


def key_file(path, mode=0o600):
    path.write_text(secrets.token_hex(32) + "\n")
    path.chmod(mode)
    return path


@pytest.fixture
def credentials(tmp_path):
    """systemd's folder; its files may be readable by a group, as an access control list shows."""
    folder = tmp_path / "credentials"
    folder.mkdir()
    key_file(folder / "vault-key", 0o440)
    return folder


def is_signed_in(browser):
    account = browser.call("GET", "/api/account")
    return account.status == 200 and account.json["user"]["email"] == browser.identifier


def restarted(start, console, browser, *arguments, **options):
    assert console.stop() == 0
    browser.close()
    return start(*arguments, port=console.port, **options)


def refused(start, key, **options):
    """The console does not start with a key that did not seal its data, and names the key's file."""
    with pytest.raises(NotStarted) as failure:
        start("--vault-key-file", key, **options)
    ends_clearly(failure.value)
    assert failure.value.code == 78 and f"{key} is not the key of console.sqlite" in failure.value.errors


def test_the_key_of_a_credential_is_used_and_no_other_made(start, tmp_path, credentials):
    variables = {"CREDENTIALS_DIRECTORY": str(credentials)}
    console = start(variables=variables)
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    assert not (tmp_path / "data/vault.key").exists()
    console = restarted(start, console, browser, variables=variables)
    assert is_signed_in(browser)
    # The flag wins over the credential.
    other = key_file(tmp_path / "other.key")
    assert console.stop() == 0
    refused(start, other, variables=variables)


def test_the_key_of_a_flag_is_used_and_no_other_made(start, tmp_path):
    console = start("--vault-key-file", tmp_path / "own.key")
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    assert not (tmp_path / "data/vault.key").exists()
    assert (tmp_path / "own.key").stat().st_mode & 0o777 == 0o600
    restarted(start, console, browser, "--vault-key-file", tmp_path / "own.key")
    assert is_signed_in(browser)


def test_a_mistyped_key_file_discards_nothing(start, tmp_path):
    console = start("--vault-key-file", tmp_path / "own.key")
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    assert console.stop() == 0
    with pytest.raises(NotStarted) as failure:
        start("--vault-key-file", tmp_path / "typo.key")
    ends_clearly(failure.value)
    assert failure.value.code == 66 and f"{tmp_path / 'typo.key'} cannot be used: No such file" in failure.value.errors
    assert not (tmp_path / "typo.key").exists()
    browser.close()
    start("--vault-key-file", tmp_path / "own.key", port=console.port)
    assert is_signed_in(browser)


@pytest.mark.parametrize("mode", [0o444, 0o460, 0o644])
def test_a_credential_that_others_can_read_is_refused(start, credentials, mode):
    (credentials / "vault-key").chmod(mode)
    with pytest.raises(NotStarted) as failure:
        start(variables={"CREDENTIALS_DIRECTORY": str(credentials)})
    ends_clearly(failure.value)
    assert failure.value.code == 78


@pytest.mark.parametrize("source", ["credential", pytest.param("flag", marks=pytest.mark.long), pytest.param("data folder", marks=pytest.mark.long)])
def test_a_new_key_takes_over_what_the_old_one_sealed(start, tmp_path, source):
    """Sessions, identifiers and choices stay, and the old key opens nothing any more."""
    old = key_file(tmp_path / "old.key")
    console = start("--vault-key-file", old)
    one = Browser(console.port)
    one.sign_in("one@example.com")
    other = Browser(console.port, shares=one)
    other.sign_in("other@example.com")
    assert one.call("POST", "/api/account/analytics", {"opted_in": False}).status == 200

    arguments, variables = ["--vault-old-key-file", old], {}
    if source == "flag":
        arguments += ["--vault-key-file", key_file(tmp_path / "new.key")]
    elif source == "credential":
        folder = tmp_path / "credentials"
        folder.mkdir()
        key_file(folder / "vault-key", 0o400)
        shutil.copy(old, folder / "vault-old-key")
        arguments, variables = [], {"CREDENTIALS_DIRECTORY": str(folder)}
    other.close()
    console = restarted(start, console, one, *arguments, variables=variables)
    assert is_signed_in(one) and is_signed_in(other)
    assert one.call("GET", "/api/account").json["settings"]["analytics_opted_in"] is False
    assert len(one.messages("one@example.com")) == 1, "the identifiers that it asked for are known"
    assert "re-encrypted with the new key" in console.errors

    # Again, with and without the old key: there is nothing left to do.
    other.close()
    console = restarted(start, console, one, *arguments, variables=variables)
    assert is_signed_in(one)
    arguments = [word for word in arguments if word not in ("--vault-old-key-file", old)]
    (tmp_path / "credentials/vault-old-key").unlink(missing_ok=True)
    console = restarted(start, console, one, *arguments, variables=variables)
    assert is_signed_in(one) and is_signed_in(other)
    nothing_in_the_clear(tmp_path, "one@example.com", one.key)
    other.close()
    assert console.stop() == 0
    refused(start, old)


def test_an_old_key_that_is_not_there_is_said(start, tmp_path):
    with pytest.raises(NotStarted) as failure:
        start("--vault-old-key-file", tmp_path / "gone.key")
    ends_clearly(failure.value)
    assert failure.value.code == 66 and "--vault-old-key-file" in failure.value.errors


def test_a_wrong_old_key_changes_nothing(start, tmp_path):
    console = start()
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    assert browser.call("POST", "/api/account/analytics", {"opted_in": False}).status == 200
    restarted(start, console, browser, "--vault-old-key-file", key_file(tmp_path / "wrong.key"))
    assert is_signed_in(browser)
    assert browser.call("GET", "/api/account").json["settings"]["analytics_opted_in"] is False


def test_no_core_is_dumped_however_much_is_allowed(start, tmp_path, monkeypatch):
    folder = tmp_path / "working"
    folder.mkdir()
    monkeypatch.chdir(folder)
    # The limit of whoever starts it does not matter.
    console = start(variables={"SWIFT_BACKTRACE": "enable=no"})
    process = Path(f"/proc/{console.process.pid}")
    limits = (process / "limits").read_text()
    assert re.search(r"Max core file size\s+0\s+0\s", limits), limits
    console.process.send_signal(signal.SIGABRT)
    assert console.process.wait(20) == -signal.SIGABRT
    assert not any(path.name.startswith("core") for path in folder.iterdir())


def test_its_memory_belongs_to_no_other_process_of_its_user(installed):
    """A process that cannot be dumped belongs to root in /proc, so that its user's other processes cannot look in."""
    user = 65534 if os.geteuid() == 0 else os.geteuid()
    process = start_program(
        [installed / "understudy", "serve", "--port", 0, "--ephemeral", "--limits", "off", "--public", installed / "Public"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        **({"user": user, "group": user} if os.geteuid() == 0 else {}))
    try:
        assert process.stdout.readline().startswith("understudy ready")
        status = Path(f"/proc/{process.pid}/status").read_text()
        assert re.search(rf"Uid:\s+{user}\s", status)
        assert os.stat(f"/proc/{process.pid}/environ").st_uid == 0
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()
