"""The compiler's fault that `Locked` stands against: still there, and without effect on `Locked`."""

import os
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
SOURCE = Path(__file__).with_name("stale-thread") / "main.swift"


def compiled(folder, *arguments):
    """The program, compiled with optimization."""
    program = folder / "stale-thread"
    subprocess.run(["swiftc", "-O", "-swift-version", "6", *map(str, arguments), str(SOURCE), "-o", str(program)], check=True)
    return program


def run(program):
    """Runs the program to its end."""
    return subprocess.run(
        [program], env=os.environ | {"SWIFT_BACKTRACE": "enable=no"}, capture_output=True, text=True, timeout=60, check=False)


# test_disassembly.py finds the fault in the machine code of the same program, whatever the scheduler does.
@pytest.mark.long
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="with one processor the pool has one thread, so no task changes its thread")
def test_a_mutex_locks_in_the_name_of_another_thread(tmp_path):
    program = compiled(tmp_path)
    # Only a task that changes its thread meets the fault; beside other work, none may.
    ended = next((one for one in (run(program) for _ in range(100)) if one.returncode), None)
    assert ended, "the compiler has mended Mutex: measure again whether withLock of Locked may be inlined"
    assert "Mutex on a thread which hasn't acquired the lock" in ended.stderr


def test_locked_does_not(tmp_path):
    options = ["-D", "LOCKED", "-package-name", "understudy", "-enable-upcoming-feature", "InternalImportsByDefault"]
    ended = run(compiled(tmp_path, *options, PROJECT / "Sources/Locking/Locked.swift"))
    assert (ended.returncode, ended.stdout) == (0, "sound\n"), ended.stderr
