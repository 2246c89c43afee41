"""Fixtures: one probe for the run."""

import pytest
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
