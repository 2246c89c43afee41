"""junitparser, a reader like those of build servers, reads the reports of `understudy check`."""

import os
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from certificates import make_certificate
from junitparser import Failure, JUnitXml, Skipped
from tls_server import TLSHandler, TLSServer

PROJECT = Path(__file__).resolve().parents[2]


def binary():
    """Returns the program's path: from the environment, or else the debug build."""
    return Path(os.environ.get("UNDERSTUDY_BINARY", PROJECT / ".build/debug/understudy")).resolve()


def run(*arguments):
    """Runs `understudy check` to its end."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("UNDERSTUDY_")}
    return subprocess.run(
        [str(binary()), "check", "--format", "junit", *map(str, arguments)],
        env=environment, text=True, capture_output=True, timeout=120, stdin=subprocess.DEVNULL, check=False,
    )


def read(report):
    """The one suite of a report, with its cases by name."""
    xml = JUnitXml.fromstring(report.encode())
    suites = list(xml)
    assert len(suites) == 1
    suite = suites[0]
    cases = {case.name: case for case in suite}
    assert len(cases) == suite.tests == xml.tests
    assert suite.failures == xml.failures == sum(any(isinstance(r, Failure) for r in case.result) for case in cases.values())
    assert suite.skipped == sum(any(isinstance(r, Skipped) for r in case.result) for case in cases.values())
    assert suite.errors == 0
    return suite, cases


def test_the_parts_of_a_run_are_the_whole():
    whole = read(run().stdout)[1]
    parts = [run("--shard", f"{number}/3") for number in (1, 2, 3)]
    assert [part.returncode for part in parts] == [0] * 3, [part.stdout for part in parts]
    cases = [case for part in parts for case in read(part.stdout)[1].values()]
    assert [case.name for case in cases] == list(whole)
    assert [case.name for case in cases if case.result] == [], "what a part builds on has run in it"


class AlwaysWrong(TLSHandler):
    """A backend that fails every call, with markup in its error."""

    def do_GET(self):
        """Answers 500."""
        body = b'{"error":{"code":"internal","message":"</failure><x>&","request_id":"1"}}'
        self.send_response(500)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET  # noqa: N815


@pytest.fixture
def wrong(tmp_path):
    """The origin of a backend that fails every call, and its certificate file."""
    key, certificate = make_certificate(tmp_path)
    server = TLSServer(key, certificate, AlwaysWrong)
    yield server.origin, certificate
    server.stop()


def test_a_good_run_is_read():
    """Every check is a case that passed, in a class of its group, with a time."""
    ended = run()
    assert ended.returncode == 0, ended.stderr
    suite, cases = read(ended.stdout)
    assert suite.failures == suite.skipped == 0
    assert len(cases) >= 37
    assert all(case.classname.startswith("check.") and case.time >= 0 for case in cases.values())
    assert {"app-config", "code-sign-in", "cue-conflict", "refresh-reuse", "logout"} <= cases.keys()
    assert {p.name: p.value for p in suite.properties()}["backend"].startswith("https://127.0.0.1:")
    assert suite.time > 0 and len(suite.timestamp) == 19


def test_a_bad_run_is_read(wrong):
    """A failure says why and where; dependent checks are skipped with a reason."""
    origin, certificate = wrong
    ended = run("--backend", origin, "--ca", certificate)
    assert ended.returncode == 1, ended.stderr
    suite, cases = read(ended.stdout)
    assert suite.failures == 1 and suite.skipped == len(cases) - 1
    failure = cases["app-config"].result[0]
    assert isinstance(failure, Failure)
    assert failure.message == "backend_error"
    assert "GET /rpc/app_config 500 internal" in failure.text
    assert cases["cue-update"].result[0].message


def test_the_order_of_elements_is_the_schemas(wrong):
    """Within a suite properties come first; within a case the result stands before what was printed."""
    origin, certificate = wrong
    root = ElementTree.fromstring(run("--backend", origin, "--ca", certificate).stdout)
    assert root.tag == "testsuites"
    suite = root[0]
    assert [child.tag for child in suite] == ["properties"] + ["testcase"] * (len(suite) - 1)
    for case in suite.iter("testcase"):
        assert [child.tag for child in case][-1:] == ["system-out"]
        assert set(case.attrib) == {"classname", "name", "time"}
