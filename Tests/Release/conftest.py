"""Fixtures: the release program, and processors that have something else to do."""

import os
import subprocess
import sys

import pytest
from console_process import binary


@pytest.fixture(scope="session")
def program():
    """The path of the release program."""
    return binary()


@pytest.fixture
def busy():
    """Keeps every processor busy beside the test, with loops that leave most of the time to the program."""
    command = ["nice", "-n", "5", sys.executable, "-c", "while True: pass"]
    loops = [subprocess.Popen(command) for _ in range(os.cpu_count() or 2)]
    yield
    for loop in loops:
        loop.kill()
        loop.wait()
