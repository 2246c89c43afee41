private func read(_ name: String, _ text: String, _ rest: String, _ answer: String) -> ConformanceCase {
  .init("9112 §6.3", name, ask("POST /echo", text, body: rest), [.init(200, "POST /echo - \(answer)")])
}

private func refused(
  _ section: String, _ name: String, _ fields: String..., status: Int = 400, body: String = "abc"
) -> ConformanceCase {
  let lines = ["POST /echo HTTP/1.1", "Host: a"] + fields
  return .init(section, name, lines.joined(separator: "\r\n") + "\r\n\r\n" + body, [.init(status)], .closed)
}

private let chunked = "Transfer-Encoding: chunked"

/// `Content-Length` and `Transfer-Encoding`.
let lengthCases: [ConformanceCase] = [
  read("length", "Content-Length: 3", "abc", "abc"),
  read("length zero", "Content-Length: 0", "", ""),
  read("length with zeros before", "Content-Length: 003", "abc", "abc"),
  read("length in small letters", "content-length:3", "abc", "abc"),
  read("body that looks like a request", "Content-Length: 18", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"),
  read("body of 70000", "Content-Length: 70000", "x" * 70_000, "x" * 70_000),
  read("chunked", chunked, "3\r\nabc\r\n0\r\n\r\n", "abc"),
  read("chunked in capitals", "TRANSFER-ENCODING: CHUNKED", "1\r\na\r\n0\r\n\r\n", "a"),
  .init("9112 §6.3", "POST without framing has no body", ask("POST /echo"), [.init(200, "POST /echo - ")]),
  .init("9112 §6.3", "GET with a body", ask("GET /echo", "Content-Length: 1", body: "x"), [.init(200, "GET /echo - x")]),
  .init(
    "9112 §6.3", "HEAD with a body", ask("HEAD /echo", "Content-Length: 1", body: "x"), [.head(200, ["content-length": "14"])]),
  .init("9112 §6.3", "body that nobody reads", ask("POST /ignore", "Content-Length: 3", body: "abc"), [.init(200, "ignored")]),
  .init(
    "9112 §6.3", "chunks that nobody reads", ask("POST /ignore", chunked, body: "3\r\nabc\r\n0\r\n\r\n"), [.init(200, "ignored")]),
  .init("9112 §8", "body cut off", ask("POST /echo", "Content-Length: 3", body: "ab"), [400], .halfClosed),
  .init("9112 §8", "chunks cut off", ask("POST /echo", chunked, body: "3\r\nab"), [400], .halfClosed),
  .init("9112 §8", "last chunk missing", ask("POST /echo", chunked, body: "3\r\nabc\r\n"), [400], .halfClosed),
  .init("9112 §8", "end of the trailers missing", ask("POST /echo", chunked, body: "0\r\n"), [400], .halfClosed),
  .init("9112 §8", "head cut off", "GET /echo HTTP/1.1\r\nHost: a\r\n", [], .halfClosed),
  .init("9112 §8", "line cut off", "GET /ec", [], .halfClosed),
  .init("9112 §8", "nothing", "", [], .halfClosed),
  refused("9112 §6.3", "length repeated", "Content-Length: 3", "Content-Length: 3"),
  refused("9112 §6.3", "lengths differ", "Content-Length: 3", "Content-Length: 4"),
  refused("9112 §6.3", "length empty, then not", "Content-Length:", "Content-Length: 3"),
  refused("9112 §6.3", "length list", "Content-Length: 3, 3"),
  refused("9112 §6.3", "length list that differs", "Content-Length: 3, 4"),
  refused("9110 §8.6", "length with plus", "Content-Length: +3"),
  refused("9110 §8.6", "length with minus", "Content-Length: -3"),
  refused("9110 §8.6", "length minus zero", "Content-Length: -0"),
  refused("9110 §8.6", "length hexadecimal", "Content-Length: 0x3"),
  refused("9110 §8.6", "length with exponent", "Content-Length: 3e0"),
  refused("9110 §8.6", "length empty", "Content-Length:"),
  refused("9110 §8.6", "length in two parts", "Content-Length: 3 0"),
  refused("9110 §8.6", "length with a fraction", "Content-Length: 3.0"),
  refused("9110 §8.6", "length with separators", "Content-Length: 1_0"),
  refused("9110 §8.6", "length in quotes", "Content-Length: \"3\""),
  refused("9110 §8.6", "length in other digits", "Content-Length: \u{D9}\u{A3}"),
  refused("9110 §8.6", "length with a word", "Content-Length: 3 bytes"),
  refused("9110 §8.6", "length of 20 digits", "Content-Length: 99999999999999999999", status: 413),
  refused("9110 §8.6", "length of 2^63", "Content-Length: 9223372036854775808", status: 413),
  refused("9110 §8.6", "length of 2^64", "Content-Length: 18446744073709551616", status: 413),
  refused("9110 §8.6", "length of 2^64 + 3", "Content-Length: 18446744073709551619", status: 413),
  refused("9110 §15.5.14", "length over the limit", "Content-Length: 100001", status: 413),
  refused("9112 §6.1", "length, then coding", "Content-Length: 3", chunked, body: "0\r\n\r\n"),
  refused("9112 §6.1", "coding, then length", chunked, "Content-Length: 3", body: "0\r\n\r\n"),
  refused("9112 §6.1", "length zero and coding", "Content-Length: 0", chunked, body: "0\r\n\r\n"),
  refused("9112 §6.1", "coding twice", chunked, chunked, body: "0\r\n\r\n"),
  refused("9112 §6.1", "chunked twice in a list", "Transfer-Encoding: chunked, chunked"),
  refused("9112 §6.3", "chunked is not last", "Transfer-Encoding: chunked, identity"),
  refused("9112 §6.3", "chunked before gzip", "Transfer-Encoding: chunked, gzip"),
  refused("9112 §6.1", "gzip before chunked", "Transfer-Encoding: gzip, chunked", status: 501),
  refused("9112 §6.3", "gzip alone", "Transfer-Encoding: gzip"),
  refused("9112 §6.3", "identity", "Transfer-Encoding: identity"),
  refused("9112 §6.3", "identity, then chunked in a second field", "Transfer-Encoding: identity", chunked),
  refused("9112 §6.3", "x before chunked", "Transfer-Encoding: xchunked"),
  refused("9112 §6.3", "x behind chunked", "Transfer-Encoding: chunkedx"),
  refused("9112 §6.3", "chunked in quotes", "Transfer-Encoding: \"chunked\""),
  refused("9112 §6.3", "chunked with a parameter", "Transfer-Encoding: chunked;a=b"),
  refused("9112 §6.3", "comma first", "Transfer-Encoding: ,chunked"),
  refused("9112 §6.3", "comma last", "Transfer-Encoding: chunked,"),
  refused("9112 §6.3", "coding empty", "Transfer-Encoding:"),
  refused("9112 §6.3", "coding with a vertical tab", "Transfer-Encoding: \u{B}chunked"),
  refused("9112 §6.3", "coding with NUL", "Transfer-Encoding: chunked\u{0}"),
  refused("9112 §6.3", "coding with a high blank", "Transfer-Encoding: \u{A0}chunked"),
  refused("9112 §5.1", "blank before the coding's colon", "Transfer-Encoding : chunked", body: "0\r\n\r\n"),
  refused("9112 §5.2", "coding folded", "Transfer-Encoding:\r\n chunked", body: "0\r\n\r\n"),
  .init(
    "9112 §6.1", "coding in 1.0", "POST /echo HTTP/1.0\r\nHost: a\r\n\(chunked)\r\n\r\n0\r\n\r\n", [400], .closed),
  .init(
    "9112 §6.1", "coding in 1.0 with keep-alive",
    "POST /echo HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\(chunked)\r\n\r\n0\r\n\r\n", [400], .closed),
  .init("9112 §6.3", "coding of another name is a field", ask("POST /echo", "Transfer_Encoding: chunked"), [200]),
  .init("9112 §6.3", "length of another name is a field", ask("POST /echo", "Content_Length: 3"), [200]),
]
