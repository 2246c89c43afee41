import Testing

/// A raw input and the result of a strict parser.
struct RequestCase: Sendable, CustomTestStringConvertible {
  /// The subject of the case.
  let name: String
  /// The raw bytes.
  let bytes: [UInt8]
  /// `<method> <path> <body>` of each request joined by `|`, then `more` or the status of a refusal.
  let verdict: String

  init(_ name: String, _ text: String, _ verdict: String) {
    self.init(name, bytes: Array(text.utf8), verdict)
  }

  init(_ name: String, bytes: [UInt8], _ verdict: String) {
    self.name = name
    self.bytes = bytes
    self.verdict = verdict
  }

  var testDescription: String { name }
}
