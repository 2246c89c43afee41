"""`understudy check` of the release program, as often as a build server runs it in a week."""

import concurrent.futures
import os
import subprocess

# A run mostly waits, so several at once save time.
AT_ONCE = 4
RUNS = int(os.environ.get("CHECK_RUNS", "50"))


def test_every_run_passes_while_all_processors_are_busy(program, busy):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("UNDERSTUDY_")}

    def check(_):
        return subprocess.run(
            [program, "check"], env=environment, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, check=False)

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as runs:
        for number, ended in enumerate(runs.map(check, range(RUNS)), 1):
            assert ended.returncode == 0, (
                f"run {number} of {RUNS}: exit {ended.returncode}\n{ended.stdout[-2000:]}\n{ended.stderr[-2000:]}")
