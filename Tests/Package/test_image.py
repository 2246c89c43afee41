"""The image, which podman builds from the package's files and runs. Needs root and UNDERSTUDY_PACKAGES, the folder of the packages."""
import json
import os
import subprocess
import tempfile
import urllib.parse
from pathlib import Path

import pytest
from console_process import Browser
from ports import next_port

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = next(Path(os.environ["UNDERSTUDY_PACKAGES"]).glob("understudy_*_amd64.deb"))
# Within another container no limit can be raised, no network made and no timer set.
HERE = ["--network=host", "--no-healthcheck", "--ulimit=nofile=1024:1024", "--ulimit=nproc=1000:1000"]
# What compose.yaml asks for.
LOCKED = ["--read-only", "--cap-drop=all", "--security-opt=no-new-privileges", "--volume=data:/var/lib/understudy"]


class Engine:
    """Podman with images and containers of its own."""

    def __init__(self, folder: Path):
        self.folder = folder
        # Podman takes no longer path than 50 characters.
        self.running = tempfile.mkdtemp()
        self.options = ["--root", folder / "root", "--runroot", self.running, "--storage-driver", "overlay", "--cgroup-manager", "cgroupfs", "--runtime", "runc"]

    def command(self, *arguments: object) -> list[str]:
        return [str(part) for part in ("podman", *self.options, *arguments)]

    def must(self, *arguments: object, stdin=subprocess.DEVNULL) -> str:
        done = subprocess.run(self.command(*arguments), stdin=stdin, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def build(self) -> None:
        """Builds the last stage of the Dockerfile. The package's files take the place of the stage that makes them, which needs Swift."""
        debian, packaged = self.folder / "debian", self.folder / "packaged"
        subprocess.run([ROOT / "Scripts/lib/debian-tree", "bookworm", debian], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with subprocess.Popen(["tar", "-C", debian, "-c", "."], stdout=subprocess.PIPE) as files:
            self.must("import", "-", "docker.io/library/debian:bookworm-slim", stdin=files.stdout)
        packaged.mkdir()
        (packaged / "out").mkdir()
        subprocess.run(["dpkg-deb", "--extract", PACKAGE, packaged / "out/root"], check=True)
        context = self.folder / "context"
        context.mkdir()
        (context / "Dockerfile").write_text("FROM debian:" + (ROOT / "Dockerfile").read_text().split("\nFROM debian:")[1])
        self.must("build", "--isolation=chroot", "--format=docker", "--pull=never", f"--build-context=package={packaged}", "--tag=understudy", context)


class Container:
    """A container of the image, until it is stopped."""

    def __init__(self, engine: Engine, port: int):
        self.engine = engine
        settings = [f"--env=UNDERSTUDY_PORT={port}", f"--env=UNDERSTUDY_PUBLIC_ORIGIN=http://localhost:{port}"]
        command = engine.command("run", "--rm", "--pull=never", "--name=understudy", *HERE, *LOCKED, *settings, "localhost/understudy")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.ready = self.process.stdout.readline()
        assert self.ready.startswith("understudy ready "), self.ready + self.process.stderr.read()

    def run(self, *command: str, user: str = "") -> subprocess.CompletedProcess:
        """Runs a command in it."""
        options = ["--user", user] if user else []
        return subprocess.run(self.engine.command("exec", *options, "understudy", *command), capture_output=True, text=True, timeout=60)

    def let_in(self, browser: Browser) -> None:
        """Enters the access token of the line that it printed, which is another one after each start."""
        token = urllib.parse.urlparse(self.ready.split()[2]).fragment.removeprefix("access=")
        browser.must("POST", "/api/access", {"token": token}, status=(200, 204))

    def facts(self) -> dict[str, str]:
        """What the kernel says of its process."""
        pid = self.engine.must("inspect", "--format={{.State.Pid}}", "understudy").strip()
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
        return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}

    def stop(self) -> int:
        """Stops it as a user does; the program's exit code."""
        self.engine.must("stop", "understudy")
        return self.process.wait(20)


@pytest.fixture
def engine(tmp_path):
    podman = Engine(tmp_path)
    yield podman
    subprocess.run(podman.command("rm", "--force", "--all"), capture_output=True)
    subprocess.run(["umount", "--recursive", tmp_path / "root/overlay"], capture_output=True)
    subprocess.run(["rm", "-rf", "--one-file-system", tmp_path / "root", tmp_path / "debian", podman.running], check=True)


def test_the_image_is_built_and_keeps_a_device_signed_in(engine):
    engine.build()
    port = next_port()
    container = Container(engine, port)
    facts = container.facts()
    assert facts["Uid"].split() == ["10001"] * 4
    assert int(facts["CapBnd"], 16) == int(facts["CapEff"], 16) == 0 and facts["NoNewPrivs"] == "1"
    health = json.loads(engine.must("image", "inspect", "understudy"))[0]["Healthcheck"]["Test"]
    assert health[0] == "CMD" and container.run(*health[1:]).returncode == 0
    assert container.run("touch", "/etc/written", user="0").returncode != 0, "its root can be written to"

    browser = Browser(port)
    assert browser.must("POST", "/api/devices", {}, status=401).code == "access_required"
    container.let_in(browser)
    browser.sign_in("image@example.com")
    assert container.stop() == 0

    container = Container(engine, port)
    container.let_in(browser)
    browser.must("GET", "/api/account")
    assert container.stop() == 0
