"""Exports contain no secret in any spelling, and no backend can block all exports."""

import base64
import io
import json
import urllib.parse
import zipfile

import pytest
from console_process import Browser
from moments import until
from test_import_command import imported
from test_recordings import entry, har
from test_recordings import send as upload

TYPED = "Canary.Tester+x9@Example.com"
FORMATS = ("har", "json", "zip")
WORDS = [
    "http", "https", "GET", "json", "application/json", "startedDateTime", "httpVersion", "request", "headers", "2026", "1234567",
    "X-Request-ID", "content-type", "localhost", "/rpc/me", "a", "@", "a@b", "understudy", "‹token", "rpc.example@me",
]


def answers(document):
    """Answers with a document."""
    body = json.dumps(document).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    return lambda front, connection: front.send(connection, head + body)


def naming(word):
    """The account of a user whose number, address and tokens are that word."""
    return {
        "user_id": word, "account_id": "account", "email": word, "phone": word, "display_name": word, "access_token": word,
        "refresh_token": word, "roles": ["user"], "profiles": [], "created_at": "2026-01-01T00:00:00.000Z",
    }


def exported(browser, form):
    """The text of an export; an archive's files one after the other."""
    answer = browser.call("GET", f"/api/network/export?format={form}")
    assert answer.status == 200, answer
    if form != "zip":
        return answer.body.decode()
    archive = zipfile.ZipFile(io.BytesIO(answer.body))
    return "\n".join(archive.read(name).decode() for name in archive.namelist())


def send(browser, **request):
    """Sends a request of somebody's own and waits for its end; the row."""
    answer = browser.call("POST", "/api/network/requests", {"method": "GET", "auth": False} | request)
    assert answer.status == 202, answer

    def finished():
        row = browser.must("GET", f"/api/network/{answer.json['id']}").json
        return None if row["state"] in ("pending", "waiting") else row

    return until(finished, "the request ends")


def test_an_address_is_masked_in_the_case_in_which_it_was_typed(staged):
    browser = staged.signed_in(TYPED.lower())
    for form in (TYPED, TYPED.upper(), TYPED.swapcase()):
        for before in ("", "u", "u:"):
            coded = base64.b64encode(f"{before}{form}:".encode()).decode()
            for text in (coded, base64.urlsafe_b64encode(f"{before}{form}?>".encode()).decode(), f"{before}{form}".encode().hex()):
                row = send(browser, path="/rpc/x", query=f"q={text.replace('+', '%2B').replace('/', '%2F')}")
                # What shares a group with other text may stay.
                assert text[8:-8] not in json.dumps(row), (form, text)
    for form in FORMATS:
        assert base64.b64encode(TYPED.encode()).decode()[:24] not in exported(browser, form)


def test_a_broken_token_is_masked_whole(staged):
    token = "tok-4Yq83vASNFZ4mrze8BI0VniavN7w"
    browser = staged.signed_in("dana@example.com")
    staged.front.be(answers(naming("sam@example.com") | {"access_token": token}))
    assert browser.call("GET", "/api/account").status == 200
    staged.front.be(None)
    coded = base64.b64encode(f"a long text of a mail, whose lines are broken as mails have it: {token} and so on".encode()).decode()
    for text in (f"{token[:9]}\n{token[9:]}", f"{token[:20]}\r\n{token[20:]}", f"{coded[:76]}\r\n{coded[76:]}"):
        for sent in (text, json.dumps({"text": text})):
            row = send(browser, path="/rpc/x", query=f"q={urllib.parse.quote(sent, safe='')}")
            shown = json.dumps([row["query"] if "query" in row else None, row["url"]])
            assert "\\u2039token:" in shown, shown
            for piece in (token[:9], token[20:], coded[92:112]):
                assert piece not in shown, shown


@pytest.mark.parametrize("word", WORDS)
def test_no_word_that_a_backend_names_keeps_an_export_from_leaving(staged, word):
    browser = staged.signed_in("kim@example.com")
    send(browser, path="/rpc/x", query=f"q={base64.b64encode(b'kim@example.com!!').decode()}")
    staged.front.be(answers(naming(word)))
    browser.must("GET", "/api/account")
    staged.front.be(None)
    row = send(browser, path="/rpc/x", query="q=kim%40example.com")
    for form in FORMATS:
        text = exported(browser, form)
        assert "/rpc/" in text or "‹" in text
        # What is secret is masked as before.
        assert "kim@example.com" not in text and "kim%40example" not in text
        assert base64.b64encode(b"kim@example.com!!").decode()[:16] not in text
    for copy in ("curl", "swift", "markdown"):
        assert browser.call("GET", f"/api/network/{row['id']}/{copy}").status == 200


def test_names_of_the_user_are_masked_in_rows_and_imports(start, tmp_path):
    names = tmp_path / "names"
    names.write_text("# of our backend\nblood group\n")
    masks = ("--mask", "tax-number", "--mask-file", names)
    console = start(*masks)
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    row = send(browser, path="/rpc/me", query="taxNumber=plain1&user_blood_group=plain2&other=plain3")
    assert "plain3" in json.dumps(row) and "plain1" not in json.dumps(row) and "plain2" not in json.dumps(row), row
    recording = tmp_path / "one.har"
    one = entry()
    one["request"]["postData"] = {"mimeType": "application/json", "text": '{"taxNumber":"plain1","blood_group":7719,"other":"plain3"}'}
    recording.write_bytes(har([one]))
    # By the command and by the page.
    for arguments, is_masked in ((masks, True), ((), False)):
        code, output, errors = imported(recording, "--data", console.data, *arguments)
        assert code == 0, errors
        text = body(browser, output.strip())
        assert "plain3" in text and ("plain1" not in text and "7719" not in text) == is_masked, text
    status, answer = upload(browser, recording.read_bytes())
    assert status == 201
    assert "plain1" not in body(browser, json.loads(answer)["id"])


def body(browser, recording):
    """The body of the first request of a recording."""
    first = browser.must("GET", f"/api/recordings/{recording}/network").json["events"][0]["id"]
    return browser.must("GET", f"/api/recordings/{recording}/network/{first}").json["request"]["body"]
