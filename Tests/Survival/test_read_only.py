"""A disk that turns read-only under the running program."""

import os
import subprocess

import pytest
from console_process import PROJECT
from test_disk import CANARY, nothing_in_the_clear, outlives, signed_in


@pytest.fixture(scope="module")
def read_only(tmp_path_factory):
    """The library that makes a disk read-only under a program which has files of it open: the kernel lets nobody ask for that."""
    path = tmp_path_factory.mktemp("readonly") / "readonly.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", path, PROJECT / "Tests/Faults/readonly.c", "-ldl"], check=True)
    return path


@pytest.mark.long
def test_a_disk_that_turns_read_only_loses_nothing_and_signs_nobody_out(start, read_only, tmp_path):
    switch = tmp_path / "switch"
    switch.write_bytes(b"\0")

    def turn(value):
        descriptor = os.open(switch, os.O_WRONLY)
        os.pwrite(descriptor, value, 0)
        os.close(descriptor)

    names = {"LD_PRELOAD": str(read_only), "READONLY_FOLDER": str(tmp_path / "data"), "READONLY_SWITCH": str(switch)}
    console = start(variables=names)
    browser = signed_in(console)
    outlives(console, browser, lambda: turn(b"\1"), lambda: turn(b"\0"))
    nothing_in_the_clear(tmp_path / "data", CANARY, browser.key)
    assert console.stop() == 0
    browser.close()
    again = start(port=console.port)
    assert browser.call("GET", "/api/account").status == 200
    assert again.stop() == 0
