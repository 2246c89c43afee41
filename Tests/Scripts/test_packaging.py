"""What makes the packages, without building the program."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Packaging"))
import manual_page
import release_notes

CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n- Later.\n\n## [1.2.0] - 2026-01-02\n\n### Added\n\n- A thing.\n\n## [1.1.0] - 2026-01-01\n\n- Older.\n"
DESCRIBED = {"command": {
    "commandName": "understudy", "abstract": "A stand-in.", "defaultSubcommand": "serve", "arguments": [], "subcommands": [
        {"commandName": "serve", "abstract": "Serve it.", "arguments": [
            {"kind": "option", "valueName": "path", "preferredName": {"name": "data"}, "isRepeating": False, "abstract": ".hidden\\folder"},
            {"kind": "flag", "valueName": "secret", "preferredName": {"name": "secret"}, "isRepeating": False, "shouldDisplay": False},
            {"kind": "flag", "valueName": "help", "preferredName": {"name": "help"}, "isRepeating": False}]},
        {"commandName": "database", "abstract": "Look after it.", "subcommands": [
            {"commandName": "check", "abstract": "Check it.", "arguments": [
                {"kind": "positional", "valueName": "file", "isRepeating": True, "abstract": "A file."}]}]},
        {"commandName": "help", "abstract": "Help."}]}}


def test_the_manual_page_has_each_command_and_its_visible_flags():
    page = manual_page.page(DESCRIBED, "1.2.0", 0)
    assert '.TH UNDERSTUDY 1 "1970-01-01" "understudy 1.2.0"' in page
    assert "understudy \\- a stand\\-in" in page
    assert ".SS understudy serve" in page and ".SS understudy database check" in page and "database\n" not in page
    assert ".TP\n\\fB\\-\\-data\\fR \\fIPATH\\fR\n\\&.hidden\\efolder" in page
    assert "secret" not in page and "\\-\\-help" not in page
    assert ".TP\n\\fIFILE\\fR\nA file. Can be repeated." in page


def test_the_release_notes_are_the_versions_section():
    notes = release_notes.notes("1.2.0", release_notes.section(CHANGELOG, "1.2.0"), "aa  file\n")
    assert "A thing." in notes and "Older" not in notes and "Later" not in notes and "aa  file" in notes
    assert release_notes.section(CHANGELOG, "1.3.0") is None and release_notes.section(CHANGELOG, "1.2") is None


@pytest.fixture
def project(tmp_path):
    """A project with the script that makes releases, and with packages that take no time."""
    for name in ("Scripts/release", "Packaging/release_notes.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    package = tmp_path / "Scripts/package"
    package.write_text('#!/bin/sh\nmkdir -p "$1"\necho "aa  understudy.deb" >"$1/SHA256SUMS"\n')
    package.chmod(0o755)
    version = tmp_path / "Sources/Composition/Commands/UnderstudyCommand.swift"
    version.parent.mkdir(parents=True)
    version.write_text('package enum Version {\n  package static let text = "1.2.0"\n}\n')
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    (tmp_path / ".gitignore").write_text(".build\n")
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    return tmp_path


def git(folder, *command):
    identity = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    subprocess.run(["git", *command], cwd=folder, check=True, env=os.environ | identity, stdout=subprocess.DEVNULL)


def commit(folder):
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "all")


def release(folder):
    return subprocess.run(["Scripts/release"], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def test_a_release_has_packages_and_notes(project):
    done = release(project)
    assert done.returncode == 0, done.stderr
    notes = (project / ".build/release-1.2.0/release-notes.md").read_text()
    assert "A thing." in notes and "aa  understudy.deb" in notes


def test_a_tree_with_changes_is_not_released(project):
    (project / "new.txt").write_text("")
    refused = release(project)
    assert refused.returncode == 65 and "new.txt" in refused.stderr and not (project / ".build").exists()


def test_a_version_that_the_changelog_does_not_describe_is_not_released(project):
    (project / "CHANGELOG.md").write_text(CHANGELOG.replace("[1.2.0]", "[1.2.1]"))
    commit(project)
    refused = release(project)
    assert refused.returncode == 65 and "no section [1.2.0]" in refused.stderr and not (project / ".build").exists()


def opened(tmp_path, answers, address="http://localhost:8080 ready"):
    """Runs what the desktop entry runs, with a data folder that names the console's address. Returns its exit code and what it called.

    `answers` are the exit codes of the health checks, the last for ever.
    """
    log = tmp_path / "calls"
    log.write_text("")
    (tmp_path / "answers").write_text("\n".join(map(str, answers)) + "\n")
    folder = tmp_path / "state/understudy"
    folder.mkdir(parents=True)
    (folder / "address").write_text(f"{address}\n")
    for name in ("systemctl", "xdg-open"):
        (tmp_path / name).write_text(f'#!/bin/sh\necho "{name} $*" >>"{log}"\n')
    (tmp_path / "understudy").write_text(
        f'#!/bin/sh\n[ "$*" = "healthcheck --port {re.sub("[^0-9]", "", address)}" ] || exit 64\n'
        f'cd "{tmp_path}"\nread code <answers\n[ "$(wc -l <answers)" = 1 ] || sed -i 1d answers\nexit "$code"\n')
    (tmp_path / "sleep").write_text("#!/bin/sh\n")
    for name in ("systemctl", "xdg-open", "understudy", "sleep"):
        (tmp_path / name).chmod(0o755)
    done = subprocess.run(
        ["sh", ROOT / "Packaging/debian/open-console"], capture_output=True, text=True, stdin=subprocess.DEVNULL,
        env={"PATH": f"{tmp_path}:/usr/bin:/bin", "XDG_STATE_HOME": str(tmp_path / "state")})
    return done.returncode, log.read_text().splitlines()


@pytest.mark.parametrize("port", [8080, 8083])
def test_the_desktop_entry_opens_a_console_that_runs(tmp_path, port):
    assert opened(tmp_path, [0], f"http://localhost:{port} ready") == (0, [f"xdg-open http://localhost:{port}/"])


def test_the_desktop_entry_starts_the_console_once_if_none_runs(tmp_path):
    assert opened(tmp_path, [69, 69, 0]) == (0, ["systemctl --user start understudy.service", "xdg-open http://localhost:8080/"])


@pytest.mark.parametrize("address", ["http://localhost:8080", "", "something else"])
def test_the_desktop_entry_opens_no_console_that_is_not_ready(tmp_path, address):
    assert opened(tmp_path, [0], address) == (69, ["systemctl --user start understudy.service"])


def test_the_desktop_entry_gives_up(tmp_path):
    assert opened(tmp_path, [69]) == (69, ["systemctl --user start understudy.service"])
