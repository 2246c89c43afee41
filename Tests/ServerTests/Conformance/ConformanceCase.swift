/// One conversation: the bytes that a client sends, and the expected responses.
struct ConformanceCase: Sendable {
  /// How the conversation ends.
  enum End: String, Sendable {
    /// The connection serves the request that the test sends after the case's bytes.
    case kept
    /// The server closes the connection, although the client sends another request.
    case closed
    /// The client closes its sending side, and the server closes the connection.
    case halfClosed
  }

  /// One expected response: its status, and other conditions.
  struct Expected: Sendable, ExpressibleByIntegerLiteral {
    let status: Int
    /// Whether it is a response to HEAD, which has no body whatever its fields say.
    var isHead = false
    /// The body as text, if the case checks it.
    var body: String?
    /// Fields by lower-case name: a value, `*` for any, `-` for absent.
    var fields: [String: String] = [:]

    init(_ status: Int, _ body: String? = nil, _ fields: [String: String] = [:], isHead: Bool = false) {
      self.status = status
      self.body = body
      self.fields = fields
      self.isHead = isHead
    }

    init(integerLiteral status: Int) { self.init(status) }

    /// A response to HEAD.
    static func head(_ status: Int, _ fields: [String: String] = [:]) -> Expected {
      Expected(status, nil, fields, isHead: true)
    }
  }

  /// The RFC and the section.
  let section: String
  /// The subject of the case.
  let name: String
  /// The bytes; `<tag>` stands for the entity tag of `/data.bin`, `<page>` and `<page-gz>` for those of `/page.css`.
  let text: String
  /// The expected responses in order.
  let answers: [Expected]
  /// How it ends.
  let end: End

  /// Each character of `text` is one byte.
  init(_ section: String, _ name: String, _ text: String, _ answers: [Expected], _ end: End = .kept) {
    self.section = section
    self.name = name
    self.text = text
    self.answers = answers
    self.end = end
  }

  /// The bytes to send, with the tags put in.
  func bytes(_ tags: [String: String]) -> [UInt8] {
    var filled = text
    for (name, tag) in tags where filled.contains(name) {
      filled = filled.split(separator: name, omittingEmptySubsequences: false).joined(separator: tag)
    }
    return filled.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
  }

  /// The expected result, in the format of ``ConformanceReader``.
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
