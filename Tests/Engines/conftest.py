"""Fixtures: each engine once for the run, one console, and a person with an empty profile for each test."""

import itertools

import pytest
from chromium import Chromium
from firefox import Firefox
from person import Person
from running_console import RunningConsole
from webkit import WebKit

ENGINES = {"chromium": Chromium, "firefox": Firefox, "webkit": WebKit}
_numbers = itertools.count(1)


@pytest.fixture(scope="session", params=ENGINES)
def engine(request):
    """A running browser."""
    running = ENGINES[request.param]()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def console(tmp_path_factory):
    """One console; each profile has a device of its own there."""
    running = RunningConsole(tmp_path_factory.mktemp("engines") / "data", arguments=("--limits", "off"))
    yield running
    assert running.stop() == 0, running.logs[-2000:]


@pytest.fixture
def person(engine, console):
    """Somebody at an empty profile; an error that a page did not catch fails the test."""
    tab = engine.profile(1280, 800)
    yield Person(tab, console)
    errors = tab.errors
    tab.close()
    assert not errors, errors


@pytest.fixture
def address():
    """An address that no other test uses."""
    return f"person{next(_numbers)}.engines@example.org"
