"""What a run of the stages calls green: late failures run once more, and flaky tests are counted."""

import run_stages
import test_history
import test_results
from run_stages import Stage, is_touched, judge, run_late_again, verdict
from test_results import Result


def late(name="test_grid.test_rows", argument="test_grid.py::test_rows"):
    return Result(name, "failed", 1.0, True, argument)


def stage_with(*results, code=1):
    failed = [one for one in results if one.outcome == "failed"]
    return Stage("browser", code=code, passed=10, failed=len(failed), results=list(results))


def rerun(monkeypatch, *passing):
    """Replaces the second run of a stage: the named tests pass in it. Returns the list of what was run."""
    asked = []

    def run(name, arguments, report):
        asked.extend(arguments)
        return Stage(name, results=[Result(one, "passed", 1.0, False, "") for one in passing])

    monkeypatch.setattr(run_stages, "run", run)
    return asked


def test_late_test_that_passes_alone_is_flaky_and_run_is_green(monkeypatch):
    asked = rerun(monkeypatch, "test_grid.test_rows")
    stage = stage_with(late())
    run_late_again([stage])
    assert asked == ["Tests/Browser/test_grid.py::test_rows"]
    assert stage.is_green and [one.name for one in stage.flaky] == ["test_grid.test_rows"]
    assert verdict([stage], set()) == []


def test_late_test_that_fails_again_is_red(monkeypatch):
    rerun(monkeypatch)
    stage = stage_with(late())
    run_late_again([stage])
    assert verdict([stage], set()) == ["browser failed"]


def test_failure_of_another_kind_does_not_run_again(monkeypatch):
    asked = rerun(monkeypatch, "test_grid.test_rows", "a.b")
    stage = stage_with(late(), Result("a.b", "failed", 1.0, False, "a.py::b"))
    run_late_again([stage])
    assert asked == [] and not stage.is_green


def test_more_than_three_late_tests_fail_the_run(monkeypatch):
    names = [f"test_grid.test_{number}" for number in range(4)]
    asked = rerun(monkeypatch, *names)
    stages = [stage_with(late(names[0]), late(names[1])), stage_with(late(names[2]), late(names[3]))]
    run_late_again(stages)
    assert asked == [] and len(verdict(stages, set())) == 2


def test_flaky_test_in_a_touched_file_fails_the_run(monkeypatch):
    rerun(monkeypatch, "test_grid.test_rows")
    stage = stage_with(late())
    run_late_again([stage])
    assert verdict([stage], {"Tests/Browser/test_grid.py"}) == ["test_grid.test_rows is flaky, and this change touches its file"]


def test_swift_suite_is_touched_with_its_file():
    result = late("ConsoleTests.ReplayRoutesTests.sendsAgain()", "ConsoleTests.ReplayRoutesTests/sendsAgain\\(")
    assert is_touched(result, {"Tests/ConsoleTests/Network/ReplayRoutesTests.swift"})
    assert not is_touched(result, {"Tests/ConsoleTests/Network/OtherTests.swift"})


def test_stage_without_tests_fails():
    stage = Stage("survival", code=0)
    judge(stage, "nothing happened\n", [])
    assert not stage.is_green and stage.note == "ran no test"
    empty = Stage("survival", code=0)
    judge(empty, "0 passed, 0 failed\n", [])
    assert not empty.is_green


def test_exit_code_without_a_failed_test_fails_the_stage():
    stage = Stage("survival", code=3)
    judge(stage, "12 passed, 0 failed\n", [])
    assert not stage.is_green and verdict([stage], set())


def test_failed_build_leaves_later_stages_red(monkeypatch):
    monkeypatch.setattr(run_stages, "run", lambda name: Stage(name, code=1 if name == "build" else 0, passed=0 if name == "build" else 1))
    stages = run_stages.run_lanes((("rules", "swift"), ("build",)))
    assert [(stage.name, stage.is_green) for stage in stages] == [("rules", True), ("swift", False), ("build", False)]
    assert stages[1].note == "not run, because build failed"


def test_stage_starts_after_what_it_needs(monkeypatch):
    order = []
    monkeypatch.setattr(run_stages, "run", lambda name: order.append(name) or Stage(name, code=0, passed=1))
    run_stages.run_lanes(run_stages.LANES)
    assert sorted(order) == sorted(name for lane in run_stages.LANES for name in lane)
    assert all(order.index(needed) < order.index(name) for name, needed in run_stages.NEEDS.items())


CASES = """<testsuites><testsuite>
<testcase classname="test_grid" name="test_rows" time="1.5"/>
<testcase classname="test_grid" name="test_late[1-x]" time="10"><failure message="Locator expected to be visible. Call log: x"/></testcase>
<testcase classname="test_grid" name="test_wrong" time="1"><failure message="assert 1 == 2"/></testcase>
<testcase classname="test_grid" name="test_unclean" time="1"/>
<testcase classname="test_grid" name="test_unclean" time="1"><error message="failed on teardown: TimeoutError"/></testcase>
<testcase classname="test_grid" name="test_skipped" time="0"><skipped/></testcase>
<testcase classname="WireTests.ParserTests" name="readsAll()" time="0.1"><failure message="Time limit was exceeded: 60 seconds"/></testcase>
</testsuite></testsuites>"""


def test_report_is_read_with_what_was_late(tmp_path):
    report = tmp_path / "x.xml"
    report.write_text(CASES)
    results = {one.name: one for one in test_results.read(report)}
    assert {name: (one.outcome, one.is_late) for name, one in results.items()} == {
        "test_grid.test_rows": ("passed", False), "test_grid.test_late[1-x]": ("failed", True), "test_grid.test_wrong": ("failed", False),
        "test_grid.test_unclean": ("failed", False), "test_grid.test_skipped": ("skipped", False),
        "WireTests.ParserTests.readsAll()": ("failed", True),
    }
    assert results["test_grid.test_late[1-x]"].argument == "test_grid.py::test_late[1-x]"
    assert test_results.counts(results.values()) == (1, 4, 1)


def test_unreadable_report_is_a_failure(tmp_path):
    (tmp_path / "x.xml").write_text("<testsuites>")
    assert test_results.counts(test_results.read_all([tmp_path / "x.xml", tmp_path / "none.xml"])) == (0, 2, 0)


def test_history_counts_failed_and_flaky_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert test_history.failures("browser", "a.b") == (0, 0)
    for outcome in ("passed", "failed", "flaky", "passed"):
        test_history.record("c0ffee", {"browser": (1.0, [Result("a.b", outcome, 1.0, False, "")])})
    assert test_history.failures("browser", "a.b") == (2, 4)
    assert test_history.failures("survival", "a.b") == (0, 0)
    for _ in range(test_history.LIMIT):
        test_history.record("c0ffee", {"browser": (1.0, [Result("a.b", "passed", 1.0, False, "")])})
    assert test_history.failures("browser", "a.b") == (0, test_history.LIMIT)
