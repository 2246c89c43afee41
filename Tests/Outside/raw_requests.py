"""Raw requests to the probe with the expected final statuses, in order; one exchange is one connection."""

from dataclasses import dataclass

HOST = b"Host: probe\r\n"


@dataclass(frozen=True)
class Exchange:
    """What a connection sends, and what it must receive."""

    name: str
    sent: bytes
    statuses: tuple[int, ...]
    methods: tuple[str, ...]
    continues: int = 0


def request(method="GET", target="/", *fields, body=b"", version="1.1"):
    """The bytes of a well-formed request."""
    lines = "".join(f"{field}\r\n" for field in fields).encode("latin-1")
    return f"{method} {target} HTTP/{version}\r\n".encode("latin-1") + HOST + lines + b"\r\n" + body


def one(name, status, method="GET", target="/", *fields, body=b"", version="1.1", continues=0):
    """An exchange of one request."""
    return Exchange(name, request(method, target, *fields, body=body, version=version), (status,), (method,), continues)


def raw(name, status, sent, method="GET"):
    """An exchange whose bytes are given; a refusal is one answer."""
    return Exchange(name, sent, (status,), (method,))


def line(name, status, text):
    """An exchange of one request line before a good head."""
    return raw(name, status, text.encode("latin-1") + b"\r\n" + HOST + b"\r\n")


def field(name, status, text):
    """An exchange of a POST with that field line."""
    return raw(name, status, b"POST /echo HTTP/1.1\r\n" + HOST + text.encode("latin-1") + b"\r\n\r\n", "POST")


def chunked(body, *fields):
    """A POST of raw chunk bytes."""
    return request("POST", "/echo", "Transfer-Encoding: chunked", *fields, body=body)


def batch(name, *exchanges):
    """Several exchanges sent at once on one connection."""
    return Exchange(
        name, b"".join(each.sent for each in exchanges), sum((each.statuses for each in exchanges), ()),
        sum((each.methods for each in exchanges), ()), sum(each.continues for each in exchanges))


GET, HEAD = one("get", 200, "GET", "/tiny"), one("head", 200, "HEAD", "/tiny")
ECHO = one("echo", 200, "POST", "/echo", "Content-Length: 3", body=b"abc")
NONE = one("no content", 204, "GET", "/no-content")
SINCE = "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT"

PLAIN = [
    GET, HEAD, ECHO, NONE,
    one("page", 200), one("head of a page", 200, "HEAD"), one("query", 200, "GET", "/tiny?a=b&c"),
    one("asynchronous", 200, "GET", "/tiny-async"), one("head, asynchronous", 200, "HEAD", "/tiny-async"),
    one("head of no content", 204, "HEAD", "/no-content"), one("style", 200, "GET", "/style.css"),
    one("large file", 200, "GET", "/large.txt"), one("head of a large file", 200, "HEAD", "/large.txt"),
    one("gzip", 200, "GET", "/large.txt", "Accept-Encoding: gzip"),
    one("head, gzip", 200, "HEAD", "/large.txt", "Accept-Encoding: gzip"),
    one("gzip refused", 200, "GET", "/large.txt", "Accept-Encoding: gzip;q=0"),
    one("empty file", 200, "GET", "/empty.txt"), one("missing", 404, "GET", "/missing"),
    one("head of missing", 404, "HEAD", "/missing"), one("dots", 404, "GET", "/../etc/passwd"),
    one("encoded dots", 404, "GET", "/%2e%2e/etc/passwd"), one("hidden", 404, "GET", "/.hidden"),
    one("wrong method", 405, "POST", "/tiny", "Content-Length: 0"), one("wrong method for a file", 405, "DELETE", "/style.css"),
    one("put", 405, "PUT", "/style.css", "Content-Length: 3", body=b"abc"),
    one("1.0", 200, "GET", "/tiny", version="1.0"), one("1.0, head", 200, "HEAD", "/tiny", version="1.0"),
    one("1.0, keep-alive", 200, "GET", "/tiny", "Connection: keep-alive", version="1.0"),
    raw("1.0 without host", 200, b"GET /tiny HTTP/1.0\r\n\r\n"), one("close", 200, "GET", "/tiny", "Connection: close"),
    line("absolute", 200, "GET http://probe/tiny HTTP/1.1"), raw("empty line first", 200, b"\r\n" + GET.sent),
    one("json", 200, "POST", "/api/json", "Content-Length: 7", body=b'{"a":1}'),
    one("no json", 400, "POST", "/api/json", "Content-Length: 4", body=b"{a:}"),
    one("json empty", 400, "POST", "/api/json", "Content-Length: 0"),
]

