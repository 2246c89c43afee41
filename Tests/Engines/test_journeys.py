"""The five main tasks with a mouse alone, in three engines, and how many clicks each takes; and every page from its link."""

from catalogue import messages

# The pages of the navigation, each with what shows there once it is loaded.
PAGES = {
    "profiles": "#profile-list", "cues": ".cue", "network": "#network-grid", "timeline": "#entries", "inbox": "#inbox-reader",
    "settings": "#account-facts",
}


def sign_in(person, address):
    """From an empty profile to Settings."""
    person.open("/login")
    person.click("#identifier")
    person.type(address)
    person.clicks = 0
    person.click("#send-code")
    person.click("#offer-code")
    person.sees("#account-facts", address)


def begin(person, address, path):
    """Signs in, goes to a page by its link, and counts from there."""
    sign_in(person, address)
    person.click(f".nav a[href='{path}']")
    person.sees("[data-fact='connection'][data-state='live']")
    person.clicks = 0


def test_signing_in(person, address):
    sign_in(person, address)
    assert person.clicks == 2


def test_finding_why_a_sign_in_failed(person, address):
    person.open("/login")
    person.click("#identifier")
    person.type(address)
    person.click("#send-code")
    code = person.sees("#offer-code")
    digits = "".join(one for one in code if one.isdigit())
    person.click("#code")
    person.type(f"{(int(digits) + 1) % 1_000_000:06d}")
    person.sees("#code-error", "4")
    person.clicks = 0
    person.click(".nav a[href='/network']")
    person.click("#network-grid [data-row]", "401")
    person.sees("network-detail .cause", messages()["cause.login_code_invalid"])
    assert person.clicks == 2


def test_mocking_an_answer(person, address):
    begin(person, address, "/network")
    person.click("#network-grid [data-row]", "/rpc/me")
    person.click("#edit-answer")
    person.click("#answer [data-status='500']")
    person.click("#save-answer")
    person.sees("#toast", "500")
    assert person.clicks == 4
    person.click("#toast-again")
    person.sees("network-detail [data-fault-link]")


def test_exporting(person, address):
    begin(person, address, "/network")
    person.click("#export")
    person.click("[data-item=file]")
    person.click("#save-export")
    person.sees("#export-outcome[data-tone='ok']", ".zip")
    assert person.clicks == 3


def test_moving_a_cue_while_offline(person, address):
    begin(person, address, "/cues")
    cue = person.sees(".cue .cue-prompt")
    person.click("#commands")
    person.sees("#palette-input")
    person.type("airplane")
    person.click("#palette-list [role=option]", "Airplane")
    person.sees("armed-banner")
    person.click(".cue-menu")
    person.click("[role=menu] [role=menuitemradio]:last-child")
    person.sees("#cues-pending", "1")
    person.sees(".board > :last-child .cue", cue)
    assert person.clicks == 4


def test_every_page_opens_from_its_link(person, address):
    sign_in(person, address)
    for path, shown in PAGES.items():
        person.click(f".nav a[href='/{path}']")
        person.sees(f"main {shown}")
        person.sees("[data-fact='connection'][data-state='live']")
    person.click("main a[href='/delete-account']")
    person.sees("#open-deletion")
