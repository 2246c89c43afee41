"""Reads JUnit files: the outcome of each test, and whether a failure only came from something that was late."""

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

# What the tools print when a time limit passes: Playwright, `wait_until` of the browser steps, pytest-xdist for a worker that was
# ended because it hung, Python's sockets and processes, `until` of the moments, and Swift Testing.
LATE = re.compile(
    r"Call log:|the condition did not come true within|crashed while running|TimeoutError|timed out|TimeoutExpired|not in \d+ s: "
    r"|Time limit was exceeded")


@dataclass(frozen=True)
class Result:
    """A test's result: `outcome` is passed, failed or skipped; `seconds` its duration; `is_late` whether a failure was only late."""

    name: str
    outcome: str
    seconds: float
    is_late: bool
    # The test's pytest node ID within the stage's folder, or its filter for Swift Testing.
    argument: str


def read(path):
    """Returns the results in a JUnit file. Throws OSError and ElementTree.ParseError."""
    results = {}
    for case in ElementTree.parse(path).iter("testcase"):
        result = _result(case)
        earlier = results.get(result.name)
        # pytest reports a test and its teardown as two cases of one name.
        if earlier and earlier.outcome == "failed":
            result = Result(result.name, "failed", earlier.seconds, earlier.is_late and result.outcome != "failed", earlier.argument)
        results[result.name] = result
    return list(results.values())


def _result(case):
    folder, name = case.get("classname", ""), case.get("name", "")
    faults = [child for child in case if child.tag in ("failure", "error")]
    outcome = "failed" if faults else "skipped" if case.find("skipped") is not None else "passed"
    # An error arises in a fixture, often in what a test checks at its end: an unclean page or exit is never only late.
    is_late = bool(faults) and all(_is_late(fault) for fault in faults)
    return Result(f"{folder}.{name}", outcome, float(case.get("time") or 0), is_late, _argument(folder, name))


def _is_late(fault):
    message = fault.get("message", "")
    if fault.tag == "error":
        return "crashed while running" in message
    return LATE.search(message) is not None


def _argument(folder, name):
    if name.endswith(")") and "." in folder:
        return f"{folder}/{name.split('(')[0]}\\("
    return folder.replace(".", "/") + ".py::" + name


def counts(results):
    """Returns how many results passed, failed and were skipped."""
    outcomes = [result.outcome for result in results]
    return tuple(outcomes.count(kind) for kind in ("passed", "failed", "skipped"))


def read_all(paths):
    """Returns the results of several files; a file that cannot be read or has no test is a failed test."""
    results = []
    for path in map(Path, paths):
        try:
            results += read(path) or [Result(f"{path.name}: it has no test", "failed", 0, False, "")]
        except (OSError, ElementTree.ParseError) as error:
            results.append(Result(f"{path.name}: {error}", "failed", 0, False, ""))
    return results
