/// One conversation: the bytes that a client sends, and everything that the server must answer.
struct ConformanceCase: Sendable {
  /// How the conversation ends.
  enum End: String, Sendable {
    /// The connection serves the request that the test sends behind the case's bytes.
    case kept
    /// It does not, though the request is sent.
    case closed
    /// The client sends nothing more and says so; the server closes.
    case halfClosed
  }

  /// One answer: its status, and what else must be true of it.
  struct Expected: Sendable, ExpressibleByIntegerLiteral {
    let status: Int
    /// Whether it answers HEAD, so that no body follows whatever the fields say.
    var isHead = false
    /// The body as text, where it matters.
    var body: String?
    /// Fields by name in lower case: a value, `*` for any, `-` for none.
    var fields: [String: String] = [:]

    init(_ status: Int, _ body: String? = nil, _ fields: [String: String] = [:], isHead: Bool = false) {
      (self.status, self.body, self.fields, self.isHead) = (status, body, fields, isHead)
    }

    init(integerLiteral status: Int) { self.init(status) }

    /// An answer to HEAD.
    static func head(_ status: Int, _ fields: [String: String] = [:]) -> Expected {
      Expected(status, nil, fields, isHead: true)
    }
  }

  /// The RFC and the section that the case is of.
  let section: String
  /// What it is about.
  let name: String
  /// The bytes; `<tag>` stands for the entity tag of `/data.bin`, `<page>` and `<page-gz>` for those of `/page.css`.
  let text: String
  /// Every answer in order.
  let answers: [Expected]
  /// How it ends.
  let end: End

  /// Each character of `text` is one byte.
  init(_ section: String, _ name: String, _ text: String, _ answers: [Expected], _ end: End = .kept) {
    (self.section, self.name, self.text, self.answers, self.end) = (section, name, text, answers, end)
  }

  /// The bytes to send, with the tags put in.
  func bytes(_ tags: [String: String]) -> [UInt8] {
    var filled = text
    for (name, tag) in tags where filled.contains(name) {
      filled = filled.split(separator: name, omittingEmptySubsequences: false).joined(separator: tag)
    }
    return filled.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
  }

  /// What the server must do, in the form that ``ConformanceReader`` writes down what it did.
  var verdict: String { (answers.map { "\($0.status)" } + [end == .halfClosed ? "closed" : end.rawValue]).joined(separator: " ") }
}

/// A request with `Host: a`, for tables.
func ask(_ line: String, _ fields: String..., body: String = "") -> String {
  "\(line) HTTP/1.1\r\nHost: a\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n" + body
}

extension String {
  /// The text so many times.
  static func * (text: String, count: Int) -> String { String(repeating: text, count: count) }
}
