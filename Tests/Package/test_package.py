"""The service unit and the bill of materials. Needs UNDERSTUDY_PROGRAM, a release build."""
import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ["UNDERSTUDY_PROGRAM"]
UNIT = ROOT / "Packaging" / "understudy.service"


def run(*command: str) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT)


@pytest.fixture(scope="module")
def bill() -> dict:
    made = run("Scripts/bill-of-materials", PROGRAM)
    assert made.returncode == 0, made.stderr
    JsonStrictValidator(SchemaVersion.V1_5).validate_str(made.stdout, all_errors=False)
    return json.loads(made.stdout)


def test_the_bill_is_valid_cyclonedx(bill):
    text = json.dumps(bill)
    assert JsonStrictValidator(SchemaVersion.V1_5).validate_str(text) is None
    # The validator must be able to fail.
    assert JsonStrictValidator(SchemaVersion.V1_5).validate_str(text.replace('"library"', '"librarian"')) is not None


def test_every_package_that_was_resolved_is_in_the_bill(bill):
    pins = {pin["identity"] for pin in json.loads((ROOT / "Package.resolved").read_text())["pins"]}
    assert pins and pins <= {part["name"] for part in bill["components"]}


def test_every_library_that_is_loaded_is_in_the_bill(bill):
    loaded = set(re.findall(r"^\s*(\S+) => /", run("ldd", PROGRAM).stdout, re.MULTILINE))
    named = {entry["name"].removeprefix("file:") for part in bill["components"] for entry in part["properties"]}
    assert loaded and loaded <= named


def test_the_same_build_has_the_same_bill(bill):
    assert json.loads(run("Scripts/bill-of-materials", PROGRAM).stdout) == bill


def test_nothing_in_the_bill_names_a_path_of_this_machine(bill):
    assert str(Path.home()) not in json.dumps(bill) and str(ROOT) not in json.dumps(bill)


def test_the_unit_is_understood():
    said = run("systemd-analyze", "verify", str(UNIT)).stderr
    # The program is not installed; every other complaint counts.
    complaints = [line for line in said.splitlines() if "understudy" in line and "is not executable" not in line]
    assert complaints == []


def test_the_units_data_folder_is_no_link():
    # systemd.exec(5): with DynamicUser, the name in %S is a link to the folder in %S/private.
    unit = UNIT.read_text()
    assert "DynamicUser=yes" in unit and "StateDirectory=understudy" in unit and "StateDirectoryMode=0700" in unit
    assert "UNDERSTUDY_DATA=%S/private/understudy" in unit


def test_the_unit_is_shut_in():
    said = run("systemd-analyze", "security", "--offline=true", str(UNIT)).stdout
    level = re.search(r"Overall exposure level for understudy.service: ([0-9.]+)", said)
    assert level and float(level[1]) <= 1.5, said


def test_the_image_has_what_the_program_loads():
    stage = (ROOT / "Dockerfile").read_text().split("FROM debian:")[1]
    wanted = set(re.search(r"--no-install-recommends (.*) \\", stage)[1].split())
    needed = set()
    for line in run("ldd", PROGRAM).stdout.splitlines():
        match = re.match(r"\s*(libssl|libcrypto|libz|libcurl|libsqlite3|libpcre2-8|libstdc\+\+)\.so", line)
        if match:
            needed.add({"libssl": "libssl3", "libcrypto": "libssl3", "libz": "zlib1g", "libcurl": "libcurl4",
                        "libsqlite3": "libsqlite3-0", "libpcre2-8": "libpcre2-8-0", "libstdc++": "libstdc++6"}[match[1]])
    assert needed and needed <= wanted
