private let host = "Host: a\r\n"
private let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

private func line(_ name: String, _ text: String, _ verdict: String = "400") -> RequestCase {
  .init(name, text + "\r\n\(host)\r\n", verdict)
}

private func field(_ name: String, _ text: String, _ verdict: String = "400") -> RequestCase {
  .init(name, "POST / HTTP/1.1\r\n\(host)\(text)\r\n\r\nabc", verdict)
}

private func chunk(_ name: String, _ text: String, _ verdict: String = "400") -> RequestCase {
  .init(name, chunked + text, verdict)
}

/// Requests that must be refused, with the status.
let badRequests: [RequestCase] =
  badLines + badHosts + badFields + badFraming + badChunks

private let badLines: [RequestCase] = [
  line("two blanks after method", "GET  / HTTP/1.1"),
  line("two blanks after target", "GET /  HTTP/1.1"),
  line("tab", "GET\t/ HTTP/1.1"),
  line("trailing blank", "GET / HTTP/1.1 "),
  line("leading blank", " GET / HTTP/1.1"),
  line("no target", "GET HTTP/1.1"),
  line("no version", "GET /"),
  line("blank in target", "GET /a b HTTP/1.1"),
  line("method with colon", "GE:T / HTTP/1.1"),
  line("method with brackets", "G[T] / HTTP/1.1"),
  line("relative target", "GET a HTTP/1.1"),
  line("fragment", "GET /a#b HTTP/1.1"),
  line("backslash in path", "GET /a\\b HTTP/1.1"),
  line("angle bracket", "GET /<a> HTTP/1.1"),
  line("quote in query", "GET /?\"a HTTP/1.1"),
  line("escape broken", "GET /%2 HTTP/1.1"),
  line("escape not hex", "GET /%zz HTTP/1.1"),
  line("escape broken in query", "GET /?%g0 HTTP/1.1"),
  line("raw utf-8", "GET /ä HTTP/1.1"),
  line("asterisk for get", "GET * HTTP/1.1"),
  line("asterisk with path", "OPTIONS *a HTTP/1.1"),
  line("authority for get", "GET a:80 HTTP/1.1"),
  line("connect", "CONNECT a:443 HTTP/1.1", "501"),
  line("ftp target", "GET ftp://a/ HTTP/1.1"),
  line("userinfo", "GET http://u:p@a/ HTTP/1.1"),
  line("absolute, no host", "GET http:/// HTTP/1.1"),
  line("absolute, port too large", "GET http://a:65536/ HTTP/1.1"),
  line("lower-case protocol", "GET / http/1.1"),
  line("version 2.0", "GET / HTTP/2.0", "505"),
  line("version 0.9", "GET / HTTP/0.9", "505"),
  line("version 1", "GET / HTTP/1"),
  line("version 1.10", "GET / HTTP/1.10"),
  line("version +1.1", "GET / HTTP/+1.1"),
  line("version 1,1", "GET / HTTP/1,1"),
  .init("nul", bytes: Array("GET /".utf8) + [0] + Array(" HTTP/1.1\r\n\(host)\r\n".utf8), "400"),
  .init("bare lf after line", "GET / HTTP/1.1\nHost: a\r\n\r\n", "400"),
  .init("bare cr in line", "GET / HTTP/1.1\rHost: a\r\n\r\n", "400"),
  .init("two cr", "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n", "400"),
  .init("two leading empty lines", "\r\n\r\nGET / HTTP/1.1\r\n\(host)\r\n", "400"),
  .init("leading lf", "\nGET / HTTP/1.1\r\n\(host)\r\n", "400"),
  .init("tls hello", bytes: [0x16, 0x03, 0x01, 0x02, 0x00], "400"),
  .init("line of 8193", "GET /\(String(repeating: "a", count: 8179)) HTTP/1.1\r\n\(host)\r\n", "414"),
  .init("endless line", "GET /\(String(repeating: "a", count: 9000))", "414"),
]

