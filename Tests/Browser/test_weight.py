"""What a page costs, cold: the compressed content of its files. The answers' heads and the calls of the API come on top."""

import os

import pytest
from console_team import is_team
from playwright.sync_api import expect
from steps import be_signed_in, expect_live, new_identifier

FILES = 30
# The time axis alone has four modules.
MORE_FILES = {"/timeline": 33}
# When the network page, which first draws its rows, began to load what people press there; no other page loads more as it rests.
RESTED = "() => { const mark = performance.getEntriesByName('rest')[0]; return mark && (performance.timeOrigin + mark.startTime) / 1000; }"
# A sign-in has both steps, because everybody needs the second. The network page has all that its people press, the filter and the
# details above all: the rows are there before, and no press waits for a file.
LIMITS = {"/login": 49_100, "/callback#token=nonenone": 41_900, "/inbox": 90_000, "/network": 183_000, "/timeline": 90_000, "/recordings": 90_000, "/help": 120_000}
INSIDE = {"/settings": 90_000, "/profiles": 90_000, "/delete-account": 90_000, "/cues": 90_000}


def cost(page, path):
    """A page's compressed bytes and how many files it has to have before it rests, without heads and calls of the API."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    files, times, sizes, heads = {}, {}, {}, {}
    session.on("Network.requestWillBeSent", lambda event: files.update({event["requestId"]: event["request"]["url"]}))
    session.on("Network.requestWillBeSent", lambda event: times.update({event["requestId"]: event["wallTime"]}))
    session.on("Network.responseReceived", lambda event: heads.update({event["requestId"]: event["response"]["encodedDataLength"]}))
    session.on("Network.loadingFinished", lambda event: sizes.update({event["requestId"]: event["encodedDataLength"]}))
    page.goto(path)
    expect_live(page)
    expect(page.locator("[aria-busy='true']")).to_have_count(0)
    expect(page.locator("network-histogram:not(:defined)")).to_have_count(0)
    rested = page.evaluate(RESTED)
    session.detach()
    static = {key: url for key, url in files.items() if "/api/" not in url}
    first = {url for key, url in static.items() if not rested or times[key] < rested}
    # A sprite that several icons ask for at once is asked for several times, and counts as the one file that it is.
    return sum(sizes.get(key, 0) - heads.get(key, 0) for key in static), len(first)


def check(page, path, limit):
    """Fails where the page is heavier than it may be; prints what it costs."""
    page.goto("about:blank")
    size, count = cost(page, path)
    print(f"{path} {size} bytes {count} files")
    assert size <= limit, f"{path}: {size} bytes, not {limit}"
    # When the page began to rest depends on what else runs: only `make verify` has the machine for itself.
    if os.environ.get("BROWSER_TESTS") == "all":
        most = MORE_FILES.get(path, FILES)
        assert count <= most, f"{path}: {count} files, not {most}"


@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.long), "ar"])
def test_no_page_is_too_heavy(visitor, language):
    page = visitor.page(f"/login?lang={language}")
    expect_live(page)
    for path, limit in LIMITS.items():
        # A page that says why there is no inbox has the words about failures besides.
        if path != "/inbox" or not is_team(visitor.console):
            check(page, path, limit)
    be_signed_in(page, new_identifier())
    for path, limit in INSIDE.items():
        check(page, path, limit)
