"""Fixtures: one probe, and one console with a foreign backend, for the run."""

import os
from collections import defaultdict

import pytest
from foreign_site import ForeignSite
from probe_server import ProbeServer, make_folder
from transcripts import has_steps


def pytest_collection_modifyitems(config, items):
    """Leaves out what products lack, and runs of the tests marked `crossed` each value of each parameter, but not each with each, unless
    OUTSIDE_TESTS is `all`."""
    items[:] = filter(has_steps, items)
    if os.environ.get("OUTSIDE_TESTS") == "all":
        return
    cases = defaultdict(list)
    for item in items:
        if item.get_closest_marker("crossed"):
            cases[item.function].append(item)
    left_out = {item for crossed in cases.values() for item in crossed if not is_on_the_diagonal(item, crossed)}
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=list(left_out))


def is_on_the_diagonal(item, cases):
    """Whether a case has, beside a value of the parameter with the most values, the values whose turn it is of the others."""
    values = {name: list(dict.fromkeys(id(case.callspec.params[name]) for case in cases)) for name in item.callspec.params}
    places = {name: values[name].index(id(value)) for name, value in item.callspec.params.items()}
    turn = places[max(places, key=lambda name: len(values[name]))]
    return all(place == turn % len(values[name]) for name, place in places.items())


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """What the probe serves."""
    return make_folder(tmp_path_factory.mktemp("outside") / "root")


@pytest.fixture(scope="session")
def probe(folder):
    """A probe with its access log on; it must end with 0."""
    running = ProbeServer(folder, "--access-log")
    yield running
    assert running.stop() == 0, "".join(running.log[-20:])


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """A console and its foreign backend; each test has phones of its own."""
    running = ForeignSite(tmp_path_factory.mktemp("foreign") / "site")
    yield running
    running.stop()


@pytest.fixture
def phone(site):
    """Makes phones; they are deleted at the end of the test."""
    made = []

    def make(*arguments):
        made.append(site.phone(*arguments))
        return made[-1]

    yield make
    for one in made:
        answer = one.call("DELETE", "/api/device")
        one.close()
        assert answer.status == 204, (answer, site.console.errors[-2000:])
