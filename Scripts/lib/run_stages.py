"""Runs the test stages in lanes, then once more, alone, what failed only because it was late, and prints a summary.

usage: run_stages.py [STAGE …]: named stages run one after another; all stages run as LANES says.
A stage is Scripts/test/STAGE [TEST …], which writes .build/test/STAGE*.xml and prints `N passed, N failed` as its last line.
"""

import os
import re
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

import test_history
import test_results

PROJECT = Path(__file__).resolve().parents[2]
LOGS = PROJECT / ".build/test"
# A build counts as a stage of one test.
BUILDS = {"build": ["Scripts/lib/build", "tests"]}
# Lanes run side by side, the stages of a lane one after another. What fails soonest comes first. Browsers take as long as all of the
# other lane; beside the compiler both take twice as long, so nothing is won by starting them before the build has ended.
LANES = (("rules", "scripts", "javascript", "browser"), ("build", "binary", "swift", "outside", "survival"))
# What a stage waits for. Without it, the stage is not run.
NEEDS = {name: "build" for name in ("browser", "binary", "swift", "outside", "survival")}
# A run with more flaky tests than this fails.
FLAKY_LIMIT = 3
TALLY = re.compile(r"^(\d+) passed, (\d+) failed$")


@dataclass
class Stage:
    """What a stage has reported."""

    name: str
    code: int = 1
    seconds: float = 0
    # Processor seconds of the stage and of what it started and waited for.
    busy: float = 0
    load: float = 0
    passed: int = 0
    failed: int = 0
    results: list = field(default_factory=list)
    flaky: list = field(default_factory=list)
    note: str = ""

    @property
    def late(self):
        """The failed tests that were only late; none if the stage failed in another way as well."""
        failed = [result for result in self.results if result.outcome == "failed"]
        return failed if failed and len(failed) == self.failed and all(result.is_late for result in failed) else []

    def settle(self, passed_again):
        """Counts late tests that passed when they ran alone as flaky."""
        self.flaky = [result for result in self.late if result.name in passed_again]
        names = {result.name for result in self.flaky}
        self.results = [replace(one, outcome="flaky") if one.name in names else one for one in self.results]
        self.failed -= len(self.flaky)
        self.passed += len(self.flaky)
        if not self.failed:
            self.code = 0

    @property
    def is_green(self):
        """Whether tests ran and none failed."""
        return self.code == 0 and self.failed == 0 and self.passed > 0


