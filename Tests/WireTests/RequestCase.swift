import Testing

/// One raw input and what a strict reader makes of it.
struct RequestCase: Sendable, CustomTestStringConvertible {
  /// What the case is about.
  let name: String
  /// The bytes as they come.
  let bytes: [UInt8]
  /// `<method> <path> <body>` of each request joined by `|`, then `more` or the status of a refusal.
  let verdict: String

  init(_ name: String, _ text: String, _ verdict: String) {
    self.init(name, bytes: Array(text.utf8), verdict)
  }

  init(_ name: String, bytes: [UInt8], _ verdict: String) {
    (self.name, self.bytes, self.verdict) = (name, bytes, verdict)
  }

  var testDescription: String { name }
}