private let badHosts: [RequestCase] = [
  .init("no host", "GET / HTTP/1.1\r\n\r\n", "400"),
  .init("two hosts", "GET / HTTP/1.1\r\n\(host)\(host)\r\n", "400"),
  .init("two hosts in 1.0", "GET / HTTP/1.0\r\n\(host)host: b\r\n\r\n", "400"),
  .init("empty host", "GET / HTTP/1.1\r\nHost: \r\n\r\n", "400"),
  .init("host list", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", "400"),
  .init("host with path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", "400"),
  .init("host with userinfo", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", "400"),
  .init("host port text", "GET / HTTP/1.1\r\nHost: a:b\r\n\r\n", "400"),
  .init("host port huge", "GET / HTTP/1.1\r\nHost: a:99999\r\n\r\n", "400"),
  .init("host port longer than any integer", "GET / HTTP/1.1\r\nHost: a:99999999999999999999999\r\n\r\n", "400"),
  .init("host bracket open", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", "400"),
]

private let badFields: [RequestCase] = [
  field("blank before colon", "X : a"),
  field("tab before colon", "X\t: a"),
  field("no colon", "X"),
  field("empty name", ": a"),
  field("fold", "X: a\r\n b"),
  .init("fold of the first field", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", "400"),
  field("name with bracket", "X[A]: a"),
  field("name with blank", "X A: a"),
  .init("name with utf-8", "GET / HTTP/1.1\r\n\(host)Ä: a\r\n\r\n", "400"),
  .init("nul in value", bytes: Array("GET / HTTP/1.1\r\n\(host)X: a".utf8) + [0] + Array("\r\n\r\n".utf8), "400"),
  .init("escape in value", bytes: Array("GET / HTTP/1.1\r\n\(host)X: a".utf8) + [0x1B] + Array("\r\n\r\n".utf8), "400"),
  .init("del in value", bytes: Array("GET / HTTP/1.1\r\n\(host)X: ".utf8) + [0x7F] + Array("\r\n\r\n".utf8), "400"),
  .init("bare cr in value", "GET / HTTP/1.1\r\n\(host)X: a\rb\r\n\r\n", "400"),
  .init("bare lf in fields", "GET / HTTP/1.1\r\n\(host)X: a\nY: b\r\n\r\n", "400"),
  .init("bare lf at end", "GET / HTTP/1.1\r\n\(host)\n", "400"),
  .init("101 fields", "GET / HTTP/1.1\r\n\(host)\(String(repeating: "A: b\r\n", count: 100))\r\n", "431"),
  .init("head too large", "GET / HTTP/1.1\r\n\(host)X: \(String(repeating: "a", count: 66_000))\r\n\r\n", "431"),
  .init("endless field", "GET / HTTP/1.1\r\n\(host)X: \(String(repeating: "a", count: 66_000))", "431"),
  field("expect other", "Expect: 200-ok", "417"),
  field("expect two", "Expect: 100-continue, x", "417"),
]

private let badFraming: [RequestCase] = [
  field("length repeated", "Content-Length: 3\r\nContent-Length: 3"),
  field("length differs", "Content-Length: 3\r\nContent-Length: 4"),
  field("length list", "Content-Length: 3, 3"),
  field("length plus", "Content-Length: +3"),
  field("length minus", "Content-Length: -3"),
  field("length hex", "Content-Length: 0x3"),
  field("length empty", "Content-Length:"),
  field("length with blank", "Content-Length: 3 0"),
  field("length fraction", "Content-Length: 3.0"),
  field("length too large", "Content-Length: 99999999999999999999", "413"),
  field("length over 64 bits", "Content-Length: 18446744073709551616", "413"),
  field("length and coding", "Content-Length: 3\r\nTransfer-Encoding: chunked"),
  field("coding and length", "Transfer-Encoding: chunked\r\nContent-Length: 3"),
  field("coding twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
  field("chunked twice", "Transfer-Encoding: chunked, chunked"),
  field("chunked then identity", "Transfer-Encoding: chunked, identity"),
  field("gzip, chunked", "Transfer-Encoding: gzip, chunked", "501"),
  field("gzip", "Transfer-Encoding: gzip"),
  field("identity", "Transfer-Encoding: identity"),
  field("xchunked", "Transfer-Encoding: xchunked"),
  field("quoted", "Transfer-Encoding: \"chunked\""),
  field("parameter", "Transfer-Encoding: chunked;a=b"),
  field("vertical tab", "Transfer-Encoding: \u{0B}chunked"),
  field("coding empty", "Transfer-Encoding:"),
  field("comma first", "Transfer-Encoding: ,chunked"),
  .init("coding in 1.0", "POST / HTTP/1.0\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"),
  .init("blank before coding's colon", "POST / HTTP/1.1\r\n\(host)Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", "400"),
]

private let badChunks: [RequestCase] = [
  chunk("size empty", "\r\nabc\r\n0\r\n\r\n"),
  chunk("size 0x", "0x3\r\nabc\r\n0\r\n\r\n"),
  chunk("size plus", "+3\r\nabc\r\n0\r\n\r\n"),
  chunk("size minus", "-3\r\nabc\r\n0\r\n\r\n"),
  chunk("size blank before", " 3\r\nabc\r\n0\r\n\r\n"),
  chunk("size blank after", "3 \r\nabc\r\n0\r\n\r\n"),
  chunk("size underscore", "1_0\r\n"),
  chunk("size too large", "fffffffffffffffff\r\n"),
  chunk("size 16 digits", "8000000000000000\r\n"),
  chunk("size bare lf", "3\nabc\r\n0\r\n\r\n"),
  chunk("size bare cr", "3\rabc\r\n0\r\n\r\n"),
  chunk("data too long", "3\r\nabcd\r\n0\r\n\r\n"),
  chunk("data too short", "3\r\nab\r\n0\r\n\r\n"),
  chunk("data ends with lf", "3\r\nabc\n0\r\n\r\n"),
  chunk("extension nul", "3;\u{0}\r\nabc\r\n0\r\n\r\n"),
  chunk("extension bare lf", "3;a\nabc\r\n0\r\n\r\n"),
  chunk("extension without name", "3;\r\nabc\r\n0\r\n\r\n"),
  chunk("extension quote open", "3;a=\"b\r\nabc\r\n0\r\n\r\n"),
  chunk("extension without semicolon", "3 a\r\nabc\r\n0\r\n\r\n"),
  chunk("extension too long", "3;\(String(repeating: "a", count: 300))\r\nabc\r\n0\r\n\r\n"),
  chunk("extensions too many", String(repeating: "1;\(String(repeating: "a", count: 200))\r\nx\r\n", count: 30)),
  chunk("trailer length", "0\r\nContent-Length: 3\r\n\r\n"),
  chunk("trailer coding", "0\r\nTransfer-Encoding: chunked\r\n\r\n"),
  chunk("trailer host", "0\r\nHost: b\r\n\r\n"),
  chunk("trailer malformed", "0\r\nX : b\r\n\r\n"),
  chunk("trailer bare lf", "0\r\nX: b\n\r\n"),
  chunk("trailer fold", "0\r\nX: b\r\n c\r\n\r\n"),
  chunk("trailers too many", "0\r\n\(String(repeating: "A: b\r\n", count: 33))\r\n"),
  chunk("trailers too large", "0\r\nX: \(String(repeating: "a", count: 8300))\r\n\r\n"),
]