def run(name, arguments=(), report=None):
    """Runs a stage, prints its output when it ends, and returns what it reported."""
    stage, started = Stage(name), time.monotonic()
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{report or name}.log"
    for old in LOGS.glob(f"{report or name}*.xml"):
        old.unlink()
    print(f"== {name}: started ==", flush=True)
    command = BUILDS.get(name) or [f"Scripts/test/{name}", *arguments]
    environment = os.environ | ({"TEST_REPORT": report} if report else {})
    with open(log, "wb") as output:
        process = subprocess.Popen(
            command, cwd=PROJECT, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        stage.code = process.returncode = os.waitstatus_to_exitcode(status)
    stage.seconds, stage.busy, stage.load = time.monotonic() - started, usage.ru_utime + usage.ru_stime, os.getloadavg()[0]
    text = log.read_text(errors="replace")
    judge(stage, text, LOGS.glob(f"{report or name}*.xml"))
    print(f"\n== {name}: {stage.seconds:.0f} s ==\n{text.rstrip()}", flush=True)
    return stage


def judge(stage, text, reports):
    """Takes the counts from a stage's last line, and the results from its reports."""
    tally = TALLY.match(text.rstrip().rsplit("\n", 1)[-1])
    if stage.name in BUILDS:
        stage.passed, stage.failed = (1, 0) if stage.code == 0 else (0, 1)
        if stage.code == 0:
            os.environ["TEST_PROGRAMS"] = text.rstrip().rsplit("\n", 1)[-1]
    elif tally:
        stage.passed, stage.failed = int(tally[1]), int(tally[2])
    stage.results = test_results.read_all(sorted(reports))
    if not stage.passed and not stage.failed:
        stage.failed, stage.note = 1, "ran no test"
    elif stage.code and not stage.failed:
        stage.failed, stage.note = 1, f"exit code {stage.code}"


def run_lanes(lanes):
    """Runs the lanes, each stage once what it needs has ended. Returns the stages in the order of the lanes."""
    names = [name for lane in lanes for name in lane]
    ended, events = {}, {name: threading.Event() for name in names}

    def run_lane(lane):
        for name in lane:
            needed = NEEDS.get(name)
            if needed in events:
                events[needed].wait()
            ended[name] = Stage(name, failed=1, note="was interrupted")
            try:
                if needed in ended and not ended[needed].is_green:
                    ended[name].note = f"not run, because {needed} failed"
                else:
                    ended[name] = run(name)
            finally:
                events[name].set()

    threads = [threading.Thread(target=run_lane, args=(lane,)) for lane in lanes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [ended[name] for name in names]


def run_late_again(stages):
    """Runs late tests once more, alone. With more of them than FLAKY_LIMIT the run fails anyway, so none runs again."""
    if sum(len(stage.late) for stage in stages) > FLAKY_LIMIT:
        return
    for stage in stages:
        passed = set()
        for result in stage.late:
            again = run(stage.name, [argument_of(stage, result)], report=f"{stage.name}-again")
            passed |= {one.name for one in again.results if one.outcome == "passed"}
        stage.settle(passed)


def argument_of(stage, result):
    """Returns how the stage's script names a test; pytest names it within the stage's folder of Tests."""
    return f"Tests/{stage.name.capitalize()}/{result.argument}" if ".py::" in result.argument else result.argument


def touched_files():
    """Returns the files that the change touches: since the merge base with origin/main, or in HEAD's own commit."""

    def git(*arguments):
        done = subprocess.run(["git", *arguments], cwd=PROJECT, capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else ""

    base, head = git("merge-base", "HEAD", "origin/main"), git("rev-parse", "HEAD")
    if not base or base == head:
        base = git("rev-parse", "HEAD^")
    return set(git("diff", "--name-only", base).splitlines()) if base else set()


def is_touched(result, files):
    """Whether a test's file is among the files. A Swift suite stands in the file of its name."""
    name = result.argument.split("::")[0]
    if name.endswith(".py"):
        return any(Path(file).name == Path(name).name for file in files)
    suite = result.name.split(".")[1] if "." in result.name else ""
    return any(Path(file).stem.split("+")[0] == suite for file in files)


def verdict(stages, files):
    """Returns why the run fails, a line each; nothing for a green run."""
    reasons = [f"{stage.name} failed" for stage in stages if not stage.is_green]
    flaky = [result for stage in stages for result in stage.flaky]
    if len(flaky) > FLAKY_LIMIT:
        reasons.append(f"{len(flaky)} tests are flaky; {FLAKY_LIMIT} are allowed")
    reasons += [f"{result.name} is flaky, and this change touches its file" for result in flaky if is_touched(result, files)]
    return reasons


def known(stage, result):
    """Returns what the history knows of a test, in words; empty if there is none."""
    failed, runs = test_history.failures(stage.name, result.name)
    return f" (failed {failed} of the last {runs} times)" if runs else ""


def summarize(stages, started):
    """Prints a line for each stage, what failed and what was flaky, and the totals as the last line."""
    print("\n== summary ==")
    for stage in stages:
        print(f"{stage.name:12} {stage.passed:6} passed {stage.failed:4} failed {stage.seconds:5.0f} s, {stage.busy:5.0f} s of processor time  {stage.note}")
    for stage in stages:
        for result in stage.flaky:
            print(f"flaky: {stage.name}: {result.name}{known(stage, result)}")
    for stage in (stage for stage in stages if not stage.is_green):
        print(f"\n-- {stage.name} failed --")
        for result in stage.results:
            if result.outcome == "failed":
                print(f"{result.name}{known(stage, result)}")
        # Why stands at the end too, because a long log may be cut at its beginning.
        lines = (LOGS / f"{stage.name}.log").read_text(errors="replace").splitlines() if (LOGS / f"{stage.name}.log").exists() else []
        why = [line for line in lines if re.search(r"^(FAIL|E  |ERROR|FAILED|✘|not ok)|error: |panicked|Fatal", line)]
        print("\n".join(line[:300] for line in (why[:30] or lines[-12:])))
    minutes, seconds = divmod(int(time.monotonic() - started), 60)
    print(f"\nafter {minutes} min {seconds} s, {sum(stage.busy for stage in stages):.0f} s of processor time")


def main(names):
    """Runs the named stages, or all; returns the exit code."""
    started = time.monotonic()
    stages = run_lanes((tuple(names),) if names else LANES)
    run_late_again(stages)
    summarize(stages, started)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=PROJECT, capture_output=True, text=True).stdout.strip()
    test_history.record(commit, {stage.name: (stage.load, stage.results) for stage in stages})
    reasons = verdict(stages, touched_files())
    for reason in reasons:
        print(reason)
    tests = [stage for stage in stages if stage.name not in BUILDS]
    passed, failed = sum(stage.passed for stage in tests), sum(stage.failed for stage in stages)
    # A flaky test that fails the run counts as a failure.
    failed = failed or len(reasons)
    print(f"{passed} passed, {failed} failed")
    return 1 if reasons else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
