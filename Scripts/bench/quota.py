"""The share of a processor that a process gets at most, by the control groups of Linux."""
import os
import pathlib

ROOT = pathlib.Path("/sys/fs/cgroup")
PERIOD = 100_000


class Quota:
    """A control group of one process; raises OSError if this user may make none."""

    def __init__(self, pid, share):
        is_unified = (ROOT / "cgroup.controllers").exists()
        self.folder = (ROOT if is_unified else ROOT / "cpu") / f"understudy-bench-{os.getpid()}-{pid}"
        self.folder.mkdir()
        try:
            if is_unified:
                (self.folder / "cpu.max").write_text(f"{int(share * PERIOD)} {PERIOD}")
            else:
                (self.folder / "cpu.cfs_period_us").write_text(str(PERIOD))
                (self.folder / "cpu.cfs_quota_us").write_text(str(int(share * PERIOD)))
            (self.folder / "cgroup.procs").write_text(str(pid))
        except OSError:
            self.folder.rmdir()
            raise

    def end(self):
        """Removes the group; its process has ended."""
        self.folder.rmdir()
