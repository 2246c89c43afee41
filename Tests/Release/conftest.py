"""Fixtures: the release program, and processors that have something else to do."""

import os
import sys

import pytest
from console_process import binary
from processes import start_program


def pytest_collection_modifyitems(config, items):
    """Leaves out what depends on how threads are scheduled, unless RELEASE_TESTS is `all`."""
    if os.environ.get("RELEASE_TESTS") == "all":
        return
    left_out = [item for item in items if item.get_closest_marker("long")]
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)


@pytest.fixture(scope="session")
def program():
    """The path of the release program."""
    return binary()


@pytest.fixture
def busy():
    """Keeps every processor busy beside the test, with loops that leave most of the time to the program."""
    command = ["nice", "-n", "5", sys.executable, "-c", "while 1: pass"]
    loops = [start_program(command) for _ in range(os.cpu_count() or 2)]
    yield
    for loop in loops:
        loop.kill()
        loop.wait()
