"""`understudy check` of the release program, as often as a build server runs it in a week."""

import os
import subprocess

RUNS = int(os.environ.get("CHECK_RUNS", "50"))


def test_every_run_passes_while_all_processors_are_busy(program, busy):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("UNDERSTUDY_")}
    for run in range(RUNS):
        ended = subprocess.run(
            [program, "check"], env=environment, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, check=False)
        assert ended.returncode == 0, f"run {run + 1} of {RUNS}: exit {ended.returncode}\n{ended.stdout[-2000:]}\n{ended.stderr[-2000:]}"
