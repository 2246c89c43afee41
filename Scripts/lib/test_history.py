"""Keeps the results of earlier test runs in $XDG_STATE_HOME/understudy-tests, so that a summary can say how often a test failed."""

import json
import os
import time
from pathlib import Path

# The number of runs that are kept.
LIMIT = 50


def folder():
    """Returns the folder of the runs, which may not exist yet."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state"
    return Path(state) / "understudy-tests"


def record(commit, stages):
    """Stores a run and deletes the oldest ones; `stages` maps a name to (load average, results). A folder that cannot be written is
    no failure of the tests."""
    run = {
        "commit": commit, "stages": {
            name: {"load": round(load, 2), "tests": {one.name: [one.outcome, round(one.seconds, 3)] for one in results}}
            for name, (load, results) in stages.items()}}
    try:
        folder().mkdir(parents=True, exist_ok=True)
        (folder() / f"{time.time_ns()}.json").write_text(json.dumps(run, separators=(",", ":")))
        for old in sorted(folder().glob("*.json"))[:-LIMIT]:
            old.unlink(missing_ok=True)
    except OSError:
        return


def failures(stage, test):
    """Returns in how many of the kept runs a test failed, and how many runs had it."""
    outcomes = []
    for file in folder().glob("*.json"):
        try:
            found = json.loads(file.read_text())["stages"].get(stage, {}).get("tests", {}).get(test)
        except (OSError, ValueError, KeyError):
            continue
        if found:
            outcomes.append(found[0])
    return outcomes.count("failed") + outcomes.count("flaky"), len(outcomes)
