"""A journey by mouse with a backend that a file describes: signing in, an access token that has expired, and what the log shows of both."""

import pytest
from certificates import make_certificate
from console_team import start_console
from file_phone import file_flags, saved_secrets
from played_backend import PlayedBackend
from playwright.sync_api import expect
from steps import at_rest, expect_live, expect_signed_in, grid_row
from transcripts import PRODUCTS
from watched_context import WatchedContext

# What no page may show, because the files have no calls for it.
LACKED = "[data-nav=profiles], [data-nav=cues], [data-nav=inbox], #delete-account, #account-language, [href='/profiles'], [href='/cues']"


@pytest.fixture
def played(browser, tmp_path):
    """(Context, backend) of a console whose backend plays allauth; `test_played_backends.py` has the others."""
    product = next(one for one in PRODUCTS if one.name == "allauth-jwt")
    key, certificate = make_certificate(tmp_path)
    backend = PlayedBackend(product, key, certificate)
    flags = [*file_flags(product, backend.origin, certificate), *saved_secrets(tmp_path / "secrets", product.secrets)]
    console = start_console(tmp_path / "data", arguments=flags)
    context = WatchedContext(browser, console)
    yield context, backend
    context.close()
    assert console.stop() == 0, console.logs[-2000:]
    backend.stop()


def open_sign_in(context):
    """The sign-in page."""
    page = context.page("/login")
    expect(page.locator("#offered-form")).to_be_visible()
    expect_live(page)
    expect(page.get_by_role("tab")).to_have_count(0)
    return page


def asks_for(page, *fields):
    """Waits until the page asks for exactly these fields."""
    expect(page.locator(f"#offered-{fields[-1]}")).to_be_visible()
    assert page.locator("main input:visible").evaluate_all("(all) => all.map((one) => one.id)") == [f"offered-{name}" for name in fields]


def expect_nothing_that_the_file_lacks(page):
    """Settings has what the file has calls for, and says of the rest why it is not there."""
    expect(page.locator("#refresh-session")).to_be_visible()
    expect(page.locator("[data-session=access]")).to_be_visible()
    expect(page.locator("#no-profiles")).to_contain_text("set_active_profile")
    expect(page.locator("#delete-why")).to_contain_text("request_account_deletion")
    expect(page.locator(LACKED).locator("visible=true")).to_have_count(0)


def sent_beside(backend, *usual):
    """What the backend got since the last look, without the calls that pages make by themselves."""
    return [situation for situation in backend.situations() if situation not in usual]


def open_from_header(page, name):
    """Follows a link of the header to a page, until that is at rest."""
    page.locator(f"nav a[href='/{name}']").click()
    page.wait_for_url(f"**/{name}*")
    expect_live(page)
    at_rest(page)


def live_through_an_expired_token(page, backend):
    """Opens Settings with an access token that has expired, and then refreshes by the button."""
    at_rest(page)
    open_from_header(page, "network")
    backend.situations()
    backend.end("access")
    open_from_header(page, "settings")
    expect(page.locator("#account-facts")).to_contain_text("ada@example.com")
    sent = backend.situations()
    assert sent[0] == "expired" and sent[-1] == "account" and sent.count("refresh") == 1, sent
    page.locator("#refresh-session").click()
    expect(page.locator("#session-result")).to_be_visible()
    at_rest(page)
    assert sent_beside(backend, "account") == ["refresh"]


def expect_row(page, backend, path, status, count=None):
    """The log has a row with that path and status, or so many of them, and its details show no secret."""
    shown = grid_row(page, path).filter(has=page.locator(".status").get_by_text(str(status), exact=True))
    if count:
        expect(shown).to_have_count(count)
    shown.first.click()
    expect(page.locator("#detail-title")).to_contain_text(path)
    secrets = {*backend.issued, *backend.product.secrets.values(), backend.product.secret}
    for tab in ("Request", "Response"):
        page.get_by_role("tab", name=tab).click()
        expect(page.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
        at_rest(page)
        read = page.locator("html").inner_html()
        assert not [secret for secret in secrets if secret in read], (path, tab)


def sign_out(page, backend):
    """Signs out on Settings; ends on the sign-in page."""
    open_from_header(page, "settings")
    backend.situations()
    page.locator("#sign-out").click()
    page.locator("#confirm-sign-out").click()
    page.wait_for_url("**/login*")
    expect(page.locator("#offered-form")).to_be_visible()
    assert sent_beside(backend, "account") == ["logout"]


def test_a_mailed_code_signs_in_to_allauth(played):
    context, backend = played
    page = open_sign_in(context)
    asks_for(page, "identifier")
    page.locator("#offered-identifier").fill("ada@example.com")
    page.locator("#offered-submit").click()
    asks_for(page, "code")
    assert backend.situations() == ["ask"]
    page.locator("#offered-code").fill(backend.product.secret)
    page.locator("#offered-submit").click()
    expect_signed_in(page, "ada@example.com")
    expect_nothing_that_the_file_lacks(page)
    live_through_an_expired_token(page, backend)
    open_from_header(page, "network")
    expect_row(page, backend, "/auth/code/request", 401)
    expect_row(page, backend, "/auth/code/confirm", 200)
    expect_row(page, backend, "/api/me", 401)
    expect_row(page, backend, "/tokens/refresh", 200, count=2)
    sign_out(page, backend)
