"""Follows the recipes of CONTRIBUTING.md in a copy of the project, counts what they touch, and uses what they added."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from console_process import PROJECT, Browser, Console
from playwright.sync_api import expect, sync_playwright
from recipes import in_order
from steps import be_signed_in


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the files that git knows or would add."""
    root = tmp_path_factory.mktemp("recipes") / "project"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=PROJECT, capture_output=True, check=True)
    for name in listed.stdout.decode().split("\0"):
        if name and (PROJECT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROJECT / name, root / name)
    return root


@pytest.fixture(scope="module")
def recipes(copy):
    """What each recipe touched."""
    return {make.__name__: make(copy) for make in in_order}


@pytest.fixture(scope="module")
def console(copy, recipes, tmp_path_factory):
    """The copy's console, built with all of them."""
    built = subprocess.run(
        ["Scripts/lib/build", "quick"], cwd=copy, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert built.returncode == 0, built.stdout[-3000:] + built.stderr[-1000:]
    console = Console(
        tmp_path_factory.mktemp("data") / "data", program=copy / ".build/debug/understudy", public=copy / "Public")
    yield console
    assert console.stop() == 0


@pytest.fixture(scope="module")
def chromium():
    """The browser that shows the console's pages."""
    found = subprocess.run([PROJECT / "Scripts/lib/find-chromium"], capture_output=True, text=True, check=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=Path(found.stdout.strip()), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium, console):
    """Opens a tab of its own, given a language."""
    contexts = []

    def open_tab(locale="en"):
        contexts.append(chromium.new_context(base_url=f"http://localhost:{console.port}", locale=locale, viewport={"width": 1600, "height": 800}))
        return contexts[-1].new_page()

    yield open_tab
    for context in contexts:
        context.close()


@pytest.fixture
def person(console):
    """Somebody who is signed in."""
    browser = Browser(console.port)
    browser.sign_in("recipes@example.com")
    yield browser
    browser.close()


def test_an_endpoint_touches_five_swift_files(recipes):
    touched = recipes["add_endpoint"].touched
    assert len(touched) <= 5 and all(path.endswith(".swift") for path in touched), touched


def test_a_setting_touches_eight_files_and_its_words(recipes):
    touched = {path for path in recipes["add_setting"].touched if not path.startswith("Public/assets/locales")}
    assert len(touched) <= 8, touched


def test_a_page_touches_seven_files(recipes):
    assert len(recipes["add_page"].touched) == 7, recipes["add_page"].touched


def test_a_column_touches_two_files(recipes):
    assert len(recipes["add_column"].touched) == 2, recipes["add_column"].touched


def test_a_flag_touches_two_swift_files(recipes):
    assert len(recipes["add_flag"].touched) == 2, recipes["add_flag"].touched


def test_a_secrets_name_is_a_line(recipes):
    assert (len(recipes["add_secret_name"].touched), recipes["add_secret_name"].lines) == (1, 1)


def test_a_preset_touches_three_files(recipes):
    assert len(recipes["add_preset"].touched) == 3, recipes["add_preset"].touched


def test_a_language_is_a_file_and_a_line(recipes):
    recipe = recipes["add_language"]
    assert recipe.touched == {"Public/assets/locales/eo.json", "Public/parts/head.html"} and recipe.lines == 1


def test_the_javascript_tests_pass_with_all_of_them(copy, recipes):
    tools = PROJECT / ".build/venv/bin"
    environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "DENO_DIR": str(PROJECT / ".build/deno"), "NO_COLOR": "1"}
    for command in (
        ["deno", "check", "Public/assets/js", "Tests/JavaScript"],
        ["deno", "test", "--no-remote", "--no-npm", "--allow-read", "--allow-run", "Tests/JavaScript"],
    ):
        ended = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, (ended.stdout + ended.stderr)[-3000:]


def test_the_endpoint_answers_and_is_described(person):
    answer = person.call("GET", "/api/account/streak")
    assert answer.status == 200 and answer.json == {"days": 3}, answer
    assert "/api/account/streak" in person.call("GET", "/api/openapi.json").json["paths"]
    paths = {row["path"] for row in person.call("GET", "/api/network").json["events"]}
    assert "/rpc/get_streak" in paths


def test_the_backend_keeps_the_setting(person, console):
    assert person.call("GET", "/api/account").json["settings"]["newsletter"] is False
    answer = person.call("POST", "/api/account/newsletter", {"is_on": True})
    assert answer.status == 200 and answer.json["settings"]["newsletter"] is True, answer
    assert "/api/account/newsletter" in person.call("GET", "/api/openapi.json").json["paths"]
    # Another device of the account learns it from the backend.
    other = Browser(console.port)
    other.sign_in("recipes@example.com")
    assert other.call("GET", "/api/account").json["settings"]["newsletter"] is True
    other.close()


def test_the_flag_is_described_and_checked(copy, console):
    program = copy / ".build/debug/understudy"
    table = subprocess.run([PROJECT / "Scripts/lib/flag-tables", program], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    assert "| `--nap` | Seconds that a device naps. | 2 |" in table.stdout
    refused = subprocess.run([program, "serve", "--nap", "10"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert refused.returncode == 64 and "--nap: '10' is not a number from 1 to 9" in refused.stderr


def test_the_secret_is_masked_by_its_name(person):
    person.call("POST", "/api/network/requests", {"method": "GET", "path": "/rpc/me", "query": "tessera=q7Xp2Lm9Zt&page=2", "auth": True})
    queries = [row.get("query", "") for row in person.call("GET", "/api/network").json["events"]]
    assert any("page=2" in query for query in queries) and "q7Xp2Lm9Zt" not in "".join(queries), queries


def test_the_preset_can_be_armed(person):
    presets = person.call("GET", "/api/faults/presets").json["presets"]
    assert "lunch-break" in {preset["id"] for preset in presets}
    armed = person.call("POST", "/api/faults/presets/lunch-break", {})
    assert armed.status == 201, armed


def test_the_page_shows_in_the_new_language(tab):
    page, problems = tab("eo"), []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto("/streak")
    expect(page.locator("h1")).to_have_text("Streak ĉ")
    expect(page.locator("streak-view")).to_have_text("3")
    expect(page.locator("nav a[aria-current=page]")).to_have_text("Streak ĉ")
    assert not problems, problems


def test_the_setting_is_a_switch_on_settings(tab):
    page = tab()
    be_signed_in(page, "switch@example.com")
    newsletter = page.locator("#newsletter")
    expect(page.get_by_text("Send anonymous usage events 2")).to_be_visible()
    expect(newsletter).not_to_be_checked()
    newsletter.click()
    expect(page.locator("#newsletter-result")).to_have_text("Analytics is on. 2")
    page.reload()
    expect(newsletter).to_be_checked()


def test_the_column_has_its_title_and_its_texts(tab):
    page = tab()
    be_signed_in(page, "column@example.com", at="/network")
    expect(page.locator(".grid-head .c-sent")).to_have_text("Size 2")
    expect(page.locator("[data-row] .c-sent").first).to_contain_text("B")
