"""Fixtures: a console of a test's own, and one whose backend is about to misbehave."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from backend_process import Backend
from console_process import PROJECT, Browser, Console, binary, stop_all
from hostile_backend import HostileBackend
from postgresql_database import Database, Server
from team import Team


def pytest_collection_modifyitems(config, items):
    """Leaves out what takes long, unless SURVIVAL_TESTS is `all`."""
    if os.environ.get("SURVIVAL_TESTS") == "all":
        return
    left_out = [item for item in items if item.get_closest_marker("long")]
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)


@pytest.fixture
def start(tmp_path):
    """Starts consoles; those that still run must end with 0."""
    started = []

    def begin(*arguments, data=None, **options):
        console = Console(data or tmp_path / "data", *arguments, **options)
        started.append(console)
        return console

    yield begin
    codes = stop_all(started)
    assert not any(codes), codes


@pytest.fixture(scope="session")
def installed():
    """The program and its pages in a folder that every user of this machine can read; the project's may be closed to them."""
    folder = Path(tempfile.mkdtemp(prefix="understudy-installed-"))
    folder.chmod(0o755)
    shutil.copy(binary(), folder / "understudy")
    shutil.copytree(PROJECT / "Public", folder / "Public")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def server():
    """The address of a PostgreSQL, which ends with the tests."""
    running = Server()
    yield running.address
    running.stop()


@pytest.fixture
def database(server):
    """An empty database of a test's own."""
    return Database(server)


@pytest.fixture
def team(request, tmp_path, database):
    """Two consoles on a database; those that still run must end with 0. They end without a delay unless the test is marked `drains`."""
    team = Team(tmp_path, database, drains=bool(request.node.get_closest_marker("drains")))
    yield team
    team.stop()


class Staged:
    """A console at a backend behind a front that can turn hostile."""

    def __init__(self, folder):
        self.backend = Backend(binary(), folder / "backend")
        self.front = HostileBackend(
            self.backend.port, folder / "backend/certificate.pem", folder / "backend/private-key.pem")
        self.console = Console(
            folder / "data", "--backend", f"https://127.0.0.1:{self.front.port}", "--ca", folder / "backend/certificate.pem")

    def signed_in(self, identifier="dana@example.com"):
        """A browser whose device somebody is signed in on; `device` is the device's id."""
        browser = Browser(self.console.port)
        browser.device = browser.make_device()
        browser.identifier = identifier
        code = self.backend.code(identifier, lambda: browser.must("POST", "/api/login/code", {"identifier": identifier}, status=202))
        answer = browser.redeem(code)
        assert answer.status == 200, answer
        return browser

    def stop(self):
        """Ends all of it; the console must end with 0."""
        self.front.be(None)
        self.front.stop()
        code = self.console.stop() if self.console.is_alive() else "it had ended already"
        codes = code, self.backend.stop()
        assert codes == (0, 0), (codes, self.console.errors[-2000:])


@pytest.fixture(scope="module")
def staged(tmp_path_factory):
    """One staged console for a module's tests."""
    staged = Staged(tmp_path_factory.mktemp("staged"))
    yield staged
    staged.stop()
