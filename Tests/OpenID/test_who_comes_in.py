"""Whom Apache lets in of those who have an account at the provider."""

import re

import pytest
from apache import PROJECT
from clients import SignedIn, Wire

# What a provider says of an address that its owner only wrote into the account.
UNVERIFIED = {"false": {"email_verified": False}, "text": {"email_verified": "false"}, "nothing": {}, "zero": {"email_verified": 0}, "list": {"email_verified": [0, False]}}
NARROWER = re.compile(r"(?m)^( +)#(Require claim .*)$")


@pytest.mark.parametrize("said", UNVERIFIED.values(), ids=UNVERIFIED)
def test_an_address_that_is_not_verified_names_nobody(site, said):
    site.provider.put("mallory", email="olga@example.com", **said)
    before = len(site.paths())
    mallory = SignedIn(site.port, "mallory")
    assert mallory.session and mallory.status == 403
    with Wire(site.port, mallory.session) as wire:
        for line in ("GET /api/person", "GET /api/audit", "POST /api/devices", "GET /", "GET /team", "OPTIONS /api/person", "GET /assets/../api/person"):
            status, text = wire.ask(f"{line} HTTP/1.1")
            assert status == 403 and "olga" not in text, (line, status)
        # What is open to everybody stays open.
        assert wire.ask("GET /assets/ HTTP/1.1")[0] == 404
    assert site.paths()[before:] == ["/assets/"]


@pytest.mark.parametrize("address", [" olga@example.com", "olga@example.com ", "olga@example.com\r\nX-Other: one", "olga@example.com\n", "olga@example.com\t"])
def test_an_address_with_white_space_names_nobody(site, address):
    site.provider.put("mallory", email=address, email_verified=True)
    before = len(site.paths())
    mallory = SignedIn(site.port, "mallory")
    assert mallory.session and mallory.status in (401, 403)
    with Wire(site.port, mallory.session) as wire:
        assert wire.ask("GET /api/person HTTP/1.1")[0] in (401, 403)
    assert len(site.paths()) == before


def test_who_verified_the_address_signs_in_anew(site):
    site.provider.put("nora", email="nora@example.com", email_verified=False)
    nora = SignedIn(site.port, "nora")
    assert nora.status == 403
    site.provider.put("nora", email="nora@example.com", email_verified=True)
    assert nora.open(site.url + "/login").status == 403
    nora.sign_out()
    nora.sign_in()
    assert nora.status == 200
    with Wire(site.port, nora.session) as wire:
        status, text = wire.ask("GET /api/person HTTP/1.1")
        assert status == 200 and '"nora@example.com"' in text


def test_who_did_not_sign_in_is_told_so_by_401(site):
    before = len(site.paths())
    with Wire(site.port) as wire:
        for method in ("GET", "POST", "DELETE", "OPTIONS"):
            assert wire.ask(f"{method} /api/person HTTP/1.1")[0] == 401
    assert len(site.paths()) == before


@pytest.mark.parametrize("number", range(3), ids=["address", "organisation", "group"])
def test_a_line_of_the_file_says_who_of_the_accounts_may_come_in(site, number):
    lines = NARROWER.findall((PROJECT / "Packaging/apache-openidc.conf").read_text())
    assert len(lines) == 3
    line = lines[number][1]

    def edit(text):
        text = text.replace(f"#{line}", line)
        return text.replace("ORGANISATION[.]EXAMPLE", "ours[.]test").replace("ORGANISATION.EXAMPLE", "ours.test").replace("TESTERS", "testers")

    accounts = {
        "one": {"email": "one@ours.test", "hd": "ours.test", "groups": ["others", "testers"]},
        "two": {"email": "two@ours.test.example.com", "hd": "ours.test.example.com", "groups": ["testers of others"]},
        "three": {"email": "three@notours.test", "hd": "notours.test", "groups": [0]},
        "four": {"email": "four@oursxtest"},
        "five": {"email": "five@ours.test@example.com", "hd": None, "groups": []},
    }
    for account, claims in accounts.items():
        site.provider.put(account, email_verified=True, **claims)
    with site.behind(edit):
        came = {account: SignedIn(site.further, account).status for account in accounts}
        site.provider.put("one", **accounts["one"], email_verified=False)
        assert SignedIn(site.further, "one").status == 403
    assert came == {"one": 200, "two": 403, "three": 403, "four": 403, "five": 403}
