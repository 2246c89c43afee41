"""The packages in an empty Debian 12 and 13: installed, used, upgraded and removed. Needs root and UNDERSTUDY_PACKAGES, their folder."""
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from console_process import Browser
from ports import next_port

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = Path(os.environ["UNDERSTUDY_PACKAGES"])
PACKAGE = next(PACKAGES.glob("understudy_*_amd64.deb"))
TARBALL = next(PACKAGES.glob("understudy-*-linux-x86_64.tar.xz"))
# The dates of a mirror that is a snapshot do not matter here.
APT = ("apt-get", "-q", "-y", "-o", "Acquire::Check-Valid-Until=false", "-o", "Acquire::Check-Date=false", "--no-install-recommends")
USER, HOME = 1000, "/srv/tester"


class Debian:
    """A folder with an empty Debian, in which commands run with process tables of their own."""

    def __init__(self, root: Path):
        self.root = root
        assert self.run("useradd", "--create-home", "--home-dir", HOME, "--uid", str(USER), "tester").returncode == 0

    def command(self, *command: str, user: bool = False) -> list[str]:
        inside = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive"]
        if user:
            inside = ["setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups", *inside, f"HOME={HOME}"]
        return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--root", str(self.root), "--mount-proc", *inside, *command]

    def run(self, *command: str, user: bool = False) -> subprocess.CompletedProcess:
        return subprocess.run(
            self.command(*command, user=user), capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)

    def must(self, *command: str, user: bool = False) -> str:
        done = self.run(*command, user=user)
        assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def install(self, package: Path) -> str:
        (self.root / "tmp" / package.name).write_bytes(package.read_bytes())
        return self.must(*APT, "install", f"/tmp/{package.name}")

    def paths(self) -> set[str]:
        found = subprocess.run(["find", str(self.root), "-xdev", "-printf", "/%P\n"], capture_output=True, text=True, check=True)
        return set(found.stdout.splitlines())


def console_pid(parent: int) -> int:
    """The console's process below `unshare`."""
    pid = parent
    while Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip() != "understudy":
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
        assert children, "there is no console process"
        pid = int(children[0])
    return pid


class Console:
    """A console that the user of a Debian runs."""

    def __init__(self, debian: Debian, program: str, port: int):
        started = time.monotonic()
        self.process = subprocess.Popen(
            debian.command(program, "serve", "--port", str(port), user=True), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.ready = self.process.stdout.readline()
        self.seconds = time.monotonic() - started
        assert self.ready == f"understudy ready http://localhost:{port} backend=embedded\n", self.ready + self.process.stderr.read()
        self.pid = console_pid(self.process.pid)

    def memory(self) -> tuple[float, float]:
        """In MB: what the process holds itself, and what is resident with the pages of files that the kernel can drop."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        held, resident = (re.search(rf"^{name}:\s+(\d+) kB", status, re.MULTILINE) for name in ("RssAnon", "VmRSS"))
        return int(held[1]) / 1024, int(resident[1]) / 1024

    def stop(self) -> None:
        os.kill(self.pid, signal.SIGTERM)
        assert self.process.wait(20) == 0


@pytest.fixture(params=["bookworm", "trixie"])
def debian(request, tmp_path):
    root = tmp_path / request.param
    subprocess.run([ROOT / "Scripts/lib/debian-tree", request.param, root], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    debian = Debian(root)
    debian.must(*APT, "update")
    yield debian
    subprocess.run(["rm", "-rf", "--one-file-system", root], check=True)


def older(package: Path, folder: Path) -> Path:
    """The package with a version that sorts before its own."""
    subprocess.run(["dpkg-deb", "--raw-extract", package, folder / "older"], check=True)
    control = folder / "older" / "DEBIAN" / "control"
    control.write_text(re.sub(r"^Version: ", "Version: 0.0.0~", control.read_text(), flags=re.MULTILINE))
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", folder / "older", folder / "older.deb"], check=True, stdout=subprocess.DEVNULL)
    return folder / "older.deb"


def test_the_package_is_installed_used_upgraded_and_purged(debian, tmp_path):
    before = debian.paths()
    debian.install(older(PACKAGE, tmp_path))
    port = next_port()
    console = Console(debian, "understudy", port)
    browser = Browser(port)
    browser.sign_in("package@example.com")
    console.stop()
    assert "0 failed" in debian.must("understudy", "check", user=True)

    debian.install(PACKAGE)
    version = debian.must("dpkg-query", "-W", "-f", "${Version}", "understudy")
    assert version == debian.must("understudy", "version", user=True).strip()
    console = Console(debian, "understudy", port)
    browser.must("GET", "/api/account")
    console.stop()
    assert debian.must("sh", "-c", "! ldd /usr/bin/understudy | grep 'not found'") == ""

    # As the service leaves it behind.
    (debian.root / "var/lib/private/understudy").mkdir(parents=True)
    debian.must(*APT, "remove", "understudy")
    assert not (debian.root / "usr/bin/understudy").exists() and (debian.root / "var/lib/private/understudy").exists()
    debian.must(*APT, "purge", "understudy")
    assert not (debian.root / "var/lib/private/understudy").exists()
    assert (debian.root / f"{HOME[1:]}/.local/state/understudy").exists(), "people's own data was deleted"

    owned = set(debian.must("sh", "-c", "cat /var/lib/dpkg/info/*.list").splitlines())
    owned |= {f"/usr{path}" for path in owned}
    # What apt, dpkg and the packages that understudy needs keep.
    others = re.compile(r"/(srv/tester|tmp|var/(lib/(dpkg|apt)|cache|log)|etc/ssl/certs|var/lib/private$|usr/local/share/ca-certificates)(/|$)|/etc/ca-certificates.conf|/etc/ld.so.cache")
    left = {path for path in debian.paths() - before - owned if not others.match(path)}
    assert not {path for path in left if "understudy" in path}, left
    assert not left


def test_the_tarball_runs_without_root(debian, tmp_path):
    # The libraries of the package, but not the package.
    needed = subprocess.run(["dpkg-deb", "-f", PACKAGE, "Depends"], capture_output=True, text=True, check=True).stdout
    debian.must(*APT, "install", *re.findall(r"(?:^|, )([a-z0-9.+-]+)", needed.strip()))
    home = debian.root / HOME[1:]
    subprocess.run(["tar", "--no-same-owner", "-xJf", TARBALL, "-C", home], check=True)
    folder = TARBALL.name.removesuffix(".tar.xz")
    program = f"{HOME}/{folder}/understudy"
    port = next_port()
    console = Console(debian, program, port)
    browser = Browser(port)
    assert console.seconds < 2, f"ready after {console.seconds:.2f} s"
    held, resident = console.memory()
    print(f"ready after {console.seconds:.2f} s, {held:.1f} MB held at rest, {resident:.1f} MB resident")
    assert held < 40
    browser.sign_in("package@example.com")
    console.stop()
    assert "0 failed" in debian.must(program, "check", user=True)
