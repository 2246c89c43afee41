"""Whatever the backend sends, the console stays up, and the session with it."""

import socket
import threading
import time
from contextlib import closing, suppress

import pytest
from foreign_backend import Answer, json_answer, page
from moments import until

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
NUMBERS = ["1e999", "-1e999", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551616", "1" * 400, "0.1e-400", "-0"]


def raw(*parts):
    """Bytes as they are."""
    return Answer(raw=b"".join(parts))


ANSWERS = {
    "10 MB": Answer(200, b'{"user_id":"' + b"a" * 10_000_000 + b'"}'),
    "10 MB of spaces": Answer(200, b" " * 10_000_000 + b"{}"),
    "100,000 members": Answer(200, b"{" + b",".join(b'"m%d":%d' % (n, n) for n in range(100_000)) + b"}"),
    "a deep list": Answer(200, b"[" * 500_000),
    "a deep object": Answer(200, b'{"user_id":' * 100_000),
    "a deep list that ends": Answer(200, b"[" * 5000 + b"]" * 5000),
    "text as JSON": Answer(200, b"hello", "text/plain"),
    "an image": Answer(200, b"\x89PNG\r\n\x1a\n" + bytes(1000), "image/png"),
    "a page": page(200),
    "a broken media type": Answer(200, b"{}", "application/json; charset=\"; ;;,"),
    "UTF-16": Answer(200, '{"user_id":"a"}'.encode("utf-16"), "application/json; charset=utf-16"),
    "not UTF-8": Answer(200, b'{"user_id":"\xff\xfe\x80"}'),
    "lone surrogate": Answer(200, b'{"user_id":"\\ud800"}'),
    "a zero byte": Answer(200, b'{"user_id":"\\u0000","\x00":1}'),
    "a member twice": Answer(200, b'{"user_id":"a","user_id":"b"}'),
    "says gzip, is none": Answer(200, b"{}" * 50, headers=(("Content-Encoding", "gzip"),)),
    "an unknown coding": Answer(200, b"{}" * 50, headers=(("Content-Encoding", "rot13"),)),
    "a bad chunk": raw(HEAD, b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"),
    "cut in a chunk": raw(HEAD, b"Transfer-Encoding: chunked\r\n\r\nff\r\n{\"user_id\""),
    "cut before the last chunk": raw(HEAD, b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"),
    "cut in the body": raw(HEAD, b"Content-Length: 500\r\n\r\n{\"user"),
    "cut in the head": raw(b"HTTP/1.1 200 OK\r\nContent-Ty"),
    "not HTTP": raw(b"SSH-2.0-OpenSSH_9.2\r\n"),
    "status 99": raw(b"HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n"),
    "status 999": raw(b"HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n"),
    "HTTP/0.9": raw(b"{}"),
    "a header fold": raw(HEAD, b"X-A: b\r\n\tc\r\nContent-Length: 2\r\n\r\n{}"),
    "a header without a name": raw(HEAD, b": b\r\nContent-Length: 2\r\n\r\n{}"),
    "206": Answer(206, b'{"user_id":"a"}', headers=(("Content-Range", "bytes 0-1/5"),)),
    "304 unasked": Answer(304, media_type=None),
    "204": Answer(204, media_type=None),
}


def assert_well(site, phone):
    """The console lives and the same session goes on."""
    assert site.console.is_alive(), site.console.errors[-3000:]
    phone.script.answers.clear()
    answer = phone.call("GET", "/api/account")
    assert answer.status == 200, (answer, phone.failures())


@pytest.mark.crossed
@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize("path", ["/rpc/me", "/rpc/refresh_tokens"])
def test_the_console_stays_up(site, phone, answer, path):
    here = phone()
    here.sign_in()
    # Once: some of these would be retried as lost connections are, until patience ends.
    here.script.answers[path] = [answer, answer]
    began = time.monotonic()
    method, called = ("GET", "/api/account") if path == "/rpc/me" else ("POST", "/api/session/refresh")
    answered = here.call(method, called, {} if method == "POST" else None)
    assert answered.status in (200, 429, 502, 503, 504), answered
    assert time.monotonic() - began < 20
    assert here.session()["state"] in ("authenticated", "error"), here.failures()
    here.script.answers.clear()
    # One that the console tries again by itself may still have met the answer.
    until(lambda: here.call("POST", "/api/session/refresh", {}).status in (200, 429), "a refresh works")
    assert_well(site, here)


@pytest.mark.crossed
@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("quote", [b"", b'"'], ids=["number", "text"])
def test_no_number_is_too_large(site, phone, number, quote):
    """In tokens, receipts, configuration and cues alike."""
    here = phone()
    value = quote + number.encode() + quote
    fill = lambda text: Answer(200, text.replace(b"N", value))  # noqa: E731
    here.script.answers["/rpc/app_config"] = fill(
        b'{"auth":{"cooldown_seconds":N,"code_length":N},"network_log":{"capacity":N},"session":{"refresh_margin_seconds":N}}')
    here.script.answers["/rpc/request_login_code"] = fill(b'{"cooldown_seconds":N,"expires_in_seconds":N}')
    here.account.send()
    assert here.call("POST", "/api/login/code", {"identifier": here.identifier}).status in (202, 429, 502)
    tokens = here.tokens.start()
    times = b'"expires_in":N,"expires_at":N,"refresh_expires_in":N,"refresh_expires_at":N'
    pair = b'"access_token":"%s","refresh_token":"%s"' % (tokens["access_token"].encode(), tokens["refresh_token"].encode())
    here.script.account = here.account
    here.script.answers["/rpc/login_with_code"] = fill(b"{" + pair + b"," + times + b"}")
    here.script.answers["/rpc/get_cues"] = fill(b'{"cues":[{"cue_id":"1","prompt":"p","answer":"a","stage":"new","position":N,"updated_at":N}],"server_time":N}')
    assert here.redeem("123456").status in (200, 422, 502)
    for path in ("/api/state", "/api/account", "/api/cues", "/api/network", "/api/timeline"):
        assert here.call("GET", path).status in (200, 401, 502, 503), path
    assert site.console.is_alive(), site.console.errors[-3000:]
    here.script.answers.clear()
    assert phone().sign_in()


@pytest.mark.parametrize("wait", ["-1", "0", "1e3", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "soon", ""])
def test_no_retry_after_is_too_odd(site, phone, wait):
    here = phone()
    here.script.answers["/rpc/request_login_code"] = json_answer(429, {"code": "too_many_attempts"}, ("Retry-After", wait))
    answer = here.call("POST", "/api/login/code", {"identifier": here.identifier})
    assert answer.status == 429, answer
    assert 0 <= answer.json.get("retry_after_seconds", 0) <= 400 * 86400, answer
    assert site.console.is_alive()


@pytest.mark.crossed
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("path", ["/rpc/me", "/rpc/refresh_tokens", "/rpc/login_with_code"])
def test_no_redirect_is_followed(site, phone, status, path):
    """Neither a token nor a code reaches another host."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        met = []

        def accept():
            # Until the listener is shut down.
            with suppress(OSError):
                while listener.fileno() >= 0:
                    connection, _ = listener.accept()
                    met.append(connection.recv(65536))
                    connection.close()

        threading.Thread(target=accept, daemon=True).start()
        to = f"https://127.0.0.1:{listener.getsockname()[1]}/elsewhere"
        here = phone()
        if path == "/rpc/login_with_code":
            here.must("POST", "/api/login/code", {"identifier": here.identifier}, status=202)
        else:
            here.sign_in()
        here.script.answers[path] = Answer(status, b"{}", headers=(("Location", to),))
        if path == "/rpc/login_with_code":
            answer = here.redeem(here.account.code)
        elif path == "/rpc/me":
            answer = here.call("GET", "/api/account")
        else:
            answer = here.call("POST", "/api/session/refresh", {})
        assert answer.status in (502, 503), answer
        assert not met
        listener.shutdown(socket.SHUT_RDWR)
    assert here.script.count(path) >= 1 and "/elsewhere" not in here.script.paths()
