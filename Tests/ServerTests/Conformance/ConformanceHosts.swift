private func named(_ name: String, _ value: String, _ text: String) -> ConformanceCase {
  .init("9110 §7.2", name, "GET /host HTTP/1.1\r\nHost:\(value)\r\n\r\n", [.init(200, text)])
}

private func refused(_ name: String, _ fields: String, version: String = "1.1") -> ConformanceCase {
  .init("9112 §3.2", name, "GET /host HTTP/\(version)\r\n\(fields)\r\n", [400], .closed)
}

/// `Host`.
let hostCases: [ConformanceCase] = [
  named("name", " a", "a"),
  named("no blank", "a", "a"),
  named("blanks around", " \t a \t ", "a"),
  named("port", " localhost:8080", "localhost:8080"),
  named("largest port", " a:65535", "a:65535"),
  named("empty port", " a:", "a:"),
  named("IPv4", " 127.0.0.1", "127.0.0.1"),
  named("IPv6", " [::1]:80", "[::1]:80"),
  named("capitals", " EXAMPLE.com", "EXAMPLE.com"),
  .init("9110 §7.2", "name of the field in capitals", "GET /host HTTP/1.1\r\nHOST: a\r\n\r\n", [.init(200, "a")]),
  .init("9110 §7.2", "last of the fields", "GET /host HTTP/1.1\r\nX: y\r\nhost: a\r\n\r\n", [.init(200, "a")]),
  .init("9112 §3.2", "none in 1.0", "GET /host HTTP/1.0\r\n\r\n", [.init(200, "-")], .closed),
  refused("none", ""),
  refused("two", "Host: a\r\nHost: b\r\n"),
  refused("the same twice", "Host: a\r\nhost: a\r\n"),
  refused("two in 1.0", "Host: a\r\nHost: b\r\n", version: "1.0"),
  refused("empty", "Host:\r\n"),
  refused("blank", "Host:  \r\n"),
  refused("list", "Host: a, b\r\n"),
  refused("two words", "Host: a b\r\n"),
  refused("path", "Host: a/b\r\n"),
  refused("scheme", "Host: http://a\r\n"),
  refused("userinfo", "Host: u@a\r\n"),
  refused("query", "Host: a?b\r\n"),
  refused("fragment", "Host: a#b\r\n"),
  refused("port alone", "Host: :80\r\n"),
  refused("port with letters", "Host: a:b\r\n"),
  refused("port signed", "Host: a:+80\r\n"),
  refused("port too large", "Host: a:65536\r\n"),
  refused("port beyond any integer", "Host: a:99999999999999999999999\r\n"),
  refused("two ports", "Host: a:80:80\r\n"),
  refused("bracket open", "Host: [::1\r\n"),
  refused("bracket empty", "Host: []\r\n"),
  refused("text behind the bracket", "Host: [::1]a\r\n"),
  refused("high byte", "Host: \u{C4}\r\n"),
  refused("NUL", "Host: a\u{0}b\r\n"),
  refused("quote", "Host: \"a\"\r\n"),
  refused("backslash", "Host: a\\b\r\n"),
  refused("blank before the colon", "Host : a\r\n"),
]