CONDITIONAL = [
    one("any tag", 304, "GET", "/style.css", "If-None-Match: *"), one("head, any tag", 304, "HEAD", "/style.css", "If-None-Match: *"),
    one("other tag", 200, "GET", "/style.css", 'If-None-Match: "x", W/"y"'), one("not modified", 304, "GET", "/style.css", SINCE),
    one("head, not modified", 304, "HEAD", "/style.css", SINCE),
    one("not modified, rfc 850", 304, "GET", "/style.css", "If-Modified-Since: Friday, 01-Jan-60 00:00:00 GMT"),
    one("not modified, asctime", 304, "GET", "/style.css", "If-Modified-Since: Fri Jan  1 00:00:00 2100"),
    one("date broken", 200, "GET", "/style.css", "If-Modified-Since: yesterday"),
    one("match any", 200, "GET", "/style.css", "If-Match: *"), one("match other", 412, "GET", "/style.css", 'If-Match: "x"'),
    one("head, match other", 412, "HEAD", "/style.css", 'If-Match: "x"'),
    one("unmodified since long ago", 412, "GET", "/style.css", "If-Unmodified-Since: Sat, 01 Jan 2000 00:00:00 GMT"),
    one("unmodified since", 200, "GET", "/style.css", "If-Unmodified-Since: Fri, 01 Jan 2100 00:00:00 GMT"),
    one("first byte", 206, "GET", "/large.txt", "Range: bytes=0-0"), one("last bytes", 206, "GET", "/large.txt", "Range: bytes=-5"),
    one("from a byte on", 206, "GET", "/large.txt", "Range: bytes=299990-"),
    one("beyond the end", 206, "GET", "/large.txt", "Range: bytes=299990-99999999999999999999999"),
    one("several parts", 206, "GET", "/large.txt", "Range: bytes=0-1,10-11,-3"),
    one("parts that overlap", 206, "GET", "/large.txt", "Range: bytes=0-10,5-20"),
    one("not satisfiable", 416, "GET", "/large.txt", "Range: bytes=300000-"),
    one("suffix of none", 416, "GET", "/large.txt", "Range: bytes=-0"),
    one("backwards", 200, "GET", "/large.txt", "Range: bytes=5-2"), one("other unit", 200, "GET", "/large.txt", "Range: lines=1-2"),
    one("no number", 200, "GET", "/large.txt", "Range: bytes=a-b"), one("range of head", 200, "HEAD", "/large.txt", "Range: bytes=0-0"),
    one("too many ranges", 200, "GET", "/large.txt", "Range: bytes=" + ",".join(f"{n * 10}-{n * 10}" for n in range(20))),
    one("other validator", 200, "GET", "/large.txt", "Range: bytes=0-0", 'If-Range: "x"'),
    one("range with gzip", 206, "GET", "/large.txt", "Range: bytes=0-9", "Accept-Encoding: gzip"),
]

BODIES = [
    raw("chunked", 200, chunked(b"3\r\nabc\r\n0\r\n\r\n"), "POST"), raw("chunked, empty", 200, chunked(b"0\r\n\r\n"), "POST"),
    raw("chunk extension", 200, chunked(b'3;a="b\\"c";d\r\nabc\r\n0;x\r\n\r\n'), "POST"),
    raw("trailers", 200, chunked(b"3\r\nabc\r\n0\r\nX-A: b\r\n\r\n", "Trailer: X-A"), "POST"),
    one("body not wanted", 405, "POST", "/tiny", "Content-Length: 5", body=b"12345"),
    one("get with a body", 200, "GET", "/tiny", "Content-Length: 2", body=b"hi"),
    one("expect", 200, "POST", "/echo", "Expect: 100-continue", "Content-Length: 3", body=b"abc"),
    one("expect, not wanted", 405, "POST", "/tiny", "Expect: 100-continue", "Content-Length: 3"),
    one("expect, too large", 413, "POST", "/echo", "Expect: 100-continue", "Content-Length: 999999999999"),
    one("expect other", 417, "POST", "/echo", "Expect: 200-ok", "Content-Length: 3", body=b"abc"),
    one("too large", 413, "POST", "/echo", "Content-Length: 99999999999"),
    one("half a mebibyte", 200, "POST", "/echo", "Content-Length: 524288", body=b"x" * 524288),
    raw("body cut off", 400, request("POST", "/echo", "Content-Length: 10", body=b"abc"), "POST"),
    raw("chunk size broken", 400, chunked(b"x\r\nabc\r\n0\r\n\r\n"), "POST"),
    raw("chunk end broken", 400, chunked(b"3\r\nabcd\r\n0\r\n\r\n"), "POST"),
    raw("trailer forbidden", 400, chunked(b"0\r\nContent-Length: 3\r\n\r\n"), "POST"),
]

