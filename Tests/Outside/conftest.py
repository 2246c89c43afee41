"""Fixtures: one probe, and one console with a foreign backend, for the run."""

import pytest
from foreign_site import ForeignSite
from probe_server import ProbeServer, make_folder


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """What the probe serves."""
    return make_folder(tmp_path_factory.mktemp("outside") / "root")


@pytest.fixture(scope="session")
def probe(folder):
    """A probe with its access log on; it must end with 0."""
    running = ProbeServer(folder, "--access-log")
    yield running
    assert running.stop() == 0, "".join(running.log[-20:])


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """A console and its foreign backend; each test has phones of its own."""
    running = ForeignSite(tmp_path_factory.mktemp("foreign") / "site")
    yield running
    running.stop()


@pytest.fixture
def phone(site):
    """Makes phones; they are deleted at the end of the test."""
    made = []

    def make(*arguments):
        made.append(site.phone(*arguments))
        return made[-1]

    yield make
    for one in made:
        answer = one.call("DELETE", "/api/device")
        one.close()
        assert answer.status == 204, (answer, site.console.errors[-2000:])
