"""Raw bytes for a proxy that two HTTP parsers may read differently. `/outer` is the intended request;
`/inner` is one that only the other reading contains."""

HOST = b"Host: probe\r\n"
INNER = b"GET /inner HTTP/1.1\r\nHost: probe\r\n\r\n"
LAST = b"0\r\n\r\n"


def post(fields, body, method=b"POST", version=b"1.1"):
    """The bytes of a request of these raw field lines."""
    if isinstance(fields, str):
        fields = fields.encode("latin-1")
    return method + b" /outer HTTP/" + version + b"\r\n" + HOST + (fields + b"\r\n" if fields else b"") + b"\r\n" + body


CODINGS = [
    "Transfer-Encoding: chunked", "transfer-encoding:chunked", "Transfer-Encoding: CHUNKED", "Transfer-Encoding : chunked",
    "Transfer-Encoding\t: chunked", " Transfer-Encoding: chunked", "X: y\r\n Transfer-Encoding: chunked",
    "Transfer-Encoding:\r\n chunked", "Transfer-Encoding: \tchunked", "Transfer-Encoding: chunked ", "Transfer-Encoding: xchunked",
    "Transfer-Encoding: chunkedx", "Transfer-Encoding: chunked, identity", "Transfer-Encoding: identity, chunked",
    "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: ,chunked",
    "Transfer-Encoding: chunked,", "Transfer-Encoding: \"chunked\"", "Transfer-Encoding: chunked;q=1", "Transfer-Encoding: identity",
    "Transfer-Encoding:", "Transfer-Encoding: \x0bchunked", "Transfer-Encoding: chunked\x0b", "Transfer-Encoding: \x00chunked",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
    "Transfer_Encoding: chunked", "Transfer-Encoding\x00: chunked", "X: y\nTransfer-Encoding: chunked",
    "X: y\rTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nConnection: Transfer-Encoding",
]

LENGTHS = [
    "+3", "-3", "3,3", "3, 4", "0x3", "3 3", "", "03", "3.0", "3e0", "1_0", "3;", "\t3", "3\x0b", "\xb3", "99999999999999999999",
    "18446744073709551619", "3\r\nContent-Length: 3", "3\r\nContent-Length: 4", "0\r\nContent-Length: 3", "\r\nContent-Length: 3",
    "\r\n 3", "3\r\nContent_Length: 0",
]

CHUNKS = {
    "plain": b"3\r\nabc\r\n0\r\n\r\n", "extension": b"3;a=b\r\nabc\r\n0\r\n\r\n", "quoted": b'3;a="\r\nabc\r\n0\r\n\r\n',
    "extension with line feed": b"3;a\nabc\r\n0\r\n\r\n", "extension with cr": b"3;a\rb\r\nabc\r\n0\r\n\r\n", "hexadecimal": b"0x3\r\nabc\r\n0\r\n\r\n",
    "signed": b"+3\r\nabc\r\n0\r\n\r\n", "negative": b"-3\r\nabc\r\n0\r\n\r\n", "blank first": b" 3\r\nabc\r\n0\r\n\r\n",
    "blank after": b"3 \r\nabc\r\n0\r\n\r\n", "zeros": b"0000000000000003\r\nabc\r\n0\r\n\r\n", "line feeds": b"3\nabc\n0\n\n",
    "size with line feed": b"3\nabc\r\n0\r\n\r\n", "data with line feed": b"3\r\nabc\n0\r\n\r\n", "end with line feed": b"3\r\nabc\r\n0\r\n\n",
    "too much data": b"3\r\nabcd\r\n0\r\n\r\n", "overflow": b"10000000000000003\r\nabc\r\n0\r\n\r\n", "no size": b"\r\nabc\r\n0\r\n\r\n",
    "no digit": b"g\r\nabc\r\n0\r\n\r\n", "underscore": b"1_0\r\nabc\r\n0\r\n\r\n", "trailer": b"0\r\nX: y\r\n\r\n", "trailer length": b"0\r\nContent-Length: 40\r\n\r\n",
    "trailer coding": b"0\r\nTransfer-Encoding: chunked\r\n\r\n", "trailer fold": b"0\r\nX: y\r\n z\r\n\r\n", "many": b"1\r\na\r\n" * 50 + LAST,
    "inner in a chunk": b"%x\r\n%s\r\n" % (len(INNER), INNER) + LAST, "unfinished": b"5\r\nab",
}

OTHERS = {
    "two": post("Content-Length: 3", b"abc") + INNER, "three": post("", b"", b"GET") + post("Content-Length: 0", b"") + INNER,
    "chunked, then get": post("Transfer-Encoding: chunked", b"3\r\nabc\r\n" + LAST) + INNER,
    "get with inner as body": post(f"Content-Length: {len(INNER)}", INNER, b"GET"), "head with a body": post("Content-Length: 3", b"abc", b"HEAD") + INNER,
    "delete with chunks": post("Transfer-Encoding: chunked", b"3\r\nabc\r\n" + LAST, b"DELETE") + INNER,
    "get with chunks": post("Transfer-Encoding: chunked", b"3\r\nabc\r\n" + LAST, b"GET") + INNER,
    "1.0 with a coding": post("Connection: keep-alive\r\nTransfer-Encoding: chunked", LAST, version=b"1.0") + INNER,
    "1.0 keep-alive": post("Connection: keep-alive\r\nContent-Length: 3", b"abc", version=b"1.0") + INNER,
    "length named by connection": post("Connection: Content-Length\r\nContent-Length: 3", b"abc") + INNER,
    "upgrade": post("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA", b"", b"GET") + INNER,
    "websocket": post("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", b"", b"GET") + INNER,
    "expect": post("Expect: 100-continue\r\nContent-Length: 3", b"abc") + INNER,
    "expect, inner as body": post(f"Expect: 100-continue\r\nContent-Length: {len(INNER)}", INNER),
    "expect other": post("Expect: x\r\nContent-Length: 3", b"abc") + INNER,
    "two hosts": post("Host: other", b"", b"GET") + INNER, "absolute": b"GET http://other/outer HTTP/1.1\r\nHost: probe\r\n\r\n" + INNER,
    "line feeds only": b"GET /outer HTTP/1.1\nHost: probe\n\n" + INNER, "empty lines first": b"\r\n\r\n" + post("", b"", b"GET"),
    "blank before the colon of host": b"GET /outer HTTP/1.1\r\nHost : probe\r\n\r\n" + INNER,
    "unfinished body": post("Content-Length: 100", INNER), "inner in the line": b"GET /outer?\rGET /inner HTTP/1.1\r\nHost: probe\r\n\r\n",
    "encoded line ends": b"GET /outer%0d%0aGET%20/inner HTTP/1.1\r\nHost: probe\r\n\r\n", "length in a field's value": post("X: a\r\nX-Content-Length: 3", b"", b"GET") + INNER,
}

CASES = (
    [(f"length and coding {index}", post(f"Content-Length: {len(LAST + INNER)}\r\n{coding}", LAST + INNER)) for index, coding in enumerate(CODINGS)]
    + [(f"coding and length {index}", post(f"{coding}\r\nContent-Length: 5", LAST + INNER)) for index, coding in enumerate(CODINGS)]
    + [(f"coding {index}", post(coding, LAST + INNER)) for index, coding in enumerate(CODINGS)]
    + [(f"length {index}", post(f"Content-Length: {length}", b"abc" + INNER)) for index, length in enumerate(LENGTHS)]
    + [(f"chunk, {name}", post("Transfer-Encoding: chunked", body + INNER)) for name, body in CHUNKS.items()]
    + list(OTHERS.items())
)