REFUSED = [
    line("tab", 400, "GET\t/ HTTP/1.1"), line("two blanks", 400, "GET  / HTTP/1.1"), line("no version", 400, "GET /"),
    line("blank in the target", 400, "GET /a b HTTP/1.1"), line("fragment", 400, "GET /a#b HTTP/1.1"),
    line("escape broken", 400, "GET /%zz HTTP/1.1"), line("relative", 400, "GET a HTTP/1.1"), line("asterisk", 400, "GET * HTTP/1.1"),
    line("version 2", 505, "GET / HTTP/2.0"), line("lower-case version", 400, "GET / http/1.1"),
    line("connect", 501, "CONNECT probe:443 HTTP/1.1"), line("long target", 414, "GET /" + "a" * 9000 + " HTTP/1.1"),
    line("userinfo", 400, "GET http://a@probe/ HTTP/1.1"), line("ftp", 400, "GET ftp://probe/ HTTP/1.1"),
    raw("no host", 400, b"GET / HTTP/1.1\r\n\r\n"), raw("two hosts", 400, b"GET / HTTP/1.1\r\n" + HOST + HOST + b"\r\n"),
    raw("bare line feeds", 400, b"GET / HTTP/1.1\nHost: probe\n\n"), raw("nul", 400, b"GET /\0 HTTP/1.1\r\n" + HOST + b"\r\n"),
    raw("tls hello", 400, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"), raw("http/2 preface", 505, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    raw("folded", 400, b"GET / HTTP/1.1\r\n" + HOST + b"X: a\r\n b\r\n\r\n"), field("blank before colon", 400, "X : a"),
    field("no colon", 400, "X"), field("control byte", 400, "X: a\x01"), field("length signed", 400, "Content-Length: +3"),
    field("length twice", 400, "Content-Length: 3\r\nContent-Length: 3"), field("length list", 400, "Content-Length: 3, 3"),
    field("both framings", 400, "Content-Length: 3\r\nTransfer-Encoding: chunked"),
    field("coding twice", 400, "Transfer-Encoding: chunked, chunked"), field("unknown coding", 501, "Transfer-Encoding: gzip, chunked"),
    field("identity", 400, "Transfer-Encoding: identity"), field("large head", 431, "X: " + "a" * 70_000),
    field("many fields", 431, "\r\n".join(["X: a"] * 120)),
]

PIPELINED = [
    batch("two", GET, GET), batch("sixteen", *[GET] * 16), batch("hundred", *[GET] * 100), batch("head between", GET, HEAD, GET),
    batch("no content between", NONE, GET, NONE, GET), batch("not modified between", CONDITIONAL[0], GET, CONDITIONAL[1], HEAD),
    batch("bodies", ECHO, ECHO, GET, ECHO), batch("chunked, then get", BODIES[0], GET), batch("body not wanted, then get", BODIES[4], GET),
    batch("parts, then get", CONDITIONAL[17], GET, CONDITIONAL[19], HEAD), batch("good, then bad", GET, HEAD, REFUSED[0]),
    batch("refused, then good", Exchange("", REFUSED[0].sent + GET.sent, (400,), ("GET",))),
    batch("close, then get", Exchange("", PLAIN[29].sent + GET.sent, (200,), ("GET",))),
    batch("large file, then get", PLAIN[11], GET, PLAIN[12], PLAIN[13], GET),
    batch("errors that keep the connection", PLAIN[17], PLAIN[22], GET, PLAIN[33], GET),
]

EXCHANGES = PLAIN + CONDITIONAL + BODIES + REFUSED + PIPELINED
