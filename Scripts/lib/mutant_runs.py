"""Runs single test files in a copy of the project."""

import os
import re
import signal
import subprocess
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

from mutants import runner

# A test file of the quick selection takes two minutes at most.
LIMIT_SECONDS = 900


def passed(folder, report):
    """The test files of a folder that passed in a report of pytest."""
    names = {True: set(), False: set()}
    for case in ElementTree.parse(report).iter("testcase"):
        names[case.find("failure") is None and case.find("error") is None].add(case.get("classname").split(".")[-1])
    return {f"{folder}/{name}.py" for name in names[True] - names[False]}


@dataclass
class Outcome:
    """How a test file ended: the number of tests that ran, the first that failed, or why nothing can be said."""

    count: int = 0
    failed: str | None = None
    # The test as pytest names it, to run it alone.
    node: str | None = None
    trouble: str | None = None


class Runs:
    """Runs test files in `tree` with the programs in `programs`; `tools` is the project whose .build has Python and Deno."""

    def __init__(self, tree, programs, tools, logs):
        """Creates the folder of the logs."""
        self.tree, self.programs, self.tools, self.logs = tree, programs, tools, logs
        logs.mkdir(parents=True, exist_ok=True)

    def run(self, test, name, mutant=None, chosen=None, left_out=()):
        """Runs a test file, or the `chosen` test of it, until the first failure; `mutant` is the id of a Swift mutant."""
        report = self.logs / f"{name}.xml"
        report.unlink(missing_ok=True)
        environment = {**os.environ, "DENO_DIR": str(self.tools / ".build/deno"), "NO_COLOR": "1"}
        environment |= {"UNDERSTUDY_BINARY": str(self.programs / "understudy"), "PROBE_BINARY": str(self.programs / "probe")}
        environment.pop("MUTANT", None)
        if mutant:
            environment["MUTANT"] = mutant
        kind = runner(test)
        command = {"pytest": self._pytest, "deno": self._deno, "swift": self._swift}[kind](test, report, chosen, left_out)
        with open(self.logs / f"{name}.log", "a") as log:
            log.write(f"$ {' '.join(map(str, command))}\n")
            log.flush()
            process = subprocess.Popen(
                list(map(str, command)), cwd=self.tree, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True)
            try:
                code = process.wait(LIMIT_SECONDS)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                # A console or a browser that a broken test left.
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                process.wait()
        return self._outcome(kind, test, report, code)

    def _pytest(self, test, report, chosen, left_out):
        python = self.tools / ".build/venv/bin/python"
        selection = [f"--deselect={Path(test).name}::{one}" for one in left_out]
        target = f"{test}::{chosen}" if chosen else test
        return [python, "-B", "-m", "pytest", "-x", f"--junit-xml={report}", *selection, target]

    def _deno(self, test, report, _chosen, _left_out):
        deno = self.tools / ".build/venv/bin/deno"
        return [deno, "test", "--no-remote", "--no-npm", "--allow-read", "--allow-run", "--fail-fast", f"--junit-path={report}", test]

    def _swift(self, test, report, _chosen, _left_out):
        module, suite = Path(test).parts[1], Path(test).stem
        filter = f"^{module}\\.{re.escape(suite)}(/|$)"
        program = self.programs / "understudyPackageTests.xctest"
        return [program, "--testing-library", "swift-testing", "--no-parallel", "--xunit-output", report, "--filter", filter]

    def _outcome(self, kind, test, report, code):
        if code is None:
            return Outcome(1, f"{Path(test).name}: over {LIMIT_SECONDS} s")
        try:
            cases = list(ElementTree.parse(report).iter("testcase"))
        except (OSError, ElementTree.ParseError):
            # A Swift test that crashes takes the report with it, and so does a hanging browser test, whose process ends itself.
            if kind == "swift" and code < 0:
                return Outcome(1, f"{Path(test).name}: crash")
            if kind == "pytest" and code == 1:
                return Outcome(1, f"{Path(test).name}: hang")
            return Outcome(trouble=f"{test} ended with {code} and without a report")
        ran = [case for case in cases if case.find("skipped") is None]
        for case in ran:
            if case.find("failure") is not None or case.find("error") is not None:
                name = re.sub(r"\s+", " ", case.get("name"))
                return Outcome(len(ran), f"{Path(test).name}: {name.removesuffix('()')}", case.get("name"))
        if code != 0:
            return Outcome(trouble=f"{test} ended with {code} although no test failed")
        return Outcome(len(ran)) if ran else Outcome(trouble=f"{test} ran 0 tests")
