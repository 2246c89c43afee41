"""System calls that fail by a seeded schedule, in a program that preloads Tests/Faults/faults.c."""

import contextlib
import mmap
import os
import shutil
import struct
import subprocess
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "Faults/faults.c"

# In the order of `enum kind` in faults.c.
KINDS = ("interrupted", "again", "short", "no_buffers", "no_memory", "no_accept", "aborted", "no_files", "broken", "bad_disk", "no_watch")
# Temporary failures: clients may notice only a delay.
PASSING = ("interrupted", "again", "short", "no_buffers", "no_memory", "no_accept", "aborted")

HEAD = struct.Struct("=IIQQ")
COUNTS = struct.Struct(f"={len(KINDS)}Q")


def build(folder):
    """Compiles the library and returns its path."""
    compiler = shutil.which("cc") or shutil.which("clang")
    assert compiler, "a C compiler is needed"
    library = folder / "faults.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-Wall", "-o", library, SOURCE, "-ldl"], check=True)
    return library


class Schedule:
    """The schedule of one program; shared with it as a mapped file."""

    def __init__(self, folder, library, seed):
        path = folder / f"control-{seed}"
        path.write_bytes(HEAD.pack(0, 0, seed, 0) + bytes(COUNTS.size))
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 0)
        self.environment = {**os.environ, "LD_PRELOAD": str(library), "FAULTS_CONTROL": str(path)}

    @contextlib.contextmanager
    def failing(self, per_mille, kinds):
        """Makes that many of a thousand calls fail in these ways until the block ends."""
        mask = sum(1 << KINDS.index(kind) for kind in kinds)
        self.memory[4:8] = struct.pack("=I", mask)
        self.memory[0:4] = struct.pack("=I", per_mille)
        try:
            yield
        finally:
            self.memory[0:4] = struct.pack("=I", 0)

    def calls(self):
        """Returns how many calls could have failed so far."""
        return struct.unpack_from("=Q", self.memory, 16)[0]

    def injected(self):
        """Returns how often each kind occurred so far."""
        return dict(zip(KINDS, COUNTS.unpack_from(self.memory, HEAD.size)))
