"""The packages, their service units and the bill of materials. Needs UNDERSTUDY_PROGRAM, the program that is packaged, UNDERSTUDY_PACKAGES,
their folder, and UNDERSTUDY_PACKAGES_AGAIN, that of a second build."""
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
USER_UNIT = ROOT / "Packaging" / "understudy-user.service"
PACKAGES = Path(os.environ["UNDERSTUDY_PACKAGES"])
AGAIN = Path(os.environ["UNDERSTUDY_PACKAGES_AGAIN"])
PACKAGE = next(PACKAGES.glob("understudy_*_amd64.deb"))
TARBALL = next(PACKAGES.glob("understudy-*-linux-x86_64.tar.xz"))


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


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory) -> Path:
    """The content of the Debian package."""
    folder = tmp_path_factory.mktemp("package")
    assert run("dpkg-deb", "--extract", str(PACKAGE), str(folder)).returncode == 0
    return folder


def test_both_packages_have_at_most_25_mb():
    assert PACKAGE.stat().st_size <= 25e6 and TARBALL.stat().st_size <= 25e6


def test_the_sums_are_those_of_the_files():
    checked = subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=PACKAGES, capture_output=True, text=True)
    assert checked.returncode == 0 and checked.stdout.count(": OK") == 3, checked.stdout + checked.stderr


def test_the_same_sources_make_the_same_files():
    names = sorted(path.name for path in PACKAGES.iterdir())
    assert names and names == sorted(path.name for path in AGAIN.iterdir())
    assert [name for name in names if (PACKAGES / name).read_bytes() != (AGAIN / name).read_bytes()] == []


def test_lintian_finds_no_error():
    said = run("lintian", "--allow-root", "--fail-on", "error", str(PACKAGE))
    assert said.returncode == 0, said.stdout + said.stderr


def test_the_manual_page_and_the_desktop_entry_are_understood(unpacked):
    page = run("man", "--local-file", "--warnings", "-Tutf8", str(unpacked / "usr/share/man/man1/understudy.1.gz"))
    assert page.returncode == 0 and page.stderr == ""
    assert "understudy backend-file check" in re.sub(r".\x08", "", page.stdout)
    entry = run("desktop-file-validate", str(unpacked / "usr/share/applications/understudy.desktop"))
    assert entry.returncode == 0 and entry.stdout == ""


@pytest.mark.parametrize(("shell", "path"), [
    ("bash", "bash-completion/completions/understudy"), ("zsh", "zsh/vendor-completions/_understudy"),
    ("fish", "fish/vendor_completions.d/understudy.fish")])
def test_the_completions_are_understood(unpacked, shell, path):
    parsed = run(shell, "-n", str(unpacked / "usr/share" / path))
    assert parsed.returncode == 0 and parsed.stderr == ""


def test_the_package_needs_what_the_program_loads():
    fields = run("dpkg-deb", "--field", str(PACKAGE), "Depends").stdout
    missing = loaded_packages() - set(re.findall(r"(?:^|, )([a-z0-9.+-]+)", fields.strip()))
    assert missing == set()


def test_the_tarball_has_the_files_of_the_package(unpacked, tmp_path):
    assert run("tar", "-xJf", str(TARBALL), "-C", str(tmp_path)).returncode == 0
    folder = tmp_path / TARBALL.name.removesuffix(".tar.xz")
    same = {
        "understudy": "usr/bin/understudy", "Public": "usr/share/understudy/Public",
        "bill-of-materials.json": "usr/share/doc/understudy/bill-of-materials.json",
    }
    for ours, theirs in same.items():
        assert run("diff", "-r", str(folder / ours), str(unpacked / theirs)).returncode == 0, ours
    assert run("diff", "-r", "Public", str(folder / "Public")).returncode == 0
    licenses = (folder / "LICENSES.txt").read_text()
    for name in ("Swift", "ICU", "LibYAML", *(pin["identity"] for pin in json.loads((ROOT / "Package.resolved").read_text())["pins"])):
        assert re.search(rf"^=+\n.*\b{re.escape(name)}\b", licenses, re.MULTILINE), name


def loaded_packages() -> set[str]:
    """The Debian packages of the libraries that the program itself names."""
    names = {"libssl": "libssl3", "libcrypto": "libssl3", "libz": "zlib1g", "libcurl": "libcurl4", "libsqlite3": "libsqlite3-0",
             "libpcre2-8": "libpcre2-8-0", "libstdc++": "libstdc++6", "libgcc_s": "libgcc-s1", "libc": "libc6", "libm": "libc6",
             "ld-linux-x86-64": "libc6"}
    needed = re.findall(r"\(NEEDED\).*\[(\S+)\.so", run("readelf", "-d", PROGRAM).stdout)
    assert needed
    return {names[name] for name in needed}


@pytest.mark.parametrize("unit", [UNIT, USER_UNIT], ids=["system", "user"])
def test_the_unit_is_understood(unit):
    said = run("systemd-analyze", "verify", "--man=no", str(unit)).stderr
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
    # The image of Debian has these.
    assert loaded_packages() - {"libc6", "libgcc-s1"} <= wanted


def test_the_image_is_made_without_tests():
    assert "Tests" in (ROOT / ".dockerignore").read_text().splitlines()
    assert not re.search(r"^COPY\b.*\bTests\b", (ROOT / "Dockerfile").read_text(), re.MULTILINE)


def test_the_balancer_of_the_team_has_the_rules_of_the_configuration(tmp_path):
    compose = (ROOT / "Packaging/compose-team.yaml").read_text()
    edit = re.search(r"(sed .*)\n\s+/haproxy.cfg >", compose)[1]
    made = subprocess.run(["sh", "-c", f"{edit} Packaging/haproxy.cfg"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "    bind :8080\n" in made and "EXAMPLE" not in re.sub(r"(?m)^#.*$", "", made)
    for service in re.findall(r"server console\d (\S+):8080", made):
        assert re.search(rf"(?m)^  {service}: ", compose), service
        made = made.replace(f"{service}:8080", "127.0.0.1:8080")
    (tmp_path / "haproxy.cfg").write_text(made)
    checked = run("/usr/sbin/haproxy", "-c", "-f", str(tmp_path / "haproxy.cfg"))
    assert checked.returncode == 0, checked.stderr
