"""Every page in its states looks as in its picture in `pictures`; `make screenshots` renews them."""

import os
from dataclasses import replace

import pytest
from pictures import LIMIT, LOOKS, PICTURED, difference, fault_of, keep, launch, shoot
from scenes import SCENES, Person
from watched_context import WatchedContext

# As `make screenshots` has it: keeps the pictures instead of comparing them.
IS_RENEWING = os.environ.get("PICTURES") == "renew"
# Fonts and their drawing differ between machines: these run with `make verify`.
pytestmark = pytest.mark.long
# The log of a picture has the rows of one call alone.
ONE_CALL = (("DELETE", "/api/network", None), ("GET", "/api/account", None))


def scene_of(name):
    """The scene of a picture."""
    scene = next(one for one in SCENES if one.name == name)
    return replace(scene, calls=(*ONE_CALL, *scene.calls)) if scene.signed_in and scene.path == "/network" else scene


@pytest.fixture(scope="module", params=LOOKS)
def look(request):
    """The name of a look."""
    return request.param


@pytest.fixture(scope="module")
def chromium(browser):
    """A browser that draws alike everywhere."""
    launched = launch(browser.browser_type)
    yield launched
    launched.close()


def somebody(chromium, scenes_console, look):
    """Somebody to whom the pages look so."""
    visitor = WatchedContext(chromium, scenes_console, reduced_motion="reduce", **LOOKS[look])
    visitor.expect_answers(401, 404, 409, 422, 502)
    yield Person(visitor, by_touch=False, language=LOOKS[look]["locale"])
    visitor.close()


# Somebody who sees all the pictures, and somebody new to whom nothing has happened.
person = pytest.fixture(scope="module")(somebody)
newcomer = pytest.fixture(somebody)
# The scenes that show all that has happened to a device.
HISTORIES = ("timeline",)


@pytest.mark.parametrize("name", PICTURED)
def test_a_page_looks_as_in_its_picture(request, look, name):
    scene = scene_of(name)
    if look == "phone" and scene.is_wide:
        pytest.skip("a phone does not show it")
    person = request.getfixturevalue("newcomer" if name in HISTORIES else "person")
    person.open(scene)
    picture = shoot(person.page)
    if IS_RENEWING:
        keep(picture, f"{name}-{look}")
    fault = fault_of(picture, f"{name}-{look}")
    assert fault is None, fault


def test_a_button_of_another_size_or_colour_is_seen(person):
    person.open(scene_of("settings"))
    before = shoot(person.page)
    assert difference(before, shoot(person.page)) == 0
    for name, value in (("padding-inline", "2rem"), ("background-color", "var(--accent)")):
        person.page.evaluate(
            "([name, value]) => document.querySelector('#refresh-session').style.setProperty(name, value)", [name, value]
        )
        assert difference(before, shoot(person.page)) > LIMIT, name
        person.page.evaluate("(name) => document.querySelector('#refresh-session').style.removeProperty(name)", name)
