private func passed(_ name: String, _ text: String) -> ConformanceCase {
  .init("9112 §5", name, "GET /echo HTTP/1.1\r\nHost: a\r\n\(text)\r\n\r\n", [.init(200, "GET /echo - ")])
}

private func refused(_ section: String, _ name: String, _ text: String, _ status: Int = 400) -> ConformanceCase {
  .init(section, name, "GET /echo HTTP/1.1\r\nHost: a\r\n\(text)\r\n\r\n", [.init(status)], .closed)
}

/// Field lines.
let fieldCases: [ConformanceCase] = [
  passed("no blank behind the colon", "X:y"),
  passed("tab behind the colon", "X:\ty"),
  passed("blanks behind the value", "X: y \t "),
  passed("empty value", "X:"),
  passed("colons in the value", "X: a:b:c"),
  passed("tab in the value", "X: a\tb"),
  passed("high bytes in the value", "X: \u{80}\u{FF}"),
  passed("every kind of name character", "!#$%&'*+-.^_`|~09az: x"),
  passed("name of 300", "\("x" * 300): y"),
  passed("value of 60000", "X: \("y" * 60_000)"),
  passed("hundred fields", ("A: b\r\n" * 98) + "A: b"),
  passed("the same name often", "X: 1\r\nx: 2\r\nX: 3"),
  refused("9112 §5.1", "blank before the colon", "X : y"),
  refused("9112 §5.1", "tab before the colon", "X\t: y"),
  refused("9112 §5", "no colon", "X"),
  refused("9112 §5", "empty name", ": y"),
  refused("9112 §5", "colon alone", ":"),
  refused("9112 §5.2", "fold", "X: a\r\n b"),
  refused("9112 §5.2", "fold with a tab", "X: a\r\n\tb"),
  refused("9112 §5.2", "fold of nothing", "X: a\r\n \r\nY: b"),
  refused("9110 §5.1", "bracket in the name", "X[A]: y"),
  refused("9110 §5.1", "blank in the name", "X A: y"),
  refused("9110 §5.1", "high byte in the name", "X\u{C4}: y"),
  refused("9110 §5.1", "NUL in the name", "X\u{0}: y"),
  refused("9110 §5.1", "slash in the name", "X/Y: z"),
  refused("9110 §5.1", "at sign in the name", "X@Y: z"),
  refused("9110 §5.1", "name in quotes", "\"X\": y"),
  refused("9110 §5.5", "NUL in the value", "X: a\u{0}b"),
  refused("9110 §5.5", "escape in the value", "X: \u{1B}[0m"),
  refused("9110 §5.5", "DEL in the value", "X: \u{7F}"),
  refused("9110 §5.5", "backspace in the value", "X: a\u{8}b"),
  refused("9110 §5.5", "vertical tab in the value", "X: a\u{B}b"),
  refused("9110 §5.5", "bare CR in the value", "X: a\rb"),
  refused("9110 §5.5", "bare CR before the end", "X: a\r"),
  refused("9112 §2.2", "bare LF between fields", "X: a\nY: b"),
  .init("9112 §2.2", "bare LF ends the head", "GET /echo HTTP/1.1\r\nHost: a\r\n\n", [400], .closed),
  .init("9112 §2.2", "LF LF ends the head", "GET /echo HTTP/1.1\r\nHost: a\n\n", [400], .closed),
  refused("6585 §5", "hundred and one fields", ("A: b\r\n" * 99) + "A: b", 431),
  refused("6585 §5", "thousand fields", ("A: b\r\n" * 1000) + "A: b", 431),
  refused("6585 §5", "value too large", "X: \("y" * 66_000)", 431),
  refused("6585 §5", "name too large", "\("x" * 66_000): y", 431),
  .init("6585 §5", "field without end", "GET /echo HTTP/1.1\r\nHost: a\r\nX: \("y" * 66_000)", [431], .closed),
  refused("9110 §10.1.1", "other expectation", "Expect: 200-ok", 417),
  refused("9110 §10.1.1", "two expectations", "Expect: 100-continue, x", 417),
]
