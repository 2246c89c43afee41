"""A backend of somebody else's refuses the refresh: wherever the person is, the page says why and leads to the sign-in."""

import pytest
from console_team import start_console
from dialects import DIALECTS
from foreign_backend import ForeignBackend
from playwright.sync_api import expect
from steps import expect_live, expect_signed_in, new_identifier
from verdicts import OWN_ERROR, error
from watched_context import WatchedContext


@pytest.fixture
def foreign(browser, tmp_path):
    """(Context, backend) of a console whose backend speaks the seeds' dialect."""
    backend = ForeignBackend(tmp_path)
    backend.dialect = DIALECTS["seed"]
    console = start_console(tmp_path / "data", arguments=("--backend", backend.origin, "--ca", backend.certificate))
    context = WatchedContext(browser, console)
    yield context, backend
    context.close()
    assert console.stop() == 0, console.logs[-2000:]
    backend.stop()


def sign_in(context, backend, page, identifier):
    """Signs in with the mouse and the backend's code; ends on Settings, and gives the backend's script for the device."""
    page.locator("#identifier").fill(identifier)
    page.locator("#send-code").click()
    expect(page.locator("#code")).to_be_visible()
    page.locator("#code").fill(backend.account(identifier).code)
    expect_signed_in(page, identifier)
    return backend.script(context.read("/api/state")["device_id"])


def test_on_settings_the_sign_in_opens_with_the_reason(foreign):
    context, backend = foreign
    page, identifier = context.page("/login"), new_identifier()
    expect_live(page)
    script = sign_in(context, backend, page, identifier)
    script.answers["/rpc/refresh_tokens"] = error(403, "oauth", OWN_ERROR)
    context.expect_answers(401, 409)
    page.locator("#refresh-session").click()
    page.wait_for_url("**/login*")
    notice = page.locator("#login-notice")
    expect(notice).to_be_visible()
    # The code of the backend is in the sentence about what the log shows.
    cause = notice.locator(".session-cause")
    expect(cause).to_contain_text(OWN_ERROR)
    said = notice.inner_text().replace(OWN_ERROR, "")
    assert len(said) > 20 and "_" not in said, said
    cause.get_by_role("link").last.click()
    page.wait_for_url("**/network?row=*")
    expect(page.locator("#detail-title")).to_contain_text("refresh_tokens")
    expect(page.locator("session-over .session-cause")).to_contain_text(OWN_ERROR)
    page.goto("/login")
    script.answers.clear()
    sign_in(context, backend, page, identifier)
