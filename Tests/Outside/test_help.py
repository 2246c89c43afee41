"""The commands that the help shows are commands of the program, and do what the help says."""

import html
import json
import os
import re
import secrets
import shlex
import shutil
import subprocess
from pathlib import Path
from urllib.request import urlopen

import pytest
from console_process import binary
from processes import start_program

PROJECT = Path(__file__).resolve().parents[2]
HELP = (PROJECT / "Public/help.html").read_text()
SHOWN = [html.unescape(re.sub(r"<[^>]*>", "", found)) for found in re.findall(r"<pre><code>(.*?)</code></pre>", HELP, re.DOTALL)]
SESSIONS = PROJECT / "Tests/Fixtures/sessions"
# The files that the commands read.
FILES = {
    "session.har": SESSIONS / "01-harborline.har", "before.har": SESSIONS / "kept-rotation.har", "after.har": SESSIONS / "03-kettle.har",
    "sign-in.har": SESSIONS / "10-tidewatch.har", "api.json": PROJECT / "Tests/Fixtures/console-openapi.json",
}
# What a command exits with: the session of the file ended, the files differ, no backend answers.
CODES = {"explain": 1, "compare": 1, "drift": 1, "import": 0, "backend-file": 0, "doctor": 1, "check": 69}


def words_of(command):
    """The words of a shown command, and the file to which its output goes, if any."""
    words = shlex.split(command.replace("\\\n", " "))
    assert words[0] == "understudy", command
    return (words[1:-2], words[-1]) if ">" in words else (words[1:], None)


@pytest.fixture(scope="module")
def described():
    """What the program says of its commands and flags."""
    dump = subprocess.run([binary(), "--experimental-dump-help"], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    return json.loads(dump.stdout)["command"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder in which the commands run one after the other, as on the page."""
    made = tmp_path_factory.mktemp("help")
    for name, file in FILES.items():
        shutil.copy(file, made / name)
    (made / "secret").write_text(secrets.token_urlsafe(32))
    (made / "secret").chmod(0o600)
    return made


def environment(folder):
    """Variables instead of what a test needs besides the command; the proxy answers nobody, so that no request leaves the machine."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("UNDERSTUDY_")}
    proxy = {name: "http://127.0.0.1:1" for name in ("HTTPS_PROXY", "https_proxy")}
    return own | proxy | {"UNDERSTUDY_PORT": "0", "UNDERSTUDY_DATA": str(folder / "data"), "UNDERSTUDY_PUBLIC": str(PROJECT / "Public")}


@pytest.mark.parametrize("command", SHOWN)
def test_a_shown_command_has_only_flags_that_the_program_has(described, command):
    words, _ = words_of(command)
    one = described
    while words and (found := next((sub for sub in one.get("subcommands", []) if sub["commandName"] == words[0]), None)):
        one = found
        words.pop(0)
    assert one is not described and not one.get("subcommands"), command
    kinds = {name["name"]: argument["kind"] for argument in one["arguments"] for name in argument.get("names", [])}
    files = [argument for argument in one["arguments"] if argument["kind"] == "positional"]
    given = 0
    while words:
        word = words.pop(0)
        if word.startswith("--"):
            kind = kinds[word[2:]]
            assert kind == "flag" or (words and not words[0].startswith("--")), f"{word} has no value"
            words = words if kind == "flag" else words[1:]
        else:
            given += 1
    assert given == len(files), command


@pytest.mark.parametrize("command", [one for one in SHOWN if one.split()[1] in CODES])
def test_a_shown_command_does_what_the_help_says(folder, command):
    words, output = words_of(command)
    done = subprocess.run(
        [binary(), *words], capture_output=True, text=True, timeout=60, cwd=folder, env=environment(folder), stdin=subprocess.DEVNULL)
    assert done.returncode == CODES[words[0]], (command, done.stdout, done.stderr)
    if output:
        (folder / output).write_text(done.stdout)


@pytest.mark.parametrize("command", [one for one in SHOWN if one.split()[1] == "serve"])
def test_a_console_starts_with_the_flags_of_the_help(folder, command):
    words, _ = words_of(command)
    with start_program(
            [binary(), *words], text=True, cwd=folder, env=environment(folder), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE) as console:
        ready = console.stdout.readline()
        # Behind a proxy, only the proxy gets an answer.
        if ready and "--public-origin" not in words:
            with urlopen(f"{ready.split()[2]}/help", timeout=30) as page:
                assert b'id="first-steps"' in page.read()
        console.terminate()
        _, errors = console.communicate(timeout=30)
    assert ready.startswith("understudy ready ") and console.returncode == 0, errors


def test_the_help_shows_every_command_for_people():
    named = {command.split()[1] for command in SHOWN}
    assert {"serve", "doctor", "check", "backend-file", "explain", "compare", "drift", "import", "database"} <= named
    assert f"exits with 0 if the session was kept, {CODES['explain']} if it ended, and 3 if the file does not show it" in HELP
